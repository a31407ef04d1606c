"""Decode bodies and query strings into structs. msgspec does; all issues are collected only after it has failed."""

import codecs
import itertools
import re
import typing
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from signalpost.kit import ids, issue_text, problems
from signalpost.kit.problems import Issue, pointer
from signalpost.kit.value_issues import issues_of
from signalpost.web import duplicates

T = TypeVar("T", bound=Struct)
ISSUES_MAX = 100
NUMBER_MAX = 1e15
"""Of numbers with a fraction or an exponent where any JSON is accepted; its inverse is the smallest one besides 0.

PostgreSQL writes 1e308 with 309 digits."""
_REASONS = {"Input data was truncated": "it ends too early"}
_BYTE = re.compile(r"\(byte (\d{1,9})\)$")
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


_UTF_16 = "The body is UTF-16 or UTF-32; JSON has to be UTF-8."
_SAVE_AS_UTF_8 = (
    "Save the file as UTF-8. In PowerShell 5, `>` and Out-File write UTF-16: use Set-Content -Encoding utf8,"
    " or give the text to the HTTP client directly."
)


def decoder_of(body: type[T]) -> "msgspec.json.Decoder[T]":
    """Return the decoder of the bodies of an operation."""
    return msgspec.json.Decoder(body, dec_hook=ids.decode_hook, float_hook=number)


def decode_body(decoder: "msgspec.json.Decoder[T]", body: bytes) -> T:
    """Decode a JSON body.

    Raises:
        MalformedRequest: the body is not JSON.
        DuplicateMember: an object in it gives a member twice.
        ValidationFailed: it does not match the schema, with a JSON pointer for every issue.
    """
    try:
        value = decoder.decode(body)
    except msgspec.ValidationError as error:
        duplicates.require_none(body)
        raise _explain(decoder.type, body, str(error)) from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        if body.startswith(codecs.BOM_UTF8):  # RFC 8259, section 8.1: a parser may ignore it
            return decode_body(decoder, body.removeprefix(codecs.BOM_UTF8))
        if not body.strip():
            raise problems.MalformedRequest("The body is empty. This operation needs a JSON object.") from None
        if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in body[:4]:
            raise problems.MalformedRequest(_UTF_16, remediation=_SAVE_AS_UTF_8) from None
        hint = " Names and strings need double quotes." if _has_single_quotes(body, str(error)) else ""
        raise problems.MalformedRequest(f"The body is not valid JSON: {_reason(error)}.{hint}") from None
    duplicates.require_none(body)
    if _NUL_ESCAPED in body and (issues := nul_issues(_raw(body))):
        raise problems.ValidationFailed(errors=issues)
    return value


def convert(kind: type[T], value: Any) -> T:
    """Convert a part of a decoded body.

    Raises:
        ValidationFailed: it does not match the schema, with a JSON pointer into the part for every issue.
    """
    try:
        return msgspec.convert(value, kind, dec_hook=ids.decode_hook)
    except msgspec.ValidationError as error:
        issues = list(itertools.islice(issues_of(kind, value), ISSUES_MAX))
        issues = issues or [issue_text.of_value(kind, value, "", str(error), strict=True)]
        raise problems.ValidationFailed(errors=issues) from None


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
        issues = _query_issues(kind, present, besides) or [
            issue_text.of_value(kind, None, "", str(error), strict=False)
        ]
        if all(issue.code == "not_found" for issue in issues):
            raise problems.NotFound(errors=issues) from None
        raise problems.ValidationFailed(errors=issues) from None
    issues = [
        Issue(name, "format", "The character U+0000 is not allowed.")
        for name, value in present.items()
        if "\0" in value
    ]
    if "null" in present.values():  # to msgspec that is None unless it is text, and the filter would be left out
        members = msgspec.structs.asdict(query)
        names = {field.encode_name: field.name for field in msgspec.structs.fields(kind)}
        issues += [
            Issue(name, "type", "Must not be null. Leave the parameter out instead.")
            for name, value in present.items()
            if value == "null" and name in names and members[names[name]] is None
        ]
    if issues:
        raise problems.ValidationFailed(errors=issues)
    return query


def _query_issues(kind: type[Struct], present: Mapping[str, str], besides: Sequence[str]) -> list[Issue]:
    names = [field.encode_name for field in msgspec.structs.fields(kind)]
    issues = [unknown_parameter(name, [*names, *besides]) for name in present if name not in names]
    values = {name: value for name, value in present.items() if name in names}
    for issue in issues_of(kind, values, strict=False):
        issue.path = issue.path.lstrip("/")
        issues.append(issue)
    return issues[:ISSUES_MAX]


def unknown_parameter(name: str, names: Sequence[str]) -> Issue:
    """Return the issue of a query parameter that the operation does not have."""
    return issue_text.unknown_field(name, name, names, word="parameter")


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


def _has_single_quotes(body: bytes, message: str) -> bool:
    place = _BYTE.search(message)
    return place is not None and body[int(place[1]) : int(place[1]) + 1] == b"'"


def _reason(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeDecodeError) or "UTF-8" in str(error):
        return "it is not UTF-8"
    return _REASONS.get(str(error), str(error).removeprefix("JSON is malformed: "))


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
        places = {issue.path for issue in issues}
        further = (issue for issue in issues_of(kind, raw) if issue.path not in places)
        issues += itertools.islice(further, ISSUES_MAX - len(issues))
    if not issues:
        text, _, place = message.partition(" - at `$")
        path = re.sub(r"\[(\d+)\]|\.", r"/\1", place.rstrip("`"))
        issues = [issue_text.of_value(None, None, path, text, strict=True)]
    return problems.ValidationFailed(errors=issues)
