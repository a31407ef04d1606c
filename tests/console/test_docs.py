"""The documentation as responses: complete, small, readable without its script, with samples that run."""

import ast
import gzip
import re

import httpx
import pytest

from signalpost.console.docs import EXAMPLE_URL, Documentation
from signalpost.console.markdown import MarkdownPage
from signalpost.console.openapi import openapi_document
from signalpost.console.samples import SampleRequest, curl, python, typescript
from signalpost.context import AppContext
from signalpost.kit.problems import Problem
from signalpost.main import wiring

COMPRESSED_BYTES_MAX = 80_000
DOCS = Documentation(
    lambda: openapi_document(wiring.endpoints(), base_url="http://signalpost.test", version="0", brand="Service"), "",
    lambda: "http://signalpost.test",
)  # fmt: skip


def pages() -> list[str]:
    """Return the addresses of all pages; to read them takes a second, which only who runs these tests spends."""
    return [
        "/docs", *(f"/docs/{slug}" for slug in DOCS.groups), *(f"/docs/guides/{name}" for name in DOCS.guides),
        *(f"/docs/reference/{name}" for name in DOCS.tables),
    ]  # fmt: skip


async def test_every_page_is_small_and_loads_nothing_from_elsewhere(visit: httpx.AsyncClient) -> None:
    for number, path in enumerate(pages()):
        # More pages than one visitor gets at once, so each is another's.
        visitor = {"X-Forwarded-For": f"198.51.100.{number}"}
        answer = await visit.get(path, headers=visitor)

        assert answer.headers["content-type"] == "text/html; charset=utf-8", path
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self';"), path
        assert policy.endswith("; script-src 'self'; connect-src 'self'"), path
        assert answer.headers["x-frame-options"] == "DENY", path
        [script] = re.findall(r'<script src="([^"]+)" defer></script>', answer.text)
        assert answer.text.count("<script") == 1, path
        assert not re.search(r"<style|style=|javascript:|\son[A-Za-z]+=", answer.text), path
        assert not re.findall(r'(?:src|action)="(?:https?:)?//(?!signalpost\.test)', answer.text), path
        loaded = answer.content + (await visit.get(script, headers=visitor)).content
        assert len(gzip.compress(loaded)) <= COMPRESSED_BYTES_MAX, path


async def test_no_link_is_dead(visit: httpx.AsyncClient) -> None:
    """Neither between pages nor to places in them."""
    texts = {
        path: (await visit.get(path, headers={"X-Forwarded-For": f"198.51.100.{number}"})).text
        for number, path in enumerate(pages())
    }
    anchors = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in texts.items()}
    known = {
        "/",
        "/problems",
        "/status",
        "/console",
        "/openapi.json",
        "/llms.txt",
        *(f"/problems/{code}" for code in Problem.registry),
    }
    operations = (each.anchor for group in DOCS.groups.values() for each in group.operations)
    known |= {f"/console/developers/explorer/{operation_id}" for operation_id in operations}
    known |= {f"{path}.md" for path in pages() if path != "/docs"}

    dead = [
        (path, link)
        for path, text in texts.items()
        for link in re.findall(r'<a [^>]*?href="([^"]+)"', text)
        if not link.startswith(("http://", "https://"))
        for page, _, anchor in [link.partition("#")]
        if page not in known and ((page or path) not in texts or (anchor and anchor not in anchors[page or path]))
    ]

    assert dead == []


def test_every_operation_event_and_object_of_a_response_has_its_place() -> None:
    document = openapi_document(wiring.endpoints(), base_url="http://x", version="0", brand="Service")
    operations = [operation for item in document["paths"].values() for operation in item.values()]
    operations += [item["post"] for item in document["webhooks"].values()]

    assert {operation["operationId"] for operation in operations} == DOCS.addresses.keys()
    assert next(iter(DOCS.groups)) == "posts", "what most people look for"
    shown = {schema.name for group in DOCS.groups.values() for schema in group.objects}
    assert {"Post", "Target", "Profile", "PlatformAccount"} <= shown


def test_members_of_members_are_shown_where_they_are_needed() -> None:
    [create] = [operation for operation in DOCS.groups["posts"].operations if operation.anchor == "createPost"]
    fields = {field.name: field for field in create.fields}

    assert next(iter(fields)) == "profileId"
    assert {"accountId", "text", "media"} <= {member.name for member in fields["targets"].members}
    [media] = [member for member in fields["targets"].members if member.name == "media"]
    assert "altText" in {member.name for member in media.members}


def test_what_is_refused_is_not_offered() -> None:
    names = {field.name for operation in DOCS.groups["posts"].operations for field in operation.fields}

    assert not names & {"shortenLinks"}
    fan_out = openapi_document(wiring.endpoints(), base_url="http://x", version="0", brand="Service")["components"][
        "schemas"
    ]["FanoutCreate"]
    assert "externalId" not in fan_out["properties"]


def test_samples_are_programs() -> None:
    for operation in (each for group in DOCS.groups.values() for each in group.operations):
        samples = {sample.title: str(sample.text) for sample in operation.samples}
        if samples:
            assert samples.keys() == {"curl", "Python", "TypeScript"}, operation.anchor
            ast.parse(samples["Python"].replace("&#34;", '"').replace("&#39;", "'").replace("&gt;", ">"))


def test_samples_quote_what_their_language_would_take_apart() -> None:
    body = {"text": "it's \"true\", isn't it", "draft": True, "link": None}
    request = SampleRequest(method="PATCH", url="http://x/posts/1?a=B&c=D", signed_in=True, body=body, has_body=True)

    assert curl(request).startswith("curl -X PATCH 'http://x/posts/1?a=B&c=D' \\\n  -H 'Authorization: Bearer KEY'")
    assert "it'\\''s" in curl(request)
    assert ast.literal_eval(next(keyword.value for keyword in _calls(python(request)) if keyword.arg == "json")) == body
    assert 'method: "PATCH"' in typescript(request)


def _calls(program: str) -> list[ast.keyword]:
    return [keyword for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Call) for keyword in node.keywords]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("create post", "/docs/posts#createPost"),
        ("CREATE webhook", "/docs/webhooks#createWebhook"),
        ("rate_limited", "/problems/rate_limited"),
        ("SIGNALPOST_SMTP_URL", "/docs/reference/settings"),
        ("webhooks verify", "/docs/guides/verify-webhooks"),
        ("quokka", None),
        ("", None),
        ("<script>", None),
    ],
)
async def test_search_works_without_scripts(visit: httpx.AsyncClient, query: str, first: str | None) -> None:
    answer = await visit.get("/docs/search", params={"q": query})

    results = answer.text.partition('id="results"')[2]
    found = re.findall(r'<li><a href="([^"]+)"', results)
    assert found[:1] == ([first] if first else [])
    assert "<script>" not in results


async def test_guides_are_markdown_for_programs(visit: httpx.AsyncClient) -> None:
    contents = (await visit.get("/llms.txt")).text
    links = re.findall(r"\]\(http://signalpost\.test(/docs/guides/[^)]+)\)", contents)
    source = await visit.get(links[0])

    assert contents.startswith("# Signalpost\n\n> ")
    assert len(links) == len(DOCS.guides)
    assert source.headers["content-type"] == "text/markdown; charset=utf-8"
    assert source.text.startswith("# ")


async def test_the_reference_and_errors_are_markdown_for_programs(visit: httpx.AsyncClient) -> None:
    """What leads on from one of them, or from the table of contents, is Markdown again."""
    pages = ["/llms.txt", "/docs/webhooks.md", "/docs/events.md", "/docs/guides/networks.md", "/problems/unsafe_url.md"]
    texts = {path: (await visit.get(path)).text for path in pages}
    links = {
        link.partition("#")[0].removeprefix("http://signalpost.test")
        for text in texts.values()
        for link in re.findall(r"\]\((?:http://signalpost\.test)?(/[^)]+)\)", text)
    }
    for number, link in enumerate(sorted(links - {"/openapi.json"})):
        answer = await visit.get(link, headers={"X-Forwarded-For": f"198.51.100.{number % 250}"})
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/markdown; charset=utf-8"), link

    assert {"/problems.md", "/docs/posts.md", "/docs/guides/networks/x.md", "/problems/rate_limited.md"} <= links
    assert "- `url` (string (up to 2,048 characters), required)" in texts["/docs/webhooks.md"]
    assert "`EVENT post.published`" in texts["/docs/events.md"]
    assert "- [`POST /webhooks`](/docs/webhooks.md#createWebhook)" in texts["/problems/unsafe_url.md"]


async def test_guides_show_the_address_by_which_they_are_read(empty: AppContext, visit: httpx.AsyncClient) -> None:
    """Not the one that the files have, on whatever port the service listens; a proxy still leads to that port."""
    empty.listening_url = "http://127.0.0.1:21000"
    for number, name in enumerate(DOCS.guides):
        visitor = {"X-Forwarded-For": f"198.51.100.{number}"}
        for path in (f"/docs/guides/{name}", f"/docs/guides/{name}.md"):
            text = (await visit.get(path, headers=visitor)).text
            assert EXAMPLE_URL not in text, path
            assert empty.listening_url not in text, path
    shown = (await visit.get("/docs/guides/bulk.md")).text
    assert "`API=http://signalpost.test/api/v1 KEY=" in shown
    assert "server 127.0.0.1:8000;" in (await visit.get("/docs/guides/operate.md")).text


@pytest.mark.parametrize(
    "path",
    [
        "/docs/nothing",
        "/docs/nothing.md",
        "/docs/guides/nothing",
        "/docs/guides/networks/nothing",
        "/problems/nothing.md",
        "/docs/guides/..%2f..%2fpyproject.toml",
    ],
)
async def test_unknown_pages_are_404(visit: httpx.AsyncClient, path: str) -> None:
    assert (await visit.get(path)).status_code == 404


def test_markdown_is_rendered_with_places_to_link_to_and_never_as_html() -> None:
    source = """# Title

First sentence. Second.

## What `a` *b*?

<b onclick=x>[in](other.md) [out](https://x.test) [gone](nowhere.md)

```sh
## no heading
```

| A |
|---|
| `1` |
"""
    page = MarkdownPage(source, {"other.md": "/docs/guides/other"}.get)

    assert (page.title, page.summary) == ("Title", "First sentence")
    assert [heading.anchor for heading in page.headings] == ["what-a-b"]
    assert '<h2 id="what-a-b">' in page.html
    assert "<b onclick" not in page.html
    assert '<a href="/docs/guides/other">in</a>' in page.html
    assert '<a href="https://x.test">out</a>' in page.html
    assert "<a>gone</a>" in page.html
    assert '<div class="scroll" tabindex="0"><table>' in page.html


async def test_search_engines_are_told_what_is_for_the_public(visit: httpx.AsyncClient) -> None:
    answer = await visit.get("/robots.txt")

    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert answer.text.splitlines() == ["User-agent: *", "Disallow: /api/", "Disallow: /console"]
