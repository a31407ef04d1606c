"""Checks requests by the networks' own specifications: paths, parameters, bodies, and nothing that they do not name.

`specifications/*.json` are cut from code that is generated from them: `scripts/cut-specifications`. Where a network is
known to do otherwise than it publishes, a `Deviation` says so, with what was seen and when.
"""

import functools
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

from simulator.messages import File, Request

FOLDER = Path(__file__).parent / "specifications"
_SHOWN = 300


def shape(call: str) -> str:
    """Return METHOD /path with nameless placeholders: everybody calls them differently."""
    return re.sub(r"\{\w+\}", "{}", call)


@dataclass(frozen=True)
class Deviation:
    """Where a call has the parameter `beside`, the network takes `name` too, although it does not specify it."""

    beside: str
    name: str
    schema: Mapping[str, Any]
    seen: tuple[tuple[str, str], ...]
    """Where that was seen, and the day."""


@dataclass(frozen=True)
class Specification:
    """What a network publishes about its calls. `unspecified` are those that it leaves out, each with the reason."""

    key: str
    unspecified: Mapping[str, str]
    deviations: tuple[Deviation, ...] = ()

    @functools.cached_property
    def content(self) -> Mapping[str, Any]:
        content: Mapping[str, Any] = json.loads((FOLDER / f"{self.key}.json").read_text())
        return content

    def error(self, call: str, request: Request) -> str | None:
        """Return what is wrong with a request, or None.

        Raises:
            BadBody: the body is not what its content type says.
            KeyError: the call is neither specified nor known to be left out.
        """
        if call in self.unspecified:
            return None
        operation = self.content["operations"][shape(call)]
        query = self._with_deviations(operation["query"])
        if wrong := self._wrong(query, self._values(query, request.pairs)):
            return f"query {wrong}"
        body = operation.get("body")
        if body is None:
            return "this call takes no body" if request.body else None
        if request.content_type == "application/json":
            return self._wrong(body, request.json)
        return self._wrong(body, self._values(self._resolved(body), request.form.items()))

    def _with_deviations(self, query: Mapping[str, Any]) -> Mapping[str, Any]:
        more = {one.name: one.schema for one in self.deviations if one.beside in query["properties"]}
        return {**query, "properties": {**query["properties"], **more}}

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in schema:
            schema = self.content["$defs"][schema["$ref"].rpartition("/")[2]]
        return schema

    def _values(self, schema: Mapping[str, Any], pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
        """Read values that were sent as text, by the types that they should have."""
        types = {name: self._resolved(one).get("type") for name, one in schema["properties"].items()}
        return {name: _value(types.get(name), sent) for name, sent in pairs}

    def _wrong(self, schema: Mapping[str, Any], value: Any) -> str | None:
        checker = jsonschema.Draft202012Validator({**schema, "$defs": self.content["$defs"]})
        error = jsonschema.exceptions.best_match(checker.iter_errors(value))
        return None if error is None else f"{error.json_path}: {error.message[:_SHOWN]}"


def _value(kind: str | None, sent: Any) -> Any:
    if isinstance(sent, File):
        return ""
    if kind == "array":
        return sent.split(",")
    if kind == "integer" and re.fullmatch(r"-?\d+", sent):
        return int(sent)
    if kind == "boolean" and sent in {"true", "false"}:
        return sent == "true"
    return sent
