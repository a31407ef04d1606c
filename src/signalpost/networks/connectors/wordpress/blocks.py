"""The content of a post: blocks of the block editor, made of a plain text and of files that were uploaded."""

import html
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from signalpost.networks.articles import key_of, paragraphs
from signalpost.networks.contract import Outgoing, OutgoingMedia

KEY: Final = "signalpost"

Uploaded = Mapping[str, Any]
"""An upload of the journal: id and url of the file at the site."""


def content_of(outgoing: Outgoing, text: str, files: Sequence[tuple[OutgoingMedia, Uploaded]]) -> str:
    """Return the blocks of a post. The first one carries our key in its comment, which WordPress does not show."""
    texts: list[Block] = [("paragraph", {}, inner) for inner in paragraphs_of(text)]
    blocks = [*texts, *_files(files)] or [("paragraph", {}, "<p></p>")]
    (name, attributes, first), *others = blocks
    marked = {**attributes, "metadata": {KEY: key_of(outgoing)}}
    return "\n\n".join(_block(*block) for block in ((name, marked, first), *others))


def paragraphs_of(text: str) -> Iterator[str]:
    """Yield the paragraphs of a text as they stand in their blocks."""
    return (f"<p>{no_shortcodes(inner)}</p>" for inner in paragraphs(text))


Block = tuple[str, Mapping[str, Any], str]


def escaped(text: str) -> str:
    """Return a plain text as HTML in which WordPress finds no markup and no shortcode."""
    return no_shortcodes(html.escape(text, quote=False))


def no_shortcodes(markup: str) -> str:
    """Write brackets so that WordPress does not take them for calls of functions; its filters leave this form alone."""
    return markup.replace("[", "&#091;")


def _block(name: str, attributes: Mapping[str, Any], inner: str) -> str:
    # Two hyphens would end the comment; WordPress escapes them as well.
    members = json.dumps(attributes, separators=(",", ":")).replace("--", r"\u002d\u002d")
    return f"<!-- wp:{name} {members} -->\n{inner}\n<!-- /wp:{name} -->"


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
    source, alt = html.escape(str(uploaded["url"])), no_shortcodes(html.escape(media.alt_text or ""))
    tag = f'<img src="{source}" alt="{alt}" class="wp-image-{uploaded["id"]}"/>'
    return "image", attributes, f'<figure class="wp-block-image size-full">{tag}</figure>'


def _other(media: OutgoingMedia, uploaded: Uploaded) -> Block:
    source = html.escape(str(uploaded["url"]))
    if media.kind in {"video", "audio"}:
        tag = f'<{media.kind} controls src="{source}"></{media.kind}>'
        return media.kind, {"id": uploaded["id"]}, f'<figure class="wp-block-{media.kind}">{tag}</figure>'
    link = f'<a href="{source}">{escaped(media.file_name)}</a>'
    return "file", {"id": uploaded["id"], "href": uploaded["url"]}, f'<div class="wp-block-file">{link}</div>'
