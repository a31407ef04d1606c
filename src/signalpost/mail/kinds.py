"""What each template is to its recipient, and how many messages of a kind a mailbox receives in an hour.

A kind has places of its own, so that what one can cause for a stranger never takes the place of what a person needs.
"""

from typing import Final, Literal

Kind = Literal["security", "account", "own", "subscription", "stranger"]

PLACES: Final[dict[Kind, int]] = {
    "security": 20,
    "account": 5,
    "own": 30,
    "subscription": 30,
    "stranger": 10,
}
"""Messages to one mailbox in an hour, from whomever."""

KINDS: Final[dict[str, Kind]] = {
    "password_reset": "security",
    "key_leaked": "security",
    "messenger_linked": "security",
    "welcome": "account",
    "account_attention": "own",
    "account_moved": "own",
    "export_ready": "own",
    "handover_offered": "own",
    "ownership_moved": "security",  # whose card is charged changed: nothing less important takes its place
    "ticket_answered": "own",
    "ticket_written": "own",
    "usage_notice": "own",
    "webhook_disabled": "own",
    "status_incident": "subscription",
    "status_confirm": "stranger",
    "team_invite": "own",  # to whoever shares a workspace with the owner; else `stranger`: see `enqueue`
}
"""Template -> what it is. Whoever adds one decides whether anyone can cause it for a mailbox of a stranger."""
