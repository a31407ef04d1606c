"""Many posts are checked at once; a link between profiles passes each post on once."""

from signalpost.migrations import sql

revision = "0032"
down_revision = "0031"

SQL = """
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

-- A link deals with a post once, however often it is asked to.
create unique index profile_link_history_repost on profile_link_history (link_id, source_post_id)
    where source_post_id is not null;
"""


def upgrade() -> None:
    sql.execute(SQL)
