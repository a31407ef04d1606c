"""What a page in the browser must never do, and which operations of the API it calls: every opened page is watched."""

import re
from functools import cache
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, ConsoleMessage, Request, Response, WebError

from signalpost.console.openapi import openapi_document
from signalpost.main import wiring

API = "/api/v1"
_LOST = """
CONNECTION_ABORTED CONNECTION_CLOSED CONNECTION_FAILED CONNECTION_REFUSED CONNECTION_RESET CONTENT_LENGTH_MISMATCH
EMPTY_RESPONSE INCOMPLETE_CHUNKED_ENCODING SOCKET_NOT_CONNECTED
"""
AWAY: frozenset[int | str] = frozenset(f"net::ERR_{name}" for name in _LOST.split())
"""What Chromium says while the service is away, and of what was under way when it ended (`net_error_list.h`): which of
them depends on how far a request was when the process was killed.
"""
_PARAMETER = re.compile(r"\\\{\w+\\\}")
_STATUS = re.compile(r"status of [45]\d\d")
REPORT = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
"""
"""For every document: it reports what its policy refuses."""


class Operation(NamedTuple):
    """A documented operation, and how its address looks."""

    name: str
    method: str
    path: str
    pattern: re.Pattern[str]


@cache
def _operations() -> list[Operation]:
    """Return every documented operation; exact paths first."""
    paths = openapi_document(wiring.endpoints(), base_url="http://x", version="0", brand="Service")["paths"]
    found = [
        (operation["operationId"], method.upper(), path)
        for path, methods in paths.items()
        for method, operation in methods.items()
    ]
    found.sort(key=lambda entry: entry[2].count("{"))
    return [
        Operation(name, method, path, re.compile(_PARAMETER.sub("[^/]+", re.escape(path))))
        for name, method, path in found
    ]


def called(method: str, url: str) -> Operation | None:
    """Return the documented operation that this request calls."""
    path = urlsplit(url).path.removeprefix(API)
    return next((each for each in _operations() if each.method == method and each.pattern.fullmatch(path)), None)


def operation_of(method: str, url: str) -> str | None:
    """Return the name of the documented operation that this request calls."""
    operation = called(method, url)
    return operation and operation.name


class Watch:
    """Collects what is wrong in all pages of one browser context, except statuses and failures that are expected."""

    def __init__(
        self, context: BrowserContext, base_url: str, hosts: tuple[str, ...], expected: set[int | str]
    ) -> None:
        self.own = (base_url, "blob:", "data:", *hosts)
        self.base_url = base_url
        self.expected = expected
        self.errors: list[str] = []
        self.operations: set[str] = set()
        self.answers: list[str] = []
        self.context = context
        self._heard: dict[Any, Any] = {
            "request": self._requested, "response": self._answered, "requestfailed": self._failed,
            "weberror": self._thrown, "console": self._said,
        }  # fmt: skip

    def __enter__(self) -> Self:
        for event, listener in self._heard.items():
            self.context.on(event, listener)
        return self

    def __exit__(self, *_: object) -> None:
        for event, listener in self._heard.items():
            self.context.remove_listener(event, listener)

    async def tell(self) -> str:
        """Return what the pages show and what they asked for: the reason why a test failed."""
        pages = [
            f"{page.url}\n{await page.locator('body').aria_snapshot(timeout=10_000)}" for page in self.context.pages
        ]
        return "\n".join([*pages, *self.answers[-40:], *self.errors])

    def _requested(self, request: Request) -> None:
        if not request.url.startswith(self.own):
            self.errors.append(f"foreign request: {request.url}")
        elif request.url.startswith(f"{self.base_url}{API}/"):
            name = operation_of(request.method, request.url)
            if name is None:
                self.errors.append(f"undocumented: {request.method} {request.url}")
            else:
                self.operations.add(name)

    def _answered(self, response: Response) -> None:
        self.answers.append(f"{response.request.method} {response.url} {response.status}")
        if response.status >= 400 and response.status not in self.expected:
            self.errors.append(f"{response.status} {response.url}")

    def _failed(self, request: Request) -> None:
        by_the_page = request.failure == "net::ERR_ABORTED"  # it no longer needs the answer
        if not by_the_page and request.failure not in self.expected:
            self.errors.append(f"failed: {request.url} {request.failure}")

    def _thrown(self, error: WebError) -> None:
        self.errors.append(f"thrown: {error.error}")

    def _said(self, message: ConsoleMessage) -> None:
        is_answer = _STATUS.search(message.text) or message.text.rpartition(" ")[2] in self.expected  # see above
        if message.type in ("error", "warning") and not is_answer:
            self.errors.append(f"console: {message.text}")
