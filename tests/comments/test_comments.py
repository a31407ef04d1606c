"""What people write under a post: when it is asked for, what is stored of it, and who sees it."""

import dataclasses
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.comments import Commented, job, serve
from tests.helpers.factories import Login, Make

from signalpost import networks
from signalpost.comments import listing, work
from signalpost.comments.actions import collect, plan, store
from signalpost.context import AppContext
from signalpost.engine.jobs import RunAgain
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.kit.http import MaybeSent, Response
from signalpost.networks.connectors import sandbox
from signalpost.networks.contract import ApiError, Comments, NeedsReconnect, RemoteComment, TryLater

START = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


def test_the_frequency_falls_and_ends_after_30_days() -> None:
    asked, at = [], START
    while (following := plan.next_at(START, at)) is not None:
        at = following
        asked.append(at - START)
    assert asked[:12] == [timedelta(minutes=5 * count) for count in range(1, 13)]
    assert asked[12:35] == [timedelta(hours=hours) for hours in range(2, 25)]
    assert asked[35:] == [timedelta(days=days) for days in range(2, 31)]


async def test_a_marker_has_comments_written_which_become_an_inbox_and_threads(
    context: AppContext, api: Api, make: Make, owner: Login
) -> None:
    post = await Commented(context, api, owner).publish(make, "[[comments:3]]")
    for _ in range(2):
        await post.collect()
    comments = await post.list()
    assert [comment["author"]["name"] for comment in comments] == ["Visitor 3", "Visitor 2", "Visitor 1"]
    assert {(comment["state"], comment["answeredAt"], comment["deletedAt"]) for comment in comments} == {
        ("open", None, None)
    }
    assert comments[0]["actions"] == {"reply": True, "hide": True, "like": True, "delete": True}
    threads = (await api.get(f"/posts/{post.post['id']}/comments", key=owner.key)).json()["data"]
    assert [[thread["comment"]["author"]["name"], len(thread["answers"])] for thread in threads] == [
        ["Visitor 1", 1], ["Visitor 3", 0],
    ]  # fmt: skip
    assert threads[0]["answers"][0]["parentId"] == threads[0]["comment"]["id"]


async def test_edits_and_deletions_follow_the_network(post: Commented) -> None:
    """Of what people deleted, neither text nor name is kept. What comes back is there again."""
    ada, bob = post.wall.add("ada"), post.wall.add("bob")
    await post.collect()
    post.wall.change(ada, text="Something else")
    post.wall.items.remove(bob)
    await post.collect()
    changed = {comment["platformCommentId"]: comment for comment in await post.list()}
    edited, deleted = changed[ada.remote_id], changed[bob.remote_id]
    assert (edited["text"], edited["editedAt"] is not None, edited["deletedAt"]) == ("Something else", True, None)
    assert deleted["deletedAt"] is not None
    assert (deleted["text"], deleted["author"]["name"], deleted["author"]["handle"]) == ("", "", None)
    assert deleted["actions"] == {"reply": False, "hide": False, "like": False, "delete": False}
    assert [each["platformCommentId"] for each in await post.list(unanswered="true")] == [ada.remote_id]

    post.wall.items.append(bob)
    await post.collect()
    again = next(each for each in await post.list() if each["platformCommentId"] == bob.remote_id)
    assert (again["text"], again["deletedAt"], again["author"]["handle"]) == (bob.text, None, "bob")


async def test_a_list_that_is_not_complete_deletes_nothing(post: Commented) -> None:
    post.wall.add("ada")
    await post.collect()
    post.wall.items, post.wall.complete = [], False
    await post.collect()
    assert [comment["deletedAt"] for comment in await post.list()] == [None]


async def test_repeated_pages_and_floods_and_hostile_texts_are_bounded(
    post: Commented, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A network that lists 3,000 comments, each twice, with a name of 100 kB."""
    monkeypatch.setattr(store, "COMMENTS_MAX", 150)
    hostile = post.wall.add(
        "x" * 100_000, remote_id="hostile", text="<script>alert(1)</script>\0\u202e" + "y" * 100_000
    )
    for number in range(200):
        post.wall.add(f"bot{number}")
    post.wall.items += post.wall.items
    await post.collect()
    await post.collect()
    seen: list[dict[str, Any]] = []
    cursor = None
    while True:
        query = {"postId": post.post["id"], "limit": "100"} | ({"cursor": cursor} if cursor else {})
        page = (await api.get("/comments", params=query, key=post.owner.key)).json()
        seen += page["data"]
        if (cursor := page["nextCursor"]) is None:
            break
    assert len(seen) == len({comment["id"] for comment in seen}) == 150
    first = next(comment for comment in seen if comment["platformCommentId"] == hostile.remote_id)
    assert (len(first["author"]["name"]), len(first["text"])) == (200, 5_000)
    assert first["text"].startswith("<script>alert(1)</script> y")


async def test_a_comment_without_an_id_or_time_is_none() -> None:
    with pytest.raises(Exception, match="cannot be stored"):
        RemoteComment(remote_id="\0", author_id="", author_name="", text="", posted_at=START)
    with pytest.raises(Exception, match="cannot be stored"):
        RemoteComment(remote_id="1", author_id="", author_name="", text="", posted_at=START.replace(tzinfo=None))


async def test_parts_of_the_own_thread_are_no_comments_and_own_answers_are_not_in_the_inbox(
    post: Commented, api: Api
) -> None:
    ada = post.wall.add("ada")
    post.wall.add("own", is_own=True, parent_id=ada.remote_id)
    post.wall.add("self", remote_id=post.post["targets"][0]["platformPostId"])
    await post.collect()
    [comment] = await post.list()
    assert comment["answeredAt"] is not None
    assert await post.list(unanswered="true") == []
    [thread] = (await api.get(f"/posts/{post.post['id']}/comments", key=post.owner.key)).json()["data"]
    assert [answer["author"]["isSelf"] for answer in thread["answers"]] == [True]


async def test_filters(post: Commented, api: Api, owner: Login) -> None:
    post.wall.add("ada", text="What is the PRICE?")
    post.wall.add("bob")
    await post.collect()
    by_author = {comment["author"]["handle"]: comment for comment in await post.list()}
    assert [each["id"] for each in await post.list(q="price")] == [by_author["ada"]["id"]]
    assert [each["id"] for each in await post.list(q="BOB")] == [by_author["bob"]["id"]]
    done = await api.patch(f"/comments/{by_author['bob']['id']}", json={"state": "done"}, key=owner.key)
    assert (done.status_code, done.json()["state"]) == (200, "done")
    assert [each["id"] for each in await post.list(state="open")] == [by_author["ada"]["id"]]
    assert len(await post.list(profileId=owner.profile, accountId=post.post["targets"][0]["accountId"])) == 2
    assert await post.list(since="2099-01-01T00:00:00Z") == []
    other = (await api.get("/comments", params={"profileId": ids.example("prof")}, key=owner.key)).status_code
    assert other == 404


async def test_a_comment_is_assigned_tagged_and_done(post: Commented, api: Api, make: Make, owner: Login) -> None:
    post.wall.add("ada")
    await post.collect()
    [comment] = await post.list()
    await make.member(owner, role="editor")
    members = (await api.get("/team", key=owner.key)).json()["data"]
    editor = next(member for member in members if member["role"] == "editor")
    body = {"assigneeId": editor["id"], "tags": ["question", "question", "shop"]}
    changed = (await api.patch(f"/comments/{comment['id']}", json=body, key=owner.key)).json()
    assert (changed["assignee"]["memberId"], changed["tags"]) == (editor["id"], ["question", "shop"])
    refused = await api.patch(f"/comments/{comment['id']}", json={"assigneeId": ids.example("mem")}, key=owner.key)
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "/assigneeId")
    cleared = (await api.patch(f"/comments/{comment['id']}", json={"assigneeId": None}, key=owner.key)).json()
    assert cleared["assignee"] is None


async def test_hide_like_and_delete_reach_the_network(
    post: Commented, api: Api, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was deleted from here stays so, even if the network lists it once more."""
    calls: list[tuple[Any, ...]] = []

    async def mark(_session: Any, remote_id: str, _reference: Any, on: bool) -> None:
        calls.append((remote_id, on))

    async def remove(_session: Any, remote_id: str, _reference: Any) -> None:
        calls.append((remote_id, "removed"))

    serve(monkeypatch, post, hide_comment=mark, like_comment=mark, delete_comment=remove)
    ada = post.wall.add("ada")
    await post.collect()
    [comment] = await post.list()
    path = f"/comments/{comment['id']}"
    assert (await api.post(f"{path}/hide", key=owner.key)).json()["hidden"] is True
    assert (await api.post(f"{path}/unhide", key=owner.key)).json()["hidden"] is False
    assert (await api.post(f"{path}/like", key=owner.key)).json()["liked"] is True
    for _ in range(2):
        assert (await api.delete(path, key=owner.key)).status_code == 204
    marks = [(ada.remote_id, True), (ada.remote_id, False), (ada.remote_id, True), (ada.remote_id, "removed")]
    assert calls == marks
    await post.collect()
    assert (await post.read(comment))["text"] == ""
    refused = await api.post(f"{path}/hide", key=owner.key)
    assert (refused.status_code, refused.json()["code"]) == (409, "comment_action_unavailable")


async def test_a_network_that_cannot_says_so_and_one_that_fails_changes_nothing(
    post: Commented, api: Api, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: Any) -> None:
        raise MaybeSent("no answer", timed_out=True)

    async def refuse(*_: Any) -> None:
        raise ApiError(Response(403, {}, b"{}", 5), "POST /hide")

    post.wall.add("ada")
    await post.collect()
    [comment] = await post.list()
    for function, status, code in ((None, 409, "comment_action_unavailable"), (fail, 504, "platform_timeout"),
                                   (refuse, 409, "invalid_state")):  # fmt: skip
        serve(monkeypatch, post, hide_comment=function)
        answer = await api.post(f"/comments/{comment['id']}/hide", key=owner.key)
        assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    assert (await post.read(comment))["hidden"] is False


async def test_events_tell_of_others_once_and_never_of_what_the_account_wrote(
    post: Commented, api: Api, owner: Login, database: Database
) -> None:
    body = {"url": "https://example.com/hook", "events": ["comment.received", "comment.replied"]}
    assert (await api.post("/webhooks", json=body, key=owner.key)).status_code == 201
    ada = post.wall.add("ada")
    post.wall.add("own", is_own=True)
    for _ in range(2):
        await post.collect()
    [comment] = await post.list()
    reply = (await post.reply(comment)).json()
    await post.send(reply)
    async with database.connection() as db:
        rows = await db.fetch(
            "select type, convert_from(body, 'UTF8') as body from delivery where workspace_id = $1 order by id",
            owner.workspace_id,
        )
    kinds = [row["type"] for row in rows]
    assert kinds == ["comment.received", "comment.replied"]
    assert ada.text in rows[0]["body"]
    assert "Thank you!" in rows[1]["body"]


async def test_publishing_goes_first(post: Commented, make: Make, owner: Login, database: Database) -> None:
    """While the account has something to publish within half a minute, its network is asked for nothing else."""
    due = await make.post(owner, scheduledAt=(datetime.now(UTC) + timedelta(days=1)).isoformat())
    async with database.transaction() as db:
        await db.execute(
            "update target set next_attempt_at = now() + interval '20 seconds' where id = $1",
            ids.decode("tgt", due["targets"][0]["id"]),
        )
    assert await post.collect() == RunAgain(collect.PAUSE_SECONDS)
    assert post.wall.calls == 0


async def test_a_network_that_refuses_is_asked_less_and_less_often(
    post: Commented, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = ApiError(Response(400, {}, b"{}", 5), "GET /comments")

    async def refuse(*_: object) -> Any:
        raise error

    async def state() -> Any:
        async with database.connection() as db:
            query = "select next_attempt_at - now() as wait, failures from comment_source where target_id = $1"
            return await db.fetchrow(query, post.target_id)

    outcomes = (
        (TryLater(message="Wait.", after_seconds=900.0), RunAgain(900.0), timedelta(minutes=4)),
        (None, None, timedelta(minutes=9)),
        (NeedsReconnect(message="No."), None, timedelta(hours=23)),
    )
    for outcome, expected, wait in outcomes:
        explain = sandbox.explain if outcome is None else lambda _, result=outcome: result
        broken = dataclasses.replace(sandbox.CONNECTOR, comments=refuse, explain=explain)
        monkeypatch.setitem(networks.CONNECTORS, "sandbox", broken)
        assert await post.collect() == expected
        assert (await state())["wait"] > wait

    async def silent(*_: object) -> dict[str, Comments | None]:
        return {}

    monkeypatch.setitem(networks.CONNECTORS, "sandbox", dataclasses.replace(sandbox.CONNECTOR, comments=silent))
    await post.collect()
    assert (await state())["failures"] == 3


async def test_a_post_that_is_gone_or_removed_is_not_asked_for_any_more(
    post: Commented, context: AppContext, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def gone(_session: Any, remote_ids: Any, _since: Any) -> dict[str, None]:
        return dict.fromkeys(remote_ids)

    async def is_planned() -> bool:
        async with database.connection() as db:
            query = "select next_attempt_at < now() + interval '31 days' from comment_source where target_id = $1"
            return bool(await db.fetchval(query, post.target_id))

    monkeypatch.setitem(networks.CONNECTORS, "sandbox", dataclasses.replace(sandbox.CONNECTOR, comments=gone))
    await post.collect()
    assert not await is_planned()
    async with database.transaction() as db:
        await db.execute("update target set status = 'removed' where id = $1", post.target_id)
    await post.look()
    assert not await is_planned()


async def test_comments_are_forgotten_after_their_time(
    post: Commented, context: AppContext, database: Database
) -> None:
    post.wall.add("ada")
    post.wall.add("bob")
    await post.collect()
    async with database.transaction() as db:
        await db.execute(
            "update comment set created_at = now() - interval '91 days' where target_id = $1 and author_id = 'ada'",
            post.target_id,
        )
    lease: Any = post.lease
    while await job(context, work.PURGE)(lease, {}):
        pass
    assert [comment["author"]["handle"] for comment in await post.list()] == ["bob"]


async def test_a_test_key_sees_test_comments_only(context: AppContext, api: Api, make: Make, owner: Login) -> None:
    live = await Commented(context, api, owner).publish(make, "[[comments:1]]")
    test = await Commented(context, api, owner).publish(make, "[[comments:1]]", key=owner.test_key)
    await live.collect()
    await test.collect()
    assert await live.list(owner.test_key) == []
    [comment] = await test.list(owner.test_key)
    assert (await test.reply(comment, key=owner.test_key)).status_code == 201
    [hidden] = await live.list()
    assert (await live.reply(hidden, key=owner.test_key)).status_code == 404


async def test_a_snoozed_comment_comes_back_by_itself_on_top(post: Commented, api: Api, database: Database) -> None:
    for name in ("ada", "bob", "cyd"):
        post.wall.add(name)
    await post.collect()
    first, *_, last = await post.list()
    for until, status in (("2020-01-01T00:00:00Z", 422), ("2199-01-01T00:00:00Z", 422), (None, 200)):
        answer = await api.patch(f"/comments/{last['id']}", json={"snoozedUntil": until}, key=post.owner.key)
        assert answer.status_code == status, answer.text
    until = (clock.actual() + timedelta(days=1)).isoformat()
    snoozed = await api.patch(f"/comments/{last['id']}", json={"snoozedUntil": until}, key=post.owner.key)
    assert snoozed.json()["snoozedUntil"] is not None
    assert [each["id"] for each in await post.list(snoozed="true")] == [last["id"]]
    assert last["id"] not in [each["id"] for each in await post.list(snoozed="false", state="open")]

    async with database.transaction() as db:
        await db.execute(
            "update comment set created_at = created_at - interval '1 day', snoozed_until = case when id = $2"
            " then now() - interval '1 hour' end where target_id = $1",
            post.target_id,
            ids.decode("cmt", last["id"]),
        )
    shown = await post.list(snoozed="false", state="open")
    assert [each["id"] for each in shown][:2] == [last["id"], first["id"]]
    done = await api.patch(f"/comments/{last['id']}", json={"state": "done"}, key=post.owner.key)
    assert done.json()["snoozedUntil"] is None


async def test_comments_are_found_by_tag_and_by_who_takes_care_of_them(post: Commented, api: Api) -> None:
    for name in ("ada", "bob"):
        post.wall.add(name)
    await post.collect()
    first, _ = await post.list()
    team = (await api.get("/team", key=post.owner.key)).json()["data"]
    changes = {"tags": ["question"], "assigneeId": team[0]["id"]}
    assert (await api.patch(f"/comments/{first['id']}", json=changes, key=post.owner.key)).status_code == 200
    assert [each["id"] for each in await post.list(tag="question")] == [first["id"]]
    assert [each["id"] for each in await post.list(assigneeId=team[0]["id"])] == [first["id"]]
    assert [each["id"] for each in await post.list(tag="other")] == []


async def test_a_search_looks_at_so_many_comments_and_leads_on(
    post: Commented, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many comments do not match, nothing is left out and no page reads them all."""
    monkeypatch.setattr(listing, "LOOKED_AT", 3)
    for number in range(10):
        post.wall.add(f"bot{number}", text="needle" if number in (0, 1, 9) else "hay")
    await post.collect()
    seen: list[str] = []
    pages, cursor = 0, None
    while True:
        query = {"postId": post.post["id"], "q": "Needle"} | ({"cursor": cursor} if cursor else {})
        page = (await api.get("/comments", params=query, key=post.owner.key)).json()
        seen += [each["author"]["name"] for each in page["data"]]
        pages += 1
        if (cursor := page["nextCursor"]) is None:
            break
    assert seen == ["Bot9", "Bot1", "Bot0"]
    assert pages == 4
