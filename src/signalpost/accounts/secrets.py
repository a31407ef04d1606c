"""How an account's secrets are stored: sealed, and apart from those that it shares. No I/O."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

import msgspec

from signalpost.kit.crypto import KeyRing, SealedColumn, Undecipherable


class NoCredentials(Exception):
    """The account has no credentials that can be opened: it is disconnected, or they were sealed with a lost key."""


def seal(keys: KeyRing, workspace_id: UUID, account_id: UUID, secrets: Mapping[str, str]) -> bytes:
    """Return the secrets as they are stored; the value can be opened only for this account of this workspace."""
    return keys.seal(msgspec.json.encode(dict(secrets)), context=_context(workspace_id, account_id))


def unseal(keys: KeyRing, workspace_id: UUID, account_id: UUID, sealed: bytes) -> dict[str, str]:
    """Return the secrets of an account.

    Raises:
        NoCredentials: they cannot be opened.
    """
    try:
        return msgspec.json.decode(keys.open(sealed, context=_context(workspace_id, account_id)), type=dict[str, str])
    except Undecipherable:
        raise NoCredentials("the account's credentials cannot be opened with the present master key") from None


_OWN = "own:"
"""Begins the names of stored secrets that an account does not share with those of the same grant."""


def with_own(grant: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """Return the secrets of an account that shares a grant, as they are stored."""
    return {**grant, **{f"{_OWN}{name}": value for name, value in own.items()}}


def grant_secrets(stored: Mapping[str, str]) -> dict[str, str]:
    """Return the secrets of the grant alone; all of an account that has one of its own."""
    return {name: value for name, value in stored.items() if not name.startswith(_OWN)}


def session_secrets(stored: Mapping[str, str]) -> dict[str, str]:
    """Return the secrets that a session uses: those of the grant with the account's own on top."""
    own = {name.removeprefix(_OWN): value for name, value in stored.items() if name.startswith(_OWN)}
    return grant_secrets(stored) | own


def _context(workspace_id: UUID, account_id: UUID) -> str:
    return f"account.secrets|{account_id}|{workspace_id}"


SEALED: Final = SealedColumn(
    "account", {"id": "uuid"}, "secrets", lambda row: _context(row["workspace_id"], row["id"]), ("workspace_id",)
)
