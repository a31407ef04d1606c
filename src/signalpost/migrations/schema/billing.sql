-- Subscriptions as the payment provider has them, and what was paid.

-- What a workspace pays for, as the payment provider has it.
create table subscription (
    workspace_id uuid primary key references workspace on delete cascade,
    customer_id text not null unique,
    remote_id text,
    status text not null default 'none' check (status in ('none', 'trialing', 'active', 'past_due', 'paused',
        'cancelled', 'expired')),
    plan text,
    interval text check (interval in ('month', 'year')),
    period_start timestamptz,
    period_end timestamptz,
    cancel_at_period_end boolean not null default false,
    trial_ends_at timestamptz,
    grace_ends_at timestamptz,
    pending_plan text,                     -- what begins at pending_at
    pending_interval text check (pending_interval in ('month', 'year')),
    pending_at timestamptz,
    card_brand text,
    card_last4 text,
    card_exp_month smallint,
    card_exp_year smallint,
    -- what the workspace has by this subscription; null: it never had anything by it
    plan_in_force text,
    checkout_id text,                      -- of the payment page that was opened last
    version integer not null default 0,    -- compare-and-set: what was read before another change is not written
    read_at timestamptz,                   -- when the provider was asked last
    created_at timestamptz not null default now(),
    payer_id uuid,                         -- the user whose card pays; null: not known, so the owner
    payer_left_at timestamptz,             -- when the workspace went to another owner
    closed_at timestamptz,                 -- when the workspace was deleted
    checkout_at timestamptz                -- when the page `checkout_id` was opened
);
create index subscription_ends on subscription (coalesce(grace_ends_at, period_end))
    where status in ('trialing', 'active', 'past_due', 'cancelled');
create index subscription_open_page on subscription (workspace_id)
    where checkout_id is not null and status in ('none', 'expired');

-- Notifications of the provider that were acted upon, so that each is acted upon once.
create table billing_event (
    id text primary key,
    workspace_id uuid not null references workspace on delete cascade,
    type text not null,
    received_at timestamptz not null default now()
);
create index billing_event_received on billing_event (received_at);
create index billing_event_workspace on billing_event (workspace_id);

-- Customers at the provider that were replaced: nothing may be charged to them.
create table billing_former_customer (
    customer_id text primary key,
    workspace_id uuid not null references workspace on delete cascade,
    left_at timestamptz not null
);
create index billing_former_customer_workspace on billing_former_customer (workspace_id);

-- Somebody will pay from now on; with moves_ownership, and own the workspace.
create table billing_handover (
    workspace_id uuid primary key references workspace on delete cascade,
    user_id uuid not null references app_user on delete cascade,
    offered_by uuid not null references app_user on delete cascade,
    moves_ownership boolean not null,
    checkout_id text,                      -- of the page where the card is entered
    expires_at timestamptz not null
);
create index billing_handover_user on billing_handover (user_id);
create index billing_handover_offered_by on billing_handover (offered_by);

-- What was charged, as it was read; each is in the history, too.
create table billing_payment (
    invoice_id text primary key,
    workspace_id uuid not null references workspace on delete cascade,
    amount bigint not null,                -- in minor units
    currency text not null,
    invoiced_at timestamptz not null,
    refunded_at timestamptz
);
create index billing_payment_workspace on billing_payment (workspace_id);

-- Differences between what the provider charges and what workspaces have.
create table billing_difference (
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

-- One row: when the provider was heard last, and compared with.
create table billing_provider (
    is_here boolean primary key default true check (is_here),
    notified_at timestamptz,
    refused_at timestamptz,                -- the last notification that could not be accepted
    refused_code text,
    compared_at timestamptz,
    compared_to text                       -- how far a comparison came that is under way
);

insert into billing_provider default values;

-- What people say about plans and prices.
create table billing_feedback (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    user_id uuid not null references app_user,
    plan text not null,
    reason text not null,
    stage text not null,
    comment text,
    rating smallint,
    created_at timestamptz not null default now()
);
create index billing_feedback_workspace on billing_feedback (workspace_id, created_at);
