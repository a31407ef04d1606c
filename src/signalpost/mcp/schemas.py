"""The input schemas of the tools, made of those of the operations."""

from typing import Any

from signalpost.mcp.api import Operations
from signalpost.mcp.tools import TOOLS, Tool
from signalpost.web.components import Components, Document
from signalpost.web.openapi import parameters
from signalpost.web.routing import Endpoint

_DROPPED = ("examples", "title")
"""What a model needs less than room for its work."""


def listing(operations: Operations) -> list[Document]:
    """Return all tools, as `tools/list` shows them."""
    return [
        {
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "inputSchema": _input(tool, operations[tool.operation]),
            "annotations": tool.annotations,
        }
        for tool in TOOLS
    ]


def _input(tool: Tool, endpoint: Endpoint) -> Document:
    schema: Document = {"type": "object", "properties": {}, "additionalProperties": False}
    required: list[str] = []
    for parameter in parameters(endpoint):
        if parameter["in"] != "header":
            name = tool.id_name if parameter["name"] == "id" else parameter["name"]
            schema["properties"][name] = parameter["schema"] | {"description": parameter["description"]}
            required += [name] if parameter["required"] else []
    body = endpoint.body or (endpoint.documented_request_body or {}).get("application/json")
    if body is not None:
        components = Components([body])
        own = components.schemas.pop(components.of(body)["$ref"].rsplit("/", 1)[1])
        schema["properties"] |= own["properties"]
        required += own.get("required", ())
        if components.schemas:
            schema["$defs"] = components.schemas
    schema["properties"] = {
        name: member for name, member in (schema["properties"] | dict(tool.more)).items() if name not in tool.without
    }
    schema["required"] = [*required, *tool.required]
    compact: Document = _compact(schema)
    return compact


def _compact(value: Any, *, names: bool = False) -> Any:
    """Return a schema without what describes it to people only; `names`: the keys are names and not keywords."""
    if isinstance(value, list):
        return [_compact(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _reference(item) if key == "$ref" else _compact(item, names=key in ("properties", "$defs") and not names)
        for key, item in value.items()
        if names or key not in _DROPPED
    }


def _reference(target: str) -> str:
    return f"#/$defs/{target.rsplit('/', 1)[1]}"
