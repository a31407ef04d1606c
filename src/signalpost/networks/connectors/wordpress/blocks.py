"""The content of a post: blocks of the block editor, made of a plain text and of files that were uploaded."""

import hashlib
import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from signalpost.networks.contract import Outgoing, OutgoingMedia
from signalpost.networks.links import replace_links

KEY: Final = "signalpost"
_BREAK: Final = re.compile(r"\n[ \t]*\n\s*")
_MARK: Final = "\ue000"  # of no language; stands for a link while the text around it is escaped

Uploaded = Mapping[str, Any]
"""An upload of the journal: id and url of the file at the site."""


def key_of(outgoing: Outgoing) -> str:
    """Return what names a post: the same at every attempt."""
    return hashlib.sha256(outgoing.dedupe_key.encode()).hexdigest()[:32]


def content_of(outgoing: Outgoing, text: str, files: Sequence[tuple[OutgoingMedia, Uploaded]]) -> str:
    """Return the blocks of a post. The first one carries our key in its comment, which WordPress does not show."""
    blocks = [*paragraphs(text), *_files(files)] or [("paragraph", {}, "<p></p>")]
    (name, attributes, first), *others = blocks
    marked = {**attributes, "metadata": {KEY: key_of(outgoing)}}
    return "\n\n".join(_block(*block) for block in ((name, marked, first), *others))


Block = tuple[str, Mapping[str, Any], str]


def _block(name: str, attributes: Mapping[str, Any], inner: str) -> str:
    # Two hyphens would end the comment; WordPress escapes them as well.
    members = json.dumps(attributes, separators=(",", ":")).replace("--", r"\u002d\u002d")
    return f"<!-- wp:{name} {members} -->\n{inner}\n<!-- /wp:{name} -->"


def paragraphs(text: str) -> Iterator[Block]:
    """Yield a block for each paragraph; a single line break stays one, and addresses become links."""
    for paragraph in _BREAK.split(text.replace("\r\n", "\n").strip()):
        if paragraph:
            yield "paragraph", {}, f"<p>{_html(paragraph)}</p>"


def _html(text: str) -> str:
    links: list[str] = []

    def taken(link: str) -> str:
        links.append(link)
        return _MARK

    pieces = replace_links(text.replace(_MARK, ""), taken).split(_MARK)
    parts = [html.escape(pieces[0], quote=False)]
    for link, piece in zip(links, pieces[1:], strict=True):
        parts.append(f'<a href="{html.escape(link)}">{html.escape(link, quote=False)}</a>')
        parts.append(html.escape(piece, quote=False))
    return "".join(parts).replace("\n", "<br>\n")


def _files(files: Sequence[tuple[OutgoingMedia, Uploaded]]) -> Iterator[Block]:
    images = [file for file in files if file[0].kind in {"image", "gif"}]
    if len(images) > 1:
        inner = "\n\n".join(_block(*_image(*image)) for image in images)
        classes = "wp-block-gallery has-nested-images columns-default is-cropped"
        yield "gallery", {"linkTo": "none"}, f'<figure class="{classes}">{inner}</figure>'
    elif images:
        yield _image(*images[0])
    for media, uploaded in files:
        if media.kind not in {"image", "gif"}:
            yield _other(media, uploaded)


def _image(media: OutgoingMedia, uploaded: Uploaded) -> Block:
    attributes = {"id": uploaded["id"], "sizeSlug": "full", "linkDestination": "none"}
    source, alt = html.escape(str(uploaded["url"])), html.escape(media.alt_text or "")
    tag = f'<img src="{source}" alt="{alt}" class="wp-image-{uploaded["id"]}"/>'
    return "image", attributes, f'<figure class="wp-block-image size-full">{tag}</figure>'


def _other(media: OutgoingMedia, uploaded: Uploaded) -> Block:
    source = html.escape(str(uploaded["url"]))
    if media.kind in {"video", "audio"}:
        tag = f'<{media.kind} controls src="{source}"></{media.kind}>'
        return media.kind, {"id": uploaded["id"]}, f'<figure class="wp-block-{media.kind}">{tag}</figure>'
    link = f'<a href="{source}">{html.escape(media.file_name, quote=False)}</a>'
    return "file", {"id": uploaded["id"], "href": uploaded["url"]}, f'<div class="wp-block-file">{link}</div>'
