"""Conditional reads: a client that has the present body gets 304, and never after anything in it has changed."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.posts.test_update import set_target, soon

from signalpost.kit import clock, ids
from signalpost.kit.db import Database


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="first")
    await make.account(login, username="second")
    return login


class Reader:
    """Reads one post again and again, as a client with a cache does."""

    def __init__(self, api: Api, path: str, key: str) -> None:
        self.api, self.path, self.key = api, path, key
        self.known: httpx.Response | None = None

    async def read(self, **headers: str) -> httpx.Response:
        known = {"If-None-Match": self.known.headers["etag"]} if self.known else {}
        response = await self.api.get(self.path, key=self.key, headers=known | headers)
        if response.status_code == 200:
            self.known = response
        return response

    async def is_changed(self, **headers: str) -> bool:
        """Whether the body changed since the last call. The read after that says that it has not."""
        first, second = [(await self.read(**headers)).status_code for _ in range(2)]
        assert second == 304
        return first == 200


async def test_a_client_that_has_the_post_gets_304_without_a_body(api: Api, make: Make, owner: Login) -> None:
    post = await make.post(owner, draft=True)
    reader = Reader(api, f"/posts/{post['id']}", owner.key)
    full, same = await reader.read(), await reader.read()

    assert (full.status_code, same.status_code, same.content) == (200, 304, b"")
    assert full.json() == post
    # What tells of the request and its second, not of the post.
    own = {"content-type", "content-length", "x-request-id", "ratelimit", "x-ratelimit-reset"}
    assert {name: value for name, value in same.headers.items() if name not in own} == {
        name: value for name, value in full.headers.items() if name not in own
    }
    assert {"x-request-id", "ratelimit", "x-ratelimit-reset"} <= same.headers.keys()


async def test_every_way_to_name_the_etag(api: Api, make: Make, owner: Login) -> None:
    path = f"/posts/{(await make.post(owner, draft=True))['id']}"
    etag = (await api.get(path, key=owner.key)).headers["etag"]
    for value, status in (
        (etag, 304), (f"W/{etag}", 304), (f'"1", {etag}', 304), (f'"a,b",{etag} ', 304), ("*", 304),
        ('"1"', 200), (etag.strip('"'), 200), ("", 200), ('"2-0000000000000000"', 200),
    ):  # fmt: skip
        assert (await api.get(path, key=owner.key, headers={"If-None-Match": value})).status_code == status, value
    head = await api.call("HEAD", path, key=owner.key, headers={"If-None-Match": etag})
    assert (head.status_code, head.content) == (304, b"")


async def test_an_etag_is_no_pass(api: Api, make: Make, owner: Login) -> None:
    """304 says nothing to anybody who may not read the post, and a trashed post is not found."""
    post = await make.post(owner, draft=True)
    path = f"/posts/{post['id']}"
    stranger = await make.owner()
    for key in (stranger.key, owner.test_key):
        assert (await api.get(path, key=key, headers={"If-None-Match": "*"})).status_code == 404
    await api.delete(path, key=owner.key)
    assert (await api.get(path, key=owner.key, headers={"If-None-Match": "*"})).status_code == 404


async def test_if_match_takes_the_etag_of_a_read_as_well_as_the_version(api: Api, make: Make, owner: Login) -> None:
    path = f"/posts/{(await make.post(owner, draft=True))['id']}"
    etag = (await api.get(path, key=owner.key)).headers["etag"]
    stale = '"1-0123456789abcdef"'
    for version, value in enumerate(
        (etag, '"2"', f'"9", "x", {etag.replace("1-", "3-")}', stale.replace("1-", "4-")), 2
    ):
        changed = await api.patch(path, json={"notes": value}, key=owner.key, headers={"If-Match": value})
        assert (changed.status_code, changed.headers["etag"]) == (200, f'"{version}"'), value
    for value in (etag, stale, '"4"', '"1", "2"', '"5-xyz"'):
        refused = await api.patch(path, json={"notes": value}, key=owner.key, headers={"If-Match": value})
        assert refused.status_code == 412, value


@pytest.mark.parametrize(
    "change",
    [
        {"status": "publishing"}, {"attempts": 1}, {"error": None, "url": "https://x.test/1"}, {"remote_id": "r1"},
        {"thread_ids": ["r1", "r2"]}, {"first_comment": {"status": "posted", "id": "c1", "error": None}},
        {"delivery": "inbox"}, {"published_at": datetime.now(UTC)}, {"held_reason": "plan"},
    ],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
async def test_what_a_worker_writes_changes_the_etag(
    api: Api, make: Make, owner: Login, database: Database, change: dict[str, Any]
) -> None:
    post = await make.post(owner, scheduledAt=soon(days=1))
    reader = Reader(api, f"/posts/{post['id']}", owner.key)
    await reader.read()
    assert not await reader.is_changed()
    await set_target(database, post, **change)
    assert await reader.is_changed()


@pytest.mark.parametrize("column", ["status = 'needs_reauth'", "username = 'renamed'"])
async def test_what_a_post_shows_of_its_account_changes_the_etag(
    api: Api, make: Make, owner: Login, database: Database, column: str
) -> None:
    post = await make.post(owner, draft=True)
    reader = Reader(api, f"/posts/{post['id']}", owner.key)
    await reader.read()
    account_id = ids.decode("acc", post["targets"][0]["accountId"])
    async with database.transaction() as db:
        await db.execute(f"update account set {column} where id = $1", account_id)
    assert await reader.is_changed()


async def test_a_scheduled_post_whose_time_comes_has_another_etag(api: Api, make: Make, owner: Login) -> None:
    """Nothing is written then; it is only another moment."""
    at = datetime.now(UTC) + timedelta(days=1)
    post = await make.post(owner, key=owner.test_key, scheduledAt=clock.wire(at))
    reader = Reader(api, f"/posts/{post['id']}", owner.test_key)
    statuses = []
    for moment in (at - timedelta(hours=2), at - timedelta(seconds=1), at + timedelta(seconds=1)):
        response = await reader.read(**{"X-Test-Now": clock.wire(moment)})
        statuses.append(response.json()["status"] if response.status_code == 200 else 304)
    assert statuses == ["scheduled", 304, "queued"]


async def test_a_profile_changes_with_its_accounts(api: Api, make: Make, owner: Login) -> None:
    """The number of its accounts is shown, and is no new version of the profile."""
    reader = Reader(api, f"/profiles/{owner.profile}", owner.key)
    before = (await reader.read()).json()
    assert not await reader.is_changed()
    await make.account(owner, username="third")
    after = (await reader.read()).json()
    assert (after["accountCount"], after["version"]) == (before["accountCount"] + 1, before["version"])
    assert reader.known is not None
    changed = await api.patch(
        reader.path, json={"name": "New"}, key=owner.key, headers={"If-Match": reader.known.headers["etag"]}
    )
    assert changed.status_code == 200
    assert await reader.is_changed()
