"""The limit of scheduled posts as a function, so that the statement that writes a post can check it."""

from signalpost.migrations import sql

revision = "0066"
down_revision = "0065"

SQL = """
-- Whether so many more posts may wait for their time. Whoever asks next waits for the end of this transaction: the
-- count is a statement of its own, and sees what the lock waited for.
create function may_schedule(p_workspace uuid, p_units bigint, p_limit bigint) returns boolean language plpgsql
set plan_cache_mode = force_generic_plan as $$
declare
    locked text;
begin
    locked := pg_advisory_xact_lock(hashtextextended('plan:scheduledPosts:' || p_workspace, 0));
    return p_units <= p_limit - (
        select count(*) from post where workspace_id = p_workspace and stage = 'scheduled' and deleted_at is null);
end $$;
"""


def upgrade() -> None:
    sql.execute(SQL)
