"""What a post can have instead of files: a poll, or another post that it reshares.

Sources: learn.microsoft.com, Poll API (question, answers, durations) and Posts API (`reshareContext`), version
202609, read on 2026-11-21; in production zernio-sdk 1.4.1385, read on 2026-11-27 (140 and 30 characters, 2 to 4
answers, no poll or reshare beside media), and publer.com/docs, polls, read on 2026-11-29 (30 characters, 2 to 4, two
weeks at most). That a reshare of an activity is refused was seen by the authors of PHP code for /rest/posts, read on
2026-11-29: "Allowed URN types are groupPost, share, ugcPost". The number of an activity can differ from that of its
share (github.com/sergebulaev/linkedin-skills, release 1.0.16, 2026-07-16).
"""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal
from urllib.parse import unquote

import msgspec

from signalpost.kit import issue_text
from signalpost.networks.contract import Outgoing, PreflightIssue

_ADDRESS_MAX: Final = 600
_URN: Final = re.compile(r"urn:li:(?:share|ugcPost|groupPost):[0-9][0-9-]{0,60}")
_SLUG: Final = re.compile(r"[-_](share|ugcPost)-([0-9]{10,25})(?:-[\w-]{1,10})?$")

Choice = Annotated[str, msgspec.Meta(min_length=1, max_length=30)]
PostAddress = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^(urn:li:(share|ugcPost|groupPost|activity):[0-9][0-9-]{0,60}"
        r"|https://([a-z]{2,3}\.)?linkedin\.com/(feed/update|posts)/[^\s]+)$",
        max_length=_ADDRESS_MAX,
        extra={issue_text.FORMAT: "Must be the address of a post on linkedin.com, or its URN."},
    ),
]


class Poll(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """A poll below the text."""

    question: Annotated[str, msgspec.Meta(title="Question", min_length=1, max_length=140)]
    options: Annotated[list[Choice], msgspec.Meta(title="Choices", min_length=2, max_length=4)]
    duration: Annotated[
        Literal["ONE_DAY", "THREE_DAYS", "SEVEN_DAYS", "FOURTEEN_DAYS"], msgspec.Meta(title="Duration")
    ] = "SEVEN_DAYS"


def is_attached(outgoing: Outgoing) -> bool:
    """Return whether the post has a poll or reshares another, so that it shows no link card."""
    return any(outgoing.options.get(name) is not None for name in ("poll", "reshareOf"))


def poll_of(outgoing: Outgoing) -> dict[str, Any] | None:
    """Return the poll as LinkedIn takes it; voters have one vote each, which the author can see."""
    if outgoing.options.get("poll") is None:
        return None
    poll = msgspec.convert(outgoing.options["poll"], Poll)
    return {
        "question": poll.question,
        "options": [{"text": answer} for answer in poll.options],
        "settings": {"duration": poll.duration, "voteSelectionType": "SINGLE_VOTE", "isVoterVisibleToAuthor": True},
    }


def reshared_urn(outgoing: Outgoing) -> str | None:
    """Return the URN of the post that is reshared; None if there is none, or its address does not say which it is."""
    address = unquote(str(outgoing.options.get("reshareOf") or ""))[:_ADDRESS_MAX].partition("?")[0].partition("#")[0]
    if (urn := _URN.search(address)) is not None:
        return urn[0]
    slug = _SLUG.search(address.rstrip("/"))
    return f"urn:li:{slug[1]}:{slug[2]}" if slug else None


def attachment_issues(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    """Check that a post has files, a poll or a reshared post, and that the address of that one names a post."""
    options = outgoing.options
    if options.get("poll") is not None and outgoing.media:
        yield PreflightIssue("linkedin.poll.with_media", "/options/poll", "A post can have a poll or media, not both.")
    if options.get("reshareOf") is None:
        return
    if outgoing.media or options.get("poll") is not None:
        message = "A post that reshares another can have neither media nor a poll."
        yield PreflightIssue("linkedin.reshare.with_media", "/options/reshareOf", message)
    if reshared_urn(outgoing) is None:
        message = (
            "LinkedIn reshares a post by its share or ugcPost, and this address names none. Copy it with "
            '"Copy link to post" in the menu of the post; it contains -share- or -ugcPost-.'
        )
        yield PreflightIssue("linkedin.reshare.address", "/options/reshareOf", message)
