"""Which operations of the API the modules of the console call, read from their source."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.counterparts import tools

from signalpost.console.openapi import openapi_document
from signalpost.main import wiring

FOLDER = tools.CHECKOUT / "src/signalpost/console/static/console"
MODULES = sorted(
    path for path in FOLDER.rglob("*.js") if not {"vendor", "messages"} & {*path.relative_to(FOLDER).parts}
)
_METHODS = {
    "get": "GET", "all": "GET", "download": "GET", "stream": "GET",
    "post": "POST", "patch": "PATCH", "put": "PUT", "remove": "DELETE",
}  # fmt: skip
"""The functions of api.js whose first argument is a path, and what they send."""
_IMPORT = re.compile(r'import\s*\{([^}]*)\}\s*from\s*"(?:\.\.?/)+api\.js"')
_TEXT = r'(?:"(?P<quoted>/[^"]*)"|`(?P<template>[^`]*)`|(?P<name>\w+)\b)'
_CAST = r"(?:/\*\*[^*]*\*/\s*\()?"
"""What says the type of a text."""
_CALL = re.compile(rf'\b(?:call|request)\(\s*"(?P<method>[A-Z]+)",\s*{_TEXT}')
_FETCH = re.compile(r"\bfetch\(`\$\{ROOT\}/api/v1(?P<path>/[^`]*)`")
_ROWS = re.compile(rf"\bpath=(?:\$\{{)?{_TEXT}")
"""A list that loads further rows of its path."""


class Operation(NamedTuple):
    """An operation of the OpenAPI document."""

    method: str
    path: str


class Call(NamedTuple):
    """A call in a module. `path` has `{}` in place of what is only known when it runs."""

    module: Path
    method: str
    path: str


def operations() -> list[Operation]:
    """Return all operations of the document, in its order."""
    document = openapi_document(wiring.endpoints(), base_url="https://signalpost.example", version="0", brand="Service")
    return [Operation(method.upper(), path) for path, item in document["paths"].items() for method in item]


def calls() -> Iterator[Call]:
    """Yield every call whose path stands in the module that makes it."""
    for path in MODULES:
        source = path.read_text(encoding="utf-8")
        for method, address in _calls_of(source):
            yield Call(path, method, re.sub(r"\$\{[^}]*\}", "{}", address).partition("?")[0])


def _calls_of(source: str) -> Iterator[tuple[str, str]]:
    for imported in _IMPORT.findall(source):
        for entry in filter(None, map(str.strip, imported.split(","))):
            name, _, alias = entry.partition(" as ")
            if name in _METHODS:
                for match in re.finditer(rf"(?<![.\w]){alias or name}\(\s*{_TEXT}", source):
                    yield from ((_METHODS[name], address) for address in _addresses(source, match))
    for match in _CALL.finditer(source):
        yield from ((match["method"], address) for address in _addresses(source, match))
    for match in _ROWS.finditer(source):
        yield from (("GET", address) for address in _addresses(source, match))
    for match in _FETCH.finditer(source):
        yield "GET", match["path"]


def _addresses(source: str, match: re.Match[str]) -> Iterator[str]:
    """Yield what the argument says; a name stands for the constants of that name in the module."""
    if match["name"]:
        texts = re.findall(rf'\b(?:const|let) {match["name"]} =\s*{_CAST}(?:"(/[^"]*)"|`(/[^`]*)`)', source)
        yield from (quoted or template for quoted, template in texts)
        return
    text = match["quoted"] or match["template"]
    start = re.match(r"\$\{(\w+)\}", text or "")
    if start:  # `${PATH}/${id}`
        texts = re.findall(rf'\b(?:const|let) {start[1]} =\s*{_CAST}(?:"(/[^"]*)"|`(/[^`]*)`)', source)
        yield from ((quoted or template) + text[start.end() :] for quoted, template in texts)
    elif text and text.startswith("/"):
        yield text


def operations_of(call: Call, among: list[Operation]) -> list[Operation]:
    """Return the operations that a call can be: one, or those whose last word the module names as a text."""
    source = call.module.read_text(encoding="utf-8")
    parts = call.path.strip("/").split("/")
    found = list[tuple[int, Operation]]()
    for operation in among:
        wanted = operation.path.strip("/").split("/")
        if operation.method != call.method or len(wanted) != len(parts):
            continue
        pairs = list(zip(parts, wanted, strict=True))
        words = [want for part, want in pairs if part == "{}" and not want.startswith("{")]
        literal = sum(part == want for part, want in pairs)
        fits = all(part in (want, "{}") or want.startswith("{") for part, want in pairs)
        if fits and all(f'"{word}"' in source for word in words):
            found.append((literal + len(words), operation))
    most = max((score for score, _ in found), default=0)
    return [operation for score, operation in found if score == most]
