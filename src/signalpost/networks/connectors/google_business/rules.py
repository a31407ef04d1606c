"""What is wrong with a post before Google sees it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

from signalpost.networks.connectors.google_business.facts import FACTS, PHOTO_BYTES_MIN, PHOTO_SIDE_MIN, topic_of
from signalpost.networks.contract import Outgoing, PreflightIssue
from signalpost.networks.fetching import unreachable

_DIGITS: Final = range(7, 16)
"""Of a telephone number, with the code of its country."""
_NUMBER: Final = re.compile(r"[+(]?[0-9][0-9 ()./-]{5,24}")
_LOCAL: Final = re.compile(r"[0-9]{3}[-. ][0-9]{3}[-. ][0-9]{4}")
_WRITTEN_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DAY: Final = re.compile(r"[0-9]{1,2}[./-][0-9]{1,2}[./-](?:[0-9]{2}|[0-9]{4})")


def preflight(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
    """Check what the kind of post needs, its dates, its photo, and what Google is known to reject."""
    return [
        *_location(account_facts),
        *_phone(outgoing.text),
        *_button(outgoing),
        *_event(outgoing),
        *_photo(outgoing),
    ]


def _location(account_facts: Mapping[str, Any]) -> Iterator[PreflightIssue]:
    if account_facts.get("verified") is False:
        message = "Google has not verified this location, so it may refuse posts or not show them."
        yield PreflightIssue("google_business.location.unverified", "", message, severity="warning")


def _phone(text: str) -> Iterator[PreflightIssue]:
    if has_phone_number(text):
        message = (
            "Google rejects posts with a telephone number in the text. A button that calls can stand in its place."
        )
        yield PreflightIssue("google_business.text.phone", "/text", message, severity="warning")


def has_phone_number(text: str) -> bool:
    """Return whether something in a text looks like a telephone number, and not like a day or a price."""
    for match in _NUMBER.finditer(text):
        written = match[0].strip(" ./-")
        if sum(map(str.isdigit, written)) not in _DIGITS or _DAY.match(written):
            continue
        if written[0] in "+(0" or _LOCAL.match(written):
            return True
    return False


def _button(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    button = outgoing.options.get("callToAction")
    if not isinstance(button, dict):
        return
    action, url = button.get("actionType"), button.get("url")
    if topic_of(outgoing.options) == "OFFER":
        message = "Google shows no button on offers. Say in `offer` where it is redeemed."
        yield PreflightIssue("google_business.button.offer", "/options/callToAction", message, severity="warning")
    elif action == "CALL" and url:
        message = "A button that calls has no address: it calls the location."
        yield PreflightIssue("google_business.button.call", "/options/callToAction/url", message)
    elif action == "CALL" and outgoing.link:
        message = "A button that calls leads nowhere else, so the link of the post is not shown."
        yield PreflightIssue("google_business.link.unused", "/link", message, severity="warning")
    elif action != "CALL" and not url and not outgoing.link:
        message = "The button needs an address to lead to."
        yield PreflightIssue("google_business.button.url", "/options/callToAction", message)


def _event(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    options = outgoing.options
    topic, event, offer = topic_of(options), options.get("event"), options.get("offer")
    if topic != "STANDARD" and not event:
        message = "An event and an offer need a title, a first and a last day."
        yield PreflightIssue("google_business.event.required", "/options/event", message)
    if topic == "STANDARD" and event:
        message = "An update has no dates. Make it an event, or leave them out."
        yield PreflightIssue("google_business.event.of_update", "/options/event", message)
    if topic != "OFFER" and offer:
        message = "Only an offer has a code and conditions. Make the post an offer, or leave them out."
        yield PreflightIssue("google_business.offer.of_other", "/options/offer", message)
    if isinstance(event, dict):
        yield from _dates(event)


def _dates(event: Mapping[str, Any]) -> Iterator[PreflightIssue]:
    days = {name: _day(event.get(name)) for name in ("startDate", "endDate")}
    for name, day in days.items():
        if day is None and _WRITTEN_DAY.fullmatch(str(event.get(name))):  # anything else has the wrong type
            message = "There is no such day."
            yield PreflightIssue("google_business.event.day", f"/options/event/{name}", message)
    first, last = days["startDate"], days["endDate"]
    if first is None or last is None:
        return
    starts, ends = str(event.get("startTime") or "00:00"), str(event.get("endTime") or "24:00")
    if (last, ends) <= (first, starts):
        message = "The end has to be later than the beginning."
        yield PreflightIssue("google_business.event.order", "/options/event/endDate", message)


def _day(value: Any) -> date | None:
    try:
        return date.fromisoformat(value)
    except (ValueError, TypeError):
        return None


def _photo(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    for index, media in enumerate(outgoing.media):
        path = f"/media/{index}"
        yield from unreachable(FACTS, media, path)
        if media.size_bytes < PHOTO_BYTES_MIN:
            message = f"This file is {media.size_bytes} bytes large; {FACTS.name} needs {PHOTO_BYTES_MIN}."
            params = {"limit": PHOTO_BYTES_MIN, "actual": media.size_bytes}
            yield PreflightIssue("google_business.media.min_bytes", path, message, params)
        side = min(media.width or PHOTO_SIDE_MIN, media.height or PHOTO_SIDE_MIN)
        if side < PHOTO_SIDE_MIN:
            message = f"The shorter side of this file has {side} pixels; {FACTS.name} needs {PHOTO_SIDE_MIN}."
            params = {"limit": PHOTO_SIDE_MIN, "actual": side}
            yield PreflightIssue("google_business.media.min_side", path, message, params)
