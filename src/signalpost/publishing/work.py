"""Publishing targets: begin with the claim, ask the network with no transaction open, end with the release.

See decision 0080.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Final
from uuid import UUID

from typing_extensions import override

from signalpost import networks
from signalpost.accounts import moves
from signalpost.context import AppContext
from signalpost.engine import buckets
from signalpost.engine.contract import Done, Lease, Source
from signalpost.engine.jobs import JobKind
from signalpost.kit import ids, log, tracing
from signalpost.kit.db import Db
from signalpost.kit.failpoint import failpoint
from signalpost.kit.lru import LruDict
from signalpost.networks.contract import Connector, Outcome, OutcomeUnknown, Reconciled, TryLater
from signalpost.posts.change import removals
from signalpost.publishing.actions import begin, end, removal
from signalpost.publishing.actions.begin import bucket_of, bucket_on
from signalpost.publishing.actions.end import Begun
from signalpost.publishing.attempt import Attempt, End, Unreadable
from signalpost.publishing.files import is_encoding
from signalpost.publishing.journal_writer import JournalWriter
from signalpost.publishing.network_call import CALL_SECONDS_MAX, NetworkCall
from signalpost.publishing.outcomes import settle
from signalpost.publishing.policy import TargetChange
from signalpost.publishing.servers import Servers
from signalpost.publishing.suspects import ALONE_SECONDS_MAX, Suspects
from signalpost.publishing.troubles import Troubles

_logger = log.get("publishing")

BUCKETS_MAX: Final = 1_000
_MARK_ACCOUNT: Final = {"needs_reauth": moves.mark_needs_reauth, "restricted": moves.mark_restricted}


class TargetSource(Source[Begun, End]):
    """Targets, one after the other per account."""

    kind = "target"
    table = "target"
    key_column = "account_id"
    lanes = 256  # a lease that waits for a network costs a coroutine
    lanes_per_workspace = 64
    item_seconds_max = CALL_SECONDS_MAX + 60.0

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._journals = JournalWriter(context.database.reserve)
        self._buckets: LruDict[str, bool] = LruDict(BUCKETS_MAX)  # those that exist
        troubles = Troubles(context.database)
        self._gates = begin.Gates(Suspects(), Servers(troubles), troubles)

    @override
    async def due(self, db: Db, leases: Sequence[Lease], per_lane: int) -> Sequence[tuple[UUID, Begun]]:
        failpoint("before-begin")
        return await begin.begin_attempts(self._context, db, leases, self._gates)

    @override
    async def run(self, lease: Lease, item: Begun) -> End:
        if isinstance(item, Unreadable):
            raise item.error
        with tracing.Recorded(f"{item.kind} {item.due.target.platform}", parent=item.post_id) as span:
            end = await self._attempt(lease, item)
            if span is not None:
                _describe(span, item, end)
        return end

    async def _attempt(self, lease: Lease, item: Attempt) -> End:
        failpoint("after-begin")
        with self._gates.suspects.running(item) as alone:
            await self._declare_bucket(item)
            seconds_max = ALONE_SECONDS_MAX if alone else CALL_SECONDS_MAX
            call = NetworkCall(self._context, item, lease, self._journals, seconds_max=seconds_max)
            outcome = await self._ask(item, call)
        kind = "publish" if is_encoding(item) else item.kind  # it waited for us, and the network was asked first now
        change, record = settle(call.snapshot(), kind, outcome), call.record(outcome)
        await self._spread(lease, item, change, call.secrets_version)
        return item.end(change, record)

    @override
    async def settle(self, db: Db, done: Sequence[Done[Begun, End]]) -> Collection[UUID]:
        failpoint("before-settle")
        busy = await end.end_attempts(self._context, db, done)
        failpoint("after-settle")
        return busy

    @override
    async def hand_back(self, db: Db, items: Sequence[tuple[UUID, Begun]]) -> None:
        await end.hand_back(db, [item for _, item in items])

    async def _ask(self, attempt: Attempt, call: NetworkCall) -> Outcome | Reconciled:
        """Ask the network, and note whether its server works. While it is taken for broken, no try counts."""
        server, servers = begin.server_of(self._context, attempt), self._gates.servers
        if server is None:
            return await call.run()
        was_broken = servers.is_broken(server)
        with servers.asking(server):
            outcome = await call.run()
        if call.answered:
            await servers.answered(server)
        elif call.answered is False and isinstance(outcome, TryLater | OutcomeUnknown) and not outcome.uncounted:
            await servers.failed(server, attempt.due.account.id)
            if was_broken:
                return replace(outcome, uncounted=True)
        return outcome

    async def _declare_bucket(self, attempt: Attempt) -> None:
        """Create the bucket of the account's server, if this process has not seen the server before."""
        bucket = bucket_of(self._context, attempt.due.account)
        if bucket is not None and bucket not in self._buckets:
            async with self._context.database.reserve.transaction() as db:
                await buckets.ensure(db, bucket, **_size(attempt.connector))
            self._buckets[bucket] = True

    async def _spread(self, lease: Lease, attempt: Attempt, change: TargetChange, secrets_version: int) -> None:
        """Tell what follows for others than the target. Lost in a crash, it happens with the next attempt."""
        target = attempt.due.target
        lease.count(change.status)
        _logger.log(
            "warning" if change.status == "failed" else "info",
            "target.settled",
            status=change.status,
            post=ids.encode("pst", attempt.post_id),
            target=ids.encode("tgt", target.id),
            account=ids.encode("acc", target.account_id),
            platform=target.platform,
            kind=attempt.kind,
            attempt=attempt.number,
            code=change.error and change.error.code,
        )
        if change.lane_pause_seconds:
            lease.pause_lane(change.lane_pause_seconds)
        if change.status == "published" and (shared := bucket_of(self._context, attempt.due.account)) is not None:
            await self._gates.troubles.works(_limit(shared))  # whoever met a limit before met its own
        bucket = await self._bucket_to_pause(attempt, change)
        if bucket is None and change.account_status is None:
            return
        try:
            async with self._context.database.reserve.transaction() as db:
                if bucket is not None:
                    await buckets.pause(db, bucket, min(change.lane_pause_seconds, buckets.PAUSE_SECONDS_MAX))
                if change.account_status is not None:
                    mark = _MARK_ACCOUNT[change.account_status]
                    reason = change.account_message or ""
                    await mark(db, target.account_id, reason, secrets_version=secrets_version)
        except Exception:
            _logger.exception(
                "target.not_spread", target=ids.encode("tgt", target.id)
            )  # the outcome itself must not be lost

    async def _bucket_to_pause(self, attempt: Attempt, change: TargetChange) -> str | None:
        """Return the bucket that a rate limit concerns, if it concerns others than the account."""
        account = attempt.due.account
        if not change.lane_pause_seconds or (bucket := bucket_of(self._context, account)) is None:
            return None
        return bucket if change.limits_app or await self._gates.troubles.met(_limit(bucket), account.id) else None


def _limit(bucket: str) -> str:
    return f"limit {bucket}"


def _describe(span: tracing.Span, attempt: Attempt, end: End) -> None:
    post, target = attempt.due.post, attempt.due.target
    span.set({
        "signalpost.workspace.id": ids.encode("wsp", post.workspace_id),
        "signalpost.post.id": ids.encode("pst", post.id),
        "signalpost.target.id": ids.encode("tgt", target.id),
        "signalpost.account.id": ids.encode("acc", target.account_id),
        "signalpost.platform": target.platform,
        "signalpost.attempt.number": attempt.number,
        "signalpost.target.status": end.change.status,
    })  # fmt: skip
    if end.change.error is not None:
        span.fail(end.change.error.code)


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    remove = partial(removal.remove_from_network, context)
    return [JobKind(removals.REMOVE, remove, given_up=removal.tell_failure)]


async def declare_buckets(context: AppContext, db: Db) -> None:
    """Create the rate buckets of the networks' own servers; safe in every process at every start."""
    await buckets.forget_idle(db)
    for connector in networks.CONNECTORS.values():
        if (bucket := bucket_on(context, connector, None)) is not None:
            await buckets.declare(db, bucket, **_size(connector))


def _size(connector: Connector) -> dict[str, float]:
    limit = connector.facts.rate_limit
    assert limit is not None  # noqa: S101 - otherwise there is no bucket
    return {"capacity": float(limit.count), "per_second": limit.count / limit.seconds}
