"""The console of people who are signed in: one page, its modules and styles. Everything else it asks of the API."""

import asyncio
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import NamedTuple

from signalpost.console import installable
from signalpost.console.site import CachedContent, Site, render
from signalpost.console.texts import NAMES
from signalpost.kit import problems
from signalpost.web.request import Request
from signalpost.web.response import Headers, Response
from signalpost.web.router import Route

PATHS = ["/console", "/console/{page}", "/console/{page}/{id}", "/console/{page}/{id}/{part}"]
FILE_PATHS = ["/assets/{version}/{a}", "/assets/{version}/{a}/{b}", "/assets/{version}/{a}/{b}/{c}"]
"""A module stands in a folder of a folder at most."""
_YEAR_SECONDS = 365 * 24 * 3600
_TYPES = {
    ".js": b"text/javascript; charset=utf-8",
    ".css": b"text/css; charset=utf-8",
    ".svg": b"image/svg+xml; charset=utf-8",
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:;"
    " connect-src 'self'; font-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
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


class Files(Mapping[str, CachedContent]):
    """Modules and styles by their paths. Each is compressed when it is first requested: a start needs none of them."""

    def __init__(self, bodies: Mapping[str, bytes]) -> None:
        self._bodies = bodies
        self._contents: dict[str, CachedContent] = {}

    def __getitem__(self, name: str) -> CachedContent:
        if (content := self._contents.get(name)) is None:
            body = self._bodies[name]
            content = CachedContent(body, _TYPES[name[name.rindex(".") :]], max_age_seconds=_YEAR_SECONDS)
            self._contents[name] = content
        return content

    def __iter__(self) -> Iterator[str]:
        return iter(self._bodies)

    def __len__(self) -> int:
        return len(self._bodies)


class Assets(NamedTuple):
    """The files by their path, and one digest of all: modules import each other by relative paths."""

    digest: str
    files: Files


@cache
def assets() -> Assets:
    """Return the modules and styles of the console. The first call takes a tenth of a second."""
    bodies = dict(sorted(_read(resources.files("signalpost.console") / "static" / "console", "")))
    digest = hashlib.sha256()
    for name, body in bodies.items():
        digest.update(f"{name}\0{len(body)}\0".encode() + body)
    return Assets(digest.hexdigest()[:16], Files(bodies))


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


def _folder() -> str:
    return f"console-{assets().digest}"


def _asset(folder: str, name: str) -> CachedContent:
    """Return a file by its address.

    Raises:
        NotFound: there is none, or it is of another version.
    """
    if folder != _folder() or name not in assets().files:
        raise problems.NotFound("This file is not of this version.", remediation="Load the page again.")
    return assets().files[name]


def routes(site: Site) -> list[Route]:
    """Return the routes of the console. What reads files runs in a thread: the first time it takes long."""
    root = site.common["root"]
    languages = json.dumps(NAMES, ensure_ascii=False)
    extensions_off = " ".join(site.web.context.settings.extensions_off)
    installation = {"languages": languages, "extensions_off": extensions_off, **installable.links(root)}

    def whole_page(page: str) -> bytes:
        base = f"{root}/assets/{_folder()}"
        return render(site.web.base_url, "console", modules=modules_of(page), base=base, **installation)

    async def shell(request: Request) -> Response:
        body = await asyncio.to_thread(whole_page, request.path_params.get("page", ""))
        response = Response(200, body, list(_HEADERS), b"text/html; charset=utf-8")
        response.headers.remove((b"cache-control", b"no-store"))
        return response

    async def file(request: Request) -> Response:
        folder, *names = request.path_params.values()
        return (await asyncio.to_thread(_asset, folder, "/".join(names))).reply(request)

    return [
        *site.routes(PATHS, shell, bucket="console"),
        *site.routes(FILE_PATHS, file, bucket=None),
        *installable.routes(site),
    ]
