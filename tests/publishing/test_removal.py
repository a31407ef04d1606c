"""Removing what is public: what the network refuses for good is told to everyone who can see the post."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.publishing import StagedNetwork, until
from tests.helpers.sandbox import SECRET, WORK_ROUNDS_MAX

from signalpost import networks
from signalpost.conformance.harness import FakeResponse
from signalpost.kit import ids
from signalpost.kit.http import MaybeSent
from signalpost.main import wiring
from signalpost.networks.contract import ApiError, Journal, NetworkSession, Outcome, Outgoing, Refused
from signalpost.posts.change import removals

REASONS = {
    "an answer": (ApiError(FakeResponse(403, b'{"error": "no"}'), "DELETE /posts"), "403"),
    "no answer": (MaybeSent("stage.test did not answer."), "did not answer"),
    "an unexpected failure": (RuntimeError("boom"), "unexpectedly"),
}


async def _remove(stage: StagedNetwork) -> str:
    """Publish a post and delete it with cascade; return its id."""
    post = await stage.post()
    await stage.work()
    response = await stage.make.api.delete(f"/posts/{post}?cascade=true", key=stage.owner.key)
    assert response.status_code == 200, response.text
    return post


async def _run_jobs(stage: StagedNetwork, times: int) -> None:
    engine = wiring.engine(stage.context)
    for _ in range(times):
        await stage.execute(
            "update job set next_attempt_at = now() where kind = 'publishing.remove' and workspace_id = $1"
            " and next_attempt_at is not null",
            stage.owner.workspace_id,
        )
        await stage.execute(
            "update lane set next_due_at = now(), not_before = null where kind = 'job' and workspace_id = $1",
            stage.owner.workspace_id,
        )
        await engine.tick(500)
    await engine.stop(5)


async def _shown(stage: StagedNetwork, post: str) -> tuple[Any, list[Any]]:
    """The target as the trash shows it, and the entries that the service itself made about it."""
    listed = (await stage.make.api.get("/posts/trash", key=stage.owner.key)).json()["data"]
    log = (await stage.make.api.get(f"/posts/{post}/audit", key=stage.owner.key)).json()["data"]
    entries = [entry for entry in log if entry["actor"]["type"] == "system" and entry["action"] == "updated"]
    return next(shown for shown in listed if shown["id"] == post)["targets"][0], entries


async def test_a_network_that_deletes_nothing_is_named(stage: StagedNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    """The post is in the trash all the same; whoever trashed it has to delete what is public there."""
    monkeypatch.setitem(networks.CONNECTORS, "stage", replace(stage.connector, delete=None))
    post = await stage.post()
    await stage.work()

    gone = (await stage.make.api.delete(f"/posts/{post}?cascade=true", key=stage.owner.key)).json()

    [error] = gone["platformErrors"]
    assert (error["platform"], error["code"]) == ("stage", "delete_not_supported")
    assert "delete it there" in error["message"]
    assert gone["deleted"]
    target, _ = await _shown(stage, post)
    assert (target["id"], target["status"]) == (error["targetId"], "published")


async def test_what_stays_public_is_said(api: Api, make: Make) -> None:
    """With the request that removes it there, as long as there is one."""
    owner = await make.owner()
    await make.account(owner)
    for permanent in (False, True):
        post = await make.post(owner)
        for _ in range(WORK_ROUNDS_MAX):
            await api.post("/queue/process", headers=SECRET)
            shown = (await api.get(f"/posts/{post['id']}", key=owner.key)).json()
            if shown["status"] == "published":
                break
        query = "?permanent=true" if permanent else ""
        deletion = (await api.delete(f"/posts/{post['id']}{query}", key=owner.key)).json()
        [warning] = deletion["warnings"]
        assert (warning["code"], warning["path"]) == ("removal.not_requested", "/targets/0")
        assert shown["targets"][0]["url"] in warning["message"]
        assert (warning["remediation"] is None) is permanent
        if not permanent:
            assert f"DELETE /api/v1/posts/{post['id']}?cascade=true" in warning["remediation"]
            removed = (await api.delete(f"/posts/{post['id']}?cascade=true", key=owner.key)).json()
            assert removed["warnings"] == []


@pytest.mark.parametrize("reason", REASONS)
async def test_a_removal_that_is_given_up_is_told(
    stage: StagedNetwork, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    failure, told = REASONS[reason]

    async def refuse(*_: object) -> None:
        raise failure

    monkeypatch.setattr(stage, "refuse_delete", refuse)
    post = await _remove(stage)
    await _run_jobs(stage, 4)
    target, entries = await _shown(stage, post)
    assert (target["status"], target["error"], entries) == ("published", None, [])

    await _run_jobs(stage, 1)

    target, entries = await _shown(stage, post)
    assert (target["status"], target["error"]["code"]) == ("published", "removal_failed")
    assert told in target["error"]["message"]
    assert len(entries) == 1
    assert told in entries[0]["changes"][0]["to"]
    assert stage.deleted == []


async def test_a_second_cascade_tries_again(stage: StagedNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*_: object) -> None:
        raise RuntimeError("boom")

    with monkeypatch.context() as patched:
        patched.setattr(stage, "refuse_delete", refuse)
        post = await _remove(stage)
        await _run_jobs(stage, 5)
    await stage.make.api.delete(f"/posts/{post}?cascade=true", key=stage.owner.key)
    await _run_jobs(stage, 1)

    target, _ = await _shown(stage, post)
    assert (target["status"], target["error"]) == ("removed", None)
    assert stage.deleted == ["r1"]


async def test_an_account_that_is_gone_is_told_at_once(stage: StagedNetwork) -> None:
    post = await _remove(stage)
    await stage.execute(
        "update job set payload = jsonb_set(payload, '{account_id}', to_jsonb($2::text))"
        " where kind = 'publishing.remove' and workspace_id = $1",
        stage.owner.workspace_id,
        "00000000-0000-0000-0000-000000000000",
    )
    await _run_jobs(stage, 1)

    target, entries = await _shown(stage, post)
    assert target["error"]["code"] == "removal_failed"
    assert len(entries) == 1


async def test_a_thread_does_not_go_on_while_its_public_parts_are_removed(stage: StagedNetwork) -> None:
    """Deleted with cascade and restored at once: a retry waits for the removal, and then publishes anew."""

    async def stop_halfway(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
        await stage.accept(session, outgoing, journal)
        return Refused(code="content_rejected", message="Enough.")

    stage.publish = stop_halfway
    post = await stage.post()
    await stage.work()
    api, key = stage.make.api, stage.owner.key
    assert (await api.delete(f"/posts/{post}?cascade=true", key=key)).status_code == 200
    assert (await api.post(f"/posts/{post}/restore", key=key)).status_code == 201
    for path in (f"/posts/{post}/retry", f"/queue/submit/{post}"):
        refused = await api.post(path, key=key, json={})
        assert (refused.status_code, refused.json()["code"]) == (409, "invalid_state"), refused.text
        assert "being removed from stage" in refused.json()["detail"]

    await _run_jobs(stage, 1)
    stage.publish = stage.accept
    assert (await api.post(f"/posts/{post}/retry", key=key, json={})).status_code == 201
    await stage.work()

    assert stage.deleted == ["r1"]
    assert (await stage.target(post))["remote_id"] == "r2"


async def _run_failed_jobs_again(stage: StagedNetwork) -> None:
    """What staff do about jobs that failed for good."""
    staff = await stage.make.staff()
    failed = await stage.make.api.get("/admin/jobs?kind=publishing.remove&state=failed", key=staff.key)
    [job] = [one for one in failed.json()["data"] if one["workspaceId"] == ids.encode("wsp", stage.owner.workspace_id)]
    assert (await stage.make.api.post(f"/admin/jobs/{job['id']}/run", key=staff.key)).status_code == 201
    await _run_jobs(stage, 1)


@pytest.mark.parametrize(("restored", "deleted"), [(False, ["r1"]), (True, [])])
async def test_a_removal_that_staff_run_again_spares_what_was_restored(
    stage: StagedNetwork, monkeypatch: pytest.MonkeyPatch, restored: bool, deleted: list[str]
) -> None:
    """Whoever was told that the post is still public, and took it out of the trash, keeps it."""

    async def refuse(*_: object) -> None:
        raise RuntimeError("boom")

    with monkeypatch.context() as patched:
        patched.setattr(stage, "refuse_delete", refuse)
        post = await _remove(stage)
        await _run_jobs(stage, 5)
    if restored:
        assert (await stage.make.api.post(f"/posts/{post}/restore", key=stage.owner.key)).status_code == 201

    await _run_failed_jobs_again(stage)

    assert stage.deleted == deleted


async def test_a_removal_that_staff_run_again_spares_a_thread_that_went_on(
    stage: StagedNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stop_halfway(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
        await stage.accept(session, outgoing, journal)
        return Refused(code="content_rejected", message="Enough.")

    async def refuse(*_: object) -> None:
        raise RuntimeError("boom")

    api, key = stage.make.api, stage.owner.key
    stage.publish = stop_halfway
    post = await stage.post()
    await stage.work()
    stage.publish = stage.accept
    with monkeypatch.context() as patched:
        patched.setattr(stage, "refuse_delete", refuse)
        assert (await api.delete(f"/posts/{post}?cascade=true", key=key)).status_code == 200
        await _run_jobs(stage, 5)
    assert (await api.post(f"/posts/{post}/restore", key=key)).status_code == 201
    assert (await api.post(f"/posts/{post}/retry", key=key, json={})).status_code == 201

    await _run_failed_jobs_again(stage)
    assert stage.deleted == [], "it waits to go on"
    await stage.work()
    assert (await api.get(f"/posts/{post}", key=key)).json()["status"] == "published"


async def _remove_beside_a_worker(
    stage: StagedNetwork, monkeypatch: pytest.MonkeyPatch, seconds: float = 30.0
) -> tuple[str, Any]:
    """Delete a published post with cascade while a worker runs; return its id and the answer."""
    monkeypatch.setattr(removals, "ANSWER_SECONDS", seconds)
    post = await stage.post()
    await stage.work()
    engine = wiring.engine(stage.context)
    running = asyncio.create_task(engine.run())
    try:
        answer = await stage.make.api.delete(f"/posts/{post}?cascade=true", key=stage.owner.key)
    finally:
        await engine.stop(5)
        await running
    assert answer.status_code == 200, answer.text
    return post, answer.json()


async def test_the_answer_waits_for_the_network_and_a_restore_says_what_is_gone(
    stage: StagedNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    post, gone = await _remove_beside_a_worker(stage, monkeypatch)
    assert (gone["platformErrors"], gone["pending"]) == ([], False)
    assert stage.deleted == ["r1"]

    restored = (await stage.make.api.post(f"/posts/{post}/restore", key=stage.owner.key)).json()
    assert [warning["code"] for warning in restored["warnings"]] == ["removal.done"]
    assert restored["targets"][0]["status"] == "removed"


async def test_what_the_network_refused_is_in_the_answer(stage: StagedNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    """An account that is gone cannot be asked, now or later: that is known at once."""
    monkeypatch.setattr(removals, "ANSWER_SECONDS", 30.0)
    post = await stage.post()
    await stage.work()
    path = f"/posts/{post}?cascade=true"
    deletion = asyncio.create_task(stage.make.api.delete(path, key=stage.owner.key))
    of_mine = "from job where kind = 'publishing.remove' and workspace_id = $1"

    async def is_asked() -> bool:
        return bool(await stage.context.database.pool.fetchval(f"select count(*) {of_mine}", stage.owner.workspace_id))

    await until(is_asked)
    await stage.execute(
        "update job set payload = jsonb_set(payload, '{account_id}', to_jsonb($2::text))"
        " where kind = 'publishing.remove' and workspace_id = $1",
        stage.owner.workspace_id,
        "00000000-0000-0000-0000-000000000000",
    )
    await _run_jobs(stage, 1)
    gone = (await deletion).json()
    [error] = gone["platformErrors"]
    assert (error["code"], error["platform"], gone["pending"]) == ("removal_failed", "stage", False)
    assert "no longer here" in error["message"]


async def test_without_an_answer_of_the_network_the_removal_is_pending(
    stage: StagedNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A restore while it is under way says that the post goes all the same, and so it does."""
    monkeypatch.setattr(removals, "ANSWER_SECONDS", 0.0)
    post = await stage.post()
    await stage.work()
    gone = (await stage.make.api.delete(f"/posts/{post}?cascade=true", key=stage.owner.key)).json()
    assert (gone["platformErrors"], gone["pending"]) == ([], True)

    restored = (await stage.make.api.post(f"/posts/{post}/restore", key=stage.owner.key)).json()
    assert [warning["code"] for warning in restored["warnings"]] == ["removal.under_way"]
    await _run_jobs(stage, 1)
    assert (await stage.target(post))["status"] == "removed"
