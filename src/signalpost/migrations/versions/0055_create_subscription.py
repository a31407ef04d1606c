"""Subscriptions as Stripe has them, and which of its notifications were acted upon."""

from signalpost.migrations import sql

revision = "0055"
down_revision = "0054"

SQL = """
create table subscription (
    workspace_id uuid primary key references workspace on delete cascade,
    customer_id text not null unique,
    remote_id text,
    status text not null default 'none'
        check (status in ('none', 'trialing', 'active', 'past_due', 'paused', 'cancelled', 'expired')),
    plan text,
    interval text check (interval in ('month', 'year')),
    period_start timestamptz,
    period_end timestamptz,
    cancel_at_period_end boolean not null default false,
    trial_ends_at timestamptz,
    grace_ends_at timestamptz,
    pending_plan text,
    pending_interval text check (pending_interval in ('month', 'year')),
    pending_at timestamptz,
    card_brand text,
    card_last4 text,
    card_exp_month smallint,
    card_exp_year smallint,
    plan_in_force text,  -- what the workspace has by this subscription; null: it never had anything by it
    checkout_id text,    -- of the payment page that was opened last
    version integer not null default 0,
    read_at timestamptz,
    created_at timestamptz not null default now()
);
create index subscription_ends on subscription (coalesce(grace_ends_at, period_end))
    where status in ('trialing', 'active', 'past_due', 'cancelled');
create table billing_event (
    id text primary key,
    workspace_id uuid not null references workspace on delete cascade,
    type text not null,
    received_at timestamptz not null default now()
);
create index billing_event_received on billing_event (received_at);
create index billing_event_workspace on billing_event (workspace_id);
"""


def upgrade() -> None:
    sql.execute(SQL)
