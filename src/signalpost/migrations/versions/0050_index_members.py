"""An index of all members of a workspace: the others have only those of some statuses."""

from signalpost.migrations import sql

revision = "0050"
down_revision = "0049"

SQL = "create index member_workspace on member (workspace_id);"


def upgrade() -> None:
    sql.execute(SQL)
