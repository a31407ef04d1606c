"""A lane whose time need not come nearer costs a look; posts have no foreign keys to other posts."""

from signalpost.migrations import sql

revision = "0015"
down_revision = "0014"

SQL = """
-- As before, except that it returns when a look says that no lane is missing and none has to be woken earlier. The look
-- comes after the locks, so it sees what every release before them has written.
create or replace function wake_lanes(
    p_kind text, p_keys uuid[], p_workspace uuid, p_platforms text[], p_due timestamptz[]
) returns void language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
    changed integer;
begin
    perform pg_advisory_xact_lock_shared(1, w.lock) from (
        select distinct lane_lock(p_kind, u.key) as lock
        from unnest(p_keys, p_due) as u(key, due) where u.due is not null order by 1) w;
    if not exists (
        select from unnest(p_keys, p_due) as w(key, due)
        where w.due is not null
            and not exists (select from lane l where l.kind = p_kind and l.key = w.key and l.next_due_at <= w.due)
    ) then
        return;
    end if;
    insert into lane (kind, key, workspace_id, platform, next_due_at)
    select p_kind, w.key, p_workspace, min(w.platform), min(w.due)
    from unnest(p_keys, p_platforms, p_due) as w(key, platform, due)
    where w.due is not null
        and not exists (select from lane l where l.kind = p_kind and l.key = w.key and l.next_due_at <= w.due)
    group by w.key
    order by w.key
    on conflict (kind, key) do update set next_due_at = least(lane.next_due_at, excluded.next_due_at)
    where lane.next_due_at is null or lane.next_due_at > excluded.next_due_at;
    get diagnostics changed = row_count;
    if changed > 0 and current_setting('signalpost.notify', true) is distinct from 'off'
        and exists (select from unnest(p_due) as d where d <= now() + interval '1 second') then
        perform pg_notify('lane', p_kind);
    end if;
end $$;

-- The keys cost two triggers a post, also where they are null, as almost always.
alter table post drop constraint post_recurrence_parent_id_fkey, drop constraint post_source_post_id_fkey;
create or replace function delete_rows_of_posts() returns trigger language plpgsql as $$
begin
    delete from attempt using target, deleted where attempt.target_id = target.id and target.post_id = deleted.id;
    delete from target using deleted where target.post_id = deleted.id;
    delete from audit using deleted where audit.post_id = deleted.id;
    update post set recurrence_parent_id = null from deleted where post.recurrence_parent_id = deleted.id;
    update post set source_post_id = null from deleted where post.source_post_id = deleted.id;
    return null;
end $$;
"""


def upgrade() -> None:
    sql.execute(SQL)
