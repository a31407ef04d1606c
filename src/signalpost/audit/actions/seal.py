"""The chain of hashes over the history of a workspace: each seal covers one row and the seal before.

Sealing is work of the background: a request that writes history waits for nobody else's.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final, NamedTuple
from uuid import UUID

from msgspec import Struct

from signalpost.audit.actions.record import INSTALLATION
from signalpost.kit import clock, ids
from signalpost.kit.db import Db

SETTLED: Final = timedelta(seconds=10)
"""How old a row is when it is sealed: transactions that began before have ended, so most rows are sealed in order."""
OVERLAP: Final = timedelta(seconds=60)
"""How far a look goes back behind the newest seal, for rows of transactions that took longer."""

_LOCK: Final = "select pg_advisory_xact_lock(hashtextextended('audit_seal', 0))"
_CHAINS: Final = "select id from workspace where id > $1 order by id limit $2"
# Only workspaces that have a row behind their newest seal are looked at, each by the two indexes of its history. A row
# of a transaction that took longer may stand before the newest seal, so the first look begins some time before it.
_SEAL: Final = """
with chains as materialized (
    select w.id as workspace_id, coalesce(s.seq, 0) as seq, coalesce(s.hash, '') as hash,
        coalesce(w.after, id_before(newest.id, $4), '00000000-0000-0000-0000-000000000000') as after
    from unnest($1::uuid[], $2::uuid[]) as w(id, after)
    left join lateral (
        select seq, hash from audit_seal where workspace_id = w.id order by seq desc limit 1) s on true
    left join lateral (
        select audit_id as id from audit_seal where workspace_id = w.id order by audit_id desc limit 1) newest on true
    where exists (
        select from audit a where a.workspace_id = w.id and a.id < $3 and (newest.id is null or a.id > newest.id))
), fresh as materialized (
    select c.workspace_id, c.seq, c.hash as head, a.id, audit_digest(a.a) as digest
    from chains c cross join lateral (
        select a.id, a from audit a
        where a.workspace_id = c.workspace_id and a.id < $3 and a.id > c.after
            and not exists (
                select from audit_seal s where s.workspace_id = a.workspace_id and s.audit_id = a.id)
        order by a.id limit $5) a
), linked as (
    select workspace_id, seq + row_number() over w as seq, id, head, audit_chain(head, digest) over w as hash
    from fresh window w as (partition by workspace_id order by id rows unbounded preceding)
), sealed as (
    insert into audit_seal (workspace_id, seq, audit_id, previous, hash)
    select workspace_id, seq, id, coalesce(lag(hash) over (partition by workspace_id order by seq), head), hash
    from linked
)
select workspace_id, count(*), (array_agg(id order by id desc))[1] from fresh group by 1
"""

_VERIFY: Final = """
with sealed as (
    select s.workspace_id, s.seq, s.audit_id, s.hash, s.sealed_at, a.id is null as missing,
        sha256(s.previous || audit_digest(a)) = s.hash as intact,
        coalesce(s.previous = lag(s.hash) over w and s.seq = lag(s.seq) over w + 1, s.seq > 1 or s.previous = '')
            as linked
    from audit_seal s left join audit a on a.workspace_id = s.workspace_id and a.id = s.audit_id
    where s.workspace_id = $1 window w as (order by s.seq)
)
select count(*), max(seq), (array_agg(encode(hash, 'hex') order by seq desc))[1],
    min(seq) filter (where missing or not intact or not linked),
    (select count(*) from audit a where a.workspace_id = $1 and a.id < $2 and not exists (
        select from audit_seal s where s.workspace_id = a.workspace_id and s.audit_id = a.id))
from sealed
"""
_BROKEN: Final = """
select s.audit_id, a.id is null from audit_seal s
left join audit a on a.workspace_id = s.workspace_id and a.id = s.audit_id
where s.workspace_id = $1 and s.seq = $2
"""


_WORKSPACES: Final = """
select id from workspace w where exists (select from audit where workspace_id = w.id) order by id
"""


class Verification(Struct, kw_only=True):
    """The state of one chain. `head` is its newest hash: kept elsewhere, it shows later that nothing was cut off.

    `broken_at` is the number of the first seal that does not agree with its row or with the seal before, `broken_id`
    the id of its row, `missing` whether that row is gone.
    """

    sealed: int
    last_seq: int | None
    head: str | None
    unsealed: int
    broken_at: int | None = None
    broken_id: UUID | None = None
    missing: bool = False


class Sealed(NamedTuple):
    """How many rows of a chain were sealed, and the last of them."""

    rows: int
    last: UUID


async def chains(db: Db, after: UUID | None, limit: int) -> Sequence[UUID]:
    """Return the next chains after this one, in their order: that of the installation, then those of workspaces."""
    if after is None:  # no id of a workspace is as small
        return [INSTALLATION, *(await chains(db, INSTALLATION, limit - 1))]
    return [record[0] for record in await db.fetch(_CHAINS, after, limit)]


async def seal(
    db: Db,
    positions: Mapping[UUID, UUID | None],
    share: int,
    *,
    settled: timedelta = SETTLED,
    overlap: timedelta = OVERLAP,
) -> dict[UUID, Sealed]:
    """Seal rows of these chains that are old enough, at most `share` of one, from the row after its position on.

    Without a position, from `overlap` before its newest seal. Set-based.
    """
    await db.execute(_LOCK)
    records = await db.fetch(_SEAL, list(positions), list(positions.values()), _id_at(settled), overlap, share)
    return {workspace_id: Sealed(count, last) for workspace_id, count, last in records}


async def verify(db: Db, workspace_id: UUID) -> Verification:
    """Compare the history of a workspace with its seals."""
    record = await db.fetchrow(_VERIFY, workspace_id, _id_at(OVERLAP))
    assert record is not None  # noqa: S101 - an aggregate returns one row
    verification = Verification(
        sealed=record[0], last_seq=record[1], head=record[2], broken_at=record[3], unsealed=record[4]
    )
    if verification.broken_at is not None:
        broken = await db.fetchrow(_BROKEN, workspace_id, verification.broken_at)
        assert broken is not None  # noqa: S101 - the seal was read a moment ago, and seals stay
        verification.broken_id, verification.missing = broken[0], broken[1]
    return verification


async def workspaces(db: Db) -> list[UUID]:
    """Return the workspaces that have a history, oldest first."""
    return [record[0] for record in await db.fetch(_WORKSPACES)]


def _id_at(age: timedelta) -> UUID:
    """Return an id smaller than all that are younger than `age`."""
    return ids.first_at(clock.now() - age)
