"""Webhooks and files belong to live or test mode, and external ids are unique in their mode."""

from signalpost.migrations import sql

revision = "0024"
down_revision = "0023"

SQL = """
alter table webhook add column mode text not null default 'live' check (mode in ('live', 'test'));
alter table media add column mode text not null default 'live' check (mode in ('live', 'test'));

drop index post_external;
create unique index post_external on post (workspace_id, external_id, mode)
    where external_id is not null and deleted_at is null;

create or replace function prepare_post(
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
        where p.workspace_id = p_workspace and p.mode = p_mode and p.external_id = p_external
            and p.deleted_at is null)
    then
        obstacle := 'taken';
    end if;
    if obstacle is null and not awake then
        perform wake_lanes('target', p_accounts, p_workspace, p_platforms, p_due);
    end if;
    return obstacle;
end $$;

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
        where p.workspace_id = p_workspace and p.mode = p_mode and p.external_id = p_external
            and p.deleted_at is null and p.id is distinct from p_but
        limit 10;
end $$;
"""


def upgrade() -> None:
    sql.execute(SQL)
