"""Targets from the queue to their end, through the real engine."""

import asyncio
import json
from collections.abc import Awaitable, Sequence
from typing import Any

import pytest
from tests.helpers.publishing import StagedNetwork, published

from signalpost import events
from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.http import NotSent
from signalpost.networks.contract import (
    NeedsReconnect,
    Pending,
    Published,
    Refused,
    TryLater,
)
from signalpost.publishing.outcomes import JITTER


async def test_the_log_speaks_of_what_the_api_speaks_of(
    stage: StagedNetwork, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever looks for the id of a post finds its requests and how it ended; a failure is a warning."""

    async def refuse(*_: Any) -> Refused:
        return Refused(code="content_rejected", message="no")

    account = await stage.account()
    good = await stage.post(account)
    await stage.work()
    stage.publish = refuse
    bad = await stage.post(account)
    await stage.work()
    await stage.make.api.get(f"/posts/{good}", key=stage.owner.key)

    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    ends = [line for line in lines if line["event"] == "target.settled" and line["post"] in (good, bad)]
    assert [(line["post"], line["status"], line["level"]) for line in ends] == [
        (good, "published", "info"),
        (bad, "failed", "warning"),
    ]
    assert {(line["account"], line["target"][:4]) for line in ends} == {(account, "tgt_")}
    read = lines[-1]
    assert (read["event"], read["path"]) == ("request.completed", f"/api/v1/posts/{good}")
    assert read["workspace"] == ids.encode("wsp", stage.owner.workspace_id)
    assert read["credential"].startswith("key_")


async def test_a_post_is_published_and_reports_it(stage: StagedNetwork) -> None:
    """The simple case: once at the network, once in every record."""
    post = await stage.post(text="Hello")
    await stage.work()

    status = await stage.status(post)
    assert status["status"] == "published", status
    assert status["targets"][0]["url"] == "https://stage.test/r1"
    assert [text for _, text in stage.sent] == ["Hello"]
    assert await stage.history(post) == ["created", "queued", "target.published"]
    assert stage.emitted(post) == [
        ("post.queued", "post", "queued"),
        ("post.published", "target", "published"),
        ("post.published", "post", "published"),
    ]
    data = stage.events[-2].data
    assert (data.published, data.failed, data.total) == (1, 0, 1)
    assert data.published_at
    assert isinstance(stage.events[-1], events.PostSettled)


async def test_a_refused_post_fails_and_says_what_to_do(stage: StagedNetwork) -> None:
    """A refused text is not tried again; its error has every member of the contract."""

    async def refuse(*_: object) -> Refused:
        return Refused(code="text_too_long", message="299 > 280", rule="stage.text.max", http_status=422, response="{}")

    stage.publish = refuse
    post = await stage.post()
    await stage.work()

    error = (await stage.status(post))["targets"][0]["error"]
    assert set(error) == {
        "code", "category", "source", "message", "userMessage", "rule", "retryable", "httpStatus", "platformCode",
        "platformResponse", "remediation", "occurredAt",
    }  # fmt: skip
    assert (error["code"], error["category"], error["httpStatus"]) == ("text_too_long", "user_content", 422)
    assert stage.emitted(post)[1:] == [("post.failed", "target", "failed"), ("post.failed", "post", "failed")]
    emitted_error = stage.events[-2].data.targets[0].error
    assert emitted_error["code"] == "text_too_long"
    assert "platformResponse" not in emitted_error


async def test_a_target_fails_after_five_tries(stage: StagedNetwork) -> None:
    """1, 5, 15 and 60 minutes apart and up to a fifth longer, and no sixth."""
    waits = []

    async def fail(*_: object) -> TryLater:
        return TryLater(message="503", http_status=503)

    stage.publish = fail
    post = await stage.post()
    for _ in range(5):
        await stage.pass_time(post)
        row = await stage.target(post)
        waits.append(row["wait"] and row["wait"].total_seconds())

    status = await stage.status(post)
    assert waits.pop() is None
    for wait, minutes in zip(waits, (1, 5, 15, 60), strict=True):
        assert 60 * minutes - 5 < wait <= 60 * minutes * (1 + JITTER)
    assert status["targets"][0]["attempts"] == 5
    assert status["targets"][0]["error"]["code"] == "platform_unavailable"
    assert status["status"] == "failed"
    assert (await stage.history(post))[2:] == ["target.attempt"] * 4 + ["target.failed"]


async def test_a_post_with_dead_credentials_waits_until_the_account_is_reconnected(stage: StagedNetwork) -> None:
    """The account is marked and the post is held; after reconnecting it is published automatically."""

    async def refuse(*_: object) -> NeedsReconnect:
        return NeedsReconnect(message="token revoked", http_status=401)

    stage.publish = refuse
    post = await stage.post()
    await stage.work()
    row = await stage.target(post)
    assert (row["status"], row["held_reason"], row["tries"]) == ("retrying", "account", 0)
    accounts = await stage.make.api.get(f"/platforms/accounts?profileId={stage.owner.profile}", key=stage.owner.key)
    assert accounts.json()["data"][0]["status"] == "needs_reauth"
    entry = (await stage.make.api.get(f"/queue/status/{post}", key=stage.owner.key)).json()
    assert (entry["held"], entry["heldReason"], entry["state"]) == (True, "account", "waiting")

    stage.publish = stage.accept
    await stage.work()
    assert stage.sent == []
    await stage.execute("update account set status = 'active' where id = $1", row["account_id"])
    async with stage.context.database.transaction() as db:
        ready = events.AccountReady(
            workspace_id=stage.owner.workspace_id, at=clock.now(), account_id=row["account_id"], platform="stage"
        )
        await stage.context.emit(db, ready)
    await stage.work()

    assert (await stage.status(post))["status"] == "published"


async def test_a_post_fails_if_the_account_is_not_reconnected_in_time(stage: StagedNetwork) -> None:
    """When the window ends, the post fails with a code that says what to do."""
    account = await stage.account()
    await stage.execute("update account set status = 'needs_reauth' where id = $1", ids.decode("acc", account))
    post = await stage.post(account)
    await stage.work()
    assert (await stage.target(post))["held_reason"] == "account"
    status = await stage.status(post)
    assert (status["status"], status["held"], status["heldReason"]) == ("queued", True, "account")

    await stage.delay(post, 13 * 3600)
    await stage.work()

    assert (await stage.target(post))["error"]["code"] == "auth_expired"


async def test_a_post_that_the_network_processes_is_polled(stage: StagedNetwork) -> None:
    """The network is polled after the time it asks for, then less and less often; polling never sends."""
    asked = []

    async def take(session: Any, outgoing: Any, journal: Any) -> Pending:
        await journal.record("container", {"id": "c1"})
        return Pending(state={"container": "c1"}, poll_after_seconds=2.0)

    async def poll(session: Any, outgoing: Any, journal: Any) -> Any:
        asked.append(journal.steps["container"])
        if len(asked) < 3:
            return Pending(state={"container": "c1"}, poll_after_seconds=2.0)
        return await stage.accept(session, outgoing, journal)

    async def wait_after(work: Awaitable[None]) -> tuple[float, float]:
        """How long the target waits then: as seen after the work, and as seen before it."""
        began = await stage.context.database.pool.fetchval("select clock_timestamp()")
        await work
        row = await stage.target(post)
        return row["wait"].total_seconds(), (row["next_attempt_at"] - began).total_seconds()

    stage.publish, stage.poll = take, poll
    post = await stage.post()
    waits = [await wait_after(stage.work())]
    waits += [await wait_after(stage.pass_time(post)) for _ in range(2)]
    await stage.pass_time(post)

    assert all(least <= seconds <= most for seconds, (least, most) in zip((2, 5, 10), waits, strict=True)), waits
    status = await stage.status(post)
    assert (status["status"], status["targets"][0]["attempts"]) == ("published", 1)


async def test_a_call_that_hangs_is_cut_off(stage: StagedNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hung network blocks one account for a bounded time, and the open intent is not forgotten."""
    from signalpost.publishing import work

    monkeypatch.setattr(work, "CALL_SECONDS_MAX", 0.2)

    async def hang(session: Any, outgoing: Any, journal: Any) -> Any:
        await journal.intend("part:0", {})
        await asyncio.sleep(60)

    stage.publish = hang
    post = await stage.post()
    await stage.work()

    assert (await stage.target(post))["status"] == "unknown"


@pytest.mark.parametrize(
    ("text", "status", "code"),
    [
        ("[[ok]]", "published", None),
        ("[[inbox]]", "published", None),
        ("[[fail:content_rejected]]", "failed", "content_rejected"),
        ("[[fail:text_too_long]]", "failed", "text_too_long"),
        ("[[fail:outcome_unknown]]", "failed", "outcome_unknown"),
        ("[[fail:auth_expired]]", "failed", "auth_expired"),
        ("[[fail:account_restricted]]", "failed", "account_restricted"),
        ("[[fail:rate_limited]]", "failed", "rate_limited"),
        ("[[fail:nonsense]]", "failed", "content_rejected"),
        ("[[transient:2]]", "published", None),
        ("[[transient:9]]", "failed", "platform_unavailable"),
        ("[[timeout]]", "published", None),
        ("[[timeout:lost]]", "published", None),
        ("[[timeout:forever]]", "failed", "outcome_unknown"),
        ("[[slow:1]]", "published", None),
    ],
)
async def test_the_sandbox_does_what_its_markers_say(
    stage: StagedNetwork, text: str, status: str, code: str | None
) -> None:
    """Clients of the API can try every outcome without a network."""
    account = await stage.make.account(stage.owner)
    post = str((await stage.make.post(stage.owner, key=stage.owner.test_key, text=text))["id"])
    for _ in range(8):
        await stage.pass_time(post)
        if (await stage.status(post))["status"] in ("published", "failed"):
            break
    else:
        await stage.delay(post, 13 * 3600)  # held for the account, until it is too late
        await stage.work()

    target = (await stage.status(post))["targets"][0]
    assert (target["status"], (target["error"] or {}).get("code")) == (status, code), target
    assert target["delivery"] == (None if status == "failed" else "inbox" if "inbox" in text else "live")
    assert target["accountId"] == account["id"]


async def test_secrets_stay_out_of_the_records(stage: StagedNetwork) -> None:
    """A network's response goes into the audit log; the account's token must not."""

    async def echo(session: Any, outgoing: Any, journal: Any) -> Refused:
        try:
            await session.server.http.request("GET", "http://127.0.0.1:1/bot/top-secret-token/send")
        except NotSent:
            return Refused(code="content_rejected", message="no", response='{"you": "top-secret-token"}')
        raise AssertionError

    stage.publish = echo
    post = await stage.post()
    await stage.work()

    response = await stage.make.api.get(f"/posts/{post}/audit", key=stage.owner.key)
    attempt = response.json()["data"][0]["attempt"]
    assert attempt["request"] == {"method": "GET", "host": "127.0.0.1", "path": "/bot/[redacted]/send"}
    assert attempt["number"] == 1
    assert attempt["durationMs"] >= 0
    assert "top-secret-token" not in response.text


async def test_an_error_of_our_own_does_not_lose_the_post(stage: StagedNetwork) -> None:
    """A subscriber that raises rolls back the outcome; the post is neither sent again nor forgotten."""
    broken = True

    async def explode(_context: AppContext, db: Any, emitted: Sequence[events.PostPublished]) -> None:
        if broken and any(event.workspace_id == stage.owner.workspace_id for event in emitted):
            raise RuntimeError("a subscriber's bug")

    stage.context.subscribe(events.PostPublished, explode)
    post = await stage.post()
    await stage.work()
    assert (await stage.target(post))["status"] in ("retrying", "unknown")
    broken = False
    stage.publish = stage.reconcile = lambda session, outgoing, journal: _known(journal)
    await stage.pass_time(post, 2)

    assert (await stage.status(post))["status"] == "published"
    assert len(stage.sent) == 1


async def _known(journal: Any) -> Any:
    return published(journal.steps["part:0"]["id"])


async def test_deleting_with_cascade_removes_the_post_from_the_network(stage: StagedNetwork) -> None:
    """The service trashes it at once; a job removes it from the network soon after."""
    from signalpost.main import wiring

    post = await stage.post()
    await stage.work()
    response = await stage.make.api.delete(f"/posts/{post}?cascade=true", key=stage.owner.key)
    assert response.status_code == 200, response.text
    assert response.json()["platformErrors"] == []

    engine = wiring.engine(stage.context)
    await engine.tick(500)  # whatever jobs other tests have left
    await engine.stop(5)

    assert stage.deleted == ["r1"]
    assert (await stage.target(post))["status"] == "removed"


@pytest.mark.parametrize(
    ("comment", "outcome", "status", "error"),
    [
        (None, {}, "none", None),
        ("First!", {"first_comment_id": "c1"}, "posted", None),
        ("First!", {"first_comment_error": "comments are closed"}, "failed", "comments are closed"),
    ],
)
async def test_a_first_comment_has_a_state_of_its_own(
    stage: StagedNetwork, comment: str | None, outcome: dict[str, str], status: str, error: str | None
) -> None:
    """The post is public with or without it."""

    async def publish(*_: Any) -> Published:
        return Published(remote_id="r1", url=None, **outcome)

    stage.publish = publish
    fields = {} if comment is None else {"firstComment": comment}
    post = await stage.post(**fields)
    before = (await stage.make.api.get(f"/posts/{post}", key=stage.owner.key)).json()["targets"][0]["firstComment"]
    await stage.work()

    shown = (await stage.make.api.get(f"/posts/{post}", key=stage.owner.key)).json()
    assert before["status"] == ("none" if comment is None else "pending")
    assert shown["status"] == "published"
    assert shown["targets"][0]["firstComment"] == {
        "status": status,
        "id": outcome.get("first_comment_id"),
        "error": error,
    }
