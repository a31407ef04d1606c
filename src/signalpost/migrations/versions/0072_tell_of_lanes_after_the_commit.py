"""A transaction that wakes lanes tells its client, which notifies workers after the commit."""

from signalpost.migrations import sql

revision = "0072"
down_revision = "0071"

SQL = """
-- As before, except that it sends a notice to its client (kind, and numbers of the lanes that are due at once) where it
-- notified workers: a transaction with NOTIFY keeps a lock of the whole server from its commit until it is on disk.
create or replace function wake_lanes(
    p_kind text, p_keys uuid[], p_workspace uuid, p_platforms text[], p_due timestamptz[]
) returns void language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
    changed integer;
    numbers text;
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
    if changed > 0 then
        select string_agg(distinct lane_lock(p_kind, w.key)::text, ',') into numbers
        from unnest(p_keys, p_due) as w(key, due) where w.due <= now() + interval '1 second';
        if numbers is not null then
            raise notice using errcode = 'SPWAK', message = p_kind, detail = numbers;
        end if;
    end if;
end $$;
"""


def upgrade() -> None:
    sql.execute(SQL)
