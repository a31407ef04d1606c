"""The documentation of a running instance: guides, the API reference by group, and a search over both."""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
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
_CONTENT = resources.files("signalpost.console") / "content"
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

    def __init__(
        self,
        openapi_document: Callable[[], Document],
        root: str,
        base_url: Callable[[], str],
        project: Mapping[str, str] | None = None,
    ) -> None:
        self._openapi_document = openapi_document
        self._root = root
        self._project = {
            f"{path}.md": (posixpath.basename(path).lower(), text) for path, text in (project or {}).items()
        }
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
        """The guides by name; those of single networks, `networks/x`, last."""
        return dict(self._pages("guides"))

    @cached_property
    def tables(self) -> Mapping[str, MarkdownPage]:
        """The generated pages by name: networks, settings."""
        return dict(self._pages("reference"))

    @cached_property
    def project(self) -> Mapping[str, MarkdownPage]:
        """Pages about the project by name, which no instance serves."""
        return {name: self._page(file, text) for file, (name, text) in self._project.items()}

    def _pages(self, folder: str) -> Iterator[tuple[str, MarkdownPage]]:
        for file in self._files:
            if file.startswith(f"{folder}/"):
                text = _CONTENT.joinpath(*file.split("/")).read_text("utf-8").replace(EXAMPLE_URL, self._base_url())
                yield file.removeprefix(f"{folder}/").removesuffix(".md"), self._page(file, text)

    def _page(self, file: str, text: str) -> MarkdownPage:
        return MarkdownPage(text, partial(self._address, posixpath.dirname(file)))

    @cached_property
    def _files(self) -> Sequence[str]:
        """The Markdown files that are shown, as paths below the folder of the documentation."""
        return [
            f"{folder}/{file.name}"
            for folder in ("guides", "guides/networks", "reference")
            for file in sorted(_CONTENT.joinpath(*folder.split("/")).iterdir(), key=str)
            if file.name.endswith(".md") and not (folder == "reference" and file.name in _NOT_SHOWN)
        ]

    def _address(self, folder: str, target: str) -> str | None:
        """Return the address to which a link in a Markdown file of a folder leads; None if it has none here."""
        path, mark, anchor = target.partition("#")
        file = posixpath.normpath(posixpath.join(folder, path)).removeprefix("../docs/")
        if file.startswith("images/"):
            return f"{self._root}/docs/{file}"
        if file == "reference/errors.md":
            return f"{self._root}/problems" + (f"/{anchor}" if anchor else "")
        if file == "reference/events.md":
            return f"{self._root}/docs/events"
        if file in self._project:
            return f"{self._root}/docs/{self._project[file][0]}{mark}{anchor}"
        return f"{self._root}/docs/{file.removesuffix('.md')}{mark}{anchor}" if file in self._files else None

    @cached_property
    def addresses(self) -> Mapping[str, str]:
        """The address of every operation and event by its anchor."""
        return {
            operation.anchor: f"/docs/{slug}#{operation.anchor}"
            for slug, group in self.groups.items()
            for operation in group.operations
        }

    @cached_property
    def results(self) -> Sequence[Result]:
        """Every place that a search can find."""
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
        for kind, address, page in self._texts():
            yield Result(page.title, kind, address, page.summary, page.introduction.lower())
            for heading in page.headings:
                words = f"{page.title} {heading.title} {heading.text}".lower()
                yield Result(heading.title, page.title, f"{address}#{heading.anchor}", "", words)

    def _texts(self) -> Iterator[tuple[str, str, MarkdownPage]]:
        yield from (("Guide", f"/docs/guides/{name}", page) for name, page in self.guides.items())
        yield from (("Reference", f"/docs/reference/{name}", page) for name, page in self.tables.items())
        yield from (("Project", f"/docs/{name}", page) for name, page in self.project.items())

    def _errors(self) -> Iterator[Result]:
        for code, kind in Problem.registry.items():
            words = f"{code} {kind.title} {kind.remediation}".lower()
            yield Result(code, f"Error {kind.status}", f"/problems/{code}", kind.title, words)

    def search(self, query: str) -> list[Result]:
        """Return the places that contain all words of a query, the best first."""
        terms = query[:QUERY_CHARACTERS_MAX].lower().split()
        scored = [(result.score(terms), result) for result in self.results] if terms else []
        matches = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])
        return [result for _, result in matches[:RESULTS_MAX]]

    def llms_text(self, base_url: str) -> str:
        """Return the table of contents that language models read, as llmstxt.org describes it."""
        introduction = " ".join(self.reference.text.partition("\n\n")[0].split())
        return "\n".join(["# Signalpost", "", f"> {introduction}", "", *self.contents(base_url)]) + "\n"

    def contents(self, base_url: str) -> Iterator[str]:
        """Yield the lines of a table of contents that leads to the Markdown of each page."""
        yield from ("## Guides", "")
        yield from (_entry(page, f"{base_url}/docs/guides/{name}.md") for name, page in self.guides.items())
        yield from ("", "## API reference", "")
        yield f"- [OpenAPI 3.1]({base_url}/openapi.json): every operation, schema and event"
        yield from (f"- [{group.name}]({base_url}/docs/{slug}.md): {group.text}" for slug, group in self.groups.items())
        yield f"- [Errors]({base_url}/problems.md): what each error code means and how to fix it"
        yield from ("", "## More", "")
        yield from (_entry(page, f"{base_url}/docs/reference/{name}.md") for name, page in self.tables.items())
        yield from (_entry(page, f"{base_url}/docs/{name}.md") for name, page in self.project.items())


def _entry(page: MarkdownPage, address: str) -> str:
    return f"- [{page.title}]({address}): {page.summary}"
