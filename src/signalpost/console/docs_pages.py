"""The pages of the documentation. They can be read without their script, which adds copying, trying and live search."""

import asyncio
from collections.abc import Mapping
from functools import cache, partial
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from signalpost.console.markdown import MarkdownPage
from signalpost.console.markdown_reference import group_as_markdown
from signalpost.console.site import HTML, SCRIPT_HEADERS, CachedContent, PageHandler, Site, cached
from signalpost.kit import problems
from signalpost.kit.problems import Problem
from signalpost.web.request import Request, query_values
from signalpost.web.response import Response
from signalpost.web.router import Route

_TEXT = b"text/plain; charset=utf-8"
MARKDOWN = b"text/markdown; charset=utf-8"
_ROBOTS = "User-agent: *\nDisallow: {root}/api/\nDisallow: {root}/console\n"
"""Search engines read what is for the public. What people have a link to says itself that it is not to be listed."""
FOLDERS = ("guides", "reference")


def routes(site: Site) -> list[Route]:
    """Return the routes of the documentation."""
    pages = _Pages(site)
    root: str = site.common["root"]
    script = site.common["script"].removeprefix(root)
    robots = CachedContent(_ROBOTS.format(root=root).encode(), _TEXT)
    return [
        *site.routes(["/docs"], cached(lambda: site.addressed(pages.overview()))),
        *site.routes(["/docs/search"], pages.search, bucket="search"),
        *site.routes(["/docs/{slug}"], pages.group),
        *site.routes([f"/docs/{folder}" for folder in FOLDERS], pages.overview_of_folder),
        *(route for folder in FOLDERS for route in site.routes([f"/docs/{folder}/{{name}}"], pages.texts(folder))),
        *site.routes(["/docs/guides/networks"], pages.texts("guides", "networks")),  # a literal wins over {name}
        *site.routes(["/docs/guides/networks/{name}"], pages.texts("guides/networks")),
        *(
            route
            for file in sorted((resources.files("signalpost.console") / "content" / "images").iterdir(), key=str)
            for route in site.routes([f"/docs/images/{file.name}"], cached(partial(_picture, file)), bucket=None)
        ),
        *site.routes(["/robots.txt"], cached(lambda: robots), bucket=None),
        *site.routes(["/llms.txt"], cached(lambda: site.addressed(pages.llms()))),
        *site.routes([script], cached(lambda: site.script), bucket=None),
    ]


def _picture(file: Traversable) -> CachedContent:
    return CachedContent(file.read_bytes(), b"image/webp")


class _Pages:
    """Renders each page once."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._docs = site.documentation
        self.overview = cache(lambda: self._page("overview"))
        self._group = cache(self._group_page)
        self._text = cache(self._text_page)
        self.llms = cache(lambda: CachedContent(self._docs.llms_text(site.web.context.fixed_url).encode(), _TEXT))

    def _page(self, template: str, here: str = "", **values: Any) -> CachedContent:
        body = self._site.text(f"docs/{template}", docs=self._docs, here=here, query="", **values)
        return CachedContent(body, HTML, headers=SCRIPT_HEADERS)

    def _group_page(self, slug: str) -> CachedContent:
        if (group := self._docs.groups.get(slug.removesuffix(".md"))) is None:
            raise problems.NotFound("The documentation has no such page.")
        if slug.endswith(".md"):
            text = group_as_markdown(group, self._docs.reference.common_errors, self._site.common["root"])
            return CachedContent(text.encode(), MARKDOWN)
        titles = {code: kind.title for code, kind in Problem.registry.items()}
        return self._page("group", slug, group=group, titles=titles)

    def _text_page(self, folder: str, name: str) -> CachedContent:
        texts: Mapping[str, MarkdownPage] = self._docs.tables if folder == "reference" else self._docs.guides
        below = f"{folder}/{name}".removeprefix("guides/").removeprefix("reference/").removesuffix(".md")
        if (text := texts.get(below)) is None:
            raise problems.NotFound("The documentation has no such page.")
        if name.endswith(".md"):
            return CachedContent(text.markdown.encode(), MARKDOWN)
        return self._page("text", f"{folder}/{name}", text=text)

    async def group(self, request: Request) -> Response:
        """Answer with the operations of one group."""
        content = await asyncio.to_thread(self._group, request.path_params["slug"])
        return self._site.addressed(content).reply(request)

    async def overview_of_folder(self, _: Request) -> Response:
        """Lead to the overview, which lists guides and tables: people shorten addresses by hand."""
        return Response(302, b"", [(b"location", f"{self._site.common['root']}/docs".encode())])

    def texts(self, folder: str, only: str | None = None) -> PageHandler:
        """Return what answers with a guide or a table: as a page or, to names that end in `.md`, as Markdown.

        `only`: the name, where it is not in the address.
        """

        async def respond(request: Request) -> Response:
            content = await asyncio.to_thread(self._text, folder, only or request.path_params["name"])
            return self._site.addressed(content).reply(request)

        return respond

    async def search(self, request: Request) -> Response:
        """Answer with the places that contain all words of `q`."""
        query = query_values(request).get("q", "").strip()
        results = await asyncio.to_thread(self._docs.search, query)
        body = self._site.text("docs/search", docs=self._docs, here="search", query=query, results=results)
        return Response(200, body, list(SCRIPT_HEADERS), HTML)
