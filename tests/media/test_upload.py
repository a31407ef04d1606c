"""Uploads: what is stored, and their fields, limits and roles."""

import asyncio
import hashlib
import io
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.helpers import media_files
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.media import receiver
from signalpost.media.probe.images import THUMBNAIL_PIXELS


async def send(api: Api, who: Login, content: bytes, name: str = "a.bin", **fields: str) -> Any:
    return await api.post("/media/upload", files={"file": (name, content)}, data=fields, key=who.key)


async def bytes_of(api: Api, media: dict[str, Any], which: str = "url") -> bytes:
    answer = await api.get(media[which].partition("/api/v1")[2])
    assert answer.status_code == 200, answer.text
    return answer.content


IMAGES = {
    "JPEG": "image/jpeg",
    "PNG": "image/png",
    "WEBP": "image/webp",
    "HEIF": "image/heic",
    "AVIF": "image/avif",
    "GIF": "image/gif",
}


@pytest.mark.parametrize("name", ["HEIF", "AVIF"])
async def test_what_is_no_pixel_is_removed_whatever_it_calls_itself(api: Api, make: Make, name: str) -> None:
    """An item of a type that nobody knows carries a place as well as EXIF does."""
    owner = await make.owner()
    content = media_files.retyped(media_files.image(name), b"gps ")
    assert media_files.SECRET in content

    answer = await send(api, owner, content)

    assert answer.status_code == 201, answer.text
    assert media_files.SECRET not in await bytes_of(api, answer.json())


async def test_the_first_of_several_images_of_a_file_is_shown(api: Api, make: Make) -> None:
    """Phones write bursts, and photos in two views, into one file."""
    owner = await make.owner()

    answer = await send(api, owner, media_files.several_images())

    assert answer.status_code == 201, answer.text
    assert (answer.json()["width"], answer.json()["height"]) == (64, 48)
    assert Image.open(io.BytesIO(await bytes_of(api, answer.json(), "thumbnailUrl"))).size == (64, 48)


@pytest.mark.parametrize("name", IMAGES)
async def test_an_image_is_stored_upright_and_without_metadata(api: Api, make: Make, name: str) -> None:
    """A photo must not reveal where its author lives; only its orientation may stay."""
    owner = await make.owner()
    profile = (await make.profile(owner))["id"]
    content = media_files.image(name)

    answer = await send(api, owner, content, "C:\\photos\\me.jpg", altText="Noise", profileId=profile)

    assert answer.status_code == 201, answer.text
    media = answer.json()
    assert media["mimeType"] == IMAGES[name]
    assert media["kind"] == ("gif" if name == "GIF" else "image")
    assert (media["width"], media["height"]) == ((64, 48) if name == "GIF" else (48, 64))
    assert media["altText"] == "Noise"
    assert media["profileId"] == profile
    assert media["status"] == "ready"
    stored = await bytes_of(api, media)
    assert media_files.SECRET not in stored
    assert len(stored) == media["size"]
    assert hashlib.sha256(stored).hexdigest() == media["checksumSha256"]
    with Image.open(io.BytesIO(stored)) as image:
        assert not image.getexif().get_ifd(0x8825)
        assert not image.getexif().get(0x010F)
    with Image.open(io.BytesIO(await bytes_of(api, media, "thumbnailUrl"))) as thumbnail:
        assert thumbnail.format == "WEBP"
        assert max(thumbnail.size) <= THUMBNAIL_PIXELS
        assert (thumbnail.height > thumbnail.width) == (name != "GIF")
        assert not thumbnail.getexif()


@pytest.mark.parametrize("name", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
async def test_removing_metadata_changes_no_pixel(api: Api, make: Make, name: str, orientation: int) -> None:
    """Encoding a photo again would degrade it with each upload."""
    owner = await make.owner()
    content = media_files.image(name, orientation=orientation)

    stored = await bytes_of(api, (await send(api, owner, content)).json())

    with Image.open(io.BytesIO(content)) as before, Image.open(io.BytesIO(stored)) as after:
        assert after.tobytes() == before.tobytes()
        assert after.getexif().get(0x0112, 1) == orientation


async def test_the_comments_of_a_gif_are_removed_and_its_frames_stay(api: Api, make: Make) -> None:
    owner = await make.owner()

    still = await bytes_of(api, (await send(api, owner, media_files.commented_gif())).json())
    moving = (await send(api, owner, media_files.animation(7))).json()

    assert media_files.SECRET not in still
    assert (moving["kind"], moving["durationMs"]) == ("gif", 700)
    with Image.open(io.BytesIO(await bytes_of(api, moving))) as image:
        assert image.n_frames == 7


VIDEOS = {"mp4": "video/mp4", "mov": "video/quicktime", "mkv": "video/x-matroska", "avi": "video/x-msvideo"}


@pytest.mark.parametrize("extension", VIDEOS)
async def test_a_video_is_measured_and_gets_a_thumbnail(api: Api, make: Make, tmp_path: Path, extension: str) -> None:
    owner = await make.owner()
    content = media_files.video(tmp_path, extension, sound=extension == "mp4")

    answer = await send(api, owner, content, f"clip.{extension}", kind="video")

    assert answer.status_code == 201, answer.text
    media = answer.json()
    assert media["mimeType"] == VIDEOS[extension]
    assert (media["width"], media["height"], media["fps"]) == (96, 64, 24.0)
    assert 400 <= media["durationMs"] <= 600
    assert media["videoCodec"] == "mpeg4"
    assert media["audioCodec"] == ("aac" if extension == "mp4" else None)
    stored = await bytes_of(api, media)
    assert media_files.SECRET not in stored
    assert b"+52.5200" not in stored
    assert await bytes_of(api, media, "thumbnailUrl")


async def test_a_pdf_is_stored_unchanged(api: Api, make: Make) -> None:
    owner = await make.owner()

    media = (await send(api, owner, media_files.PDF, "terms.pdf")).json()

    assert (media["kind"], media["mimeType"], media["thumbnailUrl"]) == ("document", "application/pdf", None)
    assert await bytes_of(api, media) == media_files.PDF


FAULTS = {
    "kind": ({"kind": "video"}, "/kind", "not_allowed"),
    "unknown kind": ({"kind": "sculpture"}, "/kind", "not_allowed"),
    "alternative text": ({"altText": "x" * 1_501}, "/altText", "too_long"),
    "profile": ({"profileId": "prof_01JD8ZK3T5X7Q9V2B4N6M8R0AC"}, "/profileId", "not_found"),
    "no id": ({"profileId": "me"}, "/profileId", "not_found"),
    "unknown field": ({"alt_text": "x"}, "/alt_text", "unknown_field"),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_an_invalid_field_is_refused_with_its_pointer(api: Api, make: Make, name: str) -> None:
    owner = await make.owner()
    fields, path, code = FAULTS[name]

    answer = await send(api, owner, media_files.image("PNG"), **fields)

    assert answer.status_code == 422
    assert [(error["path"], error["code"]) for error in answer.json()["errors"]] == [(path, code)]


async def test_an_oversized_image_is_refused_before_all_of_it_arrived(api: Api, make: Make) -> None:
    owner = await make.owner()
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        yield b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n\xff\xd8\xff'
        while True:
            sent += 1
            yield bytes(65_536)

    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    answer = await api.post("/media/upload", content=endless(), headers=headers, key=owner.key)

    assert answer.status_code == 413
    assert answer.json()["limit"] == {"name": "fileBytes", "max": 25_000_000}
    assert sent < 25_000_000 / 65_536 + 20


def _new_peak() -> float:
    """Reset the peak of memory use; return the current use in MiB."""
    Path("/proc/self/clear_refs").write_text("5")
    return _peak_mebibytes()


def _peak_mebibytes() -> float:
    status = Path("/proc/self/status").read_text()
    peak = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert peak
    return int(peak[1]) / 1024


async def test_a_large_upload_is_not_held_in_memory(api: Api, make: Make, tmp_path: Path) -> None:
    """Ten uploads of 100 MB at a time must not take a gigabyte of memory."""
    owner = await make.owner()
    movie = media_files.video(tmp_path)

    async def body() -> AsyncIterator[bytes]:
        yield b'--b\r\nContent-Disposition: form-data; name="file"; filename="big.mp4"\r\n\r\n'
        for piece in media_files.padded(movie, 100_000_000):
            yield piece
        yield b"\r\n--b--\r\n"

    before = _new_peak()
    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    answer = await api.post("/media/upload", content=body(), headers=headers, key=owner.key)

    assert answer.status_code == 201, answer.text
    assert answer.json()["size"] == 100_000_000
    assert _peak_mebibytes() - before < 40


def test_the_service_never_loads_the_decoders() -> None:
    """Pillow and FFmpeg in the parent would cost 60 MB, and a crash of theirs would end it."""
    code = (
        "import sys, signalpost.media.routes, signalpost.media.work\n"
        "print([name for name in ('PIL', 'av', 'pi_heif') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_roles_and_scopes(api: Api, make: Make) -> None:
    """Contributors upload; viewers and approvers only read."""
    owner = await make.owner()
    media = (await send(api, owner, media_files.image("PNG"))).json()
    allowed = {}
    for role in ("admin", "editor", "contributor", "approver", "viewer"):
        member = await make.member(owner, role=role)
        assert (await api.get(f"/media/{media['id']}", key=member.key)).status_code == 200
        allowed[role] = (await send(api, member, media_files.image("PNG"))).status_code

    assert allowed == {"admin": 201, "editor": 201, "contributor": 201, "approver": 403, "viewer": 403}
    assert (await api.post("/media/upload", files={"file": ("a", b"x")})).status_code == 401


async def test_files_are_hidden_from_other_workspaces_and_profiles(api: Api, make: Make) -> None:
    owner, stranger = await make.owner(), await make.owner()
    home, other = await make.profile(owner), await make.profile(owner)
    limited = await make.member(owner, role="editor", profile_ids=[home["id"]])
    inside = (await send(api, owner, media_files.image("PNG"), profileId=home["id"])).json()
    outside = (await send(api, owner, media_files.image("PNG"), profileId=other["id"])).json()
    loose = (await send(api, owner, media_files.image("PNG"))).json()
    own = (await send(api, limited, media_files.image("PNG"))).json()

    seen = (await api.get("/media", key=limited.key)).json()["data"]
    assert {media["id"] for media in seen} == {inside["id"], own["id"]}
    for media in (outside, loose):
        for method in ("GET", "PATCH", "DELETE"):
            body = {"json": {}} if method == "PATCH" else {}
            assert (await api.call(method, f"/media/{media['id']}", key=limited.key, **body)).status_code == 404
    for media in (inside, outside, loose, own):
        assert (await api.get(f"/media/{media['id']}", key=stranger.key)).status_code == 404
    assert (await api.get("/media", key=stranger.key)).json()["data"] == []
    refused = await send(api, limited, media_files.image("PNG"), profileId=other["id"])
    assert refused.json()["errors"][0]["path"] == "/profileId"
    assert (await send(api, stranger, media_files.image("PNG"), profileId=home["id"])).status_code == 422


async def test_a_key_for_one_profile_sees_no_loose_files_of_other_keys(api: Api, make: Make) -> None:
    """An agency gives a client a key for their profile: the agency's own files are not theirs, nor another client's."""
    owner = await make.owner()
    client = await api.post("/api-keys", json={"name": "client", "profileIds": [owner.profile]}, key=owner.key)
    key = client.json()["key"]
    agency = (await send(api, owner, media_files.image("PNG"))).json()
    files = {"file": ("a.png", media_files.image("PNG"))}
    own = (await api.post("/media/upload", files=files, key=key)).json()

    assert [media["id"] for media in (await api.get("/media", key=key)).json()["data"]] == [own["id"]]
    assert (await api.get(f"/media/{agency['id']}", key=key)).status_code == 404
    post = {"profileId": owner.profile, "text": "x", "draft": True, "media": [{"mediaId": agency["id"]}]}
    for method, path, body in (
        ("POST", "/posts", post),
        ("PATCH", f"/profiles/{owner.profile}", {"watermarkMediaId": agency["id"]}),
        ("PATCH", f"/profiles/{owner.profile}", {"avatarMediaId": agency["id"]}),
    ):
        refused = await api.call(method, path, json=body, key=key)
        assert [issue["code"] for issue in refused.json()["errors"]] == ["not_found"]
    assert len((await api.get("/media", key=owner.key)).json()["data"]) == 2


async def test_the_list_pages_and_filters(api: Api, make: Make) -> None:
    owner = await make.owner()
    home = await make.profile(owner)
    media_ids = [(await send(api, owner, media_files.image("PNG"))).json()["id"] for _ in range(3)]
    document = (await send(api, owner, media_files.PDF, profileId=home["id"])).json()["id"]

    first = (await api.get("/media", params={"limit": 2}, key=owner.key)).json()
    rest = (await api.get("/media", params={"limit": 2, "cursor": first["nextCursor"]}, key=owner.key)).json()

    assert [media["id"] for media in first["data"] + rest["data"]] == [document, *reversed(media_ids)]
    assert not rest["hasMore"]
    rows = (await api.get("/media", params={"kind": "document"}, key=owner.key)).json()["data"]
    assert [media["id"] for media in rows] == [document]
    rows = (await api.get("/media", params={"profileId": home["id"]}, key=owner.key)).json()["data"]
    assert [media["id"] for media in rows] == [document]
    assert (await api.get("/media", params={"profileId": "x"}, key=owner.key)).status_code == 404
    assert (await api.get("/media", params={"kind": "x"}, key=owner.key)).status_code == 422


async def test_the_alternative_text_can_be_changed_and_cleared(api: Api, make: Make) -> None:
    owner = await make.owner()
    media = (await send(api, owner, media_files.image("PNG"), altText="One")).json()

    changed = await api.patch(f"/media/{media['id']}", json={"altText": "Two"}, key=owner.key)
    untouched = await api.patch(f"/media/{media['id']}", json={}, key=owner.key)
    cleared = await api.patch(f"/media/{media['id']}", json={"altText": None}, key=owner.key)

    assert [answer.json()["altText"] for answer in (changed, untouched, cleared)] == ["Two", "Two", None]


async def test_a_repeated_idempotency_key_returns_the_first_response(api: Api, make: Make) -> None:
    """The streamed body is not part of the fingerprint of a request: a repeated one is not read."""
    owner = await make.owner()
    headers = {"Idempotency-Key": "upload-1"}

    first = await api.post("/media/upload", files={"file": ("a", media_files.PDF)}, headers=headers, key=owner.key)
    again = await api.post("/media/upload", files={"file": ("b", media_files.PDF)}, headers=headers, key=owner.key)

    assert first.status_code == again.status_code == 201
    assert again.json() == first.json()
    assert again.headers["idempotent-replayed"] == "true"
    assert len((await api.get("/media", key=owner.key)).json()["data"]) == 1


async def test_the_next_upload_removes_what_a_killed_process_left(tmp_path: Path) -> None:
    old = tmp_path / "incoming" / "dead"
    old.mkdir(parents=True)
    (old / "file").write_bytes(b"half")

    os.utime(old, (0, 0))

    async with receiver.temporary_folder(tmp_path) as folder:
        assert [entry.name for entry in (tmp_path / "incoming").iterdir()] == [folder.name]
    assert not list((tmp_path / "incoming").iterdir())


async def test_an_upload_that_is_cancelled_at_any_moment_leaves_nothing(tmp_path: Path) -> None:
    """A client that goes away cancels its request; threads that work for it go on to their end."""
    limits = receiver.SizeLimits(file_bytes=10**8, storage_bytes=None, free_bytes_min=0)
    content = media_files.image("JPEG") + bytes(3_000_000)

    async def upload() -> None:
        async with receiver.temporary_folder(tmp_path) as folder:
            file = receiver.FileReceiver(folder, limits, "/file")
            for _ in range(2):
                await file.write(content)

    loop = asyncio.get_running_loop()
    for turns in range(8):
        threads = ThreadPoolExecutor(2)
        loop.set_default_executor(threads)
        uploading = asyncio.create_task(upload())
        for _ in range(turns):
            await asyncio.sleep(0)
        uploading.cancel()
        await asyncio.wait([uploading])
        threads.shutdown()  # when what was begun has ended
        assert list((tmp_path / "incoming").glob("*")) == [], turns
    loop.set_default_executor(ThreadPoolExecutor())


async def test_a_file_part_with_another_name_is_refused_with_the_right_name(api: Api, make: Make) -> None:
    """`-F image=@cat.jpg` used to be treated as a text field that is not valid UTF-8."""
    owner = await make.owner()

    answer = await api.post("/media/upload", files={"image": ("cat.png", b"\xff\xd8")}, key=owner.key)

    assert answer.json()["errors"][0]["path"] == "/image"
    assert "named file" in answer.json()["detail"]
