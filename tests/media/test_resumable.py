"""Uploads in several requests, by the tus protocol: nothing that has arrived is lost, and nothing else is stored."""

import base64
import hashlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
from tests.figures.record import Record, holds
from tests.helpers import media_files
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.media import FullStore, sweep

from signalpost.context import AppContext
from signalpost.kit import ids, problems, storage
from signalpost.media import receiver
from signalpost.media.pieces import PiecesFile

IMAGE = media_files.image("PNG")
TUS = {"Tus-Resumable": "1.0.0"}


def metadata(**members: str) -> str:
    return ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in members.items())


async def create(api: Api, who: Login, content: bytes = IMAGE, **members: str) -> str:
    """Begin an upload; return its path."""
    described = {"filename": "a.png", "filetype": "image/png"} | members
    headers = TUS | {"Upload-Length": str(len(content)), "Upload-Metadata": metadata(**described)}
    answer = await api.post("/media/uploads", headers=headers, key=who.key)
    assert answer.status_code == 201, answer.text
    return answer.headers["location"].partition("/api/v1")[2]


async def append(api: Api, who: Login, path: str, content: Any, offset: int, **headers: str) -> httpx.Response:
    sent = TUS | {"Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"} | headers
    return await api.patch(path, content=content, headers=sent, key=who.key)


async def offset_of(api: Api, who: Login, path: str) -> int:
    answer = await api.call("HEAD", path, headers=TUS, key=who.key)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    return int(answer.headers["upload-offset"])


async def media_of(api: Api, who: Login, path: str) -> dict[str, Any]:
    media: dict[str, Any] = (await api.get(f"/media/{path.rpartition('/')[2]}", key=who.key)).json()
    return media


def folder_of(context: AppContext, path: str) -> Any:
    media_id = ids.decode("med", path.rpartition("/")[2])
    assert media_id
    return receiver.lasting_folder(context.settings.data_dir, media_id)


def digest(algorithm: str, content: bytes) -> str:
    return f"{algorithm} {base64.b64encode(hashlib.new(algorithm, content).digest()).decode()}"


async def test_a_file_arrives_in_pieces(api: Api, make: Make, context: AppContext) -> None:
    owner = await make.owner()
    path = await create(api, owner, altText="Noise", relativePath="ignored", empty="")
    middle = len(IMAGE) // 2

    first = await append(api, owner, path, IMAGE[:middle], 0)
    between = await api.get(path, key=owner.key)
    last = await append(api, owner, path, IMAGE[middle:], middle)

    assert (first.status_code, last.status_code) == (204, 204), last.text
    assert (first.headers["upload-offset"], last.headers["upload-offset"]) == (str(middle), str(len(IMAGE)))
    assert "GMT" in first.headers["upload-expires"]
    assert between.json() == {
        "mediaId": path.rpartition("/")[2], "offset": middle, "length": len(IMAGE), "status": "pending",
        "expiresAt": between.json()["expiresAt"],
    }  # fmt: skip
    media = await media_of(api, owner, path)
    assert (media["status"], media["altText"], media["fileName"], media["width"]) == ("ready", "Noise", "a.png", 48)
    stored = (await api.get(media["url"].partition("/api/v1")[2])).content
    assert (len(stored), hashlib.sha256(stored).hexdigest()) == (media["size"], media["checksumSha256"])
    assert media_files.SECRET not in stored
    assert await offset_of(api, owner, path) == len(IMAGE)
    assert not folder_of(context, path).exists()


async def test_what_arrived_before_the_connection_broke_stays(api: Api, make: Make) -> None:
    owner = await make.owner()
    path = await create(api, owner)

    async def broken() -> AsyncIterator[bytes]:
        yield IMAGE[:100]
        raise problems.Unavailable("The connection was closed before the whole body arrived.")

    assert (await append(api, owner, path, broken(), 0)).status_code == 503
    assert await offset_of(api, owner, path) == 100
    assert (await append(api, owner, path, IMAGE[100:], 100)).status_code == 204
    assert (await media_of(api, owner, path))["status"] == "ready"


async def test_a_body_with_a_wrong_checksum_is_discarded(api: Api, make: Make) -> None:
    owner = await make.owner()
    path = await create(api, owner)
    await append(api, owner, path, IMAGE[:50], 0, **{"Upload-Checksum": digest("sha1", IMAGE[:50])})

    wrong = await append(api, owner, path, IMAGE[50:-1] + b"x", 50, **{"Upload-Checksum": digest("sha256", IMAGE[50:])})
    kept = await offset_of(api, owner, path)
    right = await append(api, owner, path, IMAGE[50:], 50, **{"Upload-Checksum": digest("sha256", IMAGE[50:])})

    assert (wrong.status_code, wrong.json()["code"], wrong.headers["upload-offset"]) == (460, "checksum_mismatch", "50")
    assert (kept, right.status_code) == (50, 204)


def _requests(content: bytes) -> Iterator[tuple[str, int, bytes, dict[str, str], int]]:
    """What is wrong, offset, body, headers, status."""
    yield "another offset", 7, content[7:], {}, 409
    yield "no offset", 0, content, {"Upload-Offset": ""}, 422
    yield "an offset that is none", 0, content, {"Upload-Offset": "-1"}, 422
    yield "a huge offset", 0, content, {"Upload-Offset": "9" * 30}, 422
    yield "too many bytes", 0, content + b"x", {}, 413
    yield "another type of body", 0, content, {"Content-Type": "image/png"}, 415
    yield "another version", 0, content, {"Tus-Resumable": "0.2.2"}, 412
    yield "an unknown checksum", 0, content, {"Upload-Checksum": "crc32 AAAA"}, 422
    yield "a checksum that is none", 0, content, {"Upload-Checksum": "sha1 %%"}, 422
    yield "another kind of file", 0, media_files.image("GIF"), {}, 422


@holds("S22")
async def test_what_is_wrong_is_refused_and_the_upload_goes_on(api: Api, make: Make, record: Record) -> None:
    owner = await make.owner()
    path = await create(api, owner)

    for name, offset, body, headers, status in _requests(IMAGE):
        answer = await append(api, owner, path, body, offset, **headers)
        record("S22", tried={"hostile cases": 1}, measured={"accepted": int(answer.status_code < 400)})
        assert answer.status_code == status, (name, answer.text)
        assert await offset_of(api, owner, path) == 0, name

    assert (await append(api, owner, path, IMAGE, 0)).status_code == 204


CREATIONS = {
    "no length": ({"Upload-Length": ""}, "Upload-Length", "required"),
    "a length that is none": ({"Upload-Length": "1e3"}, "Upload-Length", "format"),
    "no bytes": ({"Upload-Length": "0"}, "Upload-Length", "out_of_range"),
    "no type": ({"Upload-Metadata": metadata(filename="a.png")}, "Upload-Metadata/filetype", "required"),
    "an unknown type": ({"Upload-Metadata": metadata(filetype="text/html")}, "Upload-Metadata/filetype", "not_allowed"),
    "no base64": ({"Upload-Metadata": "filetype %%%"}, "Upload-Metadata", "format"),
    "no text": ({"Upload-Metadata": "filetype /w=="}, "Upload-Metadata", "format"),
    "too much": ({"Upload-Metadata": "filetype " + "A" * 8_000}, "Upload-Metadata", "too_long"),
    "an unknown profile": (
        {"Upload-Metadata": metadata(filetype="image/png", profileId="prof_01JD8ZK3T5X7Q9V2B4N6M8R0AC")},
        "Upload-Metadata/profileId", "not_found",
    ),
}  # fmt: skip


@holds("S22")
async def test_a_creation_that_is_wrong_is_refused_with_its_place(api: Api, make: Make, record: Record) -> None:
    owner = await make.owner()

    for name, (changed, path, code) in CREATIONS.items():
        headers = TUS | {"Upload-Length": "9", "Upload-Metadata": metadata(filetype="image/png")} | changed
        answer = await api.post("/media/uploads", headers=headers, key=owner.key)
        record("S22", tried={"hostile cases": 1}, measured={"accepted": int(answer.status_code < 400)})
        assert answer.status_code == 422, (name, answer.text)
        assert [(issue["path"], issue["code"]) for issue in answer.json()["errors"]] == [(path, code)], name
    large = TUS | {"Upload-Length": "26000000", "Upload-Metadata": metadata(filetype="image/png")}
    assert (await api.post("/media/uploads", headers=large, key=owner.key)).status_code == 413
    assert (await api.get("/media", key=owner.key)).json()["data"] == []


async def test_a_file_that_is_not_what_was_announced_fails(api: Api, make: Make, context: AppContext) -> None:
    owner = await make.owner()
    path = await create(api, owner, checksumSha256=hashlib.sha256(b"another file").hexdigest())

    answer = await append(api, owner, path, IMAGE, 0)

    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (422, "not_allowed")
    assert not folder_of(context, path).exists()
    assert await offset_of(api, owner, path) == 0


async def test_two_requests_never_write_at_once(api: Api, make: Make, context: AppContext) -> None:
    owner = await make.owner()
    path = await create(api, owner)

    with PiecesFile(folder_of(context, path), len(IMAGE), 0).exclusively():
        answer = await append(api, owner, path, IMAGE, 0)

    assert (answer.status_code, answer.json()["code"]) == (409, "upload_conflict")
    assert (await append(api, owner, path, IMAGE, 0)).status_code == 204


@pytest.mark.parametrize("status", ["pending", "uploaded", "processing"])
async def test_a_file_that_was_left_unfinished_is_finished_when_it_is_looked_at(
    api: Api, make: Make, context: AppContext, status: str
) -> None:
    """The process died, or the store did not respond, after the last byte: the client sees a complete upload."""
    owner = await make.owner()
    path = await create(api, owner)
    folder = folder_of(context, path)
    folder.mkdir(parents=True)
    (folder / "file").write_bytes(IMAGE)
    async with context.database.transaction() as db:
        await db.execute("update media set status = $2 where workspace_id = $1", owner.workspace_id, status)

    with PiecesFile(folder, len(IMAGE), 0).exclusively():
        busy = await api.get(path, key=owner.key)

    assert (busy.status_code, busy.headers["retry-after"]) == (503, "1")
    assert await offset_of(api, owner, path) == len(IMAGE)
    assert (await media_of(api, owner, path))["status"] == "ready"
    assert not folder.exists()


async def test_an_upload_that_could_not_be_stored_is_not_lost(
    api: Api, make: Make, context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = await make.owner()
    path = await create(api, owner)
    with monkeypatch.context() as patched:
        patched.setattr(context, "storage", FullStore(context.storage))
        failed = await append(api, owner, path, IMAGE, 0)

    assert failed.status_code == 503
    assert await offset_of(api, owner, path) == len(IMAGE)
    assert (await media_of(api, owner, path))["status"] == "ready"


class BrokenStore(storage.Store):
    """A store that shows what another one has, but stops in the middle of each object."""

    def __init__(self, other: storage.Store) -> None:
        self.__dict__ = other.__dict__

    async def read(self, path: str) -> AsyncIterator[bytes]:
        async for piece in super().read(path):
            yield piece[: len(piece) // 2]
            raise storage.StorageFailure(f"{path} cannot be read")


async def test_half_of_a_file_that_is_fetched_back_is_not_taken_for_all_of_it(
    api: Api, make: Make, context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever stored the file died before its row could say so, and then the store stops while it is read."""
    owner = await make.owner()
    path = await create(api, owner)
    await append(api, owner, path, IMAGE, 0)
    stored = await media_of(api, owner, path)
    async with context.database.transaction() as db:
        await db.execute("update media set status = 'processing' where workspace_id = $1", owner.workspace_id)
    with monkeypatch.context() as patched:
        patched.setattr(context, "storage", BrokenStore(context.storage))
        for _ in range(2):
            assert (await api.call("HEAD", path, headers=TUS, key=owner.key)).status_code == 503

    assert await offset_of(api, owner, path) == len(IMAGE)
    again = await media_of(api, owner, path)
    assert (again["status"], again["size"], again["width"]) == ("ready", stored["size"], stored["width"])
    assert not folder_of(context, path).exists()


async def test_a_late_upload_fails_and_leaves_nothing(api: Api, make: Make, context: AppContext) -> None:
    owner = await make.owner()
    path = await create(api, owner)
    await append(api, owner, path, IMAGE[:100], 0)
    async with context.database.transaction() as db:
        await db.execute("update media set expires_at = now() where workspace_id = $1", owner.workspace_id)

    await sweep(context)

    media = await media_of(api, owner, path)
    assert (media["status"], media["error"]["code"]) == ("failed", "upload_expired")
    assert not folder_of(context, path).exists()
    assert (await append(api, owner, path, IMAGE[100:], 100)).status_code == 404


async def test_an_upload_can_be_given_up(api: Api, make: Make, context: AppContext) -> None:
    owner = await make.owner()
    path = await create(api, owner)
    await append(api, owner, path, IMAGE[:100], 0)

    ended = await api.delete(path, headers=TUS, key=owner.key)
    await sweep(context)

    assert (ended.status_code, ended.headers["tus-resumable"]) == (204, "1.0.0")
    assert (await api.call("HEAD", path, key=owner.key)).status_code == 404
    assert not folder_of(context, path).exists()


async def test_an_upload_that_is_given_up_while_its_bytes_arrive_ends(
    api: Api, make: Make, context: AppContext
) -> None:
    owner = await make.owner()
    path = await create(api, owner)

    async def given_up() -> AsyncIterator[bytes]:
        yield IMAGE[:-1]
        await api.delete(path, key=owner.key)
        await sweep(context)
        yield IMAGE[-1:]

    answer = await append(api, owner, path, given_up(), 0)

    assert (answer.status_code, answer.json()["code"]) == (409, "upload_conflict")
    assert not folder_of(context, path).exists()


async def test_options_name_the_protocol(api: Api) -> None:
    answer = await api.call("OPTIONS", "/media/uploads")

    assert answer.status_code == 204
    assert answer.headers["tus-version"] == "1.0.0"
    assert answer.headers["tus-extension"] == "creation,expiration,checksum,termination"
    assert answer.headers["tus-checksum-algorithm"] == "sha1,sha256"


async def test_other_files_and_other_workspaces_have_no_uploads(api: Api, make: Make) -> None:
    owner, stranger = await make.owner(), await make.owner()
    path = await create(api, owner)
    files = {"file": ("a", IMAGE)}
    media_id = (await api.post("/media/upload", files=files, key=owner.key)).json()["id"]

    assert (await append(api, stranger, path, IMAGE, 0)).status_code == 404
    assert (await api.get(f"/media/uploads/{media_id}", key=owner.key)).status_code == 404
    assert await offset_of(api, owner, path) == 0
