"""Examples for the reference: one value for a JSON schema, readable where the name of a field tells what it holds."""

from collections.abc import Mapping
from typing import Any

from signalpost.kit import ids

_AT = "2026-11-21T18:00:00.000Z"
_PICTURE = "https://example.com/picture.jpg"
_BY_NAME: Mapping[str, Any] = {
    "email": "ada@example.com", "password": "correct horse battery", "name": "Acme", "slug": "acme",
    "timezone": "Europe/Berlin", "language": "en", "locale": "en", "color": "#1d4ed8",
    "text": "Hello from #signalpost", "title": "Spring menu", "description": "What the bakery posts",
    "altText": "A cat asleep on a keyboard", "caption": "Spring menu", "notes": "Ask Ada before changing the picture",
    "platform": "bluesky", "platforms": ["bluesky"], "username": "acme.example.com", "displayName": "Acme",
    "url": _PICTURE, "service": "https://pds.example.com", "instanceUrl": "https://mastodon.example",
    "platformPostId": "at://did:plc:44ybard66vv44zksje25o7dz/app.bsky.feed.post/3l6oveex3ii2l",
    "platformAccountId": "did:plc:44ybard66vv44zksje25o7dz", "externalId": "cms-4711", "campaign": "spring",
    "version": 1, "link": "https://example.com/menu", "note": "The new prices, please", "size": 218_412,
    "width": 1600, "height": 900, "attempts": 1, "mimeType": "image/jpeg",
    "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "fileName": "cat.jpg",
    "storagePath": "media/01m7z0000000000000000000ab.jpg", "accessToken": "eyJhbGciOi…", "refreshToken": "spr_4f1c…",
    "key": "sp_live_AbCdEfGhIjKl_…", "secret": "whsec_…", "prefix": "sp_live_AbCdEfGhIjKl", "plan": "self_hosted",
    "expiresIn": 900, "requestId": "req_5f1c0de5f1c0de5f1c0d", "hasMore": False, "tags": ["spring"],
    "latencyMs": 0.4, "durationMs": 84, "from": "2026-11-01T00:00:00Z", "to": "2026-12-01T00:00:00Z",
}  # fmt: skip
_TELLING = frozenset({
    "name", "title", "text", "altText", "note", "scheduledAt", "limit", "includeUnknown", "active", "profileId",
})  # fmt: skip
"""Of a request in which nothing must be there, the first of these is shown."""
_UNSET = frozenset({
    "nextCursor", "error", "lastError", "lastRefreshError", "statusReason", "disabledReason", "heldReason", "reason",
    "deletedAt", "purgeAt", "revokedAt", "removedAt", "disabledAt", "finishedAt", "leasedUntil", "recurrence",
    "recurrenceParentId", "sourcePostId", "fanoutId", "parentId", "parentAccountId", "watermarkMediaId",
    "selectionToken", "candidates", "errorDescription", "logId", "utm", "thread", "threadIds", "nextAttemptAt",
    "firstComment", "changes", "warnings", "platformErrors", "userTags", "thumbnailMediaId", "thumbnailTimeMs",
    "lastFailureAt", "issues", "recommendations", "missing",
})  # fmt: skip
"""Of an answer in which all went well these hold nothing."""
_LIKELY = ("queued", "pending", "active", "ready", "live", "user", "not_required", "post.published", "https")
"""Of several values the one that a reader meets first."""
_PREFIXES = {
    "user": "usr", "workspace": "wsp", "profile": "prof", "link": "lnk", "account": "acc", "media": "med",
    "post": "pst", "target": "tgt", "queue": "que", "key": "key", "webhook": "whk", "event": "evt", "delivery": "dlv",
    "invite": "inv", "member": "mem", "parentProfile": "prof", "childProfile": "prof", "sourcePost": "pst",
    "createdPost": "pst", "existingPost": "pst", "parentAccount": "acc", "watermarkMedia": "med",
    "thumbnailMedia": "med",
}  # fmt: skip
_OWN = {
    "Profile": "prof", "Post": "pst", "Target": "tgt", "Webhook": "whk", "NewWebhook": "whk", "Delivery": "dlv",
    "ApiKey": "key", "ApiKeyWithSecret": "key", "ApiKeyRevocation": "key", "PlatformAccount": "acc", "Media": "med",
    "ProfileLink": "lnk", "User": "usr", "Workspace": "wsp", "WorkspaceSummary": "wsp", "QueueEntry": "que",
    "LinkHistory": "lnh", "AuditEntry": "aud", "ProfileDeletion": "prof", "LinkDeletion": "lnk", "PostDeletion": "pst",
    "MediaDeleted": "med", "Disconnection": "acc", "IdentityActor": "usr", "PostsActor": "usr", "Actor": "usr",
}  # fmt: skip


def example_of(schema: Mapping[str, Any], components: Mapping[str, Any], *, name: str = "") -> Any:
    """Return a value that the schema accepts. No structure of ours holds itself, so this comes to an end."""
    if "examples" in schema:
        return schema["examples"][0]
    if "$ref" in schema:
        target = str(schema["$ref"]).rsplit("/", 1)[1]
        return example_of(components[target], components, name=name)
    values = schema.get("enum", ())
    likely = [value for value in _LIKELY if value in values]
    given = [schema.get("const"), schema.get("default"), *likely, *values]
    if (chosen := next((value for value in given if value not in (None, [], {}, "")), None)) is not None:
        return chosen
    if "anyOf" in schema:
        options = [option for option in schema["anyOf"] if option.get("type") != "null"]
        if len(options) < len(schema["anyOf"]) and name in _UNSET:
            return None
        return example_of(options[0], components, name=name)
    return _by_type(schema, components, name)


def _by_type(schema: Mapping[str, Any], components: Mapping[str, Any], name: str) -> Any:
    kind = schema.get("type")
    if kind == "object":
        return _object(schema, components)
    if kind == "array":
        return _list(schema, components, name)
    if kind == "string":
        return _text(schema, name)
    known = _BY_NAME.get(name)
    if kind == "boolean":
        return known if isinstance(known, bool) else True
    if kind in ("integer", "number"):
        number = known if isinstance(known, int | float) else max(schema.get("minimum", 1), 1)
        return int(number) if kind == "integer" else number
    return None if kind == "null" else {}


def _list(schema: Mapping[str, Any], components: Mapping[str, Any], name: str) -> list[Any]:
    known = _BY_NAME.get(name)
    if isinstance(known, list):
        return known
    if "items" not in schema or name in _UNSET:
        return []
    return [example_of(schema["items"], components, name=name)] * max(1, int(schema.get("minItems", 0)))


def _object(schema: Mapping[str, Any], components: Mapping[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties", {})
    shown = set(properties)
    if schema.get("additionalProperties") is False:  # a request: what must be there, else the first thing that may
        shown = set(schema.get("required", ())) or {*[name for name in properties if name in _TELLING][:1]}
    found = {}
    for name, one in properties.items():
        if name in shown:
            own = _OWN.get(schema.get("title", "")) if name == "id" else None
            found[name] = ids.example(own) if own else example_of(one, components, name=name)
    return found


def _text(schema: Mapping[str, Any], name: str) -> str:
    known = _BY_NAME.get(name)
    if name.endswith(("At", "Until")) or schema.get("format") == "date-time":
        return _AT
    if name.endswith(("Id", "Ids")) and (prefix := _PREFIXES.get(name.removesuffix("s").removesuffix("Id"))):
        return ids.example(prefix)
    if known is None:
        known = _PICTURE if name.lower().endswith("url") else name or "text"
    text = str(known[0] if isinstance(known, list) else known)
    return text.ljust(int(schema.get("minLength", 0)), "x")[: int(schema.get("maxLength", 1_000))]
