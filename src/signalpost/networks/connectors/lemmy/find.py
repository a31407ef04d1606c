"""Looking for a post whose answer was lost: among those of the account, and among those that moderators removed.

An instance leaves out of an account's posts what its settings hide from it. Where they may hide the post, one that is
not listed counts as unknown, never as absent.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from signalpost.kit.http import BadResponse
from signalpost.kit.unicode import nfc
from signalpost.networks.articles import searched_since, too_early
from signalpost.networks.connectors.lemmy.account import read_me
from signalpost.networks.connectors.lemmy.calls import call_api, object_of
from signalpost.networks.connectors.lemmy.community import is_named
from signalpost.networks.connectors.lemmy.content import body_of
from signalpost.networks.contract import OutcomeUnknown, Outgoing, Response
from signalpost.networks.links import replace_links
from signalpost.networks.responses import members, single_spaced, string
from signalpost.networks.threads import PublicPart, ThreadPart

PAGES_MAX: Final = 20
PAGE_LENGTH: Final = 50  # as much as Lemmy lists at once: `FETCH_LIMIT_MAX` of 0.19 (read on 2026-11-29)
_UNDETERMINED: Final = 0
"""The number of the language of posts that say none."""
_SOMEWHERE: Final = "https://instance.example/"
"""In the place of a picture, whose address an instance may replace by one of its own."""
View = Mapping[str, Any]


async def find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Look for an intended post; None when it is certainly not there."""
    me = await read_me(part.session)  # without a session the instance would list less, and not say so
    existing = await _listed(part, intended) or await _removed(part, intended) or too_early(part, intended)
    if existing is None and (reason := _hides(me, part.outgoing, intended)) is not None:
        return OutcomeUnknown(message=f"The instance does not list the post, and may have it: {reason}.")
    return existing


def _hides(me: Mapping[str, Any], outgoing: Outgoing, intended: Mapping[str, Any]) -> str | None:
    """Return which setting may leave the post out of the account's own posts."""
    view = object_of(me.get("local_user_view"))
    settings, person = object_of(view.get("local_user")), object_of(view.get("person"))
    languages, language = me.get("discussion_languages"), intended.get("language", _UNDETERMINED)
    is_nsfw = outgoing.options.get("nsfw") is True or intended.get("nsfw") is True
    if is_nsfw and settings.get("show_nsfw") is not True:
        return "the account shows no posts for adults"
    if person.get("bot_account") is True and settings.get("show_bot_accounts") is False:
        return "the account shows no posts of bots, and is one"
    if isinstance(languages, list) and languages and language not in languages:
        return "the account shows no posts in its language"
    if intended.get("hidden") is True:
        return "the community is hidden"
    blocked = [object_of(object_of(block).get("community")) for block in _list(me.get("community_blocks"))]
    if any(is_named(community, str(outgoing.options.get("community"))) for community in blocked):
        return "the account blocks the community"
    return None


async def _listed(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Walk through the account's posts, the newest first, back to the intent; what is pinned stands before them."""
    since, resembles = searched_since(intended), False
    for page in range(1, PAGES_MAX + 1):
        params = {"person_id": _person_id(part), "sort": "New", "limit": str(PAGE_LENGTH), "page": str(page)}
        views = _views(await call_api(part.session, "GET /user", params=params), "posts")
        for view in views:
            post = object_of(view.get("post"))
            if _published_at(post) < since:
                if post.get("featured_local") is True:
                    continue
                return _unlike() if resembles else None
            if _is_titled(part.outgoing, view):
                if _is_same(part.outgoing, post):
                    return public_part(post)
                resembles = True
        if len(views) < PAGE_LENGTH:
            return _unlike() if resembles else None
    return OutcomeUnknown(message="The account has published too many posts since then to find this one.")


async def _removed(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Look through what moderators removed last, which an instance no longer lists."""
    params = {"type_": "ModRemovePost", "other_person_id": _person_id(part), "limit": str(PAGE_LENGTH), "page": "1"}
    since = searched_since(intended)
    views = _views(await call_api(part.session, "GET /modlog", params=params), "removed_posts")
    for view in views:
        post = object_of(view.get("post"))
        if _published_at(post) >= since and _is_titled(part.outgoing, view) and _is_same(part.outgoing, post):
            return public_part(post)
    if len(views) >= PAGE_LENGTH and _instant(object_of(views[-1].get("mod_remove_post")).get("when_")) >= since:
        return OutcomeUnknown(message="Moderators have removed too many posts since then to find this one.")
    return None


def _unlike() -> OutcomeUnknown:
    message = "The community has a new post of the account with this title, but with other content."
    return OutcomeUnknown(message=message)


def _person_id(part: ThreadPart) -> str:
    return part.session.remote_id.partition("@")[0]


def _views(response: Response, name: str) -> Sequence[View]:
    views = members(response).get(name)
    if not isinstance(views, list):
        raise BadResponse("the response has no list of posts", status=response.status)
    return [object_of(view) for view in views]


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def public_part(post: Mapping[str, Any]) -> PublicPart:
    """Return what is kept of a post.

    Raises:
        BadResponse: it has no id.
    """
    number = post.get("id")
    if type(number) is not int or not 0 < number < 1 << 63:
        raise BadResponse("the response names no post")
    return {"id": str(number), "url": string(post.get("ap_id"))}


def _published_at(post: Mapping[str, Any]) -> datetime:
    return _instant(post.get("published"))


def _instant(value: Any) -> datetime:
    """Return when a post was made, or removed.

    Raises:
        BadResponse: the instance does not say so; without the time nothing can be ruled out.
    """
    try:
        instant = datetime.fromisoformat(str(value))
    except ValueError:
        raise BadResponse("a post of the response has no time") from None
    if instant.tzinfo is None:
        raise BadResponse("a post of the response has no time zone")
    return instant


def _is_titled(outgoing: Outgoing, view: View) -> bool:
    """Return whether a post has the title, in the community."""
    title = string(object_of(view.get("post")).get("name"))
    community = object_of(view.get("community"))
    return is_named(community, str(outgoing.options.get("community"))) and _plain(title) == _plain(outgoing.title)


def _is_same(outgoing: Outgoing, post: Mapping[str, Any]) -> bool:
    """Return whether a post has the text with its pictures, and an address where it had one.

    Which address is not compared: instances take out of links what only follows readers.
    """
    text = post.get("body")
    expected = body_of(outgoing, [_SOMEWHERE] * len(outgoing.media))
    return bool(post.get("url")) == bool(outgoing.link or outgoing.media) and (
        _plain(text if isinstance(text, str) else "") == _plain(expected)
    )


def _plain(text: str | None) -> str:
    """Return a text without what an instance may change: links, and white space."""
    return single_spaced(nfc(replace_links(text or "", lambda _link: "")))
