"""What a target waits for although it could be due: approval, its account, the plan, its network. Pure."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final, Literal, NamedTuple
from uuid import UUID

from signalpost.kit import ids
from signalpost.posts.states import OVER, HeldReason, TargetStatus

HoldReason = HeldReason | Literal["network"]

USABLE: Final = frozenset({"active", "expiring"})
"""Statuses of accounts that can publish."""
OVER_LIMIT: Final = "over_limit"
"""Stands for the status of a usable account that the plan does not cover, or whose profile it does not cover."""
_NAMED_MAX: Final = 3
"""So many holds have a sentence each."""


class Waiting(NamedTuple):
    """A target, as far as it decides what it waits for. `paused_until`: its network keeps the account waiting."""

    account_id: UUID
    position: int
    platform: str
    username: str
    status: TargetStatus
    queued: bool
    held_reason: HeldReason | None
    account_status: str
    paused_until: datetime | None


class Hold(NamedTuple):
    """Why a target cannot be published, and what to do about it."""

    target: Waiting
    reason: HoldReason
    code: str
    message: str
    remediation: str | None
    until: datetime | None = None


def holds_of(post_id: UUID, profile_id: UUID, targets: Iterable[Waiting]) -> list[Hold]:
    """Return why targets of a post that are not over cannot be published as things are, those of drafts included.

    An approval is missed once, whatever the number of targets.
    """
    holds: list[Hold] = []
    for target in targets:
        hold = None if target.status in (*OVER, "cancelled") else _hold(post_id, profile_id, target)
        if hold is not None and not (hold.reason == "approval" and holds):
            holds.append(hold)
    return holds


def message_of(holds: Iterable[Hold]) -> str:
    """Return all of them in a few sentences."""
    sentences = list(dict.fromkeys(hold.message for hold in holds))
    if len(sentences) > _NAMED_MAX:
        sentences[_NAMED_MAX:] = [f"{len(sentences) - _NAMED_MAX} more targets wait too."]
    return " ".join(sentences)


def _hold(post_id: UUID, profile_id: UUID, target: Waiting) -> Hold | None:
    name = f"{target.username} on {target.platform}"
    if target.held_reason == "approval":
        return Hold(
            target, "approval", "approval_required", "The post waits for approval.",
            f"Someone who may approve posts has to: POST /api/v1/posts/{ids.encode('pst', post_id)}/approve.",
        )  # fmt: skip
    if target.held_reason == "plan" or target.account_status == OVER_LIMIT:
        return Hold(
            target, "plan", "plan_limit", f"The account {name} or its profile is over the limits of the plan.",
            "Choose a larger plan, or disconnect accounts that are not needed.",
        )  # fmt: skip
    if target.account_status not in USABLE:
        return _account_hold(profile_id, target, name)
    if target.held_reason == "account":
        return Hold(target, "account", "account_not_ready", f"The account {name} could not publish.", None)
    if target.paused_until is not None:
        sentence = f"{target.platform} asked the account {target.username} to wait."
        return Hold(target, "network", "rate_limited", sentence, None, target.paused_until)
    return None


def _account_hold(profile_id: UUID, target: Waiting, name: str) -> Hold:
    account = ids.encode("acc", target.account_id)
    flow = f"/api/v1/platforms/{target.platform}/auth-url"
    reconnect = f"GET {flow}?profileId={ids.encode('prof', profile_id)}&accountId={account}"
    match target.account_status:
        case "paused":
            code, sentence = "account_paused", f"The account {name} is paused."
            remediation = f'Resume it: PATCH /api/v1/platforms/accounts/{account} with {{"status": "active"}}.'
        case "restricted":
            code, sentence = "account_restricted", f"{target.platform} does not let the account {target.username} post."
            check = f"GET /api/v1/platforms/accounts/{account}/health?refresh=true"
            remediation = f"Solve it at {target.platform}, then check the account with {check}: the post goes out then."
        case "disconnected":
            code, sentence = "account_disconnected", f"The account {name} is disconnected."
            remediation = f"Connect it again, then submit the post: {reconnect}."
        case _:
            code, sentence = "auth_expired", f"The account {name} has to be connected again."
            remediation = f"Start the reconnect with {reconnect}; the post is then published without further action."
    return Hold(target, "account", code, sentence, remediation)
