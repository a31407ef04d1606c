"""What a network would refuse, found before anything is sent. Pure: facts and the post in, findings out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from signalpost.kit.problems import pointer
from signalpost.networks.contract import (
    Connector,
    Facts,
    Kind,
    MediaRule,
    Outgoing,
    OutgoingMedia,
    Part,
    PreflightIssue,
    TextRule,
)
from signalpost.networks.counting import length

_UNIT_RULES = {
    "grapheme": ("max_graphemes", "characters"),
    "code_point": ("max_length", "characters"),
    "utf16": ("max_utf16", "UTF-16 units"),
    "weighted": ("max_weighted", "weighted characters"),
}


def check(connector: Connector, outgoing: Outgoing, account_facts: Mapping[str, Any]) -> list[PreflightIssue]:
    """Return everything that is wrong with `outgoing` on this account, worst and best at once; empty when it may go."""
    facts = for_account(connector.facts, account_facts)
    found = [*_content(facts, outgoing), *_thread(facts, outgoing), *_title(facts, outgoing.title)]
    for index, part in enumerate(outgoing.parts):
        base = "" if index == 0 else f"/thread/{index - 1}"
        found += _text(facts, text_of_part(facts, outgoing, index), f"{base}/text")
        found += _media(facts, part, f"{base}/media")
    if outgoing.first_comment and not facts.first_comment:
        message = f"{facts.name} cannot add a first comment."
        found.append(PreflightIssue(f"{facts.key}.first_comment.unsupported", "/firstComment", message))
    found += _options(facts, outgoing.options)
    if connector.preflight is not None:
        found += connector.preflight(outgoing, account_facts)
    return found


def for_account(facts: Facts, account_facts: Mapping[str, Any]) -> Facts:
    """Return `facts` with the limits that the account's own server told at connect.

    They stand in `account_facts["limits"]`, by the names of the rules' fields:
    `{"text": {"max_length": 1000}, "media_total": 4, "media": {"image": {"bytes_max": 1000, "mime_types": []}}}`.
    """
    limits = account_facts.get("limits")
    if not isinstance(limits, Mapping):
        return facts
    text = replace(facts.text, **limits.get("text", {}))
    media = {kind: _own(rule, limits.get("media", {}).get(kind, {})) for kind, rule in facts.media.items()}
    return replace(facts, text=text, media=media, media_total=limits.get("media_total", facts.media_total))


def _own(rule: MediaRule, told: Mapping[str, Any]) -> MediaRule:
    limits: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in told.items()}
    return replace(rule, **limits)


def text_of_part(facts: Facts, outgoing: Outgoing, index: int) -> str:
    """Return the text that goes out for a part: the first gets the post's link, unless it is there or in a card."""
    text, link = outgoing.parts[index].text, outgoing.link
    if index > 0 or not link or link in text or (facts.link == "card" and not outgoing.media):
        return text
    return f"{text}\n\n{link}" if text else link


def _content(facts: Facts, outgoing: Outgoing) -> Iterator[PreflightIssue]:
    for index, part in enumerate(outgoing.parts):
        if not part.text.strip() and not part.media and not (index == 0 and outgoing.link):
            path = "/text" if index == 0 else f"/thread/{index - 1}/text"
            yield PreflightIssue(
                f"{facts.key}.content.required", path, f"A post on {facts.name} needs a text or media."
            )
    if facts.text.required and not outgoing.text.strip():
        yield PreflightIssue(f"{facts.key}.text.required", "/text", f"A post on {facts.name} needs a text.")
    if facts.media_required and not outgoing.media:
        yield PreflightIssue(f"{facts.key}.media.required", "/media", f"A post on {facts.name} needs media.")


def _thread(facts: Facts, outgoing: Outgoing) -> Iterator[PreflightIssue]:
    count = len(outgoing.parts)
    if count > 1 and facts.thread_parts_max == 0:
        yield PreflightIssue(f"{facts.key}.thread.unsupported", "/thread", f"{facts.name} has no threads.")
    elif count > max(facts.thread_parts_max, 1):
        message = f"A thread on {facts.name} has at most {facts.thread_parts_max} posts, not {count}."
        yield PreflightIssue(
            f"{facts.key}.thread.max_parts", "/thread", message, _params(facts.thread_parts_max, count)
        )


def _title(facts: Facts, title: str | None) -> Iterator[PreflightIssue]:
    rule = facts.title
    if rule is None:  # a title that only other networks of the post show is no fault
        return
    if rule.required and not (title or "").strip():
        yield PreflightIssue(f"{facts.key}.title.required", "/title", f"A post on {facts.name} needs a title.")
    if title and (actual := length(rule, title)) > rule.max_length:
        message = f"The title has {actual} characters; {facts.name} takes {rule.max_length}."
        yield PreflightIssue(f"{facts.key}.title.max", "/title", message, _params(rule.max_length, actual))


def _text(facts: Facts, text: str, path: str) -> Iterator[PreflightIssue]:
    rule: TextRule = facts.text
    name, unit = _UNIT_RULES[rule.unit]
    if len(text) > rule.max_length or rule.unit == "weighted" or rule.url_length is not None:
        actual = length(rule, text)
        if actual > rule.max_length:
            message = f"The text has {actual} {unit}; {facts.name} takes {rule.max_length}."
            yield PreflightIssue(f"{facts.key}.text.{name}", path, message, _params(rule.max_length, actual))
    if rule.bytes_max is not None and 4 * len(text) > rule.bytes_max:
        actual = len(text.encode("utf-8", "surrogatepass"))
        if actual > rule.bytes_max:
            message = f"The text has {actual} bytes; {facts.name} takes {rule.bytes_max}."
            yield PreflightIssue(f"{facts.key}.text.max_bytes", path, message, _params(rule.bytes_max, actual))


def _media(facts: Facts, part: Part, path: str) -> Iterator[PreflightIssue]:
    counts: dict[Kind, int] = {}
    for index, media in enumerate(part.media):
        counts[media.kind] = counts.get(media.kind, 0) + 1
        rule = facts.media.get(media.kind)
        if rule is None:
            taken = ", ".join(facts.media) or "no media"
            message = f"{facts.name} takes {taken}; this is a file of kind {media.kind}."
            yield PreflightIssue(f"{facts.key}.media.kind", f"{path}/{index}", message, {"kind": media.kind})
        else:
            yield from _file(facts, rule, media, f"{path}/{index}")
    for kind, count in counts.items():
        rule = facts.media.get(kind)
        if rule is not None and count > rule.per_post:
            message = f"A post on {facts.name} takes at most {rule.per_post} of kind {kind}, not {count}."
            params = {"kind": kind, **_params(rule.per_post, count)}
            yield PreflightIssue(f"{facts.key}.media.max_count", path, message, params)
    if facts.media_total is not None and len(part.media) > facts.media_total:
        message = f"A post on {facts.name} takes at most {facts.media_total} files, not {len(part.media)}."
        yield PreflightIssue(f"{facts.key}.media.max_total", path, message, _params(facts.media_total, len(part.media)))
    if not facts.media_mixed and not _mix(facts, tuple(counts)):
        message = f"A post on {facts.name} cannot mix {' and '.join(counts)}."
        yield PreflightIssue(f"{facts.key}.media.mixed", path, message, {"kinds": list(counts)})


def _mix(facts: Facts, kinds: Sequence[Kind]) -> bool:
    return all(
        one == other or facts.media[one].mixes_with.count(other)
        for one in kinds
        for other in kinds
        if one in facts.media and other in facts.media
    )


def _file(facts: Facts, rule: MediaRule, media: OutgoingMedia, path: str) -> Iterator[PreflightIssue]:
    if rule.mime_types and media.mime_type not in rule.mime_types:
        message = f"{facts.name} takes {', '.join(rule.mime_types)}; this file is {media.mime_type}."
        params = {"allowed": list(rule.mime_types), "actual": media.mime_type}
        yield PreflightIssue(f"{facts.key}.media.mime_type", path, message, params)
    area = None if media.width is None or media.height is None else media.width * media.height
    alt_length = None if media.alt_text is None else len(media.alt_text)
    bounds = (
        ("max_bytes", "bytes", media.size_bytes, rule.bytes_max, path),
        ("max_duration", "milliseconds", media.duration_ms, rule.duration_ms_max, path),
        ("max_pixels", "pixels", area, rule.pixels_max, path),
        ("max_alt_text", "characters of alt text", alt_length, rule.alt_text_max, f"{path}/altText"),
    )
    for name, unit, actual, limit, where in bounds:
        if actual is not None and limit is not None and actual > limit:
            message = f"{facts.name} takes at most {limit} {unit}; here are {actual}."
            yield PreflightIssue(f"{facts.key}.media.{name}", where, message, _params(limit, actual))


def _options(facts: Facts, options: Mapping[str, Any]) -> Iterator[PreflightIssue]:
    for key, value in options.items():
        option = facts.options.get(key)
        if option is None:
            known = ", ".join(facts.options) or "none"
            message = f"{facts.name} has no option {key[:100]!r}; it has: {known}."
            yield PreflightIssue(f"{facts.key}.options.unknown", pointer("options", key[:100]), message)
            continue
        try:
            msgspec.convert(value, option.type)
        except msgspec.ValidationError as failure:
            message = f"Option {key!r}: {failure}."
            yield PreflightIssue(f"{facts.key}.options.type", pointer("options", key[:100]), message)


def _params(limit: int, actual: int) -> dict[str, Any]:
    return {"limit": limit, "actual": actual}
