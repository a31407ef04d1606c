"""Targets that wait for an approval wake their lanes like others: so far, nothing ended them if nobody decided."""

from signalpost.migrations import sql

revision = "0016"
down_revision = "0015"

SQL = """
select wake_lanes('target', array_agg(account_id), workspace_id, array_agg(platform), array_agg(next_attempt_at))
from target where held_reason is not null and next_attempt_at is not null group by workspace_id;
"""


def upgrade() -> None:
    sql.execute(SQL)
