"""Creating posts with their files and first comment, finding them again, and deleting."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from signalpost.kit import clock
from signalpost.kit.http import BadResponse
from signalpost.networks import oauth2
from signalpost.networks.connectors.reddit.account import flairs
from signalpost.networks.connectors.reddit.calls import CREATE, GALLERY, act, call, explain, refresh
from signalpost.networks.connectors.reddit.facts import FACTS, kind_of
from signalpost.networks.connectors.reddit.find import find
from signalpost.networks.connectors.reddit.media import upload
from signalpost.networks.connectors.reddit.rules import refusal
from signalpost.networks.contract import (
    Journal,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    Pending,
    Published,
    Reconciled,
    Refused,
)
from signalpost.networks.first_comment import add_first_comment, until_commented
from signalpost.networks.outcome_mapping import map_errors
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import string
from signalpost.networks.threads import PublicPart, ThreadPart, publish_parts, reconcile_parts

POLL_SECONDS: Final = 10.0
_ACCEPTED: Final = "accepted"
"""The journal step of a post whose files Reddit has taken, and is still processing."""


@map_errors(explain)
async def publish(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
    """Look at the rules of the subreddit, upload the files, create the post, and add its first comment."""
    outcome = await publish_parts(session, outgoing, journal, find=find, create=_create, published=_published)
    if not isinstance(outcome, Published):
        return outcome
    send = partial(_comment, session, outcome.remote_id)
    return await add_first_comment(outcome, outgoing, journal, send=send, explain=explain)


async def poll(session: NetworkSession, outgoing: Outgoing, journal: Journal, state: Mapping[str, Any]) -> Outcome:
    """Look whether a post whose files Reddit processes is public now."""
    outcome = await publish(session, outgoing, journal)
    if isinstance(outcome, OutcomeUnknown) and outcome.tells_after_seconds is not None:
        return Pending(state=state, poll_after_seconds=POLL_SECONDS)
    return outcome


async def reconcile(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Reconciled:
    """Look for the intended post among those of the account."""
    existing = await reconcile_parts(session, outgoing, journal, find=find, published=_published)
    return until_commented(existing, outgoing, journal)


async def delete(session: NetworkSession, remote_id: str, _thread_ids: Sequence[str]) -> None:
    """Delete the post. Reddit says the same of one that does not exist."""
    await call(session, "POST", "/api/del", data={"id": remote_id})


def _published(_session: NetworkSession, _outgoing: Outgoing, posted: Sequence[PublicPart]) -> Published:
    post = posted[0]
    url = post.get("url") or f"https://www.reddit.com/comments/{str(post['id']).removeprefix('t3_')}/"
    return Published(remote_id=post["id"], url=url)


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    session, outgoing = part.session, part.outgoing
    if _ACCEPTED in part.journal.steps:
        message = "Reddit took the files, and made no post of them: it could not process them, or refused them."
        return Refused(code="media_processing_failed", message=message)
    refused = await _refusal(session, outgoing)
    if refused is not None:
        return refused
    form = {**_common(outgoing), **await _content(part)}
    if oauth2.is_due(session):  # before the intent: a token that cannot be renewed leaves nothing unknown
        await session.renew(refresh)
    await part.intend({"at": clock.wire(session.now())})
    if "items" in form:
        data = await act(session, GALLERY, json=form)
    else:
        data = await act(session, CREATE, data={name: _written(value) for name, value in form.items()})
    post_id = string(data.get("name")) or string(data.get("id"))
    if post_id is not None:
        full_id = post_id if post_id.startswith("t3_") else f"t3_{post_id}"
        return {"id": full_id, "url": string(data.get("url"))}
    if not part.content.media or not (data.get("websocket_url") or data.get("user_submitted_page")):
        raise BadResponse("the response names no post", status=200)
    await part.journal.record(_ACCEPTED, {"at": clock.wire(session.now())})
    return Pending(state={"part": part.index}, poll_after_seconds=POLL_SECONDS)


async def _refusal(session: NetworkSession, outgoing: Outgoing) -> Refused | None:
    subreddit, flair_id = outgoing.options.get("subreddit"), outgoing.options.get("flairId")
    if not subreddit:
        message = "The post names no subreddit."
        return Refused(code="destination_missing", message=message, rule="reddit.subreddit.required")
    flair = None
    if flair_id:
        flair = next((entry for entry in await flairs(session, subreddit) if entry["id"] == flair_id), None)
    refused = await refusal(session, outgoing, flair)
    if refused is None and flair_id and flair is None:  # Reddit answers 500 to one that is not there
        message = f"r/{subreddit} has no such flair any more: choose another one."
        return Refused(code="content_rejected", message=message, rule="reddit.flair.missing")
    return refused


def _common(outgoing: Outgoing) -> dict[str, Any]:
    """Return what every post has."""
    options = outgoing.options
    values = {
        "api_type": "json",
        "sr": options.get("subreddit"),
        "title": outgoing.title,
        "text": text_of_part(FACTS, outgoing, 0) if kind_of(outgoing) != "crosspost" else None,
        "flair_id": options.get("flairId"),
        "flair_text": options.get("flairText"),
        "nsfw": options.get("nsfw") is True,
        "spoiler": options.get("spoiler") is True,
        "sendreplies": options.get("sendReplies") is not False,
        "validate_on_submit": True,
    }
    return {name: value for name, value in values.items() if value is not None}


async def _content(part: ThreadPart) -> Mapping[str, Any]:
    """Return what a post of its kind has; upload its files before."""
    outgoing, files = part.outgoing, part.content.media
    kind = kind_of(outgoing)
    if kind == "crosspost":
        shared = str(outgoing.options["crosspostOf"]).removeprefix("t3_")
        return {"kind": kind, "crosspost_fullname": f"t3_{shared}"}
    uploaded = [await upload(part, f"media:{part.index}:{number}", media) for number, media in enumerate(files)]
    if kind == "gallery":
        items = [{"media_id": file.id, "caption": "", "outbound_url": ""} for file in uploaded]
        return {"items": items, "show_error_list": True}
    if kind == "video":
        poster = await upload(part, f"poster:{part.index}", files[0].thumbnail)
        return {"kind": kind, "url": uploaded[0].url, "video_poster_url": poster.url, "resubmit": True}
    if kind == "image":
        return {"kind": kind, "url": uploaded[0].url, "resubmit": True}
    return {"kind": kind, "resubmit": True} | ({"url": outgoing.link} if kind == "link" else {})


def _written(value: Any) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


async def _comment(session: NetworkSession, post_id: str, text: str) -> str:
    form = {"api_type": "json", "thing_id": post_id, "text": text}
    things = (await act(session, "POST /api/comment", data=form)).get("things")
    comment = things[0].get("data") if isinstance(things, list) and things and isinstance(things[0], dict) else None
    name = string(comment.get("name") or comment.get("id")) if isinstance(comment, dict) else None
    if name is None:
        raise BadResponse("the response names no comment", status=200)
    return name if name.startswith("t1_") else f"t1_{name}"
