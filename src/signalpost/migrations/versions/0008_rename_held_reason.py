"""Posts: standard names for the duplicate guard and for what holds a target back."""

from signalpost.migrations import sql

revision = "0008"
down_revision = "0007"

SQL = """
alter table target rename column held to held_reason;
alter function twins_of(uuid, text, bytea[], text, uuid) rename to find_duplicates;
"""


def upgrade() -> None:
    sql.execute(SQL)
