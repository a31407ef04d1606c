"""What a network connector is: facts plus a few plain async functions. It knows no database, no web and no settings.

A capability exists when its function does. `publish` ends in one of the outcomes below; whatever it does not foresee
becomes `OutcomeUnknown` when the one call that makes a post public may have been sent, and `TryLater` before that.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from msgspec import Struct

Kind = Literal["image", "video", "gif", "document", "audio"]
TextUnit = Literal["grapheme", "code_point", "utf16", "weighted"]


# --- facts ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class TextRule:
    """Limits of a text. `bytes_max` counts UTF-8 bytes; `url_length` is what every http(s) address counts for."""

    max_length: int
    unit: TextUnit = "grapheme"
    bytes_max: int | None = None
    url_length: int | None = None
    mentions_count_local_part_only: bool = False
    required: bool = False


@dataclass(frozen=True, kw_only=True)
class MediaRule:
    """Limits of one kind of media in one post. Sizes in bytes, lengths in milliseconds, areas in pixels."""

    per_post: int
    bytes_max: int
    mime_types: tuple[str, ...]
    duration_ms_max: int | None = None
    pixels_max: int | None = None
    alt_text_max: int | None = None
    mixes_with: tuple[Kind, ...] = ()  # other kinds that may stand beside it, where `Facts.media_mixed` is off


@dataclass(frozen=True, kw_only=True)
class CredentialField:
    """One field of a credential form: `secret` ones are never shown again."""

    name: str
    label: str
    secret: bool = False
    required: bool = True


@dataclass(frozen=True, kw_only=True)
class Option:
    """One allowed key of `options.<platform>`: what values it takes, as a Python type that msgspec can convert to."""

    type: Any
    description: str


@dataclass(frozen=True, kw_only=True)
class Facts:
    """The fact sheet of a network: preflight, capabilities, reference page and settings names come from here."""

    key: str
    name: str
    source: str
    verified_on: str
    base_url: str | None = None  # where the API lives; None: every account brings its own server
    app_credentials: bool = False  # the operator registers an app: SIGNALPOST_<KEY>_CLIENT_ID and _CLIENT_SECRET
    credential_fields: tuple[CredentialField, ...] = ()
    account_kind: str = "personal"
    text: TextRule
    title: TextRule | None = None
    media: Mapping[Kind, MediaRule] = field(default_factory=dict)
    media_mixed: bool = False  # may kinds be mixed in one post
    media_total: int | None = None
    media_required: bool = False
    link: Literal["text", "card"] = "text"  # where `Outgoing.link` goes: into the text, or a card (text beside media)
    thread_parts_max: int = 0  # 0: no threads; else posts in all, the first one counted
    first_comment: bool = False
    alt_text: bool = True
    options: Mapping[str, Option] = field(default_factory=dict)
    dedupes_for_seconds: int | None = None  # how long a repeat with the same key is recognised; None: never
    edits: bool = False
    requests_per_window: tuple[int, int] | None = None  # (requests, seconds) per app, shared by all accounts
    notes: str = ""


# --- what goes in --------------------------------------------------------------------------------------------------


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


class Answer(Protocol):
    """An HTTP answer: what `kit.http.Response` offers."""

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
    ) -> Answer: ...


class Refusal(Exception):
    """A network answered with an error status; `Connector.explain` turns it into an outcome."""

    def __init__(self, answer: Answer, call: str) -> None:
        super().__init__(f"{call} answered {answer.status}")
        self.answer = answer
        self.call = call


class BadCredentials(Exception):
    """The credentials given to `connect` do not open an account; the message is safe to show and says what to do."""


class MisplacedField(Exception):
    """A field given to `connect` cannot be used: `name` says which, the message why."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


@dataclass(kw_only=True)
class Session:
    """One account's way to its network.

    `secrets` are the opened credentials; `facts` is what the server told of itself at connect (limits, DID).
    `renewed` is called by a connector that got new tokens: they are stored before they are used. A connector that finds
    its tokens old in the middle of other work calls `renew`, never its own `refresh`.
    """

    base_url: str
    trusted: bool  # base_url was set by the operator, so private addresses are allowed
    secrets: Mapping[str, str]
    remote_id: str
    username: str
    facts: Mapping[str, Any]
    http: Http
    renewed: Callable[[Mapping[str, str], datetime | None], Awaitable[None]]
    now: Callable[[], datetime]
    alone: Callable[["Session"], Awaitable[None]] | None = None
    """Runs `Connector.refresh` for one holder of the account at a time; None where nobody else can hold it."""

    async def renew(self, refresh: Callable[["Session"], Awaitable[None]]) -> None:
        """Have the tokens renewed by `refresh`, or take over those that another process got; `secrets` are new then.

        Raises what `refresh` raises.
        """
        await (self.alone or refresh)(self)

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
    ) -> Answer:
        """Call `path` on the account's server.

        Raises:
            Refusal: a status outside `expect`.
            kit.http.HttpFailure: no answer; NotSent when nothing reached the server, MaybeSent otherwise.
        """
        answer = await self.http.request(
            method,
            self.base_url.rstrip("/") + path,
            headers=headers,
            json=json,
            data=data,
            params=params,
            timeout_seconds=timeout_seconds,
            trusted=self.trusted,
        )
        if answer.status not in expect:
            raise Refusal(answer, f"{method} {path}")
        return answer


# --- what comes out ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Identity:
    """Who the credentials belong to, and what is kept of them. `secrets` get sealed before they are stored."""

    remote_id: str
    username: str
    display_name: str
    secrets: Mapping[str, str]
    base_url: str | None = None
    kind: str = "personal"
    avatar_url: str | None = None
    profile_url: str | None = None
    scopes: tuple[str, ...] = ()
    token_expires_at: datetime | None = None
    refreshable: bool = False
    followers: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Published:
    """It is public: `remote_id` and `url` say where. `delivery` tells a draft or inbox from a live post."""

    remote_id: str
    url: str | None
    delivery: Literal["live", "inbox", "private"] = "live"
    thread_ids: tuple[str, ...] = ()
    first_comment_id: str | None = None
    first_comment_error: str | None = None
    metrics: Mapping[str, int | None] | None = None


@dataclass(frozen=True, kw_only=True)
class Pending:
    """The network took it and is still working; `poll` asks again with `state`."""

    state: Mapping[str, Any]
    poll_after_seconds: float = 5.0


@dataclass(frozen=True, kw_only=True)
class Refused:
    """The network will never take this as it is. `code` is one of `codes.CATEGORIES` (content_rejected, ...)."""

    code: str
    message: str
    category: str = "platform_rejected"
    rule: str | None = None
    http_status: int | None = None
    platform_code: str | None = None
    response: str | None = None
    remediation: str | None = None


@dataclass(frozen=True, kw_only=True)
class NeedsReconnect:
    """The credential is dead: a person has to connect the account again."""

    message: str
    restricted: bool = False  # the network blocks the account rather than the credential
    http_status: int | None = None
    platform_code: str | None = None
    response: str | None = None


@dataclass(frozen=True, kw_only=True)
class TryLater:
    """Nothing was created, and the same call may work later."""

    message: str
    code: str = "platform_unavailable"
    after_seconds: float | None = None
    http_status: int | None = None
    platform_code: str | None = None
    response: str | None = None


@dataclass(frozen=True, kw_only=True)
class OutcomeUnknown:
    """It may be public or not; only looking at the network can tell. Never sent again blindly."""

    message: str
    http_status: int | None = None
    response: str | None = None


@dataclass(frozen=True)
class Absent:
    """Only from `reconcile`: what was intended is surely not there, so `publish` may go on from the journal."""


Outcome = Published | Pending | Refused | NeedsReconnect | TryLater | OutcomeUnknown
Reconciled = Published | Absent | OutcomeUnknown | NeedsReconnect | TryLater


class Finding(Struct, omit_defaults=True):
    """One preflight finding: `rule` is `<platform>.<area>.<name>`, `path` a JSON pointer into the target's content.

    That content is {text, media[], title, link, thread[], firstComment, options{}}: `/media/0`, `/options/languages`,
    `/thread/1/text` (the third post of a thread).
    """

    rule: str
    path: str
    message: str
    params: dict[str, Any] | None = None
    severity: Literal["error", "warning"] = "error"


@dataclass(frozen=True, kw_only=True)
class Health:
    """What a look at the account told."""

    valid: bool
    message: str | None = None
    can_post: bool = True
    restricted: bool = False
    granted: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    followers: int | None = None
    token_expires_at: datetime | None = None
    username: str | None = None
    display_name: str | None = None
    avatar_url: str | None = None


@dataclass(frozen=True, kw_only=True)
class OAuth:
    """The authorization flow of a network that has one."""

    register: Callable[..., Awaitable[Mapping[str, str]]] | None = None
    """(http, base_url, trusted, redirect_uri, app_name) -> the app, kept per server."""
    authorize_url: Callable[..., str]
    """(base_url, app, redirect_uri, state, code_challenge) -> where to send the person."""
    exchange: Callable[..., Awaitable[Identity]]
    """(http, base_url, trusted, app, redirect_uri, code, code_verifier) -> Identity."""
    own_server: bool = False  # the caller names the server (`instanceUrl`)


@dataclass(frozen=True, kw_only=True)
class Connector:
    """A network. Absent function = absent capability."""

    facts: Facts
    publish: Callable[[Session, Outgoing, Journal], Awaitable[Outcome]]
    explain: Callable[[Refusal], Outcome]
    connect: Callable[[Http, str | None, bool, Mapping[str, str]], Awaitable[Identity]] | None = None
    """(http, operator's base_url or None, trusted, fields) -> Identity.

    Raises BadCredentials, MisplacedField, Refusal, kit.http.HttpFailure.
    """
    oauth: OAuth | None = None
    reconcile: Callable[[Session, Outgoing, Journal], Awaitable[Reconciled]] | None = None
    poll: Callable[[Session, Outgoing, Journal, Mapping[str, Any]], Awaitable[Outcome]] | None = None
    check: Callable[[Session], Awaitable[Health]] | None = None
    refresh: Callable[[Session], Awaitable[None]] | None = None
    """Renew the tokens through `session.renewed`; raises Refusal when the grant is dead."""
    revoke: Callable[[Session], Awaitable[None]] | None = None
    delete: Callable[[Session, str, Sequence[str]], Awaitable[None]] | None = None
    """(session, remote_id, thread_ids): remove it from the network; a missing one counts as removed."""
    preflight: Callable[[Outgoing, Mapping[str, Any]], Sequence[Finding]] | None = None
    """(post, account facts): rules that the general facts cannot say."""
