"""Creating posts with their pictures and first comment, finding them again, and deleting."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from signalpost.kit import clock
from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.lemmy.calls import COMMENT, CREATE, call_api, code_of, explain, object_of
from signalpost.networks.connectors.lemmy.community import Community, language_of, read_community
from signalpost.networks.connectors.lemmy.content import address_of, body_of
from signalpost.networks.connectors.lemmy.find import find, public_part
from signalpost.networks.connectors.lemmy.media import addresses_of
from signalpost.networks.contract import (
    ApiError,
    Journal,
    NetworkSession,
    Outcome,
    Outgoing,
    Published,
    Reconciled,
    Refused,
)
from signalpost.networks.first_comment import add_first_comment, until_commented
from signalpost.networks.outcome_mapping import map_errors
from signalpost.networks.responses import members
from signalpost.networks.threads import PublicPart, ThreadPart, publish_parts, reconcile_parts

_GONE: Final = frozenset({"couldnt_find_post", "couldnt_update_post", "not_found"})
"""What Lemmy says to deleting a post that is not there, or deleted already."""


@map_errors(explain)
async def publish(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
    """Look at the community, upload the pictures, create the post, and add its first comment."""
    outcome = await publish_parts(session, outgoing, journal, find=find, create=_create, published=_published)
    if not isinstance(outcome, Published):
        return outcome
    send = partial(_comment, session, outcome.remote_id)
    return await add_first_comment(outcome, outgoing, journal, send=send, explain=explain)


async def reconcile(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Reconciled:
    """Look for the intended post among those of the account."""
    existing = await reconcile_parts(session, outgoing, journal, find=find, published=_published)
    return until_commented(existing, outgoing, journal)


async def delete(session: NetworkSession, remote_id: str, _thread_ids: Sequence[str]) -> None:
    """Delete the post. One that is not there, or is deleted already, counts as deleted."""
    try:
        await call_api(session, "POST /post/delete", json={"post_id": int(remote_id), "deleted": True})
    except ApiError as error:
        if code_of(error.response) not in _GONE:
            raise


def _published(session: NetworkSession, _outgoing: Outgoing, posted: Sequence[PublicPart]) -> Published:
    post = posted[0]
    return Published(remote_id=post["id"], url=post.get("url") or f"{session.server.base_url}/post/{post['id']}")


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    session, options = part.session, part.outgoing.options
    name, tag = options.get("community"), options.get("language")
    if not name:
        message = "The post names no community."
        return Refused(code="destination_missing", message=message, rule="lemmy.community.required")
    community = await read_community(session, name)
    if isinstance(community, Refused):
        return community
    language = await language_of(session, tag, name, community) if tag else None
    if isinstance(language, Refused):
        return language
    post = _post(part.outgoing, community, language, await addresses_of(part))
    await part.intend(_intent(session, community, language))
    response = await call_api(session, CREATE, json=post)
    return public_part(object_of(object_of(members(response).get("post_view")).get("post")))


def _intent(session: NetworkSession, community: Community, language: int | None) -> Mapping[str, Any]:
    """Return what `find` has to know: when, and what may keep the post out of lists."""
    intent = {"at": clock.wire(session.now()), "nsfw": community.is_nsfw, "hidden": community.is_hidden}
    return intent if language is None else intent | {"language": language}


def _post(
    outgoing: Outgoing, community: Community, language: int | None, pictures: Sequence[str]
) -> Mapping[str, Any]:  # fmt: skip
    post: dict[str, Any] = {"name": (outgoing.title or "").strip(), "community_id": community.id}
    post |= address_of(outgoing, pictures)
    if body := body_of(outgoing, pictures):
        post["body"] = body
    if outgoing.options.get("nsfw") is True:
        post["nsfw"] = True
    return post if language is None else post | {"language_id": language}


async def _comment(session: NetworkSession, post_id: str, text: str) -> str:
    response = await call_api(session, COMMENT, json={"post_id": int(post_id), "content": text})
    number = object_of(object_of(members(response).get("comment_view")).get("comment")).get("id")
    if type(number) is not int:
        raise BadResponse("the response names no comment", status=200)
    return str(number)
