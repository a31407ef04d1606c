"""The process context: everything that a process has one of. Functions that need it take it as an argument.

A room reaches upward in two ways, which `main` connects: `emit` reports a fact to those who subscribed to it; a hook
asks a room above a question, or lets it do its part or refuse.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, Literal, NamedTuple, Protocol, TypeVar
from uuid import UUID

from signalpost.engine.engine import Engine
from signalpost.events import Actor, Event, PublicEvent
from signalpost.kit.crypto import KeyRing
from signalpost.kit.db import Database, Db
from signalpost.kit.http import Clients
from signalpost.settings import Settings

requested_url: ContextVar[str | None] = ContextVar("requested_url", default=None)
"""Scheme, host and port of the current request, unless SIGNALPOST_BASE_URL says where the service is."""

E = TypeVar("E", bound=Event)
S = TypeVar("S")
Subscriber = Callable[["AppContext", Db, Sequence[E]], Awaitable[None]]
"""(context, db, events); writes rows only. What it raises undoes the whole change."""


class MediaUse(NamedTuple):
    """How often a file is used: in all, by what is not published yet, and by what is live."""

    posts: int = 0
    waiting: int = 0
    live: int = 0


class TrashedPosts(NamedTuple):
    """What became of the posts of a deleted profile."""

    trashed: int
    cancelled: int


class DeletedProfile(NamedTuple):
    """A profile that is being deleted in this transaction, with a key of this mode."""

    workspace_id: UUID
    profile_id: UUID
    actor: Actor
    mode: Literal["live", "test"]
    at: datetime


class DisconnectedAccount(NamedTuple):
    """An account that is being disconnected in this transaction."""

    workspace_id: UUID
    account_id: UUID
    actor: Actor
    at: datetime


class CreateDefaultProfile(Protocol):
    """`identity` asks, `profiles` answers: create the first profile of a new workspace; return its id.

    `timezone` is None if nobody chose one.
    """

    async def __call__(self, db: Db, workspace_id: UUID, *, name: str, timezone: str | None) -> UUID: ...


class ProfileExists(Protocol):
    """Rooms below and beside `profiles` ask, `profiles` answers."""

    async def __call__(self, db: Db, workspace_id: UUID, profile_id: UUID) -> bool: ...


class MediaExists(Protocol):
    """`profiles` asks, `media` answers: whether there is this file, of this mode, for a caller.

    `profile_ids`: those that the caller is limited to, or None. `uploader`: as `Caller` has it.
    """

    async def __call__(
        self,
        db: Db,
        workspace_id: UUID,
        media_id: UUID,
        *,
        profile_ids: Sequence[UUID] | None,
        uploader: str,
        live: bool,
    ) -> bool: ...


class CountMediaUses(Protocol):
    """`media` asks, `posts` answers: the uses of those files that have any."""

    async def __call__(self, db: Db, workspace_id: UUID, media_ids: Sequence[UUID]) -> Mapping[UUID, MediaUse]: ...


class CountWaitingPosts(Protocol):
    """`profiles` asks, `posts` answers: how many posts of the profile are still to be published, or repeated.

    Nobody puts another one on the queue until the transaction ends.
    """

    async def __call__(self, db: Db, workspace_id: UUID, profile_id: UUID, /) -> int: ...


class TrashProfilePosts(Protocol):
    """`profiles` asks, `posts` answers: move the posts of a profile to the trash, off the queue.

    Raises:
        InvalidState: a network is receiving one of them at this moment.
        TestModeOnlySandbox: one of them is live, and the mode is test.
    """

    async def __call__(self, context: "AppContext", db: Db, profile: DeletedProfile, /) -> TrashedPosts: ...


class DisconnectProfileAccounts(Protocol):
    """`profiles` asks, `accounts` answers: disconnect every account of a profile; return how many there were.

    Raises:
        TestModeOnlySandbox: one of them is live, and the mode is test.
    """

    async def __call__(self, context: "AppContext", db: Db, profile: DeletedProfile, /) -> int: ...


class FailWaitingTargets(Protocol):
    """`accounts` asks, `posts` answers: fail what waits for an account; return the ids of the posts concerned."""

    async def __call__(self, context: "AppContext", db: Db, account: DisconnectedAccount, /) -> list[UUID]: ...


class InvitedAccount(NamedTuple):
    """An account that a guest has connected by an invitation, in this transaction."""

    workspace_id: UUID
    invite_id: UUID
    account_id: UUID
    platform: str
    username: str


class RequireOpenInvite(Protocol):
    """`accounts` asks, `invites` answers, before a guest goes on.

    Raises:
        InviteExpired, InviteRevoked, InviteUsed: the invitation has ended.
    """

    async def __call__(self, db: Db, workspace_id: UUID, invite_id: UUID, /) -> None: ...


class RecordInvitedAccount(Protocol):
    """`accounts` asks, `invites` answers: note at an invitation what was connected by it.

    Raises:
        InviteExpired, InviteRevoked, InviteUsed: the invitation ended meanwhile.
    """

    async def __call__(self, db: Db, account: InvitedAccount, /) -> None: ...


class RenderedPage(NamedTuple):
    """A page for a person: HTML and the headers that belong to it."""

    body: bytes
    headers: dict[str, str]


class RenderPage(Protocol):
    """`accounts` asks, `console` answers: a page in the style of all others, with a title and one paragraph.

    `continue_url`: where the browser moves on at once.
    """

    async def __call__(
        self, context: "AppContext", *, title: str, text: str, continue_url: str | None = None
    ) -> RenderedPage: ...


class WebhookSecret(NamedTuple):
    """A new secret, as it is shown once, and as it is stored; and the IP address of its host, if it was looked up."""

    plain: str
    sealed: bytes
    address: str | None = None


class PrepareWebhook(Protocol):
    """`status` asks, `webhooks` answers: check an address, and return a secret for `owner_id`.

    Raises:
        UnsafeAddress: the service must not connect to it; `path` is where the request named it.
        HostNotFound: its host does not resolve.
    """

    async def __call__(self, context: "AppContext", owner_id: UUID, url: str, *, path: str) -> WebhookSecret: ...


class StatusNotice(NamedTuple):
    """What a subscriber of the service status receives. `attempts`: how many failed before."""

    id: UUID
    subscriber_id: UUID
    url: str
    secret: bytes
    type: str
    body: bytes
    attempts: int


class SendStatusNotice(Protocol):
    """`status` asks, `webhooks` answers: sign and send once; return why it failed, or None."""

    async def __call__(self, context: "AppContext", notice: StatusNotice, /) -> str | None: ...


class PublishStatusPage(Protocol):
    """`status` asks, `console` answers: write the page to the data folder, for when the database is down."""

    async def __call__(self, context: "AppContext", /) -> None: ...


class PostsOf(NamedTuple):
    """Posts of a workspace and mode, of some profiles or of all: None."""

    workspace_id: UUID
    mode: str
    plan: str
    profile_ids: Sequence[UUID] | None


class HoursByDay(NamedTuple):
    """The hours of each day of the week (the first is Monday), best first, and what says so."""

    basis: Literal["history", "defaults"]
    hours: Sequence[Sequence[int]]


class BestHours(Protocol):
    """`posts` asks, `analytics` answers: at which hours, in a zone, such posts do best."""

    async def __call__(self, db: Db, whose: PostsOf, timezone: str, /) -> HoursByDay: ...


class EndCommentPush(Protocol):
    """`accounts` asks, `comments` answers: have a network push no more comments of an account that was disconnected.

    `session`: what its connector still reaches it with (`networks.contract.NetworkSession`).
    """

    async def __call__(self, context: "AppContext", platform: str, remote_id: str, session: Any, /) -> None: ...


async def _no_push(_context: "AppContext", _platform: str, _remote_id: str, _session: Any, /) -> None:
    pass  # where the extension is off, nothing was subscribed to


class KeyOfApp(Protocol):
    """`identity` asks, `apps` answers: which API key an access token of an app stands for; None: it is unknown.

    Raises:
        TokenExpired, KeyRevoked: the token, or its app, has ended.
    """

    async def __call__(self, context: "AppContext", db: Db, bearer: str, /) -> UUID | None: ...


class RevokeLeakedAppToken(Protocol):
    """`api_keys` asks, `apps` answers: revoke what a token or secret of an app gives, for good, and mail its people.

    `url`: where it was found. `source`: who reports it. Returns the ids of the keys that ended; None: it is unknown.
    """

    async def __call__(self, context: "AppContext", text: str, url: str, source: str, /) -> list[UUID] | None: ...


async def _no_leaked_app_token(_context: "AppContext", _text: str, _url: str, _source: str, /) -> list[UUID] | None:
    return None


async def _no_app(_context: "AppContext", _db: Db, _bearer: str, /) -> UUID | None:
    return None  # where the extension is off, no app has a token


async def _unanswered(*_arguments: Any, **_options: Any) -> Any:
    raise LookupError("no room answers this hook; `main.wiring.hooks` connects them")


@dataclass(frozen=True, kw_only=True)
class Hooks:
    """Questions of lower rooms that higher rooms answer, inside the transaction of the one who asks if there is one."""

    create_default_profile: CreateDefaultProfile = _unanswered
    profile_exists: ProfileExists = _unanswered
    media_exists: MediaExists = _unanswered
    count_media_uses: CountMediaUses = _unanswered
    count_waiting_posts: CountWaitingPosts = _unanswered
    trash_profile_posts: TrashProfilePosts = _unanswered
    disconnect_profile_accounts: DisconnectProfileAccounts = _unanswered
    fail_waiting_targets: FailWaitingTargets = _unanswered
    require_open_invite: RequireOpenInvite = _unanswered
    record_invited_account: RecordInvitedAccount = _unanswered
    render_page: RenderPage = _unanswered
    prepare_webhook: PrepareWebhook = _unanswered
    send_status_notice: SendStatusNotice = _unanswered
    publish_status_page: PublishStatusPage = _unanswered
    best_hours: BestHours = _unanswered
    end_comment_push: EndCommentPush = _no_push
    key_of_app: KeyOfApp = _no_app
    revoke_leaked_app_token: RevokeLeakedAppToken = _no_leaked_app_token


@dataclass(kw_only=True)
class AppContext:
    """Settings, database, clients and keys of this process, and the ways upward."""

    settings: Settings
    database: Database
    http: Clients
    keys: KeyRing
    storage: Any  # obstore.store.ObjectStore, opened by kit.storage
    version: str = "0"
    revision: str = "0"  # the newest schema revision that this program knows
    listening_url: str = "http://127.0.0.1:8000"
    engine: Engine | None = None  # for what ticks it or reads its state; None in a command-line tool
    hooks: Hooks = field(default_factory=Hooks)
    subscribers: defaultdict[type[Event], list[Subscriber[Any]]] = field(default_factory=lambda: defaultdict(list))
    conditions: dict[Subscriber[Any], str] = field(default_factory=dict)
    states: dict[type[Any], Any] = field(default_factory=dict)

    @property
    def base_url(self) -> str:
        """The address under which users reach the service, without a trailing slash.

        That is SIGNALPOST_BASE_URL, else the one that the current request was sent to, else where we listen. A client
        chooses the second one, so what others read, such as a mail or the redirect address of an application, contains
        `fixed_url`.
        """
        return self.settings.base_url or requested_url.get() or self.listening_url

    @property
    def fixed_url(self) -> str:
        """SIGNALPOST_BASE_URL, else the address at which this process listens: no client has a say in it."""
        return self.settings.base_url or self.listening_url

    def state(self, kind: type[S]) -> S:
        """Return this process's only `kind`, made at first use: a cache or a counter that belongs to one room."""
        state: S | None = self.states.get(kind)
        if state is None:
            state = self.states[kind] = kind()
        return state

    def subscribe(self, kind: type[E], subscriber: Subscriber[E], *, when: str = "true") -> None:
        """Call `subscriber(context, db, events)` for events of this kind, after those that subscribed before.

        `when`: SQL without which it has nothing to do, over an event's {workspace_id}, {profile_id}, {mode} and {type}.
        """
        self.subscribers[kind].append(subscriber)
        self.conditions[subscriber] = when

    def heard_sql(self, kind: type[PublicEvent], *, workspace_id: str, profile_id: str, mode: str) -> str:
        """Return whether any subscriber would act on such an event, as SQL; the arguments are SQL of its ids.

        A change that asks this within a read that it needs anyway emits only what has an effect.
        """
        conditions = tuple(self.conditions.get(subscriber, "true") for subscriber in self.subscribers.get(kind, ()))
        return _any_of(conditions, workspace_id, profile_id, mode, kind.type)

    async def emit(self, db: Db, *emitted: Event) -> None:
        """Call each subscriber, once, with those of the events that it subscribed to, in their order.

        Call it inside the transaction of the change: either all of it is committed, or nothing.
        """
        received: dict[Subscriber[Any], list[Event]] = {}
        for event in emitted:
            for subscriber in self.subscribers.get(type(event), ()):
                received.setdefault(subscriber, []).append(event)
        for subscriber, its_events in received.items():
            await subscriber(self, db, its_events)


@cache
def _any_of(conditions: tuple[str, ...], workspace_id: str, profile_id: str, mode: str, event_type: str) -> str:
    names = {"workspace_id": workspace_id, "profile_id": profile_id, "mode": mode, "type": f"'{event_type}'"}
    return " or ".join(condition.format_map(names) for condition in conditions) or "false"
