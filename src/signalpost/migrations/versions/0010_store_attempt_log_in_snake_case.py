"""The attempt log of a delivery stores its members in snake_case, like every JSON column."""

from signalpost.migrations import sql

revision = "0010"
down_revision = "0009"

SQL = """
update delivery set log = (
    select jsonb_agg(entry - 'durationMs' || jsonb_build_object('duration_ms', entry -> 'durationMs') order by position)
    from jsonb_array_elements(log) with ordinality as e(entry, position)
) where log <> '[]';
comment on column delivery.log is 'the latest 20 attempts: [{at, resend, status, error, duration_ms}]';
"""


def upgrade() -> None:
    sql.execute(SQL)
