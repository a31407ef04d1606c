"""Which server the engine works with, so that it notices when a standby has taken over."""

from signalpost.migrations import sql

revision = "0068"
down_revision = "0067"

SQL = """
create table engine_timeline (
    singleton boolean primary key default true check (singleton),
    system_identifier bigint not null,  -- of the cluster; a copy made by dump and restore has another
    timeline integer not null,          -- of its log; every promotion of a standby begins another
    is_synchronous boolean not null,    -- commits waited for a standby
    seen_at timestamptz not null default now()
);
"""


def upgrade() -> None:
    sql.execute(SQL)
