import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.posts.test_update import set_status, set_target, soon

from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.posts.find import listing
from signalpost.web import paging


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="first")
    return login


async def listed(api: Api, owner: Login, query: str = "", key: str | None = None) -> list[str]:
    response = await api.get(f"/posts?{query}", key=key or owner.key)
    assert response.status_code == 200, response.text
    return [post["id"] for post in response.json()["data"]]


async def test_pages_cover_everything_once_newest_first(api: Api, make: Make, owner: Login) -> None:
    made = [(await make.post(owner, draft=True))["id"] for _ in range(5)]
    seen: list[str] = []
    cursor = ""
    for size in (2, 2, 1):
        page = (await api.get(f"/posts?limit=2&cursor={cursor}", key=owner.key)).json()
        assert len(page["data"]) == size
        seen += [post["id"] for post in page["data"]]
        cursor = page["nextCursor"]
    assert seen == made[::-1]
    assert (cursor, page["hasMore"]) == (None, False)


async def test_a_page_is_bounded_in_bytes_too(
    api: Api, make: Make, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page ends before the post that would make it too long; a post that is too long by itself is a page."""
    texts = ["small", "small", "x" * 20_000, "small", "small", "small", "small"]
    made = [(await make.post(owner, draft=True, text=text))["id"] for text in texts]
    size = len((await api.get(f"/posts/{made[0]}", key=owner.key)).content)
    monkeypatch.setattr(paging, "PAGE_BYTES_MAX", 3 * size + 100)
    pages: list[list[str]] = []
    cursor = ""
    while cursor is not None:
        page = (await api.get(f"/posts?sort=createdAt&cursor={cursor}", key=owner.key)).json()
        pages.append([post["id"] for post in page["data"]])
        cursor = page["nextCursor"]
        assert page["hasMore"] == (cursor is not None)
    assert pages == [made[:2], made[2:3], made[3:6], made[6:]]


_LONGEST = """
insert into post (id, workspace_id, profile_id, text, thread, timezone, status, publish_mode, created_by, source, mode,
    created_at)
select gen_random_uuid(), $1, $2, repeat('😀', 50000),
    json_build_array(json_build_object('text', repeat('\u0001', 50000), 'media', '[]'::json)), 'UTC', 'draft', 'draft',
    '{"type": "user", "id": null, "name": null}', 'api', 'live', now() - make_interval(mins => n)
from generate_series(1, 100) n
"""


async def test_a_full_page_of_the_longest_posts_ends_at_4_mb_with_its_cursor(
    api: Api, owner: Login, database: Database
) -> None:
    """It is no reason for 503: what follows comes with the next pages."""
    async with database.transaction() as db:
        await db.execute(_LONGEST, owner.workspace_id, ids.decode("prof", owner.profile))
    seen: list[str] = []
    cursor = ""
    for limit in (100, 20):
        answer = await api.get(f"/posts?limit={limit}&cursor={cursor}", key=owner.key)
        assert answer.status_code == 200, answer.text[:500]
        page = answer.json()
        size = len(answer.content)
        assert size <= paging.PAGE_BYTES_MAX + 1_000 < size + size // len(page["data"])  # one more would not fit
        assert page["hasMore"]
        seen += [post["id"] for post in page["data"]]
        cursor = page["nextCursor"]
    assert len(set(seen)) == len(seen)


async def test_a_list_that_takes_too_long_is_refused(
    api: Api, owner: Login, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody reads for longer than five seconds; the next request on the connection works."""
    with monkeypatch.context() as short:
        short.setattr(listing, "READ_SECONDS", 0.05)
        async with database.transaction() as db:
            await db.execute("lock table post in access exclusive mode")
            refused = await api.get("/posts?q=word", key=owner.key)
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
    assert await listed(api, owner) == []


@pytest.mark.parametrize("sort", ["createdAt", "-createdAt", "scheduledAt", "-scheduledAt"])
async def test_every_order_pages_without_gaps(api: Api, make: Make, owner: Login, sort: str) -> None:
    posts = [await make.post(owner, scheduledAt=soon(hours=hours)) for hours in (3, 1, 2)]
    key = sort.lstrip("-")
    expected = [post["id"] for post in sorted(posts, key=lambda post: post[key], reverse=sort.startswith("-"))]
    seen, cursor = [], ""
    while cursor is not None:
        page = (await api.get(f"/posts?limit=1&sort={sort}&cursor={cursor}", key=owner.key)).json()
        seen += [post["id"] for post in page["data"]]
        cursor = page["nextCursor"]
    assert seen == expected


async def test_filters_narrow_the_list(api: Api, make: Make, owner: Login) -> None:
    second = await make.account(owner, username="second")
    profile = await make.profile(owner)
    draft = await make.post(owner, draft=True, text="50% Off_er", tags=["sale"], externalId="e", title="Big NEWS")
    waiting = await make.post(owner, scheduledAt=soon(days=2), targets=[{"accountId": second["id"]}])
    bare = await make.post(owner, draft=True, profileId=profile["id"], platforms=None)

    for query, expected in {
        "status=draft": [bare, draft],
        "status=scheduled": [waiting],
        "platform=sandbox": [waiting, draft],
        "platform=twitter": [],
        f"accountId={second['id']}": [waiting, draft],
        "tag=sale": [draft],
        "tag=sal": [],
        "externalId=e": [draft],
        "q=0%25+off_": [draft],
        "q=news": [draft],
        "q=_ews": [],
        f"profileId={profile['id']}": [bare],
        f"from={soon(days=1)}": [waiting],
        f"to={soon(days=1)}": [bare, draft],
        f"from={soon(days=-1)[:19]}&to={soon(days=3)[:19]}": [bare, waiting, draft],
        "fanoutId=job_" + "0" * 26: [],
        "status=&q=": [bare, waiting, draft],
    }.items():
        assert await listed(api, owner, query) == [post["id"] for post in expected], query


async def test_a_schedule_whose_time_came_is_listed_as_queued(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    post = await make.post(owner, scheduledAt=soon(days=1))
    past = datetime.now(UTC) - timedelta(minutes=5)
    await set_target(database, post, due_at=past, next_attempt_at=past)
    async with database.transaction() as db:
        await db.execute("update post set scheduled_at = $2 where id = $1", ids.decode("pst", post["id"]), past)
    assert await listed(api, owner, "status=queued") == [post["id"]]
    assert await listed(api, owner, "status=scheduled") == []


@pytest.mark.parametrize(
    ("query", "status", "path"),
    [
        ("profileId=x", 404, "profileId"),
        ("accountId=prof_" + "0" * 26, 404, "accountId"),
        ("status=done", 422, "status"),
        ("platform=myspace", 422, "platform"),
        ("from=yesterday", 422, "from"),
        ("sort=text", 422, "sort"),
        ("limit=101", 422, "limit"),
        ("color=red", 422, "color"),
        ("q=" + "x" * 201, 422, "q"),
        ("q=%00", 422, "q"),
        ("q=%ff", 400, None),
        ("cursor=abc", 400, "cursor"),
        ("profileId=prof_" + "0" * 26, 404, "profileId"),
    ],
)
async def test_a_query_that_cannot_be_meant_is_refused(
    api: Api, owner: Login, query: str, status: int, path: str | None
) -> None:
    response = await api.get(f"/posts?{query}", key=owner.key)
    assert response.status_code == status
    if path is not None:
        assert response.json()["errors"][0]["path"] == path


async def test_a_cursor_fits_only_its_own_list(api: Api, make: Make, owner: Login) -> None:
    for _ in range(2):
        await make.post(owner, draft=True)
    cursor = (await api.get("/posts?limit=1", key=owner.key)).json()["nextCursor"]
    assert (await api.get(f"/posts?limit=1&status=draft&cursor={cursor}", key=owner.key)).status_code == 400


async def test_the_number_of_statements_does_not_grow_with_rows(
    api: Api, make: Make, owner: Login, statements: list[str]
) -> None:
    """One statement returns the posts and all of their targets."""
    await make.account(owner, username="second")
    for _ in range(2):
        for _ in range(3):
            await make.post(owner, draft=True)
        await api.get("/posts", key=owner.key)
        await asyncio.sleep(0)  # loggers are called in the loop's next round
        statements.clear()
        await api.get("/posts", key=owner.key)
        await asyncio.sleep(0)
        assert len(statements) == 1, statements


async def test_status_tells_how_far_each_target_is(api: Api, make: Make, owner: Login, database: Database) -> None:
    post = await make.post(owner)
    await set_target(database, post, status="published", url="https://x.test/1", delivery="live", next_attempt_at=None)
    await set_status(database, post, "published")
    progress = (await api.get(f"/posts/{post['id']}/status", key=owner.key)).json()
    assert (progress["postId"], progress["status"], progress["published"], progress["total"]) == (
        post["id"],
        "published",
        1,
        1,
    )
    assert progress["targets"][0]["url"] == "https://x.test/1"
    assert progress["approval"]["state"] == "not_required"


async def test_stats_count_posts_and_their_targets(api: Api, make: Make, owner: Login, database: Database) -> None:
    done, failed = await make.post(owner), await make.post(owner)
    await set_target(database, done, status="published", published_at=datetime.now(UTC), next_attempt_at=None)
    await set_status(database, done, "published")
    error = {"occurred_at": datetime.now(UTC).isoformat()}
    await set_target(database, failed, status="failed", next_attempt_at=None, error=error)
    await set_status(database, failed, "failed")
    upcoming = await make.post(owner, scheduledAt=soon(days=1))
    await api.delete(f"/posts/{(await make.post(owner))['id']}", key=owner.key)

    stats = (await api.get("/posts/stats", key=owner.key)).json()

    assert (stats["total"], stats["trashed"], stats["successRate"]) == (3, 1, 0.5)
    assert stats["byStatus"]["published"] == stats["byStatus"]["failed"] == stats["byStatus"]["scheduled"] == 1
    assert stats["byPlatform"] == {"sandbox": {"published": 1, "failed": 1}}
    assert len(stats["last7Days"]) == 7
    assert stats["last7Days"][-1] | {"date": ""} == {"date": "", "published": 1, "failed": 1}
    assert stats["next"]["postId"] == upcoming["id"]
    assert (await api.get("/posts/stats?profileId=prof_" + "0" * 26, key=owner.key)).status_code == 404
    empty = await make.profile(owner)
    none = (await api.get(f"/posts/stats?profileId={empty['id']}", key=owner.key)).json()
    assert (none["total"], none["successRate"], none["next"]) == (0, None, None)


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
async def test_posts_of_others_do_not_exist(api: Api, make: Make, owner: Login, method: str) -> None:
    post = await make.post(owner)
    stranger = await make.owner()
    body = {"json": {"text": "x"}} if method == "PATCH" else {}
    assert (await api.call(method, f"/posts/{post['id']}", key=stranger.key, **body)).status_code == 404
    for path in ("status", "audit"):
        assert (await api.get(f"/posts/{post['id']}/{path}", key=stranger.key)).status_code == 404
    for path in ("restore", "approve", "reject", "request-approval"):
        assert (await api.post(f"/posts/{post['id']}/{path}", key=stranger.key)).status_code == 404
    assert await listed(api, stranger) == []
    body = {"profileId": owner.profile, "text": "x", "draft": True}
    assert (await api.post("/posts", json=body, key=stranger.key)).status_code == 422


async def test_a_member_of_one_profile_sees_only_its_posts(api: Api, make: Make, owner: Login) -> None:
    profile = await make.profile(owner)
    hidden = await make.post(owner)
    shown = await make.post(owner, profileId=profile["id"], draft=True, platforms=None)
    editor = await make.member(owner, role="editor", profile_ids=[profile["id"]])

    assert await listed(api, editor) == [shown["id"]]
    assert (await api.get(f"/posts/{hidden['id']}", key=editor.key)).status_code == 404
    assert (await api.get(f"/posts?profileId={owner.profile}", key=editor.key)).status_code == 404
    assert (await api.get("/posts/stats", key=editor.key)).json()["total"] == 1
    body = {"profileId": owner.profile, "text": "x", "draft": True}
    assert (await api.post("/posts", json=body, key=editor.key)).json()["errors"][0]["path"] == "/profileId"


@pytest.mark.parametrize("sort", ["createdAt", "-createdAt", "scheduledAt", "-scheduledAt"])
@pytest.mark.parametrize("filtered", ["accountId", "platform"])
async def test_posts_of_an_account_are_found_wherever_they_stand(
    api: Api, make: Make, owner: Login, database: Database, monkeypatch: pytest.MonkeyPatch, sort: str, filtered: str
) -> None:
    """Among the next posts, and behind them: each page goes on where the one before ended."""
    monkeypatch.setattr(listing, "_NEXT_POSTS", 2)
    listing._statement.cache_clear()
    rare = await make.account(owner, username="rare")
    async with database.transaction() as db:
        await db.execute("update account set platform = 'tumblr' where id = $1", ids.decode("acc", rare["id"]))
    first = (await api.get("/platforms/accounts", key=owner.key)).json()["data"][-1]["id"]
    made = []
    for number in range(9):
        account = rare["id"] if number in (0, 1, 5, 8) else first
        made.append(await make.post(owner, draft=True, targets=[{"accountId": account}], text=str(number)))
    mine = [made[number]["id"] for number in (0, 1, 5, 8)]
    async with database.transaction() as db:
        change = (
            "update target t set platform = a.platform from account a where a.id = t.account_id and t.workspace_id = $1"
        )
        await db.execute(change, owner.workspace_id)
    query = f"accountId={rare['id']}" if filtered == "accountId" else "platform=tumblr"
    for limit in (1, 2, 3, 4):
        seen: list[str] = []
        cursor = ""
        while cursor is not None:
            page = (await api.get(f"/posts?{query}&sort={sort}&limit={limit}&cursor={cursor}", key=owner.key)).json()
            seen += [post["id"] for post in page["data"]]
            cursor = page["nextCursor"]
        assert seen == (mine[::-1] if sort.startswith("-") else mine)
    listing._statement.cache_clear()
