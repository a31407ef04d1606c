"""Writes the reference page of networks from their facts: `python -m signalpost.networks.reference > PAGE`."""

import sys
from collections.abc import Iterator

from signalpost.networks import CONNECTORS, PLATFORMS, capabilities
from signalpost.networks.contract import Connector, Facts, MediaRule, TextRule

_HEAD = """# Networks

Generated from the facts of the connectors by `make docs`; do not edit.

Preflight checks every post against these limits before anything is sent. Where an account's own server publishes other
limits, preflight and the `capabilities` of the account use those.
"""
_UNITS = {
    "grapheme": "characters as a reader sees them (grapheme clusters)",
    "code_point": "code points",
    "utf16": "UTF-16 units",
    "weighted": "weighted characters",
    "emoji_bytes": "characters, of an emoji its bytes",
}
_SHARED_BY = {"app": "app of an operator", "account": "account", "address": "IP address"}


def render() -> str:
    """Return the page as Markdown."""
    parts = [_HEAD, "\n".join(_comments()), *("\n".join(_network(connector)) for connector in CONNECTORS.values())]
    missing = [platform for platform in PLATFORMS if platform not in CONNECTORS]
    if missing:
        parts.append(f"## Not built yet\n\n{', '.join(missing)}\n")
    return "\n".join(parts)


def _comments() -> Iterator[str]:
    yield "## Comments\n"
    yield "What can be done with what people write under posts. [How it works](../guides/comments.md).\n"
    names = ("Network", "Read", "Answer", "Its length", "Hide", "Like", "Delete others'", "Pushed")
    yield f"| {' | '.join(names)} | What is not possible, and why |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for connector in CONNECTORS.values():
        able = capabilities(connector)["comments"]
        can = ["yes" if able[name] else "no" for name in ("read", "reply", "hide", "like", "delete", "pushed")]
        can.insert(2, _text(connector.facts.reply_text or connector.facts.text) if able["reply"] else "")
        yield f"| {connector.facts.name} | {' | '.join(can)} | {able['note'] or ''} |"
    yield ""


def _network(connector: Connector) -> Iterator[str]:
    facts = connector.facts
    yield f"## {facts.name} (`{facts.key}`)\n"
    if facts.notes:
        yield f"{facts.notes}\n"
    yield "| Property | Value |\n|---|---|"
    for name, value in (*_account(connector), *_limits(facts)):
        yield f"| {name} | {value} |"
    yield f"| Source | {facts.source}; read on {facts.verified_on} |\n"
    if facts.media:
        yield from _media(facts)
    if facts.options:
        yield f"Options (`options.{facts.key}`):\n\n| Option | Description |\n|---|---|"
        for name, option in facts.options.items():
            yield f"| `{name}` | {option.description} |"
        yield ""


def _account(connector: Connector) -> Iterator[tuple[str, str]]:
    facts = connector.facts
    names = [name for name, value in capabilities(connector).items() if value is True]
    yield "Capabilities", ", ".join(names)
    comments = capabilities(connector)["comments"]
    can = ", ".join(name for name, value in comments.items() if value is True)
    yield "Comments", f"{can or 'none'}. {comments['note'] or ''}".strip()
    if facts.api_version is not None:
        yield "API version", facts.api_version + (f", until {facts.api_sunset_on}" if facts.api_sunset_on else "")
    if facts.credential_fields:
        fields = [f"`{field.name}`{'' if field.required else ' (optional)'}" for field in facts.credential_fields]
        yield "Connect with", ", ".join(fields)
    if connector.oauth is not None:
        yield "OAuth", "at the account's own server" if connector.oauth.own_server else "yes"
        if connector.destinations is not None:
            yield "Posts to", "one or more of the places that the grant covers, chosen after it"
        yield "Permissions", ", ".join(f"`{scope}`" for scope in connector.oauth.facts.scopes)
        if connector.oauth.facts.push_scopes:
            yield "To have comments pushed", ", ".join(f"`{scope}`" for scope in connector.oauth.facts.push_scopes)
    yield "Server", facts.base_url or ("none" if facts.key == "sandbox" else "the account's own")


def _limits(facts: Facts) -> Iterator[tuple[str, str]]:
    yield "Text", _text(facts.text)
    if facts.title is not None:
        yield "Title", _text(facts.title)
    yield "Thread", f"at most {facts.thread_parts_max} posts" if facts.thread_parts_max else "not supported"
    in_text = "appended to the text"
    card = f"shown as a card, or {in_text} when there is media"
    yield "Link", {"text": in_text, "card": card, "field": "in a field of its own"}[facts.link]
    if facts.dedupes_for_seconds is not None:
        yield "Recognises repeated requests", f"for {facts.dedupes_for_seconds} s"
    if (limit := facts.rate_limit) is not None:
        yield "Rate limit", f"{limit.count} requests in {limit.seconds} s for each {_SHARED_BY[limit.per]}"


def _text(rule: TextRule) -> str:
    words = f"{rule.max_length} {_UNITS[rule.unit]}"
    if rule.bytes_max is not None:
        words += f", at most {rule.bytes_max} bytes"
    if rule.url_length is not None:
        words += f"; a URL counts as {rule.url_length}"
    if rule.mentions_count_local_part_only:
        words += "; of `@user@server` only `@user` counts"
    return words + ("; required" if rule.required else "")


def _media(facts: Facts) -> Iterator[str]:
    yield "| Media | Files in a post | Bytes | Types | Duration | Pixels | Alt text | Can be combined with |"
    yield "|---|---|---|---|---|---|---|---|"
    for kind, rule in facts.media.items():
        yield f"| {kind} | {' | '.join(_file(rule))} |"
    yield f"\nA post can have at most {facts.media_total} files.\n" if facts.media_total else ""


def _file(rule: MediaRule) -> Iterator[str]:
    yield str(rule.per_post)
    yield f"{rule.bytes_max:,}"
    yield ", ".join(rule.mime_types)
    yield "" if rule.duration_ms_max is None else f"{rule.duration_ms_max // 1000} s"
    yield ", ".join(_frame(rule))
    yield str(rule.alt_text_max or "")
    yield ", ".join(rule.mixes_with)


def _frame(rule: MediaRule) -> Iterator[str]:
    sides = (("shorter", rule.side_short_max), ("longer", rule.side_long_max))
    if rule.pixels_max is not None:
        yield f"{rule.pixels_max:,}"
    if rule.ratio_min is not None and rule.ratio_max is not None:
        yield f"{rule.ratio_min:g} to {rule.ratio_max:g} (width by height)"
    yield from (f"{name} side {limit:,}" for name, limit in sides if limit is not None)


if __name__ == "__main__":
    sys.stdout.write(render())
