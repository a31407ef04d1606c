"""The console of people who are signed in: one page, its modules and styles. Everything else it asks of the API."""

import hashlib
import json
import re
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import NamedTuple

from signalpost.console.site import CachedContent, PageHandler, Site, cached, render
from signalpost.console.texts import NAMES
from signalpost.web.request import Request
from signalpost.web.response import Headers, Response
from signalpost.web.router import Route

PATHS = ["/console", "/console/{page}", "/console/{page}/{id}", "/console/{page}/{id}/{part}"]
_YEAR_SECONDS = 365 * 24 * 3600
_TYPES = {
    ".js": b"text/javascript; charset=utf-8",
    ".css": b"text/css; charset=utf-8",
    ".svg": b"image/svg+xml; charset=utf-8",
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:;"
    " connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none';"
    " require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS: Headers = [
    (b"content-security-policy", _POLICY.encode()),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-cache"),
]
_PAGE = re.compile(r'^ *"?([\w-]*)"?: "([\w-]+)",$', re.MULTILINE)
_TYPE = re.compile(rb"/\*\* @type [^*]*\*/ ?")
_STYLE_COMMENT = re.compile(rb"/\*[^*\n]*\*/ ?")
_STYLE_SPACE = re.compile(rb" *([{};]) *|(?<=[:,]) +")
_IMPORT = re.compile(r"""\bfrom\s?["'](\.[^"']+)["']""")


class Assets(NamedTuple):
    """The files by their path, and one digest of all: modules import each other by relative paths."""

    digest: str
    files: dict[str, CachedContent]


@cache
def assets() -> Assets:
    """Return the modules and styles of the console."""
    bodies = dict(sorted(_read(resources.files("signalpost.console") / "static" / "console", "")))
    digest = hashlib.sha256()
    for name, body in bodies.items():
        digest.update(f"{name}\0{len(body)}\0".encode() + body)
    files = {
        name: CachedContent(body, _TYPES[name[name.rindex(".") :]], max_age_seconds=_YEAR_SECONDS)
        for name, body in bodies.items()
    }
    return Assets(digest.hexdigest()[:16], files)


def _read(folder: Traversable, prefix: str) -> list[tuple[str, bytes]]:
    modules = []
    for entry in folder.iterdir():
        if entry.is_dir():
            modules += _read(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(tuple(_TYPES)):
            modules.append((prefix + entry.name, _served(entry.name, entry.read_bytes())))
    return modules


def _served(name: str, source: bytes) -> bytes:
    """Return a module or style without what only its readers need, as if it had been built; lines keep their numbers.

    Of a module, indentation goes, and comments that begin a line or give a type. Only html`` runs over lines, where
    indentation says nothing: `make lint` refuses other templates that do. Of a style, comments go, and spaces beside
    punctuation.
    """
    if name.endswith(".css"):
        return _STYLE_SPACE.sub(rb"\1", _STYLE_COMMENT.sub(b"", source))
    if not name.endswith(".js"):
        return source
    lines, in_comment = [], False
    for line in source.split(b"\n"):
        text = line.lstrip(b" ")
        ends = b"*/" in line
        if in_comment:
            text, in_comment = line.partition(b"*/")[2], not ends
        elif line.startswith(b"//") or (line.startswith(b"/**") and (not ends or line.endswith(b"*/"))):
            text, in_comment = b"", line.startswith(b"/**") and not ends
        lines.append(b"" if text.startswith(b"// ") else _TYPE.sub(b"", text))
    return b"\n".join(lines)


def modules_of(page: str) -> list[str]:
    """Return the modules of the frame and of this page, so that the browser asks for all of them at once.

    Args:
        page: as it stands in the address; an unknown one has no module of its own.
    """
    own = _pages().get(page)
    return _with_imports("app.js", f"pages/{own}.js") if own else _with_imports("app.js")


@cache
def _with_imports(*names: str) -> list[str]:
    modules: list[str] = []
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in modules:
            modules.append(name)
            waiting += imports_of(name)
    return sorted(modules)


@cache
def _pages() -> dict[str, str]:
    """Return the pages that the frame knows: their modules by address."""
    frame = assets().files["app.js"].body.decode()
    return dict(_PAGE.findall(frame.partition("const PAGES")[2].partition("});")[0]))


def imports_of(name: str) -> list[str]:
    """Return the modules that a module needs before it runs; `import(...)` is for what is loaded later."""
    text = assets().files[name].body.decode()
    folder = name.rpartition("/")[0]
    paths = []
    for quoted in _IMPORT.findall(text):
        parts = folder.split("/") if folder else []
        for part in quoted.split("/"):
            if part == "..":
                parts.pop()
            elif part != ".":
                parts.append(part)
        paths.append("/".join(parts))
    return paths


def _serve(content: CachedContent) -> PageHandler:
    return cached(lambda: content)


def routes(site: Site) -> list[Route]:
    """Return the routes of the console."""
    root = site.common["root"]
    base = f"/assets/console-{assets().digest}"
    languages = json.dumps(NAMES, ensure_ascii=False)
    extensions_off = " ".join(site.web.context.settings.extensions_off)
    installation = {"base": root + base, "languages": languages, "extensions_off": extensions_off}

    async def shell(request: Request) -> Response:
        page = request.path_params.get("page", "")
        body = render(site.web.base_url, "console", modules=modules_of(page), **installation)
        response = Response(200, body, list(_HEADERS), b"text/html; charset=utf-8")
        response.headers.remove((b"cache-control", b"no-store"))
        return response

    files = assets().files
    return [
        *site.routes(PATHS, shell, bucket="console"),
        *(
            route
            for name, content in files.items()
            for route in site.routes([f"{base}/{name}"], _serve(content), bucket=None)
        ),
    ]
