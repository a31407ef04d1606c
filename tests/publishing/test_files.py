"""Files that a network would refuse as they are: announced by validate, made when the post is published."""

import hashlib
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.helpers import media_files
from tests.helpers.album import RULE, VIDEO_RULE, Album
from tests.helpers.media import encode_videos
from tests.helpers.publishing import StagedNetwork, published

from signalpost import networks
from signalpost.accounts.platforms import fetch_url
from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.media import probe_process
from signalpost.networks.contract import OutcomeUnknown, TryLater

SIZE = (400, 300)


async def test_an_image_is_sent_in_a_form_that_the_network_takes(stage: StagedNetwork, album: Album) -> None:
    large = await album.upload(media_files.image("PNG", orientation=1, size=SIZE))
    good = await album.upload(media_files.image("JPEG", orientation=1), "small.jpg")

    checked = await album.validate(media=[large, good])
    created = await album.create(media=[large, good])
    await stage.work()

    assert (checked["valid"], checked["errors"]) == (True, [])
    assert checked["targets"][0]["derivedMedia"] == [
        {
            "mediaId": large, "mimeType": "image/jpeg", "maxSize": 9_000, "width": 230, "height": 173, "part": None,
            "rules": ["stage.media.mime_type", "stage.media.max_bytes", "stage.media.max_pixels"],
        }
    ]  # fmt: skip
    assert created.status_code == 201, created.text
    assert (await stage.status(created.json()["id"]))["status"] == "published"
    [(sent, content), (untouched, _)] = album.files
    assert (sent.mime_type, sent.file_name, sent.alt_text) == ("image/jpeg", "cat.jpg", "A cat")
    assert (len(content), hashlib.sha256(content).digest()) == (sent.size_bytes, sent.sha256)
    assert sent.size_bytes <= RULE.bytes_max
    with Image.open(io.BytesIO(content)) as image:
        assert (image.format, image.size) == ("JPEG", (sent.width, sent.height))
        assert image.width * image.height <= (RULE.pixels_max or 0)
    assert untouched.file_name == "small.jpg"
    media = (await stage.make.api.get(f"/media/{large}", key=stage.owner.key)).json()
    assert [(variant["platform"], variant["size"]) for variant in media["variants"]] == [("stage", sent.size_bytes)]


async def test_a_video_is_sent_in_the_container_that_the_network_takes(
    stage: StagedNetwork, album: Album, tmp_path: Path
) -> None:
    """As telephones record it: what it contains is sent as it is."""
    movie = await album.upload(media_files.video(tmp_path, "mov", sound=True), "cat.mov")

    checked = await album.validate(media=[movie])
    as_it_is = await album.create(media=[movie], autoFit=False)
    created = await album.create(media=[movie])
    await stage.work()

    assert [(each["mimeType"], each["rules"]) for each in checked["targets"][0]["derivedMedia"]] == [
        ("video/mp4", ["stage.media.mime_type"])
    ]
    assert [error["code"] for error in as_it_is.json()["errors"]] == ["stage.media.mime_type"]
    assert (await stage.status(created.json()["id"]))["status"] == "published"
    [(sent, content)] = album.files
    assert (sent.mime_type, sent.file_name, sent.video_codec) == ("video/mp4", "cat.mp4", "mpeg4")
    assert (len(content), hashlib.sha256(content).digest()) == (sent.size_bytes, sent.sha256)
    assert content[4:8] == b"ftyp"


async def test_a_video_is_encoded_while_the_post_is_processing(
    stage: StagedNetwork, album: Album, context: AppContext, tmp_path: Path
) -> None:
    """Two posts wait for one encoding, which a job does; a third one needs none."""
    movie = await album.upload(media_files.video(tmp_path, "webm", codec="libvpx"), "cat.webm")
    checked = await album.validate(media=[movie])
    posts = [(await album.create(media=[movie], text=text)).json()["id"] for text in ("one", "two")]
    await stage.work(2)

    assert checked["errors"] == []
    [derived] = checked["targets"][0]["derivedMedia"]
    assert (derived["mimeType"], derived["rules"]) == ("video/mp4", ["stage.media.mime_type"])
    assert [(await stage.status(post))["status"] for post in posts] == ["publishing", "publishing"]
    assert [(await stage.target(post))["status"] for post in posts] == ["processing", "processing"]
    await stage.pass_time(posts[0])
    assert ((await stage.target(posts[0]))["status"], album.files) == ("processing", [])

    assert await encode_videos(context) == 1
    for post in posts:
        await stage.pass_time(post)
    posts.append((await album.create(media=[movie], text="three")).json()["id"])
    await stage.work()

    assert [(await stage.status(post))["status"] for post in posts] == ["published"] * 3
    sent, content = album.files[0]
    assert (sent.mime_type, sent.file_name, sent.video_codec) == ("video/mp4", "cat.mp4", "h264")
    assert (len(content), hashlib.sha256(content).digest()) == (sent.size_bytes, sent.sha256)
    assert await encode_videos(context) == 0


async def test_an_animated_gif_is_sent_as_a_video_where_the_network_wants_one(
    stage: StagedNetwork, album: Album, context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    connector = networks.CONNECTORS["stage"]
    facts = replace(connector.facts, gif_as_video=True)
    monkeypatch.setitem(networks.CONNECTORS, "stage", replace(connector, facts=facts))
    frames, content = [Image.new("RGB", (64, 48), (20 * number, 0, 0)) for number in range(12)], io.BytesIO()
    frames[0].save(content, "GIF", save_all=True, append_images=frames[1:], duration=100)
    gif = await album.upload(content.getvalue(), "cat.gif")
    checked = await album.validate(media=[gif])
    post = (await album.create(media=[gif])).json()["id"]
    await stage.work()
    assert await encode_videos(context) == 1
    await stage.pass_time(post)

    [derived] = checked["targets"][0]["derivedMedia"]
    assert (derived["mimeType"], derived["rules"]) == ("video/mp4", ["stage.media.kind"])
    assert (await stage.status(post))["status"] == "published"
    [(sent, video)] = album.files
    assert (sent.kind, sent.is_animation, sent.mime_type, sent.file_name) == ("video", True, "video/mp4", "cat.mp4")
    assert hashlib.sha256(video).digest() == sent.sha256


async def test_a_video_that_is_not_encoded_after_all_fails_the_post(
    stage: StagedNetwork, album: Album, context: AppContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a network error after the encoding is retried like any other."""
    movie = await album.upload(media_files.video(tmp_path, "webm", codec="libvpx"), "cat.webm")
    post = (await album.create(media=[movie])).json()["id"]
    await stage.work()
    with monkeypatch.context() as patch:
        patch.setattr(probe_process, "ENCODE_WALL_SECONDS", -2)
        assert await encode_videos(context) == 1
    await stage.pass_time(post)

    failed = await stage.status(post)
    assert failed["status"] == "failed"
    assert [target["error"]["code"] for target in failed["targets"]] == ["media_processing_failed"]

    stage.publish = fails_once = FailsOnce(album)
    retried = await stage.make.api.post(f"/posts/{post}/retry", key=stage.owner.key)
    assert retried.status_code == 201, retried.text
    await stage.work()
    assert await encode_videos(context) == 1
    await stage.pass_time(post)
    assert (await stage.target(post))["status"] == "retrying"
    await stage.pass_time(post)
    assert (await stage.status(post))["status"] == "published"
    assert fails_once.calls == 2


class FailsOnce:
    """A network that is out of order when it is asked first."""

    def __init__(self, album: Album) -> None:
        self._album, self.calls = album, 0

    async def __call__(self, session: Any, outgoing: Any, journal: Any) -> Any:
        self.calls += 1
        if self.calls == 1:
            return TryLater(message="out of order", code="platform_unavailable")
        return await self._album.publish(session, outgoing, journal)


async def test_a_video_that_no_encoding_can_help_is_refused_with_its_limits(
    stage: StagedNetwork, album: Album, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    narrow = replace(VIDEO_RULE, bytes_max=4_000, mime_types=())
    facts = replace(stage.connector.facts, media={"video": replace(narrow, mime_types=("video/mp4",))})
    monkeypatch.setitem(networks.CONNECTORS, "stage", replace(stage.connector, facts=facts))
    content = media_files.video(tmp_path)
    movie = await album.upload(content, "cat.mp4")

    refused = await album.create(media=[movie])

    [error] = refused.json()["errors"]
    assert (error["code"], error["params"]["limit"]) == ("stage.media.max_bytes", 4_000)
    assert error["params"]["actual"] > 4_000


async def test_without_auto_fit_the_post_is_refused(album: Album) -> None:
    large = await album.upload(media_files.image("PNG", size=SIZE))

    checked = await album.validate(media=[large], autoFit=False)
    refused = await album.create(media=[large], autoFit=False)

    assert checked["targets"][0]["derivedMedia"] == []
    codes = {"stage.media.mime_type", "stage.media.max_bytes", "stage.media.max_pixels"}
    assert {error["code"] for error in checked["errors"]} == codes
    assert (refused.status_code, {error["code"] for error in refused.json()["errors"]}) == (422, codes)


async def test_what_cannot_be_converted_is_refused_as_before(album: Album) -> None:
    moving = await album.upload(media_files.animation(3), "a.gif")

    refused = await album.create(media=[moving])

    assert [error["code"] for error in refused.json()["errors"]] == ["stage.media.kind"]


async def test_the_watermark_of_the_profile_is_put_on_images(stage: StagedNetwork, album: Album) -> None:
    red, white = io.BytesIO(), io.BytesIO()
    Image.new("RGB", (500, 500), "red").save(red, "PNG")
    Image.new("RGB", (200, 150), "white").save(white, "JPEG")
    mark, picture = await album.upload(red.getvalue()), await album.upload(white.getvalue())
    changed = {"watermarkMediaId": mark}
    await stage.make.api.patch(f"/profiles/{stage.owner.profile}", json=changed, key=stage.owner.key)

    await album.create(media=[picture])
    await stage.work()

    [(sent, content)] = album.files
    with Image.open(io.BytesIO(content)) as image:
        corner, middle = image.getpixel((190, 140)), image.getpixel((50, 50))
    assert isinstance(corner, tuple)
    assert (corner[0] > 200, corner[1] < 60, middle) == (True, True, (255, 255, 255))
    media = (await stage.make.api.get(f"/media/{picture}", key=stage.owner.key)).json()
    assert [variant["purpose"] for variant in media["variants"]] == ["watermark"]
    assert sent.mime_type == "image/jpeg"


@pytest.mark.parametrize("takes_one", [True, False])
async def test_the_picture_that_stands_for_a_video_is_sent_with_it(
    stage: StagedNetwork, album: Album, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, takes_one: bool
) -> None:
    """If the network takes one, in a form that it takes; one that is gone keeps no post back."""
    facts = replace(networks.CONNECTORS["stage"].facts, thumbnail=RULE if takes_one else None)
    monkeypatch.setitem(networks.CONNECTORS, "stage", replace(networks.CONNECTORS["stage"], facts=facts))
    movie = await album.upload(media_files.video(tmp_path), "cat.mp4")
    picture = await album.upload(media_files.image("PNG", orientation=1, size=SIZE))
    entry = {"mediaId": movie, "altText": "A cat", "thumbnailMediaId": picture}
    media: Any = [entry]
    posted = {"profileId": stage.owner.profile, "platforms": ["stage"], "text": "x", "media": media}
    for text in ("one", "two"):
        created = await stage.make.api.post("/posts", json=posted | {"text": text}, key=stage.owner.key)
        if text == "two":
            await stage.execute("delete from media where id = $1", ids.decode("med", picture))
        await stage.work()
        assert (await stage.status(created.json()["id"]))["status"] == "published"
        [(sent, _)] = album.files
        if takes_one and text == "one":
            assert (sent.thumbnail.mime_type, sent.thumbnail.size_bytes <= RULE.bytes_max) == ("image/jpeg", True)
            assert hashlib.sha256(await sent.thumbnail.bytes()).digest() == sent.thumbnail.sha256
        else:
            assert sent.thumbnail is None
        assert sent.alt_text == "A cat"


async def test_a_watermark_that_is_not_an_image_spoils_no_post(stage: StagedNetwork, album: Album) -> None:
    mark = await album.upload(media_files.PDF, "terms.pdf")
    picture = await album.upload(media_files.image("JPEG", orientation=1))
    changed = {"watermarkMediaId": mark}
    await stage.make.api.patch(f"/profiles/{stage.owner.profile}", json=changed, key=stage.owner.key)

    await album.create(media=[picture])
    await stage.work()

    media = (await stage.make.api.get(f"/media/{picture}", key=stage.owner.key)).json()
    assert len(album.files) == 1
    assert media["variants"] == []


async def test_the_post_is_looked_for_with_the_form_that_was_sent(stage: StagedNetwork, album: Album) -> None:
    """A file that is made again could differ by a byte, and some networks name files by their checksum."""
    large = await album.upload(media_files.image("PNG", size=SIZE))
    seen: list[bytes] = []

    async def lose(session: Any, outgoing: Any, journal: Any) -> Any:
        seen.append(outgoing.media[0].sha256)
        await journal.intend("part:0", {})
        return OutcomeUnknown(message="lost")

    async def find(session: Any, outgoing: Any, journal: Any) -> Any:
        seen.append(outgoing.media[0].sha256)
        return published()

    stage.publish, stage.reconcile = lose, find
    post = (await album.create(media=[large])).json()["id"]
    await stage.work()
    await stage.pass_time(post)

    assert (await stage.status(post))["status"] == "published"
    assert len(seen) == 2
    assert len(set(seen)) == 1


async def test_a_network_can_download_the_form_that_it_takes(
    stage: StagedNetwork, album: Album, context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = await album.upload(media_files.image("PNG", orientation=1, size=SIZE))
    good = await album.upload(media_files.image("JPEG", orientation=1), "small.jpg")
    monkeypatch.setattr(context, "settings", replace(context.settings, base_url="https://posts.example.com"))

    await album.create(media=[large, good])
    await stage.work()

    for sent, content in album.files:
        url = sent.url()
        served = await stage.make.api.get(url.removeprefix("https://posts.example.com/api/v1"))
        assert (served.content, served.headers["content-type"]) == (content, "image/jpeg")
    derived = album.files[0][0].url().removeprefix("https://posts.example.com/api/v1")
    for changed in (derived.replace("&form=", "&form=0"), derived.partition("&form=")[0]):
        assert (await stage.make.api.get(changed)).status_code == 404


@pytest.mark.parametrize(
    ("base_url", "reachable"),
    [
        (None, False),
        ("https://posts.example.com", True),
        ("http://posts.example.com", False),
        ("https://localhost:8000", False),
        ("https://posts.local", False),
        ("https://nas", False),
        ("https://192.168.1.5", False),
        ("https://[fd00::1]", False),
        ("https://93.184.216.34", True),
    ],
)
def test_networks_reach_public_addresses_only(context: AppContext, base_url: str | None, *, reachable: bool) -> None:
    settings = replace(context.settings, base_url=base_url)
    connector = networks.CONNECTORS["bluesky"]

    assert fetch_url(replace(context, settings=settings), connector) == (base_url if reachable else None)

    own = replace(settings, networks={"BLUESKY_BASE_URL": "http://127.0.0.1:9"})
    assert fetch_url(replace(context, settings=own), connector) == (base_url or context.listening_url)
