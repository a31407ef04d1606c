"""The moment of a post as a `case`, so that a range of moments is read from the index.

PostgreSQL takes `coalesce` for something that could tell of hidden rows: with a policy on the table, it looked at every
post of the workspace instead.
"""

from signalpost.migrations import sql

revision = "0062"
down_revision = "0061"

SQL = """
drop index post_moment;
create index post_moment on post (
    workspace_id,
    (case when scheduled_at is not null then scheduled_at
        when published_at is not null then published_at else created_at end) desc,
    id desc) where deleted_at is null;
drop index post_backdated;
create index post_backdated on post (workspace_id, created_at desc, id desc)
    where case when scheduled_at is not null then scheduled_at
        when published_at is not null then published_at else created_at end < created_at and deleted_at is null;
"""


def upgrade() -> None:
    sql.execute(SQL)
