"""Whose card pays for a workspace and since when it must not, who takes the payments over, and what was paid."""

from signalpost.migrations import sql

revision = "0075"
down_revision = "0074"

SQL = """
alter table subscription
    add column payer_id uuid,              -- the user whose card pays; null: not known, so the owner
    add column payer_left_at timestamptz,  -- when the workspace went to another owner
    add column closed_at timestamptz,      -- when the workspace was deleted
    add column checkout_at timestamptz;    -- when the page `checkout_id` was opened
update subscription s set closed_at = w.deleted_at from workspace w
    where w.id = s.workspace_id and w.deleted_at is not null;
update subscription set checkout_at = now() where checkout_id is not null;
create index subscription_open_page on subscription (workspace_id)
    where checkout_id is not null and status in ('none', 'expired');
create table billing_former_customer (     -- customers that were replaced: nothing may be charged to them
    customer_id text primary key,
    workspace_id uuid not null references workspace on delete cascade,
    left_at timestamptz not null
);
create index billing_former_customer_workspace on billing_former_customer (workspace_id);
create table billing_handover (            -- somebody will pay from now on; with moves_ownership, and own the workspace
    workspace_id uuid primary key references workspace on delete cascade,
    user_id uuid not null references app_user on delete cascade,
    offered_by uuid not null references app_user on delete cascade,
    moves_ownership boolean not null,
    checkout_id text,                      -- of the page where the card is entered
    expires_at timestamptz not null
);
create index billing_handover_user on billing_handover (user_id);
create index billing_handover_offered_by on billing_handover (offered_by);
create table billing_payment (             -- what was charged, as it was read; each is in the history, too
    invoice_id text primary key,
    workspace_id uuid not null references workspace on delete cascade,
    amount bigint not null,                -- in minor units
    currency text not null,
    invoiced_at timestamptz not null,
    refunded_at timestamptz
);
create index billing_payment_workspace on billing_payment (workspace_id);
create table billing_difference (          -- between what Stripe charges and what workspaces have
    id uuid primary key,
    kind text not null,
    workspace text,                        -- as Stripe names it; perhaps it is of another installation
    customer_id text not null,
    remote_id text not null,
    detail text not null,
    found_at timestamptz not null,
    solved_at timestamptz,
    solution text
);
create unique index billing_difference_open on billing_difference (kind, remote_id) where solved_at is null;
create index billing_difference_found on billing_difference (found_at, id);
create table billing_provider (            -- one row: when the provider was heard last, and compared with
    is_here boolean primary key default true check (is_here),
    notified_at timestamptz,
    refused_at timestamptz,                -- the last notification that could not be accepted
    refused_code text,
    compared_at timestamptz,
    compared_to text                       -- how far a comparison came that is under way
);
insert into billing_provider default values;
"""


def upgrade() -> None:
    sql.execute(SQL)
