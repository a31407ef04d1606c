"""Signing in by app password or by authorization, signing out, and checking an account."""

from collections.abc import Mapping
from dataclasses import replace

from signalpost.kit import clock
from signalpost.kit.http import BadResponse, HttpFailure, UnsafeUrl
from signalpost.networks.connectors.bluesky import dpop, oauth
from signalpost.networks.connectors.bluesky.calls import by_oauth, call, expires_at, send, session_ends_at, tokens
from signalpost.networks.connectors.bluesky.facts import FACTS
from signalpost.networks.connectors.bluesky.identity import INVALID_HANDLE, is_did, look_up
from signalpost.networks.contract import (
    ApiError,
    AuthorizationCode,
    BadCredentials,
    Health,
    Identity,
    InvalidField,
    NetworkSession,
    OAuthApp,
    Response,
    Server,
)
from signalpost.networks.responses import members, string, texts


async def connect(server: Server, fields: Mapping[str, str]) -> Identity:
    """Sign in with an app password at the operator's server if there is one, else at `service`, else at bsky.social."""
    entry = _entry(server, fields.get("service", ""))
    # Handles copied from the app carry invisible direction marks.
    name = "".join(char for char in fields.get("identifier", "") if char.isprintable()).strip().removeprefix("@")
    password = fields.get("appPassword", "").strip()
    try:
        response = await _sign_in(entry, name, password)
        did, handle = texts(response, "did", "handle")
    except UnsafeUrl as failure:
        raise InvalidField("service", failure.detail) from None
    except BadResponse:
        raise InvalidField("service", "There is no Bluesky server at this address.") from None
    if not is_did(did):
        raise InvalidField("service", "There is no Bluesky server at this address: it names an account without a DID.")
    account = members(response)
    if account.get("active") is False:
        raise BadCredentials(f"Bluesky reports this account as {string(account.get('status')) or 'not active'}.")
    home = replace(entry, base_url=await _home(entry, did, handle))
    secrets = tokens(response, password)
    display_name, avatar_url = await _profile(home, did)
    username = did if handle == INVALID_HANDLE else handle
    return Identity(
        remote_id=did,
        username=username,
        display_name=display_name or username,
        secrets=secrets,
        base_url=home.base_url,
        avatar_url=avatar_url,
        profile_url=f"https://bsky.app/profile/{did}",
        token_expires_at=expires_at(secrets["refreshJwt"]),
        refreshable=True,
        facts={"did": did, "emailConfirmed": account.get("emailConfirmed") is not False},
    )


async def exchange(server: Server, app: OAuthApp, code: AuthorizationCode) -> Identity:
    """Exchange the code of the callback for tokens, and read the account that they open.

    Any issuer may claim any DID, so the account's own server must be one that this issuer authorizes for.
    """
    did, secrets, scopes = await oauth.redeem(server, app, code)
    home = await oauth.home_of(server, did)
    await oauth.require_issuer(home, secrets["issuer"])
    key, path = dpop.Key(secrets["seed"].encode()), "/xrpc/com.atproto.server.getSession"
    account = await dpop.send(home, key, "GET", path, now=clock.now, token=secrets["accessToken"], timeout_seconds=15.0)
    (handle,) = texts(account, "handle")
    if members(account).get("did") != did:
        raise BadCredentials(f"{home.base_url} takes these tokens for another account's.")
    handle = await _confirmed(home, did, handle)
    display_name, avatar_url = await _profile(home, did)
    return Identity(
        remote_id=did,
        username=handle,
        display_name=display_name or handle,
        secrets=secrets,
        base_url=home.base_url,
        avatar_url=avatar_url,
        profile_url=f"https://bsky.app/profile/{did}",
        scopes=scopes,
        token_expires_at=oauth.ends_at(secrets),
        refreshable="clientKey" in secrets,
        facts={"did": did, "emailConfirmed": members(account).get("emailConfirmed") is not False},
    )


async def _confirmed(home: Server, did: str, handle: str) -> str:
    """Return the handle that a server gives an account, if the account's document agrees; else the DID."""
    if handle == INVALID_HANDLE:
        return did
    return handle if home.trusted or handle.lower() in (await look_up(home, did)).handles else did


def _entry(server: Server, service: str) -> Server:
    """Return the server to sign in at."""
    service = service.strip().rstrip("/")
    if service and "://" not in service:
        service = f"https://{service}"
    if not server.trusted:
        return replace(server, base_url=service or server.base_url)
    if service and service != server.base_url:
        raise InvalidField("service", "This installation uses one fixed Bluesky server; leave this field empty.")
    return server


async def _sign_in(server: Server, name: str, password: str) -> Response:
    path, body = "/xrpc/com.atproto.server.createSession", {"identifier": name, "password": password}
    try:
        return await server.call("POST", path, json=body, timeout_seconds=15.0)
    except ApiError as error:
        status, reply = error.response.status, members(error.response)
        match reply.get("error"):
            case "AuthFactorTokenRequired":
                message = "This is the account's main password. Create an app password at Bluesky and use that."
                raise BadCredentials(message) from None
            case (
                "AuthenticationRequired" | "AccountTakedown" | "AccountDeactivated" | "AccountSuspended"
                | "AccountNotFound"
            ):  # fmt: skip
                message = f"Bluesky rejected the sign-in: {string(reply.get('message')) or reply['error']}"
                raise BadCredentials(message) from None
            case "InvalidRequest" if status == 400:
                raise InvalidField(
                    "identifier", f"Bluesky rejected this value: {string(reply.get('message'))}"
                ) from None
            case None if status < 429:
                raise BadResponse("the server does not speak XRPC", status=status) from None
        raise


async def _home(entry: Server, did: str, handle: str) -> str:
    """Return the address of the account's own server, once the account itself says so.

    The operator's server is believed: nobody else chooses it. bsky.social signs in for many servers; any other one
    speaks only for accounts that are stored there.

    Raises:
        BadCredentials: the account's DID document contradicts the server.
        InvalidField: the account is stored at another server than the one that was named.
        IdentityUnknown: nobody can tell right now.
    """
    if entry.trusted:
        return entry.base_url
    document = await look_up(entry, did)
    if handle != INVALID_HANDLE and handle.lower() not in document.handles:
        raise BadCredentials(f"The server calls this account {handle}; its DID document ({did}) does not.")
    if document.server is None:
        raise BadCredentials(f"The DID document of this account ({did}) names no server.")
    same = document.server.lower() == entry.base_url.lower()
    if not same and (entry.base_url != FACTS.base_url or not document.server.startswith("https://")):
        raise InvalidField("service", f"This account is stored at {document.server}. Enter that address.")
    return document.server


async def _profile(server: Server, did: str) -> tuple[str | None, str | None]:
    """Return display name and avatar address from the account's own profile record; None for what cannot be read."""
    query = {"repo": did, "collection": "app.bsky.actor.profile", "rkey": "self"}
    path = "/xrpc/com.atproto.repo.getRecord"
    try:
        value = members(await server.call("GET", path, params=query, timeout_seconds=5.0)).get("value")
    except (ApiError, HttpFailure):
        return None, None
    if not isinstance(value, dict):
        return None, None
    name, avatar = value.get("displayName"), value.get("avatar")
    reference = avatar.get("ref") if isinstance(avatar, dict) else None
    link = string(reference.get("$link")) if isinstance(reference, dict) else None
    url = f"{server.base_url}/xrpc/com.atproto.sync.getBlob?did={did}&cid={link}" if link else None
    return string(name), url


async def check(session: NetworkSession) -> Health:
    """Ask the server whether the tokens still open the account."""
    account = members(await call(session, "GET", "com.atproto.server.getSession"))
    active = account.get("active") is not False
    return Health(
        can_post=active,
        restricted=not active,
        message=None if active else f"Bluesky reports this account as {string(account.get('status')) or 'not active'}.",
        username=string(account.get("handle")),
        token_expires_at=session_ends_at(session.secrets),
    )


async def revoke(session: NetworkSession) -> None:
    """End the session at the server."""
    if by_oauth(session.secrets):
        await oauth.revoke(session)
    else:
        await send(session, "POST", "com.atproto.server.deleteSession", token=session.secrets["refreshJwt"])
