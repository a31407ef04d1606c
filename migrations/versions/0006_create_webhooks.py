"""Webhooks and their deliveries."""

from alembic import op

revision = "0006"
down_revision = "0005"

SQL = """
create table webhook (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    url text not null,
    events text[] not null,
    name text,
    description text,
    profile_ids uuid[],
    delivery_mode text not null default 'retry' check (delivery_mode in ('retry', 'single')),
    mode text not null default 'live' check (mode in ('live', 'test')),
    status text not null default 'active' check (status in ('active', 'paused', 'disabled')),
    disabled_reason text,
    secret bytea not null,                 -- sealed
    former_secret bytea,                   -- sealed; signs beside the new one until
    former_secret_until timestamptz,
    consecutive_failures integer not null default 0,
    last_success_at timestamptz,
    last_failure_at timestamptz,
    created_by jsonb not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz
);
create index webhook_listing on webhook (workspace_id, created_at desc, id desc) where deleted_at is null;

create table delivery (
    id uuid primary key,                   -- the envelope's id
    workspace_id uuid not null,
    webhook_id uuid not null references webhook,
    event_id uuid not null,                -- one event, several webhooks
    type text not null,
    body bytea not null,                   -- the exact bytes of every attempt
    state text not null check (state in ('pending', 'delivered', 'failed', 'permanently_failed')),
    attempts integer not null default 0,
    resend boolean not null default false, -- one extra attempt was asked for
    next_attempt_at timestamptz,
    last_attempt_at timestamptz,
    last_status integer,
    last_error text,
    last_response text,
    last_duration_ms integer,
    created_at timestamptz not null default now(),
    delivered_at timestamptz
) with (fillfactor = 80);
create index delivery_due on delivery (webhook_id, next_attempt_at) where next_attempt_at is not null;
create index delivery_listing on delivery (webhook_id, created_at desc, id desc);
"""


def upgrade() -> None:
    op.execute(SQL)
