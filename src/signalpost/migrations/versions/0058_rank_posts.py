"""An index of posts by their numbers, for the best ones of a long period."""

from signalpost.migrations import sql

revision = "0058"
down_revision = "0057"

SQL = """
create index metric_latest_rank on metric_latest (
    workspace_id, mode, views desc nulls last, interactions desc nulls last, published_at desc)
    where collected_at is not null;
"""


def upgrade() -> None:
    sql.execute(SQL)
