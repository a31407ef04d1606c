"""Whoever wakes a lane shares an advisory lock with others who do, instead of locking its row to the end."""

from signalpost.migrations import sql

revision = "0013"
down_revision = "0012"

SQL = """
-- The advisory lock of a lane: shared by transactions that write items, taken alone by the release. All lanes have
-- 4,096 locks together, so that no transaction can use up the server's table of locks; lanes that share one by chance
-- only wait a moment longer. With two arguments, (1, lane_lock), it is apart from all advisory locks with one.
create function lane_lock(p_kind text, p_key uuid) returns integer language sql immutable parallel safe as $$
    select (hashtextextended(p_kind || p_key::text, 0) & 4095)::integer
$$;

-- The one way to say "something is due": creates or advances lanes, and hints waiting workers when it is due at once.
-- Arrays of one length; the same lane may stand in them several times.
-- Writes a lane only if it is missing or its time comes nearer; the advisory lock, held until commit, does the rest:
-- - The release tries to take the lock alone, then reads the items with a new snapshot. If it gets the lock, no holder
--   is under way: whoever had it has committed, and that snapshot has the items; whoever comes later waits here until
--   the release has committed, and the statement below, with its own snapshot, sees the lane's new time.
-- - If it does not get the lock, it leaves the lane ready, and a worker looks again a moment later.
-- So two statements: locks first, then a look. Each takes locks, and then rows, in one order, so writers do not
-- deadlock; who holds the lock alone waits for nothing.
-- NOTIFY takes a database-wide lock at commit; `alter database ... set signalpost.notify = off` does without it,
-- workers then look once a second.
create or replace function wake_lanes(
    p_kind text, p_keys uuid[], p_workspace uuid, p_platforms text[], p_due timestamptz[]
) returns void language plpgsql as $$
declare
    changed integer;
begin
    perform pg_advisory_xact_lock_shared(1, w.lock) from (
        select distinct lane_lock(p_kind, u.key) as lock
        from unnest(p_keys, p_due) as u(key, due) where u.due is not null order by 1) w;
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
"""


def upgrade() -> None:
    sql.execute(SQL)
