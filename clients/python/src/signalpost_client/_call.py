"""One call with its retries, without any input or output: both clients do what this says."""

import json
import os
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import quote as url_quote
from uuid import uuid4

from signalpost_client import __version__
from signalpost_client.errors import ConfigurationError, Problem, SignalpostError, UnexpectedResponse, Unreachable
from signalpost_client.errors import problem as problem_of

DEFAULT_URL: Final = "http://127.0.0.1:8000"
WAITS_SECONDS: Final = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Between attempts, if the service does not say how long; the last one holds for all further ones."""
WAIT_MAX_SECONDS: Final = 60.0
"""Whoever has to wait longer gets the problem, which says how long."""
PASSING: Final = frozenset({408, 429, 502, 503, 504})
"""Statuses that pass, whoever answers them: the service or a proxy before it."""
_jitter = random.Random()  # noqa: S311 - spreads clients over time


def quote(segment: str) -> str:
    """Return a value as one segment of a path."""
    if not segment or segment in (".", ".."):
        raise ConfigurationError(f"{segment!r} is not an id.")
    return url_quote(segment, safe="")


@dataclass(frozen=True)
class Config:
    """Where to call, as whom, and how patiently."""

    url: str
    headers: Mapping[str, str]
    retries_max: int

    @classmethod
    def of(cls, api_key: str | None, base_url: str | None, workspace_id: str | None, retries_max: int) -> "Config":
        """Read what is not given from SIGNALPOST_API_KEY and SIGNALPOST_API_URL.

        Raises:
            ConfigurationError: there is no key, it cannot be one, or the address is not a whole one.
        """
        key = (api_key if api_key is not None else os.environ.get("SIGNALPOST_API_KEY", "")).strip()
        if not key:
            raise ConfigurationError("An API key is needed: pass api_key, or set SIGNALPOST_API_KEY.")
        if not re.fullmatch(r"[\x21-\x7e]+", key):
            raise ConfigurationError("The API key has characters that none has. Copy it again, as a whole.")
        url = (base_url or os.environ.get("SIGNALPOST_API_URL") or DEFAULT_URL).strip().rstrip("/")
        if not re.match(r"https?://[^/]", url):
            raise ConfigurationError(
                f"{url!r} is not an address. Give a whole one, such as https://social.example.com."
            )
        headers = {"Authorization": f"Bearer {key}", "User-Agent": f"signalpost-client/{__version__}"}
        if workspace_id:
            headers["X-Workspace-Id"] = workspace_id
        return cls(re.sub(r"(/api)?/v1$", "", url) + "/api/v1", headers, retries_max)


@dataclass
class Call:
    """A call, and what happened to it so far."""

    config: Config
    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    content: Callable[[], Mapping[str, Any]] | None = None
    """Makes the arguments of httpx that hold a body which is not JSON, for each attempt again."""
    headers: Mapping[str, str] = field(default_factory=dict)
    if_match: str | int | None = None
    idempotency_key: str | None = None
    raw: bool = False
    """The answer is a file, or nothing that matters."""
    anonymous: bool = False
    """The address itself is the permission: the key goes nowhere else."""
    once: bool = False
    """Whoever makes the call decides what follows a failure."""
    attempts: int = 0
    unanswered: bool = False
    """An earlier attempt got no answer, so it may have had its effect."""

    def __post_init__(self) -> None:
        if self.method not in ("GET", "HEAD") and self.idempotency_key is None and not self.anonymous:
            self.idempotency_key = f"sdk-{uuid4()}"

    @property
    def url(self) -> str:
        return self.path if self.path.startswith("http") else self.config.url + self.path

    @property
    def request(self) -> dict[str, Any]:
        """What to send: arguments of `request` of httpx."""
        headers = {**({} if self.anonymous else self.config.headers), **self.headers}
        if self.idempotency_key is not None:
            headers["Idempotency-Key"] = self.idempotency_key
        if self.if_match is not None:
            match = str(self.if_match)
            headers["If-Match"] = match if match.startswith(('"', "*", "W/")) else f'"{match}"'
        sent: dict[str, Any] = {"method": self.method, "url": self.url, "headers": headers}
        if params := {name: _parameter(value) for name, value in self.query.items() if value is not None}:
            sent["params"] = params
        if self.content is not None:
            sent |= self.content()
        elif isinstance(self.body, str):
            sent["content"] = self.body.encode()
            headers["Content-Type"] = "text/csv"
        elif self.body is not None:
            sent["content"] = json.dumps(self.body, separators=(",", ":"), allow_nan=False).encode()
            headers["Content-Type"] = "application/json"
        return sent

    @property
    def _retries_max(self) -> int:
        return 0 if self.once else self.config.retries_max

    def failed(self, error: Exception) -> float:
        """Say how long to wait after an attempt without an answer.

        Raises:
            Unreachable: there were enough of them.
        """
        self.unanswered = True
        self.attempts += 1
        if self.attempts <= self._retries_max:
            return self._wait(None)
        reason = str(error) or type(error).__name__
        message = f"{self.config.url} cannot be reached: {reason}. Check the address and that the service runs."
        if self.idempotency_key is not None:
            message += f" Whether the call arrived is not known: the same call with {self.idempotency_key!r} as its"
            message += " idempotency key is safe."
        raise Unreachable(message, idempotency_key=self.idempotency_key) from error

    def answered(self, status: int, headers: Mapping[str, str], content: bytes) -> float | None:
        """Say how long to wait before the next attempt; None: the response stands.

        Raises:
            SignalpostError: the call is refused, and repeating it is useless.
        """
        if status < 300:
            return None
        error = self._error(status, headers, content)
        self.attempts += 1
        seconds = error.retry_after_seconds if isinstance(error, Problem) else retry_after(headers)
        if not self._passes(error, status) or self.attempts > self._retries_max:
            raise error
        if seconds is not None and seconds > WAIT_MAX_SECONDS:
            raise error
        if status >= 500:
            self.unanswered = True  # a 503 does not say that nothing happened
        return self._wait(seconds)

    def result(self, headers: Mapping[str, str], status: int, content: bytes) -> Any:
        """Return what a success contains.

        Raises:
            UnexpectedResponse: it is not JSON.
        """
        if self.raw:
            return content
        if not content:
            return None
        try:
            return json.loads(content)
        except ValueError:
            raise self._unexpected(status, headers) from None

    def _passes(self, error: SignalpostError, status: int) -> bool:
        if isinstance(error, Problem):
            # Any other refusal is stored with the key, and would be answered again.
            return error.retryable and (status >= 500 or status in PASSING or error.code == "idempotency_in_progress")
        return status in PASSING

    def _error(self, status: int, headers: Mapping[str, str], content: bytes) -> SignalpostError:
        try:
            document = json.loads(content)
        except ValueError:
            document = None
        if not isinstance(document, dict) or "code" not in document:
            return self._unexpected(status, headers)
        note = ""
        if self.unanswered and status in (404, 409, 412) and self.method in ("PATCH", "DELETE"):
            note = "An earlier attempt got no answer, and may have done it: read the resource."
        return problem_of(document, status, retry_after_seconds=retry_after(headers), note=note)

    def _unexpected(self, status: int, headers: Mapping[str, str]) -> UnexpectedResponse:
        if 300 <= status < 400:
            where = headers.get("location", "another address")
            message = f"{self.config.url} leads to {where}. If that is your Signalpost, use its address."
        else:
            kind = headers.get("content-type", "").partition(";")[0] or "nothing"
            message = f"{self.config.url} answers {status} with {kind} instead of JSON: a proxy, or not Signalpost."
            message += " Check the address, and what stands before the service."
        return UnexpectedResponse(message, status=status)

    def _wait(self, seconds: float | None) -> float:
        if seconds is not None:
            return seconds + _jitter.uniform(0, min(1.0, 0.1 + seconds / 4))
        return WAITS_SECONDS[min(self.attempts, len(WAITS_SECONDS)) - 1] * _jitter.uniform(0.5, 1.0)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of `Retry-After`, which may be a number or a date."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    if value.isdecimal():
        return float(value)
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def _parameter(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
