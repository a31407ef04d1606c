from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest

from signalpost.conformance.harness import Clock, MemoryJournal, outgoing, publish_until_settled, server_at, session
from signalpost.networks import CONNECTORS
from signalpost.networks.codes import CATEGORIES
from signalpost.networks.contract import (
    Absent,
    InvalidField,
    NeedsReconnect,
    Outcome,
    OutcomeUnknown,
    Pending,
    Published,
    Refused,
    TryLater,
)

SANDBOX = CONNECTORS["sandbox"]


async def publish(text: str, journal: MemoryJournal | None = None, **rest: Any) -> Outcome:
    return await SANDBOX.publish(
        session(None, Clock(), username="demo"), outgoing(text, **rest), journal or MemoryJournal()
    )


async def reconcile(text: str, journal: MemoryJournal) -> Any:
    assert SANDBOX.reconcile is not None
    return await SANDBOX.reconcile(session(None, Clock(), username="demo"), outgoing(text), journal)


@pytest.mark.parametrize("text", ["hello", "hello [[ok]]", "[[nonsense]] [[fail]", ""])
async def test_a_plain_text_is_published(text: str) -> None:
    outcome = await publish(text)
    assert isinstance(outcome, Published)
    assert outcome.url == f"https://sandbox.invalid/@demo/{outcome.remote_id}"
    assert outcome.delivery == "live"


async def test_ids_follow_from_the_dedupe_key() -> None:
    first, again, other = [await publish("x"), await publish("x"), await publish("x", dedupe_key="target-2")]
    assert first == again
    assert first != other


@pytest.mark.parametrize("code", CATEGORIES)
async def test_every_error_code_can_be_chosen(code: str) -> None:
    outcome = await publish(f"[[fail:{code}]]")
    match outcome:
        case Refused():
            assert outcome.code == code
        case TryLater():
            assert code in {
                "rate_limited",
                "platform_quota",
                "platform_unavailable",
                "platform_timeout",
                "network_error",
            }
            assert outcome.code == code
        case NeedsReconnect():
            assert code in {"auth_expired", "account_disconnected", "account_restricted"}
            assert outcome.restricted == (code == "account_restricted")
        case OutcomeUnknown():
            assert code == "outcome_unknown"
        case _:
            pytest.fail(str(outcome))


async def test_an_unknown_code_is_refused_and_named() -> None:
    outcome = await publish("[[fail:banana]]")
    assert isinstance(outcome, Refused)
    assert outcome.code == "content_rejected"
    assert "banana" in outcome.message


async def test_transient_fails_the_first_attempts() -> None:
    kinds = [type(await publish("[[transient:2]]", attempt=attempt)) for attempt in (1, 2, 3)]
    assert kinds == [TryLater, TryLater, Published]


@pytest.mark.parametrize(
    ("marker", "kind"),
    [("[[timeout]]", Published), ("[[timeout:lost]]", Absent), ("[[timeout:forever]]", OutcomeUnknown)],
)
async def test_a_timeout_is_unknown_until_it_is_looked_up(marker: str, kind: type) -> None:
    journal = MemoryJournal()

    assert isinstance(await publish(marker, journal), OutcomeUnknown)
    assert journal.open == {"part:0"}
    assert isinstance(await reconcile(marker, journal), kind)


async def test_a_lost_post_is_sent_again_without_the_fault() -> None:
    clock, journal = Clock(), MemoryJournal()

    outcome = await publish_until_settled(
        SANDBOX, lambda: session(None, clock), outgoing("a", "[[timeout:lost]]", "c"), journal, clock
    )

    assert isinstance(outcome, Published)
    assert len(outcome.thread_ids) == 2
    assert [step for kind, step in journal.log if kind == "done"] == ["part:0", "part:1", "part:2"]


async def test_slow_is_pending_until_its_time_is_over() -> None:
    clock, journal = Clock(), MemoryJournal()
    post = outgoing("[[slow:1500]]")
    assert SANDBOX.poll is not None

    first = await SANDBOX.publish(session(None, clock), post, journal)
    assert isinstance(first, Pending)
    assert first.poll_after_seconds == 1.5
    clock.advance(1)
    second = await SANDBOX.poll(session(None, clock), post, journal, first.state)
    assert isinstance(second, Pending)
    assert second.poll_after_seconds == 0.5
    assert journal.log == []
    clock.advance(0.5)
    assert isinstance(await SANDBOX.poll(session(None, clock), post, journal, second.state), Published)


async def test_slow_is_bounded() -> None:
    outcome = await publish("[[slow:99999999999]]")
    assert isinstance(outcome, Pending)
    assert timedelta(seconds=outcome.poll_after_seconds) == timedelta(minutes=10)


async def test_inbox_and_first_comment() -> None:
    outcome = await publish("[[inbox]]", first_comment="first!")
    assert isinstance(outcome, Published)
    assert outcome.delivery == "inbox"
    assert outcome.first_comment_id


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "soon", "31536001", "9" * 30])
async def test_a_token_lives_for_whole_seconds_of_a_year_at_most(text: str) -> None:
    assert SANDBOX.connect is not None
    with pytest.raises(InvalidField, match="whole number"):
        await SANDBOX.connect(server_at(None, ""), {"username": "demo", "tokenSeconds": text})


@pytest.mark.parametrize("code", ["auth_expired", "account_disconnected", "account_restricted"])
async def test_a_post_breaks_its_account_once(code: str) -> None:
    """Otherwise connecting again would help nobody: the same post, tried first, would break it again."""
    journal, saved = MemoryJournal(), []

    async def save_tokens(secrets: Mapping[str, str], expires_at: datetime | None) -> None:
        saved.append(secrets)

    opened = session(None, Clock(), username="demo", save_tokens=save_tokens)
    post = outgoing(f"[[fail:{code}]]")
    assert isinstance(await SANDBOX.publish(opened, post, journal), NeedsReconnect)
    assert bool(saved) is (code != "account_restricted")
    for secrets in saved:
        broken = session(None, Clock(), username="demo", secrets=secrets)
        assert isinstance(await SANDBOX.publish(broken, outgoing("any other"), MemoryJournal()), NeedsReconnect)
    assert isinstance(await SANDBOX.publish(opened, post, journal), Published)


@pytest.mark.parametrize("name", ["demo", "@demo", "Demo.Account-1"])
async def test_any_name_connects(name: str) -> None:
    assert SANDBOX.connect is not None
    identity = await SANDBOX.connect(server_at(None, ""), {"username": name})
    assert identity.remote_id == name.removeprefix("@").lower()


@pytest.mark.parametrize("name", ["", "a b", "x" * 51, "ü", "-a"])
async def test_other_names_are_invalid_fields(name: str) -> None:
    assert SANDBOX.connect is not None
    with pytest.raises(InvalidField):
        await SANDBOX.connect(server_at(None, ""), {"username": name})
