"""Slot queues of profiles, and which post has which of their slots."""

from signalpost.migrations import sql

revision = "0033"
down_revision = "0032"

SQL = """
create table slot_queue (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    profile_id uuid not null references profile,
    name text not null,
    slots jsonb not null,                  -- [{time, days}]: wall times, 0 is Monday
    timezone text,                         -- null: the profile's
    active boolean not null default true,
    is_default boolean not null default false,
    version integer not null default 1,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);
create unique index slot_queue_name on slot_queue (profile_id, lower(name));
create unique index slot_queue_default on slot_queue (profile_id) where is_default;
create index slot_queue_listing on slot_queue (workspace_id, created_at desc, id desc);

-- The post that was given a slot last. Whether it still has it follows from the post: see `slots.queries`.
create table slot_reservation (
    queue_id uuid not null references slot_queue on delete cascade,
    at timestamptz not null,
    workspace_id uuid not null references workspace,
    post_id uuid not null unique references post on delete cascade,
    primary key (queue_id, at)
);
"""


def upgrade() -> None:
    sql.execute(SQL)
