"""Decode bodies and query strings into structs. msgspec does; all issues are collected only after it has failed."""

import itertools
import re
import types
import typing
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct

from signalpost.kit import ids, problems
from signalpost.kit.problems import Issue, pointer

T = TypeVar("T", bound=Struct)
ISSUES_MAX = 100
MESSAGE_MAX = 300
"""Characters of the message of an issue."""
NUMBER_MAX = 1e15
"""Of numbers with a fraction or an exponent where any JSON is accepted; its inverse is the smallest one besides 0.

PostgreSQL writes 1e308 with 309 digits."""
_NUL_ESCAPED = b"\\u0000"


def number(literal: str) -> float:
    """Read a number with a fraction or an exponent; msgspec itself needs 15 microseconds for one such as 1e308.

    Raises:
        ValueError: its size is beyond `NUMBER_MAX`.
    """
    value = float(literal)
    if value and not 1 / NUMBER_MAX <= abs(value) <= NUMBER_MAX:
        raise ValueError("Number out of range")
    return value


_json = msgspec.json.Decoder(float_hook=number)


def decoder_of(body: type[T]) -> "msgspec.json.Decoder[T]":
    """Return the decoder of the bodies of an operation."""
    return msgspec.json.Decoder(body, dec_hook=ids.decode_hook, float_hook=number)


def decode_body(decoder: "msgspec.json.Decoder[T]", body: bytes) -> T:
    """Decode a JSON body.

    Raises:
        MalformedRequest: the body is not JSON.
        ValidationFailed: it does not match the schema, with a JSON pointer for every issue.
    """
    try:
        value = decoder.decode(body)
    except msgspec.ValidationError as error:
        raise _explain(decoder.type, body, str(error)) from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise problems.MalformedRequest(f"The body is not valid JSON: {_reason(error)}.") from None
    if _NUL_ESCAPED in body and (issues := nul_issues(_raw(body))):
        raise problems.ValidationFailed(errors=issues)
    return value


def decode_query(kind: type[T], values: Mapping[str, str], *, besides: Sequence[str] = ()) -> T:
    """Convert query parameters; an empty one counts as absent. `besides` are further names that the operation knows.

    Raises:
        NotFound: an id is malformed, and nothing else is wrong.
        ValidationFailed: a parameter is unknown or not valid.
    """
    present = {name: value for name, value in values.items() if value != ""}
    try:
        query = msgspec.convert(present, kind, strict=False, dec_hook=ids.decode_hook)
    except msgspec.ValidationError as error:
        issues = list(itertools.islice(_issues(kind, present, "", strict=False), ISSUES_MAX))
        issues = issues or [Issue("", "type", str(error))]
        for issue in issues:
            issue.path = issue.path.lstrip("/")
            if issue.code == "unknown_field" and issue.params:
                issue.message = "Unknown parameter."
                issue.params["known"] = sorted({*issue.params["known"], *besides})
        if all(issue.code == "not_found" for issue in issues):
            raise problems.NotFound(errors=issues) from None
        raise problems.ValidationFailed(errors=issues) from None
    if issues := [
        Issue(name, "format", "The character U+0000 is not allowed.")
        for name, value in present.items()
        if "\0" in value
    ]:
        raise problems.ValidationFailed(errors=issues)
    return query


def nul_issues(value: Any) -> list[Issue]:
    """Return the places of U+0000 in strings and keys: PostgreSQL text cannot contain it."""
    return list(itertools.islice(_nul_issues(value, ""), ISSUES_MAX))


def _nul_issues(value: Any, path: str) -> typing.Iterator[Issue]:
    if isinstance(value, str):
        if "\0" in value:
            yield Issue(path, "format", "The character U+0000 is not allowed.")
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if "\0" in str(key):
                yield Issue(path, "format", "The character U+0000 is not allowed in a key.")
            else:
                yield from _nul_issues(item, path + pointer(str(key)))
    elif isinstance(value, Sequence) and not isinstance(value, bytes):
        for index, item in enumerate(value):
            yield from _nul_issues(item, f"{path}/{index}")


def _reason(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return str(error).removeprefix("JSON is malformed: ")


def _raw(body: bytes) -> Any:
    try:
        return _json.decode(body)
    except (msgspec.MsgspecError, RecursionError):
        return None


def _explain(kind: Any, body: bytes, message: str) -> problems.Problem:
    try:
        raw = _json.decode(body)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        if "out of range" not in str(error):  # JSON with a number out of our range; the issues below name it
            return problems.MalformedRequest(f"The body is not valid JSON: {_reason(error)}.")
        raw = None
    issues = nul_issues(raw) if _NUL_ESCAPED in body else []
    if raw is not None:
        issues += itertools.islice(_issues(kind, raw, "", strict=True), ISSUES_MAX - len(issues))
    if not issues:
        text, _, place = message.partition(" - at `$")
        issues = [Issue(re.sub(r"\[(\d+)\]|\.", r"/\1", place.rstrip("`")), *_code(text))]
    return problems.ValidationFailed(errors=issues)


def _issues(kind: Any, value: Any, path: str, *, strict: bool) -> typing.Iterator[Issue]:
    bare, meta = _unwrap(kind)
    options = _options(bare)
    if options is not None:
        yield from _union_issues(kind, options, value, path, strict=strict)
    elif isinstance(bare, type) and issubclass(bare, Struct) and isinstance(value, Mapping):
        yield from _struct_issues(bare, value, path, strict=strict)
    elif typing.get_origin(bare) in (list, tuple) and isinstance(value, list):
        yield from _leaf(Annotated[list[Any], meta] if meta else list[Any], value, path, strict=strict)
        item = typing.get_args(bare)[0]
        for index, entry in enumerate(value[:1_000]):
            yield from _issues(item, entry, f"{path}/{index}", strict=strict)
    elif typing.get_origin(bare) is dict and isinstance(value, Mapping):
        yield from _leaf(Annotated[dict[str, Any], meta] if meta else dict[str, Any], value, path, strict=strict)
        key_kind, item = typing.get_args(bare)
        for key, entry in list(value.items())[:1_000]:
            place = path + pointer(str(key))
            yield from _leaf(key_kind, key, place, strict=strict)
            yield from _issues(item, entry, place, strict=strict)
    else:
        yield from _leaf(kind, value, path, strict=strict)


@cache
def _fields_of(kind: type[Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    return {field.encode_name: field for field in msgspec.structs.fields(kind)}


def _struct_issues(kind: type[Struct], value: Mapping[str, Any], path: str, *, strict: bool) -> typing.Iterator[Issue]:
    fields = _fields_of(kind)
    valid = True
    if kind.__struct_config__.forbid_unknown_fields:
        params = {"known": sorted(fields)}
        for name in value.keys() - fields.keys():
            yield Issue(path + pointer(str(name)), "unknown_field", "Unknown field.", params)
    for name, field in fields.items():
        if name in value:
            for issue in _issues(field.type, value[name], f"{path}/{name}", strict=strict):
                valid = False
                yield issue
        elif field.required:
            valid = False
            yield Issue(f"{path}/{name}", "required", "This field is required.")
    if valid:
        # Checks across fields (__post_init__) run last, once every field by itself is valid.
        yield from _leaf(kind, {name: value[name] for name in fields if name in value}, path, strict=strict)


def _union_issues(kind: Any, options: Sequence[Any], value: Any, path: str, *, strict: bool) -> typing.Iterator[Issue]:
    try:
        msgspec.convert(value, kind, strict=strict, dec_hook=ids.decode_hook)
    except msgspec.ValidationError as error:
        fitting = [option for option in options if _same_shape(option, value)]
        if len(fitting) == 1:
            yield from _issues(fitting[0], value, path, strict=strict)
        else:
            yield Issue(path, *_code(str(error).partition(" - at `$")[0]))


def _leaf(kind: Any, value: Any, path: str, *, strict: bool) -> typing.Iterator[Issue]:
    try:
        msgspec.convert(value, kind, strict=strict, dec_hook=ids.decode_hook)
    except msgspec.ValidationError as error:
        yield Issue(path, *_code(str(error).partition(" - at `$")[0]))


_CODES = (
    (re.compile(r"of length >= (\d+)"), "too_short", "min"),
    (re.compile(r"of length <= (\d+)"), "too_long", "max"),
    (re.compile(r"(?:`int`|`float`|`number`) >=? ?(-?[\d.]+)|>= (-?[\d.]+)"), "out_of_range", "min"),
    (re.compile(r"(?:`int`|`float`|`number`) <=? ?(-?[\d.]+)|<= (-?[\d.]+)"), "out_of_range", "max"),
    (re.compile(r"matching regex"), "format", None),
    (re.compile(r"Invalid enum value"), "not_allowed", None),
    (re.compile(r"Invalid"), "format", None),
    (re.compile(r"unknown field"), "unknown_field", None),
    (re.compile(r"missing required"), "required", None),
    (re.compile(r"out of range"), "out_of_range", None),
)


_WORDS = {
    "array": "a list", "object": "an object", "str": "a string", "int": "a whole number", "float": "a number",
    "bool": "true or false", "null": "null",
}  # fmt: skip


def _readable(message: str) -> str:
    """Translate a message of msgspec into the terms of JSON: "Expected a list or null, got a string."."""

    def named(match: "re.Match[str]") -> str:
        return " or ".join(_WORDS.get(part, f"'{part}'") for part in match[1].split(" | "))

    text = re.sub(r"`([^`]*)`", named, message)
    return text if text.endswith(".") else text + "."


def _code(message: str) -> tuple[str, str, dict[str, Any] | None]:
    if len(message) > MESSAGE_MAX:  # some messages repeat the value
        message = message[:MESSAGE_MAX] + "…"
    readable = _readable(message)
    if ids.is_not_found(message):
        return "not_found", readable, None
    for pattern, code, param in _CODES:
        if match := pattern.search(message):
            number = next((group for group in match.groups() if group), None)
            return (
                code,
                readable,
                {param: float(number) if "." in number else int(number)} if param and number else None,
            )
    if message.startswith("Expected"):
        return "type", readable, None
    return "format", readable, None


def _unwrap(kind: Any) -> tuple[Any, Meta | None]:
    if typing.get_origin(kind) is Annotated:
        bare, *extras = typing.get_args(kind)
        return bare, next((extra for extra in extras if isinstance(extra, Meta)), None)
    return kind, None


def _options(bare: Any) -> list[Any] | None:
    if typing.get_origin(bare) not in (typing.Union, types.UnionType):
        return None
    skipped = (type(None), msgspec.UnsetType)
    return [option for option in typing.get_args(bare) if option not in skipped]


def _same_shape(option: Any, value: Any) -> bool:
    bare, _ = _unwrap(option)
    origin = typing.get_origin(bare) or bare
    if isinstance(value, Mapping):
        return origin is dict or (isinstance(origin, type) and issubclass(origin, Struct))
    if isinstance(value, list):
        return origin in (list, tuple)
    if isinstance(value, str):
        return not (origin in (list, tuple, dict) or (isinstance(origin, type) and issubclass(origin, Struct)))
    return isinstance(origin, type) and isinstance(value, origin)
