"""Whether someone set the minimum gap between posts of a profile's accounts; the default is for a backlog only."""

from signalpost.migrations import sql

revision = "0078"
down_revision = "0077"

SQL = """
-- A gap other than the default was set by someone, also before this column and by processes that do not know it.
alter table profile add column gap_chosen boolean not null default false;
"""


def upgrade() -> None:
    sql.execute(SQL)
