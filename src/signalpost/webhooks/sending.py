"""One attempt: the call and what became of it. No database."""

from functools import lru_cache, partial
from uuid import UUID

from msgspec import Struct

from signalpost.kit import clock, ids
from signalpost.kit.crypto import KeyRing, Undecipherable
from signalpost.kit.http import Client, HttpFailure, MaybeSent, NotSent
from signalpost.webhooks import signing
from signalpost.webhooks.states import ATTEMPTS_MAX, DEADLINE_SECONDS

CONNECT_SECONDS = 3.0
READ_BYTES_MAX = 65_536
RESPONSE_BYTES_MAX = 2_048
ERROR_CHARACTERS_MAX = 500
SECRETS_OPEN_MAX = 1_024


class Attempt(Struct, frozen=True):
    """A delivery as it was claimed, for one attempt. Secrets are sealed; the address stays out of reprs by being here:
    nothing logs an item.
    """

    id: UUID
    webhook_id: UUID
    workspace_id: UUID
    type: str
    body: bytes
    extra: bool  # a resend that was asked for, not one of the schedule
    scheduled: int  # attempts of the schedule that ended before
    crashes: int
    age_seconds: float  # of the delivery
    url: str
    mode: str
    secrets: list[bytes]  # sealed, the current one first


class AttemptResult(Struct, frozen=True):
    """How an attempt ended; `at` on this process's own steady clock. `ours`: not the receiver's fault, nor counted."""

    at: float
    duration_ms: int
    status: int | None = None
    error: str | None = None
    response: str | None = None
    ours: bool = False

    @property
    def delivered(self) -> bool:
        return self.error is None


class Sender:
    """Signs and sends. `brand` is the middle of the header names; `trusted` allows http and private addresses."""

    def __init__(self, http: Client, keys: KeyRing, *, brand: str, version: str, trusted: bool) -> None:
        self._http = http
        # Opening a secret costs as much as signing. A rotated one has other sealed bytes, so nothing goes stale.
        self._unseal = lru_cache(SECRETS_OPEN_MAX)(partial(signing.unseal, keys))
        self._brand = brand
        self._agent = f"Signalpost-Webhooks/{version}"
        self._trusted = trusted

    async def send(self, attempt: Attempt) -> AttemptResult:
        """Make the one call. The head of the answer decides: a 2xx whose body then breaks off has been delivered."""
        started = clock.monotonic()
        try:
            headers = self._headers(attempt)
            answer = await self._http.request(
                "POST",
                attempt.url,
                headers=headers,
                data=attempt.body,
                timeout_seconds=DEADLINE_SECONDS[attempt.mode],
                connect_timeout_seconds=CONNECT_SECONDS,
                bytes_max=READ_BYTES_MAX,
                truncate=True,
                trusted=self._trusted,
            )
        except Undecipherable:
            return _ending(started, error="The secret cannot be opened with this master key; rotate it.")
        except HttpFailure as failure:
            succeeded = isinstance(failure, MaybeSent) and failure.status is not None and 200 <= failure.status < 300
            return _ending(
                started,
                status=failure.status,
                error=None if succeeded else failure.detail[:ERROR_CHARACTERS_MAX],
                ours=isinstance(failure, NotSent) and failure.ours,
            )
        return _ending(started, status=answer.status, error=_complaint(answer.status), response=_kept(answer.body))

    def _headers(self, attempt: Attempt) -> dict[str, str]:
        opened = [self._unseal(attempt.webhook_id, attempt.workspace_id, sealed) for sealed in attempt.secrets]
        return signing.headers(
            brand=self._brand,
            event=attempt.type,
            delivery_id=ids.encode("dlv", attempt.id),
            attempt=min(attempt.scheduled + 1, ATTEMPTS_MAX),
            timestamp=int(clock.now().timestamp()),
            secrets=opened,
            body=attempt.body,
        ) | {"User-Agent": self._agent}


def _ending(
    started: float,
    *,
    status: int | None = None,
    error: str | None = None,
    response: str | None = None,
    ours: bool = False,
) -> AttemptResult:
    at = clock.monotonic()
    return AttemptResult(at, round((at - started) * 1000), status, error, response, ours)


def _complaint(status: int) -> str | None:
    if 200 <= status < 300:
        return None
    if 300 <= status < 400:
        return f"answered {status}; redirects are not followed"
    return f"answered {status}"


def _kept(body: bytes) -> str:
    """The beginning of an answer as text that the database takes: any bytes may have come."""
    return body[:RESPONSE_BYTES_MAX].decode("utf-8", "replace").replace("\0", "")
