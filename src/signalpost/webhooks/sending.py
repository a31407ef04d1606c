"""One attempt to deliver: the request and its result. Uses no database."""

from functools import lru_cache, partial
from uuid import UUID

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.crypto import KeyRing, Undecipherable
from signalpost.kit.http import Client, HttpFailure, MaybeSent, NotSent
from signalpost.webhooks import signing
from signalpost.webhooks.states import ATTEMPTS_MAX, DEADLINE_SECONDS, DeliveryMode

CONNECT_SECONDS = 3.0
READ_BYTES_MAX = 65_536
"""How much of a response body is read."""
RESPONSE_BYTES_MAX = 2_048
"""How much of it is stored."""
ERROR_CHARACTERS_MAX = 500
UNSEALED_SECRETS_MAX = 1_024


class Attempt(Struct, frozen=True):
    """A delivery as it was claimed, for one attempt. Secrets are sealed.

    It holds the address, which may contain a credential: never log an attempt.
    """

    id: UUID
    webhook_id: UUID
    workspace_id: UUID
    type: str
    body: bytes
    resend: bool  # requested by a user, outside the schedule
    scheduled: int  # attempts of the schedule that ended before
    crashes: int
    age_seconds: float  # of the delivery
    url: str
    mode: DeliveryMode
    secrets: list[bytes]  # sealed, the current one first

    @property
    def number(self) -> int:
        """The value of X-<Brand>-Attempt."""
        return min(self.scheduled + 1, ATTEMPTS_MAX)


class _PostData(Struct, rename="camel"):
    post_id: str | None = None


class _Envelope(Struct):
    data: _PostData


_read_envelope = msgspec.json.Decoder(_Envelope).decode


def post_of(attempt: Attempt) -> UUID | None:
    """Return the post that the event is about, if it is about one."""
    post_id = _read_envelope(attempt.body).data.post_id
    return None if post_id is None else ids.decode("pst", post_id)


class AttemptResult(Struct, frozen=True):
    """How an attempt ended.

    `at` is on the monotonic clock of this process. `our_fault`: the receiver is not to blame, nothing is counted.
    """

    at: float
    duration_ms: int
    status: int | None = None
    error: str | None = None
    response: str | None = None
    our_fault: bool = False
    timestamp: int | None = None  # as the headers said; None: nothing was sent

    @property
    def delivered(self) -> bool:
        return self.error is None


class Sender:
    """Signs and sends. `brand` is the middle of the header names; `trusted` allows http and private addresses."""

    def __init__(self, http: Client, keys: KeyRing, *, brand: str, version: str, trusted: bool) -> None:
        self._http = http
        # Unsealing a secret costs as much as signing. A rotated secret has other sealed bytes, so no entry gets stale.
        self._unseal = lru_cache(UNSEALED_SECRETS_MAX)(partial(signing.unseal, keys))
        self._brand = brand
        self._user_agent = f"Signalpost-Webhooks/{version}"
        self._trusted = trusted

    async def send(self, attempt: Attempt, *, standard: bool = True) -> AttemptResult:
        """Make the one request. Its status decides: a 2xx whose body then breaks off counts as delivered.

        `standard`: with the headers of Standard Webhooks.
        """
        timestamp = int(clock.now().timestamp())
        return replace(await self._send(attempt, timestamp, standard=standard), timestamp=timestamp)

    async def _send(self, attempt: Attempt, timestamp: int, *, standard: bool) -> AttemptResult:
        started = clock.monotonic()
        try:
            response = await self._http.request(
                "POST",
                attempt.url,
                headers=self.headers(attempt, timestamp, standard=standard),
                data=attempt.body,
                timeout_seconds=DEADLINE_SECONDS[attempt.mode],
                connect_timeout_seconds=CONNECT_SECONDS,
                bytes_max=READ_BYTES_MAX,
                truncate=True,
                trusted=self._trusted,
            )
        except Undecipherable:
            return _result(started, error="The secret cannot be opened with this master key; rotate it.")
        except HttpFailure as failure:
            succeeded = isinstance(failure, MaybeSent) and failure.status is not None and 200 <= failure.status < 300
            return _result(
                started,
                status=failure.status,
                error=None if succeeded else failure.detail[:ERROR_CHARACTERS_MAX],
                our_fault=isinstance(failure, NotSent) and failure.ours,
            )
        return _result(
            started, status=response.status, error=error_of(response.status), response=excerpt(response.body)
        )

    def headers(self, attempt: Attempt, timestamp: int, *, standard: bool = True) -> dict[str, str]:
        """Return the headers of an attempt, signed.

        Raises:
            Undecipherable: see `signing.unseal`.
        """
        secrets = [self._unseal(attempt.webhook_id, attempt.workspace_id, sealed) for sealed in attempt.secrets]
        return signing.headers(
            brand=self._brand,
            event_type=attempt.type,
            delivery_id=ids.encode("dlv", attempt.id),
            attempt_number=attempt.number,
            timestamp=timestamp,
            secrets=secrets,
            body=attempt.body,
            standard=standard,
        ) | {"User-Agent": self._user_agent}


def sender_of(context: AppContext) -> Sender:
    """Return what signs and sends."""
    settings = context.settings
    return Sender(
        context.http.webhooks,
        context.keys,
        brand=settings.brand,
        version=context.version,
        trusted=settings.allow_private_webhooks,
    )


def _result(
    started: float,
    *,
    status: int | None = None,
    error: str | None = None,
    response: str | None = None,
    our_fault: bool = False,
) -> AttemptResult:
    at = clock.monotonic()
    return AttemptResult(at, round((at - started) * 1000), status, error, response, our_fault)


def error_of(status: int) -> str | None:
    """Return why a response with this status is a failure, or None."""
    if 200 <= status < 300:
        return None
    if 300 <= status < 400:
        return f"answered {status}; redirects are not followed"
    return f"answered {status}"


def excerpt(body: bytes) -> str:
    """Return the beginning of a response as text that the database accepts; the body may be any bytes."""
    return body[:RESPONSE_BYTES_MAX].decode("utf-8", "replace").replace("\0", "")
