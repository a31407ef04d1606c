"""What pages share: templates, guarding headers, limits by address, bytes that never change."""

import gzip
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from functools import cache, cached_property
from importlib import resources
from typing import Any
from urllib.parse import urlsplit

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from litestar import Request
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from signalpost.console.openapi import operations
from signalpost.console.reference import Reference, inline, prose
from signalpost.kit import log, problems
from signalpost.kit.problems import Problem
from signalpost.web import limits
from signalpost.web.components import Document
from signalpost.web.reply import Headers, Reply
from signalpost.web.request import address_bucket, client_address, request_id
from signalpost.web.serve import Web

PageRequest = Request[Any, Any, Any]
Work = Callable[[PageRequest], Awaitable[Reply]]
HTML = b"text/html; charset=utf-8"
_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_GUARD: Headers = [
    (b"content-security-policy", _POLICY.encode()),
    (b"x-frame-options", b"DENY"),
    # Not `no-referrer`: with it browsers send `Origin: null`, by which a form of ours could not be told from others.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
]
_logger = log.get("console")


@cache
def _templates() -> Environment:
    found = Environment(
        loader=PackageLoader("signalpost.console"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"prose": prose, "inline": inline}
    return found


class Fixed:
    """Bytes that stay the same while the process runs, compressed once."""

    def __init__(
        self, body: bytes, media_type: bytes, *, kept_seconds: int = 0, headers: Headers | None = None
    ) -> None:
        self.body = body
        self.packed = gzip.compress(body, mtime=0)
        self.media_type = media_type
        self.digest = hashlib.sha256(body).hexdigest()[:16]
        kept = f"public, max-age={kept_seconds}, immutable" if kept_seconds else "no-cache"
        self.headers = [
            (b"cache-control", kept.encode()), (b"etag", b'"%s"' % self.digest.encode()), (b"vary", b"accept-encoding"),
            *(headers or []),
        ]  # fmt: skip

    def reply(self, request: PageRequest) -> Reply:
        """Return them, or 304 when the client has them."""
        packed = "gzip" in request.headers.get("accept-encoding", "")
        if self.digest in request.headers.get("if-none-match", ""):
            return _uncached(Reply(304, b"", list(self.headers)))
        extra = [(b"content-encoding", b"gzip")] if packed else []
        return _uncached(Reply(200, self.packed if packed else self.body, [*self.headers, *extra], self.media_type))


def _uncached(reply: Reply) -> Reply:
    """Drop the `no-store` that answers have unless they say otherwise."""
    reply.headers = [header for header in reply.headers if header != (b"cache-control", b"no-store")]
    return reply


class Site:
    """Everything the pages share.

    The description of the API and what is made of it cost a quarter of a second and some megabytes: most processes
    are never asked for them.
    """

    def __init__(self, web: Web, openapi_document: Callable[[], Document]) -> None:
        self.web = web
        self._describe = openapi_document
        root = urlsplit(web.base_url).path.rstrip("/")
        files = resources.files("signalpost.console") / "static"
        year = 365 * 24 * 3600
        self.sheet = Fixed((files / "style.css").read_bytes(), b"text/css; charset=utf-8", kept_seconds=year)
        self.icon = Fixed((files / "icon.svg").read_bytes(), b"image/svg+xml", kept_seconds=year, headers=_GUARD)
        self.common = {
            "root": root,
            "sheet": f"{root}/assets/style-{self.sheet.digest}.css",
            "icon": f"{root}/assets/icon-{self.icon.digest}.svg",
        }

    @cached_property
    def openapi(self) -> Fixed:
        """The description of the API."""
        body = msgspec.json.encode(self._describe())
        return Fixed(body, b"application/json", headers=[(b"access-control-allow-origin", b"*")])

    @cached_property
    def docs(self) -> Fixed:
        """The API reference."""
        titles = {code: kind.title for code, kind in Problem.registry.items()}
        page = Reference(self._describe())
        return Fixed(self.text("docs", page=page, titles=titles), HTML, headers=_GUARD)

    @cached_property
    def where(self) -> Mapping[str, list[tuple[str, str, str]]]:
        """In which operations each code can happen: (method, path, anchor)."""
        return _where(self._describe())

    def text(self, template: str, **values: Any) -> bytes:
        """Return a rendered page."""
        return _templates().get_template(f"{template}.html").render(self.common | values).encode()

    def page(self, template: str, *, status: int = 200, headers: Headers | None = None, **values: Any) -> Reply:
        """Return a page that nobody keeps."""
        return Reply(status, self.text(template, **values), [*_GUARD, *(headers or [])], HTML)

    def notice(self, title: str, text: str, *, status: int, headers: Headers | None = None) -> Reply:
        """Return a page that says one thing."""
        return self.page("notice", status=status, headers=headers, title=title, text=text)

    def route(self, paths: list[str], work: Work, *, method: str = "GET", bucket: str | None = "pages") -> Any:
        """Return the handler of a page: limited by address, with a request id, its refusals as pages."""

        async def answer(request: PageRequest) -> ASGIApp:
            current = request_id(request.headers)
            token = log.request_id.set(current)
            try:
                reply = await self._answer(request, work, bucket)
                reply.headers.append((b"x-request-id", current.encode()))
                _logger.info("page.answered", method=method, path=paths[0], status=reply.status)
            finally:
                log.request_id.reset(token)
            return reply

        methods: Any = ["GET", "HEAD"] if method == "GET" else [method]
        return HTTPRouteHandler(paths, http_method=methods, status_code=200)(answer)

    async def _answer(self, request: PageRequest, work: Work, bucket: str | None) -> Reply:
        headers: Headers = []
        try:
            if bucket is not None:
                headers = self._count(request, bucket)
            reply = await work(request)
        except problems.Problem as problem:
            kept = [(name.lower().encode(), value.encode("latin-1")) for name, value in problem.headers.items()]
            return self.notice(problem.title, problem.detail, status=problem.status, headers=kept or headers)
        reply.headers += headers
        return reply

    def _count(self, request: PageRequest, bucket: str) -> Headers:
        address = address_bucket(client_address(request.scope, self.web.context.settings.trusted_proxies))
        if bucket == "login":
            return self.web.limiter.check(f"login:{address}", "login", limits.LOGINS_PER_ADDRESS, limits.LOGIN_SECONDS)
        return self.web.limiter.check(f"address:{address}:{bucket}", "address", limits.PER_ADDRESS)


def _where(document: Document) -> Mapping[str, list[tuple[str, str, str]]]:
    """Return in which operations each code can happen: (method, path, anchor)."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for method, path, operation in operations(document):
        for answer in operation["responses"].values():
            for code in answer.get("content", {}).get("application/problem+json", {}).get("examples", ()):
                found.setdefault(code, []).append((method, path, operation["operationId"]))
    return {code: places for code, places in found.items() if len(places) <= 40}
