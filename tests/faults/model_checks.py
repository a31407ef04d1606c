"""What must hold after every step of a history, and at its end."""

import json
from collections import Counter
from datetime import datetime, timedelta
from typing import Any, Final

from tests.faults.model import MARGIN, OVER, WAITING, Post, Target
from tests.faults.model_history import TOLD, History

_DELIVERIES: Final = """
select type, convert_from(body, 'UTF8') as body from delivery where workspace_id = $1 and type = any($2)
"""
_COUNTED: Final = "select id from post where workspace_id = $1 and counted"
_ROUNDS: Final = (31_000, 40, 110, 600, 1_100, 3_700, 3_700, 3_700, 50_000, 3_700)
"""Seconds to wait, one after the other, until everything must have ended."""


async def check(history: History) -> None:
    """Compare what the API shows of all posts with the model, and the model with the ledger."""
    model = history.model
    assert not model.broken, model.broken
    shown = {post["id"]: post for post in (await history.call("GET", "/posts?limit=100", 200))["data"]}
    trash = {post["id"]: post for post in (await history.call("GET", "/posts/trash?limit=100", 200))["data"]}
    assert shown.keys() == {post.id for post in model.posts.values() if not post.trashed}
    assert trash.keys() == {post.id for post in model.posts.values() if post.trashed}
    history.shown = shown | trash
    for post in model.posts.values():
        _check_post(history, post, history.shown[post.id])
    history.worked = False


def _check_post(history: History, post: Post, shown: Any) -> None:
    status = "waiting" if shown["status"] in ("scheduled", "queued") else shown["status"]
    assert status == post.status(), (post, shown["status"])
    assert shown["approval"]["state"] == post.approval, (post, shown["approval"])
    assert [shown["text"], *[part["text"] for part in shown["thread"]]] == post.parts
    for target, one in zip(post.targets, shown["targets"], strict=True):
        assert one["status"] == target.status, (post, target, one)
        at = one["nextAttemptAt"]
        target.next_at = None if at is None else datetime.fromisoformat(at) + history.world.passed
        if not post.trashed:
            assert (target.next_at is not None) == target.is_live, ("live without a next attempt", post, target, one)
        if target.next_at is not None:
            _check_next(history, post, target)
        _check_ledger(history, post, target)


def _check_next(history: History, post: Post, target: Target) -> None:
    now, account = history.world.now(), target.account
    assert target.next_at is not None
    assert target.due is not None
    is_free = account.status == "active" and not post.held
    if target.status == "pending":
        exact = timedelta(milliseconds=1) if target.due == post.scheduled else MARGIN
        assert target.next_at >= target.due - exact, ("looked at early", post, target)
    if is_free and target.soonest is not None and target.latest is not None:
        assert target.soonest - MARGIN <= target.next_at <= target.latest + MARGIN, ("wrong wait", post, target, now)
    paused = account.paused_until is not None and account.paused_until > now - MARGIN
    if history.worked and not paused:
        assert target.next_at > now - MARGIN, ("left behind", post, target, now)


def _check_ledger(history: History, post: Post, target: Target) -> None:
    """Compare what the service says is public with what is."""
    made = [history.world.ledger.made[target.account.name, part] for part in post.parts]
    allowed = [history.model.again[target.account.name, part] + 1 for part in post.parts]
    assert all(count <= most for count, most in zip(made, allowed, strict=True)), ("doubled", post, target, made)
    if target.status == "published":
        assert all(made), ("published, but not there", post, target, made)
    if target.status in WAITING or (target.status in OVER and target.code not in (None, "outcome_unknown")):
        for part, count in zip(post.parts, made, strict=True):
            unexpected = count and part not in target.public and not history.model.again[target.account.name, part]
            assert not unexpected, ("there, but said not to be", post, target, part)


async def finish(history: History) -> None:
    """Let the network be good and everybody do their part: then everything must end, and add up."""
    model = history.model
    history.world.ledger.fates.clear()
    for name, account in model.accounts.items():
        if account.status == "paused":
            await history.pause(name)
        elif account.status != "active":
            await history.connect(name)
    await history.work()
    await check(history)
    for seconds in _ROUNDS:
        if not _alive(history):
            break
        await history.pass_time(seconds)
        await history.work()
        await check(history)
    assert not _alive(history), _alive(history)
    await _check_events(history)
    await _check_sums(history)


def _alive(history: History) -> list[Post]:
    return [p for p in history.model.posts.values() if not p.trashed and any(t.is_live for t in p.targets)]


async def _check_events(history: History) -> None:
    """Each ending was told once, and nothing else was."""
    rows = await history.world.query(_DELIVERIES, history.owner.workspace_id, list(TOLD))
    told: Counter[Any] = Counter()
    for row in rows:
        data = json.loads(row["body"])["data"]
        told[(row["type"], data["scope"], data["postId"]) if "scope" in data else row["type"]] += 1
    wanted: Counter[Any] = Counter(history.model.events)
    wanted.update(history.told)
    assert told == wanted, (told - wanted, wanted - told)


async def _check_sums(history: History) -> None:
    """What is counted adds up: usage, statistics, members."""
    rows = await history.world.query(_COUNTED, history.owner.workspace_id)
    usage = (await history.call("GET", "/auth/usage", 200))["usage"]
    assert usage["posts"] == len(rows) + history.purged, (usage, len(rows), history.purged)
    assert usage["members"] == history.members, usage
    stats = await history.call("GET", "/posts/stats", 200)
    posts = history.model.posts.values()
    assert stats["total"] == sum(not post.trashed for post in posts), stats
    assert stats["trashed"] == sum(post.trashed for post in posts), stats
    ended = Counter(post.status() for post in posts if not post.trashed)
    assert {name: count for name, count in stats["byStatus"].items() if count} == ended, (stats, ended)
