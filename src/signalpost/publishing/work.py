"""Publishing one target: begin, ask the network with no transaction open, settle. See docs/decisions/0080."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final
from uuid import UUID

import msgspec
from typing_extensions import override

from signalpost.accounts.actions import mark_needs_reauth, mark_restricted
from signalpost.accounts.token_store import NoCredentials, open_session
from signalpost.context import AppContext
from signalpost.engine import buckets
from signalpost.engine.contract import Done, Lease, LeaseLost, Source
from signalpost.engine.jobs import JobKind
from signalpost.kit import clock, ids, log
from signalpost.kit.db import Db
from signalpost.kit.failpoint import failpoint
from signalpost.kit.http import HttpFailure
from signalpost.kit.problems import Unavailable
from signalpost.kit.storage import Missing, StorageFailure
from signalpost.media.queries import MediaRow
from signalpost.networks import CONNECTORS
from signalpost.networks.contract import (
    ApiError,
    NeedsReconnect,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    OutgoingMedia,
    Reconciled,
    Refused,
    TryLater,
)
from signalpost.networks.outcome_mapping import failure_outcome
from signalpost.posts import content
from signalpost.posts.target_errors import bounded
from signalpost.publishing import queries, removal
from signalpost.publishing.actions import attempts
from signalpost.publishing.actions.attempts import Attempt, Report
from signalpost.publishing.journal import RecordingHttp, TargetJournal, write
from signalpost.publishing.queries import Item
from signalpost.publishing.states import BACKLOG_SECONDS, Change, Facing, settle

CALL_SECONDS_MAX: Final = 240.0
"""For everything one attempt does at the network, uploads included. The lease is renewed meanwhile."""

_logger = log.get("publishing")

_LAST_PUBLISHED = "update account set last_published_at = greatest(last_published_at, now()) where id = $1"


class TargetSource(Source[Item, None]):
    """Targets, one after the other per account."""

    kind = "target"
    table = "target"
    key_column = "account_id"
    item_seconds_max = CALL_SECONDS_MAX + 60.0

    def __init__(self, context: AppContext) -> None:
        self._context = context

    @override
    async def due(self, db: Db, keys: Sequence[UUID], per_lane: int) -> Sequence[tuple[UUID, Item]]:
        return await queries.due(db, keys, per_lane)

    @override
    def bucket(self, item: Item) -> str | None:
        return bucket_of(self._context, item.platform)

    @override
    async def run(self, lease: Lease, item: Item) -> None:
        begun = await write(lease, partial(self._begin, lease, item))
        if begun is None:
            return
        if isinstance(begun, Change):
            lease.count(begun.status)
            return
        failpoint("after-begin")
        journal = TargetJournal(lease, item.id, begun.id, begun.steps, _as_dict(begun.facing.intent))
        call = _Call(self._context, begun, journal)
        outcome = await call.make()
        change = settle(call.facing(), begun.kind, outcome)
        report = call.report(outcome)
        failpoint("before-settle")
        await write(lease, lambda db: attempts.end(self._context, db, begun, change, report))
        failpoint("after-settle")
        await self._after(lease, begun, change)

    @override
    async def settle(self, db: Db, done: Sequence[Done[Item, None]]) -> None:
        """End attempts that our own fault broke off: what may be public is looked for, the rest is tried again."""
        for one in done:
            await attempts.end_broken(self._context, db, one.item, repr(one.error))

    @override
    async def hand_back(self, db: Db, items: Sequence[tuple[UUID, Item]]) -> None:
        await attempts.not_crashed(db, [item.id for _, item in items])

    async def _begin(self, lease: Lease, item: Item, db: Db) -> Attempt | Change | None:
        failpoint("before-begin")
        return await attempts.begin(self._context, db, item, lease.key, lease.owner, BACKLOG_SECONDS)

    async def _after(self, lease: Lease, begun: Attempt, change: Change) -> None:
        """What follows from the end but must not hold it up. Lost in a crash, it comes again by itself."""
        lease.count(change.status)
        _logger.info(
            "target.settled",
            status=change.status,
            target=str(begun.item.id),
            platform=begun.item.platform,
            kind=begun.kind,
            attempt=begun.number,
            code=change.error and change.error["code"],
        )
        if change.lane_seconds:
            lease.pause_lane(change.lane_seconds)
        key = bucket_of(self._context, begun.item.platform) if change.lane_seconds else None
        mark = {"needs_reauth": mark_needs_reauth, "restricted": mark_restricted}.get(change.account or "")
        if change.status != "published" and key is None and mark is None:
            return
        async with self._context.database.transaction() as db:
            if change.status == "published":
                await db.execute(_LAST_PUBLISHED, begun.account.id)
            if key is not None:
                await buckets.pause(db, key, min(change.lane_seconds, buckets.PAUSE_SECONDS_MAX))
            if mark is not None:
                reason = change.account_message or ""
                await mark(db, begun.account.id, reason, secrets_version=begun.secrets_version)


class _Call:
    """One attempt's way to the network."""

    def __init__(self, context: AppContext, attempt: Attempt, journal: TargetJournal) -> None:
        self._context = context
        self._attempt = attempt
        self._journal = journal
        self._http = RecordingHttp(context.http, {})
        self._started = clock.monotonic()

    async def make(self) -> Outcome | Reconciled:  # noqa: PLR0911 - one for each way it can end
        """Ask the network, and return what came of it, whatever happened.

        Raises:
            LeaseLost, Unavailable: somebody else goes on from the journal.
        """
        try:
            async with asyncio.timeout(CALL_SECONDS_MAX):
                return await self._ask()
        except (LeaseLost, Unavailable):
            raise
        except NoCredentials as error:
            return NeedsReconnect(message=str(error))
        except ApiError as error:
            return self._cautious(self._attempt.connector.explain(error))
        except HttpFailure as failure:
            return failure_outcome(failure, creating=self._open())
        except (Missing, StorageFailure) as error:
            return self._broken(f"A file could not be read: {error}", "media_fetch_failed")
        except TimeoutError:
            return self._broken(f"The network took longer than {CALL_SECONDS_MAX:.0f} s.", "platform_timeout")
        except Exception as error:
            _logger.exception(
                "target.unforeseen", target=str(self._attempt.item.id), platform=self._attempt.item.platform
            )
            return self._broken(f"The connector failed: {type(error).__name__}.", "internal_error")

    async def _ask(self) -> Outcome | Reconciled:
        attempt = self._attempt
        missing = [name for name in attempt.content.media_ids() if name not in self._files()]
        if missing and attempt.kind == "publish":
            return Refused(code="media_missing", message=f"The file {missing[0]} is gone.")
        session = await open_session(self._context, attempt.account)
        self._http = RecordingHttp(session.server.http, session.secrets)
        session.server = replace(session.server, http=self._http)
        outgoing = self._outgoing()
        if attempt.kind == "reconcile":
            return await self._look(session, outgoing)
        if attempt.kind == "poll" and attempt.connector.poll is not None and attempt.facing.pending is not None:
            return await attempt.connector.poll(session, outgoing, self._journal, attempt.facing.pending["state"])
        return await attempt.connector.publish(session, outgoing, self._journal)

    async def _look(self, session: NetworkSession, outgoing: Outgoing) -> Reconciled:
        assert self._attempt.connector.reconcile is not None  # noqa: S101 - else `judge` has failed it
        return await self._attempt.connector.reconcile(session, outgoing, self._journal)

    def _outgoing(self) -> Outgoing:
        attempt = self._attempt
        return content.outgoing(
            attempt.content, self._files(), dedupe_key=attempt.dedupe_key, created_at=attempt.created_at,
            attempt=attempt.number,
        )  # fmt: skip

    def _files(self) -> dict[str, OutgoingMedia]:
        from_rows = self._attempt.files.values()
        return {ids.encode("med", row.id): _file(self._context, row) for row in from_rows}

    def _open(self) -> bool:
        return self._journal.intent is not None

    def _cautious(self, outcome: Outcome) -> Outcome | Reconciled:
        """A look that was refused tells nothing of the post."""
        if self._attempt.kind != "reconcile" or isinstance(outcome, NeedsReconnect | TryLater | OutcomeUnknown):
            return outcome
        return OutcomeUnknown(message="The network does not say whether the post is there.")

    def _broken(self, message: str, code: str) -> OutcomeUnknown | TryLater:
        return OutcomeUnknown(message=message) if self._open() else TryLater(message=message, code=code)

    def facing(self) -> Facing:
        """Return the target as the call left it."""
        now = self._attempt.facing.now + clock.seconds(clock.monotonic() - self._started)
        return msgspec.structs.replace(self._attempt.facing, intent=self._journal.intent, now=now)

    def report(self, outcome: Outcome | Reconciled) -> Report:
        """Return what the record of the attempt says."""
        duration_ms = round((clock.monotonic() - self._started) * 1000)
        response = getattr(outcome, "response", None)
        status = getattr(outcome, "http_status", None) or self._http.status
        kept = None if response is None else bounded(self._http.redacted(response))
        return Report(duration_ms, self._http.request_made, status, kept)


def _file(context: AppContext, row: MediaRow) -> OutgoingMedia:
    kind: Any = row.kind
    return OutgoingMedia(
        kind=kind, mime_type=row.mime_type, size_bytes=row.size_bytes, sha256=row.sha256, width=row.width,
        height=row.height, duration_ms=row.duration_ms, alt_text=row.alt_text, file_name=row.file_name,
        read=partial(context.storage.read, row.storage_path),
    )  # fmt: skip


def _as_dict(value: Any) -> dict[str, Any] | None:
    return None if value is None else dict(value)


def bucket_of(context: AppContext, platform: str) -> str | None:
    """Return the rate bucket that the posts of all accounts on a network share; None where each account has its own."""
    connector = CONNECTORS.get(platform)
    if connector is None or connector.facts.rate_limit is None or connector.facts.rate_limit.per == "account":
        return None
    return f"{platform}:{context.settings.network(platform, 'client_id') or 'own'}"


async def declare_buckets(context: AppContext, db: Db) -> None:
    """Make the rate buckets of all networks known; safe in every process at every start."""
    for platform, connector in CONNECTORS.items():
        key, limit = bucket_of(context, platform), connector.facts.rate_limit
        if key is not None and limit is not None:
            await buckets.declare(db, key, capacity=float(limit.count), per_second=limit.count / limit.seconds)


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""
    return removal.removal_jobs(context)
