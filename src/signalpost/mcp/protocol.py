"""The envelope of the protocol: one JSON-RPC message, and in which of its revisions it speaks.

Since 2026-07-28 each message says by itself which revision it follows; before, clients begin with `initialize`. Neither
needs a session here, so that any process answers any message.
"""

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

MODERN: Final = ("2026-07-28",)
"""Revisions in which each message stands for itself."""
LEGACY: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Revisions that begin with `initialize`, the newest first."""
INVALID_REQUEST: Final = -32600
PARSE_ERROR: Final = -32700
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
NOT_FOUND_LEGACY: Final = -32002
HEADER_MISMATCH: Final = -32020
UNSUPPORTED_VERSION: Final = -32022
_META: Final = "io.modelcontextprotocol/"
_NAMED_BY: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The parameter that `Mcp-Name` repeats, by method."""
_BASE64: Final = "=?base64?", "?="
Header = Callable[[str], str | None]


class Message(Struct):
    """A request, or without `id` a notification. Clients answer nothing here, so there are no responses."""

    jsonrpc: Literal["2.0"]
    method: Annotated[str, Meta(min_length=1, max_length=100)]
    id: Annotated[int, Meta(ge=-(2**53), le=2**53)] | Annotated[str, Meta(max_length=200)] | UnsetType = UNSET
    params: dict[str, Any] | UnsetType = UNSET

    @property
    def arguments(self) -> dict[str, Any]:
        """The parameters; of a message without any, none."""
        return {} if self.params is UNSET else self.params


class Refusal(Exception):
    """A message that is answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str, *, data: Any = None, status: int = 200) -> None:
        super().__init__(message)
        self.code = code
        self.data = data
        self.status = status


def is_modern(message: Message, header: Header) -> bool:
    """Whether a message says by itself which revision it follows; else the client begins with `initialize`.

    Raises:
        Refusal: it names a revision that is not served here, or its headers and its parameters contradict.
    """
    sent = header("mcp-protocol-version")
    member = message.arguments.get("_meta")
    meta = member if isinstance(member, dict) else {}
    named = meta.get(f"{_META}protocolVersion")
    if named is None:
        if sent is None or sent in LEGACY:
            return False
        if sent not in MODERN:
            raise _unsupported(sent)
        raise Refusal(INVALID_PARAMS, f"params._meta has no {_META}protocolVersion.", status=400)
    if named != sent:
        raise _mismatch("MCP-Protocol-Version", sent, named)
    if named not in MODERN:
        raise _unsupported(named)
    if not isinstance(meta.get(f"{_META}clientCapabilities"), dict):
        raise Refusal(INVALID_PARAMS, f"params._meta has no {_META}clientCapabilities.", status=400)
    if message.id is not UNSET:
        _require_headers(message, header)
    return True


def _require_headers(message: Message, header: Header) -> None:
    if (sent := header("mcp-method")) != message.method:
        raise _mismatch("Mcp-Method", sent, message.method)
    if (parameter := _NAMED_BY.get(message.method)) is not None:
        sent, named = header("mcp-name"), message.arguments.get(parameter)
        if sent is None or _decoded(sent) != named:
            raise _mismatch("Mcp-Name", sent, named)


def _decoded(value: str) -> str | None:
    """Return the value of a header; None: it is not what it says it is."""
    begin, end = _BASE64
    if not (value.startswith(begin) and value.endswith(end)):
        return value
    try:
        return base64.b64decode(value[len(begin) : -len(end)], validate=True).decode()
    except (binascii.Error, ValueError):
        return None


def _mismatch(name: str, sent: str | None, named: object) -> Refusal:
    what = "is missing" if sent is None else f"is {sent[:100]!r}"
    return Refusal(HEADER_MISMATCH, f"The header {name} {what}; the message says {str(named)[:100]!r}.", status=400)


def _unsupported(named: object) -> Refusal:
    data = {"supported": [*MODERN, *LEGACY], "requested": str(named)[:100]}
    return Refusal(UNSUPPORTED_VERSION, "Unsupported protocol version", data=data, status=400)


def negotiated(requested: object) -> str:
    """Return the revision to speak with a client that begins with `initialize`."""
    return requested if isinstance(requested, str) and requested in LEGACY else LEGACY[0]


def result(message: Message, value: Mapping[str, Any], *, modern: bool, server: Mapping[str, Any]) -> bytes:
    """Return the response with a result, as bytes."""
    own = {"resultType": "complete", "_meta": {f"{_META}serverInfo": server}} if modern else {}
    return msgspec.json.encode({"jsonrpc": "2.0", "id": message.id, "result": {**value, **own}})


def error(refusal: Refusal, message: Message | None = None) -> bytes:
    """Return the response with an error, as bytes; of what could not be read, without an id."""
    document: dict[str, Any] = {"jsonrpc": "2.0"}
    if message is not None and message.id is not UNSET:
        document["id"] = message.id
    members = {"code": refusal.code, "message": str(refusal)}
    return msgspec.json.encode(
        {**document, "error": members | ({} if refusal.data is None else {"data": refusal.data})}
    )
