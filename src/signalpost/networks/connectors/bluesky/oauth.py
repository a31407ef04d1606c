"""Authorization at Bluesky: the account's server names who authorizes for it, and knows us by what we publish.

The request is pushed there before the person comes (RFC 9126). Each refresh token works once. All calls are proved with
the key of the session, see `dpop`.
"""

import base64
import secrets
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode, urlsplit

from msgspec import Struct

from signalpost.kit import clock
from signalpost.kit.http import BadResponse, UnsafeUrl, parse_url
from signalpost.networks.connectors.bluesky import dpop
from signalpost.networks.connectors.bluesky.dpop import Key
from signalpost.networks.connectors.bluesky.identity import is_did, is_handle, look_up
from signalpost.networks.contract import (
    ApiError,
    AuthorizationCode,
    AuthorizationRequest,
    BadCredentials,
    Installation,
    InvalidField,
    NetworkSession,
    OAuthApp,
    OAuthFacts,
    PushedRequest,
    Response,
    Server,
)
from signalpost.networks.responses import members, number, string, texts

SCOPES = ("atproto", "transition:generic")
OAUTH_FACTS = OAuthFacts(authorize="", scopes=SCOPES, renewal="rotating", access_seconds=300)
DISCOVERY_SECONDS = 10.0
TOKEN_SECONDS = 20.0
SESSION_OF_PUBLIC_CLIENT = timedelta(days=14)
IDLE_MAX = timedelta(days=90)
"""How long the refresh token of a client with a key may lie unused."""
ASSERTION_SECONDS = 60
_LOOPBACK = ("127.0.0.1", "::1")


class _Issuer(Struct, frozen=True, kw_only=True):
    """Who authorizes for an account's server."""

    issuer: str
    authorize: str
    push: str
    redeem: str
    revoke: str


# --- who we are ----------------------------------------------------------------------------------------------------


def client(installation: Installation) -> OAuthApp | None:
    """Return the client that an installation is: one with a key, or on a developer's machine one without.

    Servers read what we publish, so the address must be public; for a loopback address they have a rule instead.
    """
    address = urlsplit(installation.base_url)
    if address.scheme == "https" and installation.public:
        return OAuthApp(client_id=installation.metadata_url, client_secret=_text(installation.keys[0]))
    if address.scheme == "http" and address.hostname in _LOOPBACK:
        query = urlencode({"redirect_uri": installation.redirect_uri, "scope": " ".join(SCOPES)})
        return OAuthApp(client_id=f"http://localhost?{query}", client_secret="none")  # noqa: S106 - it has none
    return None


def describe(installation: Installation) -> Mapping[str, Any]:
    """Return the metadata of the client. A session ends when the key that it began with is no longer listed."""
    keys = [Key(_text(key).encode()) for key in installation.keys]
    return {
        "client_id": installation.metadata_url,
        "client_name": installation.name,
        "client_uri": installation.base_url,
        "application_type": "web",
        "redirect_uris": [installation.redirect_uri],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "scope": " ".join(SCOPES),
        "dpop_bound_access_tokens": True,
        "token_endpoint_auth_method": "private_key_jwt",
        "token_endpoint_auth_signing_alg": "ES256",
        "jwks": {"keys": [{**key.public, "kid": key.id, "use": "sig", "alg": "ES256"} for key in keys]},
    }


def _text(key: bytes) -> str:
    return base64.urlsafe_b64encode(key).decode()


def _is_public_client(client_id: str) -> bool:
    return client_id.startswith("http://localhost")


class _Session(Struct, frozen=True):
    """By which client and with which secret a session is, or is to be, opened."""

    client_id: str
    client_key: str
    seed: str

    async def post(self, server: Server, url: str, form: Mapping[str, str], *, issuer: str) -> Response:
        """Post a form to an issuer, with proofs of the session and, for a client with a key, of the client."""
        return await dpop.send(
            server,
            Key(self.seed.encode()),
            "POST",
            url,
            now=clock.now,
            read=lambda: {**form, **self._client(issuer)},  # each assertion works once
            headers={"Accept": "application/json"},
            timeout_seconds=TOKEN_SECONDS,
            expect=(200, 201),
        )

    def _client(self, issuer: str) -> dict[str, str]:
        if _is_public_client(self.client_id):
            return {"client_id": self.client_id}
        key, now = Key(self.client_key.encode()), int(clock.now().timestamp())
        claims = {"iss": self.client_id, "sub": self.client_id, "aud": issuer, "jti": secrets.token_urlsafe(16)}
        times = {"iat": now, "exp": now + ASSERTION_SECONDS}
        return {
            "client_id": self.client_id,
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": key.sign({"typ": "JWT", "kid": key.id}, {**claims, **times}),
        }


# --- who authorizes ------------------------------------------------------------------------------------------------


async def push(server: Server, app: OAuthApp, request: AuthorizationRequest) -> PushedRequest:
    """Bring the request to whoever authorizes for the account that was named, or else for the server."""
    home, did = await _find_home(server, request.login_hint)
    at = await _find_issuer(home)
    form = {
        "response_type": "code",
        "redirect_uri": request.redirect_uri,
        "scope": " ".join(SCOPES),
        "state": request.state,
        "code_challenge": request.code_challenge,
        "code_challenge_method": "S256",
        **({"login_hint": request.login_hint} if request.login_hint else {}),
    }
    session = _Session(app.client_id, app.client_secret, request.seed)
    response = await session.post(home, at.push, form, issuer=at.issuer)
    (request_uri,) = texts(response, "request_uri")
    query = urlencode({"client_id": app.client_id, "request_uri": request_uri})
    notes = {"seed": request.seed, "did": did, "issuer": at.issuer, "redeem": at.redeem, "revoke": at.revoke}
    return PushedRequest(authorize_url=f"{at.authorize}?{query}", issuer=at.issuer, notes=notes)


async def _find_home(server: Server, hint: str) -> tuple[Server, str]:
    """Return the server of the account that a hint names, and its DID; without one the server itself, and nothing."""
    name = "".join(char for char in hint if char.isprintable()).strip().removeprefix("@").lower()
    if is_did(name):
        did = name
    elif is_handle(name):
        did = await _resolve(server, name)
    else:
        return server, ""
    return await home_of(server, did), did


async def _resolve(server: Server, handle: str) -> str:
    path, query = "/xrpc/com.atproto.identity.resolveHandle", {"handle": handle}
    try:
        response = await server.call("GET", path, params=query, timeout_seconds=DISCOVERY_SECONDS)
    except ApiError as error:
        if error.response.status == 400:
            raise BadCredentials(f"There is no account {handle}.") from None
        raise
    (did,) = texts(response, "did")
    if not is_did(did):
        raise BadCredentials(f"There is no account {handle}.")
    return did


async def home_of(server: Server, did: str) -> Server:
    """Return the server at which an account is stored. That of the operator is believed, see `account`.

    Raises:
        BadCredentials, IdentityUnknown: as `identity.look_up`, or the account's document names no server.
    """
    if server.trusted:
        return server
    address = (await look_up(server, did)).server
    if address is None or not address.startswith("https://"):
        raise BadCredentials(f"The DID document of this account ({did}) names no server.")
    return replace(server, base_url=address)


async def _find_issuer(home: Server) -> _Issuer:
    """Ask a server who authorizes for it; one that names nobody does so itself.

    Raises:
        InvalidField: nobody does.
    """
    resource, issuer = await _metadata(home, "/.well-known/oauth-protected-resource"), home.base_url
    if resource:
        named = resource.get("authorization_servers")
        issuer = named[0] if isinstance(named, list) and len(named) == 1 and string(named[0]) else ""
    path = f"{issuer}/.well-known/oauth-authorization-server"
    metadata = await _metadata(home, path) if _is_origin(issuer) else {}
    names = ("authorization", "pushed_authorization_request", "token", "revocation")
    ends = [string(metadata.get(f"{name}_endpoint")) or "" for name in names]
    # It speaks only for itself: its addresses are its own (RFC 8414, section 3.3).
    if metadata.get("issuer") != issuer or not all(end.startswith(f"{issuer}/") for end in ends):
        raise InvalidField("instanceUrl", f"{home.base_url} offers no authorization. Connect with an app password.")
    return _Issuer(issuer=issuer, authorize=ends[0], push=ends[1], redeem=ends[2], revoke=ends[3])


async def _metadata(server: Server, path: str) -> Mapping[str, Any]:
    """Return what a server publishes; nothing if it says that there is nothing."""
    response = await server.call("GET", path, timeout_seconds=DISCOVERY_SECONDS, expect=range(200, 429))
    return members(response) if response.status == 200 else {}


def _is_origin(address: str) -> bool:
    try:
        return parse_url(address).base_url == address
    except UnsafeUrl:
        return False


async def require_issuer(home: Server, issuer: str) -> None:
    """Ensure that an account's server is one that the issuer of its tokens authorizes for.

    Raises:
        BadCredentials: another one does.
    """
    if (await _find_issuer(home)).issuer != issuer:
        raise BadCredentials(f"{issuer} does not speak for accounts at {home.base_url}.")


# --- tokens --------------------------------------------------------------------------------------------------------


async def redeem(server: Server, app: OAuthApp, code: AuthorizationCode) -> tuple[str, dict[str, str], tuple[str, ...]]:
    """Exchange a code; return the DID that the issuer says, the secrets of the session, and its permissions.

    Raises:
        BadCredentials: the code is not good, or opens another account than the one that was named.
        ApiError, kit.http.HttpFailure: as any call.
    """
    notes = code.notes
    form = {
        "grant_type": "authorization_code",
        "code": code.code,
        "redirect_uri": code.redirect_uri,
        "code_verifier": code.code_verifier,
    }
    try:
        session = _Session(app.client_id, app.client_secret, notes["seed"])
        response = await session.post(server, notes["redeem"], form, issuer=notes["issuer"])
    except ApiError as error:
        if members(error.response).get("error") == "invalid_grant":
            raise BadCredentials("Bluesky no longer accepts this code; start again.") from None
        raise
    did, renewed, scopes = _tokens(response, clock.now())
    if notes["did"] and did != notes["did"]:
        raise BadCredentials("This is another account than the one that was to be connected.")
    client_key = {} if _is_public_client(app.client_id) else {"clientKey": app.client_secret}
    end = clock.now() + (IDLE_MAX if client_key else SESSION_OF_PUBLIC_CLIENT)
    noted = {name: notes[name] for name in ("seed", "issuer", "redeem", "revoke")}
    opened = {"clientId": app.client_id, **client_key, **noted, **renewed, "refreshExpiresAt": clock.wire(end)}
    return did, opened, scopes


async def refresh(session: NetworkSession) -> None:
    """Redeem the refresh token, which works once.

    Raises:
        ApiError, kit.http.HttpFailure: as any call; `BadResponse` if the tokens are another account's.
    """
    held = session.secrets
    form = {"grant_type": "refresh_token", "refresh_token": held.get("refreshToken", "")}
    response = await _of_account(session, held["redeem"], form)
    did, renewed, _ = _tokens(response, session.now())
    if did != session.remote_id:
        raise BadResponse("the tokens are another account's", status=response.status)
    if "clientKey" in held:
        renewed["refreshExpiresAt"] = clock.wire(session.now() + IDLE_MAX)
    merged = {**held, **renewed}
    await session.save_tokens(merged, ends_at(merged))
    session.secrets = merged


async def revoke(session: NetworkSession) -> None:
    """End the session at the issuer."""
    await _of_account(session, session.secrets["revoke"], {"token": session.secrets["refreshToken"]})


def ends_at(secrets: Mapping[str, str]) -> datetime:
    """Return when the session ends unless it is renewed, or at all if the client has no key."""
    return datetime.fromisoformat(secrets["refreshExpiresAt"])


async def _of_account(session: NetworkSession, url: str, form: Mapping[str, str]) -> Response:
    held = session.secrets
    opened = _Session(held["clientId"], held.get("clientKey", ""), held["seed"])
    return await opened.post(session.server, url, form, issuer=held["issuer"])


def _tokens(response: Response, now: datetime) -> tuple[str, dict[str, str], tuple[str, ...]]:
    """Read a token response.

    Raises:
        BadResponse: it is none, or the tokens are not what was asked for.
    """
    did, access_token, refresh_token, kind = texts(response, "sub", "access_token", "refresh_token", "token_type")
    body = members(response)
    scopes = tuple((string(body.get("scope")) or "").split())
    if kind.lower() != "dpop" or "atproto" not in scopes or not is_did(did):
        raise BadResponse("the response has no tokens of a Bluesky account", status=response.status)
    seconds = number(body.get("expires_in")) or OAUTH_FACTS.access_seconds or 0
    access_ends_at = clock.wire(now + timedelta(seconds=seconds))
    return did, {"accessToken": access_token, "accessExpiresAt": access_ends_at, "refreshToken": refresh_token}, scopes
