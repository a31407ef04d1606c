"""The queue as callers see it: submit, cancel, status, retry, process."""

import asyncio
from typing import Any

import httpx
import pytest
from tests.helpers.factories import Make
from tests.helpers.publishing import World, until

from signalpost.context import AppContext
from signalpost.engine.engine import Engine
from signalpost.networks.contract import Refused, TryLater
from signalpost.publishing.work import TargetSource

SECRET = {"x-queue-secret": "queue-secret-of-the-tests"}


async def call(world: World, method: str, path: str, **options: Any) -> httpx.Response:
    return await world.make.api.call(method, path, key=options.pop("key", world.owner.key), **options)


async def refuse(*_: object) -> Refused:
    return Refused(code="content_rejected", message="no")


async def test_a_draft_is_submitted_and_goes_out(world: World) -> None:
    """Submit is the word for "publish this draft now"."""
    post = await world.post(draft=True)
    assert (await call(world, "GET", f"/queue/status/{post}")).json() == {"postId": post, "state": "none"}

    answer = await call(world, "POST", f"/queue/submit/{post}")

    assert answer.status_code == 201, answer.text
    entry = answer.json()
    assert entry["id"] == "que_" + post.partition("_")[2]
    assert (entry["state"], entry["position"], entry["held"], entry["priority"]) == ("ready", 1, False, 5)
    assert world.told(post) == [("post.queued", "post", "queued")]
    again = await call(world, "POST", f"/queue/submit/{post}")
    assert (again.status_code, again.json()["code"]) == (409, "invalid_state")
    await world.work()
    done = (await call(world, "GET", f"/queue/status/{post}")).json()
    assert (done["state"], done["tasks"][0]["state"], done["position"]) == ("done", "done", None)
    assert done["finishedAt"]


async def test_submit_with_a_time_schedules(world: World) -> None:
    """The same, for later; a time in the past is refused."""
    post = await world.post(draft=True)
    body = {"scheduledAt": "2031-01-01T00:00:00Z"}
    assert (await call(world, "POST", f"/queue/submit/{post}", json=body)).status_code == 422
    at = await world.context.database.pool.fetchval(
        "select to_char(now() + interval '1 day', 'YYYY-MM-DD\"T\"HH24:MI:SSZ')"
    )

    answer = await call(world, "POST", f"/queue/submit/{post}", json={"scheduledAt": at})

    assert answer.status_code == 201, answer.text
    assert answer.json()["state"] == "waiting"
    assert (await world.status(post))["status"] == "scheduled"
    assert [kind for kind, _, _ in world.told(post)] == ["post.queued"]
    now = await call(world, "POST", f"/queue/submit/{post}", json={"scheduledAt": None})
    assert now.status_code == 201
    assert [kind for kind, _, _ in world.told(post)] == ["post.queued"] * 2


async def test_submit_runs_preflight(world: World) -> None:
    """What the network would refuse is refused here, and nothing is queued."""
    post = await world.post(draft=True, text="x" * 501)

    answer = await call(world, "POST", f"/queue/submit/{post}")

    assert (answer.status_code, answer.json()["code"]) == (422, "preflight_failed")
    assert (await world.status(post))["status"] == "draft"


async def test_cancel_makes_it_a_draft_and_gives_the_unit_back(world: World) -> None:
    """Nothing was tried, so nothing was used up."""
    post = await world.post()
    usage = (await call(world, "GET", "/auth/usage")).json()["usage"]["posts"]

    answer = await call(world, "DELETE", f"/queue/cancel/{post}")

    assert answer.json() == {"postId": post, "cancelledTargets": 1, "startedTargets": 0, "state": "cancelled"}
    assert (await call(world, "GET", "/auth/usage")).json()["usage"]["posts"] == usage - 1
    assert (await world.status(post))["status"] == "draft"
    assert (await call(world, "GET", f"/queue/status/{post}")).json()["state"] == "cancelled"
    await world.work()
    assert world.sent == []
    assert (await call(world, "DELETE", f"/queue/cancel/{post}")).status_code == 409
    assert (await call(world, "POST", f"/queue/submit/{post}")).status_code == 201
    await world.work()
    assert len(world.sent) == 1


async def test_cancel_ends_a_post_whose_other_targets_are_done(world: World) -> None:
    """One published, one waiting for its retry: cancelling that one ends the post, and that is told once."""
    first, second = await world.account("calm"), await world.account("busy")

    async def half(session: Any, outgoing: Any, journal: Any) -> Any:
        return TryLater(message="503") if session.username == "busy" else await world.accept(session, outgoing, journal)

    world.publish = half
    post = await world.post(first, second)
    await world.work()
    answer = await call(world, "DELETE", f"/queue/cancel/{post}")

    assert (answer.json()["cancelledTargets"], answer.json()["startedTargets"]) == (1, 1)
    assert (await world.status(post))["status"] == "published"
    assert world.told(post)[-1] == ("post.published", "post", "published")
    refused = await call(world, "DELETE", f"/queue/cancel/{post}")
    assert (refused.status_code, refused.json()["code"]) == (409, "invalid_state")


async def test_retry_touches_failed_targets_only(world: World) -> None:
    """Partial, then the rest: what is public stays as it is."""
    first, second = await world.account("calm"), await world.account("strict")

    async def half(session: Any, outgoing: Any, journal: Any) -> Any:
        return await (refuse() if session.username == "strict" else world.accept(session, outgoing, journal))

    world.publish = half
    post = await world.post(first, second)
    await world.work()
    assert (await world.status(post))["status"] == "partial"
    assert world.told(post)[-1] == ("post.partial", "post", "partial")
    targets = {target["username"]: target["targetId"] for target in (await world.status(post))["targets"]}
    none = await call(world, "POST", f"/posts/{post}/retry", json={"targetIds": [targets["calm"]]})
    assert (none.status_code, none.json()["code"]) == (409, "nothing_to_retry")
    foreign = await call(world, "POST", f"/posts/{post}/retry", json={"targetIds": ["tgt_nonsense"]})
    assert (foreign.status_code, foreign.json()["errors"][0]["path"]) == (422, "/targetIds/0")
    world.publish = world.accept

    answer = await call(world, "POST", f"/posts/{post}/retry", json={"targetIds": [targets["strict"]]})
    assert answer.status_code == 201, answer.text
    await world.work()

    assert [name for name, _ in world.sent] == ["calm", "strict"]
    assert (await world.status(post))["status"] == "published"
    assert world.told(post)[-2:] == [("post.published", "target", "published"), ("post.published", "post", "published")]
    assert "retried" in await world.history(post)


async def test_a_corrected_post_is_submitted_again(world: World) -> None:
    """Refused, corrected, submitted: the corrected text goes out, and the unit of the plan is not spent twice."""
    world.publish = refuse
    post = await world.post(text="wrong")
    await world.work()
    usage = (await call(world, "GET", "/auth/usage")).json()["usage"]["posts"]
    assert (await call(world, "PATCH", f"/posts/{post}", json={"text": "right"})).status_code == 200
    world.publish = world.accept

    answer = await call(world, "POST", f"/queue/submit/{post}")
    assert answer.status_code == 201, answer.text
    await world.work()

    assert [text for _, text in world.sent] == ["right"]
    assert (await call(world, "GET", "/auth/usage")).json()["usage"]["posts"] == usage


@pytest.mark.parametrize("headers", [{}, {"x-queue-secret": "wrong"}, {"x-queue-secret": ""}, {"x-queue-secret": "é"}])
async def test_process_wants_its_secret(world: World, headers: dict[str, str]) -> None:
    """The only thing that keeps the public out."""
    raw = {name: value.encode() for name, value in headers.items()}
    answer = await world.make.api.post("/queue/process", headers=raw)

    assert (answer.status_code, answer.json()["code"]) == (403, "invalid_queue_secret")


async def test_process_called_a_hundred_times_at_once(world: World, context: AppContext) -> None:
    """Cron jobs pile up: every post goes out once, and the answers add up to what was done."""
    posts = [await world.post() for _ in range(30)]
    engine = Engine(context.database, [TargetSource(context)])
    before, context.engine = context.engine, engine
    try:
        answers = await asyncio.gather(
            *(world.make.api.post("/queue/process", headers=SECRET, json={"limit": 50}) for _ in range(100))
        )
    finally:
        context.engine = before
        await engine.stop(5)

    assert {answer.status_code for answer in answers} == {200}
    assert sum(answer.json()["published"] for answer in answers) == 30
    assert len(world.sent) == len(set(world.sent)) == 30
    assert set(answers[0].json()) == {
        "claimed", "published", "failed", "retrying", "unknown", "webhooks", "remaining", "oldestDueAgeSeconds",
        "durationMs",
    }  # fmt: skip
    for post in posts:
        assert (await world.status(post))["status"] == "published"


async def test_foreign_posts_are_not_found(world: World, make: Make) -> None:
    """Another workspace's queue does not exist."""
    post, stranger = await world.post(), await make.owner()
    for method, path in (
        ("POST", f"/queue/submit/{post}"),
        ("DELETE", f"/queue/cancel/{post}"),
        ("GET", f"/queue/status/{post}"),
        ("POST", f"/posts/{post}/retry"),
    ):
        assert (await call(world, method, path, key=stranger.key)).status_code == 404
    assert world.sent == []


async def test_roles_without_publishing_may_not(world: World, make: Make) -> None:
    """A contributor writes drafts; the queue belongs to those who publish."""
    post = await world.post(draft=True)
    for role in ("contributor", "approver", "viewer"):
        key = (await make.member(world.owner, role=role)).key
        assert (await call(world, "POST", f"/queue/submit/{post}", key=key)).status_code == 403
        assert (await call(world, "GET", f"/queue/status/{post}", key=key)).status_code == 200


async def test_a_post_that_waits_for_approval_is_held(world: World) -> None:
    """Due, but nobody said yes: it stays, says why, and goes out once approved."""
    post = await world.post()
    await world.execute(
        """update post set approval = approval || '{"state": "pending"}' where id = $1""", world.id(post)
    )
    await world.work()
    entry = (await call(world, "GET", f"/queue/status/{post}")).json()
    assert (entry["held"], entry["heldReason"]) == (True, "approval")
    assert world.sent == []

    await world.execute(
        """update post set approval = approval || '{"state": "approved"}' where id = $1""", world.id(post)
    )
    await world.pass_time(post)
    assert len(world.sent) == 1


async def test_edit_trash_and_cancel_just_before_its_time(world: World) -> None:
    """The worker obeys what was said last, also when its claim is already under way."""
    edited, trashed, cancelled = [await world.post(text=f"old {n}") for n in range(3)]
    for post in (edited, trashed, cancelled):
        await world.fast_forward(post, to="now() + interval '0.8 s'")
    engine = world.engine()
    running = asyncio.create_task(engine.run())
    assert (await call(world, "PATCH", f"/posts/{edited}", json={"text": "new"})).status_code == 200
    assert (await call(world, "DELETE", f"/posts/{trashed}")).status_code == 200
    assert (await call(world, "DELETE", f"/queue/cancel/{cancelled}")).status_code == 200
    await until(lambda: world.sent)
    await asyncio.sleep(1)
    await engine.stop(5)
    await running

    assert [text for _, text in world.sent] == ["new"]
