"""Signing in and out, and looking after an account."""

from collections.abc import Mapping
from typing import Any

from signalpost.kit.http import BadAnswer, HttpFailure, UnsafeUrl
from signalpost.networks.connectors.bluesky.calls import call, expires_at, explain, send, tokens
from signalpost.networks.connectors.bluesky.facts import FACTS
from signalpost.networks.contract import (
    ApiError,
    BadCredentials,
    Health,
    Http,
    Identity,
    InvalidField,
    NeedsReconnect,
    NetworkSession,
    Response,
)
from signalpost.networks.responses import members, texts


async def connect(http: Http, base_url: str | None, trusted: bool, fields: Mapping[str, str]) -> Identity:  # noqa: FBT001
    """Sign in with an app password: at the operator's server if one is set, else at `service`, else at bsky.social."""
    service = _service(base_url, fields.get("service", ""))
    # Handles copied from the app carry invisible direction marks.
    name = "".join(char for char in fields.get("identifier", "") if char.isprintable()).strip().removeprefix("@")
    password = fields.get("appPassword", "").strip()
    try:
        response = await _sign_in(http, service, name, password, trusted=trusted)
    except UnsafeUrl as failure:
        raise InvalidField("service", failure.detail) from None
    except BadAnswer:
        raise InvalidField("service", "There is no Bluesky server at this address.") from None
    did, handle = texts(response, "did", "handle")
    told = members(response)
    if told.get("active") is False:
        raise BadCredentials(f"This account is {told.get('status') or 'not active'} at Bluesky.")
    home = base_url or _home(told.get("didDoc")) or service
    sealed = tokens(response, password)
    display_name, avatar_url = await _profile(http, home, did, trusted=trusted)
    return Identity(
        remote_id=did,
        username=handle,
        display_name=display_name or handle,
        secrets=sealed,
        base_url=home,
        avatar_url=avatar_url,
        profile_url=f"https://bsky.app/profile/{did}",
        token_expires_at=expires_at(sealed["refreshJwt"]),
        refreshable=True,
        facts={"did": did, "emailConfirmed": told.get("emailConfirmed") is not False},
    )


async def _sign_in(http: Http, service: str, name: str, password: str, *, trusted: bool) -> Response:
    response = await http.request(
        "POST", f"{service}/xrpc/com.atproto.server.createSession", json={"identifier": name, "password": password},
        trusted=trusted, timeout_seconds=15.0,
    )  # fmt: skip
    if response.status == 200:
        return response
    told = members(response)
    match told.get("error"):
        case "AuthFactorTokenRequired":
            raise BadCredentials("This is the account's main password. Make an app password at Bluesky and use that.")
        case "AuthenticationRequired" | "AccountTakedown" | "AccountDeactivated" | "AccountNotFound":
            raise BadCredentials(f"Bluesky does not let us in: {told.get('message') or told['error']}")
        case "InvalidRequest" if response.status == 400:
            raise InvalidField("identifier", f"Bluesky does not take this: {told.get('message')}")
        case None if response.status < 429:
            raise BadAnswer("no XRPC here", status=response.status)
    raise ApiError(response, "POST /xrpc/com.atproto.server.createSession")


def _service(base_url: str | None, given: str) -> str:
    given = given.strip().rstrip("/")
    if given and "://" not in given:
        given = f"https://{given}"
    if base_url is None:
        return given or str(FACTS.base_url)
    if given and given != base_url.rstrip("/"):
        raise InvalidField("service", "This installation talks to one Bluesky server only; leave this empty.")
    return base_url.rstrip("/")


def _home(did_document: Any) -> str | None:
    """Return the https address of the account's own server from its DID document."""
    services = did_document.get("service") if isinstance(did_document, dict) else None
    for service in services if isinstance(services, list) else ():
        if isinstance(service, dict) and str(service.get("id")).endswith("#atproto_pds"):
            address = str(service.get("serviceEndpoint")).rstrip("/")
            return address if address.startswith("https://") else None
    return None


async def _profile(http: Http, home: str, did: str, *, trusted: bool) -> tuple[str | None, str | None]:
    """Return display name and avatar address from the account's own profile record; they are no reason to fail."""
    query = {"repo": did, "collection": "app.bsky.actor.profile", "rkey": "self"}
    try:
        response = await http.request(
            "GET", f"{home}/xrpc/com.atproto.repo.getRecord", params=query, trusted=trusted, timeout_seconds=5.0
        )
    except HttpFailure:
        return None, None
    value = members(response).get("value")
    if response.status != 200 or not isinstance(value, dict):
        return None, None
    name, avatar = value.get("displayName"), value.get("avatar")
    link = avatar.get("ref", {}).get("$link") if isinstance(avatar, dict) else None
    address = f"{home}/xrpc/com.atproto.sync.getBlob?did={did}&cid={link}" if isinstance(link, str) else None
    return (name if isinstance(name, str) and name else None), address


async def check(session: NetworkSession) -> Health:
    """Look whether the tokens still open the account."""
    try:
        told = members(await call(session, "GET", "com.atproto.server.getSession"))
    except ApiError as error:
        outcome = explain(error)
        if isinstance(outcome, NeedsReconnect):
            return Health(valid=False, message=outcome.message, can_post=False, restricted=outcome.restricted)
        raise
    active = told.get("active") is not False
    return Health(
        valid=True,
        can_post=active,
        restricted=not active,
        message=None if active else f"The account is {told.get('status') or 'not active'} at Bluesky.",
        username=told.get("handle"),
        token_expires_at=expires_at(session.secrets["refreshJwt"]),
    )


async def revoke(session: NetworkSession) -> None:
    """End the session at the server."""
    await send(session, "POST", "com.atproto.server.deleteSession", token=session.secrets["refreshJwt"])
