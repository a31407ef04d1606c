"""Repeating posts: each repetition is a post of its own, created when the one before it has become due.

So at most one post of a series waits, and a change of the series changes all that follow. A job creates it, in one
transaction with the row that says so: the primary key allows one for a series and a wall time, whatever is killed.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from msgspec import structs

from signalpost.context import AppContext
from signalpost.engine.contract import Lease, LeaseLost
from signalpost.events import Actor
from signalpost.identity.queries import WorkspaceTerms, workspace_terms
from signalpost.kit import clock, ids, log
from signalpost.kit.db import Db
from signalpost.kit.problems import Problem
from signalpost.kit.tenant import Tenant
from signalpost.posts import queries, recurrences
from signalpost.posts.change.update import as_copy
from signalpost.posts.documents import ApprovalState, Change
from signalpost.posts.many.batch import Item, create_batch
from signalpost.posts.recurrences import Occurrence
from signalpost.posts.rows import PostRow, TargetRow
from signalpost.posts.schemas.requests import PostCreate
from signalpost.posts.times import AHEAD_MAX
from signalpost.posts.write import audit
from signalpost.web.caller import Caller, Role

ACTOR: Final = Actor(type="system", id=None, name="recurrence")
_NOBODY: Final = UUID(int=0)
_LATER: Final = timedelta(hours=1)
"""When a series is looked at again whose post waits for approval."""
_AFTER_ERROR: Final = timedelta(minutes=5)
_AHEAD: Final = AHEAD_MAX - timedelta(days=1)
_logger = log.get("posts")

_NEXT = """
select post_id, last_local from recurrence_series where look_at <= now() order by look_at limit 1 for update skip locked
"""
_NEXT_IN_SANDBOX = """
select s.post_id, s.last_local from recurrence_series s join post p on p.id = s.post_id
where s.workspace_id = $1 and s.look_at <= now() + $2::interval and p.mode = 'test'
order by s.look_at limit 1 for update of s skip locked
"""
# Whoever changes how a post repeats locks its series first, as this job does.
_POST = f"select {queries.POST_COLUMNS} from post p where p.id = $1"  # noqa: S608 - constants only
_CLAIM = """
insert into recurrence_occurrence (parent_id, local, workspace_id, reason) values ($1, $2, $3, $4)
on conflict (parent_id, local) do nothing returning parent_id
"""
_CREATED = "update recurrence_occurrence set post_id = $3 where parent_id = $1 and local = $2"
_ADVANCE = "update recurrence_series set last_local = $2, look_at = $3 where post_id = $1"
_POSTPONE = "update recurrence_series set look_at = $2 where post_id = $1"
_END = "delete from recurrence_series where post_id = $1"


class _SeriesCaller(Caller, frozen=True, kw_only=True):
    """Who writes repetitions: the service, with the rights of an editor, or of an owner if the post is approved."""

    @property
    def actor(self) -> Actor:
        return ACTOR


class Sandbox(NamedTuple):
    """A sandbox whose clock is ahead of the real time: test posts of the workspace repeat by it."""

    workspace_id: UUID
    ahead: timedelta


async def repeat_next(context: AppContext, lease: Lease, sandbox: Sandbox | None = None) -> bool:
    """Create the next repetition of a series that is due for it; return whether there was such a series.

    `sandbox`: look only at the series of this one. A repetition that cannot be created, because of the plan or a rule
    of a network, is left out; the log of the post says so.
    """
    post_id: UUID | None = None
    due: tuple[PostRow, Occurrence] | None = None
    try:
        async with lease.transaction() as db:
            record = await (db.fetchrow(_NEXT) if sandbox is None else db.fetchrow(_NEXT_IN_SANDBOX, *sandbox))
            if record is None:
                return False
            post_id = record["post_id"]
            post, occurrence = await _due(db, record["post_id"], record["last_local"])
            if post is not None and occurrence is not None:
                due = post, occurrence
                await _create(context, db, post, occurrence)
    except LeaseLost:
        raise
    except Exception as error:
        if post_id is None:
            raise
        async with lease.transaction() as db:
            if due is not None and isinstance(error, Problem) and error.status < 500:
                await _leave_out(db, *due, error)
            else:
                await _postpone(db, post_id, error)
    return True


async def _postpone(db: Db, post_id: UUID, error: Exception) -> None:
    """Try a series again later, so that it does not hold up others; fails too if it was the database that failed."""
    await db.execute(_POSTPONE, post_id, clock.now() + _AFTER_ERROR)
    _logger.error("recurrence.failed", post=ids.encode("pst", post_id), exc_info=error)


async def _due(db: Db, post_id: UUID, last_local: datetime) -> tuple[PostRow | None, Occurrence | None]:
    """Return the post and the repetition to create; none if it is not time, or if the series is over."""
    [record] = await db.fetch(_POST, post_id)
    post = queries.read_post(record)
    if post.recurrence is None or post.scheduled_at is None or post.deleted_at or post.status == "draft":
        await db.execute(_END, post_id)
        return None, None
    now = clock.now()
    if post.approval.state not in ("not_required", "approved"):
        await db.execute(_POSTPONE, post_id, now + _LATER)
        return None, None
    following = recurrences.occurrences(post.recurrence, post.scheduled_at)
    occurrence = next((entry for entry in following if entry.local > last_local and entry.at > now), None)
    if occurrence is None:
        await db.execute(_END, post_id)
    elif occurrence.at > now + _AHEAD:
        await db.execute(_POSTPONE, post_id, occurrence.at - _AHEAD)
        return None, None
    return post, occurrence


async def _create(context: AppContext, db: Db, post: PostRow, occurrence: Occurrence) -> None:
    if await _claim(db, post, occurrence):
        targets = await queries.targets_of(db, [post.id])
        terms = await workspace_terms(context.settings, db, post.workspace_id)
        item = Item(_body(post, targets, occurrence), "recurrence", recurrence_parent_id=post.id)
        [outcome] = await create_batch(context, db, _caller(post, terms), [item])
        if isinstance(outcome, Problem):
            raise outcome
        await db.execute(_CREATED, post.id, occurrence.local, outcome.post.id)
    await db.execute(_ADVANCE, post.id, occurrence.local, occurrence.at)


async def _claim(db: Db, post: PostRow, occurrence: Occurrence, reason: str | None = None) -> bool:
    """Write that this repetition is created, or why not; return whether nobody did so before."""
    return await db.fetchval(_CLAIM, post.id, occurrence.local, post.workspace_id, reason) is not None


async def _leave_out(db: Db, post: PostRow, occurrence: Occurrence, problem: Problem) -> None:
    _logger.warning("recurrence.left_out", post=ids.encode("pst", post.id), code=problem.code)
    await _claim(db, post, occurrence, problem.code)
    await db.execute(_ADVANCE, post.id, occurrence.local, occurrence.at)
    change = Change("recurrence", clock.wire(occurrence.at), f"{problem.code}: {problem.detail}"[:500])
    await audit.record(db, [audit.entry(post, "recurrence_failed", ACTOR, changes=[change])])


_ROLES: Final[Mapping[ApprovalState, Role]] = {
    "approved": "owner", "not_required": "editor", "pending": "contributor", "changes_requested": "contributor",
    "rejected": "contributor",
}  # fmt: skip
"""As whom a post repeats itself: what someone approved goes out, and what nobody approved waits for that each time."""


def _caller(post: PostRow, terms: WorkspaceTerms) -> Caller:
    return _SeriesCaller(
        user_id=post.created_by_user_id or _NOBODY,
        user_name="",
        workspace_id=post.workspace_id,
        tenant=Tenant(post.workspace_id, post.workspace_id),
        role=_ROLES[post.approval.state],
        scopes=frozenset({"posts:write", "posts:publish"}),
        mode=post.mode,
        auth="api_key",
        credential="recurrence",
        plan=terms.plan,
        workspace_timezone=terms.timezone,
    )


def _body(post: PostRow, targets: Sequence[TargetRow], occurrence: Occurrence) -> PostCreate:
    """Return the body of the repetition: the content of the post as it is now, at its wall time."""
    assert post.recurrence is not None  # noqa: S101 - see `_due`
    body = as_copy(post, [target for target in targets if target.status != "cancelled"])
    return structs.replace(
        body,
        text=recurrences.text_of(post.recurrence, post.text, occurrence.number),
        allow_duplicate=True,
        scheduled_at=occurrence.local.isoformat(),
        timezone=post.recurrence.timezone,
        draft=False,
    )
