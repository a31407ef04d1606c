"""Names of people who deleted their account, in rows of others: a sweep over the tables that have any, page by page.

All people who wait are erased by one sweep, so what it costs does not grow with them. Its position is in the process:
a worker that dies begins again, and finds less to do.
"""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple
from uuid import UUID

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.identity.actions import person_deletion
from signalpost.identity.actions.person_deletion import NAME
from signalpost.kit import ids
from signalpost.kit.db import Db

PEOPLE: Final = 100
"""Of whom one sweep erases the names."""
ROWS: Final = 1_000
"""Of a table that one transaction looks at."""
STEPS: Final = 20
"""Transactions in a row before the worker looks at other jobs."""
_FIRST: Final = UUID(int=0)
_LAST: Final = UUID(int=2**128 - 1)


class Names(NamedTuple):
    """Rows of a table that name people, and the change that takes the names away.

    `$3` of both is people by their public ids, people, or their memberships: `whose`.
    """

    table: str
    change: str
    condition: str
    whose: Literal["public", "user", "member"] = "public"


def _actors(table: str, *paths: str) -> Names:
    """Return how actors (`{type, id, name}`) lose their name, in a column or a member of it: "approval.decided_by"."""
    changes: dict[str, str] = {}
    conditions = []
    for path in paths:
        column, *inner = path.split(".")
        theirs = f"{{row}}{column} #>> '{{{{{','.join([*inner, 'id'])}}}}}' = any($3)"
        conditions.append(theirs.format(row=""))
        before = changes.get(column, f"t.{column}")
        after = f"jsonb_set({before}, '{{{','.join([*inner, 'name'])}}}', {_JSON})"
        changes[column] = f"case when {theirs.format(row='t.')} then {after} else {before} end"
    return Names(table, ", ".join(f"{column} = {value}" for column, value in changes.items()), " or ".join(conditions))


_TEXT: Final = f"'{NAME}'"
_JSON: Final = f"""'"{NAME}"'::jsonb"""
_MENTIONS: Final = f"""
mentions = (select jsonb_agg(case when (m.value ->> 'member_id')::uuid = any($3)
        then jsonb_set(m.value, '{{name}}', {_JSON}) else m.value end order by m.ordinality)
    from jsonb_array_elements(t.mentions) with ordinality m)
"""  # noqa: S608 - constants only
NAMED: Final = (
    _actors("post", "created_by", "approval.requested_by", "approval.decided_by"),
    _actors("post_message", "author"),
    Names(
        "post_message",
        _MENTIONS,
        "exists (select from jsonb_array_elements(mentions) m where (m ->> 'member_id')::uuid = any($3))",
        "member",
    ),
    _actors("media", "created_by"),
    _actors("comment_reply", "author", "decided_by"),
    _actors("comment_rule", "created_by"),
    Names("comment", f"assignee_name = {_TEXT}", "assignee_id = any($3)", "member"),
    _actors("feed", "created_by"),
    _actors("snippet", "created_by"),
    _actors("webhook", "created_by"),
    _actors("app", "created_by"),
    _actors("profile_link", "created_by"),
    _actors("profile_link_history", "actor"),
    _actors("platform_invite", "created_by"),
    _actors("approval_link", "created_by"),
    _actors("calendar_link", "created_by"),
    _actors("report_link", "created_by"),
    Names("api_key", "last_used_ip = null", "created_by = any($3)", "user"),
)
"""What names people, table by table; a test looks for names in all others."""

_SESSIONS: Final = (
    "delete from session where ctid = any(array(select ctid from session where user_id = any($1) limit $2))"
)
_UNTIL: Final = "select id from {table} where id > $1 order by id offset $2 limit 1"
# Locked in the order of their ids, as all do that lock several rows of a table.
_CHANGE: Final = """
with named as materialized (
    select id from {table} where id > $1 and id <= $2 and ({condition}) order by id for no key update
)
update {table} t set {change} from named n where t.id = n.id
"""
# The switches that the code declares: few.
_FLAGS: Final = f"""
update feature_flag set updated_by = jsonb_set(updated_by, '{{name}}', {_JSON}) where updated_by ->> 'id' = any($1)
"""  # noqa: S608 - constants only


class Sweep:
    """Where the sweep of this process is: `context.state(Sweep)`."""

    def __init__(self) -> None:
        self._people: list[UUID] = []
        self._at = -1  # of NAMED; before it, sessions
        self._after = _FIRST

    async def step(self, lease: Lease) -> bool:
        """Do what one transaction may; return whether there is more. A step that fails is repeated by the next call."""
        async with lease.transaction() as db:
            people = self._people or await person_deletion.find_unerased(db, PEOPLE)
            if not people:
                return False
            at, after = await _look(db, people, self._at, self._after)
        is_over = at == len(NAMED)
        self._people, self._at, self._after = ([], -1, _FIRST) if is_over else (people, at, after)
        return True


async def _look(db: Db, people: Sequence[UUID], at: int, after: UUID) -> tuple[int, UUID]:
    """Take the names of these people off the next rows; return where the step after this one goes on."""
    if at < 0:
        deleted = await db.execute(_SESSIONS, people, ROWS)
        return (-1 if deleted == f"DELETE {ROWS}" else 0), _FIRST
    names = NAMED[at]
    until: UUID | None = await db.fetchval(_UNTIL.format(table=names.table), after, ROWS - 1)
    statement = _CHANGE.format(table=names.table, change=names.change, condition=names.condition)
    await db.execute(statement, after, until or _LAST, await _whose(db, people, names))
    if until is not None:
        return at, until
    if at + 1 == len(NAMED):
        await db.execute(_FLAGS, [ids.encode("usr", user_id) for user_id in people])
        await person_deletion.mark_erased(db, people)
    return at + 1, _FIRST


async def _whose(db: Db, people: Sequence[UUID], names: Names) -> Sequence[str] | Sequence[UUID]:
    match names.whose:
        case "public":
            return [ids.encode("usr", user_id) for user_id in people]
        case "user":
            return people
        case "member":
            return await person_deletion.member_ids(db, people)


async def erase_people(context: AppContext, lease: Lease) -> bool:
    """Do some steps of the sweep; return whether there is more."""
    sweep = context.state(Sweep)
    for _ in range(STEPS):
        if not await sweep.step(lease):
            return False
    return True
