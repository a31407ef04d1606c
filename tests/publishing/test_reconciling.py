"""What becomes of a post of which nobody knows whether it is public."""

from typing import Any

import pytest
from tests.helpers.publishing import StagedNetwork, published

from signalpost.kit.http import MaybeSent, NotSent
from signalpost.networks.contract import (
    Absent,
    OutcomeUnknown,
)
from signalpost.publishing.outcomes import JITTER


async def test_a_post_whose_response_was_lost_is_reconciled(stage: StagedNetwork) -> None:
    """The response of a create call was lost: a lookup, not a resend, shows that the post is there."""
    sent: list[str] = []

    async def lose(session: Any, outgoing: Any, journal: Any) -> OutcomeUnknown:
        await journal.intend("part:0", {"key": "k"})
        sent.append(outgoing.text)
        raise MaybeSent("reset by peer")

    async def find(session: Any, outgoing: Any, journal: Any) -> Any:
        assert journal.steps["part:0"] == {"key": "k"}
        await journal.done("part:0", {"key": "k", "id": "9"})
        return published("9")

    stage.publish, stage.reconcile = lose, find
    post = await stage.post()
    await stage.work()
    row = await stage.target(post)
    assert (row["status"], row["error"]["code"]) == ("unknown", "outcome_unknown")
    assert 25 < row["wait"].total_seconds() <= 30 * (1 + JITTER)
    status = await stage.status(post)
    assert (status["published"], status["failed"], status["pending"], status["status"]) == (0, 0, 1, "publishing")

    await stage.pass_time(post)

    row = await stage.target(post)
    assert (row["status"], row["remote_id"], row["intent"], row["error"]) == ("published", "9", None, None)
    assert len(sent) == 1
    assert (await stage.history(post))[2:] == ["target.unknown", "reconciled"]


async def test_a_post_that_is_certainly_absent_is_sent_again(stage: StagedNetwork) -> None:
    """Only if the lookup shows that nothing arrived is the create call repeated."""
    lost = True

    async def lose_once(session: Any, outgoing: Any, journal: Any) -> Any:
        nonlocal lost
        if lost:
            lost = False
            await journal.intend("part:0", {})
            raise MaybeSent("reset by peer")
        return await stage.accept(session, outgoing, journal)

    async def absent(*_: object) -> Absent:
        return Absent()

    stage.publish, stage.reconcile = lose_once, absent
    post = await stage.post()
    await stage.work()
    await stage.pass_time(post, 2)

    assert (await stage.status(post))["status"] == "published"
    assert len(stage.sent) == 1
    assert (await stage.history(post))[2:] == ["target.unknown", "reconciled", "target.published"]


async def test_when_reconciling_is_inconclusive_a_person_decides(stage: StagedNetwork) -> None:
    """After lookups at 30 s, 2, 10 and 60 min it fails with outcome_unknown; only includeUnknown posts it again."""
    keys = []

    async def lose(session: Any, outgoing: Any, journal: Any) -> Any:
        keys.append(outgoing.dedupe_key)
        await journal.record("media:0", {"id": "uploaded"})
        await journal.intend("part:0", {})
        return OutcomeUnknown(message="no response")

    async def cannot_tell(*_: object) -> OutcomeUnknown:
        return OutcomeUnknown(message="the network does not say")

    stage.publish, stage.reconcile = lose, cannot_tell
    post = await stage.post()
    await stage.work()
    waits = []
    for _ in range(4):
        waits.append((await stage.target(post))["wait"].total_seconds())
        early = await stage.make.api.post(f"/posts/{post}/retry", json={"includeUnknown": True}, key=stage.owner.key)
        assert (early.status_code, early.json()["code"]) == (409, "nothing_to_retry")
        assert "is asked again at 2" in early.json()["remediation"]
        assert "asked again" in (await stage.status(post))["targets"][0]["error"]["remediation"]
        await stage.pass_time(post)

    for wait, seconds in zip(waits, (30, 90, 480, 3000), strict=True):
        assert seconds - 5 < wait <= seconds * (1 + JITTER)
    status = await stage.status(post)
    assert (status["status"], status["targets"][0]["error"]["code"]) == ("failed", "outcome_unknown")
    refused = await stage.make.api.post(f"/posts/{post}/retry", key=stage.owner.key)
    assert (refused.status_code, refused.json()["code"]) == (409, "nothing_to_retry")
    assert "includeUnknown" in refused.json()["remediation"]
    assert "includeUnknown" in status["targets"][0]["error"]["remediation"]
    again = await stage.make.api.post(f"/posts/{post}/retry", json={"includeUnknown": True}, key=stage.owner.key)
    assert again.status_code == 201, again.text

    async def accept(session: Any, outgoing: Any, journal: Any) -> Any:
        assert journal.steps == {"media:0": {"id": "uploaded"}}
        keys.append(outgoing.dedupe_key)
        return await stage.accept(session, outgoing, journal)

    stage.publish = accept
    await stage.work()
    assert (await stage.status(post))["status"] == "published"
    assert len(set(keys)) == 2, "to the network, a post sent again on purpose is another post"


async def test_without_a_lookup_the_outcome_is_unknown_at_once(
    stage: StagedNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the network cannot be asked, waiting gains nothing, and nothing is sent again."""
    from dataclasses import replace

    from signalpost import networks

    monkeypatch.setitem(networks.CONNECTORS, "stage", replace(stage.connector, reconcile=None))

    async def lose(session: Any, outgoing: Any, journal: Any) -> Any:
        await journal.intend("part:0", {})
        raise RuntimeError("a bug of the connector")

    stage.publish = lose
    post = await stage.post()
    await stage.work()

    assert (await stage.target(post))["error"]["code"] == "outcome_unknown"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotSent("refused", stage="connect"), "network_error"),
        (MaybeSent("timed out", timed_out=True), "platform_timeout"),
        (KeyError("id"), "internal_error"),
    ],
)
async def test_an_error_before_the_intent_is_tried_again(stage: StagedNetwork, error: Exception, code: str) -> None:
    """Nothing can be public yet, so trying again is safe."""

    async def fail(*_: object) -> None:
        raise error

    stage.publish = fail
    post = await stage.post()
    await stage.work()

    row = await stage.target(post)
    assert (row["status"], row["error"]["code"]) == ("retrying", code)
