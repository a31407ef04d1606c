-- What workspaces use of their plan.

-- What a month has used of the plan. The sum over stripes counts.
create table usage (
    workspace_id uuid not null,
    metric text not null,
    period date not null,                  -- first day of the month, UTC
    stripe integer not null,               -- 0 under a limit; else one per connection, so that commits do not queue
    used bigint not null default 0,
    primary key (workspace_id, metric, period, stripe)
) with (fillfactor = 60);
create index usage_period on usage (period);

-- Spends units of a month, all of them or none; returns null if fewer are left, else a number.
-- A limited plan counts in one row (stripe 0), whose lock makes the check exact. An unlimited plan checks nothing, so
-- each connection counts in a row of its own: many writes of one workspace do not wait for each other's commit. All
-- stripes count towards a limit, so a change of plan within a month loses nothing (decision 0044).
create function spend_usage(
    p_workspace uuid, p_metric text, p_period date, p_units bigint, p_limit bigint
) returns bigint language plpgsql as $$
declare
    v_used bigint;
    v_unlimited bigint;
begin
    if p_limit is null then
        insert into usage (workspace_id, metric, period, stripe, used)
        values (p_workspace, p_metric, p_period, pg_backend_pid() % 32 + 1, p_units)
        on conflict (workspace_id, metric, period, stripe) do update set used = usage.used + excluded.used
        returning used into v_used;
        return v_used;
    end if;
    select coalesce(sum(used), 0) into v_unlimited from usage
    where workspace_id = p_workspace and metric = p_metric and period = p_period and stripe <> 0;
    insert into usage (workspace_id, metric, period, stripe, used)
    select p_workspace, p_metric, p_period, 0, p_units where p_units <= p_limit - v_unlimited
    on conflict (workspace_id, metric, period, stripe) do update set used = usage.used + excluded.used
    where usage.used + excluded.used <= p_limit - v_unlimited
    returning used into v_used;
    return v_used;
end $$;

-- Of which share of a limit a workspace was told, so that it is told once.
create table usage_notice (
    workspace_id uuid not null references workspace on delete cascade,
    metric text not null,
    period date not null,                  -- first day of the month, UTC
    maximum bigint not null,               -- of the plan at that time: a larger one is another notice
    percent smallint not null,
    created_at timestamptz not null default now(),
    primary key (workspace_id, metric, period, maximum, percent)
);

-- Whether so many more posts may wait for their time. Whoever asks next waits for the end of this transaction: the
-- count is a statement of its own, and sees what the lock waited for.
create function may_schedule(p_workspace uuid, p_units bigint, p_limit bigint) returns boolean language plpgsql
set plan_cache_mode = force_generic_plan as $$
declare
    locked text;
begin
    locked := pg_advisory_xact_lock(hashtextextended('plan:scheduledPosts:' || p_workspace, 0));
    return p_units <= p_limit - (
        select count(*) from post where workspace_id = p_workspace and stage = 'scheduled' and deleted_at is null);
end $$;
