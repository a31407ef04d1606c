"""Connecting an account: by a token or by OAuth with an app registered on the spot; what a server tells of itself."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from signalpost.kit.http import BadAnswer, HttpFailure, UnsafeUrl
from signalpost.networks.connectors.mastodon.calls import call, explain, words
from signalpost.networks.connectors.mastodon.facts import FACTS
from signalpost.networks.contract import (
    ApiError,
    BadCredentials,
    Health,
    Http,
    Identity,
    InvalidField,
    NeedsReconnect,
    NetworkSession,
)
from signalpost.networks.responses import members, texts

SCOPES = "read:accounts read:statuses write:statuses write:media"
# Mastodon itself, and forks that follow it. Others call themselves "2.7.2 (compatible; Pleroma 2.5.0)" or "0.17.3".
_PROPER_VERSION = re.compile(r"[3-9]\.\d{1,3}\.\d{1,3}(?!.*compatible)")
_HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
_BOUND = 1 << 40


async def connect(http: Http, base_url: str | None, trusted: bool, fields: Mapping[str, str]) -> Identity:  # noqa: FBT001
    """Open the account of an access token that its owner made in the settings of the server."""
    server = _server(fields.get("instanceUrl", "") or base_url or "")
    trusted = trusted and base_url is not None and server == base_url.rstrip("/")
    return await _identity(http, server, {"accessToken": fields.get("accessToken", "").strip()}, trusted=trusted)


async def register(http: Http, base_url: str, trusted: bool, redirect_uri: str, app_name: str) -> Mapping[str, str]:  # noqa: FBT001
    """Register an app at a server; what comes back is kept per server and address.

    Raises:
        ApiError: the server takes no registration.
    """
    form = {"client_name": app_name, "redirect_uris": redirect_uri, "scopes": SCOPES}
    response = await http.request("POST", f"{base_url}/api/v1/apps", data=form, trusted=trusted)
    if response.status != 200:
        raise ApiError(response, "POST /api/v1/apps")
    client_id, client_secret = texts(response, "client_id", "client_secret")
    offered = await http.request("GET", f"{base_url}/.well-known/oauth-authorization-server", trusted=trusted)
    methods = members(offered).get("code_challenge_methods_supported") if offered.status == 200 else None
    pkce = "S256" if isinstance(methods, list) and "S256" in methods else ""
    return {"client_id": client_id, "client_secret": client_secret, "pkce": pkce}


def authorize_url(base_url: str, app: Mapping[str, str], redirect_uri: str, state: str, code_challenge: str) -> str:
    """Return where to send the person; the challenge (S256) goes along where the server offers it."""
    query = {
        "response_type": "code",
        "client_id": app["client_id"],
        "redirect_uri": redirect_uri,
        "scope": SCOPES,
        "state": state,
    }
    if app.get("pkce"):
        query |= {"code_challenge": code_challenge, "code_challenge_method": app["pkce"]}
    return f"{base_url}/oauth/authorize?{urlencode(query)}"


async def exchange(
    http: Http,
    base_url: str,
    trusted: bool,  # noqa: FBT001
    app: Mapping[str, str],
    redirect_uri: str,
    code: str,
    code_verifier: str,
) -> Identity:
    """Turn the code of the callback into an account.

    Raises:
        BadCredentials: the code is used, old or not ours.
        ApiError: anything else; `invalid_client` means that the server forgot the app: register again.
    """
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "client_id": app["client_id"],
        "client_secret": app["client_secret"],
        "redirect_uri": redirect_uri,
        "scope": SCOPES,
    }
    if app.get("pkce"):
        form["code_verifier"] = code_verifier
    response = await http.request("POST", f"{base_url}/oauth/token", data=form, trusted=trusted)
    if response.status != 200:
        if members(response).get("error") == "invalid_grant":
            raise BadCredentials("The server does not accept the code any more; start again.")
        raise ApiError(response, "POST /oauth/token")
    (token,) = texts(response, "access_token")
    kept = {"accessToken": token, "clientId": app["client_id"], "clientSecret": app["client_secret"]}
    return await _identity(http, base_url, kept, trusted=trusted, scopes=str(members(response).get("scope") or SCOPES))


def _server(given: str) -> str:
    """Return the origin that a person means by `mastodon.social`, an address of it, or `@alice@mastodon.social`."""
    given = given.strip()
    if "://" not in given:
        given = f"https://{given.rpartition('@')[2]}"
    try:
        parts = urlsplit(given)
        host = parts.netloc.rpartition("@")[2].lower()
    except ValueError:
        host, parts = "", urlsplit("")
    if not host or parts.scheme not in {"http", "https"}:
        raise InvalidField("instanceUrl", "Name your server, for example mastodon.social.")
    return f"{parts.scheme}://{host}"


async def _identity(
    http: Http, server: str, secrets: Mapping[str, str], *, trusted: bool, scopes: str = ""
) -> Identity:
    headers = {"Authorization": f"Bearer {secrets['accessToken']}"}
    address = f"{server}/api/v1/accounts/verify_credentials"
    try:
        response = await http.request("GET", address, headers=headers, trusted=trusted)
    except UnsafeUrl as failure:
        raise InvalidField("instanceUrl", failure.detail) from None
    if response.status in {401, 403}:
        raise BadCredentials(f"The server does not accept this access token: {words(response)}")
    if response.status == 429 or response.status >= 500:
        raise ApiError(response, "GET /api/v1/accounts/verify_credentials")
    try:
        remote_id, username = texts(response, "id", "username")
    except BadAnswer:
        raise InvalidField("instanceUrl", "There is no Mastodon server at this address.") from None
    told = members(response)
    host = urlsplit(server).netloc
    facts, domain = await _instance(http, server, headers, trusted=trusted)
    followers = told.get("followers_count")
    return Identity(
        remote_id=f"{remote_id}@{host}",
        username=f"{username}@{domain or host}",
        display_name=str(told.get("display_name") or username),
        secrets=secrets,
        base_url=server,
        avatar_url=_text(told.get("avatar")),
        profile_url=_text(told.get("url")),
        scopes=tuple(scopes.split()),
        followers=followers if isinstance(followers, int) else None,
        facts=facts,
    )


async def _instance(
    http: Http, server: str, headers: Mapping[str, str], *, trusted: bool
) -> tuple[dict[str, Any], str | None]:
    """Return the facts of a server and its domain; a server that tells nothing has the usual limits."""
    for version in ("v2", "v1"):
        try:
            response = await http.request("GET", f"{server}/api/{version}/instance", headers=headers, trusted=trusted)
        except HttpFailure:
            continue
        told = members(response)
        if response.status == 200 and "version" in told:
            domain = told.get("domain")
            known = isinstance(domain, str) and _HOST.fullmatch(domain)
            return facts_of(told), domain if known else None
    return {"dedupes": False}, None


def facts_of(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return account facts from an instance document of either version; what makes no sense in it is left out."""
    about = _object(told.get("configuration"))
    statuses, media, polls = (_object(about.get(name)) for name in ("statuses", "media_attachments", "polls"))
    # Versions before 3.4 and some relatives told the length beside, not inside, the configuration.
    text = _numbers(
        max_length=statuses.get("max_characters") or told.get("max_toot_chars"),
        url_length=statuses.get("characters_reserved_per_url"),
    )
    total = _numbers(media_total=statuses.get("max_media_attachments"))
    mime_types = [kind for kind in media.get("supported_mime_types") or () if isinstance(kind, str)][:200]
    files: dict[str, Any] = {}
    for kind in FACTS.media:
        family, size = ("image", "image") if kind in {"image", "gif"} else (kind, "video")
        taken = [
            each for each in mime_types if each.startswith(f"{family}/") and (each == "image/gif") == (kind == "gif")
        ]
        files[kind] = {
            **_numbers(
                per_post=total.get("media_total") if family == "image" else None,
                bytes_max=media.get(f"{size}_size_limit"),
                pixels_max=media.get(f"{size}_matrix_limit") if kind != "audio" else None,
                alt_text_max=media.get("description_limit"),
            ),
            **({"mime_types": taken} if taken else {}),
        }
    version = str(told.get("version"))[:100]
    return {
        "version": version,
        "dedupes": _PROPER_VERSION.match(version) is not None,
        "limits": {"text": text, "media": files, **total},
        "polls": _numbers(
            options_max=polls.get("max_options"), option_length_max=polls.get("max_characters_per_option")
        ),
    }


def _numbers(**values: Any) -> dict[str, int]:
    return {name: value for name, value in values.items() if type(value) is int and 0 < value < _BOUND}


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


async def check(session: NetworkSession) -> Health:
    """Look whether the token still opens the account."""
    try:
        told = members(await call(session, "GET", "/api/v1/accounts/verify_credentials"))
    except ApiError as error:
        outcome = explain(error)
        if isinstance(outcome, NeedsReconnect):
            return Health(valid=False, message=outcome.message, can_post=False, restricted=outcome.restricted)
        raise
    followers = told.get("followers_count")
    return Health(
        valid=True,
        followers=followers if isinstance(followers, int) else None,
        display_name=_text(told.get("display_name")),
        avatar_url=_text(told.get("avatar")),
    )


async def revoke(session: NetworkSession) -> None:
    """Give the token back. A server refuses that for a token made by hand: its owner has to do it there.

    Raises:
        ApiError: the token still works.
    """
    form = {
        "client_id": session.secrets.get("clientId", ""),
        "client_secret": session.secrets.get("clientSecret", ""),
        "token": session.secrets["accessToken"],
    }
    await session.call("POST", "/oauth/revoke", data=form)
