"""What a connector makes of error responses, texts and secrets."""

import json
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

from signalpost.conformance.fake import TOKEN, Case, NetworkFake
from signalpost.conformance.harness import FakeHttp, FakeResponse, MemoryJournal, json_response, outgoing
from signalpost.conformance.publishing import Run
from signalpost.networks import preflight, results
from signalpost.networks.codes import CATEGORIES
from signalpost.networks.contract import (
    ApiError,
    Connector,
    NeedsReconnect,
    OutcomeUnknown,
    Published,
    Refused,
    TryLater,
)

ODD_BODIES: Final = (
    b"",
    b"null",
    b"[]",
    b'"x"',
    b"{}",
    b'{"error":7}',
    b"\xff\x00",
    b'{"error":{"a":[]}}',
    b"[" * 5_000,
)
ERRORS: Final = (Refused, NeedsReconnect, TryLater, OutcomeUnknown)
SIZE: Final = 20_000
SECONDS_MAX: Final = 1.0
"""For one text of `SIZE` characters; what takes time in proportion to its length needs a hundredth of that."""
PIECES: Final = (
    "a", "é", " ", "\0", "\u0301", "👩", "🇩", "@a.", "@a@-", "#a", "https://a.", "https://a.b/(", "eyJ.", "bearer ",
    'token":"abc', "[[", "<a b=", "<!--", "&#", '"a":', "\\u00e9", "\r\n", "*_", "`",
)  # fmt: skip


def documented_errors(connector: Connector, fake: NetworkFake) -> Iterator[str]:
    """Yield the documented errors that have another outcome."""
    for error, kind, code in fake.errors:
        outcome = connector.explain(error)
        what = f"{error} with {error.response.body[:100]!r}"
        if not isinstance(outcome, kind):
            yield f"{what} is {type(outcome).__name__}, not {kind.__name__}."
        elif code is not None and getattr(outcome, "code", None) != code:
            yield f"{what} has the code {getattr(outcome, 'code', None)}, not {code}."


def any_answer(connector: Connector, fake: NetworkFake) -> Iterator[str]:
    """Yield the statuses and bodies for which `explain` raises or says what cannot be."""
    for status in (*range(300, 600), 200, 204):
        for body in ODD_BODIES:
            for call in (fake.create_call, "GET /x"):
                yield from _explained(connector, ApiError(FakeResponse(status, body), call))


def _explained(connector: Connector, error: ApiError) -> Iterator[str]:
    what = f"explain({error} with {error.response.body[:40]!r})"
    try:
        outcome = connector.explain(error)
    except Exception as raised:  # noqa: BLE001 - that is what is looked for
        yield f"{what} raises {type(raised).__name__}: {raised}."
        return
    if not isinstance(outcome, ERRORS):
        yield f"{what} is {type(outcome).__name__}."
    elif not outcome.message:
        yield f"{what} has no message."
    elif isinstance(outcome, Refused | TryLater) and outcome.code not in CATEGORIES:
        yield f"{what} has the code {outcome.code!r}, which does not exist."


def rate_limits(connector: Connector, fake: NetworkFake) -> Iterator[str]:
    """Yield where a rate limit is not one, or its wait is not read."""
    response = json_response(429, {"error": "RateLimitExceeded"}, **{"Retry-After": "17"})
    outcome = connector.explain(ApiError(response, fake.create_call))
    if not isinstance(outcome, TryLater):
        yield f"Status 429 is {type(outcome).__name__}, not TryLater."
    elif outcome.after_seconds != 17.0:
        yield f"Retry-After: 17 is read as {outcome.after_seconds} s; networks.responses.wait_seconds reads it."


def hostile_texts(connector: Connector, _fake: NetworkFake) -> Iterator[str]:
    """Yield texts that take too long to check or explain."""
    for piece in PIECES:
        text = (piece * SIZE)[:SIZE]
        began = time.thread_time()
        connector.explain(ApiError(FakeResponse(400, json.dumps({"error": text, "message": text}).encode()), "POST /x"))
        preflight.check(connector, outgoing(text), {})
        if (seconds := time.thread_time() - began) > SECONDS_MAX:
            yield f"{SIZE} characters of {piece!r} take {seconds:.1f} s of CPU time."


async def secrets(connector: Connector, fake: NetworkFake, case: Case) -> AsyncIterator[str]:
    """Yield where a token that a server repeats comes out."""
    run = Run(connector, fake, case)
    body = json.dumps({"error": "x", "message": f"got Bearer {TOKEN}", "pad": "ü" * 9_000}).encode()
    run.http = FakeHttp(lambda _: FakeResponse(400, body))
    outcome = await connector.publish(run.session(), case.post, MemoryJournal())
    if TOKEN in repr(outcome):
        yield "An outcome contains the token of the account."
    response = getattr(outcome, "response", None) or ""
    if len(response.encode()) > 4_096:
        yield "The response of an outcome has more than 4096 bytes; networks.responses.response_text bounds it."


async def functions(connector: Connector, fake: NetworkFake, case: Case) -> AsyncIterator[str]:
    """Yield what is wrong with `connect`, `check`, `metrics` and `delete`, as far as the connector has them."""
    run = Run(connector, fake, case)
    outcome = await run.publish()
    opened = run.session()
    calls: dict[str, tuple[Any, ...]] = {"connect": (opened.server, fake.form), "check": (opened,)}
    if isinstance(outcome, Published):
        calls["metrics"] = (opened, [outcome.remote_id])
        calls["delete"] = (opened, outcome.remote_id, outcome.thread_ids)
    for name, arguments in calls.items():
        function = getattr(connector, name)
        for _ in range(2 if function is not None and fake.form else 0):  # what `delete` misses counts as removed
            if (problem := results.problem(name, await function(*arguments))) is not None:
                yield f"{problem}."
