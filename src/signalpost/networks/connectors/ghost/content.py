"""The content of a post: HTML that Ghost turns into the cards of its editor."""

import html
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from signalpost.networks.articles import paragraphs
from signalpost.networks.contract import OutgoingMedia

GALLERY_MAX: Final = 9  # images in one gallery of Ghost's editor
Uploaded = Mapping[str, Any]
"""An upload of the journal: the address of the file at the site."""
Files = Sequence[tuple[OutgoingMedia, Uploaded]]


def is_picture(media: OutgoingMedia) -> bool:
    """Whether a file is shown as an image."""
    return media.kind in {"image", "gif"}


def content_of(text: str, files: Files) -> str:
    """Return the HTML of a post: a paragraph for each of its text, and then its files."""
    return "\n".join([*(f"<p>{inner}</p>" for inner in paragraphs(text)), *_files(files)])


def _files(files: Files) -> Iterator[str]:
    pictures = [file for file in files if is_picture(file[0])]
    sized = [file for file in pictures if file[0].width and file[0].height]  # Ghost leaves others out of galleries
    galleries = [sized[start : start + GALLERY_MAX] for start in range(0, len(sized), GALLERY_MAX)]
    if len(sized) < len(pictures) or len(pictures) == 1:
        galleries = [[file] for file in pictures]
    for gallery in galleries:
        images = "".join(_image(*file) for file in gallery)
        if len(gallery) == 1:
            yield f'<figure class="kg-card kg-image-card">{images}</figure>'
        else:
            yield f'<figure class="kg-card kg-gallery-card kg-width-wide">{images}</figure>'
    for media, uploaded in files:
        if not is_picture(media):
            # An HTML card keeps what it holds, in every version of the converter.
            yield f"<!--kg-card-begin: html-->\n{_other(media, uploaded)}\n<!--kg-card-end: html-->"


def _image(media: OutgoingMedia, uploaded: Uploaded) -> str:
    size = f' width="{media.width}" height="{media.height}"' if media.width and media.height else ""
    return f'<img src="{html.escape(str(uploaded["url"]))}" alt="{html.escape(media.alt_text or "")}"{size}>'


def _other(media: OutgoingMedia, uploaded: Uploaded) -> str:
    source = html.escape(str(uploaded["url"]))
    if media.kind in {"video", "audio"}:
        return f'<{media.kind} controls preload="metadata" src="{source}" style="width:100%"></{media.kind}>'
    return f'<p><a href="{source}">{html.escape(media.file_name, quote=False)}</a></p>'
