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
ABOUT = "bundle.json"
"""Beside the files of a bundle: the digest of the sources it was made of."""
_BROTLI = ".br"
_TYPES = {
    ".js": b"text/javascript; charset=utf-8",
    ".css": b"text/css; charset=utf-8",
    ".svg": b"image/svg+xml; charset=utf-8",
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:;"
    " connect-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types worker"
)
_HEADERS: Headers = [
    (b"content-security-policy", _POLICY.encode()),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-cache"),
]
_PAGE = re.compile(r'^ *"?([\w-]*)"?: "([\w-]+)",$', re.MULTILINE)
_IMPORT = re.compile(r"""\b(?:from|import)\s?["'](\.[^"']+)["']""")


class Files(Mapping[str, CachedContent]):
    """Modules and styles by their paths. Each is compressed when it is first requested: a start needs none of them.

    What a bundle has compressed, better than can be done meanwhile, is beside it.
    """

    def __init__(self, bodies: Mapping[str, bytes], compressed: Mapping[str, bytes]) -> None:
        self._bodies = bodies
        self._compressed = compressed
        self._contents: dict[str, CachedContent] = {}

    def __getitem__(self, name: str) -> CachedContent:
        if (content := self._contents.get(name)) is None:
            body = self._bodies[name]
            content = CachedContent(
                body,
                _TYPES[name[name.rindex(".") :]],
                max_age_seconds=_YEAR_SECONDS,
                brotli=self._compressed.get(name + _BROTLI),
            )
            self._contents[name] = content
        return content

    def __iter__(self) -> Iterator[str]:
        return iter(self._bodies)

    def __len__(self) -> int:
        return len(self._bodies)


class Assets(NamedTuple):
    """What browsers load: the files by their path, one digest of all, and the modules of pages by their address.

    Modules import each other by relative paths, so all of a version stand below one address with that digest.
    """

    digest: str
    files: Files
    pages: Mapping[str, str]


@cache
def assets() -> Assets:
    """Return the files of the console. The first call takes a tenth of a second.

    They are those of the bundle that `scripts/bundle-console` has made, which a release has and a checkout may have.
    Without one, or if a source was changed since, they are the sources as they are: a module that is edited is served
    at the next start.
    """
    static = resources.files("signalpost.console") / "static"
    files = read(static / "console")
    pages = pages_of(files["app.js"].decode())
    if not is_bundled(static, files):
        return Assets(digest_of(files), Files(files, {}), pages)
    bundle = static / "bundle"
    files = {name: body for name, body in files.items() if name.endswith(".svg")} | read(bundle)
    return Assets(digest_of(files), Files(files, read(bundle, of=(_BROTLI,))), pages)


def is_bundled(static: Traversable, sources: Mapping[str, bytes]) -> bool:
    """Whether there is a bundle, and of these sources."""
    about = static / "bundle" / ABOUT
    if not about.is_file():
        return False
    return bool(json.loads(about.read_text(encoding="utf-8"))["sources"] == digest_of(sources))


def digest_of(bodies: Mapping[str, bytes]) -> str:
    """Return 16 hexadecimal digits that are others when a file is."""
    digest = hashlib.sha256()
    for name, body in bodies.items():
        digest.update(f"{name}\0{len(body)}\0".encode() + body)
    return digest.hexdigest()[:16]


def read(folder: Traversable, of: tuple[str, ...] = tuple(_TYPES)) -> dict[str, bytes]:
    """Return the files below a folder whose names end so, by their paths in it: modules, styles and pictures."""
    return dict(sorted(_files_in(folder, "", of)))


def pages_of(frame: str) -> dict[str, str]:
    """Return the pages that the source of the frame names: their modules by address."""
    return dict(_PAGE.findall(frame.partition("const PAGES")[2].partition("});")[0]))


def _files_in(folder: Traversable, prefix: str, of: tuple[str, ...]) -> list[tuple[str, bytes]]:
    files = []
    for entry in folder.iterdir():
        if entry.is_dir():
            files += _files_in(entry, f"{prefix}{entry.name}/", of)
        elif entry.name.endswith(of):
            files.append((prefix + entry.name, entry.read_bytes()))
    return files


def modules_of(page: str) -> list[str]:
    """Return the modules of the frame and of this page, so that the browser asks for all of them at once.

    Args:
        page: as it stands in the address; an unknown one has no module of its own.
    """
    own = assets().pages.get(page)
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
