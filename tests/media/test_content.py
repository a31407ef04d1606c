"""Stored bytes on their way out: only by a signed address, and never as something a browser would run."""

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
    found: dict[str, Any] = (await api.post("/media/upload", files={"file": (name, content)}, key=owner.key)).json()
    return found


def path_of(url: str) -> str:
    return url.partition("/api/v1")[2]


async def test_bytes_are_served_as_a_download_that_nothing_runs(api: Api, make: Make) -> None:
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


@pytest.mark.parametrize("wanted", RANGES)
async def test_a_part_can_be_asked_for(api: Api, make: Make, wanted: str) -> None:
    """Players jump about in a video; what we do not understand gets the whole, as the standard allows."""
    media = await upload(api, make, media_files.PDF)
    status, content, described = RANGES[wanted]

    answer = await api.get(path_of(media["url"]), headers={"Range": wanted})

    assert (answer.status_code, answer.content) == (status, content)
    assert answer.headers.get("content-range", "").startswith(described or "")
    assert int(answer.headers["content-length"]) == len(content)


async def test_an_address_opens_one_file_for_one_hour(
    api: Api, make: Make, context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    media, other = await upload(api, make, media_files.image("JPEG")), await upload(api, make, media_files.image("PNG"))
    given = dict(parse_qsl(urlsplit(media["url"]).query))
    content = f"/media/{media['id']}/content"

    changed = [
        (content, given | {"expires": str(int(given["expires"]) + 1)}),
        (content, given | {"signature": "A" + given["signature"][1:]}),
        (content, given | {"signature": given["signature"][:-1]}),
        (content, given | {"signature": "\u00e9"}),
        (content, given | {"variant": "thumbnail"}),
        (f"/media/{other['id']}/content", given),
    ]
    for path, query in changed:
        assert (await api.get(path, params=query)).status_code == 404, query
    for query in (
        {},
        {"expires": "x", "signature": "y"},
        given | {"expires": "9" * 30},
        given | {"signature": "a" * 99},
    ):
        assert (await api.get(content, params=query)).status_code == 422
    assert (await api.get(content, params=given)).status_code == 200
    monkeypatch.setattr(signed_urls, "VALID_SECONDS", -1)
    media_id = await context.database.pool.fetchval("select max(id::text)::uuid from media")
    over = signed_urls.create(context.keys, "", media_id)
    assert (await api.get(over.removeprefix("/api/v1"))).status_code == 404


async def test_a_clock_of_its_own_makes_no_lasting_address(api: Api, make: Make) -> None:
    """A test key may live in 2040, but an address it gets must still end in an hour of real time."""
    owner = await make.owner()
    media = (await api.post("/media/upload", files={"file": ("a", media_files.PDF)}, key=owner.test_key)).json()

    later = {"X-Test-Now": "2040-01-01T00:00:00Z"}
    seen = (await api.get(f"/media/{media['id']}", key=owner.test_key, headers=later)).json()

    assert abs(int(dict(parse_qsl(urlsplit(seen["url"]).query))["expires"]) - signed_urls.time.time()) < 3_700


async def test_many_pictures_of_a_page_are_not_limited_by_address(api: Api, make: Make) -> None:
    media = await upload(api, make, media_files.image("PNG"))
    same = {"X-Forwarded-For": "10.200.0.1"}

    statuses = {(await api.get(path_of(media["thumbnailUrl"]), headers=same)).status_code for _ in range(40)}

    assert statuses == {200}
