"""Webhooks: a next secret, what a stopped one missed, replays, and deliveries that are fetched."""

from signalpost.migrations import sql

revision = "0064"
down_revision = "0063"

# The new conditions allow all that the old ones did, so no row has to be read: NOT VALID checks new rows only.
SQL = """
alter table webhook
    add column next_secret bytea,          -- sealed; signs beside the current one until it is activated
    add column stopped_at timestamptz,     -- paused, or disabled by us: what it misses is kept; null: it misses nothing
    add column replay jsonb,               -- the latest one
    drop constraint webhook_delivery_mode_check,
    add constraint webhook_delivery_mode_check check (delivery_mode in ('retry', 'single', 'poll')) not valid;
alter table delivery
    drop constraint delivery_state_check,
    add constraint delivery_state_check
        check (state in ('pending', 'delivered', 'failed', 'permanently_failed', 'skipped')) not valid;

-- Numbers for the events of a post. Each transaction takes one, and counts its events from there.
create sequence event_sequence increment by 10000;

create index webhook_recording on webhook (workspace_id) where status = 'active' or stopped_at is not null;
drop index webhook_listening;
-- What a stopped webhook missed, and what waits to be fetched; the engine looks at neither.
create index delivery_idle on delivery (webhook_id, created_at, id)
    where due_at is null and state in ('pending', 'skipped');
"""


def upgrade() -> None:
    sql.execute(SQL)
