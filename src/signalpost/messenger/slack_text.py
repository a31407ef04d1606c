"""What a person wrote at Slack, as plain text. Pure.

A message has its text twice: as rich text, in which links, emoji and mentions are elements, and as one line of markup.
The first is read where there is one: in the second an emoji is a name between colons, also if it was typed as itself.
Source: docs.slack.dev/reference/block-kit/blocks/rich-text-block and /messaging/formatting-message-text, 2026-11.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

_CODE_POINTS: Final = re.compile(r"[0-9a-f]{2,6}(-[0-9a-f]{2,6}){0,11}")
_MARKUP: Final = re.compile(r"<([^<>|\n]{1,3000})(?:\|([^<>\n]{0,3000}))?>")
_ELEMENTS_MAX: Final = 2_000


def written(event: Mapping[str, Any]) -> str:
    """Return the text of a message event, without its formatting; empty if it has none."""
    blocks = event.get("blocks")
    rich = [block for block in _mappings(blocks) if block.get("type") == "rich_text"]
    if rich:
        return "\n".join(_rich(block) for block in rich).strip("\n")
    text = event.get("text")
    return plain(text) if isinstance(text, str) else ""


def plain(text: str) -> str:
    """Return markup as people see it: links as their addresses, and the three characters that are escaped."""
    text_only = _MARKUP.sub(lambda match: _reference(match[1], match[2] or ""), text)
    return text_only.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _reference(target: str, label: str) -> str:
    if target.startswith("!"):
        return label or f"@{target[1:].partition('^')[0]}"
    if target.startswith(("@", "#")):
        return f"{target[0]}{label.removeprefix(target[0])}" if label else target
    return _link(target, label)


def _link(url: str, label: str) -> str:
    """Return the address as it was typed, or the words of a link with its address behind them."""
    address = url.removeprefix("mailto:").removeprefix("tel:")
    if not label or label == address:
        return address
    return label if label in address and " " not in label and "." in label else f"{label} ({address})"


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    items = value[:_ELEMENTS_MAX] if isinstance(value, list) else []
    return [item for item in items if isinstance(item, Mapping)]


def _rich(block: Mapping[str, Any]) -> str:
    return "\n".join(_lines(_mappings(block.get("elements"))))


def _lines(parts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for part in parts:
        if part.get("type") == "rich_text_list":
            numbered = part.get("style") == "ordered"
            for number, item in enumerate(_mappings(part.get("elements")), 1):
                yield f"{f'{number}.' if numbered else '•'} {_section(item)}"
        else:
            yield _section(part).removesuffix("\n")


def _section(part: Mapping[str, Any]) -> str:
    return "".join(map(_element, _mappings(part.get("elements"))))


_SIMPLE: Final[Mapping[str, tuple[str, str]]] = {
    "text": ("", "text"), "user": ("@", "user_id"), "channel": ("#", "channel_id"), "usergroup": ("@", "usergroup_id"),
    "broadcast": ("@", "range"), "color": ("", "value"), "date": ("", "fallback"),
}  # fmt: skip
"""Kinds of elements -> what stands before the member that is shown."""


def _element(element: Mapping[str, Any]) -> str:
    def member(name: str) -> str:
        value = element.get(name)
        return value if isinstance(value, str) else ""

    kind = member("type")
    if kind in _SIMPLE:
        mark, name = _SIMPLE[kind]
        return f"{mark}{member(name)}"
    if kind == "link":
        return _link(member("url"), member("text"))
    return (_emoji(member("unicode")) or f":{member('name')}:") if kind == "emoji" else ""


def _emoji(code_points: str) -> str:
    if not _CODE_POINTS.fullmatch(code_points):
        return ""
    numbers = [int(number, 16) for number in code_points.split("-")]
    return (
        "" if any(number > 0x10FFFF or 0xD800 <= number < 0xE000 for number in numbers) else "".join(map(chr, numbers))
    )
