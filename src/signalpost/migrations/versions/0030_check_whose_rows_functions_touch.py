"""Functions with the rights of the owner, for the few statements that row-level security would refuse or slow down."""

from signalpost.migrations import sql

revision = "0030"
down_revision = "0029"

SQL = """
-- Whether a connection that sees one workspace may name this one to a function that sees all of them.
create function may_see(p_workspace uuid) returns boolean language sql stable parallel safe as $$
    select current_setting('role') <> 'signalpost_service'
        or p_workspace = nullif(current_setting('signalpost.tenant', true), '')::uuid
$$;

-- Jobs of the installation belong to no workspace: who enqueues one must not see the others.
create function enqueue_job(
    p_id uuid, p_queue uuid, p_kind text, p_workspace uuid, p_payload jsonb, p_unique_key text, p_at timestamptz
) returns uuid language plpgsql security definer set search_path = public, pg_temp as $$
declare
    written job;
begin
    if p_workspace is not null and not may_see(p_workspace) then
        raise exception 'another workspace' using errcode = 'insufficient_privilege';
    end if;
    insert into job (id, queue, kind, workspace_id, payload, unique_key, next_attempt_at)
    values (p_id, p_queue, p_kind, p_workspace, p_payload, p_unique_key, coalesce(p_at, now()))
    on conflict (unique_key) do update set revision = job.revision + 1, payload = excluded.payload,
        next_attempt_at = least(job.next_attempt_at, excluded.next_attempt_at)
    returning * into written;
    perform wake_lanes('job', array[written.queue], written.workspace_id, array[null::text],
        array[written.next_attempt_at]);
    return written.id;
end $$;

-- As before, with the rights of the owner: it is called for every new post, and each of its statements would be
-- checked.
-- All it looks at belongs to p_workspace, or to a profile that does.
create or replace function prepare_post(
    p_workspace uuid, p_profile uuid, p_seen bigint, p_accounts uuid[], p_platforms text[], p_due timestamptz[],
    p_first_due timestamptz, p_mode text, p_hashes bytea[], p_external text
) returns text language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
    hash bytea;
    account uuid;
    locked text;
    seen bigint;
    awake bigint;
    alike boolean;
begin
    if not may_see(p_workspace) then
        raise exception 'another workspace' using errcode = 'insufficient_privilege';
    end if;
    locked := pg_advisory_xact_lock_shared(profile_lock(p_profile));
    foreach hash in array p_hashes loop
        locked := pg_advisory_xact_lock(hashtextextended(encode(hash, 'hex'), 0));
    end loop;
    foreach account in array p_accounts loop
        locked := pg_advisory_xact_lock_shared(1, lane_lock('target', account));
    end loop;
    select (
            select profile_digest(p) from profile p
            where p.id = p_profile and p.workspace_id = p_workspace and p.deleted_at is null
        ) # coalesce(bit_xor(account_digest(a)), 0),
        count(*) filter (where p_first_due >= (
            select l.next_due_at from lane l where l.kind = 'target' and l.key = a.id)),
        exists (select from target t where t.content_hash = any(p_hashes) and t.workspace_id = p_workspace)
    from account a where a.id = any(p_accounts) and a.profile_id = p_profile and a.status <> 'disconnected'
    into seen, awake, alike;
    if p_seen is distinct from seen then
        return 'changed';
    end if;
    if alike then
        if exists (
            select from target t join post p on p.id = t.post_id
            where t.content_hash = any(p_hashes) and t.workspace_id = p_workspace and p.mode = p_mode
                and t.status not in ('failed', 'cancelled', 'removed') and t.due_at is not null
                and greatest(p.queued_at, t.published_at, p.created_at) > now() - interval '24 hours')
        then
            return 'taken';
        end if;
    end if;
    if p_external is not null then
        if exists (
            select from post p
            where p.workspace_id = p_workspace and p.mode = p_mode and p.external_id = p_external
                and p.deleted_at is null)
        then
            return 'taken';
        end if;
    end if;
    if p_first_due is not null and awake < cardinality(p_accounts) then
        perform wake_lanes('target', p_accounts, p_workspace, p_platforms, p_due);
    end if;
    return null;
end $$;

-- How many posts use each of these files: in all, not published yet, live. A policy has to be evaluated before a
-- condition that could tell of foreign rows, and so the index on arrays would not be used.
create function media_uses(p_workspace uuid, p_media uuid[])
returns table (media_id uuid, posts bigint, waiting bigint, live bigint)
language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
    if may_see(p_workspace) then
        return query
            select m.id, count(*), count(*) filter (where p.status not in ('published', 'partial', 'failed')),
                count(*) filter (where p.mode = 'live')
            from unnest(p_media) as m(id)
            join post p on p.media_ids @> array[m.id] and p.media_ids <> '{}' and p.workspace_id = p_workspace
                and p.deleted_at is null
            group by m.id;
    end if;
end $$;

-- When the oldest transaction began that has written and is not over. Only the role that signed in sees that of others.
create function oldest_write() returns timestamptz
language sql volatile security definer set search_path = public, pg_temp as $$
    select min(xact_start) from pg_stat_activity where datname = current_database() and backend_xid is not null
$$;

-- Nobody but the owner may delete history; the function itself bounds what it deletes.
alter function purge_audit security definer set search_path = public, pg_temp;
"""


def upgrade() -> None:
    sql.execute(SQL)
