"""Signing in at an instance, the communities of an account, checking, and signing out."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlsplit

from signalpost.kit.http import BadResponse, UnsafeUrl
from signalpost.networks.connectors.lemmy.calls import SITE, call_api, call_with, code_of, object_of
from signalpost.networks.connectors.lemmy.community import name_of
from signalpost.networks.contract import (
    ApiError,
    BadCredentials,
    Choice,
    Health,
    Identity,
    InvalidField,
    NetworkSession,
    Response,
    Server,
)
from signalpost.networks.instances import base_url_of
from signalpost.networks.responses import members, number, string

CHOICES_MAX: Final = 500
_LOGIN: Final = "POST /user/login"
_NO_LEMMY: Final = "There is no Lemmy instance at this address."
_OTHER_VERSION: Final = "This instance runs Lemmy {version}; instances with Lemmy 0.19 are supported."
_SPOKEN: Final = re.compile(r"0\.19\b")
_VERSION: Final = re.compile(r"\d{1,3}\.\d{1,3}\b")
_BANNED: Final = "The instance has banned this account."
_MODERATORS_ONLY: Final = "Only moderators of the community can post there."
_SIGN_IN: Final[Mapping[str, str]] = {
    "incorrect_login": "The instance knows no such user, or the password is another one.",
    "site_ban": _BANNED,
    "deleted": "This account has been deleted.",
    "email_not_verified": "Confirm the e-mail address of the account at the instance first.",
    "registration_application_is_pending": "The administrators of the instance have not let this account in yet.",
    "couldnt_find_registration_application": "The administrators of the instance have not let this account in.",
    "registration_denied": "The administrators of the instance have not let this account in.",
}
_CODE: Final[Mapping[str, str]] = {
    "missing_totp_token": "This account uses two-factor authentication: enter the code that your app shows now.",
    "incorrect_totp_token": "The code is wrong or too old: enter the one that your app shows now.",
}


async def connect(server: Server, fields: Mapping[str, str]) -> Identity:
    """Sign in; the session that it opens is kept, and the password is not."""
    base_url = base_url_of(fields.get("instanceUrl", "") or server.base_url, example="lemmy.world")
    server = replace(server, base_url=base_url, trusted=server.trusted and base_url == server.base_url)
    version = await _version(server)
    if not _SPOKEN.match(version):
        raise InvalidField("instanceUrl", _OTHER_VERSION.format(version=version))
    jwt = await _sign_in(server, fields)
    response = await call_with(server, jwt, SITE)
    person = _person(_me(response))
    person_id, name = person.get("id"), string(person.get("name"))
    if type(person_id) is not int or name is None:
        raise BadResponse("the response names no account", status=response.status)
    host = urlsplit(base_url).netloc
    return Identity(
        remote_id=f"{person_id}@{host}",
        username=f"{name}@{host}",
        display_name=string(person.get("display_name")) or name,
        secrets={"jwt": jwt},
        base_url=base_url,
        avatar_url=string(person.get("avatar")),
        profile_url=string(person.get("actor_id")) or f"{base_url}/u/{name}",
        facts={"version": version},
    )


async def _version(server: Server) -> str:
    """Return the version of an instance, before anybody's password is sent there."""
    try:
        response = await call_with(server, None, SITE)
    except UnsafeUrl as failure:
        raise InvalidField("instanceUrl", failure.detail) from None
    except ApiError as error:
        if code_of(error.response) or error.response.status in {429, *range(500, 600)}:
            raise
        raise InvalidField("instanceUrl", _NO_LEMMY) from None
    version = string(members(response).get("version"))
    if version is None or not _VERSION.match(version):
        raise InvalidField("instanceUrl", _NO_LEMMY)
    return version[:50]


async def _sign_in(server: Server, fields: Mapping[str, str]) -> str:
    form = {"username_or_email": fields.get("username", "").strip().removeprefix("@"),
            "password": fields.get("password", "")}  # fmt: skip
    if code := fields.get("code", "").replace(" ", ""):
        form["totp_2fa_token"] = code
    try:
        response = await call_with(server, None, _LOGIN, json=form)
    except ApiError as error:
        reason = code_of(error.response)
        if reason in _CODE:
            raise InvalidField("code", _CODE[reason]) from None
        if reason in _SIGN_IN:
            raise BadCredentials(_SIGN_IN[reason]) from None
        raise
    jwt = string(members(response).get("jwt"))
    if jwt is None:  # it has mailed a link first, or waits for its administrators
        raise BadCredentials(_SIGN_IN["registration_application_is_pending"])
    return jwt


async def read_me(session: NetworkSession) -> Mapping[str, Any]:
    """Return what the instance says of the account and its settings.

    Raises:
        ApiError: the session has ended; `explain` knows.
    """
    return _me(await call_api(session, SITE))


def _me(response: Response) -> Mapping[str, Any]:
    me = object_of(members(response).get("my_user"))
    if not me:
        raise ApiError(response, SITE)
    return me


def _person(me: Mapping[str, Any]) -> Mapping[str, Any]:
    return object_of(object_of(me.get("local_user_view")).get("person"))


async def check(session: NetworkSession) -> Health:
    """Ask the instance whether the session still opens the account, and whether that may post."""
    response = await call_api(session, SITE)
    me = _me(response)
    person, version = _person(me), string(members(response).get("version")) or ""
    counts = object_of(object_of(me.get("local_user_view")).get("counts"))
    banned, spoken = person.get("banned") is True, _SPOKEN.match(version) is not None
    message = _BANNED if banned else None if spoken else _OTHER_VERSION.format(version=version[:50])
    return Health(
        can_post=not banned and spoken,
        restricted=banned,
        message=message,
        posts=number(counts.get("post_count")),
        display_name=string(person.get("display_name")),
        avatar_url=string(person.get("avatar")),
    )


async def revoke(session: NetworkSession) -> None:
    """Sign out: the session ends, and others of the account go on."""
    await call_api(session, "POST /user/logout", json={})


async def choices(
    session: NetworkSession, _options: Sequence[str], _parent: str | None
) -> Mapping[str, Sequence[Choice]]:
    """List the communities of the account, those that it moderates first."""
    me = await read_me(session)
    moderated = {name for community in _communities(me, "moderates") if (name := name_of(community)) is not None}
    entries: dict[str, Choice] = {}
    for community in (*_communities(me, "moderates"), *_communities(me, "follows")):
        name = name_of(community)
        if name is None or name in entries or community.get("removed") is True or community.get("deleted") is True:
            continue
        closed = community.get("posting_restricted_to_mods") is True and name not in moderated
        title = string(community.get("title"))
        label = f"{title} (!{name})" if title and title != name else f"!{name}"
        entries[name] = Choice(value=name, label=label, reason=_MODERATORS_ONLY if closed else None)
    return {"community": [*entries.values()][:CHOICES_MAX]}


def _communities(me: Mapping[str, Any], which: str) -> Iterator[Mapping[str, Any]]:
    entries = me.get(which)
    for entry in entries if isinstance(entries, list) else ():
        yield object_of(object_of(entry).get("community"))
