"""What comes out of a connector."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from msgspec import Struct


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


class PreflightIssue(Struct, omit_defaults=True):
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

    valid: bool = True
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
