"""The chain of hashes over the history of a workspace: each seal covers some rows and the seal before.

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

ENTRIES_MAX: Final = 32
"""How many entries one seal covers."""

_LOCK: Final = "select pg_advisory_xact_lock(hashtextextended('audit_seal', 0))"
_CHAINS: Final = "select id from workspace where id > $1 order by id limit $2"
# Only workspaces that have a row behind their newest seal are looked at. A row of a transaction that took longer may
# stand before it, so the first look begins some time before it, and leaves out what seals since then cover: by
# `except`, which compares sorted or hashed lists whatever is known of their lengths. A seal is found by its newest
# entry, and no seal that covers an entry has an older one.
_SEAL: Final = """
with chains as materialized (
    select w.id as workspace_id, coalesce(s.seq, 0) as seq, coalesce(s.hash, '') as hash,
        coalesce(w.after, id_before(newest.id, $4), '00000000-0000-0000-0000-000000000000') as after,
        greatest(w.after, newest.id, '00000000-0000-0000-0000-000000000000') as newest
    from unnest($1::uuid[], $2::uuid[]) as w(id, after)
    left join lateral (
        select seq, hash from audit_seal where workspace_id = w.id order by seq desc limit 1) s on true
    left join lateral (
        select audit_id as id from audit_seal where workspace_id = w.id order by audit_id desc limit 1) newest on true
    where exists (
        select from audit a where a.workspace_id = w.id and a.id < $3
            and a.id > coalesce(newest.id, '00000000-0000-0000-0000-000000000000'))
), fresh as materialized (
    select c.workspace_id, c.seq, c.hash as head, n.id, d.digest
    from chains c cross join lateral (
        (select id from audit where workspace_id = c.workspace_id and id > c.after and id <= c.newest and id < $3
         except
         select unnest(coalesce(s.entries, array[s.audit_id])) from audit_seal s
         where s.workspace_id = c.workspace_id and s.audit_id > c.after)
        union all
        (select id from audit where workspace_id = c.workspace_id and id > c.newest and id < $3 order by id limit $5)
        order by id limit $5
    ) n cross join lateral (
        select audit_digest(a) as digest from audit a where a.workspace_id = c.workspace_id and a.id = n.id limit 1) d
), linked as (
    select workspace_id, seq, id, head, digest, audit_chain(head, digest) over w as hash, row_number() over w as nth
    from fresh window w as (partition by workspace_id order by id rows unbounded preceding)
), grouped as (
    select workspace_id, max(seq + nth) as seq, array_agg(id order by nth) as entries,
        string_agg(substr(digest, 1, 4), '' order by nth) as checks, (array_agg(hash order by nth desc))[1] as hash,
        (array_agg(head))[1] as head
    from linked group by workspace_id, (nth - 1) / $6
), sealed as (
    insert into audit_seal (workspace_id, seq, audit_id, previous, hash, entries, checks)
    select workspace_id, seq, entries[cardinality(entries)],
        coalesce(lag(hash) over (partition by workspace_id order by seq), head), hash, entries, checks
    from grouped
)
select workspace_id, count(*), (array_agg(id order by id desc))[1] from fresh group by 1
"""

# Numbers are those of entries: a seal has that of its last one. Each entry is looked up by its key (`limit 1`): a join
# would be planned by statistics, and compare each entry of a workspace that grew lately with each seal.
_SEALS: Final = """
with seals as (
    select workspace_id, seq, audit_id, previous, hash, coalesce(entries, array[audit_id]) as entries, checks
    from audit_seal where workspace_id = $1
)
"""
_VERIFY: Final = f"""
{_SEALS}, checked as (
    select s.seq, cardinality(s.entries) as number, s.hash, e.is_missing, e.chain = s.hash as is_intact,
        coalesce(s.previous = lag(s.hash) over w and s.seq - cardinality(s.entries) = lag(s.seq) over w,
            s.seq > cardinality(s.entries) or s.previous = '') as is_linked
    from seals s cross join lateral (
        select bool_or(d.digest is null) as is_missing, audit_chain(s.previous, d.digest order by u.nth) as chain
        from unnest(s.entries) with ordinality as u(id, nth) left join lateral (
            select audit_digest(a) as digest from audit a
            where a.workspace_id = s.workspace_id and a.id = u.id limit 1) d on true) e
    window w as (order by s.seq)
)
select coalesce(sum(number), 0)::bigint, max(seq), (array_agg(encode(hash, 'hex') order by seq desc))[1],
    min(seq) filter (where is_missing or not is_intact or not is_linked),
    (select count(*) from (
        select id from audit where workspace_id = $1 and id < $2 except select unnest(entries) from seals) unsealed)
from checked
"""  # noqa: S608 - a constant
# The first entry of the seal that is gone or has another digest; without one, it is the seal that was changed.
_BROKEN: Final = f"""
{_SEALS}
select s.seq - cardinality(s.entries) + u.nth, u.id, d.digest is null
from seals s cross join unnest(s.entries) with ordinality as u(id, nth) left join lateral (
    select audit_digest(a) as digest from audit a
    where a.workspace_id = s.workspace_id and a.id = u.id limit 1) d on true
where s.seq = $2
order by d.digest is null or substr(d.digest, 1, 4) <> substr(s.checks, 4 * u.nth::int - 3, 4) desc, u.nth
limit 1
"""  # noqa: S608 - a constant


_WORKSPACES: Final = """
select id from workspace w where exists (select from audit where workspace_id = w.id) order by id
"""


class Verification(Struct, kw_only=True):
    """The state of one chain. `head` is its newest hash: kept elsewhere, it shows later that nothing was cut off.

    `broken_at` is the number of the first entry that does not agree with its seal, or of the first that its seal covers
    if that does not agree with the seal before; `broken_id` is its id, `missing` whether it is gone.
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
    chosen = list(positions), list(positions.values())
    records = await db.fetch(_SEAL, *chosen, _id_at(settled), overlap, share, ENTRIES_MAX)
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
        verification.broken_at, verification.broken_id, verification.missing = broken
    return verification


async def workspaces(db: Db) -> list[UUID]:
    """Return the workspaces that have a history, oldest first."""
    return [record[0] for record in await db.fetch(_WORKSPACES)]


def _id_at(age: timedelta) -> UUID:
    """Return an id smaller than all that are younger than `age`."""
    return ids.first_at(clock.now() - age)
