"""Members that a JSON body gives twice. msgspec keeps the last one, and what the first said would be lost."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from signalpost.kit.problems import Issue, Problem, pointer

_STRINGS: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?:"\s*:?|\\?\Z)', re.DOTALL)
"""Every string with the colon behind it: only the name of a member has one. One without an end goes to the end of the
body, so that no byte is read twice."""
_ISSUES_MAX: Final = 100


class DuplicateMember(Problem, status=400):
    """A member of an object is given twice.

    Send each member once: of two values, one would be lost.
    """


class _Object(list[tuple[str, Any]]):
    """The members of an object, those that are given twice included."""


_decode: Final = json.JSONDecoder(
    object_pairs_hook=_Object, parse_int=str, parse_float=str, parse_constant=str, strict=False
).decode


def require_none(body: bytes) -> None:
    """Ensure that no object in a valid JSON body has two members of the same name.

    In most bodies all names are different, which takes a few microseconds to see; only the others are read again.

    Raises:
        DuplicateMember: one has, with a pointer to each of them.
    """
    names = [text for text in _STRINGS.findall(body) if text.endswith(b":")]
    if len({*names}) == len(names) and not any(b"\\" in name or name[-2] != 0x22 for name in names):
        return
    try:
        document = _decode(body.decode(errors="replace"))
    except (ValueError, RecursionError):  # not valid, which decoding says with a better message
        return
    issues = [
        Issue(path, "not_unique", "This member is given twice: send it once.")
        for path, _ in zip(_repeated(document), range(_ISSUES_MAX), strict=False)
    ]
    if issues:
        raise DuplicateMember(errors=issues)


def _repeated(document: Any) -> Iterator[str]:
    """Yield the pointers to members that are given twice. Nothing here is recursive: bodies may be deep."""
    waiting: list[tuple[str, Any]] = [("", document)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, _Object):
            seen: set[str] = set()
            for name, member in value:
                its = path + pointer(name)
                if name in seen:
                    yield its
                seen.add(name)
                if isinstance(member, list):
                    waiting.append((its, member))
        elif isinstance(value, list):
            waiting += [(f"{path}/{index}", item) for index, item in enumerate(value) if isinstance(item, list)]
