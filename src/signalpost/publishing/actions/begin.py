"""The beginning of attempts, before their networks are asked: for all lanes of a claim at once, in its transaction."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import compress
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from signalpost import networks
from signalpost.accounts.platforms import host_of
from signalpost.context import AppContext
from signalpost.engine import buckets
from signalpost.engine.contract import Lease
from signalpost.kit import ids, log
from signalpost.kit.db import RETRYABLE, Db
from signalpost.media import queries as media
from signalpost.networks.contract import Connector
from signalpost.posts import content
from signalpost.posts.states import WAITING, move
from signalpost.publishing import queries
from signalpost.publishing.actions.change import CHUNK, write_ends
from signalpost.publishing.attempt import Attempt, End, Unreadable, take_snapshot
from signalpost.publishing.policy import BACKLOG_SECONDS, Postponed, TargetChange, decide
from signalpost.publishing.queries import Due, DueAccount, Picked
from signalpost.publishing.servers import Servers
from signalpost.publishing.suspects import Suspects, waits
from signalpost.publishing.troubles import Troubles

BUSY_SECONDS: Final = 0.05
"""After this long a lane is looked at again whose post another transaction has locked."""

_logger = log.get("publishing")

_CLOSE = """
update attempt set finished_at = now(), outcome = $2 where target_id = any($1) and finished_at is null
"""
# The commit of attempts need not wait for the disk: nothing public is done before an intent has been committed, and
# that commit waits for everything before it.
_START = """
with unhurried as materialized (
    select set_config('synchronous_commit', case when $11 then 'off' else current_setting('synchronous_commit') end,
        true)
), started as materialized (
    select * from unnest($1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::text[], $6::int[], $7::int[], $8::bool[])
        as s(target_id, attempt_id, number, kind, status, tries, crashes, from_start)
), begun as (
    insert into attempt (id, workspace_id, post_id, target_id, number, kind, owner, content_hash)
    select s.attempt_id, t.workspace_id, t.post_id, t.id, s.number, s.kind, $9, t.content_hash
    from unhurried cross join started s join target t on t.id = s.target_id
), marked as (
    update target t set status = s.status, attempts = s.number, tries = s.tries, crashes = s.crashes,
        held_reason = null, intent = case when s.from_start then null else t.intent end,
        pending_state = case when s.from_start then null else t.pending_state end,
        started_at = case when t.status = 'pending' then now() else coalesce(t.started_at, now()) end,
        updated_at = now()
    from started s where t.id = s.target_id
)
update post set status = 'publishing', updated_at = now() where id = any($10)
"""
# The next target that is on time comes first, then those of the backlog in their order, a gap apart. Those whose time
# has been put off to `until` or later stay as they are, so that a backlog is not written again for each of its posts.
_POSTPONE = """
with held as materialized (
    select * from unnest($1::uuid[], $2::timestamptz[], $3::float8[]) as h(account_id, until, gap_seconds)
), waiting as materialized (
    select t.id, h.until, h.gap_seconds, row_number() over (
        partition by t.account_id order by t.due_at < now() - make_interval(secs => $4), t.next_attempt_at, t.id
    ) - 1 as nth
    from held h join target t on t.account_id = h.account_id and t.next_attempt_at < h.until
    where t.status = any($5) and (t.next_attempt_at <= now()
        or (t.held_reason is null and t.due_at < now() - make_interval(secs => $4)))
)
update target t set next_attempt_at = w.until + make_interval(secs => w.nth * w.gap_seconds), updated_at = now()
from waiting w where t.id = w.id
"""


class Gates(NamedTuple):
    """What this process knows of the attempts in flight and of their servers, and so of what may begin beside them."""

    suspects: Suspects
    servers: Servers
    troubles: Troubles


class _Decided(NamedTuple):
    """What was decided for the targets of a claim."""

    attempts: list[Attempt]
    ends: list[End]
    postponed: list[tuple[UUID, datetime, float]]  # account, until, gap in seconds
    crashed: list[UUID]
    unreadable: list[tuple[UUID, Unreadable]]  # by account


async def begin_attempts(
    context: AppContext, db: Db, leases: Sequence[Lease], gates: Gates
) -> list[tuple[UUID, Attempt | Unreadable]]:
    """Begin an attempt at the first due target of each lane, where one may be made; else write what becomes of it.

    A lane whose post another transaction has locked is looked at again after `BUSY_SECONDS`. If the batch fails, its
    targets are begun one by one, so that only those that cannot be begun have to wait. `gates`: of this process.
    """
    lanes = {lease.key: lease for lease in leases}
    try:
        return await _begin(context, db, lanes, gates)
    except Exception as error:
        if db.is_closed() or isinstance(error, RETRYABLE):
            raise
        _logger.exception("begin.failed", lanes=len(lanes))
    picked = await _pick(db, lanes, gates)
    return [begun for pick in picked for begun in await _begin_singly(context, db, lanes, pick, gates)]


async def close_open_attempts(db: Db, target_ids: Sequence[UUID], outcome: str) -> None:
    """End attempts of these targets that never came to their end."""
    if target_ids:
        await db.execute(_CLOSE, target_ids, outcome)


async def _begin_singly(
    context: AppContext, db: Db, lanes: Mapping[UUID, Lease], pick: Picked, gates: Gates
) -> list[tuple[UUID, Attempt | Unreadable]]:
    try:
        return await _begin(context, db, lanes, gates, pick)
    except Exception as error:
        if db.is_closed() or isinstance(error, RETRYABLE):
            raise
        return [(pick.account_id, Unreadable(pick.target_id, pick.post_id, error))]


async def _begin(
    context: AppContext, db: Db, lanes: Mapping[UUID, Lease], gates: Gates, only: Picked | None = None
) -> list[tuple[UUID, Attempt | Unreadable]]:
    """Begin what is due first on each lane, or one of these, which is locked already.

    All of it in a savepoint, the locks too: a row that is locked before a savepoint and written in it costs a list of
    both (multixact), and what is left of it in an index is not taken for dead.
    """
    async with db.transaction():
        picked = await _pick(db, lanes, gates) if only is None else [only]
        if not picked:
            return []
        decided = await _decide_all(db, picked)
        admitted = await _admitted(context, db, lanes, decided.attempts, gates)
        attempts = await _with_tokens(context, db, lanes, admitted)
        begun = {attempt.target_id for attempt in attempts} | {end.target_id for end in decided.ends}
        await close_open_attempts(db, [target_id for target_id in decided.crashed if target_id in begun], "crashed")
        if attempts:
            owner = next(iter(lanes.values())).owner
            await _start(db, attempts, owner, durable=bool(decided.ends))
        if decided.ends:
            await write_ends(context, db, decided.ends)
        if decided.postponed:
            await db.execute(_POSTPONE, *zip(*decided.postponed, strict=True), BACKLOG_SECONDS, WAITING)
        await _load_files(db, attempts)
    ended = {end.target_id: end for end in decided.ends}
    for pick in picked:
        if pick.target_id in ended:
            lanes[pick.account_id].count(ended[pick.target_id].change.status)
    return [*((attempt.due.account.id, attempt) for attempt in attempts), *decided.unreadable]


async def _pick(db: Db, lanes: Mapping[UUID, Lease], gates: Gates) -> list[Picked]:
    """Lock what is due first on each lane; a lane whose post another transaction has locked waits."""
    is_outdated = gates.troubles.is_outdated
    picked, troubles = await queries.pick_due(db, list(lanes), with_troubles=is_outdated)
    if is_outdated and picked:
        gates.troubles.learn(troubles)
    for pick in picked:
        if not pick.locked:
            lanes[pick.account_id].pause_lane(BUSY_SECONDS)
    return [pick for pick in picked if pick.locked]


async def _decide_all(db: Db, picked: Sequence[Picked]) -> _Decided:
    """Read the targets with everything they depend on, and decide for each whether its network may be asked now."""
    decided = _Decided([], [], [], [], [])
    rows = await queries.due_rows(db, [pick.target_id for pick in picked])
    for count, pick in enumerate(picked, 1):
        row = rows.get(pick.target_id)
        if row is None:
            continue
        try:
            _decide(queries.read_due(row), decided)
        except Exception as error:  # noqa: BLE001 - it ends as an error of this target alone
            decided.unreadable.append((pick.account_id, Unreadable(pick.target_id, pick.post_id, error)))
        if count % CHUNK == 0:
            await asyncio.sleep(0)
    return decided


def _decide(due: Due, decided: _Decided) -> None:
    if not due.is_due:
        return  # edited or moved since it was picked
    connector = networks.get(due.target.platform)
    snapshot = take_snapshot(due, connector)
    decision = decide(snapshot)
    if isinstance(decision, Postponed):
        decided.postponed.append((due.account.id, decision.until, snapshot.gap_seconds))
    elif isinstance(decision, TargetChange):
        decided.ends.append(End(due.target.id, due.post.id, decision))
    else:
        assert connector is not None  # noqa: S101 - otherwise `decide` failed the target
        kind = snapshot.kind
        number = due.target.attempts + (kind == "publish")
        decided.attempts.append(Attempt(ids.new_id(), number, kind, due, snapshot, connector, []))
    if snapshot.crashed:  # its worker died, or lost the lease
        decided.crashed.append(due.target.id)


async def _admitted(
    context: AppContext, db: Db, lanes: Mapping[UUID, Lease], attempts: Sequence[Attempt], gates: Gates
) -> list[Attempt]:
    """Return the attempts that may begin beside what is in flight; the lanes of the others wait."""
    servers = [server_of(context, attempt) for attempt in attempts]
    probes = await gates.servers.begin_probes(db, servers)
    by_server: Counter[str] = Counter()
    asking = []
    for attempt, server in zip(attempts, servers, strict=True):
        wait = 0.0 if server is None else gates.servers.admit(server, by_server, probes)
        if wait:
            lanes[attempt.due.account.id].pause_lane(wait)
        else:
            asking.append(attempt)
    admitted = gates.suspects.admit(asking)
    begins = {attempt.id for attempt in admitted}
    for attempt, seconds in waits([attempt for attempt in asking if attempt.id not in begins]):
        lanes[attempt.due.account.id].pause_lane(seconds)
    return admitted


async def _with_tokens(
    context: AppContext, db: Db, lanes: Mapping[UUID, Lease], attempts: Sequence[Attempt]
) -> list[Attempt]:
    """Return the attempts that get a token of their rate bucket, or need none."""
    accounts = [attempt.due.account for attempt in attempts]
    needs = [(lanes[account.id], bucket_of(context, account)) for account in accounts]
    return list(compress(attempts, await buckets.admit(db, needs)))


async def _start(db: Db, attempts: Sequence[Attempt], owner: UUID, *, durable: bool) -> None:
    """Write the attempts; their targets and posts are being published from now on.

    `durable`: the transaction also writes what users hear of, so its commit waits for the disk.
    """
    started = []
    for attempt in attempts:
        target = attempt.due.target
        snapshot, publishing = attempt.snapshot, attempt.kind == "publish"
        first = target.status == "pending"
        move(target, "publishing" if publishing or first else target.status)
        tries = snapshot.tries + publishing
        started.append((
            target.id, attempt.id, attempt.number, attempt.kind, target.status, tries, snapshot.crashes + 1,
            first and snapshot.intent is None,
        ))  # fmt: skip
        attempt.snapshot = msgspec.structs.replace(snapshot, status=target.status, tries=tries, crashes=0)
    posts = {attempt.due.post.id for attempt in attempts if attempt.due.post.status != "publishing"}
    await db.execute(_START, *zip(*started, strict=True), owner, posts, not durable)


async def _load_files(db: Db, attempts: Sequence[Attempt]) -> None:
    """Read the files of the attempts' posts, if they have any, and the watermark of the profile with them."""
    for attempt in attempts:
        post, target, _, circumstances = attempt.due
        sent = content.for_target(post, target)
        if media_ids := sent.media_ids():
            if attempt.connector.facts.thumbnail is not None:
                media_ids += sent.thumbnail_ids()
            if (watermark_id := circumstances.watermark_media_id) is not None:
                media_ids.append(watermark_id)
            attempt.files = list((await media.for_publishing(db, post.workspace_id, media_ids)).values())


def server_of(context: AppContext, attempt: Attempt) -> str | None:
    """Return the name of the server that an attempt asks; None if its network has none."""
    account = attempt.due.account
    host = host_of(context, attempt.connector, account.base_url)
    return f"{account.platform}:{host}" if host else None


def bucket_of(context: AppContext, account: DueAccount) -> str | None:
    """Return the rate bucket that an account shares with others; None where each account has its own limit."""
    connector = networks.get(account.platform)
    return None if connector is None else bucket_on(context, connector, account.base_url)


def bucket_on(context: AppContext, connector: Connector, base_url: str | None) -> str | None:
    """Return the rate bucket of the accounts on a server of a network: no other server's answers concern them."""
    if connector.facts.rate_limit is None or connector.facts.rate_limit.per == "account":
        return None
    app = context.settings.network(connector.facts.key, "client_id") or "own"
    return f"{connector.facts.key}:{host_of(context, connector, base_url)}:{app}"
