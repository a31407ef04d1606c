"""The documentation of a running instance: guides, the API reference by group, and a search over both."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import resources

from msgspec import Struct

from signalpost.console.markdown import MarkdownPage
from signalpost.console.reference import Group, Reference
from signalpost.kit.problems import Problem
from signalpost.web.components import Document

EXAMPLE_URL = "http://127.0.0.1:8000"
"""The address of the instance in the guides, as files. A reader gets the one of this instance in its place."""
RESULTS_MAX = 20
QUERY_CHARACTERS_MAX = 100
_NOT_SHOWN = ("endpoints.md", "errors.md", "events.md", "rooms.md")  # in another form, or not for users
_GROUPS_FIRST = ("Posts",)


class Result(Struct, frozen=True):
    """A place in the documentation that a search can find."""

    title: str
    kind: str
    address: str  # below the root of the site
    summary: str
    words: str  # everything to look in, in lower case

    def score(self, terms: Sequence[str]) -> int:
        """Return how well it fits; 0 if a word is missing."""
        title = self.title.lower()
        points = 0
        for term in terms:
            if term in title:
                points += 30 if re.search(rf"\b{re.escape(term)}", title) else 20
            elif term in self.words:
                points += 5 if re.search(rf"\b{re.escape(term)}", self.words) else 1
            else:
                return 0
        return points


class Documentation:
    """All pages. Made once per process, when the first of them is requested."""

    def __init__(self, openapi_document: Callable[[], Document], root: str, base_url: Callable[[], str]) -> None:
        self._openapi_document = openapi_document
        self._root = root
        self._base_url = base_url  # called late: the port is known only when the service listens

    @cached_property
    def reference(self) -> Reference:
        """The API reference."""
        return Reference(self._openapi_document())

    @cached_property
    def groups(self) -> Mapping[str, Group]:
        """The groups of the reference by their slug, the most used ones first."""
        ordered = sorted(self.reference.groups, key=lambda group: group.name not in _GROUPS_FIRST)
        return {group.slug: group for group in ordered}

    @cached_property
    def guides(self) -> Mapping[str, MarkdownPage]:
        """The guides by name."""
        return dict(self._pages("guides"))

    @cached_property
    def tables(self) -> Mapping[str, MarkdownPage]:
        """The generated pages by name: networks, settings."""
        return dict(self._pages("reference"))

    def _pages(self, folder: str) -> Iterator[tuple[str, MarkdownPage]]:
        for file in sorted((resources.files("signalpost.console") / "content" / folder).iterdir(), key=str):
            if file.name.endswith(".md") and not (folder == "reference" and file.name in _NOT_SHOWN):
                text = file.read_text("utf-8").replace(EXAMPLE_URL, self._base_url())
                yield file.name.removesuffix(".md"), MarkdownPage(text, self._address_of(folder))

    def _address_of(self, folder: str) -> Callable[[str], str | None]:
        """Return what turns the links of the Markdown files of a folder into addresses of this site."""

        def address(target: str) -> str | None:
            path, mark, anchor = target.partition("#")
            *above, name = path.split("/")
            place = above[-1] if above and above[-1] not in ("..", ".") else folder
            if above == ["..", "images"]:
                return f"{self._root}/docs/images/{name}"
            if above[:2] == ["..", ".."] or not name.endswith(".md"):
                return None
            if (place, name) == ("reference", "errors.md"):
                return f"{self._root}/problems" + (f"/{anchor}" if anchor else "")
            if (place, name) == ("reference", "events.md"):
                return f"{self._root}/docs/events"
            if place not in ("guides", "reference") or name in _NOT_SHOWN:
                return None
            return f"{self._root}/docs/{place}/{name.removesuffix('.md')}{mark}{anchor}"

        return address

    @cached_property
    def addresses(self) -> Mapping[str, str]:
        """The address of every operation and event by its anchor."""
        return {
            operation.anchor: f"/docs/{slug}#{operation.anchor}"
            for slug, group in self.groups.items()
            for operation in group.operations
        }

    @cached_property
    def _results(self) -> Sequence[Result]:
        return [*self._operations(), *self._sections(), *self._errors()]

    def _operations(self) -> Iterator[Result]:
        for slug, group in self.groups.items():
            for operation in group.operations:
                names = " ".join(field.name for field in [*operation.parameters, *operation.fields])
                address = f"{operation.method} {operation.path}"
                text = f"{address} {operation.summary} {operation.text} {names}"
                yield Result(
                    operation.label, address, f"/docs/{slug}#{operation.anchor}", operation.summary, text.lower()
                )

    def _sections(self) -> Iterator[Result]:
        for folder, kind, pages in (("guides", "Guide", self.guides), ("reference", "Reference", self.tables)):
            for name, page in pages.items():
                address = f"/docs/{folder}/{name}"
                yield Result(page.title, kind, address, page.summary, page.introduction.lower())
                for heading in page.headings:
                    words = f"{page.title} {heading.title} {heading.text}".lower()
                    yield Result(heading.title, page.title, f"{address}#{heading.anchor}", "", words)

    def _errors(self) -> Iterator[Result]:
        for code, kind in Problem.registry.items():
            words = f"{code} {kind.title} {kind.remediation}".lower()
            yield Result(code, f"Error {kind.status}", f"/problems/{code}", kind.title, words)

    def search(self, query: str) -> list[Result]:
        """Return the places that contain all words of a query, the best first."""
        terms = query[:QUERY_CHARACTERS_MAX].lower().split()
        scored = [(result.score(terms), result) for result in self._results] if terms else []
        matches = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])
        return [result for _, result in matches[:RESULTS_MAX]]

    def llms_text(self, base_url: str) -> str:
        """Return the table of contents that language models read, as llmstxt.org describes it."""
        lines = [
            "# Signalpost",
            "",
            f"> {' '.join(self.reference.text.partition(chr(10) * 2)[0].split())}",
            "",
            "## Guides",
            "",
        ]
        lines += [
            f"- [{page.title}]({base_url}/docs/guides/{name}.md): {page.summary}" for name, page in self.guides.items()
        ]
        lines += [
            "",
            "## API reference",
            "",
            f"- [OpenAPI 3.1]({base_url}/openapi.json): every operation, schema and event",
        ]
        lines += [f"- [{group.name}]({base_url}/docs/{slug}): {group.text}" for slug, group in self.groups.items()]
        lines += ["", "## More", ""]
        lines += [
            f"- [{page.title}]({base_url}/docs/reference/{name}.md): {page.summary}"
            for name, page in self.tables.items()
        ]
        return "\n".join(lines) + "\n"
