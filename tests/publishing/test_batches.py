"""What is published in one batch: each member succeeds or fails by itself."""

import asyncio
import contextlib
import sys
from typing import Any

import pytest
from tests.helpers.limits import TEST_SECONDS
from tests.helpers.publishing import StagedNetwork, published, until

from signalpost import events
from signalpost.engine.contract import LeaseLost
from signalpost.kit import ids
from signalpost.kit.http import NotSent
from signalpost.networks.contract import NetworkSession, Published

MANY = 64


async def posts(stage: StagedNetwork, count: int, accounts: dict[str, str] | None = None) -> dict[str, str]:
    """As many posts, each for an account of its own; return the posts by user name, and fill in the `accounts`."""
    made = {f"acc{n:02}": await stage.account(f"acc{n:02}") for n in range(count)}
    if accounts is not None:
        accounts |= made
    return {name: await stage.post(account, text=f"post {name}") for name, account in made.items()}


async def statuses(stage: StagedNetwork, by_name: dict[str, str]) -> dict[str, str]:
    rows = await stage.context.database.pool.fetch(
        "select post_id, status from target where workspace_id = $1", stage.owner.workspace_id
    )
    status = {row["post_id"]: row["status"] for row in rows}
    return {name: status[stage.id(post)] for name, post in by_name.items()}


def lane(session: NetworkSession) -> str:
    return f"(select id from account where username = '{session.username}' order by created_at desc limit 1)"


async def test_three_targets_of_one_post_end_it_once(stage: StagedNetwork) -> None:
    """They end in one batch, one after the other: each is counted, and the last one ends the post."""
    gate = asyncio.Barrier(3)

    async def together(session: Any, outgoing: Any, journal: Any) -> Any:
        outcome = await stage.accept(session, outgoing, journal)
        await asyncio.wait_for(gate.wait(), TEST_SECONDS)
        return outcome

    stage.publish = together
    post = await stage.post(*[await stage.account() for _ in range(3)])
    await stage.work()

    assert stage.emitted(post) == [
        ("post.queued", "post", "queued"),
        ("post.published", "target", "publishing"),
        ("post.published", "target", "publishing"),
        ("post.published", "target", "published"),
        ("post.published", "post", "published"),
    ]
    data = [event.data for event in stage.events if isinstance(event, events.PublicEvent)]
    counts = [datum.published for datum in data if isinstance(datum, events.PostData)]
    assert counts == [0, 1, 2, 3, 3]
    assert (await stage.history(post)).count("target.published") == 3


async def test_a_target_that_cannot_be_read_harms_no_other(stage: StagedNetwork) -> None:
    """Four of sixty-four rows cannot be decoded: they are set aside with an error, the others go out at once."""
    accounts: dict[str, str] = {}
    by_name = await posts(stage, MANY, accounts)
    broken = [f"acc{n:02}" for n in (0, 17, 40, 63)]
    for name in broken:
        await stage.execute("""update target set intent = '{"step": 1}' where post_id = $1""", stage.id(by_name[name]))
    await stage.work()

    assert sorted(name for name, _ in stage.sent) == sorted(by_name.keys() - set(broken))
    assert {name for name, status in (await statuses(stage, by_name)).items() if status != "published"} == set(broken)
    for name in broken:
        await stage.post(accounts[name], text="next")
        row = await stage.target(by_name[name])
        assert row["status"] == "pending"
        assert 50 < row["wait"].total_seconds() <= 60, "it is looked at again later"
    await stage.execute(
        "update lane set not_before = null where owner is null and key in (select id from account"
        " where workspace_id = $1)",
        stage.owner.workspace_id,
    )
    await stage.work()

    assert sorted(name for name, text in stage.sent if text == "next") == broken, "the account's other posts go on"


async def test_a_statement_that_fails_for_the_batch_is_repeated_for_each(stage: StagedNetwork) -> None:
    """A row that the database itself refuses fails the statement of the whole batch, but only its own target."""
    by_name = await posts(stage, 8)
    await stage.execute(
        "alter table attempt add constraint refused check (post_id <> '" + str(stage.id(by_name["acc03"])) + "')"
    )
    try:
        await stage.work()
    finally:
        await stage.execute("alter table attempt drop constraint refused")

    assert sorted(name for name, _ in stage.sent) == sorted(by_name.keys() - {"acc03"})
    row = await stage.target(by_name["acc03"])
    assert (row["status"], row["error"]["code"], row["attempts"]) == ("pending", "internal_error", 0)


async def test_an_outcome_that_cannot_be_written_harms_no_other(stage: StagedNetwork) -> None:
    """The database refuses the outcome of one of eight: that one is tried again, the rest are done."""

    async def answer(session: Any, outgoing: Any, journal: Any) -> Published:
        await stage.accept(session, outgoing, journal)
        return published("refused" if session.username == "acc03" else "fine")

    stage.publish = answer
    by_name = await posts(stage, 8)
    await stage.execute("alter table target add constraint refusing check (remote_id <> 'refused') not valid")
    try:
        await stage.work()
    finally:
        await stage.execute("alter table target drop constraint refusing")

    expected = dict.fromkeys(by_name, "published") | {"acc03": "retrying"}
    assert await statuses(stage, by_name) == expected
    row = await stage.target(by_name["acc03"])
    assert (row["error"]["code"], row["intent"]) == ("internal_error", None)
    assert row["steps"]["part:0"]["id"], "what is public is known, so it is not sent again"


async def test_a_post_that_a_caller_has_locked_delays_itself_only(stage: StagedNetwork) -> None:
    """The others go out meanwhile; it goes out once it is free. It may be locked before the call, or during it."""
    by_name = await posts(stage, 8)
    before, during = by_name["acc02"], by_name["acc05"]
    called, locked = asyncio.Event(), asyncio.Event()

    async def wait(session: Any, outgoing: Any, journal: Any) -> Any:
        if session.username == "acc05":
            called.set()
            await asyncio.wait_for(locked.wait(), TEST_SECONDS)
        return await stage.accept(session, outgoing, journal)

    async def the_others_are_done() -> bool:
        locked_out = {"acc02": "pending", "acc05": "publishing"}
        return await statuses(stage, by_name) == dict.fromkeys(by_name, "published") | locked_out

    stage.publish = wait
    engine = stage.engine()
    async with stage.context.database.transaction() as db:
        await db.execute("select from post where id = $1 for update", stage.id(before))
        running = asyncio.create_task(engine.run())
        await called.wait()
        await db.execute("select from post where id = $1 for update", stage.id(during))
        locked.set()
        await until(the_others_are_done)
    await until(lambda: len(stage.sent) == 8)
    await engine.stop(5)
    await running

    assert await statuses(stage, by_name) == dict.fromkeys(by_name, "published")


@pytest.mark.parametrize("when", ["before the intent", "before the end"])
async def test_one_lane_that_was_lost_harms_no_other(stage: StagedNetwork, when: str) -> None:
    """Another worker took one lane of eight: its target is left to that worker, the others end as usual."""
    other = stage.engine()
    await other.tick()  # it lives: the lane of a stranger would be freed by any worker

    async def lose(session: Any, outgoing: Any, journal: Any) -> Any:
        lost = session.username == "acc03"
        take = (
            f"update lane set owner = '{other._registration.owner}', fence = fence + 1,"
            f" lease_until = now() + interval '1 hour' where key = {lane(session)}"
        )
        if lost and when == "before the intent":
            await stage.execute(take)
        outcome = await stage.accept(session, outgoing, journal)
        if lost:
            await stage.execute(take)
        return outcome

    stage.publish = lose
    by_name = await posts(stage, 8)
    await stage.work()

    assert await statuses(stage, by_name) == dict.fromkeys(by_name, "published") | {"acc03": "publishing"}
    assert ("acc03" in dict(stage.sent)) == (when == "before the end")
    assert ((await stage.target(by_name["acc03"]))["intent"] is None) == (when == "before the intent")


async def test_a_lane_that_is_locked_delays_its_own_intent_only(stage: StagedNetwork) -> None:
    """A caller changes one of eight posts at that moment: its intent waits for the lane, the others do not."""
    held, released = asyncio.Event(), asyncio.Event()

    async def hold(session: Any, outgoing: Any, journal: Any) -> Any:
        if session.username == "acc03":
            holding.append(asyncio.create_task(_hold_lane(stage, session, held, released)))
        await asyncio.wait_for(held.wait(), TEST_SECONDS)
        return await stage.accept(session, outgoing, journal)

    holding: list[asyncio.Task[None]] = []
    stage.publish = hold
    by_name = await posts(stage, 8)
    work = asyncio.create_task(stage.work())
    await until(lambda: len(stage.sent) == 7)
    released.set()
    await work
    await asyncio.gather(*holding)

    assert await statuses(stage, by_name) == dict.fromkeys(by_name, "published")
    assert [name for name, _ in stage.sent][-1] == "acc03"


async def _hold_lane(
    stage: StagedNetwork, session: NetworkSession, held: asyncio.Event, released: asyncio.Event
) -> None:
    async with stage.context.database.transaction() as db:
        await db.execute(f"select from lane where key = {lane(session)} for no key update")
        held.set()
        await asyncio.wait_for(released.wait(), TEST_SECONDS)


async def test_nothing_goes_out_after_an_acknowledged_disconnect(stage: StagedNetwork) -> None:
    """The account is disconnected after the first of three parts: the others stay away, and the post says why."""
    account = await stage.account()

    async def parts(session: Any, outgoing: Any, journal: Any) -> Any:
        for index, part in enumerate(outgoing.parts):
            await journal.intend(f"part:{index}", {})
            stage.sent.append((session.username, part.text))
            await journal.done(f"part:{index}", {"id": str(index)})
            if index == 0:
                gone = await stage.make.api.delete(f"/platforms/accounts/{account}", key=stage.owner.key)
                assert gone.status_code == 200, gone.text
        return published()

    stage.publish = parts
    post = await stage.post(account, text="one", thread=[{"text": "two"}, {"text": "three"}])
    await stage.work()

    row = await stage.target(post)
    assert [text for _, text in stage.sent] == ["one"]
    assert (row["status"], row["error"]["code"], row["intent"]) == ("failed", "account_disconnected", None)
    assert row["steps"] == {"part:0": {"id": "0"}}


async def test_an_account_that_is_connected_again_publishes_with_the_new_credentials(stage: StagedNetwork) -> None:
    """The session was opened with credentials that were replaced before the intent: another session is opened."""
    from dataclasses import replace

    from tests.helpers import publishing

    from signalpost import networks

    tokens = []

    async def connect(server: Any, fields: Any) -> Any:
        identity = await publishing.connect(server, fields)
        return replace(identity, secrets={"token": "another-secret-token"})

    async def accept(session: Any, outgoing: Any, journal: Any) -> Any:
        if not tokens:
            networks.CONNECTORS["stage"] = replace(stage.connector, connect=connect)  # type: ignore[index]
            await stage.account("again")
        tokens.append(session.secrets["token"])
        return await stage.accept(session, outgoing, journal)

    stage.publish = accept
    post = await stage.post(await stage.account("again"))
    await stage.work()

    assert tokens == ["top-secret-token", "another-secret-token"]
    assert (await stage.status(post))["status"] == "published"
    assert len(stage.sent) == 1


async def test_working_off_a_backlog_writes_no_more_rows_than_it_publishes(stage: StagedNetwork) -> None:
    """Each publication comes some milliseconds after its planned time; that moves the next post, not the whole row."""
    account = await stage.account()
    for number in range(60):
        await stage.delay(await stage.post(account, text=f"post {number}"), 3600 - number)
    await stage.work()
    account_id = ids.decode("acc", account)
    await stage.execute("create table touched (id uuid)")
    await stage.execute("grant all on touched to public")
    await stage.execute(
        """create function touch() returns trigger language plpgsql as
        'begin insert into touched values (new.id); return new; end'"""
    )
    await stage.execute("create trigger touch after update on target for each row execute function touch()")
    try:
        touched = [await _publish_next(stage, account_id) for _ in range(4)]
    finally:
        await stage.execute("drop trigger touch on target")
        await stage.execute("drop function touch")
        await stage.execute("drop table touched")

    assert len(stage.sent) == 5
    assert max(touched) <= 5, touched  # put off by 50 ms, begun, intended, ended


async def _publish_next(stage: StagedNetwork, account_id: Any) -> int:
    """Jump to the planned time of the account's next post, which is 50 ms too early; return how many rows it wrote."""
    pool = stage.context.database.pool
    await pool.execute(
        """update target t set next_attempt_at = next_attempt_at - (s.first - now()),
            published_at = case when published_at is not null then now() - interval '59.95 s' end
        from (select min(next_attempt_at) as first from target where account_id = $1) s where account_id = $1""",
        account_id,
    )
    await pool.execute("truncate touched")
    for _ in range(2):
        await pool.execute(
            "update lane set next_due_at = now(), not_before = null where key = $1 and owner is null", account_id
        )
        await stage.work()
        await asyncio.sleep(0.06)
    count: int = await pool.fetchval("select count(*) from touched")
    return count


async def test_what_is_done_is_on_disk_before_the_next_request(stage: StagedNetwork) -> None:
    """It waits for the next write of the target, but never while the network is asked something else."""
    rows = []

    async def comment(session: Any, outgoing: Any, journal: Any) -> Any:
        await stage.accept(session, outgoing, journal)
        rows.append(await stage.target(created[0]))
        with contextlib.suppress(NotSent):
            await session.server.http.request("GET", "http://127.0.0.1:1/comments")
        rows.append(await stage.target(created[0]))
        return published()

    stage.publish = comment
    created = [await stage.post()]
    await stage.work()

    before, after = rows
    assert (before["intent"]["step"], "id" in before["steps"]["part:0"]) == ("part:0", False)
    assert (after["intent"], after["steps"]["part:0"]) == (None, {"id": "r1"})


async def test_no_request_is_made_for_a_lease_that_may_be_over(stage: StagedNetwork) -> None:
    """A process that was frozen between its intent and the call must not make the call: another may have taken over."""
    asked = []

    async def freeze(session: Any, outgoing: Any, journal: Any) -> Any:
        await journal.intend("part:0", {})
        lease = journal._lease
        lease.fresh_until = 0.0
        try:
            await session.server.http.request("POST", "http://127.0.0.1:1/posts")
        finally:
            asked.append(sys.exc_info()[0])

    stage.publish = freeze
    post = await stage.post()
    await stage.work()

    assert asked == [LeaseLost]
    row = await stage.target(post)
    assert (row["status"], row["intent"]["step"], row["crashes"]) == ("publishing", "part:0", 0)
