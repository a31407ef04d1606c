"""Rows of differences between what Stripe charges and what workspaces have, for staff."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, Literal
from uuid import UUID

from msgspec import Struct

from signalpost.kit import batches, ids
from signalpost.kit.db import Db
from signalpost.kit.rows import columns, read_all, read_one, reader
from signalpost.web.paging import keyset

LEFT: Final = "left as it is"
"""What staff decided once and for all: it is not shown again."""
KEEP: Final = timedelta(days=400)

Kind = Literal["unknown_workspace", "not_served", "served_unpaid", "several", "refunded"]


class Difference(Struct, frozen=True, kw_only=True):
    """What was found. `remote_id`: of the subscription or invoice; `workspace`: its id as Stripe names it."""

    kind: Kind
    workspace: str | None
    customer_id: str
    remote_id: str
    detail: str


class DifferenceRow(Struct):
    id: UUID
    kind: Kind
    workspace: str | None
    customer_id: str
    remote_id: str
    detail: str
    found_at: datetime
    solved_at: datetime | None
    solution: str | None


_COLUMNS: Final = columns(DifferenceRow, "d")
_read: Final = reader(DifferenceRow)
_NOTE: Final = """
insert into billing_difference (id, kind, workspace, customer_id, remote_id, detail, found_at, solved_at, solution)
select $1, $2, $3, $4, $5, $6, $7::timestamptz, case when $8::text is not null then $7::timestamptz end, $8
where not exists (select from billing_difference where kind = $2 and remote_id = $5 and solution = $9)
on conflict (kind, remote_id) where solved_at is null do update set detail = excluded.detail
"""
_LIST: Final = f"""
select {_COLUMNS} from billing_difference d where {keyset("d.found_at", "d.id", first=1)}
"""  # noqa: S608 - constants only
_FIND: Final = f"select {_COLUMNS} from billing_difference d where d.id = $1"  # noqa: S608 - columns of a struct
_SOLVE: Final = f"""
update billing_difference d set solved_at = $2, solution = $3 where d.id = $1 and d.solved_at is null
returning {_COLUMNS}
"""  # noqa: S608 - columns of a struct
_FORGET: Final = batches.delete("billing_difference", "solved_at < $1 and solution <> $2")
_COUNT: Final = "select count(*) from billing_difference where solved_at is null"


async def note(db: Db, difference: Difference, now: datetime, *, solution: str | None = None) -> None:
    """Write what was found; what is known and open, or left, is not written twice. With a `solution` it is solved."""
    await db.execute(
        _NOTE,
        ids.new_id(),
        difference.kind,
        difference.workspace,
        difference.customer_id,
        difference.remote_id,
        difference.detail,
        now,
        solution,
        LEFT,
    )


async def find(db: Db, difference_id: UUID) -> DifferenceRow | None:
    """Return a difference."""
    return await read_one(db, _read, _FIND, difference_id)


async def read_page(db: Db, bounds: Sequence[Any]) -> list[DifferenceRow]:
    """Return a page of them, newest first."""
    return await read_all(db, _read, _LIST, *bounds)


async def solve(db: Db, difference_id: UUID, now: datetime, solution: str) -> DifferenceRow | None:
    """Note how a difference was solved; None if it was before."""
    return await read_one(db, _read, _SOLVE, difference_id, now, solution)


async def forget(db: Db, now: datetime) -> bool:
    """Forget what was solved long ago, a batch of it; return whether to repeat.

    Not what is to be left as it is, which would be found again.
    """
    return await batches.run(db, [_FORGET], now - KEEP, LEFT)


async def count_open(db: Db) -> int:
    """Return how many wait for staff."""
    count: int = await db.fetchval(_COUNT)
    return count
