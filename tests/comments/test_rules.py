"""Rules for new comments: what they meet, what they do once, for whom they act, and what they would have done."""

from datetime import timedelta
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.comments import Commented, job, serve
from tests.helpers.factories import Login, Make

from signalpost.comments.actions import hide, preview, store
from signalpost.comments.actions import rule as rule_actions
from signalpost.comments.matching import Matcher
from signalpost.conformance.harness import Killed
from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.kit.http import NotSent


class Hidden:
    """What a network was asked to hide; at some comments it fails."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.failures: dict[str, Exception] = {}

    async def hide(self, _session: Any, remote_id: str, _reference: Any, hidden: bool) -> None:
        self.calls.append(remote_id)
        assert hidden
        if remote_id in self.failures:
            raise self.failures[remote_id]


@pytest.fixture
def hidden() -> Hidden:
    return Hidden()


@pytest.fixture
async def post(post: Commented, hidden: Hidden, monkeypatch: pytest.MonkeyPatch) -> Commented:
    """A published post at a network that hides comments."""
    serve(monkeypatch, post, hide_comment=hidden.hide)
    return post


async def rule(post: Commented, key: str | None = None, **fields: Any) -> dict[str, Any]:
    answer = await post.api.post("/comment-rules", json={"name": "Rule"} | fields, key=key or post.owner.key)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def uses(post: Commented, **query: Any) -> list[dict[str, Any]]:
    answer = await post.api.get("/comment-rules/uses", params=query, key=post.owner.key)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["data"]
    return found


async def hide_all(post: Commented) -> Any:
    lease: Any = post.lease
    return await hide.hide_some(post.context, lease, post.account_id)


async def by_author(post: Commented) -> dict[str, dict[str, Any]]:
    return {comment["author"]["handle"]: comment for comment in await post.list()}


MEETS = [
    ("casino", "Best CASINO in town!", True),
    ("win", "A glass of wine", False),
    ("free followers", "Get free\n  FOLLOWERS now", True),
    ("free followers", "free of charge, for all followers", False),
    ("straße", "In der STRASSE", True),
    ("casino", "\U0001d402\U0001d41a\U0001d42c\U0001d422\U0001d427\U0001d428 bonus", True),  # bold letters of Unicode
    ("casino", "ca\u200bsi\u200bno", True),
    ("c++", "I know C++ well", True),
    ("#ad", "this is an #AD", True),
    ("無料", "今すぐ無料で試す", True),
    ("가격", "가격이 얼마예요?", True),
    ("🎰", "win🎰win", True),
    ("café", "cafe\u0301 au lait", True),
    ("schon", "schön", False),
]


@pytest.mark.parametrize(("word", "text", "is_met"), MEETS)
def test_words_are_compared_as_people_read_them(word: str, text: str, is_met: bool) -> None:
    condition: Any = SimpleNamespace(words=["other", word], authors=[], on_profiles=None, platforms=None)
    comment: Any = SimpleNamespace(profile_id=None, platform="x", author_handle=None, author_name="Ada", text=text)
    assert bool(Matcher([condition]).rules_for(comment)) is is_met


async def test_a_rule_is_made_changed_switched_off_and_deleted(post: Commented, api: Api) -> None:
    made = await rule(post, words=["casino"], tags=["spam", "spam"])
    assert (made["enabled"], made["held"], made["tags"], made["profileIds"]) == (True, False, ["spam"], None)
    path = f"/comment-rules/{made['id']}"
    off = await api.patch(path, json={"enabled": False, "name": "Off"}, key=post.owner.key)
    assert (off.json()["name"], off.json()["enabled"], off.json()["words"]) == ("Off", False, ["casino"])
    post.wall.add("ada", text="casino")
    await post.collect()
    assert await uses(post) == []
    assert (await api.delete(path, key=post.owner.key)).status_code == 204
    assert (await api.get("/comment-rules", key=post.owner.key)).json()["data"] == []


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"tags": ["x"]}, "/words"),
        ({"words": ["x"]}, "/tags"),
        ({"words": ["x", "\u200b"], "tags": ["x"]}, "/words/1"),
        ({"words": ["x"], "tags": ["x"], "platforms": ["nowhere"]}, "/platforms/0"),
        ({"words": ["x"], "tags": ["x"], "profileIds": [ids.example("prof")]}, "/profileIds/0"),
        ({"words": ["x"], "assigneeId": ids.example("mem")}, "/assigneeId"),
    ],
)
async def test_a_rule_without_a_condition_or_an_effect_is_refused(
    post: Commented, api: Api, fields: dict[str, Any], path: str
) -> None:
    for address in ("/comment-rules", "/comment-rules/preview"):
        answer = await api.post(address, json={"name": "Rule"} | fields, key=post.owner.key)
        assert answer.status_code == 422, answer.text
        assert [issue["path"] for issue in answer.json()["errors"]] == [path]


async def test_new_comments_are_tagged_assigned_and_done_once(post: Commented, api: Api, owner: Login) -> None:
    """Two rules meet: tags of both, and the older one assigns. An edit, or what the account writes, meets none."""
    team = (await api.get("/team", key=owner.key)).json()["data"]
    first = await rule(post, words=["price"], tags=["question"], assigneeId=team[0]["id"])
    second = await rule(post, authors=["@Ada"], tags=["regular"], done=True)
    ada = post.wall.add("ada", text="What is the price?")
    bob = post.wall.add("bob", text="hello")
    post.wall.add("own", text="The price is 5", is_own=True)
    for _ in range(2):
        await post.collect()
    post.wall.change(bob, text="What is the price?")
    await post.collect()
    found = await by_author(post)
    assert (found["ada"]["tags"], found["ada"]["state"]) == (["question", "regular"], "done")
    assert found["ada"]["assignee"]["memberId"] == team[0]["id"]
    assert (found["bob"]["tags"], found["bob"]["state"], found["bob"]["assignee"]) == ([], "open", None)
    log = await uses(post)
    assert [(use["ruleId"], use["actions"], use["hiding"], use["error"]) for use in log] == [
        (second["id"], ["tag", "done"], None, None),
        (first["id"], ["assign", "tag"], None, None),
    ]
    assert {use["commentId"] for use in log} == {found["ada"]["id"]}
    assert [use["ruleId"] for use in await uses(post, ruleId=first["id"])] == [first["id"]]
    assert len(await uses(post, commentId=found["ada"]["id"])) == 2
    assert await uses(post, commentId=found["bob"]["id"]) == []
    page = (await api.get("/comment-rules/uses", params={"limit": 1}, key=owner.key)).json()
    rest = (await api.get("/comment-rules/uses", params={"cursor": page["nextCursor"]}, key=owner.key)).json()
    assert [use["id"] for use in page["data"] + rest["data"]] == [use["id"] for use in log]
    assert ada.remote_id == found["ada"]["platformCommentId"]


async def test_a_rule_is_only_for_the_profiles_and_networks_that_it_names(
    post: Commented, api: Api, owner: Login
) -> None:
    other = (await api.post("/profiles", json={"name": "Other"}, key=owner.key)).json()["id"]
    await rule(post, words=["hello"], tags=["elsewhere"], profileIds=[other])
    await rule(post, words=["hello"], tags=["blue"], platforms=["bluesky"])
    await rule(post, words=["hello"], tags=["here"], platforms=["sandbox"], profileIds=[owner.profile, other])
    post.wall.add("ada", text="hello")
    await post.collect()
    assert (await by_author(post))["ada"]["tags"] == ["here"]


async def test_a_comment_is_hidden_once_however_many_rules_want_it(
    post: Commented, hidden: Hidden, database: Database
) -> None:
    await rule(post, words=["casino"], hide=True)
    await rule(post, authors=["ada"], hide=True, tags=["spam"])
    ada = post.wall.add("ada", text="casino")
    await post.collect()
    assert [use["hiding"] for use in await uses(post)] == ["pending", "pending"]
    async with database.connection() as db:
        assert (
            await db.fetchval("select count(*) from job where unique_key = $1", f"{hide.HIDE}/{post.account_id}") == 1
        )
    lease: Any = post.lease
    for _ in range(2):
        assert await job(post.context, hide.HIDE)(lease, {"account_id": str(post.account_id)}) is None
    assert hidden.calls == [ada.remote_id]
    assert [(use["hiding"], use["actions"]) for use in await uses(post)] == [
        ("done", ["tag", "hide"]), ("done", ["hide"]),
    ]  # fmt: skip
    assert (await by_author(post))["ada"]["hidden"] is True


async def test_what_is_hidden_by_hand_is_not_hidden_again(post: Commented, api: Api, hidden: Hidden) -> None:
    await rule(post, words=["casino"], hide=True)
    post.wall.add("ada", text="casino")
    await post.collect()
    [comment] = await post.list()
    assert (await api.post(f"/comments/{comment['id']}/hide", key=post.owner.key)).status_code == 200
    await hide_all(post)
    assert len(hidden.calls) == 1
    assert [use["hiding"] for use in await uses(post)] == ["done"]


async def test_a_network_that_cannot_hide_is_said_in_the_log(post: Commented, monkeypatch: pytest.MonkeyPatch) -> None:
    serve(monkeypatch, post, hide_comment=None)
    await rule(post, words=["casino"], hide=True)
    post.wall.add("ada", text="casino")
    await post.collect()
    assert await hide_all(post) is None
    [use] = await uses(post)
    assert (use["hiding"], use["error"]["code"], use["actions"]) == ("failed", "comment_action_unavailable", [])
    assert "cannot hide" in use["error"]["message"]


async def passed(database: Database, account_id: Any) -> None:
    """Let the time pass until what failed is tried again."""
    async with database.transaction() as db:
        query = "update comment_rule_use set retry_at = now() where account_id = $1 and retry_at is not null"
        await db.execute(query, account_id)


FAILURES = {
    "refuses": (NotSent("the connection was refused", stage="connect"), "platform_error"),
    "breaks": (ValueError("a fault of the connector"), "internal_error"),
}


@pytest.mark.parametrize("failure", FAILURES)
async def test_a_comment_at_which_the_network_fails_waits_alone_longer_each_time_and_is_given_up(
    post: Commented, hidden: Hidden, database: Database, failure: str
) -> None:
    error, code = FAILURES[failure]
    await rule(post, words=["casino"], hide=True)
    eve = post.wall.add("eve", text="casino", posted_at=clock.actual() - timedelta(minutes=3))
    others = [post.wall.add(name, text="casino") for name in ("ada", "bob")]
    await post.collect()
    hidden.failures[eve.remote_id] = error

    for attempt, retry in enumerate(hide.RETRIES, start=1):
        again = await hide_all(post)
        assert hide.PAUSE_SECONDS <= again.after_seconds <= retry.total_seconds()
        assert again.after_seconds > retry.total_seconds() / 2 or retry.total_seconds() < 2 * hide.PAUSE_SECONDS
        assert hidden.calls.count(eve.remote_id) == attempt
        assert {comment.remote_id for comment in others} < set(hidden.calls), "the others are hidden at once"
        early = await hide_all(post)
        assert (early.after_seconds > 0, hidden.calls.count(eve.remote_id)) == (True, attempt), "not before its time"
        await passed(database, post.account_id)
    assert await hide_all(post) is None
    found = {use["hiding"]: use["error"] for use in await uses(post)}
    assert (found["failed"]["code"], found["done"]) == (code, None)
    assert len(hidden.calls) == len(others) + len(hide.RETRIES) + 1


async def test_a_new_comment_does_not_wait_for_one_that_failed(
    post: Commented, hidden: Hidden, database: Database
) -> None:
    await rule(post, words=["casino"], hide=True)
    eve = post.wall.add("eve", text="casino")
    await post.collect()
    hidden.failures[eve.remote_id] = FAILURES["refuses"][0]
    await hide_all(post)
    waiting = "update job set next_attempt_at = now() + interval '5 minutes' where unique_key = $1 returning id"
    due = "select next_attempt_at <= now() from job where unique_key = $1"
    key = f"{hide.HIDE}/{post.account_id}"
    async with database.transaction() as db:
        assert await db.fetchval(waiting, key), "the job waits for what failed, as the engine has it wait"
    bob = post.wall.add("bob", text="casino")
    await post.collect()
    async with database.connection() as db:
        assert await db.fetchval(due, key)
    await hide_all(post)
    assert hidden.calls == [eve.remote_id, bob.remote_id]


async def test_a_network_that_hangs_costs_a_run_one_call(
    post: Commented, hidden: Hidden, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The workspace's other accounts wait for no longer than that; what is left is tried after a pause, in its turn."""
    monkeypatch.setattr(hide, "BEGIN_SECONDS_MAX", 0.0)
    await rule(post, words=["casino"], hide=True)
    written = [post.wall.add(name, text="casino") for name in ("ada", "bob")]
    await post.collect()
    for comment in written:
        hidden.failures[comment.remote_id] = FAILURES["refuses"][0]
    monkeypatch.setattr(hide, "clock", SimpleNamespace(monotonic=count().__next__))  # a second for each comment
    assert (await hide_all(post)).after_seconds == hide.PAUSE_SECONDS
    assert hidden.calls == []
    monkeypatch.setattr(hide, "BEGIN_SECONDS_MAX", 1.0)
    for tried in (1, 2):
        again = await hide_all(post)
        assert len(set(hidden.calls)) == len(hidden.calls) == tried
    assert again.after_seconds > 0


@pytest.mark.parametrize("step", ["rule-before-hide", "rule-after-hide"])
async def test_a_kill_while_hiding_leaves_nothing_undone(
    post: Commented, hidden: Hidden, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    await rule(post, words=["casino"], hide=True)
    post.wall.add("ada", text="casino")
    await post.collect()

    def die(name: str) -> None:
        if name == step:
            raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(hide, "failpoint", die)
        with pytest.raises(Killed):
            await hide_all(post)
    await hide_all(post)
    assert [use["hiding"] for use in await uses(post)] == ["done"]
    assert len(hidden.calls) == 1


async def test_a_kill_while_comments_are_stored_leaves_all_or_nothing(
    post: Commented, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a rule does stands in the transaction that stores the comment."""
    await rule(post, words=["casino"], tags=["spam"])
    post.wall.add("ada", text="casino")

    async def die(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(store, "_emit", die)
        with pytest.raises(Killed):
            await post.collect()
    assert (await post.list(), await uses(post)) == ([], [])
    await post.collect()
    assert [comment["tags"] for comment in await post.list()] == [["spam"]]
    assert len(await uses(post)) == 1


async def test_a_rule_stops_when_its_maker_leaves_and_goes_on_with_who_enables_it(
    post: Commented, api: Api, make: Make, owner: Login
) -> None:
    editor = await make.member(owner, role="editor")
    made = await rule(post, key=editor.key, words=["casino"], tags=["spam"])
    assert made["createdBy"]["name"] is not None
    team = (await api.get("/team", key=owner.key)).json()["data"]
    [member] = [each["id"] for each in team if each["email"] == editor.email]
    assert (await api.patch(f"/team/{member}", json={"role": "viewer"}, key=owner.key)).status_code == 200
    post.wall.add("ada", text="casino")
    await post.collect()
    assert await uses(post) == []
    [held] = (await api.get("/comment-rules", key=owner.key)).json()["data"]
    assert (held["enabled"], held["held"]) == (False, True)

    enabled = await api.patch(f"/comment-rules/{made['id']}", json={"enabled": True}, key=owner.key)
    assert (enabled.json()["enabled"], enabled.json()["held"]) == (True, False)
    post.wall.add("bob", text="casino")
    await post.collect()
    assert len(await uses(post)) == 1
    assert (await api.delete(f"/team/{member}", key=owner.key)).status_code == 204
    assert (await api.get("/comment-rules", key=owner.key)).json()["data"][0]["enabled"] is True


async def test_what_waits_to_be_hidden_is_left_when_the_maker_leaves(
    post: Commented, api: Api, make: Make, owner: Login, hidden: Hidden
) -> None:
    editor = await make.member(owner, role="editor")
    await rule(post, key=editor.key, words=["casino"], hide=True)
    post.wall.add("ada", text="casino")
    await post.collect()
    team = (await api.get("/team", key=owner.key)).json()["data"]
    [member] = [each["id"] for each in team if each["email"] == editor.email]
    assert (await api.delete(f"/team/{member}", key=owner.key)).status_code == 204
    await hide_all(post)
    [use] = await uses(post)
    assert (use["hiding"], use["error"]["code"], hidden.calls) == ("failed", "rule_ended", [])


async def test_who_may_not_hide_makes_no_rule_that_hides_and_who_sees_a_client_none_for_others(
    post: Commented, api: Api, make: Make, owner: Login
) -> None:
    contributor = await make.member(owner, role="contributor")
    body = {"name": "Rule", "words": ["x"], "hide": True}
    assert (await api.post("/comment-rules", json=body, key=contributor.key)).status_code == 403
    other = (await api.post("/profiles", json={"name": "Other"}, key=owner.key)).json()["id"]
    limited = await make.member(owner, role="editor", profile_ids=[owner.profile])
    body = {"name": "Rule", "words": ["x"], "tags": ["x"]}
    for profiles, status in ((None, 403), ([other], 422), ([owner.profile, other], 422), ([owner.profile], 201)):
        answer = await api.post("/comment-rules", json=body | {"profileIds": profiles}, key=limited.key)
        assert answer.status_code == status, answer.text
    everywhere = await rule(post, words=["y"], tags=["y"])
    elsewhere = await rule(post, words=["y"], tags=["y"], profileIds=[other])
    both = await rule(post, words=["y"], tags=["y"], profileIds=[owner.profile, other])
    codes = [
        (await api.delete(f"/comment-rules/{each['id']}", key=limited.key)).status_code
        for each in (everywhere, elsewhere, both)
    ]
    assert codes == [403, 404, 403]
    listed = (await api.get("/comment-rules", params={"profileId": other}, key=owner.key)).json()["data"]
    assert {each["id"] for each in listed} == {everywhere["id"], elsewhere["id"], both["id"]}


async def test_a_test_key_sees_no_rules_and_test_comments_meet_none(
    context: AppContext, api: Api, make: Make, owner: Login
) -> None:
    post = await Commented(context, api, owner).publish(make, "[[comments:1]]", key=owner.test_key)
    await rule(post, authors=["Visitor 1", "visitor1"], words=[], tags=["x"])
    await rule(post, words=["sandbox", "visitor", "comment", "hello", "this", "is"], tags=["x"])
    await post.collect()
    assert [comment["tags"] for comment in await post.list(owner.test_key)] == [[]]
    assert (await api.get("/comment-rules", key=owner.test_key)).json()["data"] == []
    assert (await api.get("/comment-rules/uses", key=owner.test_key)).json()["data"] == []


async def test_a_preview_says_what_a_rule_would_have_met_and_how_far_it_looked(
    post: Commented, api: Api, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        post.wall.add(f"bot{number}", text="casino" if number in (0, 3, 5) else "hello")
    await post.collect()
    async with database.transaction() as db:
        await db.execute(
            "update comment set created_at = now() - interval '31 days' where target_id = $1 and author_id = 'bot0'",
            post.target_id,
        )
    body = {"name": "Rule", "words": ["Casino"], "hide": True}

    async def ask() -> dict[str, Any]:
        answer = await api.post("/comment-rules/preview", json=body, key=post.owner.key)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    whole = await ask()
    assert (whole["matched"], whole["lookedAt"], whole["complete"]) == (2, 5, True)
    assert [comment["author"]["handle"] for comment in whole["comments"]] == ["bot5", "bot3"]
    monkeypatch.setattr(preview, "LOOKED_AT", 2)
    monkeypatch.setattr(preview, "STEP", 1)
    part = await ask()
    assert (part["matched"], part["lookedAt"], part["complete"]) == (1, 2, False)
    assert part["since"] > whole["since"]
    assert await uses(post) == []
    assert (await api.get("/comment-rules", key=post.owner.key)).json()["data"] == []


async def test_a_workspace_has_so_many(post: Commented, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_actions, "RULES_MAX", 1)
    body = {"name": "Rule", "words": ["x"], "tags": ["x"]}
    answers = [await api.post("/comment-rules", json=body, key=post.owner.key) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 422]
    assert answers[1].json()["code"] == "too_many_items"


async def test_the_log_goes_with_the_comment(post: Commented, database: Database) -> None:
    await rule(post, words=["hello"], tags=["x"])
    post.wall.add("ada", text="hello")
    await post.collect()
    assert len(await uses(post)) == 1
    async with database.transaction() as db:
        await db.execute("delete from comment where target_id = $1", post.target_id)
    assert await uses(post) == []


async def test_publishing_goes_before_hiding(
    post: Commented, make: Make, owner: Login, hidden: Hidden, database: Database
) -> None:
    await rule(post, words=["casino"], hide=True)
    post.wall.add("ada", text="casino")
    await post.collect()
    due = await make.post(owner, scheduledAt=(clock.actual() + timedelta(days=1)).isoformat())
    async with database.transaction() as db:
        await db.execute(
            "update target set next_attempt_at = now() + interval '20 seconds' where id = $1",
            ids.decode("tgt", due["targets"][0]["id"]),
        )
    again = await hide_all(post)
    assert (again.after_seconds, hidden.calls) == (hide.PAUSE_SECONDS, [])
