"""Links between profiles pass published posts on: once, by their rules, and their history says what became of it."""

import asyncio
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.publishing import empty_queue

from signalpost import events
from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.main import wiring
from signalpost.posts import subscriber


@pytest.fixture
async def owner(make: Make, database: Database) -> Login:
    await empty_queue(database)
    login = await make.owner()
    await make.account(login, username="parent")
    return login


# A lane to which items are being written while it is released is ready 25 ms later: a round may come too early.
_READY_AT_ONCE = """
select exists (select from lane where kind = 'target' and owner is null and next_due_at <= now()
    and wake_at <= now() + interval '100 ms')
"""


async def work(context: AppContext, times: int = 3) -> None:
    """Do what is due: publish, then pass on, then publish that."""
    engine = wiring.engine(context)
    for _ in range(times):
        await engine.tick(500)
        async with context.database.connection() as db:
            while await db.fetchval(_READY_AT_ONCE):
                await engine.tick(500)
    await engine.stop(5.0)


async def child(make: Make, owner: Login, *, parent: str | None = None, accounts: int = 1, **rules: Any) -> str:
    profile: str = (await make.profile(owner))["id"]
    for number in range(accounts):
        await make.account(owner, profile=profile, username=f"child{number}")
    await link(make.api, owner, parent or owner.profile, profile, **rules)
    return profile


async def link(api: Api, owner: Login, parent: str, profile: str, **rules: Any) -> str:
    body = {"parentProfileId": parent, "childProfileId": profile, "rules": rules}
    answer = await api.post("/profiles/links", json=body, key=owner.key)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def posts_of(api: Api, owner: Login, profile: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await api.get(f"/posts?profileId={profile}", key=owner.key)).json()["data"]
    return found


async def history(api: Api, owner: Login) -> list[dict[str, Any]]:
    entries = (await api.get("/profiles/links/history?limit=100", key=owner.key)).json()["data"]
    return [entry for entry in entries if entry["action"].startswith("repost")]


async def settle_again(context: AppContext, owner: Login, post: dict[str, Any], times: int = 1) -> None:
    """Have the event come once more, as after a retry of a failed target."""
    post_id, profile_id = ids.decode("pst", post["id"]), ids.decode("prof", post["profileId"])
    assert post_id is not None
    assert profile_id is not None
    event = events.PostSettled(
        workspace_id=owner.workspace_id, at=clock.now(), post_id=post_id, profile_id=profile_id, status="published",
        source="api",
    )  # fmt: skip
    async with context.database.transaction() as db:
        await subscriber.on_posts_settled(context, db, [event] * times)


async def test_a_published_post_is_passed_on_by_the_rules_of_its_links(
    api: Api, make: Make, context: AppContext, owner: Login
) -> None:
    plain = await child(make, owner, accounts=2)
    ruled = await child(make, owner, captionPrefix="RT ", delayMinutes=30, asDraft=True, languageOverride="de")
    later = await child(make, owner, delayMinutes=60)
    silent = await child(make, owner, autoRepost=False)
    source = await make.post(owner, title="Menu", tags=["spring"], campaign="c", link="https://example.com/a")
    await work(context)

    [copy] = await posts_of(api, owner, plain)
    assert (copy["text"], copy["status"], copy["source"], copy["sourcePostId"]) == (
        source["text"], "published", "link", source["id"],
    )  # fmt: skip
    assert (copy["title"], copy["tags"], copy["campaign"], copy["link"]) == ("Menu", ["spring"], "c", source["link"])
    assert len(copy["targets"]) == 2
    assert copy["createdBy"] == {"type": "system", "id": None, "name": "profile link"}
    [draft] = await posts_of(api, owner, ruled)
    assert (draft["text"], draft["status"]) == ("RT " + source["text"], "draft")
    [waiting] = await posts_of(api, owner, later)
    assert waiting["status"] == "scheduled"
    assert await posts_of(api, owner, silent) == []
    entries = await history(api, owner)
    assert {(entry["action"], entry["childProfileId"], entry["createdPostId"]) for entry in entries} == {
        ("reposted", plain, copy["id"]), ("reposted", ruled, draft["id"]), ("reposted", later, waiting["id"]),
    }  # fmt: skip
    assert {(entry["sourcePostId"], entry["actor"]["type"]) for entry in entries} == {(source["id"], "system")}
    log = (await api.get(f"/posts/{copy['id']}/audit", key=owner.key)).json()["data"]
    assert log[-1]["action"] == "created"
    assert log[-1]["actor"]["type"] == "system"


async def test_a_partly_published_post_is_passed_on_and_a_failed_one_is_not(
    api: Api, make: Make, context: AppContext, owner: Login
) -> None:
    profile = await child(make, owner)
    second = await make.account(owner, username="second")
    first = (await api.get(f"/platforms/accounts?profileId={owner.profile}", key=owner.key)).json()["data"]
    account = next(one["id"] for one in first if one["id"] != second["id"])
    targets = [{"accountId": account}, {"accountId": second["id"], "text": "[[fail:content_rejected]]"}]
    partial = await make.post(owner, targets=targets)
    failed = await make.post(owner, text="[[fail:content_rejected]] and nothing else")
    await work(context)

    statuses = [(await api.get(f"/posts/{one['id']}", key=owner.key)).json()["status"] for one in (partial, failed)]
    assert statuses == ["partial", "failed"]
    assert [one["sourcePostId"] for one in await posts_of(api, owner, profile)] == [partial["id"]]


async def test_a_post_is_passed_on_once_however_often_the_event_comes(
    api: Api, make: Make, context: AppContext, owner: Login
) -> None:
    profile = await child(make, owner)
    source = await make.post(owner)
    await work(context, times=1)
    await settle_again(context, owner, source, times=3)
    await asyncio.gather(*(settle_again(context, owner, source) for _ in range(4)))
    await work(context)
    await settle_again(context, owner, source)
    await work(context)

    assert len(await posts_of(api, owner, profile)) == 1
    assert [entry["action"] for entry in await history(api, owner)] == ["reposted"]


@pytest.mark.parametrize("place", ["record_repost", "create_batch"])
async def test_what_breaks_off_in_between_is_done_once_afterwards(
    api: Api, make: Make, context: AppContext, owner: Login, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """The new post and the entry of the history are written together or not at all."""
    from signalpost.posts.many import repost

    profiles = [await child(make, owner), await child(make, owner)]
    module = repost.profile_links if place == "record_repost" else repost
    step = getattr(module, place)
    broken: list[str] = []

    async def break_second(*arguments: Any, **options: Any) -> Any:
        result = await step(*arguments, **options)
        broken.append(place)
        if len(broken) == 2:
            raise ConnectionError("the worker dies")
        return result

    monkeypatch.setattr(module, place, break_second)
    await make.post(owner)
    await work(context, times=2)
    assert [len(await posts_of(api, owner, profile)) for profile in profiles] == [1, 0]
    async with context.database.transaction() as db:
        await db.execute("update job set next_attempt_at = now() where kind = $1", repost.JOB)
        await db.execute("update lane set next_due_at = now(), not_before = null where kind = 'job'")
    await work(context)

    assert len(broken) == 3
    assert [len(await posts_of(api, owner, profile)) for profile in profiles] == [1, 1]
    assert [entry["action"] for entry in await history(api, owner)] == ["reposted", "reposted"]


async def test_a_chain_ends_after_three_links(api: Api, make: Make, context: AppContext, owner: Login) -> None:
    """A chain of links cannot be longer, but links can change while a post travels."""
    profiles = [owner.profile]
    for _ in range(3):
        profiles.append(await child(make, owner, parent=profiles[-1]))
    source = await make.post(owner)
    await work(context, times=8)
    chain = [(await posts_of(api, owner, profile))[0] for profile in profiles]
    assert [one["sourcePostId"] for one in chain] == [None, *(one["id"] for one in chain[:-1])]
    assert chain[0]["id"] == source["id"]

    first = (await api.get("/profiles/links", key=owner.key)).json()["data"][-1]
    assert (await api.delete(f"/profiles/links/{first['id']}", key=owner.key)).status_code == 200
    await link(api, owner, profiles[3], (further := (await make.profile(owner))["id"]))
    await make.account(owner, profile=further)
    await settle_again(context, owner, chain[3])
    await work(context)
    assert (await history(api, owner))[0]["reason"] == "chain_too_long"
    assert await posts_of(api, owner, further) == []


async def test_a_post_never_comes_back_to_a_profile_it_came_through(
    api: Api, make: Make, context: AppContext, owner: Login
) -> None:
    profile = await child(make, owner)
    await make.post(owner)
    await work(context)
    [copy] = await posts_of(api, owner, profile)
    [only] = (await api.get("/profiles/links", key=owner.key)).json()["data"]
    await api.delete(f"/profiles/links/{only['id']}", key=owner.key)
    await link(api, owner, profile, owner.profile)
    await settle_again(context, owner, copy)
    await work(context)

    assert len(await posts_of(api, owner, owner.profile)) == 1
    newest = (await history(api, owner))[0]
    assert (newest["action"], newest["reason"], newest["createdPostId"]) == ("repost_skipped", "link_cycle", None)


async def test_why_a_post_is_not_passed_on_is_in_the_history(
    api: Api, make: Make, context: AppContext, owner: Login
) -> None:
    await child(make, owner, accounts=0)
    full = await child(make, owner, captionPrefix="x" * 100)
    busy = await child(make, owner)
    text = "y" * 4_950
    assert (await api.post(
        "/posts", json={"profileId": busy, "text": text, "platforms": ["sandbox"]}, key=owner.key
    )).status_code == 201  # fmt: skip
    away = await child(make, owner)
    assert (await api.patch(f"/profiles/{away}", json={"archived": True}, key=owner.key)).status_code == 200
    await make.post(owner, text=text)
    await work(context)

    entries = await history(api, owner)
    assert {(entry["action"], entry["reason"].partition(":")[0]) for entry in entries} == {
        ("repost_skipped", "profile_archived"),
        ("repost_skipped", "no_account"),
        ("repost_failed", "preflight_failed"),
        ("repost_skipped", "duplicate_content"),
    }
    assert await posts_of(api, owner, full) == []


async def test_a_child_with_approvals_is_asked_first(api: Api, make: Make, context: AppContext, owner: Login) -> None:
    profile = await child(make, owner)
    change = {"approvalRequired": True}
    assert (await api.patch(f"/profiles/{profile}", json=change, key=owner.key)).status_code == 200
    await make.post(owner)
    await work(context)

    [copy] = await posts_of(api, owner, profile)
    assert (copy["approval"]["state"], copy["status"]) == ("pending", "queued")


async def test_posts_of_a_sandbox_stay_there(api: Api, make: Make, context: AppContext, owner: Login) -> None:
    profile = await child(make, owner)
    await make.post(owner, key=owner.test_key, text="Only a test")
    await work(context)
    assert [one["mode"] for one in await posts_of(api, owner, profile)] == ["test"]


async def test_a_job_that_fails_for_good_says_so_in_the_history(
    api: Api, make: Make, context: AppContext, owner: Login, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    from signalpost.posts.many import repost

    await child(make, owner)

    async def fail(*_arguments: Any, **_options: Any) -> None:
        raise ConnectionError("broken for good")

    monkeypatch.setattr(repost, "create_batch", fail)
    await make.post(owner)
    await work(context, times=1)
    async with database.transaction() as db:  # the first round may have run the job already: then it waits
        last = "update job set attempts = 4, next_attempt_at = now() where workspace_id = $1 and kind = $2"
        await db.execute(last, owner.workspace_id, repost.JOB)
        wake = "update lane set next_due_at = now(), not_before = null where kind = 'job' and workspace_id = $1"
        await db.execute(wake, owner.workspace_id)
    await work(context)
    assert [(entry["action"], entry["reason"].partition(":")[0]) for entry in await history(api, owner)] == [
        ("repost_failed", "internal_error")
    ]
