"""Requests checked by a discovery document of Google, the file that Google's own clients are made from."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.counterparts import tools

_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "string": str, "boolean": bool, "integer": int, "number": (int, float), "object": dict, "array": list,
}  # fmt: skip


class Discovery:
    """The methods and schemas of one API; it knows every member, so one that it does not name is a mistake of ours."""

    def __init__(self, name: str) -> None:
        """Read a document of Google's client, or one that it does not have, from `tests/counterparts`."""
        own = tools.HERE / f"{name}.json"
        folder = tools.folder("google", tools.CHECKOUT / "requirements" / "google.txt")
        self._document: Mapping[str, Any] = json.loads((own if own.exists() else _path(folder, name)).read_text())
        self._methods = [*self._all(self._document)]

    def _all(self, resource: Mapping[str, Any]) -> Iterator[tuple["re.Pattern[str]", Mapping[str, Any]]]:
        for method in resource.get("methods", {}).values():
            paths = [
                method["flatPath"],
                *(upload["path"] for upload in method.get("mediaUpload", {}).get("protocols", {}).values()),
            ]
            for path in paths:
                segments = re.sub(r"\\{\w+\\}", "[^/]+", re.escape("/" + path.lstrip("/")))
                yield re.compile(f"{method['httpMethod']} {segments}"), method
        for nested in resource.get("resources", {}).values():
            yield from self._all(nested)

    def issues(self, http_method: str, target: str, body: bytes) -> list[str]:
        """Return what the document says against a request."""
        address = urlsplit(target)
        call = f"{http_method} {address.path}"
        method = next((method for pattern, method in self._methods if pattern.fullmatch(call)), None)
        if method is None:
            return [f"there is no {http_method} {address.path}"]
        issues = list(self._query(method, dict(parse_qsl(address.query))))
        if "request" in method and body.startswith(b"{"):
            issues += self._value(json.loads(body), method["request"], "")
        return issues

    def _query(self, method: Mapping[str, Any], query: Mapping[str, str]) -> Iterator[str]:
        own = method.get("parameters", {})
        for name in sorted(set(query) - set(own) - set(self._document["parameters"])):
            yield f"{method['id']} has no parameter {name}"
        for name, parameter in own.items():
            if parameter["location"] == "path":
                continue
            if parameter.get("required") and name not in query:
                yield f"{method['id']} needs the parameter {name}"
            if name in query and parameter["type"] in {"integer", "boolean"}:
                pattern = r"\d+" if parameter["type"] == "integer" else "true|false"
                if re.fullmatch(pattern, query[name]) is None:
                    yield f"{name}={query[name]} is not of type {parameter['type']}"

    def _value(self, value: Any, schema: Mapping[str, Any], path: str) -> Iterator[str]:
        schema = self._document["schemas"][schema["$ref"]] if "$ref" in schema else schema
        kind = schema["type"]
        if kind != "any" and (not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean")):
            yield f"{path} is not of type {kind}"
        elif "enum" in schema and value not in schema["enum"]:
            yield f"{path} is none of {schema['enum']}"
        elif kind == "array":
            for index, item in enumerate(value):
                yield from self._value(item, schema["items"], f"{path}/{index}")
        elif kind == "object" and "properties" in schema:
            for name, member in value.items():
                if name in schema["properties"]:
                    yield from self._value(member, schema["properties"][name], f"{path}/{name}")
                else:
                    yield f"{path}/{name} is unknown"


def _path(folder: Path, name: str) -> Path:
    return next(folder.glob(f"lib/python3*/site-packages/googleapiclient/discovery_cache/documents/{name}.json"))
