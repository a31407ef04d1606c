"""Invitations: what a workspace creates, what a guest may do with the link and no more, and how each of them ends."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from tests.helpers.api import Api
from tests.helpers.authorization import REDIRECT_URL, AuthorizationFlow, authorization_flow
from tests.helpers.factories import Login, Make
from tests.helpers.sign_in_servers import api_of
from tests.helpers.unbuilt import without

from signalpost.context import AppContext
from signalpost.invites import states
from signalpost.kit import ids
from signalpost.kit.db import Database


@pytest.fixture
async def flow(context: AppContext, make: Make, database: Database) -> AsyncIterator[AuthorizationFlow]:
    async with authorization_flow(context, make, database) as opened:
        yield opened


async def invite(api: Api, owner: Login, *, key: str | None = None, **fields: Any) -> Any:
    body = {"profileId": owner.profile, "platforms": ["sandbox"]} | fields
    response = await api.post("/platform-invites", json=body, key=key or owner.key)
    assert response.status_code == 201, response.text
    return response.json()


async def listed(api: Api, owner: Login, invite_id: str) -> Any:
    listing = (await api.get("/platform-invites", key=owner.key)).json()["data"]
    [row] = [row for row in listing if row["id"] == invite_id]
    return row


async def connect(flow: AuthorizationFlow, created: Any, username: str, **query: str) -> Any:
    """Open the link as a guest, choose the sandbox, and fill in its form."""
    begun = await flow.browser.get(f"/api/v1/platform-invites/{created['token']}/connect", accept="*/*", params=query)
    assert begun.status_code == 200, begun.text
    page = await flow.browser.get(begun.json()["authUrl"])
    assert page.status_code == 200, page.text
    return await flow.browser.post(begun.json()["authUrl"], data={"username": username})


# --- what a workspace creates -----------------------------------------------------------------------------------------


async def test_the_link_is_shown_once_and_stored_as_a_hash(api: Api, make: Make, database: Database) -> None:
    owner = await make.owner()
    created = await invite(api, owner, label="Spring", email="ada@example.com", message="Please", language="de")
    row = await listed(api, owner, created["id"])
    stored = await database.pool.fetchval(
        "select row_to_json(i)::text from platform_invite i where id = $1", ids.decode("inv", created["id"])
    )

    assert created["url"].endswith(f"/platform-invites/{created['token']}")
    assert created == row | {"url": created["url"], "token": created["token"]}
    assert created["token"] not in stored
    assert (row["status"], row["maxConnections"], row["connections"]) == ("pending", 1, [])
    assert row["createdBy"]["type"] == "api_key"


@pytest.mark.parametrize(
    ("fields", "status", "path"),
    [
        ({"platforms": []}, 422, "/platforms"),
        ({"platforms": ["sandbox", "nowhere"]}, 422, "/platforms/1"),
        ({"platforms": ["sandbox", "sandbox"]}, 422, "/platforms/1"),
        ({"platforms": ["tumblr"]}, 409, None),
        ({"profileId": "prof_01ARZ3NDEKTSV4RRFFQ69G5FAV"}, 422, "/profileId"),
        ({"redirectUrl": "https://evil.example/"}, 422, "/redirectUrl"),
        ({"maxConnections": 51}, 422, "/maxConnections"),
        ({"expiresInHours": 721}, 422, "/expiresInHours"),
        ({"message": "x" * 501}, 422, "/message"),
        ({"branding": {"logoUrl": "https://example.com/logo.png; script-src *"}}, 422, "/branding/logoUrl"),
        ({"branding": {"color": "red;}"}}, 422, "/branding/color"),
    ],
)
async def test_what_cannot_be_invited(
    api: Api, make: Make, fields: Any, status: int, path: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, "tumblr")
    owner = await make.owner()
    body = {"profileId": owner.profile, "platforms": ["sandbox"]} | fields
    response = await api.post("/platform-invites", json=body, key=owner.key)

    assert response.status_code == status, response.text
    if path is not None:
        assert response.json()["errors"][0]["path"] == path
    assert (await api.get("/platform-invites", key=owner.key)).json()["data"] == []


async def test_the_plan_limits_open_invitations_and_branding(context: AppContext, make: Make) -> None:
    owner = await make.owner(plan="free")
    body = {"profileId": owner.profile, "platforms": ["sandbox"]}
    async with api_of(replace(context, settings=replace(context.settings, billing_enabled=True))) as api:
        created = await invite(api, owner)
        second = await api.post("/platform-invites", json=body, key=owner.key)
        await api.delete(f"/platform-invites/{created['id']}", key=owner.key)
        branded = await api.post("/platform-invites", json=body | {"branding": {"name": "Acme"}}, key=owner.key)
        await invite(api, owner)  # the revoked one counts no more

    assert (second.status_code, second.json()["limit"]["name"]) == (402, "platformInvites")
    assert (branded.status_code, branded.json()["code"]) == (402, "plan_feature_unavailable")


async def test_a_test_key_has_its_own_invitations(api: Api, make: Make) -> None:
    owner = await make.owner()
    live, test = await invite(api, owner), await invite(api, owner, key=owner.test_key)
    body = {"profileId": owner.profile, "platforms": ["mastodon"]}
    refused = await api.post("/platform-invites", json=body, key=owner.test_key)

    seen = (await api.get("/platform-invites", key=owner.test_key)).json()["data"]
    assert [row["id"] for row in seen] == [test["id"]]
    assert (await api.delete(f"/platform-invites/{live['id']}", key=owner.test_key)).status_code == 404
    assert (refused.status_code, refused.json()["code"]) == (403, "test_mode_only_sandbox")


# --- what a guest sees and does ---------------------------------------------------------------------------------------


async def test_a_guest_connects_an_account_with_nothing_but_the_link(flow: AuthorizationFlow) -> None:
    created = await invite(flow.api, flow.owner, message="Please connect the bakery.")
    path = f"/api/v1/platform-invites/{created['token']}"
    validation = (await flow.browser.get(f"{path}/validate", accept="*/*")).json()
    page = await flow.browser.get(created["url"])
    before = await listed(flow.api, flow.owner, created["id"])
    chosen = await flow.browser.post(created["url"], data={"platform": "sandbox"})
    opened = await listed(flow.api, flow.owner, created["id"])
    connected = await flow.browser.post(chosen.headers["location"], data={"username": "bakery"})
    [account] = await flow.accounts()
    row = await listed(flow.api, flow.owner, created["id"])

    assert (validation["valid"], validation["status"]) == (True, "pending")
    assert validation["platforms"] == [{"platform": "sandbox", "connected": False, "available": True}]
    assert set(validation) == {
        "valid", "status", "platforms", "profileName", "workspaceName", "inviterName", "branding", "message",
        "expiresAt",
    }  # fmt: skip
    assert "Please connect the bakery." in page.text
    assert before["status"] == "pending"  # neither the page nor `validate` has changed anything
    assert (chosen.status_code, opened["status"]) == (303, "opened")
    assert (connected.status_code, "Connected" in connected.text) == (200, True)
    assert (account["username"], account["connectedVia"]) == ("bakery", "invite")
    assert (row["status"], [item["accountId"] for item in row["connections"]]) == ("completed", [account["id"]])


async def test_a_guest_connects_at_a_network_and_learns_nothing_else(flow: AuthorizationFlow) -> None:
    created = await invite(flow.api, flow.owner, platforms=["mastodon"])
    url = f"/api/v1/platform-invites/{created['token']}/connect"
    begun = (await flow.browser.get(url, accept="*/*", params={"instanceUrl": flow.url})).json()
    code = flow.network.consent(await flow.click(begun["authUrl"]))
    await flow.start()  # tells the address of the callback, which is the same for all flows at this server
    response = await flow.callback({"state": begun["state"], "code": code})

    assert response.json()["status"] == "connected", response.text
    assert response.json()["account"] is None
    [account] = await flow.accounts()
    assert (account["platform"], account["connectedVia"]) == ("mastodon", "invite")


async def test_a_guest_of_bluesky_may_name_a_server_and_gives_nobody_a_password(flow: AuthorizationFlow) -> None:
    created = await invite(flow.api, flow.owner, platforms=["bluesky", "mastodon"])
    page = (await flow.browser.get(created["url"])).text
    fields = dict(re.findall(r'<input id="server-(\w+)"([^>]*)>', page))
    url = f"/api/v1/platform-invites/{created['token']}/connect"
    begun = (await flow.browser.get(url, accept="*/*", params={"platform": "bluesky"})).json()
    start = (await flow.browser.get(begun["authUrl"])).text

    assert {name: "required" in rest for name, rest in fields.items()} == {"bluesky": False, "mastodon": True}
    assert "Continue to bsky.social" in start
    assert "password" not in start


async def test_a_mistake_in_the_form_costs_nothing(flow: AuthorizationFlow) -> None:
    created = await invite(flow.api, flow.owner)
    wrong = await connect(flow, created, "<script>")
    assert (wrong.status_code, "A user name has" in wrong.text, "<script>" in wrong.text) == (422, True, False)
    assert await flow.accounts() == []
    assert (await connect(flow, created, "bakery")).status_code == 200


async def test_several_platforms_and_the_same_account_twice(flow: AuthorizationFlow) -> None:
    created = await invite(flow.api, flow.owner, platforms=["sandbox", "mastodon"], maxConnections=2)
    statuses = []
    for name in ("one", "one", "two", "three"):
        url = f"/api/v1/platform-invites/{created['token']}/connect"
        begun = await flow.browser.get(url, accept="*/*", params={"platform": "sandbox"})
        if begun.status_code == 200:
            await flow.browser.post(begun.json()["authUrl"], data={"username": name})
        statuses.append((begun.status_code, (await listed(flow.api, flow.owner, created["id"]))["status"]))
    unnamed = await flow.browser.get(f"/api/v1/platform-invites/{created['token']}/connect", accept="*/*")

    assert statuses == [
        (200, "partially_connected"), (200, "partially_connected"), (200, "completed"), (410, "completed"),
    ]  # fmt: skip
    assert unnamed.json()["code"] == "invite_used"
    assert {account["username"] for account in await flow.accounts()} == {"one", "two"}


async def test_guests_at_the_same_time_share_the_last_place(flow: AuthorizationFlow) -> None:
    created = await invite(flow.api, flow.owner)
    url = f"/api/v1/platform-invites/{created['token']}/connect"
    begun = [(await flow.browser.get(url, accept="*/*")).json()["authUrl"] for _ in range(4)]
    replies = await asyncio.gather(
        *[flow.browser.post(link, data={"username": f"guest-{number}"}) for number, link in enumerate(begun)]
    )

    assert sorted(reply.status_code for reply in replies) == [200, 410, 410, 410]
    assert len(await flow.accounts()) == 1


BRANDING = {
    "name": "Acme & Sons", "logoUrl": "https://cdn.example.com/logo.png", "color": "#1f6feb", "hidePoweredBy": True,
}  # fmt: skip


async def test_the_page_carries_the_branding(flow: AuthorizationFlow) -> None:
    created = await invite(flow.api, flow.owner, branding=BRANDING, message='<img src=x onerror="alert(1)">')
    page = await flow.browser.get(created["url"])
    policy = page.headers["content-security-policy"]

    assert "Acme &amp; Sons" in page.text
    assert 'src="https://cdn.example.com/logo.png"' in page.text
    assert "border-top:6px solid #1f6feb" in page.text
    assert "with Signalpost" not in page.text
    assert "<img src=x" not in page.text
    assert "img-src 'self' https://cdn.example.com;" in policy
    assert "unsafe-inline" not in policy
    assert "script-src" not in policy  # none at all, by default-src


async def test_a_browser_that_opens_the_endpoint_gets_the_page(flow: AuthorizationFlow) -> None:
    created = await invite(flow.api, flow.owner)
    page = await flow.browser.get(f"/api/v1/platform-invites/{created['token']}/connect")

    assert page.headers["content-type"].startswith("text/html")
    assert created["url"] in page.text
    assert (await listed(flow.api, flow.owner, created["id"]))["status"] == "pending"


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "", "Origin": "null"}])
async def test_another_site_cannot_choose(flow: AuthorizationFlow, headers: dict[str, str]) -> None:
    created = await invite(flow.api, flow.owner)
    response = await flow.browser.post(created["url"], data={"platform": "sandbox"}, headers=headers)
    assert response.status_code == 403


@pytest.mark.parametrize("token", ["A" * 43, "x", "%00", "A" * 190])
async def test_an_unknown_link_is_not_found(flow: AuthorizationFlow, token: str) -> None:
    for path in ("validate", "connect"):
        response = await flow.browser.get(f"/api/v1/platform-invites/{token}/{path}", accept="*/*")
        assert response.status_code == 404, response.text
    assert (await flow.browser.get(f"/platform-invites/{token}")).status_code == 404


@pytest.mark.parametrize("platform", ["mastodon", "nowhere"])
async def test_a_guest_connects_only_what_they_are_invited_to(flow: AuthorizationFlow, platform: str) -> None:
    created = await invite(flow.api, flow.owner)
    url = f"/api/v1/platform-invites/{created['token']}/connect"
    response = await flow.browser.get(url, accept="*/*", params={"platform": platform})
    assert (response.status_code, response.json()["errors"][0]["path"]) == (422, "platform")


async def test_a_guest_with_many_wrong_links_is_slowed_down(api: Api) -> None:
    """Tokens of 256 bits are not guessed; the limit by address keeps anybody from trying."""
    headers = {"X-Forwarded-For": "203.0.113.77"}
    statuses = [
        (await api.get(f"/platform-invites/{number:043}/validate", headers=headers)).status_code for number in range(40)
    ]
    assert 429 in statuses


# --- how an invitation ends -------------------------------------------------------------------------------------------

EXPIRE = "update platform_invite set expires_at = now() where id = $1"
DELETE_PROFILE = (
    "update profile set deleted_at = now() where id = (select profile_id from platform_invite where id = $1)"
)
STORE = "update platform_invite set status = $2 where id = $1"
OPEN = sorted(states.OPEN)


@pytest.mark.parametrize("state", [*OPEN, "completed", "revoked", "expired"])
async def test_every_state_ends_as_the_table_says(flow: AuthorizationFlow, state: str) -> None:
    """Each move that the table knows is tried from each state; a final state stays what it is."""
    moves = {
        "revoked": lambda created: flow.api.delete(f"/platform-invites/{created['id']}", key=flow.owner.key),
        "completed": lambda created: connect_quietly(flow, created),
        "expired": lambda created: flow.database.pool.execute(EXPIRE, key_of(created)),
    }
    for to, move in moves.items():
        created = await invite(flow.api, flow.owner)
        if state == "expired":
            await flow.database.pool.execute(EXPIRE, key_of(created))
        else:
            await flow.database.pool.execute(STORE, key_of(created), state)
        await move(created)
        row = await listed(flow.api, flow.owner, created["id"])
        allowed = to in states.MOVES[state]  # type: ignore[index]  # a key of the table
        assert row["status"] == (to if allowed else state), (state, to)
        assert (row["revokedAt"] is not None) == (allowed and to == "revoked")


def key_of(created: Any) -> UUID | None:
    return ids.decode("inv", created["id"])


async def connect_quietly(flow: AuthorizationFlow, created: Any) -> None:
    url = f"/api/v1/platform-invites/{created['token']}/connect"
    begun = await flow.browser.get(url, accept="*/*")
    if begun.status_code == 200:
        await flow.browser.post(begun.json()["authUrl"], data={"username": f"guest-{created['id'][-8:]}"})


ENDINGS = {
    "expired": (EXPIRE, "invite_expired"),
    "revoked": ("update platform_invite set status = 'revoked' where id = $1", "invite_revoked"),
    "completed": ("update platform_invite set status = 'completed' where id = $1", "invite_used"),
    "profile deleted": (DELETE_PROFILE, "invite_revoked"),
}


@pytest.mark.parametrize("ending", ENDINGS)
async def test_an_ended_invitation_leads_nowhere(flow: AuthorizationFlow, ending: str) -> None:
    """Not from its link, not from a start page that was opened before, and not from the network either."""
    sql, code = ENDINGS[ending]
    created = await invite(flow.api, flow.owner, platforms=["sandbox", "mastodon"])
    url = f"/api/v1/platform-invites/{created['token']}"
    form = (await flow.browser.get(f"{url}/connect", accept="*/*", params={"platform": "sandbox"})).json()
    params = {"platform": "mastodon", "instanceUrl": flow.url}
    begun = (await flow.browser.get(f"{url}/connect", accept="*/*", params=params)).json()
    await flow.start()  # tells the address of the callback
    code_of_network = flow.network.consent(await flow.click(begun["authUrl"]))
    await flow.database.pool.execute(sql, key_of(created))

    validation = (await flow.browser.get(f"{url}/validate", accept="*/*")).json()
    connecting = await flow.browser.get(f"{url}/connect", accept="*/*", params={"platform": "sandbox"})
    page = await flow.browser.get(created["url"])
    filled_in = await flow.browser.post(form["authUrl"], data={"username": "bakery"})
    returned = await flow.callback({"state": begun["state"], "code": code_of_network})

    assert validation["valid"] is False
    assert (connecting.status_code, connecting.json()["code"]) == (410, code)
    assert (page.status_code, filled_in.status_code) == (410, 410)
    assert (returned.status_code, returned.json()["code"]) == (410, code)
    assert (flow.network.exchanges, await stored(flow)) == (0, 0)


async def stored(flow: AuthorizationFlow) -> Any:
    return await flow.database.pool.fetchval(
        "select count(*) from account where workspace_id = $1", flow.owner.workspace_id
    )


async def test_a_guest_depends_on_who_invited_them(flow: AuthorizationFlow, make: Make) -> None:
    editor = await make.member(flow.owner, role="editor")
    editor.profile = flow.owner.profile
    created = await invite(flow.api, editor)
    url = f"/api/v1/platform-invites/{created['token']}/connect"
    begun = (await flow.browser.get(url, accept="*/*")).json()
    await flow.database.pool.execute("update member set role = 'viewer' where user_id = $1", editor.user_id)
    response = await flow.browser.post(begun["authUrl"], data={"username": "bakery"})

    assert response.status_code == 403
    assert await stored(flow) == 0


async def test_revoking_twice_and_the_accounts_that_stay(flow: AuthorizationFlow) -> None:
    created = await invite(flow.api, flow.owner, maxConnections=5)
    await connect(flow, created, "bakery")
    path = f"/platform-invites/{created['id']}"
    statuses = [(await flow.api.delete(path, key=flow.owner.key)).status_code for _ in range(2)]

    assert statuses == [204, 204]
    assert [account["status"] for account in await flow.accounts()] == ["active"]


async def test_after_connecting_the_guest_goes_where_the_workspace_says(flow: AuthorizationFlow) -> None:
    created = await invite(flow.api, flow.owner, redirectUrl=REDIRECT_URL)
    connected = await connect(flow, created, "bakery")
    assert "https://app.example.com/connected?tab=1&amp;status=connected" in connected.text


async def test_the_list_can_be_of_one_profile(api: Api, make: Make) -> None:
    owner, stranger = await make.owner(), await make.owner()
    other = (await api.post("/profiles", json={"name": "Second"}, key=owner.key)).json()["id"]
    mine, theirs = await invite(api, owner), await invite(api, owner, profileId=other)

    for profile, wanted in ((owner.profile, [mine]), (other, [theirs]), (None, [theirs, mine])):
        answer = await api.get("/platform-invites", key=owner.key, params={"profileId": profile} if profile else {})
        assert [row["id"] for row in answer.json()["data"]] == [row["id"] for row in wanted]
    unknown = await api.get("/platform-invites", key=owner.key, params={"profileId": stranger.profile})
    assert (unknown.status_code, unknown.json()["errors"][0]["path"]) == (404, "profileId")
