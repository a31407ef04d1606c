"""Link pages: what members make of them, what everyone sees and no more, and what is counted of it."""

import re
import secrets
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from tests.helpers.api import Api
from tests.helpers.contract import upload
from tests.helpers.factories import Login, Make

from signalpost.console.link_pages import style_of, text_on
from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.link_pages.actions import manage
from signalpost.link_pages.actions.visit import is_bot
from signalpost.link_pages.counter import Counter

PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1"
SHOP = "https://shop.example.com/menu?utm_source=bio"


@pytest.fixture
async def owner(make: Make) -> Login:
    return await make.owner()


@pytest.fixture
async def visitor(api: Api) -> AsyncIterator[httpx.AsyncClient]:
    """A browser of someone without a user here."""
    transport = httpx.ASGITransport(app=api.app)
    address = f"10.200.{secrets.randbelow(256)}.{secrets.randbelow(256)}"  # limits by address are those of this test
    headers = {"user-agent": PHONE, "accept-language": "de", "x-forwarded-for": address}
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000", headers=headers) as client:
        yield client


def new_slug() -> str:
    return f"bakery-{secrets.token_hex(8)}"


async def put(api: Api, login: Login, status: int = 200, *, key: str | None = None, **fields: Any) -> Any:
    """Save the page of the login's profile, published unless said otherwise."""
    body = {"slug": new_slug(), "title": "Bakery", "isPublished": True} | fields
    answer = await api.put(f"/profiles/{login.profile}/link-page", json=body, key=key or login.key)
    assert answer.status_code == status, answer.text
    return answer.json()


async def stats(api: Api, login: Login, context: AppContext) -> Any:
    await context.state(Counter).flush()
    answer = await api.get(f"/profiles/{login.profile}/link-page/stats", key=login.key)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_page_shows_what_it_has_and_sends_its_visitors_on(
    api: Api, owner: Login, visitor: httpx.AsyncClient
) -> None:
    await api.patch(f"/profiles/{owner.profile}", json={"color": "#ffd54a"}, key=owner.key)
    page = await put(api, owner, language="de", text="Warm <b>bread</b>", links=[{"title": "Order & pay", "url": SHOP}])
    answer = await visitor.get(f"/l/{page['slug']}")
    assert answer.status_code == 200, answer.text
    assert "Order &amp; pay" in answer.text
    assert "Warm &lt;b&gt;bread&lt;/b&gt;" in answer.text
    assert '<html lang="de">' in answer.text
    assert '<meta name="robots" content="noindex">' in answer.text
    assert answer.headers["x-robots-tag"] == "noindex"
    assert f'<meta property="og:url" content="{page["url"]}">' in answer.text
    assert "--accent:#ffd54a;--on:#000000" in answer.text
    assert "<script" not in answer.text
    assert "set-cookie" not in answer.headers
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "frame-ancestors 'none'" in policy
    for name in ("Acme", ids.encode("wsp", owner.workspace_id), owner.profile, owner.email):
        assert name not in answer.text

    click = re.search(r'<a href="(/l/[^"]+)" rel="noopener nofollow"', answer.text)
    assert click is not None
    assert click[1] == f"/l/{page['slug']}/{page['links'][0]['id']}"
    sent_on = await visitor.get(click[1])
    assert sent_on.status_code == 302
    assert sent_on.headers["location"] == SHOP
    assert sent_on.headers["cache-control"] == "no-store"
    assert sent_on.headers["referrer-policy"] == "no-referrer"
    assert "set-cookie" not in sent_on.headers
    for path in (f"/l/{page['slug']}/aaaaaaaa", f"/l/{page['slug']}/evil.example", "/l/nobody-is-here"):
        absent = await visitor.get(path)
        assert absent.status_code == 404
        assert "Diese Seite gibt es nicht" in absent.text


@pytest.mark.parametrize(
    ("url", "location"),
    [
        ("https://bäckerei.example/brötchen?q=süß", "https://xn--bckerei-5wa.example/br%C3%B6tchen?q=s%C3%BC%C3%9F"),
        ("https://shop.example/a%2Fb%7E?x=%41+b#c", "https://shop.example/a%2Fb%7E?x=%41+b#c"),
    ],
)
async def test_a_click_leads_to_the_very_address(
    api: Api, owner: Login, visitor: httpx.AsyncClient, url: str, location: str
) -> None:
    """One in ASCII exactly as it was saved; a header cannot hold another, so that one as browsers would send it."""
    page = await put(api, owner, links=[{"title": "Shop", "url": url}])
    answer = await visitor.get(f"/l/{page['slug']}/{page['links'][0]['id']}")
    assert (answer.status_code, answer.headers["location"]) == (302, location)
    assert page["links"][0]["url"] == url


@pytest.mark.parametrize("url", ["https://shop.example:99999/", "https://[::1", "https://a..b\u3002/", "https://."])
async def test_an_address_that_no_browser_opens_is_refused(api: Api, owner: Login, url: str) -> None:
    refused = await put(api, owner, 422, links=[{"title": "Shop", "url": url}])
    assert [(error["path"], error["code"]) for error in refused["errors"]] == [("/links/0/url", "format")]


async def test_the_page_of_a_deleted_workspace_is_gone_at_once(
    api: Api, owner: Login, visitor: httpx.AsyncClient, database: Database
) -> None:
    """Its data is erased later."""
    page = await put(api, owner)
    assert (await visitor.get(f"/l/{page['slug']}")).status_code == 200
    await database.pool.execute("update workspace set deleted_at = now() where id = $1", owner.workspace_id)
    assert (await visitor.get(f"/l/{page['slug']}")).status_code == 404


async def test_pages_are_listed_as_their_profiles_are(api: Api, make: Make, owner: Login) -> None:
    first = await put(api, owner)
    other = (await make.profile(owner))["id"]
    body = {"slug": new_slug(), "title": "Other"}
    second = (await api.put(f"/profiles/{other}/link-page", json=body, key=owner.key)).json()
    await put(api, await make.owner())
    listed = (await api.get("/link-pages", key=owner.key)).json()["data"]
    assert [page["slug"] for page in listed] == [second["slug"], first["slug"]]
    assert (await api.get(f"/profiles/{other}/link-page", key=owner.key)).json() == listed[0]


async def test_a_page_may_be_listed_by_search_engines(api: Api, owner: Login, visitor: httpx.AsyncClient) -> None:
    page = await put(api, owner, isIndexed=True)
    answer = await visitor.get(f"/l/{page['slug']}")
    assert "noindex" not in answer.text
    assert "x-robots-tag" not in answer.headers


async def test_only_a_published_page_of_a_profile_in_use_is_there(
    api: Api, make: Make, owner: Login, visitor: httpx.AsyncClient, database: Database
) -> None:
    page = await put(api, owner, isPublished=False, links=[{"title": "Shop", "url": SHOP}])
    paths = [f"/l/{page['slug']}", f"/l/{page['slug']}/{page['links'][0]['id']}"]

    async def statuses() -> list[int]:
        return [(await visitor.get(path)).status_code for path in paths]

    assert await statuses() == [404, 404]
    links = [{"id": page["links"][0]["id"], "title": "Shop", "url": SHOP}]
    await put(api, owner, slug=page["slug"], links=links)
    assert await statuses() == [200, 302]
    await api.patch(f"/profiles/{owner.profile}", json={"archived": True}, key=owner.key)
    assert await statuses() == [404, 404]
    await api.patch(f"/profiles/{owner.profile}", json={"archived": False}, key=owner.key)
    assert await statuses() == [200, 302]
    assert (await api.delete(f"/profiles/{owner.profile}", key=owner.key)).status_code == 200
    assert await statuses() == [404, 404]

    async with database.transaction() as db:  # as the job does each day
        for statement in manage.PURGES:
            await db.execute(statement)
    other = await make.owner()
    await put(api, other, slug=page["slug"])  # the address is free again


async def test_links_are_shown_in_their_time(api: Api, owner: Login, visitor: httpx.AsyncClient) -> None:
    now = datetime.now(UTC)
    past, future = ((now + timedelta(days=days)).isoformat() for days in (-1, 1))
    page = await put(
        api,
        owner,
        links=[
            {"title": "Soon", "url": SHOP, "shownFrom": future},
            {"title": "Over", "url": SHOP, "shownUntil": past},
            {"title": "Present", "url": SHOP, "shownFrom": past, "shownUntil": future},
        ],
    )
    text = (await visitor.get(f"/l/{page['slug']}")).text
    assert [word for word in ("Soon", "Over", "Present") if word in text] == ["Present"]
    for link, status in zip(page["links"], (404, 404, 302), strict=True):
        assert (await visitor.get(f"/l/{page['slug']}/{link['id']}")).status_code == status


async def test_clicks_and_views_are_counted_without_bots_and_keep_their_link(
    api: Api, owner: Login, visitor: httpx.AsyncClient, context: AppContext
) -> None:
    page = await put(api, owner, links=[{"title": "Shop", "url": SHOP}, {"title": "Map", "url": SHOP}])
    shop, place = (f"/l/{page['slug']}/{link['id']}" for link in page["links"])
    for path in (f"/l/{page['slug']}", f"/l/{page['slug']}", f"/l/{page['slug']}", shop, shop, place):
        await visitor.get(path)
    await visitor.get(shop, headers={"user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1)"})
    await visitor.get(f"/l/{page['slug']}/aaaaaaaa")
    counted = await stats(api, owner, context)
    assert (counted["views"], counted["clicks"]) == (3, 3)
    assert [(link["title"], link["clicks"]) for link in counted["links"]] == [("Shop", 2), ("Map", 1)]
    assert len(counted["daily"]) == 30
    assert counted["daily"][-1] == {"date": str(clock.now().astimezone(UTC).date()), "views": 3, "clicks": 3}

    # The order and the words change; the number stays with the link. Clicks on a link that is gone stay in the sum.
    links = [{"id": page["links"][0]["id"], "title": "Order", "url": SHOP}]
    await put(api, owner, slug=page["slug"], links=links)
    await visitor.get(shop)
    counted = await stats(api, owner, context)
    assert [(link["title"], link["clicks"]) for link in counted["links"]] == [("Order", 3)]
    assert counted["clicks"] == 4


async def test_what_is_counted_of_a_deleted_page_harms_no_other(
    api: Api, make: Make, owner: Login, visitor: httpx.AsyncClient, context: AppContext
) -> None:
    other = await make.owner()
    deleted, page = await put(api, owner), await put(api, other)
    await visitor.get(f"/l/{deleted['slug']}")
    await visitor.get(f"/l/{page['slug']}")
    answer = await api.delete(f"/profiles/{owner.profile}/link-page", key=owner.key)
    assert answer.status_code == 204
    assert (await stats(api, other, context))["views"] == 1
    assert (await visitor.get(f"/l/{deleted['slug']}")).status_code == 404
    assert (await api.get(f"/profiles/{owner.profile}/link-page", key=owner.key)).status_code == 404


async def test_a_former_address_leads_to_the_present_one_and_nobody_else_gets_it(
    api: Api, make: Make, owner: Login, visitor: httpx.AsyncClient
) -> None:
    first = await put(api, owner)
    second = await put(api, owner)
    assert second["formerSlugs"] == [first["slug"]]
    moved = await visitor.get(f"/l/{first['slug']}")
    assert (moved.status_code, moved.headers["location"]) == (302, f"/l/{second['slug']}")

    other = await make.owner()
    for slug in (first["slug"], second["slug"]):
        problem = await put(api, other, 409, slug=slug)
        assert problem["code"] == "slug_taken"
        assert problem["errors"][0]["path"] == "/slug"
    back = await put(api, owner, slug=first["slug"])
    assert back["formerSlugs"] == [second["slug"]]
    for _ in range(manage.FORMER_MAX + 1):
        last = await put(api, owner)
    assert len(last["formerSlugs"]) == manage.FORMER_MAX
    await put(api, other, slug=second["slug"])  # the oldest is free


@pytest.mark.parametrize(
    ("fields", "path", "code"),
    [
        ({"slug": "admin"}, "/slug", "not_allowed"),
        ({"slug": "Bakery"}, "/slug", "format"),
        ({"slug": "a"}, "/slug", "too_short"),
        ({"links": [{"title": "x", "url": "http://shop.example.com"}]}, "/links/0/url", "format"),
        ({"links": [{"title": "x", "url": "javascript:alert(1)"}]}, "/links/0/url", "format"),
        ({"links": [{"title": "x", "url": "https://bank.example@evil.example/"}]}, "/links/0/url", "format"),
        ({"links": [{"title": "x", "url": "https://evil.example/\r\nSet-Cookie: a=b"}]}, "/links/0/url", "format"),
        ({"links": [{"title": "x", "url": SHOP, "id": "aaaaaaaa"}]}, "/links/0/id", "not_found"),
        ({"links": [{"title": "x", "url": SHOP, "mediaId": ids.example("med")}]}, "/links/0/mediaId", "not_found"),
        (
            {
                "links": [
                    {
                        "title": "x",
                        "url": SHOP,
                        "shownFrom": "2027-01-02T00:00:00Z",
                        "shownUntil": "2027-01-01T00:00:00Z",
                    }
                ]
            },
            "/links/0/shownUntil",
            "out_of_range",
        ),
    ],
)
async def test_what_cannot_be_saved_says_where_and_why(
    api: Api, owner: Login, fields: dict[str, Any], path: str, code: str
) -> None:
    problem = await put(api, owner, 422, **fields)
    assert [(issue["path"], issue["code"]) for issue in problem["errors"]] == [(path, code)]


async def test_pictures_of_links_are_small_and_signed(api: Api, owner: Login, visitor: httpx.AsyncClient) -> None:
    media_id = await upload(api, owner)
    await api.patch(f"/profiles/{owner.profile}", json={"avatarMediaId": media_id}, key=owner.key)
    page = await put(api, owner, links=[{"title": "Shop", "url": SHOP, "mediaId": media_id}])
    text = (await visitor.get(f"/l/{page['slug']}")).text
    pictures = {match.replace("&amp;", "&") for match in re.findall(r'<img[^>]* src="([^"]+)"', text)}
    assert len(pictures) == 1
    assert all("variant=thumbnail" in url for url in pictures)
    answer = await visitor.get(pictures.pop().removeprefix("http://127.0.0.1:8000"))
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("image/")


async def test_accounts_and_the_last_posts_are_shown_if_the_page_says_so(
    api: Api, make: Make, owner: Login, visitor: httpx.AsyncClient, database: Database
) -> None:
    account = await make.account(owner, username="bakery")
    posts = [
        await make.post(owner, text=text, publishMode="draft")
        for text in ("Rye bread", "White bread", "Never published")
    ]
    async with database.transaction() as db:
        await db.execute(
            "update account set platform = 'bluesky', profile_url = 'https://bsky.app/profile/bakery' where id = $1",
            ids.decode("acc", account["id"]),
        )
        for number, post in enumerate(posts[:2]):
            await db.execute(
                "update target set status = 'published', platform = 'bluesky', remote_id = id::text,"
                " published_at = now() + $2 * interval '1 s', url = 'https://bsky.app/post/' || $2 where post_id = $1",
                ids.decode("pst", post["id"]),
                number,
            )
    page = await put(api, owner, showsAccounts=True, latestPosts=5)
    text = (await visitor.get(f"/l/{page['slug']}")).text
    assert '<a href="https://bsky.app/profile/bakery" rel="me noopener"' in text
    assert "Bluesky: bakery" in text
    assert re.findall(r'href="(https://bsky.app/post/\d)"', text) == [
        "https://bsky.app/post/1",
        "https://bsky.app/post/0",
    ]
    assert "Never published" not in text

    await put(api, owner, slug=page["slug"], showsAccounts=False, latestPosts=0)
    text = (await visitor.get(f"/l/{page['slug']}")).text
    assert "bsky.app" not in text


async def test_a_full_page_is_small(api: Api, owner: Login, visitor: httpx.AsyncClient) -> None:
    """What a visitor waits for, without pictures: one document, and nothing else."""
    links = [{"title": f"A link of a usual length, number {n}", "url": SHOP} for n in range(50)]
    page = await put(api, owner, text="Fresh bread from seven. " * 10, links=links)
    answer = await visitor.get(f"/l/{page['slug']}")
    assert len(answer.content) < 15_000
    assert "stylesheet" not in answer.text


async def test_a_flood_from_one_address_is_refused(api: Api, owner: Login, visitor: httpx.AsyncClient) -> None:
    page = await put(api, owner)
    statuses: list[int] = []
    while statuses[-1:] != [429]:  # some tokens come back meanwhile, more of them on a slow machine
        statuses.append((await visitor.get(f"/l/{page['slug']}")).status_code)
        assert len(statuses) < 5_000
    assert len(statuses) > 300
    assert set(statuses[:-1]) == {200}


async def test_a_test_key_publishes_nothing(api: Api, make: Make) -> None:
    owner = await make.owner()
    test_key = owner.test_key
    problem = await put(api, owner, 403, key=test_key)
    assert problem["code"] == "test_mode_only_sandbox"
    page = await put(api, owner, key=test_key, isPublished=False)
    await put(api, owner, slug=page["slug"])
    await put(api, owner, 403, key=test_key, isPublished=False)
    refused = await api.delete(f"/profiles/{owner.profile}/link-page", key=test_key)
    assert refused.status_code == 403


@pytest.mark.parametrize(
    "color", ["#000000", "#ffffff", "#767676", "#ff0000", "#00ff00", "#0000ff", "#0f6e56", "#ffd54a"]
)
def test_text_on_a_colour_can_be_read(color: str) -> None:
    on = text_on(color)

    def luminance(value: str) -> float:
        parts = [int(value[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    light, dark = sorted((luminance(color), luminance(on)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5
    assert f"--on:{on}" in style_of(color)


@pytest.mark.parametrize(
    ("agent", "expected"),
    [(PHONE, False), ("", True), ("facebookexternalhit/1.1", True), ("Twitterbot/1.0", True), ("curl/8.5.0", True)],
)
def test_bots_say_what_they_are(agent: str, expected: bool) -> None:
    assert is_bot(agent) is expected
