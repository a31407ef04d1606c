"""Rows of differences between what Stripe charges and what workspaces have, for staff."""

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from msgspec import Struct

from signalpost.kit import ids
from signalpost.kit.db import Db
from signalpost.kit.rows import columns, reader

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
values ($1, $2, $3, $4, $5, $6, $7::timestamptz, case when $8::text is not null then $7::timestamptz end, $8)
on conflict (kind, remote_id) where solved_at is null do update set detail = excluded.detail
"""
_COUNT: Final = "select count(*) from billing_difference where solved_at is null"


async def note(db: Db, difference: Difference, now: datetime, *, solution: str | None = None) -> None:
    """Write what was found; what is known and open is not written twice. With a `solution` it is solved already."""
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
    )


async def count_open(db: Db) -> int:
    """Return how many wait for staff."""
    count: int = await db.fetchval(_COUNT)
    return count
