"""The journal of one target, and the outgoing client that keeps to it.

An intent is on disk before `intend` returns, and so is a record. What `done` gets is kept in memory until the next
write of the target: the next step, the next request to the network, or the end of the attempt. Between `done` and that
write nothing is asked of anybody, so a crash there is a crash just before `done`: the intent is open, and the next
attempt looks for the post before it sends anything.
"""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, Final
from urllib.parse import urlsplit

from signalpost.accounts.token_store import TokenStore
from signalpost.engine.contract import Lease
from signalpost.kit.failpoint import failpoint
from signalpost.networks.contract import Http, Response
from signalpost.publishing.attempt import Attempt
from signalpost.publishing.journal_writer import JournalWrite, JournalWriter
from signalpost.publishing.policy import Intent

PATH_LENGTH_MAX: Final = 500


class TargetJournal:
    """What was done for a target; implements `networks.contract.Journal`.

    Args:
        lease: of the target's lane.
        attempt: keeps what is not written yet.
        writer: of all journals of this process.
    """

    def __init__(self, lease: Lease, attempt: Attempt, writer: JournalWriter) -> None:
        self._lease = lease
        self._attempt = attempt
        self._writer = writer
        self._steps = attempt.due.target.steps
        self.intent = attempt.snapshot.intent
        """The open intent; its row may still have one that `done` closed."""
        self.tokens: TokenStore | None = None
        """Of the session; None before there is one."""

    @property
    def secrets_version(self) -> int:
        """The version of the account's secrets that the network is asked with."""
        return self._attempt.due.account.secrets_version if self.tokens is None else self.tokens.version

    @property
    def steps(self) -> Mapping[str, Any]:
        """See `networks.contract.Journal`."""
        return self._steps

    async def record(self, step: str, value: Any) -> None:
        """See `networks.contract.Journal`."""
        failpoint("before-record")
        await self._write({step: value})
        failpoint("after-record")
        self._steps[step] = value

    async def intend(self, step: str, value: Any) -> None:
        """See `networks.contract.Journal`; on return the call may be made at once.

        Raises:
            AccountDisconnected, SecretsReplaced: see `JournalWriter.write`.
        """
        failpoint("before-intent")
        await self._write({step: value}, intent=step)
        self._steps[step] = value
        failpoint("after-intent")
        self._lease.ensure_fresh()

    async def done(self, step: str, value: Any) -> None:
        """See `networks.contract.Journal`; it is written before the network is asked again, see above."""
        failpoint("before-done")
        attempt = self._attempt
        self._steps[step] = attempt.unwritten[step] = value
        if self.intent is not None and self.intent.step == step:
            self.intent, attempt.intent_closed = None, True
        failpoint("after-done")

    async def before_request(self) -> None:
        """Make the journal ready for a request: all of it is on disk, and the lease of an open intent is fresh."""
        if self._attempt.unwritten:
            await self._write({})
        self.before_send()

    def before_send(self) -> None:
        """Check the lease of an open intent once more when there is a connection, right before the bytes leave.

        Raises:
            LeaseLost: another worker may have taken the target over.
        """
        if self.intent is not None:
            self._lease.ensure_fresh()

    def sending(self) -> AbstractAsyncContextManager[None]:
        """Return the context in which a request is sent: one that may create something ends before the lease does.

        Raises:
            LeaseLost: the lease has expired, or was about to; the next attempt looks for what this one created.
        """
        return nullcontext() if self.intent is None else self._lease.while_fresh()

    async def _write(self, steps: dict[str, Any], intent: str | None = None) -> None:
        """Write these steps with those that wait to be written."""
        attempt = self._attempt
        write = JournalWrite(
            self._lease,
            attempt.target_id,
            attempt.unwritten | steps,
            intent=intent,
            closes_intent=attempt.intent_closed,
            secrets_version=None if intent is None else self.secrets_version,
        )
        at = await self._writer.write(write)
        attempt.unwritten, attempt.intent_closed = {}, False
        if intent is not None:
            is_first = self._steps.get(intent) is None
            self.intent, attempt.intended_at = Intent(intent, steps[intent], at, only=is_first), at


class RecordingHttp:
    """The outgoing client, which keeps the last call for the attempt's record."""

    def __init__(self, http: Http, journal: TargetJournal) -> None:
        self._http = http
        self._journal = journal
        self.request_made: dict[str, str] | None = None
        self.status: int | None = None

    async def request(self, method: str, url: str, **options: Any) -> Response:
        """Send the request, once the journal is ready for it; see `networks.contract.Http`.

        Raises:
            LeaseLost: another worker may have taken the target over.
        """
        await self._journal.before_request()
        failpoint("before-call")
        async with self._journal.sending():
            response = await self.send(method, url, before_send=self._journal.before_send, **options)
        failpoint("after-call")
        return response

    async def send(self, method: str, url: str, **options: Any) -> Response:
        """Send a request that creates no post, whatever becomes of the lease."""
        parts = urlsplit(url)
        path = self.redacted(parts.path)[:PATH_LENGTH_MAX]
        self.request_made = {"method": method, "host": parts.hostname or "", "path": path}
        self.status = None
        response = await self._http.request(method, url, **options)
        self.status = response.status
        return response

    def redacted(self, text: str) -> str:
        """Return `text` without the account's secrets, those included that were renewed meanwhile."""
        tokens = self._journal.tokens
        for secret in () if tokens is None else sorted(tokens.used_secrets, key=len, reverse=True):
            text = text.replace(secret, "[redacted]")
        return text


class RenewingHttp:
    """The client that renews tokens: its requests are kept as well, but none ends with the lease.

    Tokens in a response that nobody waits for would be lost.
    """

    def __init__(self, recording: RecordingHttp) -> None:
        self._recording = recording

    async def request(self, method: str, url: str, **options: Any) -> Response:
        """Send the request; see `networks.contract.Http`."""
        return await self._recording.send(method, url, **options)
