"""Other forms of an image: made in the confined process, within the limits, once for each need."""

import io
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image
from tests.helpers import media_files
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.media import sweep

from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.kit.frames import FrameLimits
from signalpost.media import file_types, probe_process, queries
from signalpost.media.actions import derive
from signalpost.media.actions.derive import Derivation
from signalpost.media.probe_process import DeriveResult, DeriveSpec, Rejection

JPEG, PNG, WEBP = "image/jpeg", "image/png", "image/webp"


def transparent() -> bytes:
    out = io.BytesIO()
    Image.new("RGBA", (60, 60), (255, 0, 0, 0)).save(out, "PNG")
    return out.getvalue()


CASES: dict[str, tuple[bytes, str, DeriveSpec, str, tuple[int, int] | None]] = {
    "another type": (
        media_files.image("HEIF", orientation=1), "image/heic", DeriveSpec((JPEG, PNG), 100_000), JPEG, (64, 48),
    ),
    "upright": (media_files.image("JPEG"), JPEG, DeriveSpec((JPEG,), 100_000), JPEG, (48, 64)),
    "fewer bytes": (media_files.image("PNG", size=(400, 300)), PNG, DeriveSpec((JPEG,), 9_000), JPEG, None),
    "fewer pixels": (
        media_files.image("WEBP", orientation=1), WEBP,
        DeriveSpec((WEBP, PNG), 100_000, FrameLimits(768)), WEBP, (32, 24),
    ),
    "cropped": (
        media_files.image("PNG", size=(400, 800), orientation=1), PNG,
        DeriveSpec((JPEG,), 100_000, FrameLimits(side_long_max=400, ratio_min=0.75, ratio_max=1.91, reshape="crop")),
        JPEG, (300, 400),
    ),
    "padded": (
        media_files.image("PNG", size=(764, 100), orientation=1), PNG,
        DeriveSpec((JPEG,), 100_000, FrameLimits(side_long_max=382, ratio_min=0.75, ratio_max=1.91, reshape="pad")),
        JPEG, (382, 200),
    ),
    "short sides": (
        media_files.image("PNG", size=(400, 300), orientation=1), PNG,
        DeriveSpec((JPEG,), 100_000, FrameLimits(side_short_max=108, side_long_max=192)), JPEG, (144, 108),
    ),
    "long sides": (
        media_files.image("PNG", size=(300, 900), orientation=1), PNG,
        DeriveSpec((JPEG,), 100_000, FrameLimits(side_short_max=108, side_long_max=192)), JPEG, (64, 192),
    ),
    "transparent": (transparent(), PNG, DeriveSpec((JPEG, WEBP), 100_000), WEBP, (60, 60)),
    "transparent where nothing is": (transparent(), PNG, DeriveSpec((JPEG,), 100_000), JPEG, (60, 60)),
    "a moving one": (media_files.animation(7), "image/gif", DeriveSpec((PNG,), 100_000), PNG, (2, 2)),
}  # fmt: skip


async def test_an_image_becomes_what_is_needed(tmp_path: Path) -> None:
    for name, (content, mime_type, spec, expected, size) in CASES.items():
        (tmp_path / "file").write_bytes(content)

        result = await probe_process.derive(
            tmp_path / "file", file_types.ALLOWED[mime_type], tmp_path / "output", spec, None
        )

        assert isinstance(result, DeriveResult), (name, result)
        assert result.mime_type == expected, name
        assert size is None or (result.width, result.height) == size, name
        written = (tmp_path / "output").read_bytes()
        assert len(written) <= spec.bytes_max, name
        assert media_files.SECRET not in written, name
        with Image.open(io.BytesIO(written)) as image:
            assert (image.width, image.height, Image.MIME[image.format or ""]) == (
                result.width, result.height, expected,
            ), name  # fmt: skip
            assert not image.getexif(), name
        assert (tmp_path / "file").read_bytes() == content, name


async def test_what_transparent_parts_show_is_white_where_nothing_can_be_transparent(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(transparent())

    spec = DeriveSpec((JPEG,), 100_000)
    await probe_process.derive(tmp_path / "file", file_types.PNG, tmp_path / "output", spec, None)

    with Image.open(tmp_path / "output") as image:
        assert image.getpixel((30, 30)) == (255, 255, 255)


async def test_a_padded_image_stands_in_the_middle_of_white_and_a_cropped_one_keeps_its_middle(tmp_path: Path) -> None:
    out = io.BytesIO()
    tall = Image.new("RGB", (100, 400), "red")
    tall.paste("blue", (0, 150, 100, 250))
    tall.save(out, "PNG")
    (tmp_path / "file").write_bytes(out.getvalue())
    shown: dict[str, list[Any]] = {}
    for how in ("pad", "crop"):
        frame = FrameLimits(ratio_min=0.75, ratio_max=1.91, reshape=how)  # type: ignore[arg-type]  # one of both
        spec = DeriveSpec((PNG,), 100_000, frame)
        await probe_process.derive(tmp_path / "file", file_types.PNG, tmp_path / "output", spec, None)
        with Image.open(tmp_path / "output") as image:
            middle = image.width // 2, image.height // 2
            shown[how] = [image.size, image.getpixel((2, 2)), image.getpixel(middle)]

    red, blue, white = (255, 0, 0), (0, 0, 255), (255, 255, 255)
    assert shown == {"pad": [(300, 400), white, blue], "crop": [(100, 133), red, blue]}


async def test_a_watermark_is_in_the_lower_right_corner(tmp_path: Path) -> None:
    out = io.BytesIO()
    Image.new("RGB", (200, 100), "white").save(out, "PNG")
    (tmp_path / "file").write_bytes(out.getvalue())
    Image.new("RGB", (500, 500), "red").save(tmp_path / "mark", "PNG")

    spec = DeriveSpec((PNG,), 100_000, watermark_type=PNG)
    result = await probe_process.derive(tmp_path / "file", file_types.PNG, tmp_path / "output", spec, tmp_path / "mark")

    assert isinstance(result, DeriveResult)
    with Image.open(tmp_path / "output") as image:
        assert image.getpixel((190, 90)) == (255, 0, 0)
        assert image.getpixel((199, 99)) == image.getpixel((100, 50)) == (255, 255, 255)


async def test_what_cannot_be_made_small_enough_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(media_files.image("PNG"))
    (tmp_path / "bomb").write_bytes(media_files.pixel_bomb())

    tiny = await probe_process.derive(
        tmp_path / "file", file_types.PNG, tmp_path / "output", DeriveSpec((PNG,), 40), None
    )
    bomb = await probe_process.derive(
        tmp_path / "bomb", file_types.PNG, tmp_path / "output", DeriveSpec((PNG,), 10**6), None
    )

    assert [each.code for each in (tiny, bomb) if isinstance(each, Rejection)] == ["out_of_range", "out_of_range"]


async def upload(api: Api, who: Login, content: bytes) -> dict[str, Any]:
    media: dict[str, Any] = (await api.post("/media/upload", files={"file": ("a.png", content)}, key=who.key)).json()
    return media


async def row_of(context: AppContext, media: dict[str, Any]) -> queries.MediaRow:
    media_id = ids.decode("med", media["id"])
    assert media_id
    async with context.database.connection() as db:
        row = await queries.with_bytes(db, media_id)
    assert row
    return row


async def test_a_form_is_made_once_shown_and_removed_with_its_file(api: Api, make: Make, context: AppContext) -> None:
    owner = await make.owner()
    media = await upload(api, owner, media_files.image("PNG", size=(400, 300)))
    need = Derivation("bluesky", (JPEG,), 20_000, FrameLimits())

    first = await derive.derive_variant(context, await row_of(context, media), need, tenant=None)
    row = await row_of(context, media)
    again = await derive.derive_variant(context, row, need, tenant=None)
    await derive.derive_variant(context, without_variants(row), need, tenant=None)

    assert again == first
    shown = (await api.get(f"/media/{media['id']}", key=owner.key)).json()["variants"]
    served = await api.get(shown[0].pop("url").partition("/api/v1")[2])
    assert (len(served.content), served.headers["content-type"]) == (first.size_bytes, JPEG)
    assert shown == [
        {
            "platform": "bluesky", "purpose": "feed", "mimeType": JPEG, "size": first.size_bytes,
            "width": first.width, "height": first.height,
        }
    ]  # fmt: skip
    assert first.size_bytes <= 20_000
    assert await context.storage.size(first.storage_path) == first.size_bytes
    assert (await api.delete(f"/media/{media['id']}", key=owner.key)).status_code == 200
    await sweep(context)
    assert await context.storage.size(first.storage_path) is None


def without_variants(row: queries.MediaRow) -> queries.MediaRow:
    """The row as another worker has read it before the form was made."""
    return msgspec.structs.replace(row, variants=[])


@pytest.mark.parametrize("field", ["watermarkMediaId", "avatarMediaId"])
async def test_a_picture_of_a_profile_is_kept(api: Api, make: Make, context: AppContext, field: str) -> None:
    """Nobody sees it in a post's list of files, so nothing else would keep the sweep from removing it."""
    owner = await make.owner()
    mark = await upload(api, owner, media_files.image("PNG"))
    changed = await api.patch(f"/profiles/{owner.profile}", json={field: mark["id"]}, key=owner.key)
    assert changed.status_code == 200, changed.text
    async with context.database.transaction() as db:
        await db.execute("update media set expires_at = now() where workspace_id = $1", owner.workspace_id)

    await sweep(context)
    refused = await api.delete(f"/media/{mark['id']}", key=owner.key)

    assert (refused.status_code, refused.json()["code"]) == (409, "invalid_state")
    assert (await api.get(f"/media/{mark['id']}", key=owner.key)).json()["usedByPosts"] == 0
    await api.patch(f"/profiles/{owner.profile}", json={field: None}, key=owner.key)
    assert (await api.delete(f"/media/{mark['id']}", key=owner.key)).status_code == 200
