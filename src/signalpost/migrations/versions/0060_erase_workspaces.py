"""When the data of a deleted workspace was erased."""

from signalpost.migrations import sql

revision = "0060"
down_revision = "0059"

SQL = """
alter table workspace add column erased_at timestamptz;
create index workspace_to_erase on workspace (deleted_at) where deleted_at is not null and erased_at is null;
"""


def upgrade() -> None:
    sql.execute(SQL)
