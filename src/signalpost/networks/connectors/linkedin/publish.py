"""Creating a post with its files or link card, finding one whose answer was lost, and deleting.

LinkedIn has no idempotency keys. For about ten minutes it refuses the same content again and names the earlier post:
so within that time the identical body is sent again, and afterwards only an organization's posts can be looked through.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from signalpost.kit import clock
from signalpost.kit.http import BadResponse, HttpFailure
from signalpost.networks import opengraph
from signalpost.networks.connectors.linkedin.attached import poll_of, reshared_urn
from signalpost.networks.connectors.linkedin.audience import ADVICE, is_other, target_entities, unshown
from signalpost.networks.connectors.linkedin.calls import CREATE, DUPLICATE, call, encoded, explain
from signalpost.networks.connectors.linkedin.facts import TITLE_MAX, card_link, text_of
from signalpost.networks.connectors.linkedin.little_text import little_text
from signalpost.networks.connectors.linkedin.media import upload_image, urns_of
from signalpost.networks.contract import (
    ApiError,
    Journal,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    Published,
    Reconciled,
    Refused,
    TryLater,
)
from signalpost.networks.first_comment import add_first_comment, until_commented
from signalpost.networks.outcome_mapping import failure_outcome, map_errors
from signalpost.networks.responses import members, string, texts
from signalpost.networks.threads import PublicPart, ThreadPart, is_restored, publish_parts, reconcile_parts

_VISIBILITY: Final = {"public": "PUBLIC", "connections": "CONNECTIONS", "loggedIn": "LOGGED_IN"}
_EARLY_SECONDS: Final = 45
"""Younger than this, a call may still be under way."""
_RESEND_SECONDS: Final = 540
"""A little less than the ten minutes for which LinkedIn recognises the same content."""
_LOST: Final = "lost"
"""The journal step of a call whose answer was lost, and that may be made again."""
_SKEW: Final = timedelta(seconds=60)
_THUMBNAIL_BYTES_MAX: Final = 5_000_000
_DESCRIPTION_MAX: Final = 4_000
_LISTED: Final = 10
_NOT_THERE: Final = frozenset({403, 404})
_OF_CONTENT: Final = frozenset({"content_rejected", "destination_missing"})
_RESHARE_ADVICE: Final = (
    "Check that the post to reshare is still there, that it is public, and that its author lets others share it."
)
_MEMBERS_ONLY: Final = (
    "LinkedIn does not let apps read a member's posts, so only the member can see whether it is there."
)


@map_errors(explain)
async def publish(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
    """Upload the files, create the post, and add its first comment."""
    outcome = await publish_parts(session, outgoing, journal, find=_find, create=_create, published=_published)
    if not isinstance(outcome, Published):
        return outcome
    send = partial(_comment, session, outgoing, outcome.remote_id)
    return await add_first_comment(outcome, outgoing, journal, send=send, explain=explain)


async def poll(session: NetworkSession, outgoing: Outgoing, journal: Journal, _state: Mapping[str, Any]) -> Outcome:
    """Go on with uploads, or look again whether LinkedIn has processed them; the journal holds what is missing."""
    return await publish(session, outgoing, journal)


async def reconcile(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Reconciled:
    """Find out whether the intended post is there, or can be sent again without harm."""
    existing = await reconcile_parts(session, outgoing, journal, find=_find, published=_published)
    return until_commented(existing, outgoing, journal)


async def delete(session: NetworkSession, remote_id: str, _thread_ids: Sequence[str]) -> None:
    """Delete the post. One that does not exist counts as deleted."""
    headers = {"X-RestLi-Method": "DELETE"}
    await call(session, "DELETE", f"/rest/posts/{encoded(remote_id)}", headers=headers, expect=(200, 204, 404))


def author_of(session: NetworkSession, outgoing: Outgoing) -> str:
    """Return the URN of the person or organization in whose name the post appears."""
    return str(outgoing.options.get("author") or session.remote_id)


def _published(_session: NetworkSession, _outgoing: Outgoing, posted: Sequence[PublicPart]) -> Published:
    urn = posted[0]["id"]
    return Published(remote_id=urn, url=f"https://www.linkedin.com/feed/update/{urn}/")


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    lost = part.intended or _lost(part)
    if lost is not None:
        return await _create_again(part, lost)
    body = await _post(part)
    if not isinstance(body, Mapping):
        return body
    await part.intend({"at": clock.wire(part.session.now()), "body": body})
    try:
        return await _send(part.session, body)
    except ApiError as error:
        if (refused := _refused_for(error, body)) is not None:
            return refused
        raise


def _refused_for(error: ApiError, body: Mapping[str, Any]) -> Refused | None:
    """Return what a refusal means if it may be the reshared post, which nobody may share, or the audience."""
    outcome = explain(error)
    if not isinstance(outcome, Refused):
        return None
    if "reshareContext" in body and error.response.status in _NOT_THERE:
        return replace(outcome, code="content_rejected", remediation=_RESHARE_ADVICE)
    if body["distribution"]["targetEntities"] and outcome.code in _OF_CONTENT:
        return replace(outcome, code="content_rejected", remediation=ADVICE)
    return None


async def _create_again(part: ThreadPart, lost: Mapping[str, Any]) -> PublicPart | Outcome:
    """Send the same body again. The earlier call stays open unless this one succeeds, or names what that created."""
    await part.intend(lost)
    existing = await _find(part, lost)
    if existing is not None:
        return existing
    try:
        return await _send(part.session, lost["body"])
    except ApiError as error:
        if error.response.status in {409, 422} and (duplicate := DUPLICATE.search(_message(error))) is not None:
            if not await _is_for_others(part.session, duplicate[1], lost["body"]):
                return {"id": duplicate[1]}
            await part.journal.record(_LOST, None)
            return explain(error)
        outcome = _refused_for(error, lost["body"]) or explain(error)
        if isinstance(outcome, Refused) and outcome.code != "duplicate_content":
            await part.journal.record(_LOST, None)  # neither call was accepted: a corrected post is another one
    except HttpFailure as failure:
        outcome = failure_outcome(failure, creating=True)
    # A duplicate whose first post is not named is the lost one, as it seems.
    if isinstance(outcome, TryLater) or (isinstance(outcome, Refused) and outcome.code == "duplicate_content"):
        return OutcomeUnknown(message=outcome.message, http_status=outcome.http_status, response=outcome.response)
    return outcome


def _lost(part: ThreadPart) -> Mapping[str, Any] | None:
    """Return the call that was lost; None once a person has looked and wants the post sent as a new one."""
    lost = part.journal.steps.get(_LOST)
    return lost if lost and lost.get("key", part.outgoing.dedupe_key) == part.outgoing.dedupe_key else None


def _message(error: ApiError) -> str:
    return string(members(error.response).get("message")) or ""


async def _send(session: NetworkSession, body: Mapping[str, Any]) -> PublicPart:
    response = await call(session, "POST", CREATE.removeprefix("POST "), json=body, expect=(200, 201))
    urn = string(response.headers.get("x-restli-id")) or string(members(response).get("id"))
    if urn is None or not urn.startswith("urn:li:"):
        raise BadResponse("the response names no post", status=response.status)
    return {"id": urn}


async def _post(part: ThreadPart) -> dict[str, Any] | Outcome:
    """Return the body of the create call, once its files are ready."""
    session, outgoing = part.session, part.outgoing
    author = author_of(session, outgoing)
    if (refused := unshown(author, outgoing)) is not None:
        return refused
    targets = target_entities(outgoing)
    body: dict[str, Any] = {
        "author": author,
        "commentary": little_text(text_of(outgoing)),
        "visibility": _VISIBILITY[outgoing.options.get("visibility", "public")],
        "distribution": {
            "feedDistribution": "MAIN_FEED",
            "targetEntities": targets,
            "thirdPartyDistributionChannels": [],
        },
        "lifecycleState": "PUBLISHED",
        "isReshareDisabledByAuthor": False,
    }
    if outgoing.options.get("reshareOf") is not None:
        return _reshare(outgoing, body)
    urns = await urns_of(part, author)
    if not isinstance(urns, list):
        return urns
    if (question := poll_of(outgoing)) is not None:
        body["content"] = {"poll": question}
    elif urns:
        body["content"] = _media(outgoing, urns)
    elif (url := card_link(outgoing)) is not None:
        body["content"] = {"article": await _article(part, url, author)}
    return body


def _reshare(outgoing: Outgoing, body: dict[str, Any]) -> dict[str, Any] | Refused:
    urn = reshared_urn(outgoing)
    if urn is None:
        message = "The address of the post to reshare does not say which post it is."
        return Refused(code="content_rejected", message=message, rule="linkedin.reshare.address")
    return body | {"reshareContext": {"parent": urn}}


def _media(outgoing: Outgoing, urns: Sequence[str]) -> dict[str, Any]:
    items = [
        {"id": urn, **({"altText": media.alt_text} if media.alt_text else {})}
        for urn, media in zip(urns, outgoing.media, strict=True)
    ]
    if len(items) > 1:
        return {"multiImage": {"images": items}}
    media = outgoing.media[0]
    if media.kind == "document":
        title = outgoing.options.get("documentTitle") or outgoing.title or media.file_name
        return {"media": {"id": urns[0], "title": title[:TITLE_MAX]}}
    title = {"title": outgoing.title[:TITLE_MAX]} if outgoing.title and media.kind == "video" else {}
    return {"media": {**items[0], **title}}


async def _article(part: ThreadPart, url: str, author: str) -> dict[str, Any]:
    """Return the card of a link: LinkedIn reads nothing from the page itself, and needs a title."""
    page = await opengraph.fetch_card(part.session.pages, url)
    title = (page.title if page else "") or part.outgoing.title or url.split("://", 1)[-1].split("/", 1)[0]
    article: dict[str, Any] = {"source": url, "title": title[:TITLE_MAX]}
    if page is not None and page.description:
        article["description"] = page.description[:_DESCRIPTION_MAX]
    if page is not None and page.image_url is not None:
        image = await opengraph.fetch_image(part.session.pages, page.image_url, _THUMBNAIL_BYTES_MAX)
        if image is not None and image[1] in {"image/jpeg", "image/png", "image/gif"}:
            article["thumbnail"] = await upload_image(part.session, image[0], image[1], author)
    return article


async def _find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Look for an intended post; None when it is not there, or when LinkedIn would recognise it if it is sent again."""
    session, at = part.session, datetime.fromisoformat(intended["at"])
    age = session.now() - at
    if age < timedelta(seconds=_EARLY_SECONDS):
        message = "It is too early to tell whether LinkedIn accepted the post."
        return OutcomeUnknown(message=message, tells_after_seconds=_EARLY_SECONDS - age.total_seconds())
    if is_restored(intended):
        return await _find_restored(part, at)
    author = str(intended["body"]["author"])
    if ":organization:" in author:
        existing = await _search(session, intended["body"], at - _SKEW)
    elif age < timedelta(seconds=_RESEND_SECONDS):
        existing = None
    else:
        return OutcomeUnknown(message=_MEMBERS_ONLY)
    if existing is None:  # sent again as it was, LinkedIn names the first one if that is there after all
        lost = {"at": intended["at"], "body": intended["body"], "key": part.outgoing.dedupe_key}
        await part.journal.record(_LOST, lost)
    return existing


async def _find_restored(part: ThreadPart, at: datetime) -> PublicPart | OutcomeUnknown | None:
    """Look for a post of which a backup knows nothing but its text."""
    author = author_of(part.session, part.outgoing)
    if ":organization:" in author:
        body = {
            "author": author,
            "commentary": little_text(text_of(part.outgoing)),
            "distribution": {"targetEntities": target_entities(part.outgoing)},
        }
        return await _search(part.session, body, at - _SKEW)
    return OutcomeUnknown(message=_MEMBERS_ONLY)


async def _search(
    session: NetworkSession, body: Mapping[str, Any], since: datetime
) -> PublicPart | OutcomeUnknown | None:
    """Look through the organization's newest posts, of whatever audience they are."""
    elements = await _newest(session, body)
    recent = False
    for post in elements:
        urn, created = string(post.get("id")), post.get("createdAt")
        recent = isinstance(created, int) and created >= since.timestamp() * 1000
        if urn and recent and post.get("commentary") == body["commentary"] and not is_other(post, body):
            return {"id": urn}
    if recent and len(elements) >= _LISTED:
        return OutcomeUnknown(message="The organization has published too many posts since then to find this one.")
    return None


async def _is_for_others(session: NetworkSession, urn: str, body: Mapping[str, Any]) -> bool:
    """Return whether a post with the same text is not the lost one, but that of another audience."""
    if ":organization:" not in str(body["author"]):
        return False
    return any(post.get("id") == urn and is_other(post, body) for post in await _newest(session, body))


async def _newest(session: NetworkSession, body: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the newest posts of the organization that is the author, the newest first."""
    path = f"/rest/posts?author={encoded(str(body['author']))}&q=author&count={_LISTED}&sortBy=CREATED"
    response = await call(session, "GET", path, headers={"X-RestLi-Method": "FINDER"})
    elements = members(response).get("elements")
    if not isinstance(elements, list):
        raise BadResponse("the response is not a list of posts", status=response.status)
    return [post for post in elements if isinstance(post, dict)]


async def _comment(session: NetworkSession, outgoing: Outgoing, urn: str, text: str) -> str:
    body = {"actor": author_of(session, outgoing), "object": urn, "message": {"text": text}}
    path = f"/rest/socialActions/{encoded(urn)}/comments"
    response = await call(session, "POST", path, json=body, expect=(200, 201))
    comment_urn = string(members(response).get("commentUrn"))
    return comment_urn or string(response.headers.get("x-restli-id")) or texts(response, "id")[0]
