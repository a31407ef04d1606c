"""Networks whose grants have several places to post to: the choice, more of them later, and the tokens they share."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from tests.helpers.authorization import HTML, REDIRECT_URL, AuthorizationFlow, Browser, authorization_flow
from tests.helpers.blocked import until_blocked
from tests.helpers.factories import Make
from tests.helpers.sign_in_servers import api_of, context_with

from signalpost import networks
from signalpost.accounts import moves, queries
from signalpost.accounts.actions import pages
from signalpost.accounts.secrets import seal
from signalpost.accounts.token_store import open_session
from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.networks.contract import Destination, Identity, LinkedInstagram, NetworkSession


@dataclass
class PageNetwork:
    """What the network says: whose grant it is, which pages it covers, and how often its tokens were renewed."""

    pages: dict[str, str] = field(default_factory=lambda: {"p1": "Bakery", "p2": "Café", "p3": "Closed"})
    person_posts: bool = False
    listed_with: list[Mapping[str, str]] = field(default_factory=list)
    renewals: int = 0
    hold: asyncio.Event | None = None
    """Until then nobody learns their pages; `most` is how many asked at once."""
    under_way: int = 0
    most: int = 0

    async def exchange(self, server: Any, app: Any, code: Any) -> Identity:
        """Redeem the code at the server of the flow; the tokens are those of a person."""
        mastodon = networks.CONNECTORS["mastodon"].oauth
        assert mastodon is not None
        identity = await mastodon.exchange(server, app, code)
        return replace(
            identity,
            remote_id="person-1",
            username="ada",
            secrets={"accessToken": identity.secrets["accessToken"], "refreshToken": "r0"},
            token_expires_at=clock.now() + timedelta(days=60),
            refreshable=True,
        )

    async def destinations(self, session: NetworkSession) -> list[Destination]:
        self.listed_with.append(dict(session.secrets))
        if self.hold is not None:
            self.under_way += 1
            self.most = max(self.most, self.under_way)
            await self.hold.wait()
            self.under_way -= 1
        person = Identity(remote_id="person-1", username="ada", display_name="Ada", secrets={})
        pages = [
            Destination(
                identity=Identity(
                    remote_id=key, username=name.lower(), display_name=name, kind="page",
                    secrets={"accessToken": f"page-token-{key}"},
                ),
                category="Shop",
                tasks=("CREATE_CONTENT",),
                can_post=key != "p3",
                linked_instagram=LinkedInstagram(id="17", username="bakery.ig") if key == "p1" else None,
            )
            for key, name in self.pages.items()
        ]  # fmt: skip
        return [Destination(identity=person), *pages] if self.person_posts else pages

    async def refresh(self, session: NetworkSession) -> None:
        """Each refresh token works once."""
        assert session.secrets["refreshToken"] == f"r{self.renewals}", "a spent token kills the grant"
        assert not session.secrets["accessToken"].startswith("page-token"), "the grant is renewed, not a page"
        self.renewals += 1
        renewed = {"accessToken": f"person-token-{self.renewals}", "refreshToken": f"r{self.renewals}"}
        await session.save_tokens(renewed, clock.now() + timedelta(days=60))


@dataclass
class Staged:
    flow: AuthorizationFlow
    network: PageNetwork

    async def come_back(self, accept: str = "application/json", **query: str) -> Any:
        """Connect as a person does, up to the callback."""
        params = {"profileId": self.flow.owner.profile} | query
        begun = (await self.flow.api.get("/platforms/facebook/auth-url", params=params, key=self.flow.owner.key)).json()
        assert "url" in begun, begun
        code = self.flow.network.consent(await self.flow.click(begun["url"]))
        path = urlsplit(begun["redirectUri"]).path
        return await self.flow.callback({"state": begun["state"], "code": code}, path, accept=accept)

    async def switch(self, page_id: str, **fields: Any) -> Any:
        body = {"profileId": self.flow.owner.profile, "pageId": page_id} | fields
        return await self.flow.api.post("/platforms/facebook/switch-page", json=body, key=self.flow.owner.key)

    async def pages(self) -> Any:
        params = {"profileId": self.flow.owner.profile}
        return await self.flow.api.get("/platforms/facebook/pages", params=params, key=self.flow.owner.key)

    async def secrets(self, account_id: str) -> Mapping[str, str]:
        async with self.flow.database.connection() as db:
            row = await queries.by_id(db, uuid_of(account_id))
        assert row is not None
        return (await open_session(self.flow.context, row)).secrets


def uuid_of(account_id: str) -> UUID:
    value = ids.decode("acc", account_id)
    assert value is not None
    return value


@asynccontextmanager
async def staging(
    context: AppContext, make: Make, database: Database, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Staged]:
    mastodon, network = networks.CONNECTORS["mastodon"], PageNetwork()
    assert mastodon.oauth is not None
    staged = replace(
        mastodon,
        facts=replace(
            mastodon.facts, key="facebook", name="Facebook", base_url="https://facebook.test", app_credentials=True
        ),
        oauth=replace(mastodon.oauth, register=None, own_server=False, exchange=network.exchange),
        destinations=network.destinations,
        refresh=network.refresh,
    )
    monkeypatch.setitem(networks.CONNECTORS, "facebook", staged)
    async with authorization_flow(context, make, database) as flow:
        operated = {"FACEBOOK_BASE_URL": flow.url, "FACEBOOK_CLIENT_ID": "id", "FACEBOOK_CLIENT_SECRET": "secret"}
        flow.context = context_with(flow.context, **operated)
        async with api_of(flow.context) as flow.api:
            flow.network.apps["id"] = f"{flow.origin}/api/v1/platforms/facebook/callback"
            flow.browser = Browser(flow.api, flow.origin)
            flow.browsers.append(flow.browser)
            yield Staged(flow, network)


@pytest.fixture
async def staged(
    context: AppContext, make: Make, database: Database, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Staged]:
    async with staging(context, make, database, monkeypatch) as opened:
        yield opened


async def test_several_pages_have_to_be_chosen_from(staged: Staged) -> None:
    returned = (await staged.come_back()).json()
    before = await staged.flow.accounts()
    chosen = await staged.switch("p1", selectionToken=returned["selectionToken"])
    again = await staged.switch("p2", selectionToken=returned["selectionToken"])

    assert (returned["status"], returned["account"], before) == ("selection_required", None, [])
    assert returned["candidates"][0] == {
        "pageId": "p1", "name": "Bakery", "kind": "page", "username": "bakery", "category": "Shop", "pictureUrl": None,
        "canPost": True, "connected": False, "accountId": None, "tasks": ["CREATE_CONTENT"],
        "linkedInstagram": {"id": "17", "username": "bakery.ig"},
    }  # fmt: skip
    assert (chosen.status_code, chosen.json()["platformAccountId"], chosen.json()["kind"]) == (201, "p1", "page")
    assert (again.status_code, again.json()["code"]) == (400, "oauth_state_invalid")  # it works once
    assert (await staged.secrets(chosen.json()["id"]))["accessToken"] == "page-token-p1"


async def test_a_person_chooses_on_a_page(staged: Staged) -> None:
    moved_on = await staged.come_back(HTML, redirectUrl=REDIRECT_URL)
    token = moved_on.text.partition("/connect/")[2].partition("/choose")[0]
    url = f"/connect/{token}/choose"
    page = await staged.flow.browser.get(url)
    foreign = await staged.flow.browser.post(url, data={"pageId": "p1"}, headers={"Sec-Fetch-Site": "cross-site"})
    unknown = await staged.flow.browser.post(url, data={"pageId": "p9"})
    chosen = await staged.flow.browser.post(url, data={"pageId": "p2"})
    over = [await staged.flow.browser.get(url), await staged.flow.browser.post(url, data={"pageId": "p1"})]

    assert (page.status_code, "Connect Café" in page.text, "disabled>Connect Closed" in page.text) == (200, True, True)
    assert (foreign.status_code, unknown.status_code) == (403, 422)
    assert "https://app.example.com/connected?tab=1&amp;status=connected" in chosen.text
    assert [response.status_code for response in over] == [410, 410]
    assert [account["platformAccountId"] for account in await staged.flow.accounts()] == ["p2"]


async def test_a_choice_leads_to_no_address_that_was_taken_off_the_list(staged: Staged) -> None:
    moved_on = await staged.come_back(HTML, redirectUrl=REDIRECT_URL)
    token = moved_on.text.partition("/connect/")[2].partition("/choose")[0]
    async with staged.flow.database.connection() as db:
        await db.execute("update workspace set redirect_urls = '{}' where id = $1", staged.flow.owner.workspace_id)
    chosen = await staged.flow.browser.post(f"/connect/{token}/choose", data={"pageId": "p2"})
    assert (chosen.status_code, "is connected" in chosen.text, "app.example.com" in chosen.text) == (200, True, False)


async def test_the_only_page_needs_no_choice(staged: Staged) -> None:
    staged.network.pages = {"p1": "Bakery"}
    returned = (await staged.come_back()).json()
    assert (returned["status"], returned["account"]["platformAccountId"]) == ("connected", "p1")


async def test_a_grant_without_a_page_connects_nothing(staged: Staged) -> None:
    staged.network.pages = {}
    returned = (await staged.come_back()).json()
    assert (returned["status"], returned["error"]) == ("failed", "validation_failed")
    assert "select at least one" in returned["errorDescription"]
    assert await staged.flow.accounts() == []


async def test_more_pages_of_one_grant_hang_on_the_first(staged: Staged) -> None:
    returned = (await staged.come_back()).json()
    first = (await staged.switch("p1", selectionToken=returned["selectionToken"])).json()
    second = await staged.switch("p2")
    pages = (await staged.pages()).json()["data"]
    unknown = await staged.switch("p9")

    assert (second.status_code, second.json()["parentAccountId"], first["parentAccountId"]) == (201, first["id"], None)
    assert [(page["pageId"], page["connected"]) for page in pages] == [("p1", True), ("p2", True), ("p3", False)]
    assert [page["accountId"] for page in pages] == [first["id"], second.json()["id"], None]
    assert (unknown.status_code, unknown.json()["errors"][0]["path"]) == (422, "/pageId")
    for secrets in staged.network.listed_with:  # a page's token lists no pages: the person's does
        assert secrets["accessToken"].startswith("token-")


async def test_a_person_who_posts_as_themselves_is_the_parent(staged: Staged) -> None:
    staged.network.person_posts = True
    returned = (await staged.come_back()).json()
    page = (await staged.switch("p1", selectionToken=returned["selectionToken"])).json()
    person = (await staged.switch("person-1")).json()
    other = (await staged.switch("p2")).json()

    assert (page["parentAccountId"], person["parentAccountId"]) == (None, None)
    assert other["parentAccountId"] == person["id"]


async def test_without_a_grant_there_are_no_pages(staged: Staged) -> None:
    assert (await staged.pages()).json()["data"] == []
    assert (await staged.switch("p1")).status_code == 422
    unknown = {"profileId": "prof_01ARZ3NDEKTSV4RRFFQ69G5FAV"}
    response = await staged.flow.api.get("/platforms/facebook/pages", params=unknown, key=staged.flow.owner.key)
    assert (response.status_code, response.json()["errors"][0]["path"]) == (404, "profileId")


async def test_accounts_of_one_grant_are_renewed_once_for_all(staged: Staged) -> None:
    """The refresh token works once: if each page renewed its own copy, the second would kill the grant."""
    returned = (await staged.come_back()).json()
    first = (await staged.switch("p1", selectionToken=returned["selectionToken"])).json()
    second = (await staged.switch("p2")).json()
    refresh = networks.CONNECTORS["facebook"].refresh
    assert refresh is not None
    async with staged.flow.database.connection() as db:
        rows = [await queries.by_id(db, uuid_of(account["id"])) for account in (first, second)]
    sessions = [await open_session(staged.flow.context, row) for row in rows * 3 if row is not None]
    await asyncio.gather(*[session.renew(refresh) for session in sessions])

    assert staged.network.renewals == 1
    for account, page in ((first, "p1"), (second, "p2")):
        secrets = await staged.secrets(account["id"])
        assert (secrets["refreshToken"], secrets["accessToken"]) == ("r1", f"page-token-{page}")
    assert {session.secrets["refreshToken"] for session in sessions} == {"r1"}


async def test_connecting_again_repairs_all_accounts_of_the_grant(staged: Staged) -> None:
    returned = (await staged.come_back()).json()
    first = (await staged.switch("p1", selectionToken=returned["selectionToken"])).json()
    second = (await staged.switch("p2")).json()
    async with staged.flow.database.transaction() as db:
        for account in (first, second):
            await moves.mark_needs_reauth(db, uuid_of(account["id"]), "The password was changed.")
    returned = (await staged.come_back(accountId=second["id"])).json()  # the one to reconnect needs no choice

    assert (returned["status"], returned["account"]["id"]) == ("connected", second["id"])
    accounts = {account["id"]: account["status"] for account in await staged.flow.accounts()}
    assert accounts == {first["id"]: "active", second["id"]: "active"}
    tokens = [(await staged.secrets(account["id"]))["accessToken"] for account in (first, second)]
    assert tokens == ["page-token-p1", "page-token-p2"]


async def test_connecting_takes_accounts_in_the_order_of_all(staged: Staged) -> None:
    """The page had another grant. Whoever else locks several accounts, in the order of their ids, meets no deadlock."""
    returned = (await staged.come_back()).json()
    first = (await staged.switch("p1", selectionToken=returned["selectionToken"])).json()
    second = (await staged.switch("p2")).json()
    ours, shared = sorted(uuid_of(account["id"]) for account in (first, second))
    page = "p1" if uuid_of(first["id"]) == ours else "p2"
    database, lock = staged.flow.database, "select from account where id = $1 for no key update"
    async with database.transaction() as db:
        await db.execute("update account set grant_remote_id = 'person-9' where id = $1", ours)
    async with database.transaction() as db:
        await db.execute(lock, ours)
        connecting = asyncio.create_task(staged.switch(page))
        await until_blocked(database, db)
        await db.execute(f"{lock} nowait", shared)
    connected = await connecting

    assert connected.status_code == 201, connected.text
    async with database.connection() as db:
        grants = await db.fetch("select distinct grant_remote_id from account where id = any($1)", [ours, shared])
    assert [row["grant_remote_id"] for row in grants] == ["person-1"]


async def test_a_grant_that_does_not_cover_the_account_to_reconnect_is_refused(staged: Staged) -> None:
    returned = (await staged.come_back()).json()
    first = (await staged.switch("p1", selectionToken=returned["selectionToken"])).json()
    staged.network.pages = {"p2": "Café"}
    returned = (await staged.come_back(accountId=first["id"])).json()

    assert (returned["status"], returned["error"]) == ("failed", "validation_failed")
    assert len(await staged.flow.accounts()) == 1


LOST = {
    "expired": ("update oauth_flow set expires_at = now() where choices is not null", 400),
    "profile deleted": ("update profile set deleted_at = now() where workspace_id = $1", 404),
    "demoted": ("update member set role = 'viewer' where workspace_id = $1", 403),
    "key revoked": ("update api_key set revoked_at = now() where workspace_id = $1", 403),
}


@pytest.mark.parametrize("name", LOST)
async def test_a_choice_that_may_no_longer_be_made(staged: Staged, name: str) -> None:
    sql, status = LOST[name]
    returned = (await staged.come_back()).json()
    arguments = [staged.flow.owner.workspace_id] if "$1" in sql else []
    await staged.flow.database.pool.execute(sql, *arguments)
    url = f"/connect/{returned['selectionToken']}/choose"
    response = await staged.flow.browser.post(url, data={"pageId": "p1"})

    assert response.status_code == (410 if status == 400 else status)
    stored = "select count(*) from account where workspace_id = $1"
    assert await staged.flow.database.pool.fetchval(stored, staged.flow.owner.workspace_id) == 0


async def test_a_choice_is_of_one_workspace_profile_and_platform(staged: Staged, make: Make) -> None:
    returned = (await staged.come_back()).json()
    token, other = returned["selectionToken"], await make.owner()
    body = {"profileId": other.profile, "pageId": "p1", "selectionToken": token}
    stranger = await staged.flow.api.post("/platforms/facebook/switch-page", json=body, key=other.key)
    profile = (await make.profile(staged.flow.owner))["id"]
    elsewhere = await staged.switch("p1", selectionToken=token, profileId=profile)
    as_state = await staged.flow.callback({"state": token, "code": "x"}, "/api/v1/platforms/facebook/callback")

    assert [response.status_code for response in (stranger, elsewhere, as_state)] == [400, 400, 400]
    assert (await staged.switch("p1", selectionToken=token)).status_code == 201  # and is still good


async def test_what_waits_for_the_choice_is_sealed_and_wiped(staged: Staged) -> None:
    returned = (await staged.come_back()).json()
    read = "select choices from oauth_flow where workspace_id = $1 and platform = 'facebook' order by created_at desc"
    waiting = await staged.flow.database.pool.fetchval(read, staged.flow.owner.workspace_id)
    await staged.switch("p1", selectionToken=returned["selectionToken"])

    assert b"page-token" not in waiting
    assert await staged.flow.database.pool.fetchval(read, staged.flow.owner.workspace_id) is None


async def many_grants(staged: Staged) -> UUID:
    """Connect 20 more accounts, each of a grant of its own; return the id of one whose grant is dead."""
    first = (await staged.come_back()).json()
    assert (await staged.switch("p1", selectionToken=first["selectionToken"])).status_code == 201
    copies = """
    insert into account (id, workspace_id, profile_id, platform, kind, remote_id, username, display_name, status,
        connected_via, grant_remote_id, secrets)
    select gen_random_uuid(), workspace_id, profile_id, platform, kind, 'r' || n, 'u' || n, 'U', 'active', 'api',
        'g' || n, secrets
    from account, generate_series(1, 20) n where workspace_id = $1
    returning id
    """
    pool, workspace_id = staged.flow.database.pool, staged.flow.owner.workspace_id
    dead, *others = [record["id"] for record in await pool.fetch(copies, workspace_id)]  # what is sealed opens one row
    secrets = await staged.secrets(await _account_id(staged))
    for other in others:
        sealed = seal(staged.flow.context.keys, workspace_id, other, secrets)
        await pool.execute("update account set secrets = $2 where id = $1", other, sealed)
    return dead


async def test_the_pages_of_many_grants_are_asked_for_at_once(staged: Staged) -> None:
    """Some at a time; one dead grant does not hide the others."""
    dead = await many_grants(staged)
    staged.network.hold = asyncio.Event()
    asked = asyncio.create_task(staged.pages())
    while staged.network.under_way < pages.GRANTS_AT_ONCE:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)  # for more of them, if there were any
    staged.network.hold.set()
    answered = (await asked).json()["data"]

    assert {page["pageId"] for page in answered} == {"p1", "p2", "p3"}, dead
    assert staged.network.most == pages.GRANTS_AT_ONCE


async def test_the_pages_of_many_grants_are_asked_for_within_one_deadline(
    staged: Staged, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slow ones are not waited for in turn."""
    await many_grants(staged)
    staged.network.hold = asyncio.Event()
    monkeypatch.setattr(pages, "ASK_SECONDS_MAX", 0.3)
    late = await staged.pages()

    assert (late.status_code, late.json()["code"]) == (504, "platform_timeout")


async def _account_id(staged: Staged) -> str:
    listing = await staged.flow.api.get("/platforms/accounts/all", key=staged.flow.owner.key)
    return next(str(row["id"]) for row in listing.json()["data"] if row["platformAccountId"] == "p1")
