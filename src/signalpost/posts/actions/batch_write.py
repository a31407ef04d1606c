"""Writing many posts: one statement that looks what is in the way, and one that writes. Both in a transaction."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec import NODEFAULT, Struct, field, structs

from signalpost.kit import clock
from signalpost.kit.db import Db
from signalpost.media import queries as media_queries
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.posts.queries import Duplicate
from signalpost.posts.rows import AuditRow, PostRow, TargetRow
from signalpost.web.caller import Caller


class NewPost(Struct):
    """A post of a batch as it is to be written.

    `digests`: of its profile and its accounts, as they were read. `accepted`: it is queued, and a unit of the plan is
    spent on it. `contents`: fingerprints that no other post may have.
    """

    post: PostRow
    targets: list[TargetRow]
    digests: dict[UUID, int]
    history: list[AuditRow]
    accepted: bool
    contents: list[bytes]


class Obstacles(Struct):
    """What is in the way of posts. `heard`: profiles of which a subscriber acts on post.queued."""

    stale: set[UUID] = field(default_factory=set)
    contents: dict[bytes, Duplicate] = field(default_factory=dict)
    externals: dict[str, Duplicate] = field(default_factory=dict)
    heard: set[UUID] = field(default_factory=set)

    def are_stale(self, new: NewPost) -> bool:
        """Whether something that the post was built from is no longer so."""
        return not self.stale.isdisjoint(new.digests) or not self.stale.isdisjoint(new.post.media_ids)

    def duplicate_of(self, new: NewPost) -> Duplicate | None:
        """Return the post that has the content or the external id of this one."""
        equal = next((self.contents[content] for content in new.contents if content in self.contents), None)
        return equal or self.externals.get(new.post.external_id or "")


@cache
def _find(heard_sql: str) -> str:
    return f"""
select kind, id, account_id, hash, external from find_obstacles($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
union all
select 'heard', p.id, null, null, null from profile p where p.id = any($3) and ({heard_sql})
"""  # noqa: S608 - constants only


async def find_obstacles(db: Db, new_posts: Sequence[NewPost], heard_sql: str) -> Obstacles:
    """Return what is in the way of these posts of one workspace and mode; one statement, and one more for files.

    Until the end of the transaction nobody deletes what they are built from, or writes a post with the same content.
    """
    first = new_posts[0].post
    profiles, accounts = _digests(new_posts)
    hashes = sorted({content for new in new_posts for content in new.contents})
    externals = list({new.post.external_id for new in new_posts if new.post.external_id is not None})
    records = await db.fetch(
        _find(heard_sql), first.workspace_id, first.mode, list(profiles), list(profiles.values()), list(accounts),
        [profile_id for profile_id, _ in accounts.values()], [digest for _, digest in accounts.values()],
        hashes, externals, clock.now() if clock.is_simulated() else None,
    )  # fmt: skip
    obstacles = Obstacles()
    for kind, row_id, account_id, content, external in records:
        match kind:
            case "stale":
                obstacles.stale.add(row_id)
            case "heard":
                obstacles.heard.add(row_id)
            case "content":
                obstacles.contents[content] = Duplicate(row_id, account_id)
            case "external":
                obstacles.externals[external] = Duplicate(row_id, None)
    if media_ids := {media_id for new in new_posts for media_id in new.post.media_ids}:
        obstacles.stale |= media_ids - set(await media_queries.lock_ready(db, first.workspace_id, list(media_ids)))
    return obstacles


def _digests(new_posts: Iterable[NewPost]) -> tuple[dict[UUID, int], dict[UUID, tuple[UUID, int]]]:
    """Return the digest of each profile, and of each account with its profile, in the order of their ids."""
    profiles: dict[UUID, int] = {}
    accounts: dict[UUID, tuple[UUID, int]] = {}
    for new in new_posts:
        profile_id = new.post.profile_id
        for row_id, digest in new.digests.items():
            if row_id == profile_id:
                profiles[row_id] = digest
            else:
                accounts[row_id] = profile_id, digest
    return dict(sorted(profiles.items())), dict(sorted(accounts.items()))


_OF_ALL: Final = ("workspace_id", "mode", "created_by", "created_by_user_id")
"""The columns in which the posts of a batch are equal: it has one caller."""
_POST: Final = {
    "id": "uuid", "profile_id": "uuid", "timezone": "text", "text": "text", "status": "text", "publish_mode": "text",
    "scheduled_at": "timestamptz", "scheduled_local": "timestamp", "tzdata_version": "text", "source": "text",
    "counted": "bool", "created_at": "timestamptz", "updated_at": "timestamptz", "queued_at": "timestamptz",
    "external_id": "text",
}  # fmt: skip
_RARE: Final = {
    "title": "text", "media": "jsonb", "media_ids": "uuid[]", "link": "text", "thread": "jsonb",
    "first_comment": "text", "approval": "jsonb", "recurrence": "jsonb", "recurrence_parent_id": "uuid",
    "source_post_id": "uuid", "fanout_id": "uuid", "tags": "text[]", "campaign": "text", "utm": "jsonb",
    "shorten_links": "bool", "notes": "text", "options": "jsonb", "auto_fit": "bool", "allow_duplicate": "bool",
    "warnings": "jsonb",
}  # fmt: skip
"""Columns that are written only if a post of the batch has another value there than the default of the table."""
_TARGET: Final = {
    "id": "uuid", "post_id": "uuid", "account_id": "uuid", "position": "smallint", "platform": "text",
    "status": "text", "content_hash": "bytea", "due_at": "timestamptz", "next_attempt_at": "timestamptz",
}  # fmt: skip
_RARE_OF_TARGET: Final = {
    "text": "text", "media": "jsonb", "title": "text", "options": "jsonb", "scheduled_at": "timestamptz",
    "held_reason": "text", "first_comment": "jsonb",
}  # fmt: skip
_HISTORY: Final = {"post_id": "uuid", "id": "uuid", "action": "text"}


_OFTEN_EQUAL: Final = frozenset(
    (
        "profile_id", "timezone", "status", "publish_mode", "scheduled_at", "scheduled_local", "tzdata_version",
        "source", "counted", "created_at", "updated_at", "queued_at", "external_id", "platform",
        "due_at", "next_attempt_at",
    )
)  # fmt: skip
"""Columns in which a batch usually has one value: it then travels once, and not as an array."""


class _Columns:
    """Rows as parameters, one for each column: all `common` ones, and those `rare` ones in which a row has no default.

    A column is an array, or the one value that all rows have in it.
    """

    def __init__(
        self, kind: type[Struct], rows: Sequence[Struct], common: Mapping[str, str], rare: Mapping[str, str]
    ) -> None:
        used = _used(kind, rows, tuple(rare)) if rare else []
        types = (*common.items(), *((name, rare[name]) for name in used))
        values = list(zip(*map(attrgetter(*(name for name, _ in types)), rows), strict=True))
        columns = values or [()] * len(types)
        equal = frozenset(
            name
            for (name, _), column in zip(types, columns, strict=True)
            if name in _OFTEN_EQUAL and len(column) > 1 and column.count(column[0]) == len(column)
        )
        self.layout = types, equal
        self.values = [
            _array(column[:1], type_)[0] if name in equal else _array(column, type_)
            for column, (name, type_) in zip(columns, types, strict=True)
        ]


def _used(kind: type[Struct], rows: Sequence[Struct], rare: tuple[str, ...]) -> list[str]:
    """Return the columns in which a row has another value than the default."""
    names, usual = _defaults(kind, rare)
    values_of = attrgetter(*names)
    unusual = [values for row in rows if (values := values_of(row)) != usual]
    return [name for number, name in enumerate(names) if any(values[number] != usual[number] for values in unusual)]


@cache
def _defaults(kind: type[Struct], rare: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Return the rare columns in the order of the rows, and their defaults: reading them evaluates every annotation."""
    defaults = {field.name: _default(field) for field in structs.fields(kind) if field.name in rare}
    return tuple(defaults), tuple(defaults.values())


def _default(field: structs.FieldInfo) -> Any:
    return field.default if field.default_factory is NODEFAULT else field.default_factory()


def _array(values: Sequence[Any], type_: str) -> Sequence[Any]:
    if not _is_json(type_):
        return values
    return [None if value is None else msgspec.json.encode(value).decode() for value in values]


def _is_json(type_: str) -> bool:
    """Whether values of this type travel as JSON: an array of arrays would be one of two dimensions."""
    return type_ == "jsonb" or type_.endswith("[]")


_Types = tuple[tuple[str, str], ...]
_Layout = tuple[_Types, frozenset[str]]
"""Columns with their types, and those of them in which all rows are equal."""


def _unnest(alias: str, columns: _Layout, first: int) -> str:
    """Return a table of parameters from number `first` on, one for each column."""
    types, equal = columns
    names, arrays, own = [], [], []
    for number, (name, type_) in enumerate(types, first):
        sent = "text" if _is_json(type_) else type_
        names.append(f"${number}::{sent} as {name}" if name in equal else f"u.{name}")
        if name not in equal:
            arrays.append(f"${number}::{sent}[]")
            own.append(name)
    return f"(select {', '.join(names)} from unnest({', '.join(arrays)}) as u({', '.join(own)})) as {alias}"  # noqa: S608 - names of columns only


def _values(alias: str, types: _Types) -> str:
    """Return the columns of such a table with their types."""

    def value(name: str, type_: str) -> str:
        if type_.endswith("[]"):
            return f"array(select jsonb_array_elements_text({alias}.{name}::jsonb))::{type_}"
        return f"{alias}.{name}::jsonb" if type_ == "jsonb" else f"{alias}.{name}"

    return ", ".join(value(name, type_) for name, type_ in types)


def _names(types: _Types) -> str:
    return ", ".join(name for name, _ in types)


@lru_cache(maxsize=64)
def _write(post_layout: _Layout, target_layout: _Layout) -> str:
    """Return the statement. $1 to $4: `_OF_ALL`. $5, $6: request id and address of the history.

    $7 to $9: arguments of `spend_usage`, but for the units, which are counted here. A post whose external id another
    transaction takes at this moment is not written.
    """
    history = tuple(_HISTORY.items())
    posts, targets = post_layout[0], target_layout[0]
    target_at = 10 + len(posts)
    return f"""
with new_posts as (
    insert into post ({", ".join(_OF_ALL)}, {_names(posts)})
    select $1, $2, $3, $4, {_values("p", posts)} from {_unnest("p", post_layout, 10)}
    on conflict do nothing
    returning id, created_at, counted
), targets as materialized (
    select t.* from {_unnest("t", target_layout, target_at)} join new_posts p on p.id = t.post_id
), new_targets as (
    insert into target (workspace_id, dedupe_key, {_names(targets)})
    select $1, replace(t.id::text, '-', ''), {_values("t", targets)} from targets t
), history as (
    insert into audit (id, workspace_id, post_id, at, action, actor, request_id, address)
    select a.id, $1, p.id, p.created_at, a.action, $3, $5, $6
    from {_unnest("a", (history, frozenset()), target_at + len(targets))} join new_posts p on p.id = a.post_id
)
select array(select id from new_posts),
    (select case when count(*) > 0 then spend_usage($1, $7, $8, count(*), $9) else 0 end from new_posts where counted),
    (select wake_lanes('target', array_agg(w.account_id), $1, array_agg(w.platform), array_agg(w.due)) from (
        select account_id, min(platform) as platform, min(next_attempt_at) as due
        from targets where next_attempt_at is not null group by account_id) w having count(*) > 0)
"""  # noqa: S608 - names of columns only


async def write(db: Db, caller: Caller, new_posts: Sequence[NewPost]) -> set[UUID]:
    """Write posts that nothing stands in the way of; pay for them, and wake their lanes. One statement.

    Returns:
        The ids of those that were written: all but those of which another transaction took the external id meanwhile.

    Raises:
        PlanLimitReached: the units of this month do not suffice for all of them.
    """
    # In the order of their external ids, so that two batches that have the same ones wait in one direction.
    in_order = sorted((new.post for new in new_posts), key=lambda post: post.external_id or "")
    posts = _Columns(PostRow, in_order, _POST, _RARE)
    targets = _Columns(TargetRow, [row for new in new_posts for row in new.targets], _TARGET, _RARE_OF_TARGET)
    history = _Columns(AuditRow, [entry for new in new_posts for entry in new.history], _HISTORY, {})
    first, entry = new_posts[0].post, new_posts[0].history[0]
    workspace_id, metric, month, _, limit = plans.spend_parameters(caller, limits.POSTS, 0)
    written, used, _ = await db.fetchrow(  # type: ignore[misc] # one row, always
        _write(posts.layout, targets.layout), workspace_id, first.mode, first.created_by, first.created_by_user_id,
        entry.request_id, entry.address, metric, month, limit, *posts.values, *targets.values, *history.values,
    )  # fmt: skip
    await plans.check_spent(db, caller, limits.POSTS, used)
    return set(written)
