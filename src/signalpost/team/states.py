"""Which status of a member may follow which. Pure."""

from collections.abc import Mapping
from typing import Final

from signalpost.identity.members import MemberStatus

MOVES: Final[Mapping[MemberStatus, frozenset[MemberStatus]]] = {
    "invited": frozenset({"active", "declined", "expired", "removed"}),
    "active": frozenset({"suspended", "removed"}),
    "suspended": frozenset({"active", "removed"}),
    "declined": frozenset(),
    "expired": frozenset(),
    "removed": frozenset(),
}
"""Who was declined, expired or removed may be invited again: that is another membership."""


def may_move(status: MemberStatus, to: MemberStatus) -> bool:
    """Whether a member in this status may come into the other one."""
    return to in MOVES[status]
