"""A key knows the key that issued it, and is revoked with it."""

from signalpost.migrations import sql

revision = "0020"
down_revision = "0019"

SQL = """
alter table api_key add column issued_by uuid references api_key; -- null: a person, or not known
create index api_key_issued on api_key (issued_by) where issued_by is not null;
"""


def upgrade() -> None:
    sql.execute(SQL)
