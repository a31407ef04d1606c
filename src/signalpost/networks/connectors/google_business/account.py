"""Signing in, the locations that a person manages, and checking one."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final

from signalpost.kit.http import BadResponse
from signalpost.networks import oauth2
from signalpost.networks.connectors.google_business.calls import OAUTH, call, explain
from signalpost.networks.contract import (
    ApiError,
    AuthorizationCode,
    BadCredentials,
    Destination,
    Health,
    Identity,
    NetworkSession,
    OAuthApp,
    Refused,
    Response,
    Server,
)
from signalpost.networks.responses import members, string

ACCOUNTS_LENGTH, LOCATIONS_LENGTH = 20, 100
"""Of a page; Google gives no more."""
LOCATIONS_MAX, ACCOUNTS_MAX, PAGE_BYTES_MAX = 500, 200, 2_000_000
_ACCOUNTS: Final = "/v1/accounts"
_MASK: Final = "name,title,languageCode,storefrontAddress,categories,metadata"
_NONE: Final = (
    "This Google account manages no business. Sign in with one that is owner or manager of a Business Profile, "
    "or ask its owner to add it."
)
_GONE: Final = "Google no longer gives access to this location."
_UNVERIFIED: Final = "Google has not verified this location, or its profile is suspended."


async def exchange(server: Server, app: OAuthApp, code: AuthorizationCode) -> Identity:
    """Redeem the code and read who manages the locations: the person's own account comes first."""
    tokens = await oauth2.redeem_code(OAUTH, server, app, code)
    token = tokens.secrets["accessToken"]
    try:
        response = await server.at("management").call(
            "GET", _ACCOUNTS, params={"pageSize": str(ACCOUNTS_LENGTH)}, headers={"Authorization": f"Bearer {token}"}
        )
    except ApiError as error:
        outcome = explain(error)
        if isinstance(outcome, Refused):  # the operator's project, or the permissions that were granted
            raise BadCredentials(f"{outcome.message} {outcome.remediation or ''}".strip()) from None
        raise
    accounts = _listed(response, "accounts")
    if not accounts:
        raise BadCredentials(_NONE)
    account, name = accounts[0], _id(accounts[0], "accounts/")
    if name is None:
        raise BadResponse("the account has no name", status=response.status)
    return Identity(
        remote_id=name,
        username=string(account.get("accountName")) or name,
        display_name=string(account.get("accountName")) or name,
        secrets=tokens.secrets,
        scopes=tokens.scopes,
        token_expires_at=tokens.token_expires_at,
        refreshable=tokens.refreshable,
    )


async def destinations(session: NetworkSession) -> Sequence[Destination]:
    """List the locations of all accounts, each once: groups and organizations share theirs with the people in them."""
    places: dict[str, Destination] = {}
    accounts = [
        account async for account in _pages(session, "management", _ACCOUNTS, "accounts", ACCOUNTS_LENGTH, ACCOUNTS_MAX)
    ]
    for account in accounts:
        account_id = _id(account, "accounts/")
        path = f"/v1/accounts/{account_id}/locations"
        if account_id is None or len(places) >= LOCATIONS_MAX:
            continue
        async for location in _pages(session, "information", path, "locations", LOCATIONS_LENGTH, LOCATIONS_MAX):
            location_id = _id(location, "locations/")
            if location_id is not None and location_id not in places:
                places[location_id] = _destination(location_id, location, account_id)
    return [*places.values()][:LOCATIONS_MAX]


async def check(session: NetworkSession) -> Health:
    """Ask whether the person still manages the location, and Google has verified it."""
    path, query = f"/v1/locations/{session.remote_id}", {"readMask": _MASK}
    response = await call(session, "GET", path, host="information", params=query, expect=(200, 404))
    if response.status == 404:
        return Health(valid=False, can_post=False, message=_GONE)
    location = members(response)
    can_post = is_verified(location) is not False
    return Health(
        can_post=can_post, message=None if can_post else _UNVERIFIED, display_name=string(location.get("title"))
    )  # fmt: skip


async def _pages(
    session: NetworkSession, host: str, path: str, member: str, length: int, maximum: int
) -> AsyncIterator[Mapping[str, Any]]:
    """Read a list page by page, as far as anybody wants to see it."""
    query, count = {"pageSize": str(length)}, 0
    if member == "locations":
        query["readMask"] = _MASK
    while count < maximum:
        response = await call(session, "GET", path, host=host, params=query, bytes_max=PAGE_BYTES_MAX)
        items, token = _listed(response, member), string(members(response).get("nextPageToken"))
        for item in items:
            yield item
        count += len(items)
        if token is None or not items:
            return
        query["pageToken"] = token


def _listed(response: Response, member: str) -> list[Mapping[str, Any]]:
    """Return the entries of a list; Google leaves out one that is empty.

    Raises:
        BadResponse: it is not a list.
    """
    items = members(response).get(member, [])
    if not isinstance(items, list):
        raise BadResponse("the response is not a list", status=response.status)
    return [item for item in items if isinstance(item, dict)]


def _id(entry: Mapping[str, Any], prefix: str) -> str | None:
    """Return what stands behind the prefix of a name: `1` of `accounts/1`."""
    name = string(entry.get("name")) or ""
    entry_id = name.removeprefix(prefix)
    return entry_id if name.startswith(prefix) and entry_id.isascii() and entry_id.isalnum() else None


def _destination(location_id: str, location: Mapping[str, Any], account_id: str) -> Destination:
    title = string(location.get("title")) or location_id
    metadata, verified = _object(location, "metadata"), is_verified(location)
    category = string(_object(_object(location, "categories"), "primaryCategory").get("displayName"))
    identity = Identity(
        remote_id=location_id,
        username=", ".join([title, *_address(location)]),
        display_name=title,
        secrets={},
        kind="location",
        profile_url=string(metadata.get("mapsUri")),
        facts={
            "account": f"accounts/{account_id}",
            "language": string(location.get("languageCode")) or "",
            "verified": verified,
        },
    )
    return Destination(identity=identity, category=category, can_post=verified is not False)


def is_verified(location: Mapping[str, Any]) -> bool | None:
    """Return whether the owner speaks for a location at Google; None if Google says nothing of it.

    Google leaves out members that are false, and no longer fills `canOperateLocalPost`.
    """
    metadata = location.get("metadata")
    return metadata.get("hasVoiceOfMerchant") is True if isinstance(metadata, dict) and metadata else None


def _address(location: Mapping[str, Any]) -> list[str]:
    """Return the street and the town: locations of a chain have the same title."""
    address = _object(location, "storefrontAddress")
    lines = address.get("addressLines")
    street = string(lines[0]) if isinstance(lines, list) and lines else None
    return [part for part in (street, string(address.get("locality"))) if part]


def _object(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    member = value.get(name)
    return member if isinstance(member, dict) else {}
