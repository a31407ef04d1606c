"""Who a DID belongs to. Any server may claim any DID, so it is looked up: its document names handle and server.

did:plc in the directory of Bluesky, did:web at the host that it names. What the two say comes from the account's owner.
"""

import re
from typing import Any
from urllib.parse import unquote

from msgspec import Struct

from signalpost.kit.http import HttpFailure, UnsafeUrl
from signalpost.networks.contract import BadCredentials, IdentityUnknown, Server
from signalpost.networks.responses import members, string

LOOKUP_SECONDS = 10.0
DOCUMENT_BYTES_MAX = 100_000
INVALID_HANDLE = "handle.invalid"
"""What servers say while a handle does not lead to its account."""
_PLC = re.compile(r"did:plc:[a-z2-7]{24}")
_WEB = re.compile(r"did:web:[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?(?:%3[Aa][0-9]{1,5})?")
_LISTED_MAX = 100
_HANDLE = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,30}[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?")
HANDLE_LENGTH_MAX = 253


class DidDocument(Struct, frozen=True):
    """What a DID document says."""

    handles: tuple[str, ...]
    server: str | None
    """Where the account's posts are stored: scheme and host, no slash at the end."""


def is_did(value: str) -> bool:
    """Return whether this is a DID of one of the two kinds that Bluesky accepts."""
    return len(value) <= 300 and (_PLC.fullmatch(value) or _WEB.fullmatch(value)) is not None


def is_handle(value: str) -> bool:
    """Return whether this, in lower case, has the form of a handle."""
    return len(value) <= HANDLE_LENGTH_MAX and _HANDLE.fullmatch(value) is not None


async def look_up(server: Server, did: str) -> DidDocument:
    """Return the document of a DID that `is_did`.

    Raises:
        BadCredentials: there is no such account, or its document cannot be used.
        IdentityUnknown: nobody can tell right now.
    """
    plc = did.startswith("did:plc:")
    host = unquote(did.removeprefix("did:web:"))
    url = f"{server.directory_url}/{did}" if plc else f"https://{host}/.well-known/did.json"
    where = "the directory of Bluesky accounts" if plc else host
    try:
        response = await server.http.request(
            "GET", url, timeout_seconds=LOOKUP_SECONDS, bytes_max=DOCUMENT_BYTES_MAX, trusted=plc
        )
    except UnsafeUrl as failure:
        raise BadCredentials(f"The account {did} cannot be looked up: {failure.detail}.") from None
    except HttpFailure as failure:
        raise IdentityUnknown(f"The account {did} could not be looked up: {where}: {failure.detail}.") from None
    if response.status in {404, 410}:
        raise BadCredentials(f"There is no account {did}: {where} does not know it.")
    if response.status != 200:
        raise IdentityUnknown(
            f"The account {did} could not be looked up: {where} answered with status {response.status}."
        )
    document = members(response)
    if document.get("id") != did:
        raise BadCredentials(f"What {where} says about {did} is not about it.")
    return DidDocument(_handles(document.get("alsoKnownAs")), _server(document.get("service"), did))


def _handles(names: Any) -> tuple[str, ...]:
    listed = names[:_LISTED_MAX] if isinstance(names, list) else []
    return tuple(name.removeprefix("at://").lower() for name in listed if (string(name) or "").startswith("at://"))


def _server(services: Any, did: str) -> str | None:
    for service in services[:_LISTED_MAX] if isinstance(services, list) else ():
        if isinstance(service, dict) and service.get("id") in {"#atproto_pds", f"{did}#atproto_pds"}:
            address = (string(service.get("serviceEndpoint")) or "").rstrip("/")
            return address if re.fullmatch(r"https?://[A-Za-z0-9.:\[\]-]{1,260}", address) else None
    return None
