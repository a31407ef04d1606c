"""A page of posts in the order of their moments, and of a fan-out, is read from an index."""

from signalpost.migrations import sql

revision = "0036"
down_revision = "0035"

SQL = """
-- The order of `sort=scheduledAt`. Setting `published_at` writes indexes anyway, because of `post_waiting`.
create index post_moment on post (
    workspace_id, (coalesce(scheduled_at, published_at, created_at)) desc, id desc) where deleted_at is null;
create index post_fanout on post (workspace_id, fanout_id) where fanout_id is not null;

-- Of all targets of an account, for lists of its posts; the published ones stand together as before.
drop index target_account_published;
create index target_account on target (account_id, published_at desc);

-- A post that is published again has not been published; lists by status rely on it.
update post set published_at = null where status in ('queued', 'publishing') and published_at is not null;
"""


def upgrade() -> None:
    sql.execute(SQL)
