"""Finds what a network would refuse, before anything is sent. Pure: facts and a post in, issues out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from signalpost.kit import clock
from signalpost.kit.problems import pointer
from signalpost.kit.value_issues import issues_of
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
from signalpost.networks.fitting import frame_bounds
from signalpost.networks.replies import addressed

_OPTION_ISSUES_MAX: Final = 10
_UNIT_RULES = {
    "grapheme": ("max_graphemes", "characters"),
    "code_point": ("max_length", "characters"),
    "utf16": ("max_utf16", "UTF-16 units"),
    "weighted": ("max_weighted", "weighted characters"),
    "emoji_bytes": ("max_length", "characters (an emoji counts its bytes)"),
}
_FRAME_WORDS = {
    "max_pixels": "This file has {} pixels",
    "max_short_side": "The shorter side of this file has {} pixels",
    "max_long_side": "The longer side of this file has {} pixels",
}


def check(connector: Connector, outgoing: Outgoing, account_facts: Mapping[str, Any]) -> list[PreflightIssue]:
    """Return all issues of a post on this account, errors and warnings together; empty if the post may be sent."""
    facts = for_account(connector.facts, account_facts)
    issues = [*_content(facts, outgoing), *_thread(facts, outgoing), *_title(facts, outgoing.title)]
    for index, part in enumerate(outgoing.parts):
        issues += _text(facts, part, text_of_part(facts, outgoing, index), part_path(index, "text"))
        if part.media:
            issues += _media(facts, part, part_path(index, "media"))
    if outgoing.first_comment and not facts.first_comment:
        message = f"{facts.name} does not support first comments."
        issues.append(_issue(facts, "first_comment.unsupported", "/firstComment", message))
    if outgoing.options:
        issues += _options(facts, outgoing.options)
    if connector.preflight is not None:
        issues += connector.preflight(outgoing, account_facts)
    return issues


def check_reply(
    connector: Connector, text: str, author_handle: str | None, account_facts: Mapping[str, Any]
) -> list[PreflightIssue]:
    """Return why the network would refuse an answer to a comment of this author; empty if it may be sent."""
    facts = for_account(connector.facts, account_facts)
    sent = addressed(text, author_handle) if facts.replies_mention else text
    if facts.reply_text is not None:
        return list(_length(facts, facts.reply_text, sent, "/text"))
    outgoing = Outgoing(parts=(Part(text=sent),), dedupe_key="", created_at=clock.now())
    issues = check(connector, outgoing, account_facts)
    return [issue for issue in issues if issue.severity == "error" and issue.path == "/text"]


def for_account(facts: Facts, account_facts: Mapping[str, Any]) -> Facts:
    """Return `facts` with the limits that the account's own server published at connect.

    They stand in `account_facts["limits"]`, by the names of the rules' fields:
    `{"text": {"max_length": 1000}, "media_total": 4, "media": {"image": {"bytes_max": 1000, "mime_types": []}}}`.
    """
    limits = account_facts.get("limits")
    if not isinstance(limits, Mapping):
        return facts
    text = replace(facts.text, **limits.get("text", {}))
    media = {kind: _with_limits(rule, limits.get("media", {}).get(kind, {})) for kind, rule in facts.media.items()}
    return replace(facts, text=text, media=media, media_total=limits.get("media_total", facts.media_total))


def _with_limits(rule: MediaRule, limits: Mapping[str, Any]) -> MediaRule:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in limits.items()}
    return replace(rule, **values)


def text_of_part(facts: Facts, outgoing: Outgoing, index: int) -> str:
    """Return the text that is sent for a part.

    The post's link is appended to the first part, unless the text contains it or the network shows it as a card.
    """
    text = outgoing.parts[index].text
    return text if index > 0 else text_with_link(facts, text, outgoing.link, has_media=bool(outgoing.media))


def text_with_link(facts: Facts, text: str, link: str | None, *, has_media: bool) -> str:
    """Return the text of a post as it is sent with its link."""
    if not link or link in text or facts.link == "field" or (facts.link == "card" and not has_media):
        return text
    return f"{text}\n\n{link}" if text else link


def part_path(index: int, member: str) -> str:
    """Return where a member of a part stands in the target's content: `/text`, `/thread/0/text` (the second part)."""
    return f"/{member}" if index == 0 else f"/thread/{index - 1}/{member}"


def _issue(facts: Facts, rule: str, path: str, message: str, **params: Any) -> PreflightIssue:
    return PreflightIssue(f"{facts.key}.{rule}", path, message, params or None)


def _content(facts: Facts, outgoing: Outgoing) -> Iterator[PreflightIssue]:
    titled = facts.title is not None and facts.title.required and bool((outgoing.title or "").strip())
    for index, part in enumerate(outgoing.parts):
        if not part.text.strip() and not part.media and not (index == 0 and (outgoing.link or titled)):
            message = f"A post on {facts.name} needs text or media."
            yield _issue(facts, "content.required", part_path(index, "text"), message)
    if facts.text.required and not outgoing.text.strip():
        yield _issue(facts, "text.required", "/text", f"A post on {facts.name} needs text.")
    if facts.media_required and not outgoing.media:
        yield _issue(facts, "media.required", "/media", f"A post on {facts.name} needs media.")


def _thread(facts: Facts, outgoing: Outgoing) -> Iterator[PreflightIssue]:
    count, limit = len(outgoing.parts), facts.thread_parts_max
    if count > 1 and limit == 0:
        yield _issue(facts, "thread.unsupported", "/thread", f"{facts.name} does not support threads.")
    elif count > max(limit, 1):
        message = f"A thread on {facts.name} can have at most {limit} posts; this one has {count}."
        yield _issue(facts, "thread.max_parts", "/thread", message, limit=limit, actual=count)


def _title(facts: Facts, title: str | None) -> Iterator[PreflightIssue]:
    rule = facts.title
    if rule is None:  # a title is not an error: other networks of the post may show it
        return
    if rule.required and not (title or "").strip():
        yield _issue(facts, "title.required", "/title", f"A post on {facts.name} needs a title.")
    if title and (actual := length(rule, title)) > rule.max_length:
        message = f"The title is {actual} characters long; {facts.name} allows {rule.max_length}."
        yield _issue(facts, "title.max", "/title", message, limit=rule.max_length, actual=actual)


def _text(facts: Facts, part: Part, text: str, path: str) -> Iterator[PreflightIssue]:
    rule = facts.text
    beside = facts.media.get(part.media[0].kind) if part.media else None
    if beside is not None and beside.text_max_length is not None:
        rule = replace(rule, max_length=beside.text_max_length)
    return _length(facts, rule, text, path)


def _length(facts: Facts, rule: TextRule, text: str, path: str) -> Iterator[PreflightIssue]:
    name, unit = _UNIT_RULES[rule.unit]
    if len(text) > rule.max_length or rule.unit in ("utf16", "weighted", "emoji_bytes") or rule.url_length is not None:
        actual = length(rule, text)
        if actual > rule.max_length:
            message = f"The text is {actual} {unit} long; {facts.name} allows {rule.max_length}."
            yield _issue(facts, f"text.{name}", path, message, limit=rule.max_length, actual=actual)
    if rule.bytes_max is not None and 4 * len(text) > rule.bytes_max:
        actual = len(text.encode("utf-8", "surrogatepass"))
        if actual > rule.bytes_max:
            message = f"The text is {actual} bytes long; {facts.name} allows {rule.bytes_max}."
            yield _issue(facts, "text.max_bytes", path, message, limit=rule.bytes_max, actual=actual)


def _media(facts: Facts, part: Part, path: str) -> Iterator[PreflightIssue]:
    counts: dict[Kind, int] = {}
    for index, media in enumerate(part.media):
        counts[media.kind] = counts.get(media.kind, 0) + 1
        rule = facts.media.get(media.kind)
        if rule is None:
            accepted = ", ".join(facts.media) or "none"
            message = f"{facts.name} does not accept files of kind {media.kind}. Accepted kinds: {accepted}."
            yield _issue(facts, "media.kind", f"{path}/{index}", message, kind=media.kind)
        else:
            yield from _file(facts, rule, media, f"{path}/{index}")
    for kind, count in counts.items():
        rule = facts.media.get(kind)
        if rule is not None and count > rule.per_post:
            message = f"A post on {facts.name} can have at most {rule.per_post} of kind {kind}; this one has {count}."
            yield _issue(facts, "media.max_count", path, message, kind=kind, limit=rule.per_post, actual=count)
    total, limit = len(part.media), facts.media_total
    if limit is not None and total > limit:
        message = f"A post on {facts.name} can have at most {limit} files; this one has {total}."
        yield _issue(facts, "media.max_total", path, message, limit=limit, actual=total)
    if not facts.media_mixed and not _may_mix(facts, tuple(counts)):
        message = f"A post on {facts.name} cannot combine {' and '.join(counts)}."
        yield _issue(facts, "media.mixed", path, message, kinds=list(counts))


def _may_mix(facts: Facts, kinds: Sequence[Kind]) -> bool:
    return all(
        kind == other or other in facts.media[kind].mixes_with
        for kind in kinds
        for other in kinds
        if kind in facts.media and other in facts.media
    )


def _file(facts: Facts, rule: MediaRule, media: OutgoingMedia, path: str) -> Iterator[PreflightIssue]:
    if rule.mime_types and media.mime_type not in rule.mime_types:
        message = f"This file is {media.mime_type}; {facts.name} accepts {', '.join(rule.mime_types)}."
        params = {"allowed": list(rule.mime_types), "actual": media.mime_type}
        yield _issue(facts, "media.mime_type", path, message, **params)
    alt_length = None if media.alt_text is None else len(media.alt_text)
    bounds = (
        ("max_bytes", "This file is {} bytes large", media.size_bytes, rule.bytes_max, path),
        ("max_duration", "This file is {} milliseconds long", media.duration_ms, rule.duration_ms_max, path),
        *(
            (name, _FRAME_WORDS[name], actual, limit, path)
            for name, (actual, limit) in frame_bounds(rule, media).items()
        ),
        ("max_alt_text", "The alt text is {} characters long", alt_length, rule.alt_text_max, f"{path}/altText"),
    )
    for name, words, actual, limit, bound_path in bounds:
        if actual is not None and limit is not None and actual > limit:
            message = f"{words.format(actual)}; {facts.name} allows {limit}."
            yield _issue(facts, f"media.{name}", bound_path, message, limit=limit, actual=actual)


def _options(facts: Facts, options: Mapping[str, Any]) -> Iterator[PreflightIssue]:
    for key, value in options.items():
        path = pointer("options", key[:100])
        option = facts.options.get(key)
        if option is None:
            names = ", ".join(facts.options) or "none"
            message = f"{facts.name} has no option {key[:100]!r}. Options: {names}."
            yield _issue(facts, "options.unknown", path, message)
            continue
        for issue in islice(issues_of(option.type, value, path), _OPTION_ISSUES_MAX):
            yield _issue(facts, "options.type", issue.path, issue.message, **issue.params or {})
