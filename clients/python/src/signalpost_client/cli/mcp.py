"""The Model Context Protocol over standard input and output: each line is a message, passed on to the service."""

import base64
import json
import sys
from typing import TYPE_CHECKING, Any, Final

import click

from signalpost_client.cli._shell import Shell, reads

if TYPE_CHECKING:
    from signalpost_client.cli._caller import Caller

_PARSE_ERROR: Final = -32700
_INTERNAL_ERROR: Final = -32603
_META_VERSION: Final = "io.modelcontextprotocol/protocolVersion"


@click.command()
@reads
def mcp(shell: Shell) -> None:
    """Serve an assistant over standard input and output (MCP), with the rights of your key.

    Assistants start this command by themselves: enter `sp` with the argument `mcp` in their settings.
    """
    bridge = Bridge(shell.client)
    for line in sys.stdin.buffer:
        if line.strip() and (answer := bridge.answer(line)):
            sys.stdout.buffer.write(answer + b"\n")
            sys.stdout.buffer.flush()


class Bridge:
    """Passes messages on. Of a client that began with `initialize`, it remembers the revision that was agreed."""

    def __init__(self, caller: "Caller") -> None:
        self._caller = caller
        self._agreed: str | None = None

    def answer(self, line: bytes) -> bytes:
        """Return the answer to a message; of a notification, nothing."""
        from signalpost_client.errors import SignalpostError

        try:
            message = json.loads(line)
        except ValueError as error:
            return _error(None, _PARSE_ERROR, f"The line is not JSON: {error}.")
        document = message if isinstance(message, dict) else {}
        try:
            answer = self._caller.message(message, self._headers(document))
        except SignalpostError as error:
            return b"" if "id" not in document else _error(document["id"], _INTERNAL_ERROR, str(error))
        if document.get("method") == "initialize":
            self._agreed = json.loads(answer).get("result", {}).get("protocolVersion")
        return answer

    def _headers(self, message: dict[str, Any]) -> dict[str, str]:
        """Return what HTTP repeats of a message."""
        member = message.get("params")
        params = member if isinstance(member, dict) else {}
        meta = params.get("_meta")
        version = meta.get(_META_VERSION) if isinstance(meta, dict) else None
        if version is None:
            return {} if self._agreed is None else {"MCP-Protocol-Version": self._agreed}
        names = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
        method = message.get("method")
        headers = {
            "MCP-Protocol-Version": version,
            "Mcp-Method": method,
            "Mcp-Name": params.get(names.get(str(method), "")),
        }
        return {name: _encoded(value) for name, value in headers.items() if isinstance(value, str)}


def _encoded(value: str) -> str:
    """Return text as a header may contain it."""
    if value.isascii() and value.isprintable() and value == value.strip() and not value.startswith("=?base64?"):
        return value
    return f"=?base64?{base64.b64encode(value.encode(errors='surrogatepass')).decode()}?="


def _error(message_id: Any, code: int, text: str) -> bytes:
    head: dict[str, Any] = {"jsonrpc": "2.0"} if message_id is None else {"jsonrpc": "2.0", "id": message_id}
    return json.dumps({**head, "error": {"code": code, "message": text}}).encode()
