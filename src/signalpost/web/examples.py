"""Examples for the reference: one value for a JSON schema, readable where the name of a field tells what it holds."""

from collections.abc import Mapping
from typing import Any

_DEPTH_MAX = 8
_ID = "01M7Z0000000000000000000AB"
_BY_NAME: Mapping[str, Any] = {
    "email": "ada@example.com",
    "password": "correct horse battery",
    "url": "https://example.com/hooks/signalpost",
    "timezone": "Europe/Berlin",
    "language": "en",
    "locale": "en",
    "color": "#1d4ed8",
    "requestId": "req_5f1c0de5f1c0de5f1c0d",
    "nextCursor": None,
    "hasMore": False,
}
_PREFIXES = {
    "user": "usr", "workspace": "wsp", "profile": "prof", "link": "lnk", "account": "acc", "media": "med",
    "post": "pst", "target": "tgt", "queue": "que", "key": "key", "webhook": "whk", "event": "evt", "delivery": "dlv",
    "invite": "inv", "member": "mem", "parentProfile": "prof", "childProfile": "prof", "sourcePost": "pst",
    "createdPost": "pst", "parentAccount": "acc", "watermarkMedia": "med", "thumbnailMedia": "med",
}  # fmt: skip
_OWN = {
    "Profile": "prof", "Post": "pst", "Target": "tgt", "Webhook": "whk", "Delivery": "dlv", "ApiKey": "key",
    "PlatformAccount": "acc", "Media": "med", "ProfileLink": "lnk", "User": "usr", "Workspace": "wsp",
    "QueueEntry": "que", "LinkHistory": "lnh", "AuditEntry": "aud",
}  # fmt: skip


def example_of(schema: Mapping[str, Any], components: Mapping[str, Any], *, name: str = "", depth: int = 0) -> Any:
    """Return a value that the schema accepts."""
    if "$ref" in schema:
        target = str(schema["$ref"]).rsplit("/", 1)[1]
        return example_of(components[target], components, name=name, depth=depth + 1)
    if given := [schema.get("const"), schema.get("default"), *schema.get("examples", ()), *schema.get("enum", ())]:
        chosen = next((value for value in given if value not in (None, [], {}, "")), None)
        if chosen is not None:
            return chosen
    if "anyOf" in schema:
        if schema.get("default", ...) is None:
            return None
        options = [option for option in schema["anyOf"] if option.get("type") != "null"]
        return example_of(options[0], components, name=name, depth=depth)
    return _by_type(schema, components, name, depth)


def _by_type(schema: Mapping[str, Any], components: Mapping[str, Any], name: str, depth: int) -> Any:
    kind = schema.get("type")
    if kind == "object":
        return _object(schema, components, depth)
    if kind == "array":
        if depth > _DEPTH_MAX or "items" not in schema:
            return []
        item = example_of(schema["items"], components, name=name, depth=depth + 1)
        return [item] * max(1, int(schema.get("minItems", 0)))
    if kind == "string":
        return _text(schema, name)
    least = max(schema.get("minimum", 1), 1)
    return {"integer": int(least), "number": float(least), "boolean": True, "null": None}.get(str(kind), {})


def _object(schema: Mapping[str, Any], components: Mapping[str, Any], depth: int) -> dict[str, Any]:
    if depth > _DEPTH_MAX:
        return {}
    properties = schema.get("properties", {})
    required = set(schema.get("required", ()))
    closed = schema.get("additionalProperties") is False  # a request: show what must be there and what is usual
    found = {}
    for name, one in properties.items():
        if closed and name not in required:
            continue
        if name == "id" and schema.get("title") in _OWN:
            found[name] = f"{_OWN[schema['title']]}_{_ID}"
        elif name in _BY_NAME and (one.get("type") or "anyOf" in one):
            found[name] = _BY_NAME[name]
        else:
            found[name] = example_of(one, components, name=name, depth=depth + 1)
    return found


def _text(schema: Mapping[str, Any], name: str) -> str:
    if schema.get("format") == "date-time":
        return "2026-11-21T18:00:00.000Z"
    if name.endswith(("Id", "Ids")) and (prefix := _PREFIXES.get(name.removesuffix("s").removesuffix("Id"))):
        return f"{prefix}_{_ID}"
    if name in _BY_NAME and isinstance(_BY_NAME[name], str):
        return str(_BY_NAME[name])
    if name.lower().endswith("url"):
        return "https://example.com/picture.jpg"
    text = name or "text"
    least = int(schema.get("minLength", 0))
    return text.ljust(least, "x")[: int(schema.get("maxLength", 1_000))]
