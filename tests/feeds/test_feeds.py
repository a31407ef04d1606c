"""A feed as a source of posts: what becomes one, once; what does not; and when it stops until a person has looked."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.feeds import Blog, Reader, entry, feed_of
from tests.helpers.http_servers import response

from signalpost.kit import clock
from signalpost.kit.db import Database

_MAILS = "select count(*) from job where workspace_id = $1 and kind = 'mail.send' and payload ->> 'template' = $2"


async def test_what_comes_later_becomes_drafts_and_what_was_there_before_does_not(
    api: Api, owner: Login, blog: Blog, reader: Reader
) -> None:
    """The address of the page does: it names the feed."""
    blog.publish("Old bread", at=clock.actual() - timedelta(days=2))
    feed = await reader.feed(owner, blog.url)
    assert (feed["feedUrl"], feed["title"]) == (blog.url + "feed.xml", "Bakery blog")
    assert (feed["state"], feed["lastError"], feed["posted"]) == ("active", None, 0)

    blog.publish("Fresh rolls")
    feed = await reader.read(owner, feed)

    [post] = await reader.posts(owner)
    assert post["text"] == f"Fresh rolls\n\n{blog.url}posts/fresh-rolls"
    assert (post["status"], post["createdBy"]["type"], len(post["targets"])) == ("draft", "api_key", 1)
    assert await reader.items(owner, feed) == {"Fresh rolls": "posted", "Old bread": "before"}
    assert feed["posted"] == 1
    items = (await api.get(f"/feeds/{feed['id']}/items", key=owner.key)).json()["data"]
    assert [item["postId"] for item in items] == [post["id"], None]


async def test_an_item_becomes_one_post_whatever_the_feed_says_later(owner: Login, blog: Blog, reader: Reader) -> None:
    feed = await reader.feed(owner, blog.url)
    blog.publish("Rye")
    await reader.read(owner, feed)
    for again in (entry("Rye"), entry("Rye", guid="other-id"), entry("Rye!", guid="rye", link="/elsewhere")):
        blog.entries = [again]
        feed = await reader.read(owner, feed)
    assert (len(await reader.posts(owner)), feed["state"]) == (1, "active")


async def test_links_that_items_share_tell_nothing(owner: Login, blog: Blog, reader: Reader) -> None:
    feed = await reader.feed(owner, blog.url)
    blog.publish("One", "Two", link="/")
    await reader.read(owner, feed)
    blog.publish("Three", link="/")
    await reader.read(owner, feed)
    assert len(await reader.posts(owner)) == 3


async def test_the_latest_are_posted_if_asked_for_through_the_filter(owner: Login, blog: Blog, reader: Reader) -> None:
    long_ago = clock.actual() - timedelta(days=9)
    blog.publish("Cake one", "Cake two", "Ad for cake", "Cake three", "Bread", at=long_ago)
    feed = await reader.feed(owner, blog.url, latest=2, include=["CAKE"], exclude=["ad for"])
    assert [post["text"].partition("\n")[0] for post in await reader.posts(owner)] == ["Cake three", "Cake two"]
    states = await reader.items(owner, feed)
    assert (states["Cake one"], states["Ad for cake"], states["Bread"]) == ("before", "filtered", "filtered")


async def test_posts_follow_the_template_and_are_published_or_wait_for_a_slot(
    api: Api, make: Make, owner: Login, blog: Blog, reader: Reader
) -> None:
    queue = {"profileId": owner.profile, "name": "Daily", "slots": [{"time": "09:00"}]}
    assert (await api.post("/queues", json=queue, key=owner.key)).status_code == 201
    other = await make.account(owner)
    template = "New: {title} - {summary} {link}"
    feed = await reader.feed(
        owner, blog.url, template=template, publishMode="slot", accountIds=[other["id"]], dailyMax=2
    )
    blog.publish("Rolls", text="<p>Warm &amp; <b>fresh</b>.</p><script>x()</script>")
    await reader.read(owner, feed)
    [post] = await reader.posts(owner)
    assert post["text"] == f"New: Rolls - Warm & fresh. {blog.url}posts/rolls"
    assert (post["status"], post["publishMode"]) == ("scheduled", "slot")
    assert [target["accountId"] for target in post["targets"]] == [other["id"]]

    assert (await api.patch(f"/feeds/{feed['id']}", json={"publishMode": "now"}, key=owner.key)).status_code == 200
    blog.publish("Baguette")
    await reader.read(owner, feed)
    assert (await reader.posts(owner))[0]["publishMode"] == "now"


async def test_a_flood_holds_the_feed_until_somebody_goes_on(
    api: Api, owner: Login, blog: Blog, reader: Reader, database: Database
) -> None:
    feed = await reader.feed(owner, blog.url, dailyMax=2)
    blog.publish("One", "Two", "Three")
    feed = await reader.read(owner, feed)
    assert (feed["state"], feed["held"]["code"], feed["waiting"], feed["nextReadAt"]) == ("held", "flood", 3, None)
    assert await database.pool.fetchval(_MAILS, owner.workspace_id, "feed_held") == 1
    await reader.read(owner, feed)
    assert await reader.posts(owner) == []

    resumed = await api.post(f"/feeds/{feed['id']}/resume", key=owner.key)
    assert (resumed.status_code, resumed.json()["state"]) == (200, "active")
    feed = await reader.read(owner, feed)
    assert [post["text"][:3] for post in await reader.posts(owner)] == ["Two", "One"]
    assert feed["waiting"] == 1  # for tomorrow
    await api.post(f"/feeds/{feed['id']}/resume", json={"waiting": "skip"}, key=owner.key)
    assert (await reader.items(owner, feed))["Three"] == "skipped"


async def test_a_feed_rests_while_its_profile_is_archived(api: Api, owner: Login, blog: Blog, reader: Reader) -> None:
    feed = await reader.feed(owner, blog.url)
    blog.publish("Rye")
    asked = len(blog.requests)
    for archived in (True, False):
        answer = await api.patch(f"/profiles/{owner.profile}", json={"archived": archived}, key=owner.key)
        assert answer.status_code == 200, answer.text
        feed = await reader.read(owner, feed)
        assert feed["state"] == "active"
        assert (len(blog.requests) == asked, len(await reader.posts(owner))) == (archived, 0 if archived else 1)


async def test_two_workers_make_one_post(owner: Login, blog: Blog, reader: Reader, database: Database) -> None:
    """Also if a lane were worked on twice: the row of the item decides."""
    feed = await reader.feed(owner, blog.url)
    blog.publish("Once")
    await asyncio.gather(*(reader.read(owner, feed) for _ in range(3)))
    assert len(await reader.posts(owner)) == 1


@pytest.mark.parametrize("lost", ["account", "member", "role"])
async def test_a_feed_is_held_when_its_account_or_the_rights_behind_it_are_gone(
    api: Api, make: Make, owner: Login, blog: Blog, reader: Reader, lost: str
) -> None:
    account = await make.account(owner)
    member = await make.member(owner, role="editor")
    feed = await reader.feed(owner, blog.url, key=member.key, publishMode="now", accountIds=[account["id"]])
    team = (await api.get("/team", key=owner.key)).json()["data"]
    path = f"/team/{next(row['id'] for row in team if row['email'] == member.email)}"
    if lost == "account":
        answer = await api.delete(f"/platforms/accounts/{account['id']}", key=owner.key)
    elif lost == "member":
        answer = await api.delete(path, key=owner.key)
    else:
        answer = await api.patch(path, json={"role": "viewer"}, key=owner.key)
    assert answer.is_success, answer.text
    blog.publish("Nobody answers for this")

    feed = await reader.read(owner, feed)

    assert (feed["state"], feed["held"]["code"]) == ("held", "accounts" if lost == "account" else "rights")
    assert await reader.posts(owner) == []
    if lost != "account":  # whoever goes on answers for it
        assert (await api.post(f"/feeds/{feed['id']}/resume", key=owner.key)).status_code == 200
        await reader.read(owner, feed)
        assert len(await reader.posts(owner)) == 1


async def test_what_cannot_be_published_becomes_a_draft(owner: Login, blog: Blog, reader: Reader, api: Api) -> None:
    feed = await reader.feed(owner, blog.url, template="Always the same", publishMode="now")
    blog.publish("One")
    await reader.read(owner, feed)
    blog.publish("Two")
    await reader.read(owner, feed)
    assert sorted(post["status"] == "draft" for post in await reader.posts(owner)) == [False, True]
    [item, _] = (await api.get(f"/feeds/{feed['id']}/items", key=owner.key)).json()["data"]
    assert (item["state"], item["reason"]) == ("posted", "duplicate_content")


async def test_requests_are_conditional(owner: Login, blog: Blog, reader: Reader) -> None:
    blog.answer = response(200, feed_of(entry("One")), 'ETag: "v1"', "Last-Modified: Sat, 28 Nov 2026 10:00:00 GMT")
    feed = await reader.feed(owner, blog.url + "feed.xml")
    blog.answer = response(304)
    blog.requests.clear()
    feed = await reader.read(owner, feed)
    assert 'If-None-Match: "v1"' in blog.requests[0]
    assert "If-Modified-Since: Sat, 28 Nov 2026 10:00:00 GMT" in blog.requests[0]
    assert (feed["lastError"], feed["state"]) == (None, "active")


FAULTS: list[tuple[bytes, str, float]] = [
    (response(404), "not_found", 15),
    (response(403), "login_needed", 15),
    (response(500), "server_error", 15),
    (response(429, b"", "Retry-After: 7200"), "too_often", 120),
    (response(429, b"", "Retry-After: 99999999"), "too_often", 1_440),
    (response(302, b"", "Location: http://10.0.0.1/feed"), "unsafe_address", 15),
    (response(302, b"", "Location: /feed.xml"), "too_many_redirects", 15),
    (response(200, b"<rss><channel>"), "malformed", 15),
    (response(200, b"hello"), "not_a_feed", 15),
    (b"HTTP/1.1 200 X\r\nContent-Length: 3000000\r\n\r\n", "too_large", 15),
]


async def test_faults_are_named_and_the_feed_is_read_less_often(owner: Login, blog: Blog, reader: Reader) -> None:
    for answer, code, minutes in FAULTS:
        blog.everything = None
        feed = await reader.feed(owner, f"{blog.url}feed.xml?{code}={minutes}")
        blog.everything = answer
        feed = await reader.read(owner, feed)
        assert (feed["lastError"]["code"], feed["state"]) == (code, "active")
        assert abs(_minutes_to(feed["nextReadAt"]) - minutes) < 1, (code, feed)
    feed = await reader.read(owner, feed)
    assert abs(_minutes_to(feed["nextReadAt"]) - 30) < 1  # the second fault in a row
    blog.everything = None
    assert (await reader.read(owner, feed))["lastError"] is None


def _minutes_to(instant: str) -> float:
    return (datetime.fromisoformat(instant) - clock.actual()).total_seconds() / 60


async def test_a_feed_that_moved_is_read_there_and_one_that_is_gone_rests(
    owner: Login, blog: Blog, reader: Reader
) -> None:
    feed = await reader.feed(owner, blog.url + "feed.xml")
    blog.answer = response(301, b"", "Location: /new.xml")
    feed = await reader.read(owner, feed)
    assert feed["feedUrl"] == blog.url + "feed.xml"  # what is there names this one again
    blog.answer = response(410)
    feed = await reader.read(owner, feed)
    assert (feed["state"], feed["held"]["code"]) == ("held", "gone")


async def test_plans_have_room_for_some_feeds(make: Make, shop: Api, blog: Blog) -> None:
    login = await make.owner(plan="free")
    bodies = [{"profileId": login.profile, "url": f"{blog.url}{number}"} for number in range(2)]
    answers = [await shop.post("/feeds", json=body, key=login.key) for body in bodies]
    assert [answer.status_code for answer in answers] == [201, 402]
    assert answers[1].json()["limit"] == {"name": "feeds", "used": 1, "max": 1, "plan": "free"}


async def test_a_preview_shows_items_as_they_would_be_posted(api: Api, owner: Login, blog: Blog) -> None:
    blog.publish("Bread", "Cake")
    body = {"url": blog.url, "profileId": owner.profile, "template": "{title}!", "exclude": ["bread"]}
    answer = await api.post("/feeds/preview", json=body, key=owner.key)
    assert answer.status_code == 200, answer.text
    shown = answer.json()
    assert (shown["feedUrl"], shown["title"]) == (blog.url + "feed.xml", "Bakery blog")
    assert [(item["text"], item["filtered"]) for item in shown["items"]] == [("Cake!", False), ("Bread!", True)]
    refused = await api.post("/feeds/preview", json={"url": "http://10.0.0.1/feed"}, key=owner.key)
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (422, "unsafe_address")


@pytest.mark.parametrize(
    ("fields", "path", "code"),
    [
        ({"url": "ftp://example.com/feed"}, "/url", "unsafe_url"),
        ({"template": "{title} {body}"}, "/template", "not_allowed"),
        ({"accountIds": ["acc_01ARZ3NDEKTSV4RRFFQ69G5FAV"]}, "/accountIds/0", "not_found"),
        ({"queueId": "slq_01ARZ3NDEKTSV4RRFFQ69G5FAV"}, "/queueId", "not_found"),
        ({"profileId": "prof_01ARZ3NDEKTSV4RRFFQ69G5FAV"}, "/profileId", "not_found"),
    ],
)
async def test_a_feed_names_what_is_there(api: Api, owner: Login, fields: Any, path: str, code: str) -> None:
    body = {"profileId": owner.profile, "url": "https://example.com/feed"} | fields
    answer = await api.post("/feeds", json=body, key=owner.key)
    assert (answer.status_code, answer.json()["errors"][0]["path"], answer.json()["errors"][0]["code"]) == (
        422, path, code,
    )  # fmt: skip


async def test_what_a_contributor_has_changed_waits_for_an_approval(
    api: Api, make: Make, owner: Login, blog: Blog, reader: Reader
) -> None:
    """Whoever changes a feed answers for it: nobody publishes by the rights of somebody else."""
    account = await make.account(owner)
    feed = await reader.feed(owner, blog.url, publishMode="now", accountIds=[account["id"]])
    again = {"profileId": owner.profile, "url": feed["url"], "publishMode": "now"}
    refused = await api.post("/feeds", json=again, key=owner.key)
    assert (refused.status_code, refused.json()["code"]) == (409, "already_exists")
    member = await make.member(owner, role="contributor")
    changed = await api.patch(f"/feeds/{feed['id']}", json={"template": "{link}"}, key=member.key)
    assert changed.status_code == 200, changed.text
    assert changed.json()["createdBy"] != feed["createdBy"]
    blog.publish("By a contributor")

    await reader.read(owner, feed)

    [post] = await reader.posts(owner)
    assert (post["status"], post["approval"]["state"]) == ("queued", "pending")
