"""Posts that repeat: one post for each wall time of the rule, exactly once, as long as the first one has the rule."""

import asyncio
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.helpers import media_files
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.posts import work
from signalpost.posts.many import repeat

DAILY = {"rrule": "FREQ=DAILY", "count": 5}


class Lease:
    """The lease of a job, as far as its handler uses it."""

    def __init__(self, context: AppContext) -> None:
        self.transaction = context.database.transaction


@pytest.fixture
async def owner(make: Make) -> Login:
    owner = await make.owner()
    await make.account(owner)
    return owner


def _soon(days: int = 1) -> str:
    return clock.wire((clock.now() + timedelta(days=days)).replace(microsecond=0))


async def run(context: AppContext) -> None:
    """Let the job do what is due."""
    lease: Any = Lease(context)
    while await work.repeat_posts(context, lease, {}):
        pass


async def become_due(context: AppContext, post: dict[str, Any]) -> None:
    """Let the time come at which the next repetition is created."""
    async with context.database.transaction() as db:
        await db.execute("update recurrence_series set look_at = now() where post_id = $1", _id(post))


def _id(post: dict[str, Any]) -> UUID:
    found = ids.decode("pst", post["id"])
    assert found is not None
    return found


async def children(api: Api, owner: Login, post: dict[str, Any]) -> list[dict[str, Any]]:
    """The repetitions of a post that are not in the trash, by their times."""
    listed = (await api.get("/posts", params={"limit": "100", "sort": "scheduledAt"}, key=owner.key)).json()["data"]
    return [entry for entry in listed if entry["recurrenceParentId"] == post["id"]]


async def test_each_repetition_is_created_when_the_one_before_is_due(
    api: Api, make: Make, context: AppContext, owner: Login
) -> None:
    first = (clock.now() + timedelta(days=1)).replace(microsecond=0)
    recurrence = {"rrule": "FREQ=DAILY;COUNT=3", "variations": ["Second", "Third"]}
    post = await make.post(owner, scheduledAt=clock.wire(first), recurrence=recurrence, tags=["spring"])
    await run(context)
    assert await children(api, owner, post) == []
    for _ in range(4):
        await become_due(context, post)
        await run(context)
    found = await children(api, owner, post)
    assert [(child["text"], child["scheduledAt"]) for child in found] == [
        ("Second", clock.wire(first + timedelta(days=1))), ("Third", clock.wire(first + timedelta(days=2))),
    ]  # fmt: skip
    assert {(child["source"], child["status"], child["publishMode"]) for child in found} == {
        ("recurrence", "scheduled", "schedule")
    }
    assert found[0]["tags"] == ["spring"]
    assert found[0]["createdBy"] == {"type": "system", "id": None, "name": "recurrence"}
    assert found[0]["recurrence"] is None
    async with context.database.connection() as db:
        assert await db.fetchval("select count(*) from recurrence_series where post_id = $1", _id(post)) == 0


async def test_a_repetition_is_cut_as_the_post_is(api: Api, make: Make, context: AppContext, owner: Login) -> None:
    uploaded = await api.post("/media/upload", files={"file": ("a.png", media_files.image("PNG"))}, key=owner.key)
    crops = {"sandbox": {"x": 0.25, "y": 0, "width": 0.5, "height": 1}}
    media = [{"mediaId": uploaded.json()["id"], "crops": crops}]
    post = await make.post(owner, scheduledAt=_soon(), recurrence=DAILY, media=media)
    await become_due(context, post)
    await run(context)
    [child] = await children(api, owner, post)
    assert child["media"] == post["media"]
    assert child["media"][0]["crops"] == crops


async def test_of_many_workers_one_creates_a_repetition(
    api: Api, make: Make, context: AppContext, owner: Login
) -> None:
    posts = [await make.post(owner, scheduledAt=_soon(), recurrence=DAILY) for _ in range(3)]
    for post in posts:
        await become_due(context, post)
    await asyncio.gather(*(run(context) for _ in range(5)))
    assert [len(await children(api, owner, post)) for post in posts] == [1, 1, 1]


async def test_what_is_killed_in_between_is_done_once(
    api: Api, make: Make, context: AppContext, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it dies before or after the post was written: both are in one transaction."""
    post = await make.post(owner, scheduledAt=_soon(), recurrence=DAILY)
    await become_due(context, post)
    for name in ("_claim", "create_batch"):
        with monkeypatch.context() as patch:
            patch.setattr(repeat, name, _dies_after(getattr(repeat, name)))
            with pytest.raises(Killed):
                await run(context)
        assert await children(api, owner, post) == []
    await run(context)
    assert len(await children(api, owner, post)) == 1
    async with context.database.transaction() as db:  # as if a worker had read the series before that
        await db.execute(
            "update recurrence_series set look_at = now(), last_local = last_local - interval '1 day'"
            " where post_id = $1", _id(post),
        )  # fmt: skip
    await run(context)
    assert len(await children(api, owner, post)) == 1


class Killed(BaseException):
    """The process is gone."""


def _dies_after(function: Any) -> Any:
    async def run_and_die(*arguments: Any) -> None:
        await function(*arguments)
        raise Killed

    return run_and_die


async def test_days_that_passed_while_nothing_ran_are_left_out(
    api: Api, make: Make, context: AppContext, owner: Login
) -> None:
    post = await make.post(owner, scheduledAt=_soon(), recurrence={"rrule": "FREQ=DAILY", "count": 30})
    past = clock.now() - timedelta(days=10, hours=1)
    async with context.database.transaction() as db:
        await db.execute("update post set scheduled_at = $2 where id = $1", _id(post), past)
        await db.execute(
            "update recurrence_series set last_local = $2 where post_id = $1", _id(post), past.replace(tzinfo=None)
        )
    await become_due(context, post)
    await run(context)
    [child] = await children(api, owner, post)
    assert clock.now() < datetime.fromisoformat(child["scheduledAt"]) < clock.now() + timedelta(days=1)


async def test_what_the_first_post_says_now_is_repeated(
    api: Api, make: Make, context: AppContext, owner: Login
) -> None:
    post = await make.post(owner, scheduledAt=_soon(), recurrence=DAILY)
    later = clock.wire((clock.now() + timedelta(days=3)).replace(microsecond=0))
    change = {"text": "Other words", "scheduledAt": later}
    changed = (await api.patch(f"/posts/{post['id']}", json=change, key=owner.key)).json()
    assert changed["recurrence"]["rrule"] == "FREQ=DAILY"
    await become_due(context, post)
    await run(context)
    [child] = await children(api, owner, post)
    assert child["text"] == "Other words"
    assert datetime.fromisoformat(child["scheduledAt"]) == datetime.fromisoformat(later) + timedelta(days=1)


async def _published(context: AppContext, post: dict[str, Any]) -> None:
    """The first post was published, and the next one waits."""
    async with context.database.transaction() as db:
        await db.execute(
            "update target set status = 'published', next_attempt_at = null, started_at = now(), published_at = now(),"
            " remote_id = '1' where post_id = $1", _id(post),
        )  # fmt: skip
        await db.execute("update post set status = 'published', published_at = now() where id = $1", _id(post))
    await become_due(context, post)
    await run(context)


@pytest.mark.parametrize("end", ["trash", "null"])
async def test_a_series_that_is_ended_takes_what_waits_of_it_along(
    api: Api, make: Make, context: AppContext, owner: Login, end: str
) -> None:
    post = await make.post(owner, scheduledAt=_soon(), recurrence=DAILY)
    await _published(context, post)
    assert len(await children(api, owner, post)) == 1
    path = f"/posts/{post['id']}"
    if end == "trash":
        answer = await api.delete(path, key=owner.key)
    else:
        answer = await api.patch(path, json={"recurrence": None}, key=owner.key)
        assert answer.json()["recurrence"] is None
    assert answer.status_code == 200
    await run(context)
    assert await children(api, owner, post) == []
    if end == "trash":
        restored = await api.post(f"{path}/restore", key=owner.key)
        assert restored.status_code == 201
        await become_due(context, post)
        await run(context)
        assert len(await children(api, owner, post)) == 1


async def test_a_new_rule_holds_from_the_next_post_on(api: Api, make: Make, context: AppContext, owner: Login) -> None:
    first = (clock.now() + timedelta(days=1)).replace(microsecond=0)
    post = await make.post(owner, scheduledAt=clock.wire(first), recurrence=DAILY)
    await _published(context, post)
    weekly = {"rrule": "FREQ=WEEKLY", "count": 4}
    changed = await api.patch(f"/posts/{post['id']}", json={"recurrence": weekly}, key=owner.key)
    assert (changed.status_code, changed.json()["status"]) == (200, "published")
    await become_due(context, post)
    await run(context)
    [child] = await children(api, owner, post)
    assert datetime.fromisoformat(child["scheduledAt"]) == first + timedelta(days=7)
    refused = await api.patch(f"/posts/{post['id']}", json={"recurrence": weekly, "text": "x"}, key=owner.key)
    assert refused.json()["code"] == "invalid_state"


async def test_a_repetition_is_a_post_like_any_other(api: Api, make: Make, context: AppContext, owner: Login) -> None:
    """Changed, moved or trashed, it is not created again, and the series goes on."""
    post = await make.post(owner, scheduledAt=_soon(), recurrence=DAILY)
    await become_due(context, post)
    await run(context)
    [child] = await children(api, owner, post)
    changed = await api.patch(f"/posts/{child['id']}", json={"text": "Today only"}, key=owner.key)
    assert changed.status_code == 200
    assert (await api.delete(f"/posts/{child['id']}", key=owner.key)).status_code == 200
    await run(context)
    assert await children(api, owner, post) == []
    await become_due(context, post)
    await run(context)
    [following] = await children(api, owner, post)
    assert following["scheduledAt"] > child["scheduledAt"]
    assert following["text"] == post["text"]


async def test_a_cancelled_post_does_not_repeat_until_it_is_submitted(
    api: Api, make: Make, context: AppContext, owner: Login
) -> None:
    post = await make.post(owner, scheduledAt=_soon(), recurrence=DAILY)
    assert (await api.delete(f"/queue/cancel/{post['id']}", key=owner.key)).status_code == 200
    await become_due(context, post)
    await run(context)
    assert await children(api, owner, post) == []
    assert (await api.post(f"/queue/submit/{post['id']}", key=owner.key)).status_code == 201
    await become_due(context, post)
    await run(context)
    assert len(await children(api, owner, post)) == 1


async def test_a_repetition_that_cannot_be_created_is_left_out_and_the_log_says_why(
    api: Api, make: Make, context: AppContext, owner: Login
) -> None:
    """Its account was disconnected when the next one was due; it is connected again for the one after."""
    post = await make.post(owner, scheduledAt=_soon(), recurrence=DAILY)
    account = post["targets"][0]
    await api.delete(f"/platforms/accounts/{account['accountId']}", key=owner.key)
    await become_due(context, post)
    await run(context)
    assert await children(api, owner, post) == []
    log = (await api.get(f"/posts/{post['id']}/audit", key=owner.key)).json()["data"]
    assert log[0]["action"] == "recurrence_failed"
    assert "validation_failed" in log[0]["changes"][0]["to"]
    await make.account(owner, username=account["username"])
    await become_due(context, post)
    await run(context)
    assert len(await children(api, owner, post)) == 1


async def test_variations_are_checked_with_the_post(api: Api, owner: Login) -> None:
    recurrence = DAILY | {"variations": ["Fine", "x" * 60_000]}
    body = {"profileId": owner.profile, "text": "Hi", "platforms": ["sandbox"], "scheduledAt": _soon()}
    refused = await api.post("/posts", json=body | {"recurrence": recurrence}, key=owner.key)
    assert refused.json()["code"] == "preflight_failed"
    assert {issue["path"] for issue in refused.json()["errors"]} == {"/recurrence/variations/1"}


async def test_an_approval_of_the_first_post_is_one_of_all(
    api: Api, make: Make, context: AppContext, owner: Login
) -> None:
    await api.patch(f"/profiles/{owner.profile}", json={"approvalRequired": True}, key=owner.key)
    editor = await make.member(owner, role="editor")
    post = await make.post(owner, key=editor.key, scheduledAt=_soon(), recurrence=DAILY)
    assert post["approval"]["state"] == "pending"
    await become_due(context, post)
    await run(context)
    assert await children(api, owner, post) == []
    assert (await api.post(f"/posts/{post['id']}/approve", key=owner.key)).status_code == 200
    await become_due(context, post)
    await run(context)
    [child] = await children(api, owner, post)
    assert (child["approval"]["state"], child["held"]) == ("approved", False)


async def test_a_draft_keeps_its_rule_until_it_is_scheduled(
    api: Api, make: Make, context: AppContext, owner: Login
) -> None:
    draft = await make.draft(owner, platforms=["sandbox"], recurrence=DAILY)
    assert draft["recurrence"]["count"] == 5
    scheduled = await api.post("/posts/auto-schedule", json={"postIds": [draft["id"]]}, key=owner.key)
    assert len(scheduled.json()["scheduled"]) == 1
    await become_due(context, draft)
    await run(context)
    assert len(await children(api, owner, draft)) == 1


_POISON = """
create function refuse_poison() returns trigger language plpgsql as $$
begin
    if new.source = 'recurrence' and new.text = 'poison' then
        raise exception 'poison';
    end if;
    return new;
end $$;
create trigger refuse_poison before insert on post for each row execute function refuse_poison();
"""


async def test_a_series_that_fails_holds_up_no_other(
    api: Api, make: Make, context: AppContext, owner: Login, database: Database
) -> None:
    """Something unforeseen happens with the one that is due first: it is tried again minutes later."""
    broken, sound = [
        await make.post(owner, text=text, scheduledAt=_soon(), recurrence=DAILY, utm={"source": "series"})
        for text in ("poison", "Hello")
    ]
    async with database.connection() as db:
        await db.execute(_POISON)
        try:
            for post in (broken, sound):
                await become_due(context, post)
            await run(context)
        finally:
            await db.execute("drop function refuse_poison cascade")
        later = await db.fetchval("select look_at > now() from recurrence_series where post_id = $1", _id(broken))
    assert later
    assert await children(api, owner, broken) == []
    [child] = await children(api, owner, sound)
    assert child["utm"]["source"] == "series"
    await become_due(context, broken)
    await run(context)
    assert len(await children(api, owner, broken)) == 1
