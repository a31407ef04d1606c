"""The client as `sp` uses it: a command that was interrupted goes on, and a dry run sends nothing."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import uuid4

import httpx

from signalpost_client import Problem, Signalpost
from signalpost_client._call import Call
from signalpost_client._steps import Response
from signalpost_client.cli._files import Begun

CHECKS = ("/posts/validate",)
"""Requests that change nothing, although they are a POST."""


class DryRun(Exception):
    """What would have been sent."""

    def __init__(self, call: Call) -> None:
        super().__init__(call.path)
        self.document = {"dryRun": True, "method": call.method, "path": call.path, "body": call.body}


class Caller(Signalpost):
    """Keeps the idempotency key of each change until it is answered, so that a second run has no second effect."""

    dry_run = False

    @property
    def address(self) -> str:
        """Of the server, without the path of its API."""
        return self._config.url.removesuffix("/api/v1")

    def pages(self, path: str, query: Mapping[str, Any]) -> Iterable[Any]:
        """Return all items of any list."""
        return self._pages("GET", path, query=query)

    def message(self, message: Any, headers: Mapping[str, str]) -> bytes:
        """Return the service's answer to a message of the Model Context Protocol; of a notification, nothing.

        Raises:
            SignalpostError: the service does not answer, or refuses the key.
        """
        call = Call(self._config, "POST", f"{self.address}/mcp", body=message, headers=headers)
        while True:
            try:
                response = self._http.request(**call.request)
            except httpx.TransportError as error:
                self._sleep(call.failed(error))
                continue
            if response.content.startswith(b'{"jsonrpc"'):  # also a refusal in the protocol's own words
                return response.content
            wait = call.answered(response.status_code, response.headers, response.content)
            if wait is None:
                return response.content
            self._sleep(wait)

    def _perform(self, call: Call) -> Response:
        if call.method == "GET" or call.path in CHECKS or call.anonymous or call.once:
            return super()._perform(call)
        if self.dry_run:
            raise DryRun(call)
        if call.content is not None:
            return super()._perform(call)  # a file, whose bytes no key stands for
        about = (call.method, call.path, dict(call.query), call.body, dict(call.headers), call.if_match)
        begun = Begun("calls", self._config.url, self._config.headers["Authorization"], about)
        call.idempotency_key = begun.value() or f"sp-{uuid4()}"
        begun.begin(call.idempotency_key)
        try:
            response = super()._perform(call)
        except Problem as problem:
            if problem.status < 500:
                begun.end()  # the service has decided
            raise
        begun.end()
        return response
