"""What a community takes: read before anything is sent, so that a refusal says why.

Lemmy checks again. Where it does not say what a community wants, nothing is refused here.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.lemmy.calls import SITE, call_api, code_of, object_of
from signalpost.networks.contract import ApiError, NetworkSession, Refused, Response
from signalpost.networks.responses import members, string

_CHOOSE: Final = "Choose another community."
_NAMED_MAX: Final = 10


class Community(msgspec.Struct, frozen=True):
    """A community as the account's instance has it."""

    id: int
    is_nsfw: bool
    is_hidden: bool
    languages: Sequence[int]
    """Numbers of the languages that it takes; none: all."""


def name_of(community: Mapping[str, Any]) -> str | None:
    """Return the name of a community at the account's instance: `bread`, or `bread@lemmy.world` of another one."""
    name, host = string(community.get("name")), _host_of(community)
    if name is None or community.get("local") is True:
        return name
    return f"{name}@{host}" if host else None


def is_named(community: Mapping[str, Any], full_name: str) -> bool:
    """Return whether a user means this community by a name, with or without its instance."""
    name, at, host = full_name.casefold().partition("@")
    if str(community.get("name")).casefold() != name:
        return False
    return _host_of(community) == host if at else community.get("local") is True


def _host_of(community: Mapping[str, Any]) -> str:
    try:
        return urlsplit(str(community.get("actor_id"))).netloc.casefold()
    except ValueError:
        return ""


async def read_community(session: NetworkSession, name: str) -> Community | Refused:
    """Read a community, or return why nobody, or this account, may post there."""
    try:
        response = await call_api(session, "GET /community", params={"name": name})
    except ApiError as error:
        if code_of(error.response) not in {"couldnt_find_community", "not_found"}:
            raise
        message = f"The instance of the account knows no community {name}."
        advice = "Check its name, and write the instance after it if it is at another one: bread@lemmy.world."
        return Refused(
            code="destination_missing", message=message, rule="lemmy.community.missing", remediation=advice
        )  # fmt: skip
    body = members(response)
    view = object_of(body.get("community_view"))
    community = object_of(view.get("community"))
    number = community.get("id")
    if type(number) is not int:
        raise BadResponse("the response names no community", status=response.status)
    if community.get("removed") is True or community.get("deleted") is True:
        message = f"The community {name} has been closed."
        return Refused(
            code="destination_missing", message=message, rule="lemmy.community.closed", remediation=_CHOOSE
        )  # fmt: skip
    if (reason := _against(session, body, view, community)) is not None:
        message = f"The account may not post in {name}: {reason}."
        return Refused(
            code="permission_missing", message=message, rule="lemmy.community.may_not_post", remediation=_CHOOSE
        )  # fmt: skip
    return Community(
        id=number,
        is_nsfw=community.get("nsfw") is True,
        is_hidden=community.get("hidden") is True,
        languages=_numbers(body.get("discussion_languages")),
    )


def _against(
    session: NetworkSession, body: Mapping[str, Any], view: Mapping[str, Any], community: Mapping[str, Any]
) -> str | None:
    if view.get("banned_from_community") is True:
        return "it is banned there"
    if community.get("posting_restricted_to_mods") is not True:
        return None
    person_id = session.remote_id.partition("@")[0]
    listed = body.get("moderators")
    moderators = listed if isinstance(listed, list) else []
    ids = [str(object_of(object_of(entry).get("moderator")).get("id")) for entry in moderators]
    return None if person_id in ids else "only its moderators may"


async def language_of(session: NetworkSession, tag: str, name: str, community: Community) -> int | Refused:
    """Return the number of a language, by its code, if the community takes posts in it."""
    numbers = _languages(await call_api(session, SITE))
    number = numbers.get(tag)
    if number is None:
        message = f"The instance knows no language {tag}."
        return Refused(code="content_rejected", message=message, rule="lemmy.language.unknown")
    if community.languages and number not in community.languages:
        codes = [code for code, taken in numbers.items() if taken in community.languages and code != "und"][:_NAMED_MAX]
        message = f"The community {name} takes no posts in the language {tag}, only in: {', '.join(codes)}."
        return Refused(
            code="content_rejected", message=message, rule="lemmy.language.not_allowed",
            remediation="Choose one of them in options.language, or another community.",
        )  # fmt: skip
    return number


def _languages(response: Response) -> Mapping[str, int]:
    """Return the numbers of languages by their codes."""
    entries = members(response).get("all_languages")
    languages = [object_of(entry) for entry in entries] if isinstance(entries, list) else []
    numbers = {entry.get("code"): entry.get("id") for entry in languages}
    return {code: number for code, number in numbers.items() if isinstance(code, str) and type(number) is int}


def _numbers(value: Any) -> Sequence[int]:
    return [number for number in value if type(number) is int] if isinstance(value, list) else []
