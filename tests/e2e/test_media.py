"""Files as people have them: large ones over bad connections, sent by another client, and photos of phones."""

import asyncio
from io import BytesIO
from pathlib import Path

import pytest
from tests.counterparts import ReferencePds
from tests.helpers import bluesky_proxy, media_files
from tests.helpers.service_process import Api, Service
from tusclient.client import TusClient
from tusclient.uploader import Uploader

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("e2e")]

PIECE = 1_000_000


async def test_a_tus_client_goes_on_after_the_service_was_killed(service: Service, api: Api, tmp_path: Path) -> None:
    """`tuspy`, with a checksum for every piece. What it has sent is not lost, and the file is what it sent."""
    movie = b"".join(media_files.padded(media_files.video(tmp_path), 3 * PIECE))
    client = TusClient(f"{service.base_url}/api/v1/media/uploads", headers={"Authorization": f"Bearer {api.key}"})

    def uploader(url: str | None = None) -> Uploader:
        described = {"filename": "movie.mp4", "filetype": "video/mp4"}
        return client.uploader(
            file_stream=BytesIO(movie), chunk_size=PIECE, metadata=described, url=url, upload_checksum=True
        )

    first = await asyncio.to_thread(uploader)
    await asyncio.to_thread(first.upload_chunk)
    await service.kill()
    await service.start()
    second = await asyncio.to_thread(uploader, first.url)
    offset = second.offset
    await asyncio.to_thread(second.upload)

    assert (offset, second.offset) == (PIECE, 3 * PIECE)
    media = await api.get(f"/media/{str(first.url).rpartition('/')[2]}")
    assert (media["status"], media["kind"], media["size"], media["width"]) == ("ready", "video", 3 * PIECE, 96)


async def test_a_photo_of_a_phone_reaches_bluesky(api: Api, pds: ReferencePds) -> None:
    """Bluesky takes no HEIC, and no image above 2 MB."""
    alice = pds.accounts[0]
    await api.connect("bluesky", identifier=alice.handle, appPassword=alice.app_password, service=pds.url)
    photos = {"photo.heic": media_files.image("HEIF"), "large.png": media_files.image("PNG", size=(1_200, 900))}
    media = [await api.post("/media/upload", files={"file": photo}) for photo in photos.items()]
    assert media[1]["size"] > 2_000_000

    post = await api.publish(["bluesky"], "Two photos", media=[{"mediaId": each["id"]} for each in media])
    published = await api.ends(post)

    record = (await bluesky_proxy.post(pds, published["targets"][0]["platformPostId"]))["value"]
    images = [entry["image"] for entry in record["embed"]["images"]]
    assert [image["mimeType"] for image in images] == ["image/jpeg", "image/jpeg"]
    assert images[1]["size"] <= 2_000_000
