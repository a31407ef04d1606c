-- A larger plan may wait until the holder of the card confirms its payment; a nightly comparison goes on where it stopped.
alter table subscription
    add column confirm_plan text,          -- of a change that waits for its payment
    add column confirm_interval text,
    add column confirm_url text,           -- where the holder of the card confirms it
    add column confirm_expires_at timestamptz,
    add column compared_at timestamptz;    -- when Stripe named it last among those that are charged
create index subscription_remote on subscription (remote_id) where remote_id is not null;
create index subscription_confirm on subscription (workspace_id) where confirm_url is not null;
alter table billing_provider
    add column comparing_since timestamptz;  -- when the comparison began that is under way
