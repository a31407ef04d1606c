"""A server that takes over is trusted when all workers say that it has what they know of."""

from signalpost.migrations import sql

revision = "0081"
down_revision = "0080"

SQL = """
alter table engine_timeline
    add column successor integer,                        -- the timeline that is being looked at
    add column noticed_at timestamptz,                   -- since when
    add column waits_for uuid[] not null default '{}';   -- workers that have not said that it has all of theirs
"""


def upgrade() -> None:
    sql.execute(SQL)
