-- Numbers of published posts and of accounts.

-- Numbers of published posts, one row for each hour in which they were collected. Columns instead of JSON: a row of
-- nulls costs a bitmap, and sums of a column read nothing else.
create table metric (
    target_id uuid not null references target on delete cascade,
    bucket timestamptz not null,           -- the hour of collected_at: one row for each hour
    workspace_id uuid not null references workspace,
    account_id uuid not null references account,
    collected_at timestamptz not null,
    views bigint,
    likes bigint,
    comments bigint,
    shares bigint,
    saves bigint,
    clicks bigint,
    impressions bigint,
    reach bigint,
    watch_time_seconds bigint,             -- since it was published; null: the network does not give this one
    primary key (target_id, bucket)
);
create index metric_of_workspace on metric (workspace_id, collected_at);
create index metric_of_account on metric (account_id, collected_at);
create index metric_age on metric using brin (collected_at);

-- When to ask for the numbers of a target.
create table metric_schedule (
    target_id uuid primary key references target on delete cascade,
    workspace_id uuid not null references workspace,
    account_id uuid not null references account,
    published_at timestamptz not null,
    due_at timestamptz,                    -- null: it is over
    collected_at timestamptz               -- last time
) with (fillfactor = 80);
create index metric_schedule_due on metric_schedule (due_at) where due_at is not null;
create index metric_schedule_account on metric_schedule (account_id, due_at) where due_at is not null;

-- The newest numbers of each target.
create table metric_latest (
    target_id uuid primary key references target on delete cascade,
    workspace_id uuid not null references workspace,
    post_id uuid not null,
    profile_id uuid not null,              -- of the post: an account may move to another one
    account_id uuid not null references account,
    platform text not null,
    mode text not null,
    published_at timestamptz not null,
    day date not null,                     -- of published_at, in the zone of the profile
    collected_at timestamptz,              -- null: never
    views bigint,
    likes bigint,
    comments bigint,
    shares bigint,
    saves bigint,
    clicks bigint,
    impressions bigint,
    reach bigint,
    watch_time_seconds bigint,
    interactions bigint generated always as (case when coalesce(likes, comments, shares) is not null then
        coalesce(likes, 0) + coalesce(comments, 0) + coalesce(shares, 0) end) stored
) with (fillfactor = 80);
create index metric_latest_workspace on metric_latest (workspace_id, mode, day);
create index metric_latest_post on metric_latest (post_id);
-- The best posts of a long period.
create index metric_latest_rank on metric_latest (
    workspace_id, mode, views desc nulls last, interactions desc nulls last, published_at desc)
    where collected_at is not null;
create index metric_latest_of_profile on metric_latest (profile_id, target_id);

-- Sums of metric_latest. Of each number also of how many posts it is the sum: x_n.
create table metric_day (
    workspace_id uuid not null references workspace,
    mode text not null,
    day date not null,
    profile_id uuid not null,
    account_id uuid not null references account,
    platform text not null,
    collected_at timestamptz,
    posts bigint not null,
    measured bigint not null,
    views bigint not null,
    likes bigint not null,
    comments bigint not null,
    shares bigint not null,
    saves bigint not null,
    clicks bigint not null,
    impressions bigint not null,
    reach bigint not null,
    watch_time_seconds bigint not null,
    views_n bigint not null,
    likes_n bigint not null,
    comments_n bigint not null,
    shares_n bigint not null,
    saves_n bigint not null,
    clicks_n bigint not null,
    impressions_n bigint not null,
    reach_n bigint not null,
    watch_time_seconds_n bigint not null,
    engaged bigint not null,
    over_impressions bigint not null,
    over_reach bigint not null,
    over_views bigint not null,
    primary key (workspace_id, mode, day, profile_id, account_id)
) with (fillfactor = 80);

-- Triggers, since rows also go with their target when a post is deleted for good. Each adds its rows, with a sign, to
-- the days in one order, against deadlocks.
create function sum_new_metrics() returns trigger language plpgsql as $$ begin
    insert into metric_day as d (workspace_id, mode, day, profile_id, account_id, platform, collected_at, posts,
        measured, views, likes,
        comments, shares, saves, clicks, impressions, reach, watch_time_seconds, views_n, likes_n, comments_n,
        shares_n, saves_n, clicks_n, impressions_n, reach_n, watch_time_seconds_n, engaged, over_impressions,
        over_reach, over_views)
    select workspace_id, mode, day, profile_id, account_id, min(platform), max(collected_at), coalesce(sum(sign), 0),
        coalesce(sum(sign) filter (where collected_at is not null), 0), coalesce(sum(sign * views), 0),
        coalesce(sum(sign * likes), 0), coalesce(sum(sign * comments), 0), coalesce(sum(sign * shares), 0),
        coalesce(sum(sign * saves), 0), coalesce(sum(sign * clicks), 0), coalesce(sum(sign * impressions), 0),
        coalesce(sum(sign * reach), 0), coalesce(sum(sign * watch_time_seconds), 0),
        coalesce(sum(sign) filter (where views is not null), 0),
        coalesce(sum(sign) filter (where likes is not null), 0),
        coalesce(sum(sign) filter (where comments is not null), 0),
        coalesce(sum(sign) filter (where shares is not null), 0),
        coalesce(sum(sign) filter (where saves is not null), 0),
        coalesce(sum(sign) filter (where clicks is not null), 0),
        coalesce(sum(sign) filter (where impressions is not null), 0),
        coalesce(sum(sign) filter (where reach is not null), 0),
        coalesce(sum(sign) filter (where watch_time_seconds is not null), 0),
        coalesce(sum(sign * interactions) filter (where coalesce(impressions, reach, views) is not null), 0),
        coalesce(sum(sign * impressions) filter (where interactions is not null), 0),
        coalesce(sum(sign * reach) filter (where impressions is null and interactions is not null), 0),
        coalesce(sum(sign * views) filter (where coalesce(impressions, reach) is null and interactions is not null), 0)
    from (select 1 as sign, come.* from come) r
    group by workspace_id, mode, day, profile_id, account_id
    order by workspace_id, mode, day, profile_id, account_id
    on conflict (workspace_id, mode, day, profile_id, account_id) do update set collected_at =
        greatest(d.collected_at, excluded.collected_at), posts = d.posts + excluded.posts,
        measured = d.measured + excluded.measured, views = d.views + excluded.views,
        likes = d.likes + excluded.likes, comments = d.comments + excluded.comments,
        shares = d.shares + excluded.shares, saves = d.saves + excluded.saves, clicks = d.clicks + excluded.clicks,
        impressions = d.impressions + excluded.impressions, reach = d.reach + excluded.reach,
        watch_time_seconds = d.watch_time_seconds + excluded.watch_time_seconds,
        views_n = d.views_n + excluded.views_n, likes_n = d.likes_n + excluded.likes_n,
        comments_n = d.comments_n + excluded.comments_n, shares_n = d.shares_n + excluded.shares_n,
        saves_n = d.saves_n + excluded.saves_n, clicks_n = d.clicks_n + excluded.clicks_n,
        impressions_n = d.impressions_n + excluded.impressions_n, reach_n = d.reach_n + excluded.reach_n,
        watch_time_seconds_n = d.watch_time_seconds_n + excluded.watch_time_seconds_n,
        engaged = d.engaged + excluded.engaged, over_impressions = d.over_impressions + excluded.over_impressions,
        over_reach = d.over_reach + excluded.over_reach, over_views = d.over_views + excluded.over_views;
    return null;
end $$;

create function sum_old_metrics() returns trigger language plpgsql as $$ begin
    insert into metric_day as d (workspace_id, mode, day, profile_id, account_id, platform, collected_at, posts,
        measured, views, likes,
        comments, shares, saves, clicks, impressions, reach, watch_time_seconds, views_n, likes_n, comments_n,
        shares_n, saves_n, clicks_n, impressions_n, reach_n, watch_time_seconds_n, engaged, over_impressions,
        over_reach, over_views)
    select workspace_id, mode, day, profile_id, account_id, min(platform), max(collected_at), coalesce(sum(sign), 0),
        coalesce(sum(sign) filter (where collected_at is not null), 0), coalesce(sum(sign * views), 0),
        coalesce(sum(sign * likes), 0), coalesce(sum(sign * comments), 0), coalesce(sum(sign * shares), 0),
        coalesce(sum(sign * saves), 0), coalesce(sum(sign * clicks), 0), coalesce(sum(sign * impressions), 0),
        coalesce(sum(sign * reach), 0), coalesce(sum(sign * watch_time_seconds), 0),
        coalesce(sum(sign) filter (where views is not null), 0),
        coalesce(sum(sign) filter (where likes is not null), 0),
        coalesce(sum(sign) filter (where comments is not null), 0),
        coalesce(sum(sign) filter (where shares is not null), 0),
        coalesce(sum(sign) filter (where saves is not null), 0),
        coalesce(sum(sign) filter (where clicks is not null), 0),
        coalesce(sum(sign) filter (where impressions is not null), 0),
        coalesce(sum(sign) filter (where reach is not null), 0),
        coalesce(sum(sign) filter (where watch_time_seconds is not null), 0),
        coalesce(sum(sign * interactions) filter (where coalesce(impressions, reach, views) is not null), 0),
        coalesce(sum(sign * impressions) filter (where interactions is not null), 0),
        coalesce(sum(sign * reach) filter (where impressions is null and interactions is not null), 0),
        coalesce(sum(sign * views) filter (where coalesce(impressions, reach) is null and interactions is not null), 0)
    from (select -1 as sign, gone.* from gone) r
    group by workspace_id, mode, day, profile_id, account_id
    order by workspace_id, mode, day, profile_id, account_id
    on conflict (workspace_id, mode, day, profile_id, account_id) do update set collected_at =
        greatest(d.collected_at, excluded.collected_at), posts = d.posts + excluded.posts,
        measured = d.measured + excluded.measured, views = d.views + excluded.views,
        likes = d.likes + excluded.likes, comments = d.comments + excluded.comments,
        shares = d.shares + excluded.shares, saves = d.saves + excluded.saves, clicks = d.clicks + excluded.clicks,
        impressions = d.impressions + excluded.impressions, reach = d.reach + excluded.reach,
        watch_time_seconds = d.watch_time_seconds + excluded.watch_time_seconds,
        views_n = d.views_n + excluded.views_n, likes_n = d.likes_n + excluded.likes_n,
        comments_n = d.comments_n + excluded.comments_n, shares_n = d.shares_n + excluded.shares_n,
        saves_n = d.saves_n + excluded.saves_n, clicks_n = d.clicks_n + excluded.clicks_n,
        impressions_n = d.impressions_n + excluded.impressions_n, reach_n = d.reach_n + excluded.reach_n,
        watch_time_seconds_n = d.watch_time_seconds_n + excluded.watch_time_seconds_n,
        engaged = d.engaged + excluded.engaged, over_impressions = d.over_impressions + excluded.over_impressions,
        over_reach = d.over_reach + excluded.over_reach, over_views = d.over_views + excluded.over_views;
    return null;
end $$;

create function sum_changed_metrics() returns trigger language plpgsql as $$ begin
    insert into metric_day as d (workspace_id, mode, day, profile_id, account_id, platform, collected_at, posts,
        measured, views, likes,
        comments, shares, saves, clicks, impressions, reach, watch_time_seconds, views_n, likes_n, comments_n,
        shares_n, saves_n, clicks_n, impressions_n, reach_n, watch_time_seconds_n, engaged, over_impressions,
        over_reach, over_views)
    select workspace_id, mode, day, profile_id, account_id, min(platform), max(collected_at), coalesce(sum(sign), 0),
        coalesce(sum(sign) filter (where collected_at is not null), 0), coalesce(sum(sign * views), 0),
        coalesce(sum(sign * likes), 0), coalesce(sum(sign * comments), 0), coalesce(sum(sign * shares), 0),
        coalesce(sum(sign * saves), 0), coalesce(sum(sign * clicks), 0), coalesce(sum(sign * impressions), 0),
        coalesce(sum(sign * reach), 0), coalesce(sum(sign * watch_time_seconds), 0),
        coalesce(sum(sign) filter (where views is not null), 0),
        coalesce(sum(sign) filter (where likes is not null), 0),
        coalesce(sum(sign) filter (where comments is not null), 0),
        coalesce(sum(sign) filter (where shares is not null), 0),
        coalesce(sum(sign) filter (where saves is not null), 0),
        coalesce(sum(sign) filter (where clicks is not null), 0),
        coalesce(sum(sign) filter (where impressions is not null), 0),
        coalesce(sum(sign) filter (where reach is not null), 0),
        coalesce(sum(sign) filter (where watch_time_seconds is not null), 0),
        coalesce(sum(sign * interactions) filter (where coalesce(impressions, reach, views) is not null), 0),
        coalesce(sum(sign * impressions) filter (where interactions is not null), 0),
        coalesce(sum(sign * reach) filter (where impressions is null and interactions is not null), 0),
        coalesce(sum(sign * views) filter (where coalesce(impressions, reach) is null and interactions is not null), 0)
    from (select -1 as sign, gone.* from gone union all
        select 1, come.* from come) r
    group by workspace_id, mode, day, profile_id, account_id
    order by workspace_id, mode, day, profile_id, account_id
    on conflict (workspace_id, mode, day, profile_id, account_id) do update set collected_at =
        greatest(d.collected_at, excluded.collected_at), posts = d.posts + excluded.posts,
        measured = d.measured + excluded.measured, views = d.views + excluded.views,
        likes = d.likes + excluded.likes, comments = d.comments + excluded.comments,
        shares = d.shares + excluded.shares, saves = d.saves + excluded.saves, clicks = d.clicks + excluded.clicks,
        impressions = d.impressions + excluded.impressions, reach = d.reach + excluded.reach,
        watch_time_seconds = d.watch_time_seconds + excluded.watch_time_seconds,
        views_n = d.views_n + excluded.views_n, likes_n = d.likes_n + excluded.likes_n,
        comments_n = d.comments_n + excluded.comments_n, shares_n = d.shares_n + excluded.shares_n,
        saves_n = d.saves_n + excluded.saves_n, clicks_n = d.clicks_n + excluded.clicks_n,
        impressions_n = d.impressions_n + excluded.impressions_n, reach_n = d.reach_n + excluded.reach_n,
        watch_time_seconds_n = d.watch_time_seconds_n + excluded.watch_time_seconds_n,
        engaged = d.engaged + excluded.engaged, over_impressions = d.over_impressions + excluded.over_impressions,
        over_reach = d.over_reach + excluded.over_reach, over_views = d.over_views + excluded.over_views;
    return null;
end $$;

create trigger sum_new after insert on metric_latest referencing new table as come
    for each statement execute function sum_new_metrics();
create trigger sum_old after delete on metric_latest referencing old table as gone
    for each statement execute function sum_old_metrics();
create trigger sum_changed after update on metric_latest referencing old table as gone new table as come
    for each statement execute function sum_changed_metrics();

-- In which zone the days of a profile are, and how far they follow a change of it.
create table metric_profile (
    profile_id uuid primary key references profile on delete cascade,
    workspace_id uuid not null references workspace,
    timezone text not null,                -- in which the days of its posts are
    moving_to text,                        -- the zone to which its posts are being moved
    moved_until uuid                       -- the last target that was
);

-- How far the posts and followers of an account were looked at.
create table metric_account (
    account_id uuid primary key references account on delete cascade,
    workspace_id uuid not null references workspace,
    scanned_until timestamptz,             -- what was published before has a row in metric_latest
    asked_at timestamptz                   -- when it was asked last how many follow it
);

-- How many follow an account, by day.
create table metric_followers (
    account_id uuid not null references account on delete cascade,
    day date not null,                     -- UTC
    workspace_id uuid not null references workspace,
    collected_at timestamptz not null,
    followers bigint,
    following bigint,
    posts bigint,                          -- null: the network does not say
    primary key (account_id, day)
);
create index metric_followers_age on metric_followers using brin (day);
