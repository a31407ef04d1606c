"""A create proves what it read of the profile and its accounts, so that it may have read it for another create."""

from signalpost.migrations import sql

revision = "0021"
down_revision = "0020"

SQL = """
-- What a post is built from, as numbers: what a create has read still holds if they are the same. A column that the
-- read of a create gets is one of these too.
create function profile_digest(p profile) returns bigint language sql immutable parallel safe as $$
    select hash_record_extended(row(p.id, p.timezone, p.approval_required, p.over_limit, p.version), 0)
$$;
create function account_digest(a account) returns bigint language sql immutable parallel safe as $$
    select hash_record_extended(row(a.id, a.platform, a.username, a.facts, a.over_limit), 0)
$$;

-- Why a new post may not be written by the statement that calls it; null: it may, and its lanes have been woken.
-- - changed: the digests of the profile and of the accounts, combined by exclusive or, are not those that were read
--   (p_seen); or the profile was deleted, or an account disconnected or moved.
-- - taken: another post is in the way, find_duplicates says which.
-- Locks first, then looks with a new snapshot: of two equal posts written at the same time, the second one sees the
-- first. Those who write posts take their locks in the order of p_hashes, which is ascending. The locks are taken in
-- loops of simple expressions, which cost a tenth of a statement each.
-- p_due has the same length as p_accounts and p_platforms; p_first_due is the earliest of them, null for a draft.
-- The function of the same name with p_version stays for processes of the version before, during an update.
create function prepare_post(
    p_workspace uuid, p_profile uuid, p_seen bigint, p_accounts uuid[], p_platforms text[], p_due timestamptz[],
    p_first_due timestamptz, p_mode text, p_hashes bytea[], p_external text
) returns text language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
    hash bytea;
    account uuid;
    locked text;
    obstacle text;
    awake boolean;
begin
    locked := pg_advisory_xact_lock_shared(profile_lock(p_profile));
    foreach hash in array p_hashes loop
        locked := pg_advisory_xact_lock(hashtextextended(encode(hash, 'hex'), 0));
    end loop;
    foreach account in array p_accounts loop
        locked := pg_advisory_xact_lock_shared(1, lane_lock('target', account));
    end loop;
    select case
        when p_seen is distinct from (
            select profile_digest(p) # coalesce((
                select bit_xor(account_digest(a)) from account a
                where a.id = any(p_accounts) and a.profile_id = p_profile and a.status <> 'disconnected'), 0)
            from profile p where p.id = p_profile and p.workspace_id = p_workspace and p.deleted_at is null)
        then 'changed'
        when exists (
            select from target t join post p on p.id = t.post_id
            where t.content_hash = any(p_hashes) and t.workspace_id = p_workspace and p.mode = p_mode
                and t.status not in ('failed', 'cancelled', 'removed') and t.due_at is not null
                and greatest(p.queued_at, t.published_at, p.created_at) > now() - interval '24 hours')
        then 'taken' end,
        p_first_due is null or cardinality(p_accounts) = (
            select count(*) from lane l
            where l.kind = 'target' and l.key = any(p_accounts) and l.next_due_at <= p_first_due)
    into obstacle, awake;
    if obstacle is null and p_external is not null and exists (
        select from post p
        where p.workspace_id = p_workspace and p.external_id = p_external and p.deleted_at is null)
    then
        obstacle := 'taken';
    end if;
    if obstacle is null and not awake then
        perform wake_lanes('target', p_accounts, p_workspace, p_platforms, p_due);
    end if;
    return obstacle;
end $$;

-- As before, but for the order of its locks: that of the contents, as above.
create or replace function find_duplicates(
    p_workspace uuid, p_mode text, p_hashes bytea[], p_external text, p_but uuid
) returns table (kind text, post_id uuid, account_id uuid) language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
    perform pg_advisory_xact_lock(hashtextextended(encode(h.hash, 'hex'), 0))
        from (select distinct u.hash from unnest(p_hashes) as u(hash) order by 1) h;
    return query
        select 'content', t.post_id, t.account_id
        from target t join post p on p.id = t.post_id
        where t.content_hash = any(p_hashes) and t.workspace_id = p_workspace and p.mode = p_mode
            and t.status not in ('failed', 'cancelled', 'removed') and t.due_at is not null
            and greatest(p.queued_at, t.published_at, p.created_at) > now() - interval '24 hours'
            and p.id is distinct from p_but
        union all
        select 'external', p.id, null::uuid from post p
        where p.workspace_id = p_workspace and p.external_id = p_external and p.deleted_at is null
            and p.id is distinct from p_but
        limit 10;
end $$;
"""


def upgrade() -> None:
    sql.execute(SQL)
