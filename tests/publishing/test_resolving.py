"""Where a network did not say whether it has a post, a person who looked does."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from tests.helpers.factories import Login
from tests.helpers.publishing import StagedNetwork, published, until

from signalpost.kit import clock
from signalpost.kit.http import MaybeSent
from signalpost.networks.contract import Absent, OutcomeUnknown

LINK = "https://stage.test/@acme/1"


async def lose(session: Any, outgoing: Any, journal: Any) -> OutcomeUnknown:
    await journal.intend("part:0", {})
    raise MaybeSent("reset by peer")


async def cannot_tell(session: Any, outgoing: Any, journal: Any) -> OutcomeUnknown:
    return OutcomeUnknown(message="no answer")


@pytest.fixture
async def lost(stage: StagedNetwork) -> AsyncIterator[str]:
    """A post whose response was lost, and which the network is still asked for."""
    accept = stage.publish
    stage.publish, stage.reconcile = lose, cannot_tell
    post = await stage.post()
    await stage.work()
    stage.publish = accept
    stage.events.clear()
    return post


async def given_up(stage: StagedNetwork, post: str) -> None:
    await stage.pass_time(post, rounds=4)
    row = await stage.target(post)
    assert (row["status"], row["error"]["code"]) == ("failed", "outcome_unknown")
    stage.events.clear()


async def resolve(stage: StagedNetwork, post: str, outcome: str, login: Login | None = None, **more: Any) -> Any:
    target = (await stage.status(post))["targets"][0]["targetId"]
    body = {"targetId": target, "outcome": outcome} | more
    return await stage.make.api.post(f"/posts/{post}/resolve", json=body, key=(login or stage.owner).key)


@pytest.mark.parametrize("after", ["the lookups", "the first loss"])
async def test_a_post_that_someone_saw_is_published(stage: StagedNetwork, lost: str, after: str) -> None:
    if after == "the lookups":
        await given_up(stage, lost)
    for _ in range(2):  # repeating it changes nothing
        answer = await resolve(stage, lost, "published", url=LINK)
        assert answer.status_code == 200, answer.text
        target = answer.json()["targets"][0]
        assert (answer.json()["status"], target["status"], target["url"]) == ("published", "published", LINK)
        assert target["error"] is None
        assert (await stage.target(lost))["next_attempt_at"] is None
    assert stage.sent == []
    assert stage.emitted(lost) == [("post.published", "target", "published"), ("post.published", "post", "published")]
    log = await stage.make.api.get(f"/posts/{lost}/audit", key=stage.owner.key)
    newest = log.json()["data"][0]
    assert (newest["action"], newest["actor"]["type"]) == ("reconciled", "api_key")
    assert (await stage.history(lost)).count("reconciled") == 1
    await stage.pass_time(lost)
    assert (await stage.target(lost))["status"] == "published"


async def test_a_post_that_is_not_there_is_sent_again_once(stage: StagedNetwork, lost: str) -> None:
    await given_up(stage, lost)
    for _ in range(2):
        assert (await resolve(stage, lost, "not_published")).status_code == 200
    await stage.work()
    assert len(stage.sent) == 1
    row = await stage.target(lost)
    assert (row["status"], row["remote_id"]) == ("published", "r1")
    assert (await stage.history(lost)).count("retried") == 1


async def test_what_the_service_may_still_find_is_not_sent_again(stage: StagedNetwork, lost: str) -> None:
    refused = await resolve(stage, lost, "not_published")
    assert (refused.status_code, refused.json()["code"]) == (409, "nothing_to_retry")
    assert "asked again" in refused.json()["remediation"]


@pytest.mark.parametrize(("found", "remote_id"), [(published("7"), "7"), (Absent(), None), (None, None)])
async def test_a_lookup_that_ends_after_someone_spoke(
    stage: StagedNetwork, lost: str, found: Any, remote_id: str | None
) -> None:
    """A lookup may add what it found; that it found nothing takes nobody's word back, and nothing is sent."""
    asked, answer = asyncio.Event(), asyncio.Event()

    async def slowly(session: Any, outgoing: Any, journal: Any) -> Any:
        asked.set()
        await answer.wait()
        return found or OutcomeUnknown(message="no answer")

    stage.reconcile = slowly
    await stage.fast_forward(lost)
    working = asyncio.create_task(stage.work())
    await asked.wait()
    assert (await resolve(stage, lost, "published")).status_code == 200
    first = (await stage.target(lost))["published_at"]
    answer.set()
    await working

    row = await stage.target(lost)
    assert (row["status"], row["remote_id"], row["published_at"], row["next_attempt_at"]) == (
        "published", remote_id, first, None,
    )  # fmt: skip
    await stage.work()
    assert stage.sent == []
    assert [scope for _, scope, _ in stage.emitted(lost)] == ["target", "post"]


async def test_only_what_is_unknown_can_be_resolved_and_only_by_who_may_publish(
    stage: StagedNetwork, lost: str
) -> None:
    waiting = await stage.post(scheduledAt=clock.wire(clock.now() + timedelta(days=200)))
    refused = await resolve(stage, waiting, "published")
    assert (refused.status_code, refused.json()["code"]) == (409, "invalid_state")
    other = (await stage.status(waiting))["targets"][0]["targetId"]
    wrong = await stage.make.api.post(
        f"/posts/{lost}/resolve", json={"targetId": other, "outcome": "published"}, key=stage.owner.key
    )
    assert (wrong.status_code, wrong.json()["errors"][0]["path"]) == (422, "/targetId")
    bad = await resolve(stage, lost, "published", url="javascript:alert(1)")
    assert (bad.status_code, bad.json()["errors"][0]["path"]) == (422, "/url")
    viewer = await stage.make.member(stage.owner, role="viewer")
    assert (await resolve(stage, lost, "published", viewer)).status_code == 403
    stranger = await stage.make.owner()
    assert (await resolve(stage, lost, "published", stranger)).status_code == 404
    assert (await stage.target(lost))["status"] == "unknown"


async def test_two_people_who_say_the_opposite_at_once(stage: StagedNetwork, lost: str) -> None:
    """The first one decides; the other one learns what became of it, and nothing is sent twice."""
    await given_up(stage, lost)
    answers = await asyncio.gather(resolve(stage, lost, "published"), resolve(stage, lost, "not_published"))
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    await stage.work()
    await until(lambda: _is_published(stage, lost))
    assert len(stage.sent) <= 1


async def _is_published(stage: StagedNetwork, post: str) -> bool:
    return bool((await stage.target(post))["status"] == "published")
