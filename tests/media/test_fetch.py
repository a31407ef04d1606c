"""Files fetched from an address: through the guarded client, under the same rules as uploaded ones."""

from collections.abc import AsyncIterator

import pytest
from aiohttp import web
from tests.counterparts.tools import free_port
from tests.helpers import media_files
from tests.helpers.api import Api
from tests.helpers.factories import Make


async def _endless(request: web.Request) -> web.StreamResponse:
    answer = web.StreamResponse()
    await answer.prepare(request)
    await answer.write(b"\xff\xd8\xff")
    try:
        while True:
            await answer.write(bytes(65_536))
    except ConnectionError:
        return answer


REDIRECTS = {
    "/moved": "/photo%20one.html",
    "/metadata": "http://169.254.169.254/latest/meta-data/",
    "/inside": "https://10.0.0.1/a.jpg",
    "/loop": "/loop",
}


@pytest.fixture
async def origin() -> AsyncIterator[str]:
    """A server with good and bad files, at an address that the operator has allowed."""
    files = {
        "/photo one.html": (200, media_files.image("JPEG"), "text/html"),
        "/page": (200, b"<html>hello</html>", "image/jpeg"),
        "/empty": (200, b"", "image/jpeg"),
        "/broken": (500, b"", "text/plain"),
    }

    async def serve(request: web.Request) -> web.StreamResponse:
        if request.path == "/endless":
            return await _endless(request)
        if request.path in REDIRECTS:
            return web.Response(status=302, headers={"Location": REDIRECTS[request.path]})
        status, body, content_type = files.get(request.path, (404, b"", "text/plain"))
        return web.Response(status=status, body=body, content_type=content_type)

    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", serve)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", free_port())
    await site.start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


@pytest.mark.parametrize("path", ["/photo%20one.html", "/moved"])
async def test_a_file_is_fetched_and_recognised_by_its_content(api: Api, make: Make, origin: str, path: str) -> None:
    owner = await make.owner()

    answer = await api.post("/media/upload", json={"url": origin + path, "altText": "Noise"}, key=owner.key)

    assert answer.status_code == 201, answer.text
    media = answer.json()
    assert (media["mimeType"], media["altText"]) == ("image/jpeg", "Noise")
    assert media["fileName"] == ("photo one.html.jpg" if path != "/moved" else "moved.jpg")


ENDINGS = {
    "/page": (422, "validation_failed"),
    "/empty": (422, "validation_failed"),
    "/broken": (422, "media_fetch_failed"),
    "/nothing": (422, "media_fetch_failed"),
    "/loop": (422, "media_fetch_failed"),
    "/endless": (413, "payload_too_large"),
    "/metadata": (422, "unsafe_url"),
    "/inside": (422, "unsafe_url"),
}


@pytest.mark.parametrize("path", ENDINGS)
async def test_a_failed_fetch_is_an_error_of_the_caller(api: Api, make: Make, origin: str, path: str) -> None:
    """A dead link must not look like our own failure, which clients would retry for ever."""
    owner = await make.owner()

    answer = await api.post("/media/upload", json={"url": origin + path}, key=owner.key)

    assert (answer.status_code, answer.json()["code"]) == ENDINGS[path]
    assert {error["path"] for error in answer.json().get("errors", [])} <= {"/url"}


UNSAFE = [
    "http://169.254.169.254/latest/meta-data/",
    "http://2852039166/latest/meta-data/",
    "http://0xa9fea9fe/",
    "http://[::ffff:169.254.169.254]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://168.63.129.16/",
    "https://10.0.0.1/a.jpg",
    "https://192.168.1.1/a.jpg",
    "https://[fd00::1]/a.jpg",
    "https://[fe80::1]/a.jpg",
    "https://0.0.0.0/a.jpg",
    "https://224.0.0.1/a.jpg",
    "https://user:password@example.com/a.jpg",
    "file:///etc/passwd",
    "ftp://example.com/a.jpg",
    "gopher://127.0.0.1:11211/_stats",
    "data:image/png;base64,AAAA",
    "//example.com/a.jpg",
    "https://",
    "nonsense",
    "https://exa mple.com/",
    "https://example.com:99999/",
    "https://example.com\\@10.0.0.1/",
]


@pytest.mark.parametrize("url", UNSAFE)
async def test_private_addresses_are_refused(api: Api, make: Make, url: str) -> None:
    """Otherwise a free account could read the cloud's credentials through us."""
    owner = await make.owner()

    answer = await api.post("/media/upload", json={"url": url}, key=owner.key)

    assert (answer.status_code, answer.json()["code"]) == (422, "unsafe_url"), answer.text
    assert [error["path"] for error in answer.json()["errors"]] == ["/url"]
