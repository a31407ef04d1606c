"""Posts of one request at the next free slots: in the order of the posts, without a gap."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.posts.test_bulk import issues, listed, post, send
from tests.posts.test_bulk_csv import csv_of, row
from tests.posts.test_bulk_csv import send as send_table
from tests.scheduling.test_queues import create
from tests.scheduling.test_slots_of_posts import DAILY, slots

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.tenant import across_workspaces
from signalpost.posts.many import bulk
from signalpost.scheduling import queries
from signalpost.scheduling.actions import reserve


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="first")
    return login


def every(minutes: int) -> list[dict[str, str]]:
    """Times so many minutes apart all day, of which none comes while a test runs: one is that of this minute."""
    first = clock.now().minute % minutes
    return [{"time": f"{hour:02}:{minute:02}"} for hour in range(24) for minute in range(first, 60, minutes)]


def in_slot(owner: Login, **fields: Any) -> dict[str, Any]:
    return post(owner, publishMode="slot", **fields)


def times(result: dict[str, Any]) -> list[str]:
    return [one["scheduledAt"] for one in result["created"]]


async def test_slots_follow_the_order_of_posts_and_refused_ones_leave_no_gap(
    api: Api, make: Make, owner: Login
) -> None:
    queue = await create(api, owner, slots=DAILY, timezone="Europe/Berlin")
    before = await make.post(owner, publishMode="slot", externalId="taken")
    free = [slot["at"] for slot in await slots(api, owner, queue, 6)][1:]
    same = in_slot(owner)
    rows = [
        same, post(owner, draft=True), in_slot(owner, platforms=["nowhere"]), in_slot(owner, externalId="taken"), same,
        in_slot(owner, scheduledAt="2027-01-01T12:00:00Z"), in_slot(owner, queueId=queue["id"]), in_slot(owner),
    ]  # fmt: skip

    answer = await send(api, owner, *rows)

    assert answer.status_code == 201, answer.text
    result = answer.json()
    assert [one["index"] for one in result["created"]] == [0, 1, 6, 7]
    assert times(result) == [free[0], None, free[1], free[2]]
    stored = {one["id"]: one for one in await listed(api, owner)}
    for one in result["created"]:
        if one["index"] != 1:
            full = stored[one["id"]]
            assert (full["publishMode"], full["status"], full["timezone"]) == ("slot", "scheduled", "Europe/Berlin")
            assert full["scheduledAt"] == one["scheduledAt"]
            assert one["status"] == "scheduled"
    owners = [slot["postId"] for slot in await slots(api, owner, queue, 5)]
    created = [one["id"] for one in result["created"] if one["index"] != 1]
    assert owners == [before["id"], *created, None]


async def test_all_or_none_and_a_dry_run_take_no_slot(api: Api, owner: Login) -> None:
    queue = await create(api, owner, slots=DAILY)
    refused = await send(api, owner, in_slot(owner), in_slot(owner, platforms=["nowhere"]), atomic=True)
    assert refused.status_code == 422
    tried = await send(api, owner, in_slot(owner), in_slot(owner), query="?dryRun=true")
    upcoming = await slots(api, owner, queue, 2)
    assert times(tried.json()) == [slot["at"] for slot in upcoming]
    assert [slot["free"] for slot in upcoming] == [True, True]


async def test_a_profile_without_queue_a_foreign_and_a_paused_one_refuse_only_their_posts(
    api: Api, make: Make, owner: Login
) -> None:
    none = await send(api, owner, in_slot(owner))
    assert issues(none) == {("/posts/0/publishMode", "not_allowed")}
    paused = await create(api, owner, "Paused")
    await api.patch(f"/queues/{paused['id']}", json={"active": False}, key=owner.key)
    other = await create(api, owner, "Other", slots=DAILY)
    stranger = await make.owner()
    foreign = await create(api, stranger)
    answer = await send(
        api, owner, in_slot(owner), in_slot(owner, queueId=foreign["id"]), in_slot(owner, queueId=other["id"])
    )
    result = answer.json()
    assert [one["index"] for one in result["created"]] == [2]
    assert [(error["index"], error["problem"]["code"]) for error in result["errors"]] == [
        (0, "no_free_slot"), (1, "validation_failed"),
    ]  # fmt: skip


async def test_an_account_gets_one_post_at_an_instant_from_two_queues(api: Api, owner: Login) -> None:
    first, second = await create(api, owner, slots=DAILY), await create(api, owner, "Second", slots=DAILY)
    free = [slot["at"] for slot in await slots(api, owner, first, 5)]
    fixed = post(owner, scheduledAt=free[1], draft=False)
    result = (
        await send(api, owner, in_slot(owner), in_slot(owner, queueId=second["id"]), fixed, in_slot(owner))
    ).json()
    at = times(result)
    assert at[2] == free[1]
    assert len(set(at)) == 4
    assert at[0] < at[3]


async def test_two_requests_at_once_share_the_slots_without_a_gap(api: Api, owner: Login) -> None:
    queue = await create(api, owner, slots=DAILY)
    answers = await asyncio.gather(*(send(api, owner, *(in_slot(owner) for _ in range(10))) for _ in range(3)))
    of_each = [times(answer.json()) for answer in answers]
    assert all(of_one == sorted(of_one) for of_one in of_each)
    expected = [slot["at"] for slot in await slots(api, owner, queue, 31)]
    assert sorted(at for of_one in of_each for at in of_one) == expected[:30]
    # Each request has its slots side by side: the queue is locked once for all of its posts.
    assert sorted(of_one[0] for of_one in of_each) == [expected[0], expected[10], expected[20]]


async def test_the_statements_for_slots_do_not_grow_with_the_posts(
    api: Api, owner: Login, statements: list[str]
) -> None:
    await create(api, owner, slots=DAILY)
    counts = []
    for count in (1, 1, 50):  # a new connection first asks the database for types
        await asyncio.sleep(0)
        statements.clear()
        answer = await send(api, owner, *(in_slot(owner) for _ in range(count)))
        await asyncio.sleep(0)
        assert len(times(answer.json())) == count
        counts.append(len(statements))
    assert counts[1] == counts[2], counts


async def test_a_post_that_loses_its_external_id_at_the_last_moment_leaves_no_gap(api: Api, owner: Login) -> None:
    queue = await create(api, owner, slots=DAILY)
    names = [f"cms-{number}" for number in range(20)]
    in_slots, _ = await asyncio.gather(
        send(api, owner, *(in_slot(owner, externalId=name) for name in names), in_slot(owner)),
        send(api, owner, *(post(owner, externalId=name) for name in reversed(names))),
    )
    at = times(in_slots.json())
    assert at == [slot["at"] for slot in await slots(api, owner, queue, len(at))]


async def test_rows_of_a_table_get_slots_in_their_order_over_all_its_parts(api: Api, owner: Login) -> None:
    queue = await create(api, owner, slots=every(60))
    rows = [
        row(owner, publishMode="slot", platforms="nowhere" if number % 7 == 3 else "sandbox") for number in range(110)
    ]
    rows[60]["queueId"] = queue["id"]
    answer = await send_table(api, owner, csv_of(*rows))
    assert answer.status_code == 201, answer.text
    result = answer.json()
    assert [error["index"] for error in result["errors"]] == list(range(3, 110, 7))
    assert times(result) == [slot["at"] for slot in await slots(api, owner, queue, 94)]


async def test_the_slots_of_a_table_are_in_order_whatever_becomes_free_and_in_a_dry_run(
    api: Api, make: Make, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the second fifty are created, an early slot becomes free: it is left to others."""
    queue = await create(api, owner, slots=every(60))
    before = await make.post(owner, publishMode="slot")
    table = csv_of(*(row(owner, publishMode="slot") for _ in range(90)))
    free = [slot["at"] for slot in await slots(api, owner, queue, 91)][1:]

    tried = await send_table(api, owner, table, "?dryRun=true")
    assert times(tried.json()) == free

    create_rows, parts = bulk.create_rows, 0

    async def create_some(*values: Any, **options: Any) -> Any:
        nonlocal parts
        parts += 1
        if parts == 2:
            gone = await api.delete(f"/posts/{before['id']}", key=owner.key)
            assert gone.status_code == 200
        return await create_rows(*values, **options)

    monkeypatch.setattr(bulk, "create_rows", create_some)
    answer = await send_table(api, owner, table)
    assert (times(answer.json()), parts) == (free, 2)


@pytest.mark.parametrize("rows", [160, pytest.param(2_000, marks=[pytest.mark.heavy, pytest.mark.timeout(300)])])
async def test_a_table_has_its_slots_side_by_side_whoever_takes_slots_meanwhile(
    api: Api, make: Make, owner: Login, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    """Rows in the middle are refused: the next ones move up. What the table did not use is free afterwards."""
    queue = await create(api, owner, slots=every(30))
    first = datetime.fromisoformat((await slots(api, owner, queue, 1))[0]["at"])
    free = [clock.wire(first + timedelta(minutes=30) * number) for number in range(rows)]
    create_rows, singles = bulk.create_rows, list[asyncio.Task[dict[str, Any]]]()

    async def create_some(*values: Any, **options: Any) -> Any:
        """Before each of the first parts, others ask for slots; one waits until it has its own."""
        singles.extend(asyncio.create_task(make.post(owner, publishMode="slot")) for _ in range(7) if len(singles) < 20)
        if len(singles) == 7:
            await singles[0]
        return await create_rows(*values, **options)

    monkeypatch.setattr(bulk, "create_rows", create_some)
    refused = list(range(3, rows, 7))
    table = csv_of(
        *(row(owner, publishMode="slot", platforms="nowhere" if number in refused else "sandbox")
          for number in range(rows))
    )  # fmt: skip
    answer = await send_table(api, owner, table)
    others = [post["scheduledAt"] for post in await asyncio.gather(*singles)]

    assert answer.status_code == 201, answer.text
    result = answer.json()
    assert [error["index"] for error in result["errors"]] == refused
    assert times(result) == free[: rows - len(refused)]
    assert (len(others), len(set(others))) == (20, 20)
    assert min(others) >= free[rows - len(refused)]


async def test_slots_of_a_killed_request_are_free_again_after_a_while(
    api: Api, context: AppContext, make: Make, owner: Login
) -> None:
    """What its process leaves behind is in the way of others, and of files that come later, until its time is over."""
    queue = await create(api, owner, slots=every(30))
    free = [slot["at"] for slot in await slots(api, owner, queue, 8)]
    queue_id = ids.decode("slq", queue["id"])
    assert queue_id is not None
    with across_workspaces():
        async with context.database.transaction() as db:
            [locked] = await queries.lock_many(db, owner.workspace_id, [queue_id], [])
            await reserve.reserve_block(db, locked, 3)
    assert [slot["free"] for slot in await slots(api, owner, queue, 4)] == [False, False, False, True]
    table = csv_of(row(owner, publishMode="slot"), row(owner, publishMode="slot"))
    assert times((await send_table(api, owner, table)).json()) == free[3:5]
    assert (await make.post(owner, publishMode="slot"))["scheduledAt"] == free[5]

    async with context.database.connection() as db:
        assert await db.fetchval("select count(*) from slot_block") == 1
        await db.execute("update slot_block set until = now()")
    assert (await make.post(owner, publishMode="slot"))["scheduledAt"] == free[0]
    later = csv_of(row(owner, publishMode="slot"), row(owner, publishMode="slot"))
    assert times((await send_table(api, owner, later)).json()) == free[1:3]
    async with context.database.connection() as db:
        assert await db.fetchval("select count(*) from slot_block") == 0


async def test_nobody_reserves_slots_of_profiles_that_they_do_not_see(
    api: Api, make: Make, owner: Login, statements: list[str]
) -> None:
    other = await make.profile(owner, name="Other")
    member = await make.member(owner, role="editor", profile_ids=[other["id"]])
    await create(api, owner, slots=DAILY)
    for key, status, blocks in ((member.key, 422, 0), (owner.key, 201, 1)):
        table = csv_of(row(owner, publishMode="slot"), row(owner, publishMode="slot"))
        statements.clear()
        assert (await send_table(api, owner, table, key=key)).status_code == status
        assert sum("insert into slot_block" in text for text in statements) == blocks


async def test_a_post_in_a_slot_does_not_repeat_and_a_fan_out_has_no_slots(api: Api, owner: Login) -> None:
    await create(api, owner, slots=DAILY)
    repeated = await send(api, owner, in_slot(owner, recurrence={"rrule": "FREQ=DAILY"}))
    assert ("/posts/0/recurrence", "not_allowed") in issues(repeated)
    body = {"text": "Hello", "publishMode": "slot", "targets": [{"profileId": owner.profile, "platforms": ["sandbox"]}]}
    fanout = await api.post("/posts/fanout", json=body, key=owner.key)
    assert fanout.status_code == 422, fanout.text
