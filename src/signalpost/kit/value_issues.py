"""All issues of a value at once, once msgspec has refused it: msgspec stops at the first."""

import types
import typing
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from signalpost.kit import ids, issue_text, zones
from signalpost.kit.problems import Issue, pointer
from signalpost.kit.wire import UNAVAILABLE

ZONE = "zone"
"""Key of `Meta.extra`: the text is the name of a time zone."""
_ENTRIES_MAX = 1_000


def issues_of(kind: Any, value: Any, path: str = "", *, strict: bool = True) -> typing.Iterator[Issue]:
    """Yield every issue of the value at `path`. Not `strict`: the value came from a query string."""
    bare, meta = _unwrap(kind)
    options = _options(bare)
    if options is not None:
        yield from _union_issues(kind, options, value, path, strict=strict)
    elif isinstance(bare, type) and issubclass(bare, Struct) and isinstance(value, Mapping):
        yield from _struct_issues(bare, value, path, strict=strict)
    elif typing.get_origin(bare) in (list, tuple) and isinstance(value, list):
        yield from _leaf(Annotated[list[Any], meta] if meta else list[Any], value, path, strict=strict)
        item = typing.get_args(bare)[0]
        for index, entry in enumerate(value[:_ENTRIES_MAX]):
            yield from issues_of(item, entry, f"{path}/{index}", strict=strict)
    elif typing.get_origin(bare) is dict and isinstance(value, Mapping):
        yield from _leaf(Annotated[dict[str, Any], meta] if meta else dict[str, Any], value, path, strict=strict)
        key_kind, item = typing.get_args(bare)
        for key, entry in list(value.items())[:_ENTRIES_MAX]:
            place = path + pointer(str(key))
            yield from _leaf(key_kind, key, place, strict=strict)
            yield from issues_of(item, entry, place, strict=strict)
    else:
        yield from _leaf(kind, value, path, strict=strict)


@cache
def _fields_of(kind: type[Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    return {field.encode_name: field for field in msgspec.structs.fields(kind)}


@cache
def _documented(kind: type[Struct]) -> tuple[str, ...]:
    """Return the names of the members that are not refused."""
    fields = _fields_of(kind).items()
    return tuple(name for name, field in fields if not any(_is_refused(meta) for meta in issue_text.metas(field.type)))


def _is_refused(meta: Meta) -> bool:
    return (meta.extra_json_schema or {}).items() >= UNAVAILABLE.items()


def _struct_issues(kind: type[Struct], value: Mapping[str, Any], path: str, *, strict: bool) -> typing.Iterator[Issue]:
    fields = _fields_of(kind)
    valid = True
    if kind.__struct_config__.forbid_unknown_fields:
        for name in [name for name in value if name not in fields]:
            yield issue_text.unknown_field(path + pointer(str(name)), str(name), _documented(kind))
    for name, field in fields.items():
        if name in value:
            for issue in issues_of(field.type, value[name], f"{path}/{name}", strict=strict):
                valid = False
                yield issue
            if _is_unknown_zone(field.type, value[name]):
                yield zones.unknown(f"{path}/{name}", value[name])
        elif field.required:
            valid = False
            yield issue_text.required(f"{path}/{name}", field.type)
    if valid:
        # Checks across fields (__post_init__) run last, once every field by itself is valid.
        yield from _leaf(kind, {name: value[name] for name in fields if name in value}, path, strict=strict)


def _union_issues(kind: Any, options: Sequence[Any], value: Any, path: str, *, strict: bool) -> typing.Iterator[Issue]:
    try:
        msgspec.convert(value, kind, strict=strict, dec_hook=ids.decode_hook)
    except msgspec.ValidationError as error:
        fitting = [option for option in options if _same_shape(option, value)]
        if len(fitting) == 1:
            yield from issues_of(fitting[0], value, path, strict=strict)
        else:
            yield issue_text.of_value(kind, value, path, _message(error), strict=strict)


def _leaf(kind: Any, value: Any, path: str, *, strict: bool) -> typing.Iterator[Issue]:
    try:
        msgspec.convert(value, kind, strict=strict, dec_hook=ids.decode_hook)
    except msgspec.ValidationError as error:
        yield issue_text.of_value(kind, value, path, _message(error), strict=strict)


def _is_unknown_zone(kind: Any, value: Any) -> bool:
    """Whether this is text of the right length, and not the name of a zone: of valid bodies, the actions check it."""
    bounds = [
        (meta.min_length or 0, meta.max_length or 0)
        for meta in issue_text.metas(kind)
        if meta.extra and ZONE in meta.extra
    ]
    if not bounds or not isinstance(value, str):
        return False
    return bounds[0][0] <= len(value) <= bounds[0][1] and zones.zone(value) is None


def _message(error: msgspec.ValidationError) -> str:
    return str(error).partition(" - at `$")[0]


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
