"""Connecting a user of a site by an application password, checking what they may do, and revoking it."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.wordpress.calls import call_api, call_site, code_of, error_text
from signalpost.networks.connectors.wordpress.site import find_api
from signalpost.networks.contract import (
    ApiError,
    BadCredentials,
    Health,
    Identity,
    InvalidField,
    NetworkSession,
    Response,
    Server,
)
from signalpost.networks.responses import members, string
from signalpost.networks.sites import CONNECT_SECONDS

_ME: Final = "GET /wp/v2/users/me"
_FIELDS: Final = {"context": "edit", "_fields": "id,name,username,slug,link,avatar_urls,capabilities"}
_DISABLED: Final = (
    "Application passwords are switched off on this site, or it is not reached by https. Switch them on: a security "
    "plugin may have a setting for them."
)
_WRONG: Final = (
    "WordPress does not know this user with this application password. Make one in the user's profile, and copy it: "
    "the password that opens the site itself does not work."
)
_NOBODY: Final = (
    "WordPress sees no user. Check the name, and that the password is an application password of theirs; else the "
    "site's web server does not pass it on. Ask whoever runs that to pass on the header Authorization; for Apache: "
    'SetEnvIf Authorization "(.*)" HTTP_AUTHORIZATION=$1.'
)
_NO_WRITER: Final = "This user may not write posts on the site. Give them the role of an author or editor."


async def connect(server: Server, fields: Mapping[str, str]) -> Identity:
    """Find the REST API of a site, and open the user of an application password."""
    site, place, index = await find_api(server, fields.get("siteUrl", "") or server.base_url)
    if index.get("authentication") in ([], {}):  # PHP writes an empty object as a list
        raise BadCredentials(_DISABLED)
    secrets = {
        "username": fields.get("username", "").strip(),
        "applicationPassword": fields.get("applicationPassword", "").strip(),
    }
    if not secrets["username"] or ":" in secrets["username"]:
        raise InvalidField("username", "Enter the name with which the user signs in.")
    user = members(await _user(site, place, secrets))
    user_id, host = user.get("id"), urlsplit(site.base_url).netloc
    if type(user_id) is not int or not 0 < user_id < 1 << 63:
        raise BadResponse("the response names no user")
    may = _capabilities(user)
    if not may["write"]:
        raise BadCredentials(_NO_WRITER)
    path = "" if place["query"] else str(place["path"]).removesuffix("/wp-json")
    path = str(place["path"]) if place["query"] else path
    name = string(user.get("username")) or secrets["username"]
    title = string(index.get("name"))
    return Identity(
        remote_id=f"{user_id}@{host}{path}",
        username=f"{name}@{host}{path}",
        display_name=f"{string(user.get('name')) or name}{f' ({title})' if title else ''}",
        secrets=secrets,
        base_url=site.base_url,
        avatar_url=_avatar(user.get("avatar_urls")),
        profile_url=string(user.get("link")),
        facts={**place, "userId": user_id, "publish": may["publish"], "upload": may["upload"]},
    )


async def _user(site: Server, place: Mapping[str, Any], secrets: Mapping[str, str]) -> Response:
    try:
        return await call_site(site, place, secrets, _ME, params=_FIELDS, timeout_seconds=CONNECT_SECONDS)
    except ApiError as error:
        response, code = error.response, code_of(error.response)
        if code == "rest_not_logged_in":
            raise BadCredentials(_NOBODY) from None
        if code.startswith("application_passwords_disabled"):
            raise BadCredentials(_DISABLED) from None
        if code in {"incorrect_password", "invalid_username", "invalid_email", "invalid_application_password"}:
            raise BadCredentials(_WRONG) from None
        if code and response.status in {401, 403}:
            raise BadCredentials(f"The site refuses: {error_text(response)}") from None
        raise


def _capabilities(user: Mapping[str, Any]) -> dict[str, bool]:
    """Return what a user may do. A site that does not say so is believed to allow it, until it refuses."""
    capabilities = user.get("capabilities")
    if not isinstance(capabilities, dict) or not capabilities:
        return {"write": True, "publish": True, "upload": True}
    names = {"write": "edit_posts", "publish": "publish_posts", "upload": "upload_files"}
    return {what: capabilities.get(name) is True for what, name in names.items()}


def _avatar(sizes: Any) -> str | None:
    return string(sizes.get("96")) if isinstance(sizes, dict) else None


async def check(session: NetworkSession) -> Health:
    """Ask the site whether the password still works, and what its user may do."""
    user = members(await call_api(session, _ME, params=_FIELDS))
    may = _capabilities(user)
    return Health(
        can_post=may["write"],
        message=None if may["write"] else _NO_WRITER,
        missing=() if may["write"] else ("edit_posts",),
        display_name=string(user.get("name")),
        avatar_url=_avatar(user.get("avatar_urls")),
    )


async def revoke(session: NetworkSession) -> None:
    """Delete the application password by which the site was called.

    Raises:
        ApiError: it still works.
    """
    own = members(await call_api(session, "GET /wp/v2/users/me/application-passwords/introspect"))
    if (uuid := string(own.get("uuid"))) is None:
        raise BadResponse("the response names no application password")
    await call_api(session, f"DELETE /wp/v2/users/me/application-passwords/{uuid}")
