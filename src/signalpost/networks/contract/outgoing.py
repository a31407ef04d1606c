"""What goes into a connector: a post as one account shall get it, the way to its network, the journal."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from signalpost.networks.contract.facts import Kind


@dataclass(frozen=True, kw_only=True)
class OutgoingMedia:
    """One file of a post; `read()` streams its bytes anew at each call."""

    kind: Kind
    mime_type: str
    size_bytes: int
    sha256: bytes
    width: int | None = None
    height: int | None = None
    duration_ms: int | None = None
    alt_text: str | None = None
    file_name: str = "file"
    read: Callable[[], AsyncIterator[bytes]]

    async def bytes(self) -> bytes:
        """Return the whole file; for networks that take it in one piece."""
        return b"".join([chunk async for chunk in self.read()])


@dataclass(frozen=True, kw_only=True)
class Part:
    """One post of a thread; the first one is the post itself."""

    text: str
    media: tuple[OutgoingMedia, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Outgoing:
    """A post as one account shall get it. `parts[0]` is the post, the rest its thread, never empty.

    `dedupe_key` is the same over all attempts at this target and different for a deliberate "post again".
    """

    dedupe_key: str
    parts: tuple[Part, ...]
    title: str | None = None
    link: str | None = None
    first_comment: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    created_at: datetime
    attempt: int = 1

    @property
    def text(self) -> str:
        return self.parts[0].text

    @property
    def media(self) -> tuple[OutgoingMedia, ...]:
        return self.parts[0].media


class Journal(Protocol):
    """What was already done for this target, kept in the database step by step: a resume goes on where it stopped."""

    @property
    def steps(self) -> Mapping[str, Any]:
        """By step name the last value given to `record`, `intend` or `done`.

        It stays over all attempts at the target. So an open intent stands here too; a connector tells it apart by the
        remote `id`, which only `done` gives.
        """

    async def record(self, step: str, value: Any) -> None:
        """Keep the result of a step that made nothing public: an uploaded blob, a container id. Values are JSON."""

    async def intend(self, step: str, value: Any) -> None:
        """Commit the intent to make something public, before the one call that does so.

        `value` holds what `reconcile` needs to find it again (a record key, the text, the time).

        Raises:
            LeaseLost: another worker owns this target now; the connector lets it pass through.
        """

    async def done(self, step: str, value: Any) -> None:
        """Keep that the intended step is public now; `value` is a mapping with its remote `id`. Closes the intent."""


class Response(Protocol):
    """An HTTP response: what `kit.http.Response` offers."""

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def body(self) -> bytes: ...
    def json(self) -> Any: ...


class Http(Protocol):
    """The outgoing client: deadlines, size caps, SSRF guard and redaction are its business."""

    async def request(  # noqa: PLR0913  the shape of `kit.http.Client.request`
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        data: Any = None,
        params: Mapping[str, str] | None = None,
        timeout_seconds: float = 10.0,
        bytes_max: int = 1_000_000,
        trusted: bool = False,
        truncate: bool = False,
    ) -> Response: ...


class ApiError(Exception):
    """A network answered with an error status; `Connector.explain` turns it into an outcome."""

    def __init__(self, response: Response, call: str) -> None:
        super().__init__(f"{call} answered {response.status}")
        self.response = response
        self.call = call


class BadCredentials(Exception):
    """The credentials given to `connect` do not open an account; the message is safe to show and says what to do."""


class InvalidField(Exception):
    """A field given to `connect` cannot be used: `name` says which, the message why."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


@dataclass(kw_only=True)
class NetworkSession:
    """One account's way to its network.

    `secrets` are the opened credentials; `facts` is what the server told of itself at connect (limits, DID).
    `save_tokens` is called by a connector that got new tokens: they are stored before they are used. A connector that
    finds its tokens old in the middle of other work calls `renew`, never its own `refresh`.
    """

    base_url: str
    trusted: bool  # base_url was set by the operator, so private addresses are allowed
    secrets: Mapping[str, str]
    remote_id: str
    username: str
    facts: Mapping[str, Any]
    http: Http
    save_tokens: Callable[[Mapping[str, str], datetime | None], Awaitable[None]]
    now: Callable[[], datetime]
    refresh_exclusively: Callable[["NetworkSession"], Awaitable[None]] | None = None
    """Runs `Connector.refresh` for one holder of the account at a time; None where nobody else can hold it."""

    async def renew(self, refresh: Callable[["NetworkSession"], Awaitable[None]]) -> None:
        """Have the tokens renewed by `refresh`, or take over those that another process got; `secrets` are new then.

        Raises what `refresh` raises.
        """
        await (self.refresh_exclusively or refresh)(self)

    async def call(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        data: Any = None,
        params: Mapping[str, str] | None = None,
        timeout_seconds: float = 30.0,
        expect: Sequence[int] = (200,),
    ) -> Response:
        """Call `path` on the account's server.

        Raises:
            ApiError: a status outside `expect`.
            kit.http.HttpFailure: no response; NotSent when nothing reached the server, MaybeSent otherwise.
        """
        response = await self.http.request(
            method,
            self.base_url.rstrip("/") + path,
            headers=headers,
            json=json,
            data=data,
            params=params,
            timeout_seconds=timeout_seconds,
            trusted=self.trusted,
        )
        if response.status not in expect:
            raise ApiError(response, f"{method} {path}")
        return response
