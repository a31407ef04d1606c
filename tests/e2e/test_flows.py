"""What a publishing team does every day, from the first call to what is public, on the running service."""

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest
from tests.helpers.media_files import video
from tests.helpers.service_process import Api

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("e2e")]

ROWS = 30
WEEKS = 50


async def profile(api: Api, name: str, accounts: int = 1) -> str:
    """A profile with sandbox accounts."""
    made: str = (await api.post("/profiles", json={"name": name, "timezone": "Europe/Berlin"}))["id"]
    for number in range(accounts):
        fields = {"username": f"{name}{number}"}
        await api.post("/platforms/sandbox/connect", json={"profileId": made, "fields": fields})
    return made


@asynccontextmanager
async def sandbox(api: Api) -> AsyncIterator[httpx.AsyncClient]:
    """A client with a test key of the owner."""
    key = (await api.post("/api-keys", json={"name": "sandbox", "mode": "test"}))["key"]
    address, headers = f"{api.service.base_url}/api/v1", {"Authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client:
        yield client


async def test_a_file_of_posts_goes_out(api: Api) -> None:
    """A row with a mistake is named and stops no other; trying it first saves nothing."""
    team = await profile(api, "csv", accounts=2)
    rows = [f'{team},"Row {number}, with a comma",,,sandbox,,,row-{number},"a|b"' for number in range(ROWS)]
    rows[7] = f"{team},,,,sandbox,,,row-7,"
    file = "profileId,text,title,mediaUrls,platforms,scheduledAt,timezone,externalId,tags\r\n" + "\r\n".join(rows)
    headers = {"Content-Type": "text/csv"}
    tried = await api.post("/posts/bulk?dryRun=true&draft=false", content=file, headers=headers)
    assert [error["index"] for error in tried["errors"]] == [7]
    assert (await api.get(f"/posts?profileId={team}"))["data"] == []

    sent = await api.post("/posts/bulk?draft=false", content=file, headers=headers)
    assert (sent["total"], len(sent["created"]), [error["index"] for error in sent["errors"]]) == (ROWS, ROWS - 1, [7])
    posts = [await api.ends(post) for post in sent["created"]]
    assert {post["text"] for post in posts} == {f"Row {n}, with a comma" for n in range(ROWS) if n != 7}
    assert {len({target["platformPostId"] for target in post["targets"]}) for post in posts} == {2}


async def test_children_publish_one_after_the_other(api: Api) -> None:
    """A post for the children of a profile, with ten minutes between them, by the clock of the test workspace."""
    parent = await profile(api, "parent")
    children = [await profile(api, f"child{number}") for number in range(3)]
    for child in children:
        await api.post("/profiles/links", json={"parentProfileId": parent, "childProfileId": child})
    start = datetime.fromisoformat((await api.get("/healthz/api"))["time"]) + timedelta(days=1)
    async with sandbox(api) as client:
        body = {
            "sourceProfileId": parent, "targets": "children", "text": "For all of us", "staggerMinutes": 10,
            "scheduledAt": start.isoformat(),
        }  # fmt: skip
        fan_out = (await client.post("/posts/fanout", json=body)).json()
        assert [post["profileId"] for post in fan_out["posts"]] == children
        public: list[int] = []
        for minutes in (0, 10, 20):
            await client.post("/sandbox/clock", json={"now": (start + timedelta(minutes=minutes)).isoformat()})
            post = fan_out["posts"][minutes // 10]

            async def published(post: dict[str, Any] = post) -> bool:
                return bool((await client.get(f"/posts/{post['id']}/status")).json()["status"] == "published")

            await api.service.until(published, "published post")
            listed = (await client.get(f"/posts?fanoutId={fan_out['fanoutId']}")).json()["data"]
            public.append(sum(one["status"] == "published" for one in listed))
        assert public == [1, 2, 3]
        await client.delete("/sandbox/clock")


async def test_a_weekly_post_keeps_its_hour_for_a_year(api: Api) -> None:
    """Nine o'clock in Berlin, over both changes of the clocks, by the clock of the test workspace."""
    team = await profile(api, "weekly")
    zone = ZoneInfo("Europe/Berlin")
    now = datetime.fromisoformat((await api.get("/healthz/api"))["time"])
    first = (now.astimezone(zone) + timedelta(days=2)).replace(hour=9, minute=0, second=0, microsecond=0, tzinfo=None)
    async with sandbox(api) as client:
        body = {
            "profileId": team, "platforms": ["sandbox"], "text": "Every week", "scheduledAt": first.isoformat(),
            "timezone": "Europe/Berlin", "recurrence": {"rrule": "FREQ=WEEKLY", "count": WEEKS},
        }  # fmt: skip
        made = await client.post("/posts", json=body)
        assert made.status_code == 201, made.text
        end = (first + timedelta(weeks=WEEKS)).replace(tzinfo=zone)
        await client.post("/sandbox/clock", json={"now": end.isoformat()})

        async def year() -> Any:
            listed = await client.get(f"/posts?profileId={team}&status=published&limit=100&sort=scheduledAt")
            return listed.json()["data"] if len(listed.json()["data"]) >= WEEKS else None

        posts = await api.service.until(year, "year of posts")
        await client.delete("/sandbox/clock")
    times = [datetime.fromisoformat(post["scheduledAt"]).astimezone(zone) for post in posts]
    assert [time.replace(tzinfo=None) for time in times] == [first + timedelta(weeks=week) for week in range(WEEKS)]
    assert {time.utcoffset() for time in times} == {timedelta(hours=1), timedelta(hours=2)}
    assert {post["recurrenceParentId"] for post in posts[1:]} == {posts[0]["id"]}
    assert len({post["targets"][0]["platformPostId"] for post in posts}) == WEEKS


async def test_a_film_is_uploaded_without_a_key_and_published(api: Api, tmp_path: Path) -> None:
    team = await profile(api, "film")
    film = video(tmp_path)
    announced = {
        "fileName": "film.mp4", "contentType": "video/mp4", "size": len(film),
        "checksumSha256": hashlib.sha256(film).hexdigest(), "profileId": team,
    }  # fmt: skip
    upload = await api.post("/media/presign-upload", json=announced)
    async with httpx.AsyncClient(timeout=60) as browser:
        sent = await browser.put(upload["uploadUrl"], content=film, headers=upload["headers"])
        assert sent.is_success, sent.text

    async def ready() -> Any:
        media = await api.get(f"/media/{upload['mediaId']}")
        assert media["status"] != "failed", media
        return media if media["status"] == "ready" else None

    media = await api.service.until(ready, "ready file")
    assert (media["kind"], media["mimeType"]) == ("video", "video/mp4")
    assert media["durationMs"] > 0
    post = await api.ends(await api.publish(["sandbox"], "Our film", profileId=team, media=[{"mediaId": media["id"]}]))
    assert [item["mediaId"] for item in post["media"]] == [media["id"]]
    assert (await api.get(f"/media/{media['id']}"))["usedByPosts"] == 1
