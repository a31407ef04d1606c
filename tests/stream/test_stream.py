"""Whoever may read what changed hears of it as it happens, and nobody else; a stream never outlives the right to it."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.stream.listening import Listen, listen_to

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.main import app
from signalpost.stream import hub, places, server_sent
from signalpost.stream.hub import Hub


async def test_everyone_hears_of_what_they_may_read(make: Make, api: Api, listen: Listen, owner: Login) -> None:
    viewer, stranger = await make.member(owner, role="viewer"), await make.owner()
    other = await make.profile(owner, name="Other")
    limited = await make.member(owner, role="editor", profile_ids=[other["id"]])
    async with (
        listen(owner.key) as all_of_it, listen(viewer.key) as posts, listen(limited.key) as nothing,
        listen(owner.test_key) as test, listen(stranger.key) as foreign,
    ):  # fmt: skip
        post = await make.post(owner, draft=True)
        await api.patch(f"/profiles/{other['id']}", json={"name": "Another"}, key=owner.key)
        await api.patch(f"/posts/{post['id']}", json={"text": "Changed"}, key=owner.key)
        new = [("created", post["id"]), ("update_profile", other["id"]), ("updated", post["id"])]
        await all_of_it.until(lambda client: new[-1] in client.changes())
        await posts.until(lambda client: new[-1] in client.changes())

        # What was under way before a stream began may come too.
        assert [change for change in all_of_it.changes() if change in new] == new
        assert [change for change in posts.changes() if change in new] == [new[0], new[-1]]
        assert [client.changes() for client in (nothing, test, foreign)] == [[], [], []]
        assert all_of_it.events[0] == ("ready", {})


async def test_what_was_missed_comes_first(make: Make, api: Api, listen: Listen, owner: Login) -> None:
    """A connection that breaks loses nothing; what was under way then may come twice."""
    async with listen(owner.key) as client:
        await make.post(owner, draft=True)
        await client.until(lambda client: client.changes())
        last = client.events[-1][1]["id"]
    missed = await make.post(owner, draft=True)
    async with listen(owner.key, last_event_id=last) as again:
        assert missed["id"] in [data["subject"] for _, data in again.missed]
        assert last not in [data["id"] for _, data in again.missed]

    for headers, query in (({"Accept": "application/json"}, ""), ({"Accept": "*/*"}, "?poll=1")):
        page = await api.get(f"/events/stream{query}", key=owner.key, headers=headers | {"Last-Event-ID": last})
        assert page.status_code == 200
        assert missed["id"] in [change["subject"] for change in page.json()["data"]]
        assert page.json()["reset"] is False
    long_ago = await api.get("/events/stream", key=owner.key, headers={"Last-Event-ID": ids.example("aud")})
    assert long_ago.json() == {"data": [], "reset": True}


@pytest.mark.parametrize("accept", ["*/*", "text/event-stream", "text/html, */*;q=0.5"])
async def test_whoever_asks_for_nothing_else_gets_a_stream(
    make: Make, listen: Listen, owner: Login, accept: str
) -> None:
    """As curl does, and programs that say nothing of what they accept."""
    async with listen(owner.key, accept=accept) as client:
        post = await make.post(owner, draft=True)
        await client.until(lambda client: client.changes())
        assert client.changes() == [("created", post["id"])]


async def test_a_new_stream_begins_before_what_its_client_has_read(make: Make, listen: Listen, owner: Login) -> None:
    """What changes between the two is in the stream."""
    post = await make.post(owner, draft=True)
    async with listen(owner.key) as client, listen(owner.test_key) as test:
        assert post["id"] in [data["subject"] for _, data in client.missed]
        assert post["id"] not in [data["subject"] for _, data in test.missed]


@pytest.mark.parametrize("age", [timedelta(hours=2), None])
async def test_who_was_away_for_too_long_reads_again(api: Api, owner: Login, age: timedelta | None) -> None:
    last = "nonsense" if age is None else ids.encode("aud", ids.first_at(clock.actual() - age))
    answer = await api.get("/events/stream", key=owner.key, headers={"Last-Event-ID": last})
    assert answer.json() == {"data": [], "reset": True}


async def test_who_missed_too_much_reads_again(
    api: Api, listen: Listen, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "BURST", 3)
    monkeypatch.setattr(server_sent, "MISSED_MAX", 3)
    async with listen(owner.key) as client:
        drafts = [{"profileId": owner.profile, "text": f"Draft {number}"} for number in range(12)]
        assert (await api.post("/posts/bulk", json={"posts": drafts}, key=owner.key)).status_code == 201
        await client.until(lambda client: ("reset", {}) in client.events)
    last = ids.encode("aud", ids.first_at(clock.actual() - timedelta(minutes=1)))
    answer = await api.get("/events/stream", key=owner.key, headers={"Last-Event-ID": last})
    assert answer.json() == {"data": [], "reset": True}


@pytest.mark.parametrize("loses", ["key", "role"])
async def test_a_stream_ends_with_the_right_to_it(
    make: Make, api: Api, listen: Listen, owner: Login, monkeypatch: pytest.MonkeyPatch, loses: str
) -> None:
    monkeypatch.setattr(server_sent, "RECHECK_SECONDS", 0.05)
    monkeypatch.setattr(server_sent, "HEARTBEAT_SECONDS", 0.05)
    member = await make.member(owner, role="admin")
    async with listen(member.key) as client:
        if loses == "key":
            keys = (await api.get("/api-keys", key=owner.key)).json()["data"]
            [key] = [key["id"] for key in keys if member.key.startswith(key["prefix"])]
            assert (await api.delete(f"/api-keys/{key}", key=owner.key)).status_code == 200
            await client.ended.wait()
            assert client.events[-1] == ("end", {"code": "key_revoked"})
            return
        [row] = [row for row in (await api.get("/team", key=owner.key)).json()["data"] if row["role"] == "admin"]
        assert (await api.patch(f"/team/{row['id']}", json={"role": "viewer"}, key=owner.key)).status_code == 200
        beats = client.beats
        await client.until(lambda client: client.beats >= beats + 2)  # the role was read again in between
        profile = await make.profile(owner, name="Secret plans")
        post = await make.post(owner, draft=True)
        await client.until(lambda client: ("created", post["id"]) in client.changes())
        assert profile["id"] not in [subject for _, subject in client.changes()]


async def test_nothing_is_left_of_clients_that_went(context: AppContext, listen: Listen, owner: Login) -> None:
    before = context.state(Hub)._count
    async with listen(owner.key), listen(owner.key):
        assert context.state(Hub)._count == before + 2
    assert context.state(Hub)._count == before
    assert owner.workspace_id not in context.state(Hub)._listeners


async def test_streams_are_bounded(
    context: AppContext, listen: Listen, owner: Login, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "TENANT_MAX", 2)
    other = await make.owner()
    async with listen(owner.key), listen(owner.key), listen(owner.key) as third, listen(other.key) as fourth:
        assert (third.status, fourth.status) == (429, 200)


async def test_streams_opened_at_once_are_bounded_too(
    context: AppContext, listen: Listen, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "TENANT_MAX", 2)
    async with AsyncExitStack() as stack:
        many = [stack.enter_async_context(listen(owner.key)) for _ in range(6)]
        clients = await asyncio.gather(*many)
        assert len([client for client in clients if ("ready", {}) in client.events]) == 2
        assert sorted(client.status for client in clients) == [200] * 2 + [429] * 4
        assert len(context.state(Hub)._of_owner[owner.user_id]) == 2


async def test_streams_of_two_processes_are_bounded_together(
    context: AppContext, listen: Listen, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "TENANT_MAX", 2)
    other = replace(context, states={})
    listen_there = listen_to(app.create(other))
    async with (
        listen(owner.key) as first, listen_there(owner.key) as second, listen(owner.key) as third,
        listen_there(owner.key) as fourth,
    ):  # fmt: skip
        assert [client.status for client in (first, second, third, fourth)] == [200, 200, 429, 429]
    await other.state(Hub).end()


async def test_a_client_that_does_not_read_is_left(owner: Login, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "WAITING_MAX", 2)
    listener = hub.Listener(owner.workspace_id, owner.user_id)
    for _ in range(3):
        listener.receive(None)
    assert listener.ended
    assert len(listener.waiting) == 2


async def test_a_fault_of_ours_ends_the_streams_so_that_clients_come_back(
    context: AppContext, listen: Listen, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> Any:
        raise ValueError("a row that nobody expected")

    async with listen(owner.key) as client:
        with monkeypatch.context() as fault:
            fault.setattr(hub.queries, "newest", broken)
            await client.ended.wait()
    async with listen(owner.key):
        task = context.state(Hub)._task
        assert task is not None
        assert not task.done()


async def test_a_shutdown_waits_for_no_stream(context: AppContext, listen: Listen, owner: Login) -> None:
    async with listen(owner.key) as client:
        mine = context.states.pop(Hub)
        await mine.end()
        await client.ended.wait()
