"""Telling an image by its first bytes, since a declared type proves nothing."""

_BRANDS = {
    b"avif": "image/avif",
    b"avis": "image/avif",
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"mif1": "image/heic",
}


def image_type(data: bytes) -> str | None:
    """Return the media type of a JPEG, PNG, GIF, WebP, AVIF or HEIC image, None for anything else."""
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return _BRANDS.get(data[8:12]) if data[4:8] == b"ftyp" else None
