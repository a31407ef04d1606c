"""What is wrong with one value, in plain English, and what is allowed instead. It knows types, and no request."""

import json
import re
import types
import typing
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from signalpost.kit import ids
from signalpost.kit.nearest import nearest
from signalpost.kit.problems import Issue

FORMAT = "format"
"""Key of `Meta.extra`: the sentence that stands for a pattern, which is never shown."""
NOT_BLANK = "Must contain more than spaces."
WEB_ADDRESS = "Must be an address that begins with https:// or http://, without spaces."
LANGUAGE_TAG = "Must be a language tag (BCP 47), such as en or de-AT."
_TIME = "Must be a time in RFC 3339 with an offset or Z."
_SHOWN_MAX = 40
_EXAMPLE_MAX = 80
_NAMES_MAX = 40

_CODES = (
    (re.compile(r"of length >= (\d+)"), "too_short", "min"),
    (re.compile(r"of length <= (\d+)"), "too_long", "max"),
    (re.compile(r"(?:`int`|`float`|`number`) >=? ?(-?[\d.]+)|>= (-?[\d.]+)"), "out_of_range", "min"),
    (re.compile(r"(?:`int`|`float`|`number`) <=? ?(-?[\d.]+)|<= (-?[\d.]+)"), "out_of_range", "max"),
    (re.compile(r"matching regex|datetime` with|Invalid RFC3339"), "format", None),
    (re.compile(r"Invalid enum value"), "not_allowed", None),
    (re.compile(r"unknown field"), "unknown_field", None),
    (re.compile(r"missing required"), "required", None),
    (re.compile(r"out of range"), "out_of_range", None),
)
_WORDS = {
    "array": "a list", "object": "an object", "str": "a string", "int": "a whole number", "float": "a number",
    "bool": "true or false", "null": "null", "datetime": "a time",
}  # fmt: skip
_EXPECTED = re.compile(r"Expected `([^`]*)`(?:, got `([^`]*)`)?")


def of_value(kind: Any, value: Any, path: str, message: str, *, strict: bool) -> Issue:
    """Return the issue of a value that a decoder of msgspec refused with this message.

    `strict`: the value came from JSON; otherwise from a query string, where each value is text.
    """
    if ids.is_not_found(message):
        return Issue(path, "not_found", message)
    for pattern, code, param in _CODES:
        if match := pattern.search(message):
            text = next((group for group in match.groups() if group), None)
            bound = None if param is None or text is None else float(text) if "." in text else int(text)
            return _issue(kind, value, path, code, param, bound)
    if match := _EXPECTED.search(message):
        return Issue(path, "type", _type_message(kind, value, match, strict=strict))
    return Issue(path, "format", message if message.endswith(".") else f"{message}.")  # our own, of `__post_init__`


def unknown_field(path: str, name: str, names: Sequence[str], *, word: str = "field") -> Issue:
    """Return the issue of a member or parameter that does not exist, with the nearest one that does."""
    params: dict[str, Any] = {"known": sorted(names)}
    if (similar := nearest(name, tuple(names))) is not None:
        params["nearest"] = similar
        return Issue(path, "unknown_field", f"Unknown {word}. Did you mean {similar}?", params)
    listed = _listed(sorted(names)) or "none"
    return Issue(path, "unknown_field", f"Unknown {word}. {_plural(word)}: {listed}.", params)


def required(path: str, kind: Any) -> Issue:
    """Return the issue of a missing member."""
    return Issue(path, "required", f"This field is required.{_example(kind)}")


def not_allowed(path: str, value: str, allowed: Sequence[str]) -> Issue:
    """Return the issue of a value that is none of the allowed ones."""
    params: dict[str, Any] = {"allowed": list(allowed)}
    message = f"Must be one of {_listed(allowed)}, not {_quoted(value)}."
    if (similar := nearest(value, tuple(allowed))) is not None:
        params["nearest"] = similar
        message += f" Did you mean {similar}?"
    return Issue(path, "not_allowed", message, params)


def _issue(kind: Any, value: Any, path: str, code: str, param: str | None, bound: float | None) -> Issue:
    params = None if param is None or bound is None else {param: bound}
    match code:
        case "not_allowed":
            return not_allowed(path, str(value), [str(option) for option in _literals(kind)])
        case "too_short" | "too_long":
            return Issue(path, code, _length_message(value, code, bound), params)
        case "out_of_range" if bound is not None:
            side = "at least" if param == "min" else "at most"
            return Issue(path, code, f"Must be {side} {bound}, not {_quoted(value)}.", params)
        case "out_of_range":
            return Issue(path, code, "This number is too large, or too small.")
        case "format":
            sentence = _sentence(kind)
            return Issue(path, code, f"{sentence}{_example(kind)}")
    return Issue(path, code, "This field is required." if code == "required" else "Unknown field.")


def _length_message(value: Any, code: str, bound: float | None) -> str:
    word = "character" if isinstance(value, str) else "member" if isinstance(value, dict) else "entry"
    if code == "too_short" and bound == 1:
        return "Must not be empty."
    side = "at least" if code == "too_short" else "at most"
    count = len(value) if isinstance(value, str | list | dict) else "another number"
    return f"Must have {side} {bound} {word if bound == 1 else _plural(word).lower()}; it has {count}."


def _type_message(kind: Any, value: Any, match: re.Match[str], *, strict: bool) -> str:
    expected = " or ".join(_WORDS.get(part, part) for part in match[1].split(" | ") if strict or part != "null")
    actual = _WORDS.get(match[2] or "", "something else") if strict else _quoted(value)
    return f"Must be {expected}, not {'a boolean' if actual == 'true or false' else actual}.{_example(kind)}"


def _sentence(kind: Any) -> str:
    sentences = (meta.extra[FORMAT] for meta in metas(kind) if meta.extra and FORMAT in meta.extra)
    return next(sentences, _TIME if datetime in _parts(kind) else "This value has another format.")


def _example(kind: Any) -> str:
    """Return ` Example: ...` with the value that the reference shows, or nothing."""
    value = _example_value(kind)
    text = json.dumps(value, ensure_ascii=False)
    return "" if value is None or len(text) > _EXAMPLE_MAX else f" Example: {text}."


def _example_value(kind: Any) -> Any:
    """Return the example at the type, else one of its first alternative; of a struct, its first member; or None."""
    for meta in metas(kind):
        if meta.examples:
            return meta.examples[0]
    part = next(iter(_parts(kind)))
    if isinstance(part, type) and issubclass(part, ids.Id):
        return ids.example(part.prefix)
    if isinstance(part, type) and issubclass(part, Struct):
        fields = msgspec.structs.fields(part)
        members = [field for field in fields if field.required] or fields[:1]
        values = {field.encode_name: _example_value(field.type) for field in members}
        return None if None in values.values() else values
    if typing.get_origin(part) is list:
        value = _example_value(typing.get_args(part)[0])
        return None if value is None else [value]
    return None


def _parts(kind: Any) -> Iterator[Any]:
    """Yield the alternatives of a type, without what annotates them."""
    origin = typing.get_origin(kind)
    if origin is Annotated:
        yield from _parts(typing.get_args(kind)[0])
    elif origin in (typing.Union, types.UnionType):
        for option in typing.get_args(kind):
            yield from _parts(option)
    else:
        yield kind


def metas(kind: Any) -> Iterator[Meta]:
    """Yield the annotations of a type, the outermost first."""
    origin = typing.get_origin(kind)
    if origin is Annotated:
        bare, *extras = typing.get_args(kind)
        yield from (extra for extra in reversed(extras) if isinstance(extra, Meta))
        yield from metas(bare)
    elif origin in (typing.Union, types.UnionType):
        for option in typing.get_args(kind):
            yield from metas(option)


def _literals(kind: Any) -> Iterator[Any]:
    """Yield the allowed values: those of the documentation, which leaves out what is refused."""
    for meta in metas(kind):
        if meta.extra_json_schema and "enum" in meta.extra_json_schema:
            yield from meta.extra_json_schema["enum"]
            return
    for part in _parts(kind):
        if typing.get_origin(part) is typing.Literal:
            yield from typing.get_args(part)


def _quoted(value: Any) -> str:
    """Return the value as it may stand in a message: foreign, so short and on one line."""
    text = str(value) if isinstance(value, str) else json.dumps(value)
    text = "".join(char if char.isprintable() else "�" for char in text[:_SHOWN_MAX]) + "…" * (len(text) > _SHOWN_MAX)
    return f"'{text}'" if isinstance(value, str) else text


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMES_MAX]) + (", …" if len(names) > _NAMES_MAX else "")


def _plural(word: str) -> str:
    return {"entry": "Entries"}.get(word, f"{word.capitalize()}s")
