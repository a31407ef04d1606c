"""Images: cleaned, then decoded to the last pixel, so that what is kept is known to be an image and nothing else."""

import io
import warnings
from pathlib import Path
from typing import Any

from PIL import Image, ImageOps, UnidentifiedImageError

from signalpost.media.file_types import AVIF, GIF, HEIC, JPEG, PNG, FileType
from signalpost.media.probe import boxes, strip
from signalpost.media.probe.errors import damaged, too_big

PIXELS_MAX = 50_000_000
THUMBNAIL_PIXELS = 320
_ORIENTATION = 0x0112


def examine(file: Path, found: FileType, thumbnail: Path) -> dict[str, Any]:
    """Clean the file in place, decode it, write its thumbnail; return what is known of it.

    Raises:
        Rejected
    """
    Image.MAX_IMAGE_PIXELS = PIXELS_MAX
    if found is HEIC:
        import pillow_heif  # noqa: PLC0415 - costs 30 ms that only HEIC needs

        pillow_heif.register_heif_opener(thumbnails=False, decode_threads=1)
    frames, milliseconds, changed = _clean(file, found)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return {"changed": changed, "durationMs": milliseconds if frames > 1 else None} | _decode(
                file, found, thumbnail
            )
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        raise too_big(f"An image has at most {PIXELS_MAX // 1_000_000} million pixels.") from None
    except (
        UnidentifiedImageError,
        OSError,
        SyntaxError,
        ValueError,
        EOFError,
        IndexError,
        Warning,
        RuntimeError,
    ) as error:
        raise damaged() from error


def _clean(file: Path, found: FileType) -> tuple[int, int, bool]:
    """Take metadata out; return frames, milliseconds (both of a GIF only) and whether the bytes changed."""
    if found in (HEIC, AVIF):
        with file.open("r+b") as opened:
            return 1, 0, boxes.blank_picture(opened)
    before = file.read_bytes()
    frames, milliseconds = 1, 0
    if found is GIF:
        after, frames, milliseconds = strip.gif(before)
    else:
        orientation = _orientation(before, found)
        after = {JPEG: strip.jpeg, PNG: strip.png}.get(found, strip.webp)(before, orientation)
    if after != before:
        file.write_bytes(after)
    return frames, milliseconds, after != before


def _orientation(data: bytes, found: FileType) -> int:
    """Return the EXIF orientation, 1 to 8. Broken EXIF is no reason to refuse: it goes away anyway."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with Image.open(io.BytesIO(data), formats=[found.decoder]) as image:
                value = image.getexif().get(_ORIENTATION, 1)
        except Exception:  # noqa: BLE001 - any fault of any parser means: none known
            return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _decode(file: Path, found: FileType, thumbnail: Path) -> dict[str, Any]:
    with Image.open(file, formats=[found.decoder]) as image:
        width, height = image.size
        if width * height > PIXELS_MAX:
            raise Image.DecompressionBombWarning
        # Counting the frames of a GIF decodes them all; `strip` has counted its blocks instead.
        if found is not GIF and getattr(image, "n_frames", 1) > strip.FRAMES_MAX:
            raise too_big(f"An animation has at most {strip.FRAMES_MAX} frames.")
        image.load()
        orientation = image.getexif().get(_ORIENTATION, 1) if found is not HEIC else 1
        save_thumbnail(image, thumbnail)
    if orientation in (5, 6, 7, 8):
        width, height = height, width
    return {"width": width, "height": height}


def save_thumbnail(image: Image.Image, thumbnail: Path) -> None:
    """Write `image`, at most 320 pixels wide and high and turned upright, as WebP without metadata."""
    image.thumbnail((THUMBNAIL_PIXELS, THUMBNAIL_PIXELS))
    upright = ImageOps.exif_transpose(image)
    mode = "RGBA" if upright.has_transparency_data else "RGB"
    upright.convert(mode).save(thumbnail, "WEBP", quality=80, exif=b"", xmp=b"", icc_profile=b"")
