"""Publishing one target: begin, ask the network with no transaction open, settle. See docs/decisions/0080."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Final
from uuid import UUID

from typing_extensions import override

from signalpost import networks
from signalpost.accounts import actions as accounts
from signalpost.context import AppContext
from signalpost.engine import buckets
from signalpost.engine.contract import Done, Lease, Source
from signalpost.engine.jobs import JobKind
from signalpost.kit import clock, log
from signalpost.kit.db import Db
from signalpost.kit.failpoint import failpoint
from signalpost.publishing import queries
from signalpost.publishing.actions import begin, end, removal
from signalpost.publishing.attempt import Attempt
from signalpost.publishing.journal import TargetJournal, in_transaction
from signalpost.publishing.network_call import CALL_SECONDS_MAX, NetworkCall
from signalpost.publishing.outcomes import settle
from signalpost.publishing.policy import TargetChange
from signalpost.publishing.queries import DueTarget

_logger = log.get("publishing")

_MARK_ACCOUNT: Final = {"needs_reauth": accounts.mark_needs_reauth, "restricted": accounts.mark_restricted}


class TargetSource(Source[DueTarget, None]):
    """Targets, one after the other per account."""

    kind = "target"
    table = "target"
    key_column = "account_id"
    item_seconds_max = CALL_SECONDS_MAX + 60.0

    def __init__(self, context: AppContext) -> None:
        self._context = context

    @override
    async def due(self, db: Db, leases: Sequence[Lease], per_lane: int) -> Sequence[tuple[UUID, DueTarget]]:
        return await queries.due(db, [lease.key for lease in leases], per_lane)

    @override
    def bucket(self, item: DueTarget) -> str | None:
        return bucket_of(self._context, item.platform)

    @override
    async def run(self, lease: Lease, item: DueTarget) -> None:
        begun = await in_transaction(lease, partial(self._begin, lease, item))
        if begun is None:
            return
        if isinstance(begun, TargetChange):
            lease.count(begun.status)
            return
        failpoint("after-begin")
        journal = TargetJournal(lease, item.id, begun.id, begun.steps, begun.snapshot.intent)
        call = NetworkCall(self._context, begun, journal)
        outcome = await call.run()
        change, record = settle(call.snapshot(), begun.kind, outcome), call.record(outcome)
        failpoint("before-settle")
        await in_transaction(lease, lambda db: end.end_attempt(self._context, db, begun, change, record))
        failpoint("after-settle")
        await self._after(lease, begun, change)

    @override
    async def settle(self, db: Db, done: Sequence[Done[DueTarget, None]]) -> Collection[UUID]:
        """End attempts that an unexpected error broke off: what may be public is reconciled, the rest tried again."""
        for ended in done:
            await end.end_after_error(self._context, db, ended.item, repr(ended.error))
        return ()

    @override
    async def hand_back(self, db: Db, items: Sequence[tuple[UUID, DueTarget]]) -> None:
        await end.uncount_crashes(db, [item.id for _, item in items])

    async def _begin(self, lease: Lease, item: DueTarget, db: Db) -> Attempt | TargetChange | None:
        failpoint("before-begin")
        return await begin.begin_attempt(self._context, db, item, account_id=lease.key, owner=lease.owner)

    async def _after(self, lease: Lease, attempt: Attempt, change: TargetChange) -> None:
        """Do what follows from the outcome but must not delay it. Lost in a crash, it happens with the next attempt."""
        lease.count(change.status)
        _logger.info(
            "target.settled",
            status=change.status,
            target=str(attempt.target.id),
            platform=attempt.target.platform,
            kind=attempt.kind,
            attempt=attempt.number,
            code=change.error and change.error.code,
        )
        if change.lane_pause_seconds:
            lease.pause_lane(change.lane_pause_seconds)
        bucket = bucket_of(self._context, attempt.target.platform) if change.lane_pause_seconds else None
        if change.status != "published" and bucket is None and change.account_status is None:
            return
        async with self._context.database.transaction() as db:
            if change.status == "published":
                await accounts.record_publication(db, attempt.account.id, clock.now())
            if bucket is not None:
                await buckets.pause(db, bucket, min(change.lane_pause_seconds, buckets.PAUSE_SECONDS_MAX))
            if change.account_status is not None:
                mark = _MARK_ACCOUNT[change.account_status]
                reason = change.account_message or ""
                await mark(db, attempt.account.id, reason, secrets_version=attempt.secrets_version)


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    return [JobKind(removal.REMOVE, partial(removal.remove_from_network, context))]


def bucket_of(context: AppContext, platform: str) -> str | None:
    """Return the rate bucket that the posts of all accounts on a network share; None where each account has its own."""
    connector = networks.get(platform)
    if connector is None or connector.facts.rate_limit is None or connector.facts.rate_limit.per == "account":
        return None
    return f"{platform}:{context.settings.network(platform, 'client_id') or 'own'}"


async def declare_buckets(context: AppContext, db: Db) -> None:
    """Create the rate buckets of all networks; safe in every process at every start."""
    for platform, connector in networks.CONNECTORS.items():
        bucket, limit = bucket_of(context, platform), connector.facts.rate_limit
        if bucket is not None and limit is not None:
            await buckets.declare(db, bucket, capacity=float(limit.count), per_second=limit.count / limit.seconds)
