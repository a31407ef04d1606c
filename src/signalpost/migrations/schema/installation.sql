-- What belongs to the installation as a whole, and the clock of sandboxes.

-- How staff changed feature flags. They are declared in the code; one that nobody changed has no row.
create table feature_flag (
    key text primary key,
    enabled boolean not null,
    rollout_percent integer not null default 100 check (rollout_percent between 0 and 100),
    rules jsonb not null default '{}',     -- {plans, workspace_ids, user_ids}
    description text,                      -- null: the declared one
    updated_by jsonb,
    updated_at timestamptz
);

-- Each backup of this database that was begun; no row of it is in a backup.
create table backup (
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

-- A workspace that moved the clock of its sandbox: what waits there becomes due earlier.
create table sandbox_clock (
    workspace_id uuid primary key references workspace on delete cascade,
    ahead interval not null,               -- how much later it is in the sandbox than it really is
    ends_at timestamptz not null           -- a forgotten clock ends by itself
);
