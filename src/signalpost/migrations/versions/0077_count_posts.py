"""Counts of posts by their state, and of targets by their outcome: changes are noted by triggers and added up later."""

from signalpost.migrations import sql

revision = "0077"
down_revision = "0076"


def _state(row: str) -> str:
    """SQL of the state under which a post counts; null while it is under way, of which there are few."""
    return f"""case when {row}.deleted_at is not null then 'trashed'
        when {row}.status in ('draft', 'scheduled', 'published', 'partial', 'failed') then {row}.status end"""


def _outcome(row: str) -> str:
    """SQL of the outcome of a target; null while it has none."""
    return f"""case when {row}.status in ('published', 'removed') then 'target_published'
        when {row}.status = 'failed' then 'target_failed' end"""


def _day(row: str) -> str:
    """SQL of the day of the outcome, in UTC."""
    return f"(coalesce({row}.published_at, ({row}.error ->> 'occurred_at')::timestamptz) at time zone 'UTC')::date"


def _note_targets(count: int, row: str) -> str:
    """SQL that notes the outcomes of all targets of a post."""
    return f"""
        insert into post_count_change (workspace_id, profile_id, mode, what, platform, day, count)
        select {row}.workspace_id, {row}.profile_id, {row}.mode, {_outcome("t")}, t.platform, {_day("t")}, {count}
        from target t where t.post_id = {row}.id and {_outcome("t")} is not null;
    """  # noqa: S608 - constants only


SQL = f"""
create table post_count (
    workspace_id uuid not null references workspace,
    day date not null,                     -- UTC, of an outcome; -infinity: of all days
    profile_id uuid not null,
    mode text not null,
    what text not null,                    -- a state of posts, target_published or target_failed
    platform text not null,                -- of an outcome; '' of a state
    count bigint not null,
    primary key (workspace_id, day, profile_id, mode, what, platform)
);
create index post_count_day on post_count (day) where day > '-infinity';

-- Appended by whoever changes a post, so that nobody waits for the row of a counter; the job posts.count adds them up.
create table post_count_change (
    workspace_id uuid not null,
    profile_id uuid not null,
    mode text not null,
    what text not null,
    platform text not null,
    day date,
    count integer not null
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 10000);
create index post_count_change_workspace on post_count_change (workspace_id);

-- Posts up to counted_until are counted, and so are those after last_id, from their first change on. The others were
-- there before these tables: posts.count comes to them, in the order of their ids.
create table post_count_progress (one boolean primary key default true check (one),
    counted_until uuid not null, last_id uuid not null);

-- Whether a change of this post is to be noted. If not, the step that will count the post waits for this transaction.
create function is_counted(p_post uuid) returns boolean language plpgsql as $$
declare
    progress post_count_progress;
begin
    select * into progress from post_count_progress;
    if p_post > progress.counted_until and p_post <= progress.last_id then
        select * into progress from post_count_progress for share;
    end if;
    return p_post <= progress.counted_until or p_post > progress.last_id;
end $$;

create function count_post() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
    was text; becomes text;
begin
    if tg_op <> 'INSERT' then was := {_state("old")}; end if;
    if tg_op <> 'DELETE' then becomes := {_state("new")}; end if;
    if tg_op = 'INSERT' then
        if not is_counted(new.id) then return new; end if;
    elsif not is_counted(old.id) then
        return coalesce(new, old);
    end if;
    if was is not null then
        insert into post_count_change values (old.workspace_id, old.profile_id, old.mode, was, '', null, -1);
    end if;
    if becomes is not null then
        insert into post_count_change values (new.workspace_id, new.profile_id, new.mode, becomes, '', null, 1);
    end if;
    if tg_op = 'DELETE' then
        if old.deleted_at is null then {_note_targets(-1, "old")} end if;
        return old;
    end if;
    if tg_op = 'UPDATE' then
        if (old.deleted_at is null) <> (new.deleted_at is null) or old.profile_id <> new.profile_id then
            if old.deleted_at is null then {_note_targets(-1, "old")} end if;
            if new.deleted_at is null then {_note_targets(1, "new")} end if;
        end if;
    end if;
    return new;
end $$;

create function count_target() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
    was text; becomes text; was_on date; is_on date; owner record;
begin
    if tg_op <> 'INSERT' then was := {_outcome("old")}; was_on := {_day("old")}; end if;
    if tg_op <> 'DELETE' then becomes := {_outcome("new")}; is_on := {_day("new")}; end if;
    if tg_op = 'UPDATE' and was is not distinct from becomes and was_on is not distinct from is_on then
        return new;
    end if;
    -- With its post, or in the trash, a target counts nothing: the trigger of the post has said so.
    select p.id, p.workspace_id, p.profile_id, p.mode into owner from post p
    where p.id = case when tg_op = 'DELETE' then old.post_id else new.post_id end and p.deleted_at is null;
    if not found or not is_counted(owner.id) then return coalesce(new, old); end if;
    if was is not null then
        insert into post_count_change
        values (owner.workspace_id, owner.profile_id, owner.mode, was, old.platform, was_on, -1);
    end if;
    if becomes is not null then
        insert into post_count_change
        values (owner.workspace_id, owner.profile_id, owner.mode, becomes, new.platform, is_on, 1);
    end if;
    return coalesce(new, old);
end $$;

create trigger count_new after insert on post for each row when ({_state("new")} is not null)
    execute function count_post();
create trigger count_change after update of status, deleted_at, profile_id on post for each row
    when ({_state("old")} is distinct from {_state("new")} or old.profile_id <> new.profile_id)
    execute function count_post();
create trigger count_old before delete on post for each row execute function count_post();
create trigger count_new after insert on target for each row when ({_outcome("new")} is not null)
    execute function count_target();
create trigger count_change after update of status, published_at, error on target for each row
    when ({_outcome("old")} is not null or {_outcome("new")} is not null) execute function count_target();
create trigger count_old before delete on target for each row when ({_outcome("old")} is not null)
    execute function count_target();

-- The triggers have waited for all who write posts: what comes later is noted by them.
insert into post_count_progress (counted_until, last_id)
select '00000000-0000-0000-0000-000000000000',
    coalesce((select id from post order by id desc limit 1), '00000000-0000-0000-0000-000000000000');

-- Count the next posts that were there before the triggers; return how many there were.
create function count_next_posts(p_limit integer) returns integer language plpgsql as $$
declare
    until uuid; through uuid; number integer;
begin
    select counted_until into until from post_count_progress for update;
    select count(*), (array_agg(p.id order by p.id desc))[1] into number, through from (
        select id from post where id > until and id <= (select last_id from post_count_progress)
        order by id limit p_limit
    ) p;
    insert into post_count_change (workspace_id, profile_id, mode, what, platform, day, count)
    select p.workspace_id, p.profile_id, p.mode, c.what, c.platform, c.day, count(*)
    from post p cross join lateral (
        select {_state("p")} as what, '' as platform, null::date as day
        union all
        select {_outcome("t")}, t.platform, {_day("t")} from target t where t.post_id = p.id and p.deleted_at is null
    ) c
    where p.id > until and p.id <= through and c.what is not null
    group by 1, 2, 3, 4, 5, 6;
    update post_count_progress set counted_until = case when number < p_limit then last_id else through end;
    return number;
end $$;
"""  # noqa: S608 - constants only


def upgrade() -> None:
    sql.execute(SQL)
