"""Answers: sent once, whatever is lost on the way; held for an approval; and never between two programs for ever."""

import asyncio
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.comments import Commented
from tests.helpers.factories import Login, Make

from signalpost.comments import work
from signalpost.comments.actions import answer, send
from signalpost.kit import clock, ids
from signalpost.kit.db import Database


@pytest.fixture
async def post(post: Commented) -> Commented:
    """A published post with one comment."""
    post.wall.add("ada")
    await post.collect()
    return post


async def the_comment(post: Commented) -> dict[str, Any]:
    [comment] = await post.list()
    return comment


async def test_an_answer_is_sent_and_the_comment_is_done(post: Commented, api: Api) -> None:
    comment = await the_comment(post)
    accepted = await post.reply(comment, "At our shop.")
    assert (accepted.status_code, accepted.json()["state"]) == (201, "sending")
    assert await post.send(accepted.json()) is None

    read = await post.read(comment)
    [reply] = read["replies"]
    assert (reply["state"], reply["error"], reply["text"]) == ("sent", None, "At our shop.")
    assert reply["platformCommentId"].startswith("sbx_")
    assert (read["state"], read["answeredAt"] is not None) == ("done", True)
    [thread] = (await api.get(f"/posts/{post.post['id']}/comments", key=post.owner.key)).json()["data"]
    assert [(each["text"], each["author"]["isSelf"]) for each in thread["answers"]] == [("At our shop.", True)]


async def test_an_answer_that_an_older_database_has_still_to_send_is_not_sent(post: Commented) -> None:
    """Whoever failed over, or restored a backup, may have sent it with the database that is gone."""
    comment = await the_comment(post)
    reply = (await post.reply(comment, "Once.")).json()
    async with post.context.database.transaction() as db:
        await send.doubt_what_is_sent(db, clock.now())

    assert await post.send(reply) is None
    [shown] = (await post.read(comment))["replies"]
    assert (shown["state"], shown["error"]["code"]) == ("unknown", "outcome_unknown")


async def test_an_approval_that_an_older_database_does_not_know_cannot_be_given_twice(
    post: Commented, api: Api, make: Make, owner: Login
) -> None:
    """The answer may have been approved and sent with the database that is gone."""
    contributor = await make.member(owner, role="contributor")
    comment = await the_comment(post)
    reply = (await post.reply(comment, "Once.", key=contributor.key)).json()
    assert reply["state"] == "pending"
    async with post.context.database.transaction() as db:
        await send.doubt_what_is_sent(db, clock.now())

    path = f"/comments/{comment['id']}/replies/{reply['id']}/approve"
    assert (await api.post(path, key=owner.key)).json()["code"] == "invalid_state"
    assert await post.send(reply) is None
    [shown] = (await post.read(comment))["replies"]
    assert (shown["state"], shown["error"]["code"]) == ("unknown", "outcome_unknown")
    assert "approval" in shown["error"]["message"]


async def test_an_answer_is_written_once_for_an_idempotency_key(post: Commented, api: Api) -> None:
    comment = await the_comment(post)
    headers = {"Idempotency-Key": f"k-{comment['id']}"}
    path = f"/comments/{comment['id']}/reply"
    first, again = [await api.post(path, json={"text": "Hi."}, key=post.owner.key, headers=headers) for _ in range(2)]
    assert first.json()["id"] == again.json()["id"]
    assert len((await post.read(comment))["replies"]) == 1


@pytest.mark.parametrize(
    ("marker", "runs", "state", "code"),
    [
        ("[[timeout]]", 2, "sent", None),
        ("[[timeout:lost]]", 2, "sent", None),
        ("[[timeout:forever]]", len(send.DELAYS) + 1, "unknown", "outcome_unknown"),
        ("[[transient:2]]", 3, "sent", None),
        ("[[fail:content_rejected]]", 1, "failed", "content_rejected"),
        ("[[fail:rate_limited]]", len(send.DELAYS) + 1, "failed", "rate_limited"),
        ("[[slow:50]]", 1, "sent", None),
    ],
)
async def test_what_becomes_of_an_answer(post: Commented, marker: str, runs: int, state: str, code: str | None) -> None:
    """A lost response is looked for; only what is certainly not there is sent again."""
    comment = await the_comment(post)
    reply = (await post.reply(comment, f"Hello {marker}")).json()
    for _ in range(runs - 1):
        again = await post.send(reply)
        assert again is not None
        assert again.after_seconds >= 1
    assert await post.send(reply) is None
    [ended] = (await post.read(comment))["replies"]
    assert (ended["state"], (ended["error"] or {}).get("code")) == (state, code)
    assert await post.send(reply) is None, "nothing more happens"


async def test_an_answer_whose_worker_died_is_given_up_as_unknown_only_if_it_may_be_there(
    post: Commented, database: Database
) -> None:
    comment = await the_comment(post)
    for intent, state in ((None, "failed"), ("part:1", "unknown")):
        reply = (await post.reply(comment)).json()
        async with database.transaction() as db:
            reply_id = ids.decode("rpl", reply["id"])
            await db.execute("update comment_reply set intent = $2 where id = $1", reply_id, intent)
        lease: Any = post.lease
        await work.give_up(lease, {"reply_id": str(reply_id)}, None)
        assert (await post.read(comment))["replies"][-1]["state"] == state


async def test_who_answers_second_is_warned(post: Commented) -> None:
    comment = await the_comment(post)
    assert (await post.reply(comment, ifUnanswered=True)).status_code == 201
    second = await post.reply(comment, ifUnanswered=True)
    assert (second.status_code, second.json()["code"]) == (409, "comment_answered")
    assert (await post.reply(comment)).status_code == 201


async def test_what_a_contributor_answers_waits_for_an_approval(
    post: Commented, api: Api, make: Make, owner: Login
) -> None:
    contributor, approver, viewer = [
        await make.member(owner, role=role) for role in ("contributor", "approver", "viewer")
    ]
    comment = await the_comment(post)
    assert (await post.reply(comment, key=viewer.key)).status_code == 403
    reply = (await post.reply(comment, key=contributor.key)).json()
    assert reply["state"] == "pending"
    assert await post.send(reply) is None
    path = f"/comments/{comment['id']}/replies/{reply['id']}"
    assert (await api.post(f"{path}/approve", key=contributor.key)).status_code == 403
    approved = (await api.post(f"{path}/approve", key=approver.key)).json()
    assert (approved["state"], approved["decidedBy"]["type"]) == ("sending", "api_key")
    assert (await api.post(f"{path}/reject", key=owner.key)).status_code == 409
    await post.send(reply)
    assert (await post.read(comment))["replies"][0]["state"] == "sent"

    other = (await post.reply(comment, key=contributor.key)).json()
    taken_back = await api.post(f"/comments/{comment['id']}/replies/{other['id']}/reject", key=contributor.key)
    assert taken_back.json()["state"] == "rejected"
    unknown = await api.post(f"/comments/{comment['id']}/replies/{ids.example('rpl')}/reject", key=owner.key)
    assert unknown.status_code == 404


@pytest.mark.parametrize(
    ("bound", "names", "parents", "where"),
    [
        ("LOOP_MAX", "aaaa", "----", "to the author of this comment under this post"),
        ("LOOP_THREAD_MAX", "abcd", "-aaa", "in this thread"),
        ("LOOP_POST_MAX", "abcd", "----", "under this post"),
    ],
)
async def test_programs_that_answer_each_other_are_stopped(
    post: Commented, monkeypatch: pytest.MonkeyPatch, bound: str, names: str, parents: str, where: str
) -> None:
    """Of the same name, or of many names in one thread, or of a new name in a new thread each time."""
    monkeypatch.setattr(answer, bound, 3)
    post.wall.items.clear()
    for number, (name, parent) in enumerate(zip(names, parents, strict=True)):
        above = post.wall.items[0].remote_id if parent == "a" else None
        post.wall.add(name, remote_id=f"{name}-{number}", parent_id=above)
    await post.collect()
    there = [comment for comment in await post.list() if comment["deletedAt"] is None]
    answers = [await post.reply(comment) for comment in there]
    assert [each.status_code for each in answers] == [201, 201, 201, 429]
    problem, wait = answers[-1].json(), int(answers[-1].headers["Retry-After"])
    assert (problem["code"], problem["detail"]) == ("reply_loop", f"3 answers went {where} within an hour.")
    assert 0 < wait <= 3_600


async def test_a_program_that_deletes_what_it_wrote_is_stopped_too(
    post: Commented, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what it waits for is the end of the hour of the oldest answer."""
    monkeypatch.setattr(answer, "LOOP_MAX", 2)
    for number in range(2):
        post.wall.items.clear()
        post.wall.add("bot", remote_id=f"bot-{number}")
        await post.collect()
        [comment, *_] = [each for each in await post.list() if each["deletedAt"] is None]
        assert (await post.reply(comment)).status_code == 201
    async with database.transaction() as db:
        query = "update comment_reply set created_at = created_at - interval '40 minutes' where text = 'Thank you!'"
        await db.execute(query)
    post.wall.items.clear()
    post.wall.add("bot", remote_id="bot-last")
    await post.collect()
    [comment, *_] = [each for each in await post.list() if each["deletedAt"] is None]
    refused = await post.reply(comment)
    assert refused.json()["code"] == "reply_loop"
    assert 0 < int(refused.headers["Retry-After"]) <= 1_200


async def test_many_answers_at_once_do_not_pass_a_bound_together(
    post: Commented, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer, "LOOP_MAX", 3)
    for _ in range(7):
        post.wall.add("ada")
    await post.collect()
    answers = await asyncio.gather(*[post.reply(comment) for comment in await post.list()])
    assert sorted(each.status_code for each in answers) == [201] * 3 + [429] * 5


async def test_only_what_others_write_sets_off_an_event_and_once(post: Commented, api: Api, database: Database) -> None:
    """Not what is edited, comes back, or was sent from here, also if the network lists it before the answer ends."""
    body = {"url": "https://example.com/hook", "events": ["comment.received"]}
    assert (await api.post("/webhooks", json=body, key=post.owner.key)).status_code == 201
    bob = post.wall.add("bob")
    post.wall.add("own", is_own=True, parent_id=bob.remote_id)
    await post.collect()
    post.wall.items.remove(bob)
    await post.collect()
    post.wall.items.append(bob)
    await post.collect()
    post.wall.change(bob, text="something else")
    await post.collect()
    [comment] = [each for each in await post.list() if each["platformCommentId"] == bob.remote_id]
    reply = (await post.reply(comment)).json()
    await post.send(reply)
    [sent] = (await post.read(comment))["replies"]
    post.wall.add("own", remote_id=sent["platformCommentId"], is_own=True, parent_id=bob.remote_id)
    await post.collect()
    async with database.connection() as db:
        query = "select count(*) from delivery where workspace_id = $1 and type = 'comment.received'"
        assert await db.fetchval(query, post.owner.workspace_id) == 1


async def test_what_the_network_would_refuse_is_refused_at_once(post: Commented) -> None:
    comment = await the_comment(post)
    refused = await post.reply(comment, "x" * 5_001)
    [error] = refused.json()["errors"]
    assert (refused.status_code, refused.json()["code"]) == (422, "validation_failed")
    assert (error["path"], error["code"], error["params"]) == (
        "/text", "content_invalid", {"limit": 5_000, "actual": 5_001},
    )  # fmt: skip
    assert (await post.read(comment))["replies"] == []


async def test_nothing_is_sent_when_the_account_the_post_or_the_comment_is_gone(
    post: Commented, api: Api, database: Database
) -> None:
    comment = await the_comment(post)
    waiting = [(await post.reply(comment)).json() for _ in range(3)]
    async with database.transaction() as db:
        comment_id = ids.decode("cmt", comment["id"])
        await db.execute("update comment set deleted_at = now() where id = $1", comment_id)
    await post.send(waiting[0])
    assert (await post.reply(comment)).json()["code"] == "comment_action_unavailable"
    async with database.transaction() as db:
        await db.execute("update comment set deleted_at = null where id = $1", comment_id)
        await db.execute("update target set status = 'removed' where id = $1", post.target_id)
    await post.send(waiting[1])
    assert (await post.reply(comment)).json()["code"] == "invalid_state"
    async with database.transaction() as db:
        await db.execute("update target set status = 'published' where id = $1", post.target_id)
        await db.execute("update account set status = 'disconnected' where id = $1", post.account_id)
    await post.send(waiting[2])
    assert (await post.reply(comment)).json()["code"] == "invalid_state"
    codes = [(reply["state"], reply["error"]["code"]) for reply in (await post.read(comment))["replies"]]
    gone = ("failed", "destination_missing")
    assert codes == [gone, gone, ("failed", "account_disconnected")]
