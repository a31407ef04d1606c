"""A file can be announced before its bytes arrive: its row waits for them, and holds their share of the storage."""

from signalpost.migrations import sql

revision = "0031"
down_revision = "0030"

SQL = """
alter table media add column upload_method text check (upload_method in ('put', 'object', 'resumable'));
alter table media add column upload_bytes bigint;   -- the announced size; size_bytes is what is reserved until then
"""


def upgrade() -> None:
    sql.execute(SQL)
