"""A record of each backup that was begun: when, what it holds, how it ended, and when its file was last verified."""

from signalpost.migrations import sql

revision = "0069"
down_revision = "0068"

SQL = """
create table backup (                      -- of this database; no row of it is in a backup
    id uuid primary key,                   -- stands in the file, too
    started_at timestamptz not null,
    ended_at timestamptz,
    status text not null check (status in ('unfinished', 'succeeded', 'failed')),
    error text,
    host text not null,
    file_name text not null,               -- without its folder
    version text not null,                 -- of the program
    revision text,                         -- of the schema
    made_at timestamptz,                   -- of the snapshot: what changed later is not in the file
    bytes bigint,
    row_count bigint,
    files integer,
    missing_files integer,
    has_media boolean not null,
    has_master_key boolean not null,
    verified_at timestamptz
);
create index backup_listing on backup (started_at, id);
"""


def upgrade() -> None:
    sql.execute(SQL)
