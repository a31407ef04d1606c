"""Relays: their addresses, sending them an event, asking them for events, and what their refusals mean."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from signalpost.kit import foreign
from signalpost.kit.http import BadResponse, HttpFailure, NotSent, UnsafeUrl
from signalpost.networks.connectors.nostr.events import genuine
from signalpost.networks.contract import (
    ApiError,
    NeedsReconnect,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Refused,
    Response,
    Server,
    TryLater,
)
from signalpost.networks.responses import members, redacted, response_text, string, wait_seconds

RELAY_SECONDS: Final = 10.0
ANSWER_BYTES_MAX: Final = 1_000_000
TEXT_BYTES_MAX: Final = 200_000
EVENTS_MAX: Final = 200
"""Of an answer: each one has a signature to check."""
_OPEN: Final = (101, 200)
"""200 is a page or a proxy in place of a relay: nothing that can be read."""
_SUBSCRIPTION: Final = "signalpost"
_OTHERS: Final = "Connect the account again with relays that take its notes, or ask whoever runs the relay."
_REFUSALS: Final[Mapping[str, tuple[str, str | None]]] = {
    "blocked": ("permission_missing", _OTHERS),
    "pow": ("content_rejected", "The relay wants proof of work, which is not made here. " + _OTHERS),
    "invalid": ("content_rejected", None),
}
_OF_THE_ACCOUNT: Final = ("restricted", "auth-required")
_TOO_LONG: Final = ("too large", "too long", "max_content_length")
_UPLOADS: Final[Mapping[int, tuple[str, str | None]]] = {
    401: ("permission_missing", "The media server does not take files of this key: name another one."),
    402: ("billing_required", "The media server wants to be paid first. Do that there, or name another server."),
    403: ("permission_missing", "The media server does not take files of this key: name another one."),
    404: ("destination_missing", "There is no Blossom server at this address: name another one."),
    405: ("destination_missing", "There is no Blossom server at this address: name another one."),
    413: ("media_too_large", None),
}
_HANDSHAKES: Final[Mapping[int, tuple[str, str | None]]] = {
    401: ("permission_missing", _OTHERS), 402: ("billing_required", _OTHERS), 403: ("permission_missing", _OTHERS),
    404: ("destination_missing", "There is no relay at this address: connect the account again with others."),
}  # fmt: skip
_REFUSING: Final = re.compile(r"(error|restricted|rate-limited|blocked|auth-required|invalid|rejected|unsupported)\b")
"""How a notice begins that stands for the end of a query: strfry up to 1.0 sends nothing else (divine-mobile, issue
9007 of 2026-09-10, with relay.primal.net), nor does nostr-relay 1.14 (seen 2026-11-29). Other notices only greet."""
_json: Final = msgspec.json.Decoder(float_hook=str)


class RelaysRefused(ApiError):
    """Every relay that answered refused an event; the response is that of the relay that matters most."""

    def __init__(self, error: ApiError, refusals: Mapping[str, str]) -> None:
        super().__init__(error.response, error.call)
        self.refusals = refusals
        """What each said, by its host."""


def http_address(relay: str) -> str:
    """Return the address at which a relay is called: WebSockets begin as HTTP."""
    return f"http{relay.removeprefix('ws')}"


def host_of(relay: str) -> str:
    return urlsplit(relay).netloc


# --- calls -----------------------------------------------------------------------------------------------------------


async def send(server: Server, relay: str, event: Mapping[str, Any]) -> None:
    """Send an event to a relay. A relay that has it already has accepted it.

    Raises:
        ApiError: the relay refuses it.
        BadResponse: it did not say.
    """
    response = await _exchange(server, relay, ["EVENT", event], _ends_with(("OK",)))
    for _, event_id, *rest in _answers(response.body, "OK"):
        reason = _text_of(rest[1:])
        if rest[:1] == [True] and event_id == event["id"]:
            return
        if rest[:1] == [False]:  # some name no event, or another: this connection has sent one
            if reason.startswith("duplicate:"):
                return
            raise ApiError(response, f"EVENT {relay}")
    raise BadResponse(f"{host_of(relay)} did not say whether it has the note")


async def ask(server: Server, relay: str, pubkey: str, **query: Any) -> list[Mapping[str, Any]]:
    """Return events of a key that a relay has; what the key did not sign is left out.

    Raises:
        ApiError: the relay refuses to answer.
        BadResponse: it sent no complete answer.
    """
    message = ["REQ", _SUBSCRIPTION, {"authors": [pubkey], **query}]
    is_end = _ends_with(("EOSE", "CLOSED"))
    response = await _exchange(server, relay, message, lambda text: is_end(text) or _refusing_notice(text) is not None)
    ends = [end[0] for end in _answers(response.body, "EOSE", "CLOSED")]
    if "CLOSED" in ends or (not ends and _refusing_notice(response.body) is not None):
        raise ApiError(response, f"REQ {relay}")
    if not ends:
        raise BadResponse(f"{host_of(relay)} did not answer the query")
    candidates = [event for _, _, event, *_ in _answers(response.body, "EVENT", length_min=3)]
    return [event for item in candidates[:EVENTS_MAX] if (event := genuine(item, pubkey)) is not None]


async def _exchange(server: Server, relay: str, message: Any, until: Callable[[bytes], bool]) -> Response:
    return await server.call(
        "GET", http_address(relay), json=message, until=until, expect=_OPEN, timeout_seconds=RELAY_SECONDS,
        bytes_max=ANSWER_BYTES_MAX,
    )  # fmt: skip


def _ends_with(verbs: Sequence[str]) -> Callable[[bytes], bool]:
    return lambda text: next(_answers(text, *verbs), None) is not None


def _refusing_notice(body: bytes) -> str | None:
    """Return what a relay says in place of an answer to a query."""
    notices = (_text_of(notice[1:]) for notice in _answers(body, "NOTICE"))
    return next((text for text in notices if _REFUSING.match(text.lower())), None)


def _answers(body: bytes, *verbs: str, length_min: int = 2) -> Iterator[list[Any]]:
    """Yield the messages of a relay that begin with one of these words, as many members as are needed at least."""
    for text in body.split(b"\n"):
        if not text.lstrip().startswith(b"[") or len(text) > TEXT_BYTES_MAX:
            continue
        try:
            message = _json.decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        if isinstance(message, list) and len(message) >= length_min and message[0] in verbs:
            yield message


def _text_of(rest: Sequence[Any]) -> str:
    return redacted(foreign.line(rest[0])) if rest else ""


# --- several relays --------------------------------------------------------------------------------------------------


async def send_to_all(session: NetworkSession, event: Mapping[str, Any]) -> tuple[list[str], dict[str, str]]:
    """Send an event to all relays of an account; return those that have it, and what the others said, by host.

    Raises:
        ApiError, HttpFailure: none has it; that of the relay that matters most.
    """
    accepted: list[str] = []
    failures: dict[str, ApiError | HttpFailure] = {}
    for relay in relays_of(session):
        try:
            await send(session.server, relay, event)
        except (ApiError, HttpFailure) as failure:
            failures[host_of(relay)] = failure
        else:
            accepted.append(relay)
    reasons = {host: said_by(failure) for host, failure in failures.items()}
    if accepted:
        return accepted, reasons
    raise decisive(list(failures.values()), reasons)


def relays_of(session: NetworkSession) -> list[str]:
    relays = session.facts.get("relays")
    return [relay for relay in relays if isinstance(relay, str)] if isinstance(relays, list) else []


def said_by(failure: ApiError | HttpFailure) -> str:
    """Return why a relay does not have an event."""
    return failure.detail if isinstance(failure, HttpFailure) else _reason(failure.response)


def decisive(failures: Sequence[ApiError | HttpFailure], reasons: Mapping[str, str]) -> ApiError | HttpFailure:
    """Return the failure that says what to do: first those after which an event may be there or be taken later."""
    if not failures:
        return NotSent("the account has no relays", stage="url")
    first = min(failures, key=_rank)
    return RelaysRefused(first, reasons) if isinstance(first, ApiError) else first


def _rank(failure: ApiError | HttpFailure) -> int:
    if isinstance(failure, HttpFailure):
        return 4 if isinstance(failure, NotSent | UnsafeUrl) else 0
    return {TryLater: 1, OutcomeUnknown: 1, Refused: 2}.get(type(explain(failure)), 3)


# --- what errors mean ------------------------------------------------------------------------------------------------


def explain(error: ApiError) -> Outcome:
    """Turn a refusal of a relay or of a media server into an outcome, by the word that a relay's refusal begins with.

    Whatever was refused is not public, and a server that opened no connection has not seen the note.
    """
    response, status = error.response, error.response.status
    reasons = error.refusals if isinstance(error, RelaysRefused) else {}
    reason = "; ".join(f"{host}: {text}" for host, text in reasons.items()) or _reason(response)
    details: dict[str, Any] = {
        "message": f"Nostr: {reason[:900]}", "http_status": status, "response": response_text(response),
    }  # fmt: skip
    refusal = _refusal(response)
    if refusal is not None:
        return _of_relay(refusal, details)
    if status == 429:
        return TryLater(code="rate_limited", after_seconds=wait_seconds(response), **details)
    if not 400 <= status < 500 or status in {408, 425}:
        return TryLater(after_seconds=wait_seconds(response), **details)
    is_upload = error.call.startswith("PUT ")
    other = ("media_unsupported" if is_upload else "content_rejected", None)
    code, advice = (_UPLOADS if is_upload else _HANDSHAKES).get(status, other)
    return Refused(code=code, remediation=advice, **details)


def _of_relay(refusal: str, details: Mapping[str, Any]) -> Outcome:
    word, _, text = refusal.partition(":")
    word = word.lower()  # strfry writes ERROR
    if word == "rate-limited":
        return TryLater(code="rate_limited", platform_code=word, **details)
    if word == "error":
        return TryLater(platform_code=word, **details)
    if word in _OF_THE_ACCOUNT:
        named = {**details, "message": f"{details['message']}. {_OTHERS}"}
        return NeedsReconnect(restricted=word == "restricted", platform_code=word, **named)
    code, advice = _REFUSALS.get(word, ("content_rejected", _OTHERS))
    if word == "invalid" and any(sign in text.lower() for sign in _TOO_LONG):
        code = "text_too_long"
    return Refused(code=code, remediation=advice, platform_code=word if word in _REFUSALS else None, **details)


def _refusal(response: Response) -> str | None:
    """Return what a relay said of an event, or of a query, that it refuses; None if it said nothing."""
    if response.status not in _OPEN:
        return None
    refused: Iterable[list[Any]] = _answers(response.body, "OK", "CLOSED", length_min=3)
    for verb, _, *rest in refused:
        if verb == "CLOSED" or rest[0] is False:
            return _text_of(rest if verb == "CLOSED" else rest[1:]) or "it gave no reason"
    return _refusing_notice(response.body)


def _reason(response: Response) -> str:
    body = members(response)
    named = response.headers.get("X-Reason") or string(body.get("message")) or string(body.get("error"))
    return _refusal(response) or redacted(foreign.line(named)) or f"status {response.status}"
