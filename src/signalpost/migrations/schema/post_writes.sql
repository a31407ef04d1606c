-- What stands in the way of a new post, looked at by the statement that writes it.

-- Posts that stand in the way of one with these contents (queued or published within 24 hours) or this external id.
-- Locks first, in the order of the contents, then looks with a new snapshot: of two equal posts written at the same
-- time, the second one sees the first. One round trip, which is why it is a function.
create function find_duplicates(
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
        where p.workspace_id = p_workspace and p.mode = p_mode and p.external_id = p_external
            and p.deleted_at is null and p.id is distinct from p_but
        limit 10;
end $$;

-- Why a new post may not be written by the statement that calls it; null: it may, and its lanes have been woken.
-- - changed: the digests of the profile and of the accounts, combined by exclusive or, are not those that were read
--   (p_seen); or the profile was deleted, or an account disconnected or moved.
-- - taken: another post is in the way, find_duplicates says which.
-- Locks first, then looks with a new snapshot: of two equal posts written at the same time, the second one sees the
-- first. Those who write posts take their locks in the order of p_hashes, which is ascending. The locks are taken in
-- loops of simple expressions, which cost a tenth of a statement each.
-- p_due has the same length as p_accounts and p_platforms; p_first_due is the earliest of them, null for a draft.
-- Posts are only looked at if a target has the same content, or if there is an external id: both are rare. Conditions
-- are nested since one with a subquery costs a statement, even if what precedes it decides. The plan of the look is
-- kept, whatever the length of the arrays.
-- With the rights of the owner: it is called for every new post, and each of its statements would be checked. All it
-- looks at belongs to p_workspace, or to a profile that does.
create function prepare_post(
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

-- Nothing calls this one since the digests below. It stays as long as databases come from the revisions of Alembic,
-- which had it for processes of the version before.
create function prepare_post(
    p_workspace uuid, p_profile uuid, p_version integer, p_accounts uuid[], p_due timestamptz, p_mode text,
    p_hashes bytea[], p_external text, out obstacle text, out wakes boolean
) language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
    perform pg_advisory_xact_lock_shared(profile_lock(p_profile));
    perform pg_advisory_xact_lock(h.key)
        from (select hashtextextended(encode(u.hash, 'hex'), 0) as key from unnest(p_hashes) as u(hash) order by 1) h;
    perform pg_advisory_xact_lock_shared(1, lane_lock('target', u.account)) from unnest(p_accounts) as u(account);
    select case
        when not exists (
                select from profile p where p.id = p_profile and p.version = p_version and p.deleted_at is null)
            or cardinality(p_accounts) <> (
                select count(*) from account a
                where a.id = any(p_accounts) and a.profile_id = p_profile and a.status <> 'disconnected')
        then 'changed'
        when exists (
            select from target t join post p on p.id = t.post_id
            where t.content_hash = any(p_hashes) and t.workspace_id = p_workspace and p.mode = p_mode
                and t.status not in ('failed', 'cancelled', 'removed') and t.due_at is not null
                and greatest(p.queued_at, t.published_at, p.created_at) > now() - interval '24 hours')
        then 'taken' end,
        p_due is not null and cardinality(p_accounts) > (
            select count(*) from lane l
            where l.kind = 'target' and l.key = any(p_accounts) and l.next_due_at <= p_due)
    into obstacle, wakes;
    if obstacle is null and p_external is not null and exists (
        select from post p
        where p.workspace_id = p_workspace and p.external_id = p_external and p.deleted_at is null)
    then
        obstacle := 'taken';
    end if;
end $$;

-- What stands in the way of new posts, after locks that `prepare_post` takes for one; it wakes no lanes. Rows:
-- - stale: id is a profile or an account that has another digest than the one that was read, or is gone;
-- - content: the post id has the content hash on the account;
-- - external: the post id has the external id.
-- p_hashes is ascending, as all who lock contents do. p_at: the simulated time of the request; null: it has none.
create function find_obstacles(
    p_workspace uuid, p_mode text, p_profiles uuid[], p_profile_digests bigint[], p_accounts uuid[],
    p_account_profiles uuid[], p_account_digests bigint[], p_hashes bytea[], p_externals text[], p_at timestamptz
) returns table (kind text, id uuid, account_id uuid, hash bytea, external text)
language plpgsql security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
    profile uuid;
    content bytea;
    locked text;
begin
    if not may_see(p_workspace) then
        raise exception 'another workspace' using errcode = 'insufficient_privilege';
    end if;
    foreach profile in array p_profiles loop
        locked := pg_advisory_xact_lock_shared(profile_lock(profile));
    end loop;
    foreach content in array p_hashes loop
        locked := pg_advisory_xact_lock(hashtextextended(encode(content, 'hex'), 0));
    end loop;
    return query
        select 'stale', v.id, null::uuid, null::bytea, null::text
        from unnest(p_profiles, p_profile_digests) as v(id, digest)
        where v.digest is distinct from (
            select profile_digest(p) from profile p
            where p.id = v.id and p.workspace_id = p_workspace and p.deleted_at is null)
        union all
        select 'stale', v.id, null, null, null
        from unnest(p_accounts, p_account_profiles, p_account_digests) as v(id, profile_id, digest)
        where v.digest is distinct from (
            select account_digest(a) from account a
            where a.id = v.id and a.profile_id = v.profile_id and a.status <> 'disconnected')
        union all
        select 'content', p.id, t.account_id, t.content_hash, null
        from target t join post p on p.id = t.post_id
        where t.content_hash = any(p_hashes) and t.workspace_id = p_workspace and p.mode = p_mode
            and t.status not in ('failed', 'cancelled', 'removed') and t.due_at is not null
            and greatest(p.queued_at, case when p_at is null then t.published_at end, p.created_at)
                > coalesce(p_at, now()) - interval '24 hours'
        union all
        select 'external', p.id, null, null, p.external_id
        from post p
        where p.workspace_id = p_workspace and p.mode = p_mode and p.external_id = any(p_externals)
            and p.deleted_at is null;
end $$;
