"""Writing posts takes less of the database: no checks of words, and a shorter look before."""

from signalpost.migrations import sql

revision = "0025"
down_revision = "0024"

SQL = """
-- PostgreSQL parses each check again for each statement that writes the table, which took a third of writing a post.
-- The words are Literal types of the program; the tests check them in the database too.
alter table post drop constraint post_status_check, drop constraint post_publish_mode_check,
    drop constraint post_source_check, drop constraint post_mode_check;
alter table target drop constraint target_status_check, drop constraint target_delivery_check;

-- As before, in a form that PostgreSQL can inline.
create or replace function profile_lock(p_profile uuid) returns bigint language sql immutable parallel safe as $$
    select hashtextextended('profile:' || p_profile::text, 0)
$$;

-- As before, except that posts are only looked at if a target has the same content, or if there is an external id: both
-- are rare. Conditions are nested since one with a subquery costs a statement, even if what precedes it decides.
create or replace function prepare_post(
    p_workspace uuid, p_profile uuid, p_seen bigint, p_accounts uuid[], p_platforms text[], p_due timestamptz[],
    p_first_due timestamptz, p_mode text, p_hashes bytea[], p_external text
) returns text language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
    hash bytea;
    account uuid;
    locked text;
    seen bigint;
    awake bigint;
    alike boolean;
begin
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
"""


def upgrade() -> None:
    sql.execute(SQL)
