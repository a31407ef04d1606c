"""Serving stored bytes: only by a signed URL, and never in a form that a browser would run."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from tests.helpers import media_files
from tests.helpers.api import Api
from tests.helpers.factories import Make

from signalpost.context import AppContext
from signalpost.media import signed_urls


async def upload(api: Api, make: Make, content: bytes, name: str = "a.jpg") -> dict[str, Any]:
    owner = await make.owner()
    media: dict[str, Any] = (await api.post("/media/upload", files={"file": (name, content)}, key=owner.key)).json()
    return media


def path_of(url: str) -> str:
    return url.partition("/api/v1")[2]


async def test_bytes_are_served_as_an_inert_download(api: Api, make: Make) -> None:
    media = await upload(api, make, media_files.PDF, 'Ünï "x".pdf')

    answer = await api.get(path_of(media["url"]))

    assert answer.content == media_files.PDF
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert answer.headers["content-disposition"].startswith("attachment; filename*=UTF-8''%C3%9Cn")


RANGES = {
    "bytes=0-3": (206, b"%PDF", "bytes 0-3/"),
    "bytes=5-": (206, media_files.PDF[5:], "bytes 5-"),
    "bytes=0-999999": (200, media_files.PDF, None),
    "bytes=999999-": (200, media_files.PDF, None),
    "bytes=5-2": (200, media_files.PDF, None),
    "bytes=-5": (200, media_files.PDF, None),
    "lines=1-2": (200, media_files.PDF, None),
}


@pytest.mark.parametrize("range_header", RANGES)
async def test_a_range_can_be_requested(api: Api, make: Make, range_header: str) -> None:
    """Players seek in a video; an unsupported range gets the whole file, as the standard allows."""
    media = await upload(api, make, media_files.PDF)
    status, content, content_range = RANGES[range_header]

    answer = await api.get(path_of(media["url"]), headers={"Range": range_header})

    assert (answer.status_code, answer.content) == (status, content)
    assert answer.headers.get("content-range", "").startswith(content_range or "")
    assert int(answer.headers["content-length"]) == len(content)


async def test_a_url_is_valid_for_one_file_and_one_hour(
    api: Api, make: Make, context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    media, other = await upload(api, make, media_files.image("JPEG")), await upload(api, make, media_files.image("PNG"))
    query = dict(parse_qsl(urlsplit(media["url"]).query))
    content = f"/media/{media['id']}/content"

    changed = [
        (content, query | {"expires": str(int(query["expires"]) + 1)}),
        (content, query | {"signature": query["signature"][1:] + query["signature"][0]}),
        (content, query | {"signature": query["signature"][:-1]}),
        (content, query | {"signature": "\u00e9"}),
        (content, query | {"variant": "thumbnail"}),
        (f"/media/{other['id']}/content", query),
    ]
    for path, changed_query in changed:
        assert (await api.get(path, params=changed_query)).status_code == 404, changed_query
    for malformed in (
        {},
        {"expires": "x", "signature": "y"},
        query | {"expires": "9" * 30},
        query | {"signature": "a" * 99},
    ):
        assert (await api.get(content, params=malformed)).status_code == 422
    assert (await api.get(content, params=query)).status_code == 200
    monkeypatch.setattr(signed_urls, "VALID_SECONDS", -1)
    media_id = await context.database.pool.fetchval("select max(id::text)::uuid from media")
    expired = signed_urls.create(context.keys, "", media_id)
    assert (await api.get(expired.removeprefix("/api/v1"))).status_code == 404


async def test_a_test_clock_does_not_extend_a_url(api: Api, make: Make) -> None:
    """A test key may set its clock to 2040, but its URLs must still expire in an hour of real time."""
    owner = await make.owner()
    media = (await api.post("/media/upload", files={"file": ("a", media_files.PDF)}, key=owner.test_key)).json()

    later = {"X-Test-Now": "2040-01-01T00:00:00Z"}
    seen = (await api.get(f"/media/{media['id']}", key=owner.test_key, headers=later)).json()

    assert abs(int(dict(parse_qsl(urlsplit(seen["url"]).query))["expires"]) - signed_urls.time.time()) < 3_700


async def test_content_has_no_rate_limit_per_address(api: Api, make: Make) -> None:
    media = await upload(api, make, media_files.image("PNG"))
    same = {"X-Forwarded-For": "10.200.0.1"}

    statuses = {(await api.get(path_of(media["thumbnailUrl"]), headers=same)).status_code for _ in range(40)}

    assert statuses == {200}
