"""A post as Google takes it, and what of one that Google lists shows that it is the same."""

from collections.abc import Mapping
from typing import Any

from signalpost.kit.unicode import nfc
from signalpost.networks.connectors.google_business.facts import FACTS, topic_of
from signalpost.networks.contract import Outgoing
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import single_spaced


def content_of(outgoing: Outgoing) -> dict[str, Any]:
    """Return the members of a post without its photo and language, without those that are empty."""
    topic = topic_of(outgoing.options)
    values = {
        "summary": text_of_part(FACTS, outgoing, 0),
        "topicType": topic,
        "callToAction": None if topic == "OFFER" else _button(outgoing),
        "event": _event(outgoing.options.get("event")),
        "offer": _offer(outgoing) if topic == "OFFER" else None,
    }
    return {name: value for name, value in values.items() if value}


def _button(outgoing: Outgoing) -> Mapping[str, str] | None:
    button = outgoing.options.get("callToAction") or {}
    action, url = button.get("actionType"), button.get("url") or outgoing.link
    if action == "CALL":
        return {"actionType": action}
    return {"actionType": action or "LEARN_MORE", "url": url} if url else None


def _event(event: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return an event; its days and times stay what they are, since they have no zone on either side."""
    if not event:
        return None
    schedule: dict[str, Any] = {}
    for name in ("start", "end"):
        year, month, day = map(int, event[f"{name}Date"].split("-"))
        schedule[f"{name}Date"] = {"year": year, "month": month, "day": day}
        if time := event.get(f"{name}Time"):
            hours, minutes = map(int, time.split(":"))
            schedule[f"{name}Time"] = {"hours": hours, "minutes": minutes, "seconds": 0, "nanos": 0}
    return {"title": event["title"], "schedule": schedule}


def _offer(outgoing: Outgoing) -> Mapping[str, Any]:
    return {**({"redeemOnlineUrl": outgoing.link} if outgoing.link else {}), **(outgoing.options.get("offer") or {})}


def is_same(post: Mapping[str, Any], content: Mapping[str, Any]) -> bool:
    """Return whether a post that Google lists has this content; Google leaves out members that are 0 or empty."""
    listed = _plain({name: post.get(name) for name in _MEMBERS})
    return bool(listed == _plain(content))


def resembles(post: Mapping[str, Any], content: Mapping[str, Any]) -> bool:
    """Return whether a post has the text, or the title of the event, but something else of it differs."""
    names = [name for name in ("summary", "event") if content.get(name)]
    return any(_plain(post.get(name)) == _plain(content[name]) for name in names)


_MEMBERS = ("summary", "topicType", "callToAction", "event", "offer")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        plain = {str(name): _plain(member) for name, member in value.items()}
        return {name: member for name, member in plain.items() if member}
    return single_spaced(nfc(value)) if isinstance(value, str) else value
