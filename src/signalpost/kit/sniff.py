"""Media types by the leading bytes of a file: a name or a declared type proves nothing.

Standard library only: the child process that opens uploaded files imports it too.
"""

HEAD_BYTES = 4096
"""This many leading bytes are enough to recognise every type."""

_SIGNATURES = {
    b"\xff\xd8\xff": "image/jpeg",
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"%PDF-": "application/pdf",
}
_RIFF_FORMS = {b"WEBP": "image/webp", b"AVI ": "video/x-msvideo"}
_EBML_DOC_TYPES = {b"webm": "video/webm", b"matroska": "video/x-matroska"}
_AVIF_BRANDS = {b"avif", b"avis"}
_HEIC_BRANDS = {b"heic", b"heix", b"heim", b"heis"}
_MP4_BRANDS = {b"isom", b"mp41", b"mp42", b"avc1", b"M4V ", b"dash", b"MSNV", b"mp71", b"hvc1", b"av01"}


def media_type(head: bytes) -> str | None:
    """Return the media type of the file that starts with `head`, or None if it is not one of those above."""
    for signature, name in _SIGNATURES.items():
        if head.startswith(signature):
            return name
    if head.startswith(b"RIFF"):
        return _RIFF_FORMS.get(head[8:12])
    if head.startswith(b"\x1aE\xdf\xa3"):
        return _ebml(head)
    if head[4:8] == b"ftyp":
        return _iso_base_media(head)
    # QuickTime files older than the `ftyp` box
    return "video/quicktime" if head[4:8] in (b"moov", b"mdat", b"wide") else None


def _ebml(head: bytes) -> str | None:
    at = head.find(b"\x42\x82", 0, 64)  # the DocType element of the EBML header
    if at < 0 or at + 2 >= len(head):
        return None
    doc_type = head[at + 3 : at + 3 + (head[at + 2] & 0x7F)].rstrip(b"\0")
    return _EBML_DOC_TYPES.get(doc_type)


def _iso_base_media(head: bytes) -> str | None:
    """Decide by the brands of the `ftyp` box: the major one, then the compatible ones."""
    end = min(int.from_bytes(head[:4], "big"), len(head))
    major = head[8:12]
    brands = {major} | {head[at : at + 4] for at in range(16, end - 3, 4)}
    if major == b"qt  ":
        return "video/quicktime"
    if brands & _AVIF_BRANDS:
        return "image/avif"
    if brands & _HEIC_BRANDS:
        return "image/heic"
    return "video/mp4" if any(brand in _MP4_BRANDS or brand.startswith(b"iso") for brand in brands) else None
