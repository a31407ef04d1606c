"""How a network that pushes says that something was written under a post of an account."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from msgspec import Struct

from signalpost.networks.contract.server import NetworkSession


class Hint(Struct, frozen=True):
    """Something may be new below a post: the remote ids of the account, and of the post as it may be called there."""

    account_id: str
    post_ids: tuple[str, ...]


class CommentPush(Struct, frozen=True, kw_only=True):
    """A network that calls a webhook of the operator's app, signed with its secret (`X-Hub-Signature-256`).

    What it sends is a hint where to look, and nothing of it is stored.
    """

    read: Callable[[Any], Sequence[Hint]]
    """Read the decoded JSON of a call; what it does not know is left out. Never raises, and calls nothing."""
    subscribe: Callable[[NetworkSession], Awaitable[None]] | None = None
    """Have an account's comments pushed; repeating it does no harm. None: those of all accounts of the app are."""
    unsubscribe: Callable[[NetworkSession], Awaitable[None]] | None = None
    """End that."""
    scopes: tuple[tuple[str, ...], ...] = ()
    """Permissions that `subscribe` needs; one tuple for each login."""
