"""The console as an app on a phone or a desktop: its manifest and icons, what other apps share with it, and the
service worker that keeps it for when there is no network.

Members of the manifest are those of the Web Application Manifest (https://www.w3.org/TR/appmanifest/), `share_target`
is that of the Web Share Target API (https://w3c.github.io/web-share-target/).
"""

from functools import cache, partial
from importlib import resources
from typing import Any, Final

import msgspec

from signalpost.console.site import CachedContent, Site, cached, png_icon, png_path
from signalpost.console.texts import Texts, language_of
from signalpost.web.request import Request
from signalpost.web.response import Headers, Response
from signalpost.web.router import Route

MANIFEST: Final = "/console.webmanifest"
WORKER: Final = "/console-worker.js"
"""Beside the console, not below it: a worker controls what begins with its folder, and `/console` has no slash."""
SHARE: Final = "/console-share"
"""Where other apps share. The worker answers it: files stay in the browser until the person adds them to a post."""
_SHARED: Final = ["image/*", "video/*"]
_ICONS: Final = {"192": "any", "512": "any", "maskable-512": "maskable", "apple-180": ""}
"""Files of `static/icons`, `NAME-PIXELS`, by the purpose that the manifest names; Apple's is in the page itself."""
_WORKER_HEADERS: Headers = [
    (b"content-security-policy", b"default-src 'none'; connect-src 'self'"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
_HEADERS: Headers = [(b"cache-control", b"no-cache"), (b"vary", b"accept-language")]


@cache
def _worker() -> CachedContent:
    body = (resources.files("signalpost.console") / "static" / "worker.js").read_bytes()
    body = body.replace(b"/assets/icon-192.png", png_path("192").encode())  # whose name changes with it
    return CachedContent(body, b"text/javascript; charset=utf-8", headers=_WORKER_HEADERS)


def links(root: str) -> dict[str, str]:
    """Return what the page of the console names, by their names in its template."""
    return {"manifest": root + MANIFEST, "worker": root + WORKER, "apple_icon": root + png_path("apple-180")}


def _manifest(root: str, icon: str, language: str) -> dict[str, Any]:
    t = Texts(language)
    console = f"{root}/console"
    shortcuts = ((t("Write a post"), "compose"), (t("Calendar"), "calendar"), (t("Inbox"), "inbox"))
    icons = [{"src": icon, "sizes": "any", "type": "image/svg+xml"}]
    for name, purpose in _ICONS.items():
        pixels = name.rpartition("-")[2]
        if purpose:
            size = {"sizes": f"{pixels}x{pixels}", "type": "image/png", "purpose": purpose}
            icons.append({"src": root + png_path(name), **size})
    return {
        "id": console,
        "name": "Signalpost",
        "lang": language,
        "start_url": console,
        "scope": f"{root}/",  # signing in and connecting accounts have pages of their own
        "display": "standalone",
        "background_color": "#ffffff",
        "theme_color": "#0f6e56",
        "icons": icons,
        "shortcuts": [{"name": name, "url": f"{console}/{page}"} for name, page in shortcuts],
        "share_target": {
            "action": root + SHARE,
            "method": "POST",
            "enctype": "multipart/form-data",
            "params": {"title": "title", "text": "text", "url": "url", "files": [{"name": "files", "accept": _SHARED}]},
        },
    }


def routes(site: Site) -> list[Route]:
    """Return the routes of the manifest, its icons and the service worker."""
    root, icon = site.common["root"], site.common["icon"]

    async def manifest(request: Request) -> Response:
        body = msgspec.json.encode(_manifest(root, icon, language_of(request)))
        response = Response(200, body, list(_HEADERS), b"application/manifest+json")
        response.headers.remove((b"cache-control", b"no-store"))
        return response

    async def share(_: Request) -> Response:
        # Only where the browser has lost the worker. Nothing is read: who shares may be anyone.
        return Response(303, b"", [(b"location", f"{root}/console/compose".encode())])

    return [
        *site.routes([MANIFEST], manifest),
        *site.routes([WORKER], cached(_worker), bucket=None),
        *site.routes([SHARE], share, method="POST"),
        *(
            route
            for name in _ICONS
            for route in site.routes([png_path(name)], cached(partial(png_icon, name)), bucket=None)
        ),
    ]
