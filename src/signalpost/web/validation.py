"""Bodies and query strings into structs. The fast path is msgspec; all findings are gathered only after a failure."""

import re
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct

from signalpost.kit import ids, problems
from signalpost.kit.problems import Issue, pointer

T = TypeVar("T", bound=Struct)
FINDINGS_MAX = 100
_NUL_ESCAPED = b"\\u0000"


def decode_body(decoder: "msgspec.json.Decoder[T]", body: bytes) -> T:
    """Decode a JSON body.

    Raises:
        MalformedRequest: it is not JSON.
        ValidationFailed: it does not fit, with a JSON pointer for every finding.
    """
    try:
        value = decoder.decode(body)
    except msgspec.ValidationError as error:
        raise _explain(decoder.type, body, str(error)) from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise problems.MalformedRequest(f"The body is not valid JSON: {_reason(error)}.") from None
    if _NUL_ESCAPED in body and (found := nul_findings(_raw(body))):
        raise problems.ValidationFailed(errors=found)
    return value


def decode_query(kind: type[T], values: Mapping[str, str], *, besides: Sequence[str] = ()) -> T:
    """Convert query parameters; an empty one counts as absent. `besides`: others that the operation knows."""
    given = {name: value for name, value in values.items() if value != ""}
    try:
        value = msgspec.convert(given, kind, strict=False, dec_hook=ids.decode_hook)
    except msgspec.ValidationError as error:
        found = list(_findings(kind, given, "", strict=False)) or [Issue("", "type", str(error))]
        for issue in found:
            issue.path = issue.path.lstrip("/")
            if issue.code == "unknown_field" and issue.params:
                issue.message = "There is no such parameter here."
                issue.params["known"] = sorted({*issue.params["known"], *besides})
        if all(issue.code == "not_found" for issue in found):
            raise problems.NotFound(errors=found) from None
        raise problems.ValidationFailed(errors=found) from None
    if found := [
        Issue(name, "format", "The character U+0000 is not allowed.") for name, v in given.items() if "\0" in v
    ]:
        raise problems.ValidationFailed(errors=found)
    return value


def nul_findings(value: Any, path: str = "") -> list[Issue]:
    """Find U+0000 in strings and keys: no database text can hold it."""
    if isinstance(value, str):
        return [Issue(path, "format", "The character U+0000 is not allowed.")] if "\0" in value else []
    if isinstance(value, Mapping):
        items = [(str(key), item) for key, item in value.items()]
    elif isinstance(value, Sequence) and not isinstance(value, bytes):
        items = [(str(index), item) for index, item in enumerate(value)]
    else:
        return []
    found: list[Issue] = []
    for key, item in items:
        here = path + pointer(key)
        if "\0" in key:
            found.append(Issue(path, "format", "The character U+0000 is not allowed in a key."))
        else:
            found += nul_findings(item, here)
    return found[:FINDINGS_MAX]


def _reason(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return str(error).removeprefix("JSON is malformed: ")


def _raw(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.MsgspecError, RecursionError):
        return None


def _explain(kind: Any, body: bytes, message: str) -> problems.Problem:
    try:
        raw = msgspec.json.decode(body)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        if "out of range" not in str(error):  # that is JSON, though no number of ours; all else is none, further on
            return problems.MalformedRequest(f"The body is not valid JSON: {_reason(error)}.")
        raw = None
    found = (nul_findings(raw) + list(_findings(kind, raw, "", strict=True)))[:FINDINGS_MAX] if raw is not None else []
    if not found:
        text, _, place = message.partition(" - at `$")
        found = [Issue(re.sub(r"\[(\d+)\]|\.", r"/\1", place.rstrip("`")), *_code(text))]
    return problems.ValidationFailed(errors=found)


def _findings(kind: Any, value: Any, path: str, *, strict: bool) -> typing.Iterator[Issue]:
    bare, meta = _unwrap(kind)
    options = _options(bare)
    if options is not None:
        yield from _union_findings(kind, options, value, path, strict=strict)
    elif isinstance(bare, type) and issubclass(bare, Struct) and isinstance(value, Mapping):
        yield from _struct_findings(bare, value, path, strict=strict)
    elif typing.get_origin(bare) in (list, tuple) and isinstance(value, list):
        yield from _leaf(Annotated[list[Any], meta] if meta else list[Any], value, path, strict=strict)
        item = typing.get_args(bare)[0]
        for index, entry in enumerate(value[:1_000]):
            yield from _findings(item, entry, f"{path}/{index}", strict=strict)
    elif typing.get_origin(bare) is dict and isinstance(value, Mapping):
        yield from _leaf(Annotated[dict[str, Any], meta] if meta else dict[str, Any], value, path, strict=strict)
        key_kind, item = typing.get_args(bare)
        for key, entry in list(value.items())[:1_000]:
            here = path + pointer(str(key))
            yield from _leaf(key_kind, key, here, strict=strict)
            yield from _findings(item, entry, here, strict=strict)
    else:
        yield from _leaf(kind, value, path, strict=strict)


def _struct_findings(
    kind: type[Struct], value: Mapping[str, Any], path: str, *, strict: bool
) -> typing.Iterator[Issue]:
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    found: list[Issue] = []
    if kind.__struct_config__.forbid_unknown_fields:
        known = {"known": sorted(fields)}
        for name in value.keys() - fields.keys():
            yield Issue(path + pointer(str(name)), "unknown_field", "There is no such field here.", known)
    for name, field in fields.items():
        if name in value:
            found += _findings(field.type, value[name], f"{path}/{name}", strict=strict)
        elif field.required:
            found.append(Issue(f"{path}/{name}", "required", "This field is required."))
    if not found:
        # What only the struct as a whole knows (__post_init__) speaks last, when every field by itself is fine.
        found += _leaf(kind, {name: value[name] for name in fields if name in value}, path, strict=strict)
    yield from found


def _union_findings(
    kind: Any, options: Sequence[Any], value: Any, path: str, *, strict: bool
) -> typing.Iterator[Issue]:
    try:
        msgspec.convert(value, kind, strict=strict, dec_hook=ids.decode_hook)
    except msgspec.ValidationError as error:
        fitting = [option for option in options if _same_shape(option, value)]
        if len(fitting) == 1:
            yield from _findings(fitting[0], value, path, strict=strict)
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
    """Say it in the words of JSON: "Expected a list or null, got a string."."""

    def named(found: "re.Match[str]") -> str:
        return " or ".join(_WORDS.get(part, f"'{part}'") for part in found[1].split(" | "))

    text = re.sub(r"`([^`]*)`", named, message)
    return text if text.endswith(".") else text + "."


def _code(message: str) -> tuple[str, str, dict[str, Any] | None]:
    readable = _readable(message)
    if ids.is_not_found(message):
        return "not_found", readable, None
    for pattern, code, param in _CODES:
        if found := pattern.search(message):
            number = next((group for group in found.groups() if group), None) if found.groups() else None
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
