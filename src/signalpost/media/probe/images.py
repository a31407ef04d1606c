"""Images: metadata is removed, then every pixel is decoded, which proves that the stored file is an image only."""

import io
import warnings
from typing import IO, Any

from PIL import (
    AvifImagePlugin,
    GifImagePlugin,
    Image,
    ImageOps,
    JpegImagePlugin,
    MpoImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    UnidentifiedImageError,
    WebPImagePlugin,
)

from signalpost.media.file_types import AVIF, GIF, HEIC, JPEG, PNG, FileType
from signalpost.media.probe import boxes, strip
from signalpost.media.probe.errors import damaged, too_large

PIXELS_MAX = 50_000_000
THUMBNAIL_PIXELS = 320
_ORIENTATION = 0x0112
_PLUGINS = (
    AvifImagePlugin, GifImagePlugin, JpegImagePlugin, MpoImagePlugin, PngImagePlugin, TiffImagePlugin, WebPImagePlugin,
)  # fmt: skip
"""Pillow would import them when it meets the first file that needs them; by then no module can be imported."""


def prepare(file_type: FileType) -> None:
    """Import what the type needs."""
    Image.preinit()
    if file_type is HEIC:
        import pi_heif  # noqa: PLC0415 - costs 30 ms that only HEIC needs

        pi_heif.register_heif_opener(thumbnails=False, decode_threads=1)


def examine(file: IO[bytes], file_type: FileType, thumbnail: IO[bytes]) -> dict[str, Any]:
    """Remove metadata in place, decode the image, write its thumbnail; return the fields of `ProbeResult`.

    Raises:
        InvalidFile: it is damaged, or too large to decode.
    """
    Image.MAX_IMAGE_PIXELS = PIXELS_MAX
    frames, milliseconds, changed = _remove_metadata(file, file_type)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return {"changed": changed, "duration_ms": milliseconds if frames > 1 else None} | _decode(
                file, file_type, thumbnail
            )
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        raise too_large(f"An image may have at most {PIXELS_MAX // 1_000_000} million pixels.") from None
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


def _remove_metadata(file: IO[bytes], file_type: FileType) -> tuple[int, int, bool]:
    """Return the number of frames, their milliseconds (both for a GIF only) and whether the bytes changed."""
    if file_type in (HEIC, AVIF):
        return 1, 0, boxes.blank_image(file)
    before = file.read()
    frames, milliseconds = 1, 0
    if file_type is GIF:
        after, frames, milliseconds = strip.gif(before)
    else:
        orientation = _orientation(before, file_type)
        after = {JPEG: strip.jpeg, PNG: strip.png}.get(file_type, strip.webp)(before, orientation)
    if after != before:
        file.seek(0)
        file.write(after)
        file.truncate()
    return frames, milliseconds, after != before


def _orientation(data: bytes, file_type: FileType) -> int:
    """Return the EXIF orientation, 1 to 8. Broken EXIF does not matter: it is removed anyway."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with Image.open(io.BytesIO(data), formats=[file_type.decoder]) as image:
                value = image.getexif().get(_ORIENTATION, 1)
        except Exception:  # noqa: BLE001 - whatever a parser raises, there is no readable orientation
            return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _decode(file: IO[bytes], file_type: FileType, thumbnail: IO[bytes]) -> dict[str, Any]:
    file.seek(0)
    with Image.open(file, formats=[file_type.decoder]) as image:
        width, height = image.size
        if width * height > PIXELS_MAX:
            raise Image.DecompressionBombWarning
        # Counting the frames of a GIF decodes them all; `strip` counted its blocks instead.
        if file_type is not GIF and getattr(image, "n_frames", 1) > strip.FRAMES_MAX:
            raise too_large(f"An animation may have at most {strip.FRAMES_MAX} frames.")
        image.load()
        orientation = image.getexif().get(_ORIENTATION, 1) if file_type is not HEIC else 1
        # A HEIC file with several images is loaded at each step again, at its full size.
        save_thumbnail(image.copy() if file_type is HEIC and getattr(image, "n_frames", 1) > 1 else image, thumbnail)
    if orientation in (5, 6, 7, 8):
        width, height = height, width
    return {"width": width, "height": height}


def save_thumbnail(image: Image.Image, thumbnail: IO[bytes]) -> None:
    """Write `image` as an upright WebP without metadata, at most 320 pixels wide and high."""
    image.thumbnail((THUMBNAIL_PIXELS, THUMBNAIL_PIXELS))
    upright = ImageOps.exif_transpose(image)
    mode = "RGBA" if upright.has_transparency_data else "RGB"
    upright.convert(mode).save(thumbnail, "WEBP", quality=80, exif=b"", xmp=b"", icc_profile=b"")
