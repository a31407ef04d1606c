"""Publishing a post with its files in one call, and deleting it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from signalpost.kit import clock
from signalpost.kit.http import Part as FormPart
from signalpost.networks import oauth2
from signalpost.networks.connectors.tumblr.blocks import content_of, name_of
from signalpost.networks.connectors.tumblr.calls import answer_of, blog_path, call, explain, refresh
from signalpost.networks.connectors.tumblr.find import find, public_part
from signalpost.networks.contract import NetworkSession, Outcome, Outgoing, Published
from signalpost.networks.in_parts import in_parts
from signalpost.networks.threads import PublicPart, ThreadPart

UPLOAD_SECONDS: Final = 220.0


async def delete(session: NetworkSession, remote_id: str, _thread_ids: Sequence[str]) -> None:
    """Delete the post. One that does not exist counts as deleted."""
    body = {"id": int(remote_id)}
    await call(session, "POST", blog_path(session, "post/delete"), json=body, expect=(200, 404))


def _published(session: NetworkSession, outgoing: Outgoing, posted: Sequence[PublicPart]) -> Published:
    post_id = posted[0]["id"]
    if outgoing.options.get("status", "published") != "published":
        return Published(remote_id=post_id, url=None, delivery="private")
    return Published(remote_id=post_id, url=f"https://www.tumblr.com/{session.username}/{post_id}")


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    session, files = part.session, part.outgoing.media
    post = _post(part.outgoing)
    if oauth2.is_due(session):  # before the intent: a token that cannot be renewed leaves nothing unknown
        await session.renew(refresh)
    await part.intend({"at": clock.wire(session.now())})
    path = blog_path(session, "posts")
    if not files:
        return public_part(answer_of(await call(session, "POST", path, json=post, expect=(200, 201))))
    form = [FormPart("json", json.dumps(post), content_type="application/json")]
    for number, media in enumerate(files):
        name, size = name_of(number), media.size_bytes
        form.append(FormPart(name, media.read(), filename=media.file_name, content_type=media.mime_type, size=size))
    response = await call(session, "POST", path, data=form, timeout_seconds=UPLOAD_SECONDS, expect=(200, 201))
    return public_part(answer_of(response))


def _post(outgoing: Outgoing) -> Mapping[str, Any]:
    """Return the members of a post."""
    options = outgoing.options
    post: dict[str, Any] = {"content": content_of(outgoing), "state": options.get("status") or "published"}
    if tags := options.get("tags"):
        post["tags"] = ",".join(dict.fromkeys(tags))
    if source := options.get("sourceUrl"):
        post["source_url"] = source
    if slug := options.get("slug"):
        post["slug"] = slug
    if options.get("allowReblogs") is False:
        post["interactability_reblog"] = "noone"
    if labels := options.get("labels"):
        categories = [label for label in dict.fromkeys(labels) if label != "mature"]
        post |= {"has_community_label": True, "community_label_categories": categories}
    return post


publish, poll, reconcile = in_parts(explain, find=find, create=_create, published=_published)
