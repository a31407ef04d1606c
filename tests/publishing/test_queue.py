"""The queue as callers see it: submit, cancel, status, retry, process."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from tests.helpers.factories import Make
from tests.helpers.publishing import StagedNetwork, until

from signalpost.context import AppContext
from signalpost.engine.engine import Engine
from signalpost.kit import clock
from signalpost.networks.contract import Refused, TryLater
from signalpost.publishing.work import TargetSource

SECRET = {"x-queue-secret": "queue-secret-of-the-tests"}


async def call(stage: StagedNetwork, method: str, path: str, **options: Any) -> httpx.Response:
    return await stage.make.api.call(method, path, key=options.pop("key", stage.owner.key), **options)


async def refuse(*_: object) -> Refused:
    return Refused(code="content_rejected", message="no")


async def test_a_submitted_draft_is_published(stage: StagedNetwork) -> None:
    """Submitting without a time publishes a draft now."""
    post = await stage.post(draft=True)
    assert (await call(stage, "GET", f"/queue/status/{post}")).json() == {"postId": post, "state": "none"}

    response = await call(stage, "POST", f"/queue/submit/{post}")

    assert response.status_code == 201, response.text
    entry = response.json()
    assert entry["id"] == "que_" + post.partition("_")[2]
    assert (entry["state"], entry["position"], entry["held"], entry["priority"]) == ("ready", 1, False, 5)
    assert stage.emitted(post) == [("post.queued", "post", "queued")]
    again = await call(stage, "POST", f"/queue/submit/{post}")
    assert (again.status_code, again.json()["code"]) == (409, "invalid_state")
    await stage.work()
    done = (await call(stage, "GET", f"/queue/status/{post}")).json()
    assert (done["state"], done["tasks"][0]["state"], done["position"]) == ("done", "done", None)
    assert done["finishedAt"]


async def test_while_it_is_published_an_entry_says_until_when_its_worker_has_it(stage: StagedNetwork) -> None:
    post = await stage.post()
    seen: list[dict[str, Any]] = []

    async def look_and_accept(*arguments: Any) -> Any:
        seen.append((await call(stage, "GET", f"/queue/status/{post}")).json())
        return await stage.accept(*arguments)

    stage.publish = look_and_accept
    await stage.work()

    [entry] = seen
    assert (entry["state"], entry["position"], entry["attempts"]) == ("leased", None, 1)
    assert [task["state"] for task in entry["tasks"]] == ["leased"]
    assert clock.now() < datetime.fromisoformat(entry["leasedUntil"]) < clock.now() + timedelta(minutes=2)
    assert (await call(stage, "GET", f"/queue/status/{post}")).json()["leasedUntil"] is None


async def test_submit_with_a_time_schedules(stage: StagedNetwork) -> None:
    """A time too far ahead is refused; submitting a scheduled post again changes its time."""
    post = await stage.post(draft=True)
    body = {"scheduledAt": "2031-01-01T00:00:00Z"}
    assert (await call(stage, "POST", f"/queue/submit/{post}", json=body)).status_code == 422
    at = await stage.context.database.pool.fetchval(
        "select to_char(now() + interval '1 day', 'YYYY-MM-DD\"T\"HH24:MI:SSZ')"
    )

    response = await call(stage, "POST", f"/queue/submit/{post}", json={"scheduledAt": at})

    assert response.status_code == 201, response.text
    assert response.json()["state"] == "waiting"
    assert (await stage.status(post))["status"] == "scheduled"
    assert [kind for kind, _, _ in stage.emitted(post)] == ["post.queued"]
    now = await call(stage, "POST", f"/queue/submit/{post}", json={"scheduledAt": None})
    assert now.status_code == 201
    assert [kind for kind, _, _ in stage.emitted(post)] == ["post.queued"] * 2


async def test_submit_runs_preflight(stage: StagedNetwork) -> None:
    """What the network would refuse is refused here, and nothing is queued."""
    post = await stage.post(draft=True, text="x" * 501)

    response = await call(stage, "POST", f"/queue/submit/{post}")

    assert (response.status_code, response.json()["code"]) == (422, "preflight_failed")
    assert (await stage.status(post))["status"] == "draft"


async def test_cancelling_makes_a_draft_and_gives_the_unit_back(stage: StagedNetwork) -> None:
    """Nothing was tried, so the plan is not charged."""
    post = await stage.post()
    usage = (await call(stage, "GET", "/auth/usage")).json()["usage"]["posts"]

    response = await call(stage, "DELETE", f"/queue/cancel/{post}")

    assert response.json() == {"postId": post, "cancelledTargets": 1, "startedTargets": 0, "state": "cancelled"}
    assert (await call(stage, "GET", "/auth/usage")).json()["usage"]["posts"] == usage - 1
    assert (await stage.status(post))["status"] == "draft"
    assert (await call(stage, "GET", f"/queue/status/{post}")).json()["state"] == "cancelled"
    await stage.work()
    assert stage.sent == []
    assert (await call(stage, "DELETE", f"/queue/cancel/{post}")).status_code == 409
    assert (await call(stage, "POST", f"/queue/submit/{post}")).status_code == 201
    await stage.work()
    assert len(stage.sent) == 1


async def test_cancelling_ends_a_post_whose_other_targets_have_ended(stage: StagedNetwork) -> None:
    """One target is published, one waits for a retry: cancelling that one ends the post, with one event."""
    first, second = await stage.account("calm"), await stage.account("busy")

    async def half(session: Any, outgoing: Any, journal: Any) -> Any:
        return TryLater(message="503") if session.username == "busy" else await stage.accept(session, outgoing, journal)

    stage.publish = half
    post = await stage.post(first, second)
    await stage.work()
    response = await call(stage, "DELETE", f"/queue/cancel/{post}")

    assert (response.json()["cancelledTargets"], response.json()["startedTargets"]) == (1, 1)
    assert (await stage.status(post))["status"] == "published"
    assert stage.emitted(post)[-1] == ("post.published", "post", "published")
    refused = await call(stage, "DELETE", f"/queue/cancel/{post}")
    assert (refused.status_code, refused.json()["code"]) == (409, "invalid_state")


async def test_a_retry_touches_failed_targets_only(stage: StagedNetwork) -> None:
    """After a partial outcome the rest is published; what is public stays as it is."""
    first, second = await stage.account("calm"), await stage.account("strict")

    async def half(session: Any, outgoing: Any, journal: Any) -> Any:
        return await (refuse() if session.username == "strict" else stage.accept(session, outgoing, journal))

    stage.publish = half
    post = await stage.post(first, second)
    await stage.work()
    assert (await stage.status(post))["status"] == "partial"
    assert stage.emitted(post)[-1] == ("post.partial", "post", "partial")
    targets = {target["username"]: target["targetId"] for target in (await stage.status(post))["targets"]}
    none = await call(stage, "POST", f"/posts/{post}/retry", json={"targetIds": [targets["calm"]]})
    assert (none.status_code, none.json()["code"]) == (409, "nothing_to_retry")
    foreign = await call(stage, "POST", f"/posts/{post}/retry", json={"targetIds": ["tgt_nonsense"]})
    assert (foreign.status_code, foreign.json()["errors"][0]["path"]) == (422, "/targetIds/0")
    stage.publish = stage.accept

    response = await call(stage, "POST", f"/posts/{post}/retry", json={"targetIds": [targets["strict"]]})
    assert response.status_code == 201, response.text
    under_way = (await call(stage, "GET", "/posts", params={"status": "publishing"})).json()["data"]
    assert [(shown["id"], shown["publishedAt"]) for shown in under_way] == [(post, None)]
    await stage.work()

    assert [name for name, _ in stage.sent] == ["calm", "strict"]
    assert (await stage.status(post))["status"] == "published"
    assert stage.emitted(post)[-2:] == [
        ("post.published", "target", "published"),
        ("post.published", "post", "published"),
    ]
    assert "retried" in await stage.history(post)


async def test_a_corrected_post_can_be_submitted_again(stage: StagedNetwork) -> None:
    """The corrected text is published, and the plan is charged once."""
    stage.publish = refuse
    post = await stage.post(text="wrong")
    await stage.work()
    usage = (await call(stage, "GET", "/auth/usage")).json()["usage"]["posts"]
    assert (await call(stage, "PATCH", f"/posts/{post}", json={"text": "right"})).status_code == 200
    stage.publish = stage.accept

    response = await call(stage, "POST", f"/queue/submit/{post}")
    assert response.status_code == 201, response.text
    await stage.work()

    assert [text for _, text in stage.sent] == ["right"]
    assert (await call(stage, "GET", "/auth/usage")).json()["usage"]["posts"] == usage


@pytest.mark.parametrize("headers", [{}, {"x-queue-secret": "wrong"}, {"x-queue-secret": ""}, {"x-queue-secret": "é"}])
async def test_processing_requires_the_secret(stage: StagedNetwork, headers: dict[str, str]) -> None:
    """The route is public; only the secret protects it."""
    raw = {name: value.encode() for name, value in headers.items()}
    response = await stage.make.api.post("/queue/process", headers=raw)

    assert (response.status_code, response.json()["code"]) == (403, "invalid_queue_secret")


async def test_processing_a_hundred_times_at_once_publishes_each_post_once(
    stage: StagedNetwork, context: AppContext
) -> None:
    """Cron jobs pile up; the responses add up to what was done."""
    posts = [await stage.post() for _ in range(30)]
    engine = Engine(context.database, [TargetSource(context)])
    before, context.engine = context.engine, engine
    try:
        responses = await asyncio.gather(
            *(stage.make.api.post("/queue/process", headers=SECRET, json={"limit": 50}) for _ in range(100))
        )
    finally:
        context.engine = before
        await engine.stop(5)

    assert {response.status_code for response in responses} == {200}
    assert sum(response.json()["published"] for response in responses) == 30
    assert len(stage.sent) == len(set(stage.sent)) == 30
    assert set(responses[0].json()) == {
        "claimed", "published", "failed", "retrying", "unknown", "webhooks", "remaining", "oldestDueAgeSeconds",
        "durationMs",
    }  # fmt: skip
    for post in posts:
        assert (await stage.status(post))["status"] == "published"


async def test_foreign_posts_are_not_found(stage: StagedNetwork, make: Make) -> None:
    """Posts of another workspace do not exist for the caller."""
    post, stranger = await stage.post(), await make.owner()
    for method, path in (
        ("POST", f"/queue/submit/{post}"),
        ("DELETE", f"/queue/cancel/{post}"),
        ("GET", f"/queue/status/{post}"),
        ("POST", f"/posts/{post}/retry"),
    ):
        assert (await call(stage, method, path, key=stranger.key)).status_code == 404
    assert stage.sent == []


async def test_roles_that_may_not_publish_cannot_submit(stage: StagedNetwork, make: Make) -> None:
    """A contributor writes drafts; they may only read the queue."""
    post = await stage.post(draft=True)
    for role in ("contributor", "approver", "viewer"):
        key = (await make.member(stage.owner, role=role)).key
        assert (await call(stage, "POST", f"/queue/submit/{post}", key=key)).status_code == 403
        assert (await call(stage, "GET", f"/queue/status/{post}", key=key)).status_code == 200


async def test_a_post_that_waits_for_approval_is_held(stage: StagedNetwork) -> None:
    """A due post without approval says why it waits, and is published once approved."""
    post = await stage.post()
    await stage.execute(
        """update post set approval = approval || '{"state": "pending"}' where id = $1""", stage.id(post)
    )
    await stage.work()
    entry = (await call(stage, "GET", f"/queue/status/{post}")).json()
    assert (entry["held"], entry["heldReason"]) == (True, "approval")
    assert stage.sent == []

    await stage.execute(
        """update post set approval = approval || '{"state": "approved"}' where id = $1""", stage.id(post)
    )
    await stage.pass_time(post)
    assert len(stage.sent) == 1


async def test_editing_trashing_and_cancelling_just_before_the_due_time(stage: StagedNetwork) -> None:
    """The worker respects the last change, even if its claim is already under way."""
    edited, trashed, cancelled = [await stage.post(text=f"old {n}") for n in range(3)]
    for post in (edited, trashed, cancelled):
        await stage.fast_forward(post, to="now() + interval '3 s'")
    engine = stage.engine()
    running = asyncio.create_task(engine.run())
    assert (await call(stage, "PATCH", f"/posts/{edited}", json={"text": "new"})).status_code == 200
    assert (await call(stage, "DELETE", f"/posts/{trashed}")).status_code == 200
    assert (await call(stage, "DELETE", f"/queue/cancel/{cancelled}")).status_code == 200
    await until(lambda: stage.sent)
    await asyncio.sleep(1)
    await engine.stop(5)
    await running

    assert [text for _, text in stage.sent] == ["new"]
