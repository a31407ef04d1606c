"""What all pages share: templates, security headers, rate limits by address, cached content."""

import asyncio
import gzip
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from functools import cache, cached_property
from importlib import resources
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from signalpost.console.docs import Documentation
from signalpost.console.markdown import inline, prose
from signalpost.console.reference import error_codes, operations
from signalpost.console.texts import DEFAULT, Texts
from signalpost.kit import log, problems
from signalpost.kit.loop_watch import Watched
from signalpost.kit.program import command_line
from signalpost.web import limits
from signalpost.web.compact import compact
from signalpost.web.components import Document
from signalpost.web.request import Request, address_bucket, client_address, comes_from_this_machine
from signalpost.web.response import Headers, Response
from signalpost.web.router import Route
from signalpost.web.serve import Web
from signalpost.web.session_cookie import is_same_origin

if TYPE_CHECKING:
    from jinja2 import Environment

PageHandler = Callable[[Request], Awaitable[Response]]
HTML = b"text/html; charset=utf-8"
LISTED_OPERATIONS_MAX = 40  # an error of more operations than that is a general one: its page lists none
_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_SCRIPT_POLICY = f"{_CONTENT_SECURITY_POLICY}; script-src 'self'; connect-src 'self'"


def _security_headers(policy: str) -> Headers:
    return [
        (b"content-security-policy", policy.encode()),
        (b"x-frame-options", b"DENY"),
        # Not `no-referrer`: browsers would then send `Origin: null`, and the check of a form's origin could not work.
        (b"referrer-policy", b"same-origin"),
        (b"cross-origin-opener-policy", b"same-origin"),
    ]


SECURITY_HEADERS = _security_headers(_CONTENT_SECURITY_POLICY)
SCRIPT_HEADERS = _security_headers(_SCRIPT_POLICY)
"""Of pages that load the one script of the documentation."""
_YEAR_SECONDS = 365 * 24 * 3600
_logger = log.get("console")


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - only pages need it

    environment = Environment(
        loader=PackageLoader("signalpost.console"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"prose": prose, "inline": inline}
    return environment


class CachedContent:
    """Content that stays the same while the process runs: compressed once, with an ETag."""

    def __init__(
        self,
        body: bytes,
        media_type: bytes,
        *,
        max_age_seconds: int = 0,
        headers: Headers | None = None,
        compress: bool = True,
        brotli: bytes | None = None,
    ) -> None:
        self.body = body
        self.brotli = brotli
        self.compressed = gzip.compress(body, mtime=0) if compress else None
        self.media_type = media_type
        self._extra = headers
        self.digest = hashlib.sha256(body).hexdigest()[:16]
        caching = f"public, max-age={max_age_seconds}, immutable" if max_age_seconds else "no-cache"
        self.headers = [
            (b"cache-control", caching.encode()),
            (b"etag", f'"{self.digest}"'.encode()),
            (b"vary", b"accept-encoding"),
            *(headers or []),
        ]

    def replaced(self, old: bytes, new: bytes) -> "CachedContent":
        """Return the same content with another text in place of one, for a single response."""
        return CachedContent(self.body.replace(old, new), self.media_type, headers=self._extra, compress=False)

    def reply(self, request: Request) -> Response:
        """Return the content, or 304 if the client has it already."""
        accepted = request.headers.get("accept-encoding", "")
        if self.digest in request.headers.get("if-none-match", ""):
            return _without_no_store(Response(304, b"", list(self.headers)))
        for encoding, compressed in (("br", self.brotli), ("gzip", self.compressed)):
            if compressed is not None and encoding in accepted:
                headers = [*self.headers, (b"content-encoding", encoding.encode())]
                return _without_no_store(Response(200, compressed, headers, self.media_type))
        return _without_no_store(Response(200, self.body, list(self.headers), self.media_type))


def cached(build: Callable[[], CachedContent]) -> PageHandler:
    """Return a handler of content that is built when it is first requested."""

    async def respond(request: Request) -> Response:
        content = await asyncio.to_thread(build)  # slow the first time
        return content.reply(request)

    return respond


def _without_no_store(reply: Response) -> Response:
    """Drop the `no-store` that every reply starts with."""
    reply.headers = [header for header in reply.headers if header != (b"cache-control", b"no-store")]
    return reply


@cache
def _sheet() -> CachedContent:
    return CachedContent(_static("style.css"), b"text/css; charset=utf-8", max_age_seconds=_YEAR_SECONDS)


@cache
def _icon() -> CachedContent:
    return CachedContent(_static("icon.svg"), b"image/svg+xml", max_age_seconds=_YEAR_SECONDS, headers=SECURITY_HEADERS)


@cache
def _script() -> CachedContent:
    return CachedContent(_static("docs.js"), b"text/javascript; charset=utf-8", max_age_seconds=_YEAR_SECONDS)


@cache
def png_icon(name: str) -> CachedContent:
    """Return an icon of `static/icons`: for devices and other services, which do not read drawings."""
    return CachedContent(_static(f"icons/{name}.png"), b"image/png", max_age_seconds=_YEAR_SECONDS, compress=False)


def png_path(name: str) -> str:
    """Return where such an icon is, below the root of the site."""
    return f"/assets/icon-{name}-{png_icon(name).digest}.png"


def card_picture(url: str) -> str:
    """Return the whole address of the picture that chats and networks show beside a link to this service."""
    return url + png_path("512")


def _static(name: str) -> bytes:
    return (resources.files("signalpost.console") / "static" / name).read_bytes()


def assets() -> Mapping[str, bytes]:
    """Return what the pages of the documentation load, by the addresses in them."""
    common = _common("")
    parts = {"sheet": _sheet(), "icon": _icon(), "script": _script()}
    icons = {"png_icon": png_icon("192"), "apple_icon": png_icon("apple-180")}
    return {common[name]: content.body for name, content in {**parts, **icons}.items()}


def _common(base_url: str) -> dict[str, str]:
    """Return what every template needs."""
    root = urlsplit(base_url).path.rstrip("/")
    return {
        "root": root,
        "sheet": f"{root}/assets/style-{_sheet().digest}.css",
        "icon": f"{root}/assets/icon-{_icon().digest}.svg",
        "png_icon": root + png_path("192"),
        "apple_icon": root + png_path("apple-180"),
        "script": f"{root}/assets/docs-{_script().digest}.js",
        "card": "",  # of a page whose whole address is not certain
        "standalone": "",  # of a page with a service behind it
    }


def render(base_url: str, template: str, **values: Any) -> bytes:
    """Render a template."""
    return _templates().get_template(f"{template}.html").render(_common(base_url) | values).encode("utf-8", "replace")


class Site:
    """Everything the pages share.

    The OpenAPI document and the documentation are built on first use: they cost a quarter of a second and some
    megabytes, and most processes never serve them.
    """

    def __init__(self, web: Web, openapi_document: Callable[[], Document]) -> None:
        self.web = web
        self._openapi_document = openapi_document
        self.sheet, self.icon, self.script = _sheet(), _icon(), _script()
        self.common = _common(web.base_url)
        self.documentation = Documentation(openapi_document, self.common["root"], lambda: web.context.fixed_url)

    @cached_property
    def openapi(self) -> CachedContent:
        """The OpenAPI document."""
        body = msgspec.json.encode(compact(self._openapi_document()))
        return CachedContent(body, b"application/json", headers=[(b"access-control-allow-origin", b"*")])

    def addressed(self, content: CachedContent) -> CachedContent:
        """Return content that contains the address of the service, with the one that this client uses.

        Only ours is kept, and compressed: any client may think of another one.
        """
        ours, url = self.web.context.fixed_url, self.web.base_url
        return content if url == ours else content.replaced(ours.encode(), url.encode())

    @cached_property
    def operations_by_code(self) -> Mapping[str, list[tuple[str, str, str]]]:
        """The operations that can respond with each error code: (method, path, address in the reference)."""
        addresses = self.documentation.addresses
        return {
            code: [(method, path, addresses[anchor]) for method, path, anchor in places]
            for code, places in operations_by_code(self._openapi_document()).items()
        }

    def text(self, template: str, **values: Any) -> bytes:
        """Render a template. Its card is at the address of the installation, as some pages are kept for all clients."""
        card = card_picture(self.web.context.fixed_url)
        return render(self.web.base_url, template, **{"card": card, **values})

    def page(self, template: str, *, status: int = 200, headers: Headers | None = None, **values: Any) -> Response:
        """Return a page that is never cached. `headers` replace those of the same name."""
        own = {name for name, _ in headers or ()}
        common = [header for header in SECURITY_HEADERS if header[0] not in own]
        return Response(status, self.text(template, **values), [*common, *(headers or [])], HTML)

    def notice(
        self,
        title: str,
        text: str,
        *,
        status: int,
        headers: Headers | None = None,
        command: str = "",
        link: tuple[str, str] | None = None,
        **words: Any,
    ) -> Response:
        """Return a page with a title, a text, perhaps a command, and a link: where it leads and its words.

        `words` are those of `texts.spoken`, if what it says is in the language of the visitor.
        """
        t = words.get("t", Texts(DEFAULT))
        values = {"title": title, "text": text, "command": command, "link": link or ("/", t("Back to the start page"))}
        return self.page("notice", status=status, headers=headers, **values, **words)

    def problem(self, response: Response) -> Response:
        """Return a problem document as a page. Headers such as those of rate limits stay."""
        assert isinstance(response.body, bytes)  # noqa: S101 - a problem is never streamed
        document = msgspec.json.decode(response.body)
        own = {b"content-type", b"content-length", b"cache-control", b"x-content-type-options", b"vary"}
        headers = [header for header in response.headers if header[0] not in own]
        headers.append((b"vary", b"accept"))
        return self.page("request_problem", status=response.status, headers=headers, problem=document)

    def command(self, arguments: str, request: Request) -> str:
        """Return a command of the operator, with the data folder: where that is, only this machine learns."""
        if comes_from_this_machine(request):
            return command_line(arguments, self.web.context.settings.data_dir)
        return f"signalpost {arguments} --data-dir DATA_FOLDER"

    def routes(
        self, paths: list[str], handler: PageHandler, *, method: str = "GET", bucket: str | None = "pages"
    ) -> list[Route]:
        """Return the routes of a page: rate limited by address, problems rendered as pages."""

        async def answer(request: Request) -> Response:
            reply = await Watched(self._handle(request, handler, bucket), f"{method} {paths[0]}")
            _logger.info("page.answered", method=method, path=paths[0], status=reply.status)
            return reply

        return [Route(method, path, answer) for path in paths]

    async def _handle(self, request: Request, handler: PageHandler, bucket: str | None) -> Response:
        headers: Headers = []
        try:
            if bucket is not None:
                headers = await self._check_rate_limit(request, bucket)
            reply = await handler(request)
        except problems.Problem as problem:
            extra = [(name.lower().encode(), value.encode("latin-1")) for name, value in problem.headers.items()]
            return self.notice(problem.title, problem.detail, status=problem.status, headers=extra or headers)
        reply.headers += headers
        return reply

    async def _check_rate_limit(self, request: Request, bucket: str) -> Headers:
        address = address_bucket(client_address(request.scope, self.web.context.settings.trusted_proxies))
        if bucket == "login":
            return await self.web.limiter.admit(
                f"login:{address}", "login", limits.LOGINS_PER_ADDRESS, limits.LOGIN_SECONDS
            )
        per_address = limits.PER_ADDRESS_OF_CONSOLE if bucket in ("console", "links") else limits.PER_ADDRESS
        return self.web.limiter.check(f"address:{address}:{bucket}", "address", per_address)


def check_origin(request: Request) -> None:
    """Verify that the form was sent by a page of this service.

    Raises:
        Forbidden: another site sent it.
    """
    if not is_same_origin(request):
        raise problems.Forbidden("This form was sent from another site. Open the link and submit the form there.")


def operations_by_code(document: Document) -> Mapping[str, list[tuple[str, str, str]]]:
    """Return the operations that can answer with each error code: method, path and operation id."""
    by_code: dict[str, list[tuple[str, str, str]]] = {}
    for method, path, operation in operations(document):
        for response in operation["responses"].values():
            for code in error_codes(response):
                by_code.setdefault(code, []).append((method, path, operation["operationId"]))
    return {code: places for code, places in by_code.items() if len(places) <= LISTED_OPERATIONS_MAX}
