-- Counts of posts by their state, and of targets by their outcome: changes are noted by triggers and added up later.

-- How many posts have each state, and how many targets each outcome.
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
create table post_count_progress (
    one boolean primary key default true check (one),
    counted_until uuid not null,
    last_id uuid not null
);

insert into post_count_progress (counted_until, last_id)
values ('00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000');

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

-- Notes how the counts change with a post. What is under way has no state that counts: there are few of them.
create function count_post() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
    was text; becomes text;
begin
    if tg_op <> 'INSERT' then
        was := case when old.deleted_at is not null then 'trashed'
            when old.status in ('draft', 'scheduled', 'published', 'partial', 'failed') then old.status end;
    end if;
    if tg_op <> 'DELETE' then
        becomes := case when new.deleted_at is not null then 'trashed'
            when new.status in ('draft', 'scheduled', 'published', 'partial', 'failed') then new.status end;
    end if;
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
        if old.deleted_at is null then
            insert into post_count_change (workspace_id, profile_id, mode, what, platform, day, count)
            select old.workspace_id, old.profile_id, old.mode,
                case when t.status in ('published', 'removed') then 'target_published'
                    when t.status = 'failed' then 'target_failed' end,
                t.platform,
                (coalesce(t.published_at, (t.error ->> 'occurred_at')::timestamptz) at time zone 'UTC')::date,
                -1
            from target t
            where t.post_id = old.id and case when t.status in ('published', 'removed') then 'target_published'
                    when t.status = 'failed' then 'target_failed' end is not null;
        end if;
        return old;
    end if;
    if tg_op = 'UPDATE' then
        if (old.deleted_at is null) <> (new.deleted_at is null) or old.profile_id <> new.profile_id then
            if old.deleted_at is null then
                insert into post_count_change (workspace_id, profile_id, mode, what, platform, day, count)
                select old.workspace_id, old.profile_id, old.mode,
                    case when t.status in ('published', 'removed') then 'target_published'
                        when t.status = 'failed' then 'target_failed' end,
                    t.platform,
                    (coalesce(t.published_at, (t.error ->> 'occurred_at')::timestamptz) at time zone 'UTC')::date,
                    -1
                from target t
                where t.post_id = old.id and case when t.status in ('published', 'removed') then 'target_published'
                        when t.status = 'failed' then 'target_failed' end is not null;
            end if;
            if new.deleted_at is null then
                insert into post_count_change (workspace_id, profile_id, mode, what, platform, day, count)
                select new.workspace_id, new.profile_id, new.mode,
                    case when t.status in ('published', 'removed') then 'target_published'
                        when t.status = 'failed' then 'target_failed' end,
                    t.platform,
                    (coalesce(t.published_at, (t.error ->> 'occurred_at')::timestamptz) at time zone 'UTC')::date,
                    1
                from target t
                where t.post_id = new.id and case when t.status in ('published', 'removed') then 'target_published'
                        when t.status = 'failed' then 'target_failed' end is not null;
            end if;
        end if;
    end if;
    return new;
end $$;

-- Notes how the counts change with a target. Its day is that of the outcome, in UTC.
create function count_target() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
    was text; becomes text; was_on date; is_on date; owner record;
begin
    if tg_op <> 'INSERT' then
        was := case when old.status in ('published', 'removed') then 'target_published'
            when old.status = 'failed' then 'target_failed' end;
        was_on := (coalesce(old.published_at, (old.error ->> 'occurred_at')::timestamptz) at time zone 'UTC')::date;
    end if;
    if tg_op <> 'DELETE' then
        becomes := case when new.status in ('published', 'removed') then 'target_published'
            when new.status = 'failed' then 'target_failed' end;
        is_on := (coalesce(new.published_at, (new.error ->> 'occurred_at')::timestamptz) at time zone 'UTC')::date;
    end if;
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

create trigger count_new after insert on post for each row
    when (case when new.deleted_at is not null then 'trashed'
        when new.status in ('draft', 'scheduled', 'published', 'partial', 'failed') then new.status end is not null)
    execute function count_post();
create trigger count_change after update of status, deleted_at, profile_id on post for each row
    when (case when old.deleted_at is not null then 'trashed'
            when old.status in ('draft', 'scheduled', 'published', 'partial', 'failed') then old.status end
        is distinct from case when new.deleted_at is not null then 'trashed'
            when new.status in ('draft', 'scheduled', 'published', 'partial', 'failed') then new.status end
        or old.profile_id <> new.profile_id)
    execute function count_post();
create trigger count_old before delete on post for each row execute function count_post();

create trigger count_new after insert on target for each row
    when (case when new.status in ('published', 'removed') then 'target_published'
        when new.status = 'failed' then 'target_failed' end is not null)
    execute function count_target();
create trigger count_change after update of status, published_at, error on target for each row
    when (case when old.status in ('published', 'removed') then 'target_published'
            when old.status = 'failed' then 'target_failed' end is not null
        or case when new.status in ('published', 'removed') then 'target_published'
            when new.status = 'failed' then 'target_failed' end is not null)
    execute function count_target();
create trigger count_old before delete on target for each row
    when (case when old.status in ('published', 'removed') then 'target_published'
        when old.status = 'failed' then 'target_failed' end is not null)
    execute function count_target();

-- Counts the next posts that were there before the triggers; returns how many there were.
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
        select case when p.deleted_at is not null then 'trashed'
            when p.status in ('draft', 'scheduled', 'published', 'partial', 'failed') then p.status end as what,
            '' as platform, null::date as day
        union all
        select case when t.status in ('published', 'removed') then 'target_published'
            when t.status = 'failed' then 'target_failed' end,
            t.platform,
            (coalesce(t.published_at, (t.error ->> 'occurred_at')::timestamptz) at time zone 'UTC')::date
        from target t where t.post_id = p.id and p.deleted_at is null
    ) c
    where p.id > until and p.id <= through and c.what is not null
    group by 1, 2, 3, 4, 5, 6;
    update post_count_progress set counted_until = case when number < p_limit then last_id else through end;
    return number;
end $$;
