"""Files that clients send to the object store themselves: it accepts what was announced, and we believe only bytes.

The store is SeaweedFS, which verifies signatures, expiry, headers and checksums itself.
"""

import hashlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.counterparts import S3Server, s3_server
from tests.helpers import media_files
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.media import receive

from signalpost.context import AppContext
from signalpost.kit import clock, ids, storage
from signalpost.media import storage_paths

IMAGE = media_files.image("PNG")


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[S3Server]:
    async with s3_server() as running:
        yield running


@pytest.fixture
def store(server: S3Server, context: AppContext, monkeypatch: pytest.MonkeyPatch) -> storage.Store:
    """The service keeps its files in the object store."""
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    opened = storage.open_store(f"s3://{server.bucket}/files", Path("unused"))
    monkeypatch.setattr(context, "storage", opened)
    return opened


async def announce(api: Api, who: Login, content: bytes = IMAGE, **fields: Any) -> dict[str, Any]:
    checksum = hashlib.sha256(content).hexdigest()
    described = {"fileName": "a.png", "contentType": "image/png", "size": len(content), "checksumSha256": checksum}
    answer = await api.post("/media/presign-upload", json=described | fields, key=who.key)
    assert answer.status_code == 201, answer.text
    presigned: dict[str, Any] = answer.json()
    return presigned


async def put(presigned: dict[str, Any], content: bytes = IMAGE, **headers: str) -> httpx.Response:
    async with httpx.AsyncClient(timeout=60) as client:
        return await client.put(presigned["uploadUrl"], content=content, headers=presigned["headers"] | headers)


async def media_of(api: Api, who: Login, presigned: dict[str, Any]) -> dict[str, Any]:
    media: dict[str, Any] = (await api.get(f"/media/{presigned['mediaId']}", key=who.key)).json()
    return media


def upload_path(who: Login, presigned: dict[str, Any]) -> str:
    media_id = ids.decode("med", presigned["mediaId"])
    assert media_id
    return storage_paths.of_upload(who.workspace_id, media_id)


async def test_a_file_is_noticed_verified_and_ready(
    api: Api, make: Make, context: AppContext, store: storage.Store, server: S3Server
) -> None:
    """Nobody tells the service: it looks. What the store holds is treated like any other upload."""
    owner = await make.owner()
    presigned = await announce(api, owner)
    assert presigned["uploadUrl"].startswith(server.url)

    early = await receive(context, presigned["mediaId"])
    sent = await put(presigned)
    later = await receive(context, presigned["mediaId"])

    assert (early, sent.status_code) == (2.0, 200)
    media = await media_of(api, owner, presigned)
    assert (media["status"], media["width"], media["storagePath"]) == ("ready", 48, presigned["storagePath"])
    stored = (await api.get(media["url"].partition("/api/v1")[2])).content
    assert (len(stored), hashlib.sha256(stored).hexdigest()) == (media["size"], media["checksumSha256"])
    assert media_files.SECRET not in stored
    assert await store.size(upload_path(owner, presigned)) is None
    assert later is not None
    assert later > 900, "the last look comes when no upload that the URL allows can still run"


async def test_the_store_refuses_what_was_not_announced(api: Api, make: Make, store: storage.Store) -> None:
    owner = await make.owner()
    presigned, other = await announce(api, owner), await announce(api, owner)
    url = presigned["uploadUrl"]
    longer = IMAGE + b"x"
    own_checksum = storage.s3_signing.bound_headers(
        content_type="image/png", size=len(longer), sha256=hashlib.sha256(longer).digest()
    )
    tampered: dict[str, tuple[bytes, dict[str, str], str]] = {
        "other bytes": (IMAGE[:-1] + b"x", {}, url),
        "more bytes": (longer, {}, url),
        "fewer bytes": (IMAGE[:-1], {}, url),
        "another type": (IMAGE, {"Content-Type": "text/html"}, url),
        "a checksum of its own": (longer, {"X-Amz-Checksum-Sha256": own_checksum["X-Amz-Checksum-Sha256"]}, url),
        "another path": (IMAGE, {}, url.replace(presigned["mediaId"], other["mediaId"])),
        "more time": (IMAGE, {}, url.replace("X-Amz-Expires=900", "X-Amz-Expires=90000")),
        "fewer signed headers": (IMAGE, {}, url.replace("content-type%3B", "")),
        "another signature": (IMAGE, {}, url[:-4] + "0000"),
    }

    statuses = {
        name: (await put(presigned | {"uploadUrl": address}, content, **headers)).status_code
        for name, (content, headers, address) in tampered.items()
    }

    assert {name: status for name, status in statuses.items() if status not in (400, 403)} == {}
    assert await store.size(upload_path(owner, presigned)) is None
    assert (await put(presigned)).status_code == 200


async def test_the_store_refuses_an_expired_url(store: storage.Store, monkeypatch: pytest.MonkeyPatch) -> None:
    statuses = []
    for age in (840, 901):
        instant = datetime.now(UTC) - timedelta(seconds=age)
        monkeypatch.setattr(clock, "actual", lambda instant=instant: instant)
        signed = await store.presign_put(
            f"aged-{age}", content_type="image/png", size=len(IMAGE), sha256=hashlib.sha256(IMAGE).digest(), seconds=900
        )
        statuses.append((await put({"uploadUrl": signed.url, "headers": signed.headers})).status_code)

    assert statuses == [200, 403]
    assert await store.size("aged-901") is None


WRONG = {
    "another type": (media_files.PDF, "not_allowed"),
    "html": (b"<html><script>alert(1)</script></html>", "not_allowed"),
    "half an image": (IMAGE[: len(IMAGE) // 2], "format"),
}


async def test_what_the_store_accepted_is_verified_all_the_same(
    api: Api, make: Make, context: AppContext, store: storage.Store
) -> None:
    """The store compares checksums; whether it is an image, only we see."""
    owner = await make.owner()

    for name, (content, code) in WRONG.items():
        presigned = await announce(api, owner, content)
        assert (await put(presigned, content)).status_code == 200
        await receive(context, presigned["mediaId"])

        media = await media_of(api, owner, presigned)
        assert (media["status"], media["error"]["code"], media["url"]) == ("failed", code, None), name
        assert await store.size(upload_path(owner, presigned)) is None


async def test_what_is_sent_after_the_check_reaches_nobody(
    api: Api, make: Make, context: AppContext, store: storage.Store
) -> None:
    """The URL is valid until it expires, so the client writes to a path that is read once and then removed."""
    owner = await make.owner()
    presigned = await announce(api, owner)
    await put(presigned)
    await receive(context, presigned["mediaId"])
    before = await media_of(api, owner, presigned)

    again = await put(presigned)
    async with context.database.transaction() as db:
        await db.execute(
            "update media set created_at = now() - interval '1 hour' where workspace_id = $1", owner.workspace_id
        )
    last = await receive(context, presigned["mediaId"])

    assert (again.status_code, last) == (200, None)
    assert (await media_of(api, owner, presigned))["checksumSha256"] == before["checksumSha256"]
    assert await store.size(upload_path(owner, presigned)) is None


async def test_a_check_that_was_interrupted_begins_again(
    api: Api, make: Make, context: AppContext, store: storage.Store
) -> None:
    owner = await make.owner()
    presigned = await announce(api, owner)
    await put(presigned)
    async with context.database.transaction() as db:
        await db.execute("update media set status = 'processing' where workspace_id = $1", owner.workspace_id)

    await receive(context, presigned["mediaId"])

    assert (await media_of(api, owner, presigned))["status"] == "ready"


async def test_what_cannot_be_bound_comes_to_us(api: Api, make: Make, store: storage.Store, server: S3Server) -> None:
    """Without a size and a checksum, whoever has the URL could store anything, of any size."""
    owner = await make.owner()

    for fields in ({"size": None}, {"checksumSha256": None}, {"contentType": "video/mp4", "size": 2_000_000_000}):
        presigned = await announce(api, owner, **fields)
        assert not presigned["uploadUrl"].startswith(server.url), fields


async def test_large_and_direct_uploads_are_stored_there_too(api: Api, make: Make, store: storage.Store) -> None:
    owner = await make.owner()

    media = (await api.post("/media/upload", files={"file": ("a", IMAGE)}, key=owner.key)).json()

    assert await store.size(media["storagePath"]) == media["size"]
