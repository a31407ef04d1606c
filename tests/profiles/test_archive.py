"""Archiving a profile: nothing of it may still wait, nothing is put on its queue, and restoring puts all back.

Which operations are refused is a table: tests/contract/test_archived.py.
"""

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.context import AppContext
from signalpost.kit import clock, ids

SOON = clock.wire(clock.now() + timedelta(days=30))
_WAITING = """
select count(*) from target t join post p on p.id = t.post_id where p.profile_id = $1 and t.next_attempt_at is not null
"""


async def archive(api: Api, owner: Login, *, archived: bool = True, profile: str | None = None) -> httpx.Response:
    return await api.patch(f"/profiles/{profile or owner.profile}", json={"archived": archived}, key=owner.key)


async def ids_of(api: Api, owner: Login, **query: Any) -> set[str]:
    return {row["id"] for row in (await api.get("/profiles", params=query, key=owner.key)).json()["data"]}


async def test_it_is_read_and_deleted_until_it_is_restored(api: Api, make: Make) -> None:
    owner = await make.owner()
    await make.account(owner)
    other = (await make.profile(owner))["id"]
    draft = await make.draft(owner, platforms=["sandbox"])

    archived = (await archive(api, owner)).json()

    assert archived["archivedAt"] is not None
    assert (await api.get(f"/profiles/{owner.profile}", key=owner.key)).json() == archived
    assert await ids_of(api, owner) == {owner.profile, other}
    assert (await ids_of(api, owner, archived="true"), await ids_of(api, owner, archived="false")) == (
        {owner.profile}, {other})  # fmt: skip
    assert (await archive(api, owner)).json() == archived, "again: nothing changes"
    renamed = await api.patch(f"/profiles/{owner.profile}", json={"name": "New"}, key=owner.key)
    both = await api.patch(f"/profiles/{owner.profile}", json={"name": "New", "archived": True}, key=owner.key)
    assert [answer.json()["code"] for answer in (renamed, both)] == ["profile_archived"] * 2
    assert (await api.get(f"/posts/{draft['id']}", key=owner.key)).json()["status"] == "draft"
    [account] = (await api.get("/platforms/accounts/all", key=owner.key)).json()["data"]
    assert account["status"] == "active"

    restored = await archive(api, owner, archived=False)
    assert (restored.json()["archivedAt"], restored.json()["version"]) == (None, archived["version"] + 1)
    submitted = await api.post(f"/queue/submit/{draft['id']}", key=owner.key)
    assert submitted.status_code == 201, submitted.text


async def test_it_is_refused_while_posts_wait_or_repeat(api: Api, make: Make, context: AppContext) -> None:
    owner = await make.owner()
    await make.account(owner)
    body = {"profileId": owner.profile, "platforms": ["sandbox"], "scheduledAt": SOON}
    waiting = await make.post(owner, **body, text="Waits")
    repeated = await make.post(owner, **body, text="Repeats", recurrence={"rrule": "FREQ=WEEKLY;COUNT=3"})

    refused = await archive(api, owner)
    assert (refused.status_code, refused.json()["code"], refused.json()["waitingPosts"]) == (409, "posts_waiting", 2)
    assert (await api.delete(f"/queue/cancel/{waiting['id']}", key=owner.key)).status_code == 200
    async with context.database.transaction() as db:  # as between the publication of one and the next of its series
        await db.execute(
            "update target set status = 'published', next_attempt_at = null where post_id = $1",
            ids.decode("pst", repeated["id"]),
        )
    assert (await archive(api, owner)).json()["waitingPosts"] == 1
    assert (await api.delete(f"/posts/{repeated['id']}", key=owner.key)).status_code == 200
    assert (await archive(api, owner)).json()["archivedAt"] is not None


async def test_a_post_that_meets_it_is_refused_or_in_its_way(api: Api, make: Make, context: AppContext) -> None:
    """Posts are created from what was read of the profile before: it must not have been archived meanwhile."""
    owner = await make.owner()
    await make.account(owner)
    body = {"profileId": owner.profile, "platforms": ["sandbox"], "scheduledAt": SOON}
    for attempt in range(6):
        posts = [api.post("/posts", json=body | {"text": f"{attempt} {n}"}, key=owner.key) for n in range(4)]
        *created, archived = await asyncio.gather(*posts, archive(api, owner))
        statuses = {answer.status_code for answer in created}
        async with context.database.connection() as db:
            waiting = await db.fetchval(_WAITING, ids.decode("prof", owner.profile))
        if archived.status_code == 200:
            assert (statuses, waiting) == ({409}, 0)
            assert {answer.json()["code"] for answer in created} == {"profile_archived"}
        else:
            assert archived.json()["code"] == "posts_waiting"
            assert waiting >= archived.json()["waitingPosts"] > 0
        for answer in created:
            if answer.status_code == 201:
                await api.delete(f"/posts/{answer.json()['id']}", key=owner.key)
        assert (await archive(api, owner)).status_code == 200
        assert (await api.post("/posts", json=body | {"text": "late"}, key=owner.key)).status_code == 409
        assert (await archive(api, owner, archived=False)).status_code == 200


async def test_no_account_is_moved_to_it(api: Api, make: Make) -> None:
    owner = await make.owner()
    account = await make.account(owner)
    other = (await make.profile(owner))["id"]
    await archive(api, owner, profile=other)

    moved = await api.patch(f"/platforms/accounts/{account['id']}", json={"profileId": other}, key=owner.key)
    assert (moved.status_code, moved.json()["code"]) == (409, "profile_archived")


@pytest.mark.parametrize("plan", ["free"])
async def test_it_counts_as_a_profile_of_the_plan(make: Make, shop: Api, plan: str) -> None:
    owner = await make.owner(plan=plan)
    second = (await make.profile(owner))["id"]
    assert (await archive(shop, owner, profile=second)).status_code == 200
    full = await shop.post("/profiles", json={"name": "Third"}, key=owner.key)
    assert (full.status_code, full.json()["code"]) == (402, "plan_limit_reached")


async def test_what_is_lost_is_recorded_and_not_sent_again(api: Api, make: Make, context: AppContext) -> None:
    owner = await make.owner()
    await make.account(owner)
    post = await make.post(owner, text="[[fail:outcome_unknown]]")
    headers = {"X-Queue-Secret": context.settings.queue_secret or ""}
    assert (await api.post("/queue/process", headers=headers)).status_code == 200
    async with context.database.transaction() as db:  # the network was asked often enough
        await db.execute(
            "update target set status = 'failed', next_attempt_at = null, error = '{\"code\": \"outcome_unknown\"}'"
            " || coalesce(error, '{}') where post_id = $1",
            ids.decode("pst", post["id"]),
        )
    assert (await archive(api, owner)).status_code == 200
    again = {"targetId": post["targets"][0]["id"], "outcome": "not_published"}
    refused = await api.post(f"/posts/{post['id']}/resolve", json=again, key=owner.key)
    assert (refused.status_code, refused.json()["code"]) == (409, "profile_archived")
