"""A target without a first comment says so in two bytes instead of forty-five; every version reads both forms."""

from signalpost.migrations import sql

revision = "0083"
down_revision = "0082"

SQL = """
alter table target alter first_comment set default '{}';
"""


def upgrade() -> None:
    sql.execute(SQL)
