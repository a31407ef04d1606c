"""Corrections at a bad moment: what comes back from the trash, who wins a race, and which times posts show."""

import asyncio
import secrets
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.helpers import media_files
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.posts.test_update import soon

from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.kit.db import Database


@pytest.fixture
async def owner(make: Make) -> Login:
    return await make.owner()


async def upload(api: Api, key: str, profile: str | None = None) -> str:
    data = {} if profile is None else {"profileId": profile}
    files = {"file": ("a.png", media_files.image("PNG"))}
    response = await api.post("/media/upload", files=files, data=data, key=key)
    assert response.status_code == 201, response.text
    found: str = response.json()["id"]
    return found


@pytest.mark.parametrize("missing", ["account", "picture", "picture of a part", "profile", "reconnect"])
async def test_what_cannot_go_out_is_restored_as_a_draft(
    api: Api, make: Make, owner: Login, database: Database, missing: str
) -> None:
    profile = await make.profile(owner)
    account = await make.account(owner, profile=profile["id"])
    picture = await upload(api, owner.key)
    media = [{"mediaId": picture}]
    fields: dict[str, Any] = {"thread": [{"text": "2", "media": media}]} if "part" in missing else {"media": media}
    post = await make.post(owner, profileId=profile["id"], scheduledAt=soon(days=1), **fields)
    path = f"/posts/{post['id']}"
    assert (await api.delete(path, key=owner.key)).status_code == 200
    gone = {
        "account": f"/platforms/accounts/{account['id']}", "profile": f"/profiles/{profile['id']}",
        "picture": f"/media/{picture}", "picture of a part": f"/media/{picture}",
    }  # fmt: skip
    if missing in gone:
        assert (await api.delete(gone[missing], key=owner.key)).status_code in (200, 204)
    else:
        async with database.transaction() as db:
            await db.execute("update account set status = 'needs_reauth' where workspace_id = $1", owner.workspace_id)

    restored = (await api.post(f"{path}/restore", key=owner.key)).json()

    expected = {
        "account": [("account_disconnected", "/targets/0/accountId")],
        "reconnect": [("auth_expired", "/targets/0/accountId")],
        "picture": [("media_missing", "/media/0")], "picture of a part": [("media_missing", "/thread/0/media/0")],
        "profile": [("profile_missing", "/profileId"), ("account_disconnected", "/targets/0/accountId")],
    }[missing]  # fmt: skip
    assert (restored["status"], restored["held"]) == ("draft", False)
    assert [(warning["code"], warning["path"]) for warning in restored["warnings"]] == expected
    assert [target["nextAttemptAt"] for target in restored["targets"]] == [None]
    assert (await api.get(path, key=owner.key)).json() == restored


async def test_files_that_are_gone_are_named_in_the_order_of_the_post(api: Api, make: Make, owner: Login) -> None:
    pictures = [await upload(api, owner.key) for _ in range(6)]
    post = await make.draft(owner, media=[{"mediaId": picture} for picture in pictures])
    assert (await api.delete(f"/posts/{post['id']}", key=owner.key)).status_code == 200
    for picture in pictures:
        assert (await api.delete(f"/media/{picture}", key=owner.key)).status_code == 200

    restored = (await api.post(f"/posts/{post['id']}/restore", key=owner.key)).json()

    assert [warning["path"] for warning in restored["warnings"]] == [f"/media/{number}" for number in range(6)]


async def test_a_busy_account_is_disconnected_and_connected_again(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    """Posts keep coming for it meanwhile; each is refused, or waits no longer when the account is gone."""
    account = await make.account(owner, username="busy")
    path, going = f"/platforms/accounts/{account['id']}", True
    statuses: list[int] = []

    async def write() -> None:
        body = {"profileId": owner.profile, "targets": [{"accountId": account["id"]}], "scheduledAt": soon(days=1)}
        while going:
            response = await api.post("/posts", json=body | {"text": secrets.token_hex(8)}, key=owner.key)
            statuses.append(response.status_code)

    writers = [asyncio.create_task(write()) for _ in range(6)]
    for _ in range(4):
        while 201 not in statuses:
            await asyncio.sleep(0)
        assert (await api.delete(path, key=owner.key)).status_code == 200
        assert await _waiting(database, owner) == 0
        statuses.clear()
        connect = {"profileId": owner.profile, "fields": {"username": "busy"}}
        assert (await api.post("/platforms/sandbox/connect", json=connect, key=owner.key)).status_code == 201
    assert (await api.delete(path, key=owner.key)).status_code == 200
    going = False
    await asyncio.gather(*writers)
    assert set(statuses) <= {201, 422}
    assert await _waiting(database, owner) == 0
    async with database.connection() as db:
        codes = await db.fetch(
            "select distinct status, error ->> 'code' from target where workspace_id = $1", owner.workspace_id
        )
    assert [tuple(row) for row in codes] == [("failed", "account_disconnected")]


async def _waiting(database: Database, owner: Login) -> int:
    async with database.connection() as db:
        count: int = await db.fetchval(
            "select count(*) from target where workspace_id = $1 and next_attempt_at is not null", owner.workspace_id
        )
    return count


@pytest.mark.parametrize("how", ["create", "draft", "update"])
async def test_of_deleting_and_using_a_file_one_wins(api: Api, make: Make, owner: Login, how: str) -> None:
    await make.account(owner)
    outcomes = set()
    for round_ in range(12):
        media = await upload(api, owner.key)
        body = {"text": secrets.token_hex(8), "media": [{"mediaId": media}]}
        if how == "update":
            post = await make.post(owner, scheduledAt=soon(days=1))
            use = api.patch(f"/posts/{post['id']}", json=body, key=owner.key)
        else:
            more = {"profileId": owner.profile, "platforms": ["sandbox"], "draft": how == "draft"}
            use = api.post("/posts", json=body | more, key=owner.key)
        calls = [use, api.delete(f"/media/{media}", key=owner.key)]
        answers = await asyncio.gather(*(calls if round_ % 2 else calls[::-1]))
        used, deleted = answers if round_ % 2 else answers[::-1]
        pair = (used.status_code, deleted.status_code)
        assert pair in ((201 if how != "update" else 200, 409), (422, 200)), pair
        outcomes.add(pair)
    assert outcomes


_WAITS_FOR_LOCK = """
select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
"""


@pytest.mark.parametrize("delete_first", [True, False])
async def test_a_file_that_is_being_deleted_is_waited_for(
    api: Api, make: Make, owner: Login, database: Database, *, delete_first: bool
) -> None:
    """The other one waits for the transaction of the first one, and then sees what it did."""
    await make.account(owner)
    media = await upload(api, owner.key)
    delete = "update media set status = 'deleted', deleted_at = now() where id = $1"
    use = "select from media where id = $1 for share"
    body = {"profileId": owner.profile, "text": "x", "platforms": ["sandbox"], "media": [{"mediaId": media}]}
    async with database.transaction() as db:
        await db.execute(delete if delete_first else use, ids.decode("med", media))
        create, remove = "/posts", f"/media/{media}"
        second = api.post(create, json=body, key=owner.key) if delete_first else api.delete(remove, key=owner.key)
        waiting = asyncio.create_task(second)
        async with database.connection() as other:
            while not await other.fetchval(_WAITS_FOR_LOCK):
                await asyncio.sleep(0.01)
    answer = await waiting
    assert answer.status_code == (422 if delete_first else 200), answer.text
    if delete_first:
        assert [error["path"] for error in answer.json()["errors"]] == ["/media/0/mediaId"]


async def test_of_eight_editors_with_one_version_one_succeeds(api: Api, make: Make, owner: Login) -> None:
    await make.account(owner)
    for _ in range(3):
        post = await make.post(owner, scheduledAt=soon(days=1))
        path, if_match = f"/posts/{post['id']}", {"If-Match": '"1"'}
        bodies = [{"text": f"{n} {post['id']}"} for n in range(8)]
        answers = await asyncio.gather(
            *(api.patch(path, json=body, key=owner.key, headers=if_match) for body in bodies)
        )
        assert sorted(answer.status_code for answer in answers) == [200] + [412] * 7
        [won] = [answer.json() for answer in answers if answer.status_code == 200]
        assert (await api.get(f"/posts/{post['id']}", key=owner.key)).json()["text"] == won["text"]


async def test_a_test_clock_moves_the_duplicate_guard(api: Api, make: Make, owner: Login) -> None:
    """23 hours later it is a duplicate, 25 hours later it is not; a live post knows only the real time."""
    await make.account(owner)
    body = {"profileId": owner.profile, "text": "the same", "platforms": ["sandbox"]}
    now = datetime.now(UTC)

    async def create(hours: float | None, key: str = owner.test_key) -> int:
        headers = {} if hours is None else {"X-Test-Now": (now + timedelta(hours=hours)).isoformat()}
        return (await api.post("/posts", json=body, key=key, headers=headers)).status_code

    assert [await create(hours) for hours in (None, 23, 25, 48, 50)] == [201, 409, 201, 409, 201]
    assert [await create(None, owner.key) for _ in range(2)] == [201, 409]


async def test_a_key_of_one_profile_knows_no_files_of_other_keys(
    api: Api, make: Make, owner: Login, context: AppContext
) -> None:
    """Files of no profile belong to keys without limits, and to the key that uploaded them."""
    profile = (await make.profile(owner))["id"]
    profile_ids = [ids.decode("prof", profile)]
    one, two = [
        await make.login(owner.user_id, owner.workspace_id, owner.email, profile_ids=profile_ids) for _ in range(2)
    ]
    mine, others = await upload(api, one.key, None), [await upload(api, key) for key in (two.key, owner.key)]
    inside = await upload(api, owner.key, profile)

    listed = (await api.get("/media", key=one.key)).json()["data"]
    assert {media["id"] for media in listed} == {mine, inside}
    for other in others:
        body = {"profileId": profile, "text": "x", "draft": True, "media": [{"mediaId": other}]}
        for answer in (
            await api.get(f"/media/{other}", key=one.key),
            await api.patch(f"/media/{other}", json={"altText": "x"}, key=one.key),
            await api.delete(f"/media/{other}", key=one.key),
        ):
            assert answer.status_code == 404
        assert (await api.post("/posts", json=body, key=one.key)).status_code == 422
    assert {media["id"] for media in (await api.get("/media", key=owner.key)).json()["data"]} == {mine, inside, *others}
    assert (await api.delete(f"/media/{mine}", key=one.key)).status_code in (200, 204)


@pytest.mark.parametrize(
    "url", ["https://user:pw@example.com/x", "http://169.254.169.254/x", "https://[::1]/x.png", "ftp://example.com/x"]
)
async def test_forbidden_addresses_have_one_code(api: Api, owner: Login, url: str) -> None:
    post = {"profileId": owner.profile, "text": "x", "draft": True}
    for path, body, pointer in (
        ("/media/upload", {"url": url}, "/url"),
        ("/posts", post | {"mediaUrls": [url]}, "/mediaUrls/0"),
        ("/posts", post | {"media": [{"mediaUrl": url}]}, "/media/0/mediaUrl"),
        ("/posts/validate", post | {"mediaUrl": url}, "/mediaUrl"),
        ("/posts", post | {"thread": [{"text": "y", "media": [{"mediaUrl": url}]}]}, "/thread/0/media/0/mediaUrl"),
    ):
        answer = await api.post(path, json=body, key=owner.key)
        problem = answer.json()
        assert (answer.status_code, problem["code"]) == (422, "unsafe_url"), (path, problem)
        assert [(error["path"], error["code"]) for error in problem["errors"]] == [(pointer, "unsafe_url")]


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("localtime", None), ("posixrules", None), ("Factory", None), ("posix/Europe/Berlin", "Europe/Berlin"),
        ("right/UTC", None), ("europe/berlin", "Europe/Berlin"), ("Europe/Berln", "Europe/Berlin"), ("tzdata.zi", None),
    ],
)  # fmt: skip
async def test_only_names_of_the_zone_database_are_zones(
    api: Api, make: Make, owner: Login, name: str, nearest: str | None
) -> None:
    """One finding for the zone, beside the others; the nearest name is offered."""
    body = {"profileId": owner.profile, "platforms": ["bluesky"], "timezone": name, "scheduledAt": "2026-12-24T10:00"}
    post = (await api.post("/posts", json=body, key=owner.key)).json()
    assert {error["path"] for error in post["errors"]} >= {"/timezone", "/platforms/0"}
    profile = (await api.post("/profiles", json={"name": "x", "timezone": name}, key=owner.key)).json()
    for problem in (post, profile):
        [finding] = [error for error in problem["errors"] if error["path"] == "/timezone"]
        assert finding["code"] == "format"
        if nearest is not None:
            assert finding["params"] == {"nearest": nearest}
            assert nearest in finding["message"]


async def test_older_names_of_zones_stay_valid(make: Make, owner: Login) -> None:
    for name in ("US/Eastern", "UTC", "Etc/GMT+5", "America/Argentina/Buenos_Aires"):
        assert (await make.profile(owner, timezone=name))["timezone"] == name
