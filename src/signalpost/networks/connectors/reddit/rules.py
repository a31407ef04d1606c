"""What a subreddit takes: read before anything is sent, so that a refusal says which of its rules it is.

Reddit checks again, and more than this: patterns that moderators wrote are left to it. Where it does not say what a
subreddit wants, nothing is refused here. Moderators are exempt from much of it, so their posts are left to Reddit.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from signalpost.networks.connectors.reddit.calls import call
from signalpost.networks.connectors.reddit.facts import FACTS, PostKind, kind_of
from signalpost.networks.contract import NetworkSession, Outgoing, Refused, Response
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import members, number, string

_BANNED: Final = "The account is banned from this subreddit."
_CLOSED: Final = "Nobody can post in this subreddit any more."
_APPROVED: Final = "Only users whom its moderators approved can post in this subreddit."
_STRINGS_MAX: Final = 200
_GONE: Final = (302, 301, 404)
_FILES: Final[Mapping[PostKind, tuple[str, str]]] = {
    "image": ("allow_images", "pictures"),
    "gallery": ("allow_galleries", "galleries"),
    "video": ("allow_videos", "videos"),
}


class _Unmet(NamedTuple):
    rule: str
    message: str
    code: str = "content_rejected"


def reason_against(subreddit: Mapping[str, Any]) -> str | None:
    """Return why the account cannot post in a subreddit at all."""
    if subreddit.get("user_is_moderator") is True:
        return None
    if subreddit.get("user_is_banned") is True:
        return _BANNED
    if subreddit.get("subreddit_type") == "archived":
        return _CLOSED
    is_closed = subreddit.get("subreddit_type") in {"restricted", "private"} and subreddit.get("restrict_posting")
    return _APPROVED if is_closed and subreddit.get("user_is_contributor") is not True else None


def is_own_profile(session: NetworkSession, name: str) -> bool:
    """Return whether a subreddit is the account's profile, which has no rules."""
    return name.casefold() == f"u_{session.username}".casefold()


async def refusal(session: NetworkSession, outgoing: Outgoing, flair: Mapping[str, Any] | None) -> Refused | None:
    """Return why the subreddit would refuse the post, or None. `flair` is the one that was chosen."""
    name = str(outgoing.options.get("subreddit"))
    if is_own_profile(session, name):
        return None
    response = await call(session, "GET", f"/r/{name}/about", expect=(200, 403, *_GONE))
    data = members(response).get("data")
    about: Mapping[str, Any] = data if isinstance(data, dict) else {}
    if response.status != 200:
        return _unreachable(name, response)
    if (reason := reason_against(about)) is not None:
        message = f"r/{name}: {reason}"
        return Refused(code="permission_missing", message=message, rule="reddit.subreddit.may_not_post")
    if about.get("user_is_moderator") is True:
        return None
    response = await call(session, "GET", f"/api/v1/{name}/post_requirements", expect=(200, 400, 403, 404))
    requirements = members(response) if response.status == 200 else {}
    issues = [*_kind(about, outgoing), *_of_text(requirements, outgoing), *_of_link(requirements, outgoing)]
    if requirements.get("is_flair_required") is True and flair is None:
        issues.append(_Unmet("flair_required", "it takes no post without a flair: choose one"))
    if not issues:
        return None
    rules = "; ".join(issue.message for issue in issues)
    first = issues[0]
    return Refused(
        code=first.code,
        message=f"The rules of r/{name} do not allow this post: {rules}.",
        rule=f"reddit.subreddit.{first.rule}",
        remediation="Change the post, or choose another subreddit.",
    )


def _unreachable(name: str, response: Response) -> Refused:
    reason = string(members(response).get("reason"))
    if response.status == 403:
        detail = {"private": "It is private.", "quarantined": "Reddit has quarantined it."}.get(reason or "", "")
        message = f"The account may not open r/{name}. {detail}".strip()
        return Refused(code="permission_missing", message=message, rule="reddit.subreddit.may_not_post")
    state = "has been banned by Reddit" if reason == "banned" else "does not exist"
    return Refused(code="destination_missing", message=f"r/{name} {state}.", rule="reddit.subreddit.missing")


def _kind(about: Mapping[str, Any], outgoing: Outgoing) -> Iterator[_Unmet]:
    kind = kind_of(outgoing)
    taken = about.get("submission_type")
    if kind == "self" and taken == "link":
        yield _Unmet("no_text_posts", "it takes no text posts: add a link or a picture")
    if kind in {"link", "crosspost"} and taken == "self":
        yield _Unmet("no_links", "it takes text posts only: leave out the link")
    if kind in _FILES:
        member, word = _FILES[kind]
        if about.get(member) is False or (about.get("allow_images") is False and kind == "gallery"):
            yield _Unmet("no_files", f"it takes no {word}: leave them out", "media_unsupported")
    if kind == "crosspost" and about.get("allow_crossposts") is False:
        yield _Unmet("no_crossposts", "it takes no crossposts")


def _of_text(requirements: Mapping[str, Any], outgoing: Outgoing) -> Iterator[_Unmet]:
    title, body = (outgoing.title or "").strip(), text_of_part(FACTS, outgoing, 0).strip()
    policy = requirements.get("body_restriction_policy")
    has_body = kind_of(outgoing) == "self"
    if has_body and policy == "notAllowed" and body:
        yield _Unmet("no_body", "it wants a title alone: leave out the text")
    if has_body and policy == "required" and not body:
        yield _Unmet("body_required", "it wants a text below the title")
    yield from _lengths(requirements, "title_text", "title", title)
    yield from _words(requirements, "title", title)
    if has_body and body:
        yield from _lengths(requirements, "body_text", "text", body)
        yield from _words(requirements, "body", body)


def _lengths(requirements: Mapping[str, Any], name: str, what: str, text: str) -> Iterator[_Unmet]:
    shortest, longest = number(requirements.get(f"{name}_min_length")), number(requirements.get(f"{name}_max_length"))
    if shortest and len(text) < shortest:
        yield _Unmet(f"{what}_too_short", f"the {what} has {len(text)} characters and needs {shortest}")
    if longest and len(text) > longest:
        message = f"the {what} has {len(text)} characters and may have {longest}"
        yield _Unmet(f"{what}_too_long", message, "text_too_long")


def _words(requirements: Mapping[str, Any], name: str, text: str) -> Iterator[_Unmet]:
    what, folded = {"title": "title", "body": "text"}[name], text.casefold()
    required = _strings(requirements.get(f"{name}_required_strings"))
    if required and not any(word.casefold() in folded for word in required):
        yield _Unmet(f"{what}_needs_words", f"the {what} needs one of: {', '.join(required[:10])}")
    unwanted = [word for word in _strings(requirements.get(f"{name}_blacklisted_strings")) if _has(folded, word)]
    if unwanted:
        yield _Unmet(f"{what}_has_words", f"the {what} must not have: {', '.join(unwanted[:10])}")


def _has(folded: str, word: str) -> bool:
    """Return whether a text has a word by itself; inside of other words Reddit decides."""
    return re.search(rf"(?<!\w){re.escape(word.casefold().strip())}(?!\w)", folded) is not None


def _of_link(requirements: Mapping[str, Any], outgoing: Outgoing) -> Iterator[_Unmet]:
    if kind_of(outgoing) != "link":
        return
    host = (urlsplit(outgoing.link or "").hostname or "").casefold()
    policy = requirements.get("link_restriction_policy")
    taken, refused = (_strings(requirements.get(f"domain_{name}")) for name in ("whitelist", "blacklist"))
    if policy == "whitelist" and taken and not any(_is_below(host, domain) for domain in taken):
        yield _Unmet("other_websites", f"it takes links to {', '.join(taken[:10])} only")
    if policy == "blacklist" and any(_is_below(host, domain) for domain in refused):
        yield _Unmet("website_refused", f"it takes no links to {host}")


def _is_below(host: str, domain: str) -> bool:
    domain = domain.casefold().strip().removeprefix("www.")
    return bool(domain) and (host == domain or host.endswith(f".{domain}"))


def _strings(value: Any) -> Sequence[str]:
    entries = value[:_STRINGS_MAX] if isinstance(value, list) else []
    return [entry for entry in entries if isinstance(entry, str) and 0 < len(entry.strip()) <= 200]
