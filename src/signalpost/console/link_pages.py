"""The link page of a profile: public, small, of one document. No script, no cookie, no other host."""

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Final, NamedTuple

from signalpost import networks
from signalpost.console.site import SECURITY_HEADERS, Site
from signalpost.console.texts import Texts, spoken
from signalpost.kit import cells, problems
from signalpost.kit.http import parse_url
from signalpost.link_pages import views
from signalpost.link_pages.actions import visit
from signalpost.link_pages.actions.visit import VisiblePage
from signalpost.web.request import Request
from signalpost.web.response import Headers, Response
from signalpost.web.router import Route

_DEFAULT_COLOR: Final = "#0f6e56"
_BLACK, _WHITE = "#000000", "#ffffff"
_SYMBOL: Final = re.compile(r'<symbol id="(\w+)" viewBox="0 0 24 24">(.*?)</symbol>', re.DOTALL)
_RULES: Final = """\
:root{color-scheme:light dark;--paper:#ffffff;--ink:#16191c;--soft:#464d55;--line:#e3e6e8;--field:#7d858c;\
--plate:#ffffff;--text-s:.8125rem;--text-m:.9375rem;--text-l:1.125rem;--text-xl:1.5rem;--text-brand:1.1875rem;--bold:700;\
--s1:.25rem;--s2:.5rem;--s3:.75rem;--s4:1rem;--s6:1.5rem;--s8:2rem;--s10:2.5rem;--s12:3rem;\
--radius:8px;--radius-large:12px;--sans:system-ui, -apple-system, "Segoe UI", Roboto, sans-serif}
@media(prefers-color-scheme:dark){:root{--paper:#141618;--ink:#e9ebec;--soft:#b4bbc0;--line:#2a2e31;--field:#757d83}}
@media(prefers-contrast:more){:root{--soft:var(--ink);--line:var(--field)}}
*{box-sizing:border-box}
body{margin:0;border-top:6px solid var(--accent);background:var(--paper);color:var(--ink);\
font:var(--text-m)/1.5 var(--sans);overflow-wrap:anywhere}
main{width:min(36rem,100% - 2rem);margin:var(--s10) auto var(--s12)}
header{text-align:center}
h1,h2{font-weight:600;line-height:1.25;text-wrap:balance}
h1{font-size:var(--text-xl);margin:var(--s3) 0 var(--s1)}
h2{font-size:var(--text-l);margin:var(--s8) 0 var(--s3);text-align:center}
p{margin:0;color:var(--soft);white-space:pre-line}
ul{list-style:none;margin:var(--s6) 0 0;padding:0;display:grid;gap:var(--s3)}
a{color:inherit;text-decoration:none}
:focus-visible{outline:3px solid var(--ink);outline-offset:3px}
.logo{width:96px;height:96px;border-radius:50%;object-fit:cover;background:var(--plate)}
.icons{display:flex;flex-wrap:wrap;justify-content:center;gap:var(--s2);margin:var(--s4) 0 0}
.icons a{display:grid;place-items:center;width:44px;height:44px;border-radius:50%}
.icons svg{width:26px;height:26px}
.links a,.posts a{display:flex;align-items:center;gap:var(--s3);min-height:56px;padding:var(--s2) var(--s4);\
border-radius:var(--radius-large);border:1px solid var(--line)}
.links a{background:var(--accent);color:var(--on);font-size:var(--text-brand);font-weight:var(--bold);\
justify-content:center;text-align:center}
.links a:hover,.posts a:hover{text-decoration:underline}
.icons a:hover{outline:1px solid var(--field)}
.links img,.posts img{width:48px;height:48px;flex:none;border-radius:var(--radius);object-fit:cover}
.links .pictured{justify-content:flex-start;text-align:start}
.posts small{display:block;font-size:var(--text-s);color:var(--soft)}
.no{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
"""


class Icon(NamedTuple):
    """An account as a link."""

    url: str
    name: str
    drawing: str
    """Trusted: of a file of ours, or empty; then its initial is shown."""


class LinkPages:
    """The page at an address, and the way through each of its links."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.context = site.web.context

    def routes(self) -> list[Route]:
        """Return the routes of these pages."""
        return [
            *self.site.routes([views.PATH], self.show, bucket="links"),
            *self.site.routes([views.CLICK_PATH], self.follow, bucket="links"),
        ]

    async def show(self, request: Request) -> Response:
        """Show the page; a former address leads to the present one."""
        slug = cells.without_name(request.path_params["slug"])
        try:
            visible = await visit.open_page(self.context, slug, _agent(request))
        except problems.NotFound as problem:
            return self._absent(request, problem)
        page = visible.page
        if page.slug != slug:
            return _redirect(self.site.common["root"] + views.page_path(self.context, page.slug))
        style = style_of(page.color)
        return self.site.page(
            "link_page",
            headers=[*_headers(style), *([] if page.is_indexed else [(b"x-robots-tag", b"noindex")])],
            t=Texts(page.language),
            style=style,
            page=page,
            url=views.page_url(self.context, page.slug),
            path=self.site.common["root"] + views.page_path(self.context, page.slug),
            visible=visible,
            icons=_icons(visible),
            name_of=networks.name_of,
        )

    async def follow(self, request: Request) -> Response:
        """Lead to where a link of the page points, and nowhere else."""
        slug, link_id = cells.without_name(request.path_params["slug"]), request.path_params["link"]
        try:
            return _redirect(await visit.follow(self.context, slug, link_id, _agent(request)))
        except problems.NotFound as problem:
            return self._absent(request, problem)

    def _absent(self, request: Request, problem: problems.Problem) -> Response:
        words = spoken(request)
        t = words["t"]
        texts = {"title": t("This page does not exist"), "text": t("Check that its address was copied completely.")}
        return self.site.page("review_over", status=problem.status, **texts, **words)


def style_of(color: str | None) -> str:
    """Return the style of a page in a colour of the form `#1f6feb`, with the text on it that is read best."""
    accent = color or _DEFAULT_COLOR
    return f":root{{--accent:{accent};--on:{text_on(accent)}}}\n{_RULES}"


def text_on(color: str) -> str:
    """Return black or white, whichever has more contrast on a colour: at least 4.58 to 1.

    That is AAA of WCAG 2.2 for what is large and bold, as the links are.
    """
    luminance = _luminance(color)
    return _BLACK if (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) else _WHITE


def _luminance(color: str) -> float:
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _headers(style: str) -> Headers:
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src 'self'; form-action 'none'; base-uri 'none';"
        " frame-ancestors 'none'"
    )
    return [(b"content-security-policy", policy.encode())]


def _redirect(address: str) -> Response:
    common = [header for header in SECURITY_HEADERS if header[0] != b"referrer-policy"]
    # A header is ASCII: what is not is written as browsers would send it. All else leads on exactly as it was stored.
    ascii_address = address if address.isascii() else str(parse_url(address).url)
    location = (b"location", ascii_address.encode())
    return Response(302, b"", [*common, location, (b"referrer-policy", b"no-referrer")])


def _icons(visible: VisiblePage) -> list[Icon]:
    drawings = _drawings()
    return [
        Icon(
            account.url, f"{networks.name_of(account.platform)}: {account.username}", drawings.get(account.platform, "")
        )
        for account in visible.accounts
    ]


@cache
def _drawings() -> Mapping[str, str]:
    """Return the glyph of each network, from the sheet of the console."""
    sheet = resources.files("signalpost.console") / "static" / "console" / "networks.svg"
    return dict(_SYMBOL.findall(sheet.read_text("utf-8")))


def _agent(request: Request) -> str:
    return request.headers.get("user-agent", "")
