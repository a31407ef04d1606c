"""Filters of the list of posts, as conditions of statements."""

from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from signalpost import networks
from signalpost.kit import clock, issue_text, problems
from signalpost.kit.problems import Issue
from signalpost.posts import times
from signalpost.posts.find.search import Condition
from signalpost.posts.schemas.requests import AskedApproval, PostListQuery, ProfileQuery
from signalpost.posts.states import PostStatus
from signalpost.posts.times import InvalidTime
from signalpost.web.caller import Caller

# Not `coalesce`: with a policy on the table, no index would be used for it (decision 0108).
MOMENT: Final = """case when p.scheduled_at is not null then p.scheduled_at
    when p.published_at is not null then p.published_at else p.created_at end"""
_IS_DUE: Final = "p.scheduled_at <= $ and p.approval ->> 'state' in ('not_required', 'approved')"
CURRENT_STATUS: Final = f"case when p.status = 'scheduled' and {_IS_DUE} then 'queued' else p.status end"
"""Its "$" is the present time."""
_STATUS: Final = f"$ = {CURRENT_STATUS}"
_STAGES: Final[dict[PostStatus, str]] = {"queued": "active", "publishing": "active"}
"""The column `stage` for indexes; of all other statuses it is the same."""
_FOREVER: Final = datetime.max.replace(tzinfo=UTC)
_ON_PLATFORM: Final = """p.id = any(array(select t.post_id from account a join target t on t.account_id = a.id
    where a.workspace_id = $ and a.platform = $))"""
_TAGGED: Final = "p.id = any(array(select posts_tagged($, $)))"
_USING: Final = "p.id = any(array(select posts_using($, $)))"
_OF_STAGES: Final = """p.id = any(array(
    select s.id from post s where s.workspace_id = $ and s.stage = any($) and s.deleted_at is null))"""
_HAS_APPROVAL: Final = "p.approval ->> 'state' = '{state}'"
"""Written into the statement: each state has an index that holds only its posts (decision 0356)."""
_OF_APPROVAL: Final = """p.id = any(array(select s.id from post s
    where s.workspace_id = $ and s.deleted_at is null and s.approval ->> 'state' = '{state}'))"""
_MINE_ALONE: Final = Issue("approval", "required", "`mine` is for posts with an `approval`: name one, such as pending.")


class Filters(NamedTuple):
    """What posts have to meet, in forms for which there are indexes.

    `plain` and `probes` are questions about each post; together they say everything. They are quick where most posts
    meet them: the page is full after a few. `sets` say the same as `probes`, and as some of `plain`, as the ids of all
    posts that meet them: this is quick where few do, in a workspace with a million others. Nobody knows beforehand, so
    the next posts are asked first. `moments`: workspace and range of moments, of which the same holds as long as few
    posts are in it. `parts` of the list are read from one index each; every post that meets `plain` is in exactly one.
    """

    plain: list[Condition]
    probes: list[Condition]
    sets: list[Condition]
    parts: list[list[Condition]]
    moments: tuple[Any, ...] = ()


def visible_posts(caller: Caller, query: PostListQuery | ProfileQuery) -> list[Condition]:
    """Return which posts the caller sees, of the profile that is named."""
    conditions: list[Condition] = [("p.workspace_id = $", (caller.workspace_id,))]
    if caller.sees_profiles is not None:
        conditions.append(("p.profile_id = any($)", (caller.sees_profiles,)))
    if caller.mode == "test":
        conditions.append(("p.mode = 'test'", ()))
    if query.profile_id is not None:
        conditions.append(("p.profile_id = $", (query.profile_id,)))
    return conditions


def conditions_of(caller: Caller, query: PostListQuery) -> list[Condition]:
    """Return what the posts of a list meet, as questions about each post `p`.

    Raises:
        ValidationFailed: a filter cannot match anything.
    """
    filters = read_filters(caller, query, MOMENT)
    return [*visible_posts(caller, query), ("p.deleted_at is null", ()), *filters.plain, *filters.probes]


def read_filters(caller: Caller, query: PostListQuery, at: str) -> Filters:
    """Return what the posts of a list that is ordered by `at` meet.

    Raises:
        ValidationFailed: a filter cannot match anything.
    """
    filters = Filters([], [], [], [[]])
    _add_target(filters, caller, query)
    filters = filters._replace(moments=_add_time(filters, caller, query, at))
    if query.status is not None:
        _add_status(filters, caller, query.status, at)
    if query.approval is not None:
        _add_approval(filters, caller, query.approval, at)
    if query.mine:
        if query.approval is None:
            raise problems.ValidationFailed(errors=[_MINE_ALONE])
        filters.plain.append(("p.created_by_user_id = $", (caller.user_id,)))
    if query.tag is not None:
        filters.plain.append(("$ = any(p.tags)", (query.tag,)))
        filters.sets.append((_TAGGED, (caller.workspace_id, query.tag)))
    if query.external_id is not None:
        filters.plain.append(("p.external_id = $", (query.external_id,)))
    if query.fanout_id is not None:
        filters.plain.append(("p.fanout_id = $", (query.fanout_id,)))
    if query.media_id is not None:
        filters.plain.append(("$ = any(p.media_ids)", (query.media_id,)))
        filters.sets.append((_USING, (caller.workspace_id, query.media_id)))
    return filters


def _add_target(filters: Filters, caller: Caller, query: PostListQuery) -> None:
    platform = networks.canonical(query.platform) if query.platform else None
    if query.platform and platform is None:
        raise problems.ValidationFailed(errors=[issue_text.not_allowed("platform", query.platform, networks.PLATFORMS)])
    if platform is not None:
        filters.probes.append(("exists (select from target t where t.post_id = p.id and t.platform = $)", (platform,)))
        filters.sets.append((_ON_PLATFORM, (caller.workspace_id, platform)))
    if query.account_id is not None:
        account = (query.account_id,)
        filters.probes.append(("exists (select from target t where t.post_id = p.id and t.account_id = $)", account))
        filters.sets.append(("p.id = any(array(select t.post_id from target t where t.account_id = $))", account))


def _add_time(filters: Filters, caller: Caller, query: PostListQuery, at: str) -> tuple[Any, ...]:
    """Return `moments`."""
    after, before = _instant("from", query.from_), _instant("to", query.to)
    if after is not None:
        filters.plain.append((f"{MOMENT} >= $", (after,)))
    if before is not None:
        filters.plain.append((f"{MOMENT} < $", (before,)))
    if at == MOMENT:
        return ()
    if before is not None:  # hardly any post has a moment before its creation
        created_before = ("p.created_at < $", (before,))
        backdated = (f"p.created_at >= $ and {MOMENT} < p.created_at", (before,))
        filters.parts[:] = [[*part, half] for part in filters.parts for half in (created_before, backdated)]
    return () if after is None else (caller.workspace_id, after, before or _FOREVER)


def _add_status(filters: Filters, caller: Caller, status: PostStatus, at: str) -> None:
    now, stage = clock.now(), _STAGES.get(status, status)
    filters.plain.append((_STATUS, (status, now)))
    stages = [stage, "scheduled"] if status == "queued" else [stage]
    if at == MOMENT:
        if status != "published":  # of these there are most; all others may be few
            filters.sets.append((_OF_STAGES, (caller.workspace_id, stages)))
        return
    conditions: list[Condition] = [(f"p.stage = '{stage}'", ())]
    if status == "queued":
        conditions.append(("p.stage = 'scheduled' and p.scheduled_at <= $", (now,)))
    filters.parts[:] = [[*part, condition] for part in filters.parts for condition in conditions]


def _add_approval(filters: Filters, caller: Caller, state: AskedApproval, at: str) -> None:
    filters.plain.append((_HAS_APPROVAL.format(state=state), ()))
    if at == MOMENT and state != "approved":  # of these there may be most
        filters.sets.append((_OF_APPROVAL.format(state=state), (caller.workspace_id,)))


def _instant(name: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    moment = times.read(text, "UTC", name)
    if isinstance(moment, InvalidTime):
        raise moment.problem(moment.issue.message, errors=[moment.issue])
    return moment.at
