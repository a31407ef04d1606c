"""The status of a ticket: who may set which, and what a message does to it. Pure."""

from datetime import datetime, timedelta
from typing import Final, Literal

TicketType = Literal["bug", "question", "billing", "account", "suggestion"]
Status = Literal[
    "open", "in_progress", "waiting_on_user", "resolved", "closed", "planned", "shipped", "declined",
]  # fmt: skip
Author = Literal["user", "staff", "system"]

SUGGESTION: Final = "suggestion"
OF_TICKETS: Final[tuple[Status, ...]] = ("open", "in_progress", "waiting_on_user", "resolved", "closed")
OF_SUGGESTIONS: Final[tuple[Status, ...]] = ("open", "planned", "in_progress", "shipped", "declined", "closed")
OF_AUTHORS: Final[tuple[Status, ...]] = ("open", "closed")
"""What the author may set; staff may set any."""
DECIDED: Final[tuple[Status, ...]] = ("shipped", "declined")
"""What staff decided about a suggestion: its author cannot undo it."""
REOPENED_BY_MESSAGES: Final[tuple[Status, ...]] = ("waiting_on_user", "resolved")
CLOSES_AFTER: Final = timedelta(days=14)
"""How long a resolved ticket waits for its user."""


def statuses_of(kind: str) -> tuple[Status, ...]:
    """Return the statuses that a ticket of this type can have."""
    return OF_SUGGESTIONS if kind == SUGGESTION else OF_TICKETS


def may_author_set(current: str, status: str) -> bool:
    """Whether the author of a ticket may move it so."""
    return status in OF_AUTHORS and (current not in DECIDED or current == status)


def is_closed(status: str, resolved_at: datetime | None, now: datetime) -> bool:
    """Whether the ticket takes no messages: also if it should have closed itself already."""
    if status == "resolved" and resolved_at is not None:
        return now - resolved_at > CLOSES_AFTER
    return status == "closed"


def after_message(status: Status, by: Author) -> Status:
    """Return the status of an open ticket after a message: one of a user reopens what waited for it."""
    return "open" if by == "user" and status in REOPENED_BY_MESSAGES else status
