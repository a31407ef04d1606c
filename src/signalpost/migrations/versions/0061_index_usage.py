"""An index of usage by month: notices look at the current one, and the table keeps all of them."""

from signalpost.migrations import sql

revision = "0061"
down_revision = "0060"

SQL = "create index usage_period on usage (period);"


def upgrade() -> None:
    sql.execute(SQL)
