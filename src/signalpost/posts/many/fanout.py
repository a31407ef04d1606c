"""One post for several profiles: the children of a profile by the rules of their links, or those listed."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from msgspec import UNSET, Struct

from signalpost.context import AppContext
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.kit.pace import Pace
from signalpost.kit.problems import Issue, Problem
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.posts import queries, times, views
from signalpost.posts.change import refusals
from signalpost.posts.compose.draft import wants_draft
from signalpost.posts.compose.fetch import Fetched, fetch, names_addresses
from signalpost.posts.compose.link_rules import platforms_of, with_language
from signalpost.posts.many.batch import Item, Outcome, create_batch
from signalpost.posts.many.bulk import require_capacity
from signalpost.posts.queries import ProfileWithAccounts
from signalpost.posts.schemas.many import FANOUT_MAX, FanoutCreate, FanoutError, FanoutResult, FanoutTarget
from signalpost.posts.schemas.requests import PostCreate, TargetIn
from signalpost.posts.times import InvalidTime
from signalpost.posts.write import permissions
from signalpost.profiles import queries as profile_queries
from signalpost.profiles.queries import LinkRow
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId
from signalpost.web.inputs import Before

PATH: Final = "/posts/fanout"
_NIL: Final = ProfileId(int=0)
_COMMON: Final = tuple(
    name for name in PostCreate.__struct_fields__ if name in FanoutCreate.__struct_fields__ and name != "targets"
)
"""Members that a fan-out has in common with a post."""


class Destination(Struct):
    """A profile that gets the post: `target` if it is listed, `link` if it is a child."""

    index: int
    profile_id: ProfileId
    target: FanoutTarget | None = None
    link: LinkRow | None = None


async def fan_out(
    context: AppContext, db: Db, caller: Caller, data: FanoutCreate, fetched: Fetched | None = None
) -> FanoutResult:
    """Create a post for each target that is not refused; with `atomic` for all of them or none.

    Raises:
        ValidationFailed: none was created, or the source profile is unknown.
        TooManyItems, PlanLimitReached: the plan does not cover all of them; nothing is created.
        PlanFeatureUnavailable: the plan has no links between profiles.
        Forbidden, InsufficientScope: the caller may only write drafts.
    """
    if data.external_id is not UNSET:
        raise problems.invalid("/externalId", "not_allowed", "It would be that of several posts: leave it out.")
    destinations = await _destinations(db, caller, data)
    profile_ids = {destination.profile_id for destination in destinations}
    source = set() if data.source_profile_id is None else {data.source_profile_id}
    profiles = await queries.profiles_with_accounts(db, caller, profile_ids | source, account_ids=[], platforms=None)
    if not source <= profiles.keys():
        raise problems.ValidationFailed(errors=[ProfileId.not_found("/sourceProfileId")])
    fanout_id, now = ids.new_id(), clock.now()
    outcomes: dict[int, Outcome] = {}
    items: dict[int, Item] = {}
    for destination in destinations:
        try:
            body = _body(data, destination, profiles.get(destination.profile_id), now)
        except Problem as problem:
            outcomes[destination.index] = problem
        else:
            items[destination.index] = Item(body, "fanout", fetched or {}, fanout_id=fanout_id)
    if not all(wants_draft(item.data) for item in items.values()):
        permissions.require_publishing(caller)
    outcomes |= dict(zip(items, await create_batch(context, db, caller, list(items.values())), strict=True))
    return await _result(context, data, destinations, fanout_id, outcomes)


async def _destinations(db: Db, caller: Caller, data: FanoutCreate) -> list[Destination]:
    if isinstance(data.targets, list):
        require_capacity(caller, len(data.targets))
        return [Destination(index, target.profile_id, target=target) for index, target in enumerate(data.targets)]
    if data.source_profile_id is None:
        raise problems.invalid("/sourceProfileId", "required", "Name the profile whose children get the post.")
    plans.require_feature(caller, limits.PROFILE_LINKS)
    links = await profile_queries.active_links(db, caller, data.source_profile_id, FANOUT_MAX + 1)
    require_capacity(caller, len(links))
    if len(links) > FANOUT_MAX:
        raise problems.TooManyItems(f"A fan-out has at most {FANOUT_MAX} targets.", limit={"max": FANOUT_MAX})
    return [Destination(index, ProfileId(int=link.child_profile_id.int), link=link) for index, link in enumerate(links)]


def _body(data: FanoutCreate, to: Destination, profile: ProfileWithAccounts | None, now: datetime) -> PostCreate:
    """Return the body of the post for one profile.

    Raises:
        ValidationFailed: the profile, or an account for it, is not there.
        InvalidState: its link passes nothing on.
    """
    if profile is None:
        raise problems.ValidationFailed(errors=[ProfileId.not_found("/profileId")])
    body = PostCreate(profile_id=to.profile_id, **{name: getattr(data, name) for name in _COMMON})
    _choose_accounts(body, to, profile)
    if to.target is not None and to.target.text is not None:
        body.text, body.description = to.target.text, None
    prefix = to.target.caption_prefix if to.target is not None else None
    if to.link is not None:
        rules = to.link.rules
        prefix = rules.caption_prefix
        if rules.as_draft:
            body.draft, body.publish_mode = True, None
        body.options = with_language(data.options, rules.language_override, body.platforms or ())
    if prefix:
        if body.text is None:
            body.text, body.description = body.description, None
        body.text = prefix + (body.text or "")
    body.scheduled_at = _time(data, to, profile, now, is_draft=wants_draft(body))
    if body.scheduled_at is not None and data.scheduled_at is None and body.publish_mode == "now":
        body.publish_mode = None
    return body


def _choose_accounts(body: PostCreate, to: Destination, profile: ProfileWithAccounts) -> None:
    target, allowed = to.target, body.platforms
    if to.link is not None and not to.link.rules.auto_repost:
        raise problems.InvalidState("The link to this profile passes no posts on: its rule autoRepost is false.")
    if target is not None and target.account_ids is not None:
        if target.platforms is not None:
            raise problems.invalid("/accountIds", "not_allowed", "Send either platforms or accountIds, not both.")
        body.platforms = None
        body.targets = [TargetIn(account_id=account_id) for account_id in target.account_ids]
    elif target is not None and target.platforms is not None:
        body.platforms = target.platforms
    else:
        accounts = profile.accounts
        if to.link is not None and to.link.rules.platforms is not None:
            accounts = [account for account in accounts if account.platform in to.link.rules.platforms]
        body.platforms = platforms_of(accounts, allowed)
        if not body.platforms:
            where = "" if allowed is None and to.link is None else " on a network that is wanted"
            raise problems.invalid("/profileId", "not_found", f"The profile has no connected account{where}.")


def _time(
    data: FanoutCreate, to: Destination, profile: ProfileWithAccounts, now: datetime, *, is_draft: bool
) -> str | None:
    """Return when the post for one profile is published: at its own time, or delayed and staggered."""
    if to.target is not None and to.target.scheduled_at is not None:
        return to.target.scheduled_at
    delay = to.link.rules.delay_minutes if to.link is not None else 0
    shift = timedelta(minutes=delay + data.stagger_minutes * to.index)
    if not shift or (data.scheduled_at is None and is_draft):
        return data.scheduled_at
    if data.scheduled_at is None:
        return clock.wire(now + shift)
    moment = times.read(data.scheduled_at, data.timezone or profile.timezone, "/scheduledAt")
    if isinstance(moment, InvalidTime):
        return data.scheduled_at  # it is refused as it stands
    return clock.wire(moment.at + shift)


async def _result(
    context: AppContext,
    data: FanoutCreate,
    destinations: Sequence[Destination],
    fanout_id: UUID,
    outcomes: dict[int, Outcome],
) -> FanoutResult:
    posts, refused, pace = [], {}, Pace()
    for to in destinations:
        outcome = outcomes[to.index]
        if isinstance(outcome, Problem):
            refused[to.index] = _placed(outcome, to)
        else:
            posts.append(views.post(outcome.post, outcome.targets))
        await pace.keep()
    total = len(destinations)
    if not posts or (data.atomic and refused):
        if not refused:
            raise problems.invalid("/targets", "not_found", "The source profile has no children.")
        by_place = {f"/targets/{index}": problem for index, problem in refused.items()}
        raise refusals.nothing_created(by_place, total)
    errors = [
        FanoutError(
            index,
            ids.encode("prof", destinations[index].profile_id),
            refusals.document(problem, PATH, context.base_url),
        )
        for index, problem in refused.items()
    ]
    return FanoutResult(ids.encode("job", fanout_id), posts, errors, total, len(posts))


def _placed(problem: Problem, to: Destination) -> Problem:
    """Return the problem of one post with the places of its issues in the body of the fan-out."""
    if not problem.errors:
        return problem
    errors = [Issue(_place(issue.path, to), issue.code, issue.message, issue.params) for issue in problem.errors]
    return type(problem)(errors=errors, headers=problem.headers, **problem.members)


def _place(path: str, to: Destination) -> str:
    """Return where in the body of the fan-out something stands that is wrong with the post for one profile."""
    target, (member, _, rest) = to.target, path.removeprefix("/").partition("/")
    if member == "profileId":
        return "/targets" if target is None else f"/targets/{to.index}/profileId"
    if target is None:
        return path
    if member == "targets":  # made of its accountIds
        return f"/targets/{to.index}/accountIds/{rest.partition('/')[0]}"
    own = {"text": target.text, "platforms": target.platforms, "scheduledAt": target.scheduled_at}
    is_own = member == "accountIds" or own.get(member) is not None
    return f"/targets/{to.index}{path}" if is_own else path


def _common_body(data: FanoutCreate) -> PostCreate:
    """Return what all posts have in common, for fetching its files."""
    return PostCreate(profile_id=_NIL, media=data.media, media_url=data.media_url, media_urls=data.media_urls,
                      thread=data.thread)  # fmt: skip


async def _fetch(context: AppContext, caller: Caller, data: FanoutCreate) -> Fetched:
    return await fetch(context, caller, _common_body(data))


def _needed(data: FanoutCreate) -> bool:
    return names_addresses(_common_body(data))


BEFORE: Final = Before(_needed, _fetch)
