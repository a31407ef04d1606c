"""The newest numbers of each target, sums of them for each day and account, and how many follow accounts."""

from typing import Final

from signalpost.migrations import sql

revision = "0051"
down_revision = "0050"

_NUMBERS: Final = (
    "views",
    "likes",
    "comments",
    "shares",
    "saves",
    "clicks",
    "impressions",
    "reach",
    "watch_time_seconds",
)
_KEY: Final = "workspace_id, mode, day, profile_id, account_id"
_SUMS: Final = {
    "posts": "sum(sign)",
    "measured": "sum(sign) filter (where collected_at is not null)",
    **{name: f"sum(sign * {name})" for name in _NUMBERS},
    **{f"{name}_n": f"sum(sign) filter (where {name} is not null)" for name in _NUMBERS},
    "engaged": "sum(sign * interactions) filter (where coalesce(impressions, reach, views) is not null)",
    "over_impressions": "sum(sign * impressions) filter (where interactions is not null)",
    "over_reach": "sum(sign * reach) filter (where impressions is null and interactions is not null)",
    "over_views": "sum(sign * views) filter (where coalesce(impressions, reach) is null and interactions is not null)",
}
_TOTALS: Final = ", ".join(f"coalesce({expression}, 0)" for expression in _SUMS.values())
_ADDED: Final = ", ".join(f"{name} = d.{name} + excluded.{name}" for name in _SUMS)


def _add(rows: str) -> str:
    """Return the statement that adds these rows, each with its `sign`, to the days; in one order, against deadlocks."""
    return f"""
    insert into metric_day as d ({_KEY}, platform, collected_at, {", ".join(_SUMS)})
    select {_KEY}, min(platform), max(collected_at), {_TOTALS} from ({rows}) r group by {_KEY} order by {_KEY}
    on conflict ({_KEY}) do update set collected_at = greatest(d.collected_at, excluded.collected_at), {_ADDED};
    """  # noqa: S608 - constants only


SQL = f"""
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
    {", ".join(f"{name} bigint" for name in _NUMBERS)},
    interactions bigint generated always as (case when coalesce(likes, comments, shares) is not null
        then coalesce(likes, 0) + coalesce(comments, 0) + coalesce(shares, 0) end) stored
) with (fillfactor = 80);
create index metric_latest_workspace on metric_latest (workspace_id, mode, day);
create index metric_latest_post on metric_latest (post_id);
create index metric_latest_profile on metric_latest (profile_id);

-- Sums of metric_latest. Of each number also of how many posts it is the sum: x_n.
create table metric_day (
    workspace_id uuid not null references workspace,
    mode text not null,
    day date not null,
    profile_id uuid not null,
    account_id uuid not null references account,
    platform text not null,
    collected_at timestamptz,
    {", ".join(f"{name} bigint not null" for name in _SUMS)},
    primary key ({_KEY})
) with (fillfactor = 80);

-- Triggers, since rows also go with their target when a post is deleted for good.
create function sum_new_metrics() returns trigger language plpgsql as $$ begin
    {_add("select 1 as sign, come.* from come")} return null;
end $$;
create function sum_old_metrics() returns trigger language plpgsql as $$ begin
    {_add("select -1 as sign, gone.* from gone")} return null;
end $$;
create function sum_changed_metrics() returns trigger language plpgsql as $$ begin
    {_add("select -1 as sign, gone.* from gone union all select 1, come.* from come")} return null;
end $$;
create trigger sum_new after insert on metric_latest referencing new table as come
    for each statement execute function sum_new_metrics();
create trigger sum_old after delete on metric_latest referencing old table as gone
    for each statement execute function sum_old_metrics();
create trigger sum_changed after update on metric_latest referencing old table as gone new table as come
    for each statement execute function sum_changed_metrics();

create table metric_profile (
    profile_id uuid primary key references profile on delete cascade,
    workspace_id uuid not null references workspace,
    timezone text not null                 -- in which the days of its posts are
);

create table metric_account (
    account_id uuid primary key references account on delete cascade,
    workspace_id uuid not null references workspace,
    scanned_until timestamptz,             -- what was published before has a row in metric_latest
    asked_at timestamptz                   -- when it was asked last how many follow it
);

create table metric_followers (
    account_id uuid not null references account on delete cascade,
    day date not null,                     -- UTC
    workspace_id uuid not null references workspace,
    collected_at timestamptz not null,
    followers bigint, following bigint, posts bigint, -- null: the network does not say
    primary key (account_id, day)
);
create index metric_followers_age on metric_followers using brin (day);
"""  # noqa: S608 - constants only


def upgrade() -> None:
    sql.execute(SQL)
