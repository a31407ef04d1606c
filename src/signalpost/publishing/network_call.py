"""Asking the network: one attempt from the session to an outcome, whatever happens on the way."""

import asyncio
from dataclasses import replace
from functools import partial
from typing import Final

import msgspec

from signalpost.accounts import queries as accounts
from signalpost.accounts.secrets import NoCredentials
from signalpost.accounts.token_store import TokenStore
from signalpost.context import AppContext
from signalpost.engine.contract import Lease, LeaseLost
from signalpost.kit import clock, ids, log
from signalpost.kit.http import HttpFailure
from signalpost.kit.problems import Unavailable
from signalpost.kit.storage import Missing, StorageFailure
from signalpost.networks import languages
from signalpost.networks.contract import (
    ApiError,
    NeedsReconnect,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    Pending,
    Reconciled,
    Refused,
    TryLater,
)
from signalpost.networks.outcome_mapping import failure_outcome
from signalpost.posts import content
from signalpost.posts.content import Content
from signalpost.posts.target_errors import bounded
from signalpost.publishing.attempt import Attempt, CallRecord
from signalpost.publishing.files import as_taken, as_uploaded, is_encoding
from signalpost.publishing.journal import RecordingHttp, RenewingHttp, TargetJournal
from signalpost.publishing.journal_writer import AccountDisconnected, JournalWriter, SecretsReplaced
from signalpost.publishing.policy import TargetSnapshot

CALL_SECONDS_MAX: Final = 240.0
"""For everything one attempt does at the network, including uploads. The lease is renewed meanwhile."""
SESSIONS_MAX: Final = 3
"""How often an attempt opens a session because the account's secrets were replaced under it."""

_logger = log.get("publishing")


class NetworkCall:
    """The call of one attempt."""

    def __init__(
        self, context: AppContext, attempt: Attempt, lease: Lease, writer: JournalWriter, *, seconds_max: float
    ) -> None:
        self._context = context
        self._seconds_max = seconds_max
        self._attempt = attempt
        self._journal = TargetJournal(lease, attempt, writer)
        self._http = RecordingHttp(context.http.publishing, self._journal)
        self._started = clock.monotonic()
        self._content = _in_language(content.for_target(attempt.due.post, attempt.due.target), attempt)
        self._files = {row.id: as_uploaded(context, row, attempt.connector) for row in attempt.files}

    async def run(self) -> Outcome | Reconciled:
        """Ask the network; return the outcome, whatever happened, without secrets.

        Raises:
            LeaseLost, Unavailable: another worker goes on from the journal.
        """
        outcome = await self._outcome()
        if isinstance(outcome, Refused | NeedsReconnect | TryLater | OutcomeUnknown):
            response = None if outcome.response is None else self._http.redacted(outcome.response)
            return replace(outcome, message=self._http.redacted(outcome.message), response=response)
        return outcome

    async def _outcome(self) -> Outcome | Reconciled:  # noqa: PLR0911 - one for each way it can end
        try:
            async with asyncio.timeout(self._seconds_max):
                return await self._ask()
        except (LeaseLost, Unavailable):
            raise
        except AccountDisconnected:
            return self._disconnected()
        except NoCredentials as error:
            return NeedsReconnect(message=str(error))
        except ApiError as error:
            return self._explain(error)
        except HttpFailure as failure:
            return failure_outcome(failure, creating=self._journal.intent is not None)
        except (Missing, StorageFailure) as error:
            return self._failed(f"A file could not be read: {error}", "media_fetch_failed")
        except TimeoutError:
            return self._failed(f"The network took longer than {self._seconds_max:.0f} s.", "platform_timeout")
        except Exception as error:
            target = self._attempt.due.target
            _logger.exception("target.unexpected_error", target=ids.encode("tgt", target.id), platform=target.platform)
            return self._failed(f"The connector failed: {type(error).__name__}.", "internal_error")

    def snapshot(self) -> TargetSnapshot:
        """Return the target as the call left it."""
        now = self._attempt.snapshot.now + clock.seconds(clock.monotonic() - self._started)
        return msgspec.structs.replace(self._attempt.snapshot, intent=self._journal.intent, now=now)

    @property
    def secrets_version(self) -> int:
        """The version of the account's secrets that the network was asked with."""
        return self._journal.secrets_version

    @property
    def answered(self) -> bool | None:
        """Whether the server gave a usable answer to the last request; None if it was not asked."""
        if self._http.request_made is None:
            return None
        return self._http.status is not None and self._http.status < 500

    def record(self, outcome: Outcome | Reconciled) -> CallRecord:
        """Return what the attempt's record says of the call."""
        response = getattr(outcome, "response", None)
        return CallRecord(
            duration_ms=round((clock.monotonic() - self._started) * 1000),
            request=self._http.request_made,
            http_status=getattr(outcome, "http_status", None) or self._http.status,
            response=None if response is None else bounded(response),
        )

    async def _ask(self) -> Outcome | Reconciled:
        attempt = self._attempt
        missing = [media_id for media_id in self._content.media_ids() if media_id not in self._files]
        if missing and (attempt.kind == "publish" or is_encoding(attempt)):
            return Refused(code="media_missing", message=f"The file {ids.encode('med', missing[0])} is gone.")
        files = await as_taken(self._context, attempt)
        if isinstance(files, Refused | Pending):
            return files
        self._files = files
        account = attempt.due.account
        tokens = self._journal.tokens = TokenStore(self._context, account)
        tokens.open(account.secrets, account.secrets_version)
        for _ in range(SESSIONS_MAX):
            try:
                return await self._ask_network(tokens, self._outgoing())
            except SecretsReplaced:  # someone connected the account again, or renewed its tokens
                await tokens.read()
        return TryLater(message="The account's credentials kept changing.", code="internal_error")

    async def _ask_network(self, tokens: TokenStore, outgoing: Outgoing) -> Outcome | Reconciled:
        """Ask in a session whose HTTP client records what is asked."""
        attempt, connector = self._attempt, self._attempt.connector
        session = tokens.session(self._context.http.publishing)
        self._http = RecordingHttp(session.server.http, self._journal)
        session.server = replace(session.server, http=self._http)
        if session.refresh_exclusively is not None:
            session.refresh_exclusively = partial(tokens.renew, http=RenewingHttp(self._http))
        if attempt.due.post.mode == "test":
            session.is_shared = self._is_shared
        if attempt.kind == "reconcile":
            assert connector.reconcile is not None  # noqa: S101 - otherwise `decide` failed the target
            return await connector.reconcile(session, outgoing, self._journal)
        pending_state = attempt.snapshot.pending_state
        polls = attempt.kind == "poll" and not is_encoding(attempt)
        if polls and connector.poll is not None and pending_state is not None:
            return await connector.poll(session, outgoing, self._journal, pending_state.state)
        return await connector.publish(session, outgoing, self._journal)

    async def _is_shared(self) -> bool:
        async with self._context.database.reserve.connection() as db:
            return await accounts.has_live_posts(db, self._attempt.due.account.id)

    def _outgoing(self) -> Outgoing:
        post, target, _, _ = self._attempt.due
        return content.outgoing(
            self._content,
            self._files,
            dedupe_key=target.dedupe_key,
            created_at=post.created_at,
            attempt=self._attempt.number,
        )

    def _explain(self, error: ApiError) -> Outcome | Reconciled:
        """Return the connector's reading of an error response; a refused reconcile says nothing about the post."""
        outcome = self._attempt.connector.explain(error)
        if self._attempt.kind != "reconcile" or isinstance(outcome, NeedsReconnect | TryLater | OutcomeUnknown):
            return outcome
        return OutcomeUnknown(message="The network does not say whether the post is there.")

    def _disconnected(self) -> OutcomeUnknown | Refused:
        """Return the outcome of a call that stopped because the account was disconnected meanwhile."""
        if self._journal.intent is not None:
            return OutcomeUnknown(message="The account was disconnected before the post could be looked for.")
        return Refused(code="account_disconnected", message="The account was disconnected.")

    def _failed(self, message: str, code: str) -> OutcomeUnknown | TryLater:
        """Return the outcome of a call that broke off: unknown once a create call may have been sent."""
        if self._journal.intent is not None:
            return OutcomeUnknown(message=message)
        return TryLater(message=message, code=code)


def _in_language(sent: Content, attempt: Attempt) -> Content:
    """Return the content in the language of its account or profile, where it names none and the network asks for it."""
    language = attempt.due.circumstances.language
    named = {} if language is None else languages.options_of(attempt.connector.facts, language)
    return msgspec.structs.replace(sent, options={**named, **sent.options}) if named else sent
