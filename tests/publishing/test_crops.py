"""Parts of pictures as a network receives them: the pixels, once and again, and what is refused."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.helpers import media_files
from tests.helpers.album import Album
from tests.helpers.publishing import StagedNetwork, published

from signalpost import networks
from signalpost.networks.contract import MediaRule, Option, OutcomeUnknown, TryLater

ROOMY = MediaRule(per_post=4, bytes_max=900_000, mime_types=("image/png",))
COLOURS = {"red": (255, 0, 0), "lime": (0, 255, 0), "blue": (0, 0, 255), "white": (255, 255, 255)}


def quarters(*, turned: bool = False) -> bytes:
    """Red and lime above blue and white, 80 x 60 each; `turned`: stored on its side, with EXIF that says so."""
    image, out = Image.new("RGB", (160, 120)), io.BytesIO()
    for place, colour in zip(((0, 0), (80, 0), (0, 60), (80, 60)), COLOURS, strict=True):
        image.paste(colour, (*place, place[0] + 80, place[1] + 60))
    exif = Image.Exif()
    if turned:
        image, exif[0x0112] = image.transpose(Image.Transpose.ROTATE_90), 6
    image.save(out, "PNG", exif=exif)
    return out.getvalue()


def colours(content: bytes) -> tuple[tuple[int, int], list[Any]]:
    """Return the size of a picture and the colours of its four corners."""
    with Image.open(io.BytesIO(content)) as image:
        right, low = image.width - 1, image.height - 1
        return image.size, [image.convert("RGB").getpixel(at) for at in ((0, 0), (right, 0), (0, low), (right, low))]


@pytest.fixture(autouse=True)
def roomy(album: Album, monkeypatch: pytest.MonkeyPatch) -> None:
    """A network that converts nothing by itself, and that cuts to squares where a post says so."""
    connector = networks.CONNECTORS["stage"]
    rule = replace(ROOMY, ratio_min=1.0, ratio_max=1.0)
    options = {"fit": Option(type=str, description="What becomes of other shapes.")}
    facts = replace(connector.facts, media={"image": rule}, options=options)
    monkeypatch.setitem(networks.CONNECTORS, "stage", replace(connector, facts=facts))


def cut(media_id: str, **crop: float) -> dict[str, Any]:
    whole = {"x": 0, "y": 0, "width": 1, "height": 1}
    return {"mediaId": media_id, "altText": "A cat", "crops": {"stage": whole | crop}}


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("auto_fit", [False, True])
async def test_the_network_receives_the_part(
    stage: StagedNetwork, album: Album, *, turned: bool, auto_fit: bool
) -> None:
    picture = await album.upload(quarters(turned=turned))
    entry = cut(picture, x=0.5, width=0.5)

    checked = await album.validate(media=[entry], autoFit=auto_fit)
    created = await album.create(media=[entry], autoFit=auto_fit)
    await stage.work()

    [derived] = checked["targets"][0]["derivedMedia"]
    assert derived["part"] == {"left": 80, "top": 0, "width": 80, "height": 120}
    assert (derived["rules"], derived["width"], derived["height"]) == (["stage.media.crop"], 80, 120)
    assert (await stage.status(created.json()["id"]))["status"] == "published"
    [(sent, content)] = album.files
    assert colours(content) == ((80, 120), [COLOURS[name] for name in ("lime", "lime", "white", "white")])
    assert (sent.width, sent.height, sent.alt_text) == (80, 120, "A cat")
    media = (await stage.make.api.get(f"/media/{picture}", key=stage.owner.key)).json()
    assert [(form["purpose"], form["width"], form["height"]) for form in media["variants"]] == [("crop", 80, 120)]


async def test_the_shape_is_cut_at_the_focal_point_of_the_file(stage: StagedNetwork, album: Album) -> None:
    picture, api, key = await album.upload(quarters()), stage.make.api, stage.owner.key
    seen = []
    for text, point in (("one", None), ("two", {"x": 1, "y": 0.5}), ("three", {"x": 0, "y": 0})):
        changed = await api.patch(f"/media/{picture}", json={"focalPoint": point}, key=key)
        assert (changed.status_code, changed.json()["focalPoint"]) == (200, point), changed.text
        body = {"options": {"stage": {"fit": "crop"}}, "text": text}
        checked = await album.validate(media=[picture], **body)
        await album.create(media=[picture], **body)
        await stage.work()
        [(_, content)] = album.files
        seen.append((checked["targets"][0]["derivedMedia"][0]["part"]["left"], colours(content)[1][:2]))

    red, lime = COLOURS["red"], COLOURS["lime"]
    assert seen == [(20, [red, lime]), (40, [red, lime]), (0, [red, lime])]


async def test_a_retry_and_a_search_have_the_same_bytes_though_the_focal_point_was_moved(
    stage: StagedNetwork, album: Album
) -> None:
    picture = await album.upload(quarters())
    seen: list[bytes] = []

    async def lose(session: Any, outgoing: Any, journal: Any) -> Any:
        seen.append(outgoing.media[0].sha256)
        if len(seen) == 1:
            return TryLater(message="out of order", code="platform_unavailable")
        await journal.intend("part:0", {})
        return OutcomeUnknown(message="lost")

    async def find(session: Any, outgoing: Any, journal: Any) -> Any:
        seen.append(outgoing.media[0].sha256)
        return published()

    stage.publish, stage.reconcile = lose, find
    created = await album.create(media=[picture], options={"stage": {"fit": "crop"}})
    await stage.work()
    await stage.pass_time(created.json()["id"])
    body = {"focalPoint": {"x": 0, "y": 0}}
    assert (await stage.make.api.patch(f"/media/{picture}", json=body, key=stage.owner.key)).status_code == 200
    await stage.pass_time(created.json()["id"])

    assert (await stage.status(created.json()["id"]))["status"] == "published"
    assert (len(seen), len(set(seen))) == (3, 1)
    media = (await stage.make.api.get(f"/media/{picture}", key=stage.owner.key)).json()
    assert len(media["variants"]) == 1, "nothing was made twice"


async def test_what_cannot_be_cut_is_refused_at_its_place(stage: StagedNetwork, album: Album, tmp_path: Path) -> None:
    picture, movie, gif = [
        await album.upload(content, name)
        for content, name in (
            (quarters(), "a.png"), (media_files.video(tmp_path), "b.mp4"), (media_files.animation(3), "c.gif"),
        )
    ]  # fmt: skip
    beyond, elsewhere = cut(picture, x=0.6, width=0.5), cut(picture)
    elsewhere["crops"] = {"stag": elsewhere["crops"]["stage"]}
    twice = [cut(picture, width=0.5), cut(picture, x=0.5, width=0.5)]
    empty, many = cut(picture, height=0), cut(picture)
    many["crops"] = {f"network{number}": many["crops"]["stage"] for number in range(len(networks.PLATFORMS) + 1)}
    cases: list[tuple[list[dict[str, Any]], str, str]] = [
        ([cut(movie)], "/media/0/crops", "not_allowed"),
        ([cut(gif)], "/media/0/crops", "not_allowed"),
        ([beyond], "/media/0/crops/stage/width", "out_of_range"),
        ([elsewhere], "/media/0/crops/stag", "not_found"),
        ([many], "/media/0/crops", "too_long"),
        (twice, "/media/1/crops", "not_allowed"),
        ([empty], "/media/0/crops/stage/height", "out_of_range"),
    ]

    for media, path, code in cases:
        refused = await album.create(media=media)
        assert refused.status_code == 422, (path, refused.text)
        assert (path, code) in [(error["path"], error["code"]) for error in refused.json()["errors"]], refused.text


async def test_a_draft_and_each_change_keep_the_part(stage: StagedNetwork, album: Album) -> None:
    picture, api, key = await album.upload(quarters()), stage.make.api, stage.owner.key
    entry = cut(picture, x=0.5, width=0.5)
    own = [{"accountId": await stage.account("two"), "media": [cut(picture, width=0.5)]}]
    body = {"profileId": stage.owner.profile, "text": "x", "draft": True, "media": [entry], "targets": own}
    draft = (await api.post("/posts", json=body, key=key)).json()

    changed = (await api.patch(f"/posts/{draft['id']}", json={"text": "y"}, key=key)).json()
    history = (await api.get(f"/posts/{draft['id']}/audit", key=key)).json()["data"]

    assert {change["field"] for entry in history for change in entry["changes"] or ()} == {"text"}, "no more changed"
    for kept in (draft, changed):
        assert kept["media"][0]["crops"] == entry["crops"]
        assert kept["targets"][0]["media"][0]["crops"]["stage"]["width"] == 0.5
