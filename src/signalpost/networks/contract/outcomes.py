"""What comes out of a connector.

`http_status` and `response` of an outcome are those of the response it was made from, for the record of the attempt:
`response` is redacted and at most 4 KB (`responses.response_text`). `platform_code` is the network's own error code.
Messages are shown to users.

Each of them cleans and bounds what it is made of (`kit.foreign`), because most of it comes from a server that may say
anything: no connector can forget it, and whatever an outcome holds can be stored and shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from msgspec import Struct

from signalpost.kit import foreign
from signalpost.kit.http import BadResponse

SCOPES_MAX = 100
POLL_SECONDS_MAX = 3_600.0
WAIT_SECONDS_MAX = 86_400.0
RESPONSE_MAX = 4_096

# --- accounts ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Identity:
    """The account that credentials open, and what is stored of it."""

    remote_id: str  # the network's permanent id: connecting the same one again keeps the account
    username: str  # unique on the network, without @
    display_name: str
    secrets: Mapping[str, str]  # sealed before they are stored
    base_url: str | None = None  # the account's own server; None: `Facts.base_url`
    kind: str = "personal"  # personal, page, group, channel, ...: what the API shows as the account's kind
    avatar_url: str | None = None
    profile_url: str | None = None
    scopes: tuple[str, ...] = ()  # granted by the network
    token_expires_at: datetime | None = None  # of the longest-lived token; None: it does not expire
    refreshable: bool = False  # whether `Connector.refresh` moves that date on
    followers: int | None = None
    facts: Mapping[str, Any] = field(
        default_factory=dict
    )  # for `NetworkSession.facts`; `limits` replace those of Facts

    def __post_init__(self) -> None:
        """Clean the values.

        Raises:
            BadResponse: the id or a secret is not one that can be stored; a part of it would be something else.
        """
        usable = [value == "" or foreign.identifier(value, foreign.SECRET_MAX) for value in self.secrets.values()]
        if foreign.identifier(self.remote_id) is None or not all(usable):
            raise BadResponse("the account has an id or a token that cannot be stored")
        username = foreign.line(self.username) or self.remote_id
        _set(
            self,
            username=username,
            display_name=foreign.line(self.display_name) or username,
            avatar_url=foreign.url(self.avatar_url),
            profile_url=foreign.url(self.profile_url),
            scopes=_lines(self.scopes),
            token_expires_at=foreign.instant(self.token_expires_at),
            followers=foreign.integer(self.followers),
            facts=foreign.json(self.facts),
        )


@dataclass(frozen=True, kw_only=True)
class LinkedInstagram:
    """The Instagram account that belongs to a Facebook Page."""

    id: str
    username: str

    def __post_init__(self) -> None:
        """Clean the values."""
        _set(self, id=foreign.line(self.id), username=foreign.line(self.username))


@dataclass(frozen=True, kw_only=True)
class Destination:
    """Something that a grant can post to, and what is stored when it is chosen.

    Id, name, kind, user name and picture are those of `identity`. Its `secrets` hold only what the grant's do not, such
    as a token of the page, and overlay them in its sessions; expiry and renewal are the grant's.
    """

    identity: Identity
    category: str | None = None  # as the network calls it: Bakery
    tasks: tuple[str, ...] = ()  # what the person may do there, in the network's words: CREATE_CONTENT
    can_post: bool = True  # whether that is enough to post
    linked_instagram: LinkedInstagram | None = None

    def __post_init__(self) -> None:
        """Clean the values."""
        _set(self, category=foreign.line_or_none(self.category), tasks=_lines(self.tasks))


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A value that an option can have for one account now, or cannot have."""

    value: str  # as the option takes it; of a flag: "true"
    label: str  # as people know it at the network: the name of a board
    reason: str | None = None  # why the account cannot choose it; shown to users

    def __post_init__(self) -> None:
        """Clean the values.

        Raises:
            BadResponse: the value is none that an option can have.
        """
        if foreign.identifier(self.value) is None:
            raise BadResponse("the network names a value that cannot be stored")
        _set(self, label=foreign.line(self.label) or self.value, reason=foreign.line_or_none(self.reason))


@dataclass(frozen=True, kw_only=True)
class Health:
    """What a check of an account found. None means that the network did not say."""

    valid: bool = True  # whether the credentials open the account
    can_post: bool = True
    restricted: bool = False  # the network blocks the account rather than the credentials
    message: str | None = None  # why it cannot post
    granted: tuple[str, ...] = ()  # permissions
    missing: tuple[str, ...] = ()  # permissions
    followers: int | None = None
    following: int | None = None
    posts: int | None = None  # that the account has at the network
    token_expires_at: datetime | None = None
    username: str | None = None
    display_name: str | None = None
    avatar_url: str | None = None

    def __post_init__(self) -> None:
        """Clean the values."""
        _set(
            self,
            message=foreign.text_or_none(self.message),
            granted=_lines(self.granted),
            missing=_lines(self.missing),
            followers=foreign.integer(self.followers),
            following=foreign.integer(self.following),
            posts=foreign.integer(self.posts),
            token_expires_at=foreign.instant(self.token_expires_at),
            username=foreign.line_or_none(self.username),
            display_name=foreign.line_or_none(self.display_name),
            avatar_url=foreign.url(self.avatar_url),
        )


# --- posts ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Published:
    """The post is public."""

    remote_id: str
    url: str | None
    delivery: Literal["live", "inbox", "private"] = "live"  # inbox, private: a draft at the network, not a public post
    thread_ids: tuple[str, ...] = ()  # remote ids of the thread after the first post
    first_comment_id: str | None = None
    first_comment_error: str | None = None  # why the first comment is missing although the post is public

    def __post_init__(self) -> None:
        """Clean the values; never fail, since the post is public."""
        _set(
            self,
            remote_id=foreign.line(self.remote_id, foreign.URL_MAX),
            url=foreign.url(self.url),
            thread_ids=tuple([foreign.line(remote_id, foreign.URL_MAX) for remote_id in self.thread_ids]),
            first_comment_id=foreign.line_or_none(self.first_comment_id, foreign.URL_MAX),
            first_comment_error=foreign.text_or_none(self.first_comment_error),
        )


@dataclass(frozen=True, kw_only=True)
class Pending:
    """The network accepted the post and is still working on it; `poll` asks again with `state`, which is JSON."""

    state: Mapping[str, Any]
    poll_after_seconds: float = 5.0

    def __post_init__(self) -> None:
        """Clean the values."""
        after = foreign.seconds(self.poll_after_seconds, maximum=POLL_SECONDS_MAX)
        _set(self, state=foreign.json(self.state), poll_after_seconds=5.0 if after is None else after)


@dataclass(frozen=True, kw_only=True)
class Refused:
    """The network will never accept the post as it is."""

    code: str  # one of `codes.CATEGORIES`
    message: str
    rule: str | None = None  # the preflight rule that would have found it
    remediation: str | None = None  # what the user can do, where the code's own advice is too general
    http_status: int | None = None
    platform_code: str | None = None
    response: str | None = None

    def __post_init__(self) -> None:
        """Clean the values."""
        _clean_report(self, platform_code=foreign.line_or_none(self.platform_code))


@dataclass(frozen=True, kw_only=True)
class NeedsReconnect:
    """The credentials no longer work: the user has to connect the account again."""

    message: str
    restricted: bool = False  # the network blocks the account rather than the credentials
    http_status: int | None = None
    platform_code: str | None = None
    response: str | None = None

    def __post_init__(self) -> None:
        """Clean the values."""
        _clean_report(self, platform_code=foreign.line_or_none(self.platform_code))


@dataclass(frozen=True, kw_only=True)
class TryLater:
    """Nothing was created, and the same call may succeed later."""

    message: str
    code: str = "platform_unavailable"  # one of `codes.CATEGORIES`
    after_seconds: float | None = None  # as the network asked; None: it did not say
    limit_of: Literal["account", "app"] = "account"  # of a rate limit: whom it holds up, as the network says
    uncounted: bool = False  # the try does not count: our side is at fault (no free connection, no name server)
    http_status: int | None = None
    platform_code: str | None = None
    response: str | None = None

    def __post_init__(self) -> None:
        """Clean the values."""
        _clean_report(
            self,
            platform_code=foreign.line_or_none(self.platform_code),
            after_seconds=foreign.seconds(self.after_seconds, maximum=WAIT_SECONDS_MAX),
        )


@dataclass(frozen=True, kw_only=True)
class OutcomeUnknown:
    """The post may be public or not; only the network can tell. It is never sent again without asking."""

    message: str
    uncounted: bool = False  # this look for the post does not count, see `TryLater`
    tells_after_seconds: float | None = None  # it was too early to look: when the network can tell
    http_status: int | None = None
    response: str | None = None

    def __post_init__(self) -> None:
        """Clean the values."""
        _clean_report(self)


@dataclass(frozen=True)
class Absent:
    """From `reconcile` only: what was intended is certainly not there, so `publish` may go on from the journal."""


Outcome = Published | Pending | Refused | NeedsReconnect | TryLater | OutcomeUnknown
Reconciled = Published | Absent | OutcomeUnknown | NeedsReconnect | TryLater


def _clean_report(outcome: "Refused | NeedsReconnect | TryLater | OutcomeUnknown", **values: Any) -> None:
    message, response = foreign.text(outcome.message), foreign.text_or_none(outcome.response, RESPONSE_MAX)
    _set(outcome, message=message, response=response, **values)


def _lines(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple([line for value in values[:SCOPES_MAX] if (line := foreign.line(value))])


def _set(result: Any, **values: Any) -> None:
    for name, value in values.items():
        object.__setattr__(result, name, value)


@dataclass(frozen=True, kw_only=True)
class Metrics:
    """The numbers of a post since it was published. None: the network does not give this one; 0 is a number."""

    views: int | None = None
    likes: int | None = None
    comments: int | None = None
    shares: int | None = None
    saves: int | None = None
    clicks: int | None = None
    impressions: int | None = None
    reach: int | None = None
    watch_time_seconds: int | None = None

    def __post_init__(self) -> None:
        """Clean the values."""
        numbers = {name: foreign.integer(value, maximum=foreign.NUMBER_MAX) for name, value in vars(self).items()}
        _set(self, **numbers)


class PreflightIssue(Struct, omit_defaults=True):
    """One thing that a network would refuse, or that the user should know before the post is published."""

    rule: str  # <platform>.<area>.<name>
    path: str
    """A JSON pointer into the target's content {text, media[], title, link, thread[], firstComment, options{}}:
    `/media/0`, `/options/languages`, `/thread/1/text` (the third post of a thread)."""
    message: str
    params: dict[str, Any] | None = None  # the numbers of the message: {"limit": 300, "actual": 310}
    severity: Literal["error", "warning"] = "error"  # a warning does not stop the post
