"""A post is checked and written in one statement; foreign keys and indexes that only cost something are gone."""

from signalpost.migrations import sql

revision = "0014"
down_revision = "0013"

SQL = """
-- The advisory lock of a profile: shared by transactions that write posts of it, taken alone by whoever deletes it or
-- disconnects one of its accounts, and then has to find all posts.
create function profile_lock(p_profile uuid) returns bigint language sql immutable parallel safe as $$
    select hashtextextended('profile:' || p_profile, 0)
$$;

-- Whether the statement that calls it may write a new post, and has to wake lanes. obstacle is null, or
-- - changed: the profile was changed or deleted since it had this version, or an account of it was disconnected;
-- - taken: find_duplicates says by which post.
-- wakes: not every lane of the accounts is awake by the time at which the first target is due.
-- Locks first, those of wake_lanes among them, then looks with a new snapshot: of two equal posts written at the same
-- time, the second one sees the first. The plan of the look is kept, whatever the length of the arrays.
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
alter function find_duplicates set plan_cache_mode = force_generic_plan set enable_seqscan = off;

-- Rows of workspaces, profiles and accounts are never deleted, so these keys protected nothing; each cost a lock on
-- the row that all creates of a workspace share.
alter table post drop constraint post_workspace_id_fkey, drop constraint post_profile_id_fkey;
alter table target drop constraint target_workspace_id_fkey, drop constraint target_account_id_fkey;

-- Targets, attempts and audit entries are written with their post, or under its lock. Their keys only served to delete
-- them with it, which a trigger does for all posts of a statement at once.
alter table target drop constraint target_post_id_fkey;
alter table audit drop constraint audit_post_id_fkey;
alter table attempt drop constraint attempt_post_id_fkey, drop constraint attempt_target_id_fkey;
create function delete_rows_of_posts() returns trigger language plpgsql as $$
begin
    delete from attempt using target, deleted where attempt.target_id = target.id and target.post_id = deleted.id;
    delete from target using deleted where target.post_id = deleted.id;
    delete from audit using deleted where audit.post_id = deleted.id;
    return null;
end $$;
create trigger delete_rows_of_posts after delete on post referencing old table as deleted
    for each statement execute function delete_rows_of_posts();

-- One index of the audit log instead of two: entries are only read by their post.
alter table audit drop constraint audit_pkey, add primary key (post_id, at, id);
drop index audit_post;

-- The status is no part of any index, so that its changes write no index.
drop index post_scheduled;
create index post_waiting on post (workspace_id, scheduled_at) where published_at is null and deleted_at is null;
"""


def upgrade() -> None:
    sql.execute(SQL)
