"""The sandbox: a network without a server; markers in the text of a post choose its outcome.

It stores nothing, yet behaves like a network that can lose responses: it intends, reconciles and polls like the others.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from math import log1p
from typing import Any

from signalpost.kit import clock
from signalpost.kit.worker_threads import in_thread
from signalpost.networks.codes import CATEGORIES
from signalpost.networks.contract import (
    ApiError,
    Comments,
    Connector,
    CredentialField,
    Facts,
    Health,
    Identity,
    InvalidField,
    Journal,
    MediaRule,
    Metrics,
    NeedsReconnect,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    OutgoingReply,
    Pending,
    Person,
    Published,
    Reconciled,
    Refused,
    RemoteComment,
    Server,
    TextRule,
    TryLater,
)
from signalpost.networks.contract.comments import LISTED_MAX
from signalpost.networks.replies import ReplyPost, reply_as_part
from signalpost.networks.threads import PublicPart, ThreadPart, is_restored, publish_parts, reconcile_parts

FACTS = Facts(
    key="sandbox",
    name="Sandbox",
    source="part of this service",
    verified_on="2026-11-21",
    credential_fields=(
        CredentialField(name="username", label="Any user name"),
        CredentialField(name="tokenSeconds", label="Seconds until its token expires", required=False),
    ),
    text=TextRule(max_length=5_000),
    media={
        "image": MediaRule(
            per_post=10,
            bytes_max=25_000_000,
            mime_types=("image/jpeg", "image/png", "image/webp", "image/gif", "image/heic", "image/avif"),
            alt_text_max=1_500,
            mixes_with=("gif",),
        ),
        "gif": MediaRule(
            per_post=10, bytes_max=25_000_000, mime_types=("image/gif",), alt_text_max=1_500, mixes_with=("image",)
        ),
        "video": MediaRule(
            per_post=1,
            bytes_max=5_000_000_000,
            mime_types=("video/mp4", "video/quicktime", "video/webm", "video/x-msvideo", "video/x-matroska"),
            alt_text_max=1_500,
        ),
    },
    media_total=10,
    thread_parts_max=25,
    first_comment=True,
    notes="Works without credentials and sends nothing. Markers in the text of a post choose its outcome: `[[ok]]` "
    "publishes it, `[[fail:CODE]]` fails with that error code, `[[fail:auth_expired]]` ends the account's token until "
    "it is connected again, `[[transient:n]]` fails the first n attempts, "
    "`[[timeout]]` loses the response although the post was created, `[[timeout:lost]]` loses the request, "
    "`[[timeout:forever]]` never tells which, `[[slow:ms]]` takes that long, and `[[inbox]]` ends as a draft. "
    "`[[metrics:views=120,likes=7]]` sets the numbers of the post, and `[[metrics:gone]]` has it deleted by someone. "
    "`[[comments:3]]` has three comments written under it; in an answer to one, the markers choose what becomes of it.",
    comments_per_call=5,
    metrics_per_call=50,
)

SLOW_MS_MAX = 600_000
TOKEN_SECONDS_MAX = 31_536_000
_MARKER = re.compile(r"\[\[(ok|fail|transient|timeout|slow|inbox|metrics|comments)(?::([^\[\]]{0,200}))?\]\]")
_ASSIGNED = re.compile(r"([A-Za-z]{1,20})=([0-9]{1,12})")
_IN_ID = re.compile(r"-([A-Za-z]{1,20})\.([0-9]{1,12})")
_METRICS = {
    name: name for name in ("views", "likes", "comments", "shares", "saves", "clicks", "impressions", "reach")
} | {"watchTimeSeconds": "watch_time_seconds"}
_PEOPLE = ("Ada Baker", "Alan Miller", "Grace Cook", "Mina Bakir", "Noor Abel", "Zoë Abbott")
_COMMENTS = ("Where can I buy this?", "Lovely!", "Thank you. When do you open on Sunday?")
_BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
"""Since when the numbers of the sandbox grow."""
_USERNAME = re.compile(r"@?([A-Za-z0-9](?:[A-Za-z0-9_.-]{0,48}[A-Za-z0-9])?)")
_UNKNOWN = "outcome_unknown"
_EXPIRED = {"token": "expired"}
"""The secrets of an account whose token a post has ended."""
_RECONNECT = frozenset({"auth_expired", "account_disconnected", "account_restricted"})
_LATER = frozenset({"rate_limited", "platform_quota", "platform_unavailable", "platform_timeout", "network_error"})


async def connect(_server: Server, fields: Mapping[str, str]) -> Identity:
    """Open the account of any user name; the same name is always the same account."""
    match = _USERNAME.fullmatch(fields.get("username", "").strip())
    if match is None:
        raise InvalidField("username", "A user name has 1 to 50 letters, digits, dots, hyphens or underscores.")
    name = match[1]
    return Identity(
        remote_id=name.lower(), username=name, display_name=name, secrets={}, profile_url=_address(name),
        token_expires_at=_expiry(fields.get("tokenSeconds", "").strip()),
    )  # fmt: skip


def _expiry(text: str) -> datetime | None:
    """Return when the token of an account expires that is connected now."""
    if not text:
        return None
    if not 1 <= (seconds := _number(text, TOKEN_SECONDS_MAX + 1)) <= TOKEN_SECONDS_MAX:
        raise InvalidField("tokenSeconds", f"Send a whole number of seconds from 1 to {TOKEN_SECONDS_MAX}.")
    return clock.actual() + timedelta(seconds=seconds)


async def publish(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
    """Pretend to create each part, as its markers say."""
    return await _publish(session, outgoing, journal, ready=0)


async def _publish(session: NetworkSession, outgoing: Outgoing, journal: Journal, *, ready: int) -> Outcome:
    """Publish what is left; the first `ready` parts have been slow enough."""
    create = partial(_create, ready=ready)
    return await publish_parts(session, outgoing, journal, find=_find, create=create, published=_published)


async def reconcile(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Reconciled:
    """Find out whether the open intent succeeded: always, unless a `timeout` marker says otherwise."""
    return await reconcile_parts(session, outgoing, journal, find=_find, published=_published)


async def poll(session: NetworkSession, outgoing: Outgoing, journal: Journal, state: Mapping[str, Any]) -> Outcome:
    """Publish a slow part when its time is over."""
    left_seconds = (datetime.fromisoformat(state["until"]) - session.now()).total_seconds()
    if left_seconds > 0:
        return Pending(state=state, poll_after_seconds=left_seconds)
    return await _publish(session, outgoing, journal, ready=state["ready"])


async def _create(part: ThreadPart, *, ready: int) -> PublicPart | Outcome:
    if part.session.secrets == _EXPIRED:
        return NeedsReconnect(message="The token of this account has expired.", http_status=401)
    markers = _markers(part.content.text)
    if markers and (early := await _early(markers, part)) is not None:
        return early
    now = part.session.now()
    if "slow" in markers and part.index >= ready:
        milliseconds = _number(markers["slow"], SLOW_MS_MAX)
        until = clock.wire(now + timedelta(milliseconds=milliseconds))
        return Pending(state={"until": until, "ready": part.index + 1}, poll_after_seconds=milliseconds / 1000)
    if part.intended is None:
        await part.intend({"at": clock.wire(now)})
        if "timeout" in markers or markers.get("fail") == _UNKNOWN:
            return OutcomeUnknown(message="The sandbox lost the response, as the text asked for.")
    return {"id": _remote_id(part.outgoing, part.index)}


async def _find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    if is_restored(intended):
        return None  # nothing is ever public in the sandbox
    markers = _markers(part.content.text)
    fate = "forever" if markers.get("fail") == _UNKNOWN else markers.get("timeout", "")
    if fate == "forever":
        return OutcomeUnknown(message="The sandbox cannot tell, as the text asked for.")
    return None if fate == "lost" else {"id": _remote_id(part.outgoing, part.index)}


async def people(_session: NetworkSession, text: str) -> Sequence[Person]:
    """Find invented people by the first letters of their names and handles."""
    begin = text.casefold()
    persons = [Person(handle=name.casefold().replace(" ", ".").replace("ë", "e"), name=name) for name in _PEOPLE]
    return [
        person
        for person in persons
        if any(word.startswith(begin) for word in (person.handle, *person.name.casefold().split()))
    ]


def explain(error: ApiError) -> Outcome:
    """Never called in practice: there is no server that could refuse anything."""
    return Refused(code="content_rejected", message=str(error), http_status=error.response.status)


async def check(session: NetworkSession) -> Health:
    """Report a healthy account, which gains followers each day, unless a post has ended its token."""
    if session.secrets == _EXPIRED:
        return Health(valid=False, can_post=False, message="The token of this account has expired.")
    digest = hashlib.sha256(session.remote_id.encode()).digest()
    followers = 100 + digest[0] + int((1 + digest[1] / 64) * _hours() / 24)
    return Health(
        username=session.username, granted=("publish", "delete"), followers=followers, following=10 + digest[2]
    )


async def revoke(session: NetworkSession) -> None:
    """Do nothing: nothing was stored."""


async def delete(session: NetworkSession, remote_id: str, thread_ids: Sequence[str]) -> None:
    """Do nothing: nothing was stored."""


def _markers(text: str) -> Mapping[str, str]:
    return {match[1]: match[2] or "" for match in _MARKER.finditer(text)} if "[[" in text else {}


async def _early(markers: Mapping[str, str], part: ThreadPart) -> Outcome | None:
    """Return the outcome that the markers ask for before anything is created."""
    attempt, code = part.outgoing.attempt, markers.get("fail", _UNKNOWN)
    if attempt <= _number(markers.get("transient", "0"), 100):
        return TryLater(message=f"Attempt {attempt} failed, as the text asked for.", http_status=503)
    if code in _RECONNECT:
        return await _break_account(part, code)
    return None if code == _UNKNOWN else _failure(code)


async def _break_account(part: ThreadPart, code: str) -> Outcome | None:
    """Break the account once for each part that asks for it: when a user has repaired it, the part is published.

    A test post does not break an account that live posts use: it fails by itself.
    """
    if (step := f"broken:{part.index}") in part.journal.steps:
        return None
    if part.session.is_shared is not None and await part.session.is_shared():
        message = f"{_refusal_text(code)} Live posts use this account, so the test post did not break it."
        return Refused(code=code, message=message, http_status=401, platform_code=code)
    restricted = code == "account_restricted"
    if not restricted:
        await part.session.save_tokens(_EXPIRED, None)
    await part.journal.record(step, {"code": code})
    return NeedsReconnect(message=_refusal_text(code), restricted=restricted, http_status=401)


def _refusal_text(code: str) -> str:
    return f"The sandbox refused the post with {code}, as the text asked for."


def _failure(code: str) -> Outcome:
    message = _refusal_text(code)
    if code in _LATER:
        return TryLater(message=message, code=code, after_seconds=60.0 if code == "rate_limited" else None)
    if code not in CATEGORIES:
        message = f"The sandbox refused the post: {code!r} is not an error code."
        return Refused(code="content_rejected", message=message, http_status=422, platform_code="unknown_code")
    return Refused(code=code, message=message, http_status=422, platform_code=code)


def _published(session: NetworkSession, outgoing: Outgoing, posted: Sequence[PublicPart]) -> Published:
    remote_id, *thread_ids = [part["id"] for part in posted]
    return Published(
        remote_id=remote_id,
        url=f"{_address(session.username)}/{remote_id}",
        delivery="inbox" if "inbox" in _markers(outgoing.text) else "live",
        thread_ids=tuple(thread_ids),
        first_comment_id=f"{remote_id}-comment" if outgoing.first_comment else None,
    )


def _number(text: str, most: int) -> int:
    text = text.strip()
    return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def _remote_id(outgoing: Outgoing, index: int) -> str:
    """Return an id that tells the numbers that the text asks for: there is no server that could keep them."""
    name = "sbx_" + hashlib.sha256(f"{outgoing.dedupe_key}:{index}".encode()).hexdigest()[:24]
    marker = _markers(outgoing.text).get("metrics", "")
    if marker == "gone":
        return f"{name}-gone"
    numbers = "".join(f"-{key}.{value}" for key, value in _ASSIGNED.findall(marker) if key in _METRICS)
    commented = _number(_markers(outgoing.text).get("comments", "0"), LISTED_MAX) if index == 0 else 0
    return name + numbers + (f"-commented.{commented}" if commented else "")


async def metrics(_session: NetworkSession, remote_ids: Sequence[str]) -> Mapping[str, Metrics | None]:
    """Return what the ids tell, else numbers that follow from the id, and grow with the hours of the clock."""
    return {remote_id: None if remote_id.endswith("-gone") else _metrics_of(remote_id) for remote_id in remote_ids}


def _metrics_of(remote_id: str) -> Metrics:
    stated = {_METRICS[key]: int(value) for key, value in _IN_ID.findall(remote_id) if key in _METRICS}
    if stated:
        return Metrics(**stated)
    digest = hashlib.sha256(remote_id.encode()).digest()
    views = int((20 + digest[0]) * (1 + log1p(_hours())))
    likes, comments, shares = (
        views * digest[place] // divisor for place, divisor in ((1, 2_560), (2, 12_800), (3, 25_600))
    )
    return Metrics(views=views, likes=likes, comments=comments, shares=shares, impressions=views * 5 // 4)


async def comments(
    session: NetworkSession, remote_ids: Sequence[str], _since: datetime | None
) -> Mapping[str, Comments | None]:
    """Return as many comments as the ids tell; the second of three answers the first."""
    return {
        remote_id: None if remote_id.endswith("-gone") else await in_thread(_comments_on, session, remote_id)
        for remote_id in remote_ids
    }


def _comments_on(session: NetworkSession, remote_id: str) -> Comments:
    count = next((int(value) for key, value in _IN_ID.findall(remote_id) if key == "commented"), 0)
    items = [
        RemoteComment(
            remote_id=f"{remote_id}-c{number}",
            parent_id=f"{remote_id}-c{number - 1}" if number % 3 == 2 else None,
            author_id=f"visitor-{number}",
            author_name=f"Visitor {number}",
            author_handle=f"visitor{number}",
            text=_COMMENTS[number % len(_COMMENTS)],
            url=f"{_address(session.username)}/{remote_id}#c{number}",
            posted_at=session.now(),
        )
        for number in range(1, count + 1)
    ]
    return Comments(items=items)


def _to_post(reply: OutgoingReply) -> ReplyPost:
    return ReplyPost(before=({"id": reply.comment_id},), text=reply.text)


async def _answer(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
    return await _publish(session, outgoing, journal, ready=len(outgoing.parts))


async def mark_comment(
    _session: NetworkSession,
    _remote_id: str,
    _reference: Mapping[str, Any],
    _on: bool,  # noqa: FBT001 - the contract
) -> None:
    """Do nothing: nothing was stored."""


async def delete_comment(_session: NetworkSession, _remote_id: str, _reference: Mapping[str, Any]) -> None:
    """Do nothing: nothing was stored."""


def _hours() -> float:
    return max(0.0, (clock.now() - _BEGINNING).total_seconds() / 3_600)


def _address(username: str) -> str:
    return f"https://sandbox.invalid/@{username}"  # .invalid never resolves (RFC 2606)


CONNECTOR = Connector(
    facts=FACTS,
    connect=connect,
    publish=publish,
    explain=explain,
    reconcile=reconcile,
    poll=poll,
    check=check,
    revoke=revoke,
    delete=delete,
    metrics=metrics,
    people=people,
    comments=comments,
    reply=reply_as_part(_answer, _to_post),
    hide_comment=mark_comment,
    like_comment=mark_comment,
    delete_comment=delete_comment,
)
