"""One statement that writes a post with its targets, its history, what it costs, and wakes the lanes it is due on."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

import asyncpg
import msgspec

from signalpost.events import Actor
from signalpost.kit import ids, log
from signalpost.kit.db import Db
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.posts.errors import ExternalIdConflict
from signalpost.posts.queries import PostRow, TargetRow
from signalpost.web.caller import Caller

_FIELDS: Final = PostRow.__struct_fields__
_N: Final = len(_FIELDS)
_AT: Final = _FIELDS.index("updated_at") + 1
_TARGET: Final = {
    "id": "uuid", "account_id": "uuid", "platform": "text", "status": "text", "text": "text", "media": "jsonb",
    "title": "text", "options": "jsonb", "scheduled_at": "timestamptz", "content_hash": "bytea",
    "due_at": "timestamptz", "next_attempt_at": "timestamptz", "held_reason": "text", "dedupe_key": "text",
    "first_comment": "jsonb", "error": "jsonb",
}  # fmt: skip
_T: Final = _N + len(_TARGET)


class Entry(NamedTuple):
    """A line of the audit log."""

    action: str
    changes: list[dict[str, Any]] | None = None


def _sent(kind: str) -> str:
    """Return the type by which a column's values travel: an array of JSON lists would be taken for a longer array."""
    return "text" if kind == "jsonb" else kind


def _json(value: Any) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()


def _column(targets: Sequence[TargetRow], name: str) -> list[Any]:
    values = [getattr(target, name) for target in targets]
    return [_json(value) for value in values] if _TARGET[name] == "jsonb" else values


def _statement(*, new: bool, paid: bool) -> str:
    names = ", ".join(_TARGET)
    arrays = ", ".join(f"${_N + n}::{_sent(kind)}[]" for n, kind in enumerate(_TARGET.values(), 1))
    read = ", ".join(f"{name}::{kind}" for name, kind in _TARGET.items())
    values = ", ".join(f"${n}" for n in range(1, _N + 1))
    fields = ", ".join(_FIELDS)
    post = f"insert into post ({fields}) values ({values})"  # noqa: S608 - names of fields only, here and below
    if not new:
        post = f"update post set ({fields}) = row({values}) where id = $1"  # noqa: S608
    targets = f"""
    insert into target (post_id, workspace_id, position, {names})
    select $1, $2, position - 1, {read} from unnest({arrays}) with ordinality as u({names}, position)
    """  # noqa: S608
    removed = ""
    if not new:
        changed = ", ".join(f"{name} = excluded.{name}" for name in _TARGET if name not in ("id", "account_id"))
        # Another content is another post to the network: what was done for the old one does not count for it.
        targets += f"""
    on conflict (post_id, account_id) do update set {changed}, position = excluded.position, updated_at = ${_AT},
        steps = case when target.dedupe_key = excluded.dedupe_key then target.steps else '{{}}' end
    """
        removed = f", removed as (delete from target where post_id = $1 and account_id <> all(${_N + 2}::uuid[]))"  # noqa: S608
    spent = f", spend_usage({', '.join(f'${n}' for n in range(_T + 9, _T + 14))})" if paid else ""
    return f"""
    with written as ({post}), targets as ({targets}){removed}, history as (
        insert into audit (id, workspace_id, post_id, at, action, changes, actor, request_id)
        select u.id, $2, $1, ${_AT}, u.action, u.changes::jsonb, ${_T + 4}, ${_T + 5}
        from unnest(${_T + 1}::uuid[], ${_T + 2}::text[], ${_T + 3}::text[]) as u(id, action, changes)
    )
    select wake_lanes('target', ${_T + 6}, $2, ${_T + 7}, ${_T + 8}){spent}
    """  # noqa: S608


_STATEMENTS: Final = {(new, paid): _statement(new=new, paid=paid) for new in (True, False) for paid in (True, False)}


async def save(
    db: Db,
    post: PostRow,
    targets: Sequence[TargetRow],
    history: Sequence[Entry],
    *,
    actor: Actor,
    new: bool = False,
    payer: Caller | None = None,
) -> None:
    """Write all of it. A changed post must be locked, and `targets` all of its targets: others are deleted.

    The plan of `payer`, where there is one, pays a post for it.

    Raises:
        ExternalIdConflict: another post took the external id at this very moment.
        PlanLimitReached: the month's posts are used up.
    """
    waking = [target for target in targets if target.next_attempt_at is not None and target.held_reason is None]
    values = [
        *msgspec.structs.astuple(post),
        *(_column(targets, name) for name in _TARGET),
        [ids.new_id() for _ in history], [entry.action for entry in history],
        [_json(entry.changes) for entry in history],
        actor, log.request_id.get(),
        [target.account_id for target in waking], [target.platform for target in waking],
        [target.next_attempt_at for target in waking],
        *(plans.spend_parameters(payer, limits.POSTS, 1) if payer else ()),
    ]  # fmt: skip
    try:
        row = await db.fetchrow(_STATEMENTS[new, payer is not None], *values)
    except asyncpg.UniqueViolationError as error:
        raise _taken(error, post) from None
    if payer is not None:
        await plans.check_spent(db, payer, limits.POSTS, row[1] if row else None)


_ANNOTATE: Final = """
with changed as (
    update post set tags = $2, notes = $3, campaign = $4, external_id = $5, version = $6, updated_at = $7,
        approval = $14
    where id = $1
)
insert into audit (id, workspace_id, post_id, at, action, changes, actor, request_id)
values ($8, $9, $1, $7, $10, $11, $12, $13)
"""


async def annotate(db: Db, post: PostRow, entry: Entry, *, actor: Actor) -> None:
    """Write what is about a locked post rather than of it.

    Raises:
        ExternalIdConflict: another post took the external id at this very moment.
    """
    try:
        await db.execute(
            _ANNOTATE, post.id, post.tags, post.notes, post.campaign, post.external_id, post.version, post.updated_at,
            ids.new_id(), post.workspace_id, entry.action, entry.changes, actor, log.request_id.get(),
            post.approval,
        )  # fmt: skip
    except asyncpg.UniqueViolationError as error:
        raise _taken(error, post) from None


def _taken(error: asyncpg.UniqueViolationError, post: PostRow) -> Exception:
    if error.constraint_name != "post_external":
        return error
    return ExternalIdConflict(f"Another post has the externalId {post.external_id!r}.")


async def give_back(db: Db, post: PostRow) -> None:
    """Give the unit of the plan back that was spent on a post of which nothing was tried yet."""
    if post.counted and post.queued_at is not None:
        await plans.refund(db, post.workspace_id, limits.POSTS, 1, spent_at=post.queued_at)
    post.counted, post.queued_at = False, None


def target_row(post_id: UUID, position: int, **fields: Any) -> TargetRow:
    """Return a new target, pending and not due."""
    target_id = ids.new_id()
    return TargetRow(
        id=target_id, post_id=post_id, position=position, status="pending", due_at=None, next_attempt_at=None,
        held_reason=None, attempts=0, dedupe_key=target_id.hex, delivery=None, remote_id=None, url=None, thread_ids=[],
        error=None, started_at=None, published_at=None, removed_at=None, **fields,
    )  # fmt: skip


def put_on_queue(target: TargetRow, due: datetime, *, held_reason: str | None) -> None:
    """Make a target wait for its time."""
    target.status = "pending"
    target.due_at = target.next_attempt_at = due
    target.held_reason = held_reason
    target.error = None


def take_off_queue(target: TargetRow) -> None:
    """Make a target that is not under way wait for nothing."""
    target.due_at = target.next_attempt_at = target.held_reason = None
