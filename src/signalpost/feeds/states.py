"""What a feed and an item of it can be, and what is said about it. Texts are for people: the console has them too."""

from collections.abc import Mapping
from typing import Final, Literal

FeedState = Literal["active", "paused", "held"]
ItemState = Literal["waiting", "posted", "before", "filtered", "refused", "skipped"]
PublishMode = Literal["draft", "slot", "now"]
HeldReason = Literal["flood", "rights", "accounts", "gone", "plan"]
ReadError = Literal[
    "unreachable", "unsafe_address", "not_found", "login_needed", "too_often", "server_error", "too_large",
    "too_many_redirects", "not_a_feed", "no_feed", "malformed", "too_much", "plan_limit", "no_free_slot",
]  # fmt: skip

HELD: Final[Mapping[HeldReason, str]] = {
    "flood": "More new items came at once than it may post in a day. Look at them, then go on with or without them.",
    "rights": "Whoever set it up may no longer write such posts. Someone who may goes on with it.",
    "accounts": "None of its accounts is connected any more. Choose others, then go on.",
    "gone": "Its server says that the feed is gone for good.",
    "plan": "The plan has no room for this feed any more.",
}
ERRORS: Final[Mapping[ReadError, str]] = {
    "unreachable": "The server cannot be reached, or it does not respond in time.",
    "unsafe_address": "This address is not public, so the service must not read it.",
    "not_found": "The server has nothing at this address (404).",
    "login_needed": "The server wants a login, or refuses to let the feed be read.",
    "too_often": "The server asks to be read less often.",
    "server_error": "The server has a fault of its own.",
    "too_large": "It is larger than 2 MB.",
    "too_many_redirects": "The address leads on and on, to no feed.",
    "not_a_feed": "What is at this address is neither a feed nor a page that names one.",
    "no_feed": "The page names no feed. Enter the address of the feed itself.",
    "malformed": "The feed is damaged: it is not well-formed XML.",
    "too_much": "The feed takes too much computing to be read.",
    "plan_limit": "The posts of the plan are used up. Items wait until there is room.",
    "no_free_slot": "The slot queue has no free slot. Items wait until there is one.",
}
