-- Whoever sends a post again with its external id is told so, not that the content is the same: the id comes first.
create or replace function find_duplicates(
    p_workspace uuid, p_mode text, p_hashes bytea[], p_external text, p_but uuid
) returns table (kind text, post_id uuid, account_id uuid) language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
    perform pg_advisory_xact_lock(hashtextextended(encode(h.hash, 'hex'), 0))
        from (select distinct u.hash from unnest(p_hashes) as u(hash) order by 1) h;
    return query
        (select 'external', p.id, null::uuid from post p
        where p.workspace_id = p_workspace and p.mode = p_mode and p.external_id = p_external
            and p.deleted_at is null and p.id is distinct from p_but)
        union all
        (select 'content', t.post_id, t.account_id
        from target t join post p on p.id = t.post_id
        where t.content_hash = any(p_hashes) and t.workspace_id = p_workspace and p.mode = p_mode
            and t.status not in ('failed', 'cancelled', 'removed') and t.due_at is not null
            and greatest(p.queued_at, t.published_at, p.created_at) > now() - interval '24 hours'
            and p.id is distinct from p_but)
        limit 10;
end $$;
