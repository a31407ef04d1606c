"""Another form of an image: of a type that a network accepts, scaled, with a watermark, and small enough."""

import io
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import IO, Any, Final

from PIL import Image, ImageOps

from signalpost.kit.frames import FrameLimits
from signalpost.media.file_types import ALLOWED, FileType
from signalpost.media.probe.errors import InvalidFile, damaged, too_large
from signalpost.media.probe.images import PIXELS_MAX

QUALITIES: Final = (90, 84, 76, 66)
SCALINGS_MAX: Final = 8
_PIXELS_PER_BYTE: Final = 8  # more cannot be encoded well, and trying costs seconds
_SHRINK: Final = 0.75  # of width and height, when no quality makes the image small enough
_WATERMARK_SHARE: Final = 0.18  # of the width of the image
_WATERMARK_MARGIN: Final = 0.03
_FORMATS: Final = {"image/jpeg": "JPEG", "image/webp": "WEBP", "image/png": "PNG"}


def derive(
    file: IO[bytes], file_type: FileType, output: IO[bytes], spec: dict[str, Any], watermark: IO[bytes] | None
) -> dict[str, Any]:
    """Write the image as `spec` wants it; return its type, width and height.

    Args:
        file: the image.
        file_type: its type.
        output: where the result goes.
        spec: `mime_types` (one of them, the best first), `bytes_max`, `frame`, `watermark_type`.
        watermark: an image that is put into the lower right corner.

    Raises:
        InvalidFile: it is damaged, or cannot be made small enough.
    """
    Image.MAX_IMAGE_PIXELS = PIXELS_MAX
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            image = _open(file, file_type)
            image = _frame(image, FrameLimits(**spec["frame"]), spec["bytes_max"])
            if watermark is not None:
                image = _mark(image, _open(watermark, ALLOWED[spec["watermark_type"]]))
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        raise too_large(f"An image may have at most {PIXELS_MAX // 1_000_000} million pixels.") from None
    except (OSError, SyntaxError, ValueError, EOFError, IndexError, RuntimeError) as error:
        raise damaged() from error
    mime_type = _type_of(image, spec["mime_types"])
    encoded, image = _encode(image, mime_type, spec["bytes_max"])
    output.write(encoded)
    return {"mime_type": mime_type, "width": image.width, "height": image.height}


def _open(file: IO[bytes], file_type: FileType) -> Image.Image:
    """Return the upright image, its first frame if it moves, in RGB or RGBA."""
    image: Image.Image = Image.open(file, formats=[file_type.decoder])
    if image.width * image.height > PIXELS_MAX:
        raise Image.DecompressionBombWarning
    image.load()
    profile = image.info.get("icc_profile") if image.mode in ("RGB", "RGBA", "P") else None
    image = ImageOps.exif_transpose(image)
    image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    image.info = {"icc_profile": profile} if profile else {}
    return image


def _frame(image: Image.Image, frame: FrameLimits, bytes_max: int) -> Image.Image:
    """Return the image in its shape and within its limits, with no more pixels than could be encoded."""
    frame = replace(frame, pixels_max=min(frame.pixels_max or PIXELS_MAX, bytes_max * _PIXELS_PER_BYTE))
    part, shaped, size = frame.part(*image.size), frame.shaped(*image.size), frame.scaled(*image.size)
    if part[2:] != image.size:
        info = image.info
        image = image.crop((part.left, part.top, part.left + part.width, part.top + part.height))
        image.info = info
    if shaped != image.size:
        return _padded(image, size, size[0] / shaped[0])
    return image if size == image.size else _resize(image, size)


def _padded(image: Image.Image, size: tuple[int, int], factor: float) -> Image.Image:
    """Return a white canvas with the image in its middle."""
    width, height = (max(1, round(side * factor)) for side in image.size)
    inner = _resize(image, (min(width, size[0]), min(height, size[1])))
    canvas = Image.new(image.mode, size, "white")
    canvas.paste(inner, ((size[0] - inner.width) // 2, (size[1] - inner.height) // 2))
    canvas.info = image.info
    return canvas


def _resize(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    return image.resize(size, Image.Resampling.LANCZOS, reducing_gap=2.0)


def _mark(image: Image.Image, mark: Image.Image) -> Image.Image:
    mark = mark.convert("RGBA")
    mark.thumbnail((max(1, int(image.width * _WATERMARK_SHARE)), max(1, int(image.height * _WATERMARK_SHARE))))
    margin = int(min(image.size) * _WATERMARK_MARGIN)
    place = max(0, image.width - mark.width - margin), max(0, image.height - mark.height - margin)
    image.paste(mark, place, mark)
    return image


def _type_of(image: Image.Image, mime_types: Sequence[str]) -> str:
    """Return the first type; for an image with transparent parts the first that can show them."""
    if image.mode == "RGBA":
        return next((mime_type for mime_type in mime_types if mime_type != "image/jpeg"), mime_types[0])
    return mime_types[0]


def _encode(image: Image.Image, mime_type: str, bytes_max: int) -> tuple[bytes, Image.Image]:
    """Return the image with the best quality that fits; smaller, if none does."""
    if mime_type == "image/jpeg" and image.mode == "RGBA":
        flat = Image.new("RGB", image.size, "white")
        flat.paste(image, mask=image.getchannel("A"))
        flat.info = image.info
        image = flat
    for _ in range(SCALINGS_MAX):
        for quality in QUALITIES if mime_type != "image/png" else QUALITIES[:1]:
            encoded = _bytes(image, mime_type, quality)
            if len(encoded) <= bytes_max:
                return encoded, image
        image = _resize(image, (max(1, int(image.width * _SHRINK)), max(1, int(image.height * _SHRINK))))
    raise InvalidFile("out_of_range", f"The image cannot be made as small as {bytes_max} bytes.")


def _bytes(image: Image.Image, mime_type: str, quality: int) -> bytes:
    out = io.BytesIO()
    options: dict[str, Any] = {"icc_profile": image.info["icc_profile"]} if "icc_profile" in image.info else {}
    if mime_type == "image/png":
        options["compress_level"] = 6
    else:
        options["quality"] = quality
    image.save(out, _FORMATS[mime_type], **options)
    return out.getvalue()
