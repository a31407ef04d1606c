"""The documentation as a folder for any static host: the pages of the service, without a service behind them."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from posixpath import dirname, normpath, relpath
from posixpath import join as join_path
from typing import Any

from msgspec import Struct

from signalpost.console.docs import EXAMPLE_URL, Documentation
from signalpost.console.markdown import anchor_of
from signalpost.console.markdown_reference import group_as_markdown, problem_as_markdown, problems_as_markdown
from signalpost.console.pages import all_problems, validation_example
from signalpost.console.site import assets, operations_by_code, render
from signalpost.kit.problems import Problem
from signalpost.web.components import Document

SEARCH = "search.html"
VERSIONS_PAGE, VERSIONS_SCRIPT = "../versions.html", "../versions.js"
"""Beside the folders of the versions; written once all of these are there."""
_IN_HTML = re.compile(r'\b(href|src|action)="(/[^"]*)"')
_IN_MARKDOWN = re.compile(r"\]\((/[^()\s]*)\)")


class DeadLinks(Exception):
    """Links of pages that lead nowhere, each as `file: link`."""


class Page(Struct, frozen=True):
    """A page before its links are relative: where it is in the service and in the folder, and both of its forms."""

    address: str  # of the service
    file: str  # without its ending
    template: str
    values: Mapping[str, Any]
    markdown: str | None = None


class DocsSite:
    """All pages of one version.

    Args:
        document: the OpenAPI document, made for `EXAMPLE_URL`.
        version: as readers know it; the name of the folder.
        project: Markdown of pages about the project, which no instance serves, by path below `docs` without `.md`.
    """

    def __init__(self, document: Document, version: str, project: Mapping[str, str]) -> None:
        self._document = document
        self._version = version
        self._docs = Documentation(lambda: document, "", lambda: EXAMPLE_URL, project)
        self._pages = list(self._all())
        self._assets = {**assets(), **_own_script()}
        self._images = {
            f"/docs/images/{file.name}": file.read_bytes()
            for file in (resources.files("signalpost.console") / "content" / "images").iterdir()
        }
        self._files = {"/": "index.html", **{page.address: f"{page.file}.html" for page in self._pages}}
        self._files |= {f"{page.address}.md": f"{page.file}.md" for page in self._pages if page.markdown is not None}
        self._files |= {address: address.removeprefix("/docs").lstrip("/") for address in self._images}
        self._files |= {address: address.lstrip("/") for address in self._assets}
        self._files |= {f"/{name}": name for name in ("openapi.json", "llms.txt", "llms-full.txt")}
        self._dead: list[str] = []

    def write(self, folder: Path) -> list[str]:
        """Write all files, and return the paths of the pages below the folder.

        Raises:
            DeadLinks: a link or an anchor leads nowhere. Nothing was written.
        """
        contents = self._contents()
        self._dead += sorted(dead_links(contents, {VERSIONS_PAGE}))
        if self._dead:
            raise DeadLinks("\n".join(self._dead))
        for file, content in contents.items():
            path = folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return sorted(file for file in contents if file.endswith(".html"))

    def _contents(self) -> dict[str, bytes]:
        contents = {f"{page.file}.html": self._html(page) for page in self._pages}
        texts_as_markdown = {f"{page.file}.md": page.markdown for page in self._pages if page.markdown is not None}
        contents |= {file: self._markdown(text, file).encode() for file, text in texts_as_markdown.items()}
        full = "\n\n".join(self._markdown(text, "llms-full.txt") for text in texts_as_markdown.values())
        contents["llms.txt"] = self._markdown(self._docs.llms_text(""), "llms.txt").encode()
        contents["llms-full.txt"] = full.encode()
        contents["openapi.json"] = json.dumps(self._document, ensure_ascii=False).encode()
        contents["assets/search-index.js"] = self._index().encode()
        for address, content in {**self._images, **self._assets}.items():
            contents[self._files[address]] = content
        return contents

    def _all(self) -> Iterator[Page]:
        docs = self._docs
        titles = {code: kind.title for code, kind in Problem.registry.items()}
        introduction = [f"# {docs.reference.title}", "", docs.reference.text, *docs.contents("")]
        yield Page("/docs", "index", "docs/overview", {"here": ""}, "\n".join(introduction) + "\n")
        yield Page("/docs/search", "search", "docs/search", {"here": "search", "results": ()})
        texts = {f"guides/{name}": page for name, page in docs.guides.items()}
        texts |= {f"reference/{name}": page for name, page in docs.tables.items()} | dict(docs.project)
        for name, text in texts.items():
            yield Page(f"/docs/{name}", name, "docs/text", {"here": name, "text": text}, text.markdown)
        for slug, group in docs.groups.items():
            values = {"here": slug, "group": group, "titles": titles}
            markdown = group_as_markdown(group, docs.reference.common_errors, "")
            yield Page(f"/docs/{slug}", f"api/{slug}", "docs/group", values, markdown)
        yield from self._problems()

    def _problems(self) -> Iterator[Page]:
        kinds = all_problems()
        values = {"here": "problems", "kinds": kinds}
        yield Page("/problems", "problems/index", "problems", values, problems_as_markdown(kinds, ""))
        places = operations_by_code(self._document)
        for kind in kinds:
            operations = [
                (method, path, self._docs.addresses[anchor]) for method, path, anchor in places.get(kind.code, ())
            ]
            example = validation_example(EXAMPLE_URL) if kind.code == "validation_failed" else None
            of_kind: dict[str, Any] = {"kind": kind, "operations": operations, "example": example}
            markdown = problem_as_markdown(kind, operations, "")
            file = f"problems/{kind.code}"
            yield Page(f"/{file}", file, "problem", {"here": "problems", **of_kind}, markdown)

    def _html(self, page: Page) -> bytes:
        file = f"{page.file}.html"
        standalone = {
            "file": file,
            "root": "../" * file.count("/"),
            "version": self._version,
            "script": next(iter(_own_script())),
        }
        text = render("", page.template, docs=self._docs, query="", standalone=standalone, **page.values).decode()
        return _IN_HTML.sub(lambda link: f'{link[1]}="{self._relative(link[2], file)}"', text).encode()

    def _markdown(self, text: str, file: str) -> str:
        return _IN_MARKDOWN.sub(lambda link: f"]({self._relative(link[1], file)})", text)

    def _relative(self, address: str, file: str) -> str:
        """Return the way from a file to the file that an address of the service is here."""
        path, mark, anchor = address.partition("#")
        if path not in self._files:
            self._dead.append(f"{file}: {address}")
            return address
        return relpath(self._files[path], dirname(file) or ".") + mark + anchor

    def _index(self) -> str:
        """Return the script that brings everything that a search can find."""
        entries = []
        for result in self._docs.results:
            path, mark, anchor = result.address.partition("#")
            words = " ".join(sorted(set(result.words.split())))  # a search asks only whether a word is there
            address = self._files[path] + mark + anchor
            summary = re.sub("[`*]", "", result.summary)
            entry = {"title": result.title, "kind": result.kind, "address": address}
            entries.append(entry | {"summary": summary, "words": words})
        return f"globalThis.docsIndex = {json.dumps(entries, ensure_ascii=False, separators=(',', ':'))};\n"


def _own_script() -> dict[str, bytes]:
    body = (resources.files("signalpost.console") / "static" / "docs-site.js").read_bytes()
    return {f"/assets/docs-site-{hashlib.sha256(body).hexdigest()[:16]}.js": body}


class _Places(HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, _: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note where an element leads, and its name."""
        for name, value in attrs:
            if name == "id":
                self.anchors.add(value or "")
            elif name in ("href", "src", "action"):
                self.links.add(value or "")


def _places(file: str, content: bytes) -> tuple[set[str], set[str]]:
    """Return the links of a page and the anchors in it."""
    text = content.decode()
    if file.endswith(".html"):
        places = _Places(text)
        return places.links, places.anchors
    outside = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    anchors = {anchor_of(title) for title in re.findall(r"^#+ (.+)$", outside, re.MULTILINE)}
    anchors |= set(re.findall(r'<a id="([^"]+)"', outside))
    return set(re.findall(r"\]\(([^()\s]+)\)", outside)), anchors


def dead_links(contents: Mapping[str, bytes], outside: set[str]) -> Iterator[str]:
    """Yield `file: link` for each link of a page that leads to no file or to no place in one.

    `outside`: files above the folder that exist.
    """
    places = {file: _places(file, content) for file, content in contents.items() if file.endswith((".html", ".md"))}
    for file, (links, _) in places.items():
        for link in links:
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = normpath(join_path(dirname(file), path)) if path else file
            exists = target in contents or target in outside
            if not exists or (anchor and anchor not in places.get(target, (set(), {anchor}))[1]):
                yield f"{file}: {link}"
