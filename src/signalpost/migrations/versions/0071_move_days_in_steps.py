"""Days of a profile follow its zone in steps: how far, and an index to go on from there."""

from signalpost.migrations import sql

revision = "0071"
down_revision = "0070"

SQL = """
alter table metric_profile
    add column moving_to text,             -- the zone to which its posts are being moved
    add column moved_until uuid;           -- the last target that was
create index metric_latest_of_profile on metric_latest (profile_id, target_id);
drop index metric_latest_profile; -- what it was for, the new one does
"""


def upgrade() -> None:
    sql.execute(SQL)
