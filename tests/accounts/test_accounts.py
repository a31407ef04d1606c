import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from secrets import token_hex
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost import events, networks
from signalpost.accounts.actions import publications
from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Database, Db
from signalpost.networks.contract import Option
from signalpost.profiles.schemas import LanguageTag


async def connect(api: Api, login: Login, username: str = "bakery", **more: Any) -> Any:
    body = {"profileId": login.profile, "fields": {"username": username}} | more
    return await api.post("/platforms/sandbox/connect", json=body, key=more.pop("key", login.key))


async def test_an_account_has_every_field_of_the_contract(api: Api, make: Make) -> None:
    owner = await make.owner()
    response = await connect(api, owner)
    account = response.json()

    assert response.status_code == 201
    assert account == {
        "id": account["id"],
        "profileId": owner.profile,
        "platform": "sandbox",
        "kind": "personal",
        "platformAccountId": "bakery",
        "username": "bakery",
        "displayName": "bakery",
        "avatarUrl": None,
        "profileUrl": "https://sandbox.invalid/@bakery",
        "status": "active",
        "statusReason": None,
        "connectedVia": "sandbox",
        "parentAccountId": None,
        "scopes": [],
        "capabilities": {
            "text": True, "image": True, "video": True, "carousel": True, "story": False, "thread": True,
            "firstComment": True, "delete": True, "analytics": True, "mentions": True, "maxTextLength": 5000,
            "comments": {
                "read": True, "reply": True, "hide": True, "like": True, "delete": True, "pushed": False, "note": None,
                "replyText": {
                    "maxLength": 5000, "unit": "grapheme", "bytesMax": None, "urlLength": None,
                    "mentionsCountLocalPartOnly": False, "mentionsAuthor": False,
                },
            },
        },
        "tokenExpiresAt": None,
        "refreshable": False,
        "lastPublishedAt": None,
        "lastCheckedAt": None,
        "followers": None,
        "dailyLimit": None,
        "postsToday": 0,
        "overLimit": False,
        "language": None,
        "createdAt": account["createdAt"],
        "updatedAt": account["updatedAt"],
    }  # fmt: skip
    assert (await api.get("/platforms/accounts/all", key=owner.key)).json()["data"] == [account]
    by_profile = await api.get(f"/platforms/accounts?profileId={owner.profile}", key=owner.key)
    assert by_profile.json() == {"data": [account], "nextCursor": None, "hasMore": False}


async def test_the_same_platform_account_again_is_the_same_account(api: Api, make: Make) -> None:
    owner = await make.owner()
    received = listen(make, events.AccountConnected, owner)
    first = (await connect(api, owner)).json()
    again = (await connect(api, owner, "Bakery", accountId=first["id"])).json()
    await api.delete(f"/platforms/accounts/{first['id']}", key=owner.key)
    back = (await connect(api, owner)).json()

    assert first["id"] == again["id"] == back["id"]
    assert (back["status"], back["statusReason"]) == ("active", None)
    assert [event.data.reconnected for event in received] == [False, True, True]


def listen(make: Make, kind: type[Any], login: Login) -> list[Any]:
    """Return a list that receives the events of this kind in the login's workspace from now on."""
    received: list[Any] = []

    async def receive(_context: AppContext, db: Db, emitted: Sequence[Any]) -> None:
        received.extend(event for event in emitted if event.workspace_id == login.workspace_id)

    make.context.subscribe(kind, receive)
    return received


async def test_disconnecting_wipes_the_secrets_and_keeps_the_row(api: Api, make: Make, database: Database) -> None:
    owner = await make.owner()
    report = listen(make, events.AccountDisconnected, owner)
    account = (await connect(api, owner)).json()
    path = f"/platforms/accounts/{account['id']}"
    first, again = await api.delete(path, key=owner.key), await api.delete(path, key=owner.key)

    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json() == {
        "id": account["id"], "status": "disconnected", "revokedAtPlatform": True, "affectedPosts": 0,
    }  # fmt: skip
    assert again.json()["revokedAtPlatform"] is False
    row = await database.pool.fetchrow("select * from account where id = $1", ids.decode("acc", account["id"]))
    assert row is not None
    assert (row["secrets"], row["status"], row["token_expires_at"]) == (None, "disconnected", None)
    assert len(report) == 1
    assert (report[0].data.reason, report[0].data.account_id, report[0].type) == (
        "user_request", account["id"], "account.disconnected",
    )  # fmt: skip
    assert (await api.get("/platforms/accounts/all", key=owner.key)).json()["data"] == []
    hidden = (await api.get("/platforms/accounts/all?includeDisconnected=true", key=owner.key)).json()["data"]
    assert [account["status"] for account in hidden] == ["disconnected"]


async def test_a_paused_account_waits_until_it_is_resumed(api: Api, make: Make) -> None:
    owner = await make.owner()
    ready = listen(make, events.AccountReady, owner)
    account = await make.account(owner)
    path = f"/platforms/accounts/{account['id']}"
    received = len(ready)

    paused = await api.patch(path, json={"status": "paused"}, key=owner.key)
    assert (paused.json()["status"], paused.json()["statusReason"]) == ("paused", "user_request")
    assert (await api.patch(path, json={"status": "paused"}, key=owner.key)).status_code == 200
    health = (await api.get(f"{path}/health", key=owner.key)).json()
    assert (health["status"], health["accountStatus"]) == ("warning", "paused")
    assert len(ready) == received
    assert (await api.patch(path, json={"status": "active"}, key=owner.key)).json()["status"] == "active"
    assert len(ready) == received + 1

    await api.delete(path, key=owner.key)
    for status in ("paused", "active"):
        refused = await api.patch(path, json={"status": status}, key=owner.key)
        assert (refused.status_code, refused.json()["code"]) == (409, "invalid_state")


async def test_an_account_moves_unless_posts_wait_for_it(api: Api, make: Make) -> None:
    owner = await make.owner()
    other = (await make.profile(owner))["id"]
    account = (await connect(api, owner)).json()
    path = f"/platforms/accounts/{account['id']}"
    moved = await api.patch(path, json={"profileId": other}, key=owner.key)
    assert (moved.status_code, moved.json()["profileId"]) == (200, other)

    await connect(api, owner)  # the first profile connects the same platform account for itself
    taken = await api.patch(path, json={"profileId": owner.profile}, key=owner.key)
    assert (taken.status_code, taken.json()["code"]) == (409, "already_exists")

    tomorrow = clock.wire(clock.now() + timedelta(days=1))
    await make.post(owner, profileId=other, scheduledAt=tomorrow)
    third = (await make.profile(owner))["id"]
    refused = await api.patch(path, json={"profileId": third}, key=owner.key)
    assert (refused.status_code, refused.json()["code"]) == (409, "account_in_use")


@pytest.fixture
def with_language(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sandbox, with the option of a network whose posts say in which language they are."""
    sandbox = networks.CONNECTORS["sandbox"]
    options = {**sandbox.facts.options, "language": Option(type=LanguageTag, description="Language.")}
    changed = replace(sandbox, facts=replace(sandbox.facts, options=options))
    monkeypatch.setitem(networks.CONNECTORS, "sandbox", changed)


@pytest.mark.usefixtures("with_language")
async def test_an_account_has_a_language_until_it_is_taken_away(api: Api, make: Make) -> None:
    """It stays through a disconnection, is in history, and what says nothing of it changes nothing."""
    owner = await make.owner()
    account = (await connect(api, owner)).json()
    path = f"/platforms/accounts/{account['id']}"

    changed = (await api.patch(path, json={"language": "en-GB"}, key=owner.key)).json()
    assert changed["language"] == "en-GB"
    assert changed["updatedAt"] > account["updatedAt"]
    paused = await api.patch(path, json={"status": "paused", "profileId": None}, key=owner.key)
    assert (paused.json()["language"], paused.json()["profileId"]) == ("en-GB", owner.profile)
    await api.delete(path, key=owner.key)
    assert (await connect(api, owner)).json()["language"] == "en-GB"
    history = (await api.get("/audit?action=update_account", key=owner.key)).json()["data"]
    assert [entry["changes"] for entry in history] == [
        [{"field": "status", "from": "active", "to": "paused"}],
        [{"field": "language", "from": None, "to": "en-GB"}],
    ]
    assert (await api.patch(path, json={"language": None}, key=owner.key)).json()["language"] is None


@pytest.mark.usefixtures("with_language")
@pytest.mark.parametrize("language", ["english", "en_GB", "e", "", 7])
async def test_a_language_is_a_tag(api: Api, make: Make, language: Any) -> None:
    owner = await make.owner()
    account = await make.account(owner)
    refused = await api.patch(f"/platforms/accounts/{account['id']}", json={"language": language}, key=owner.key)
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "/language")


async def test_an_account_whose_network_asks_for_no_language_has_none(api: Api, make: Make) -> None:
    """It would change nothing, and whoever sets it thinks that it does. Taking it away is no error."""
    owner = await make.owner()
    path = f"/platforms/accounts/{(await make.account(owner))['id']}"
    refused = await api.patch(path, json={"language": "de"}, key=owner.key)
    issue = refused.json()["errors"][0]

    assert (refused.status_code, issue["path"], issue["code"]) == (422, "/language", "not_allowed")
    assert issue["message"] == "A post at Sandbox has no option that names a language."
    assert (await api.patch(path, json={"language": None}, key=owner.key)).status_code == 200


async def test_roles_hold(api: Api, make: Make) -> None:
    owner = await make.owner()
    account = await make.account(owner)
    editor = await make.member(owner, role="editor")
    other = (await make.profile(owner))["id"]
    path = f"/platforms/accounts/{account['id']}"

    assert (await connect(api, editor, "by-editor", profileId=owner.profile)).status_code == 201
    assert (await api.patch(path, json={"status": "paused"}, key=editor.key)).status_code == 200
    assert (await api.patch(path, json={"profileId": other}, key=editor.key)).status_code == 403
    assert (await api.delete(path, key=editor.key)).status_code == 403


async def test_strangers_and_limited_members_find_nothing(api: Api, make: Make) -> None:
    owner, stranger = await make.owner(), await make.owner()
    hidden = await make.account(owner)
    limited = await make.member(owner, role="admin", profile_ids=[(await make.profile(owner))["id"]])
    path = f"/platforms/accounts/{hidden['id']}"

    for login in (stranger, limited):
        assert (await api.get(f"{path}/health", key=login.key)).status_code == 404
        assert (await api.patch(path, json={"status": "paused"}, key=login.key)).status_code == 404
        assert (await api.delete(path, key=login.key)).status_code == 404
        assert (await api.get("/platforms/accounts/all?includeDisconnected=true", key=login.key)).json()["data"] == []
        listing = await api.get(f"/platforms/accounts?profileId={owner.profile}", key=login.key)
        assert (listing.status_code, listing.json()["errors"][0]["path"]) == (404, "profileId")
        refused = await connect(api, login, profileId=owner.profile)
        assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "/profileId")
        auth_url = await api.get(f"/platforms/sandbox/auth-url?profileId={owner.profile}", key=login.key)
        assert (auth_url.status_code, auth_url.json()["errors"][0]["path"]) == (404, "profileId")
    refused = await connect(api, stranger, accountId=hidden["id"])
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "/accountId")
    moved = await api.patch(path, json={"profileId": stranger.profile}, key=owner.key)
    assert (moved.status_code, moved.json()["errors"][0]["path"]) == (422, "/profileId")


async def test_test_keys_live_in_the_sandbox(api: Api, make: Make, database: Database) -> None:
    owner = await make.owner()
    received = listen(make, events.AccountConnected, owner)
    body = {"profileId": owner.profile, "fields": {"username": "t"}}
    made = await api.post("/platforms/sandbox/connect", json=body, key=owner.test_key)
    live = {"profileId": owner.profile, "fields": {"identifier": "a", "appPassword": "b"}}
    refused = await api.post("/platforms/bluesky/connect", json=live, key=owner.test_key)
    no_flow = await api.get(f"/platforms/mastodon/auth-url?profileId={owner.profile}", key=owner.test_key)

    assert made.status_code == 201
    assert [event.mode for event in received] == ["test"]
    assert (refused.status_code, refused.json()["code"]) == (403, "test_mode_only_sandbox")
    assert no_flow.json()["code"] == "test_mode_only_sandbox"
    await database.pool.execute(
        "update account set platform = 'mastodon' where id = $1", ids.decode("acc", made.json()["id"])
    )
    path = f"/platforms/accounts/{made.json()['id']}"
    assert (await api.get("/platforms/accounts/all", key=owner.test_key)).json()["data"] == []
    assert (await api.delete(path, key=owner.test_key)).status_code == 404
    assert len((await api.get("/platforms/accounts/all", key=owner.key)).json()["data"]) == 1


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({}, "/fields/username"),
        ({"username": "  "}, "/fields/username"),
        ({"username": "a b"}, "/fields/username"),
        ({"username": "x" * 5000}, "/fields/username"),
        ({"username": "x\u0000"}, "/fields/username"),
        ({"username": 7}, "/fields/username"),
        ({"username": "x", "pass/word": "y"}, "/fields/pass~1word"),
        ({str(n): "x" for n in range(21)}, "/fields"),
    ],
)
async def test_bad_fields_are_named(api: Api, make: Make, fields: dict[str, Any], path: str) -> None:
    owner = await make.owner()
    response = await connect(api, owner, fields=fields)

    assert response.status_code == 422
    assert path in [issue["path"] for issue in response.json()["errors"]]
    assert (await api.get("/platforms/accounts/all", key=owner.key)).json()["data"] == []


@pytest.mark.parametrize(
    ("platform", "status", "code"),
    [
        ("myspace", 422, "validation_failed"),
        ("x" * 300, 404, "not_found"),
        ("twitter", 409, "platform_not_configured"),
        ("facebook", 409, "platform_not_configured"),
    ],
)
async def test_unknown_and_unbuilt_platforms(api: Api, make: Make, platform: str, status: int, code: str) -> None:
    owner = await make.owner()
    body = {"profileId": owner.profile, "fields": {}}
    for response in (
        await api.post(f"/platforms/{platform}/connect", json=body, key=owner.key),
        await api.get(f"/platforms/{platform}/auth-url?profileId={owner.profile}", key=owner.key),
    ):
        assert (response.status_code, response.json()["code"]) == (status, code)


async def test_the_list_of_platforms_shows_what_can_be_connected(api: Api, make: Make) -> None:
    owner = await make.owner()
    listing = (await api.get("/platforms", key=owner.key)).json()["data"]
    by_slug = {platform["platform"]: platform for platform in listing}

    assert list(by_slug) == list(networks.PLATFORMS)
    assert by_slug["sandbox"]["modes"] == ["credentials"]
    assert by_slug["mastodon"]["modes"] == ["oauth", "credentials"]
    assert by_slug["mastodon"]["redirectUri"] is None  # the service registers itself at each server
    assert by_slug["bluesky"]["rules"]["text"]["maxLength"] == 300
    assert {slug for slug, platform in by_slug.items() if platform["available"]} == {*networks.CONNECTORS}
    secret = {field["name"]: field["secret"] for field in by_slug["bluesky"]["credentialFields"]}
    assert secret == {"identifier": False, "appPassword": True, "service": False}


async def test_credential_platforms_name_their_fields_instead_of_an_address(api: Api, make: Make) -> None:
    owner = await make.owner()
    response = await api.get(f"/platforms/bluesky/auth-url?profileId={owner.profile}", key=owner.key)

    assert response.status_code == 200
    assert (response.json()["mode"], response.json()["url"], response.json()["state"]) == ("credentials", None, None)
    assert [field["name"] for field in response.json()["fields"]] == ["identifier", "appPassword", "service"]
    missing = await api.get("/platforms/bluesky/auth-url?profileId=", key=owner.key)
    assert (missing.status_code, missing.json()["errors"][0]["path"]) == (422, "profileId")


async def test_only_a_later_publication_is_recorded(api: Api, make: Make, database: Database) -> None:
    """Two workers may finish in any order; the account shows the latest publication."""
    owner = await make.owner()
    account_id = ids.decode("acc", (await make.account(owner))["id"])
    assert account_id is not None
    now = clock.now()
    for at in (now, now - timedelta(hours=1)):
        async with database.transaction() as db:
            await publications.record_publications(db, [account_id], at)

    listing = (await api.get("/platforms/accounts/all", key=owner.key)).json()["data"]
    assert [account["lastPublishedAt"] for account in listing] == [clock.wire(now)]


async def test_health_is_live_first_and_then_cached(api: Api, make: Make) -> None:
    owner = await make.owner()
    account = await make.account(owner)
    path = f"/platforms/accounts/{account['id']}/health"
    first, cached = (await api.get(path, key=owner.key)).json(), (await api.get(path, key=owner.key)).json()
    forced = (await api.get(f"{path}?refresh=true", key=owner.key)).json()

    assert (first["live"], cached["live"], forced["live"]) == (True, False, True)
    assert (first["status"], first["accountStatus"], first["issues"]) == ("healthy", "active", [])
    assert first["token"] == {
        "valid": True, "expiresAt": None, "expiresInSeconds": None, "refreshable": False, "lastRefreshedAt": None,
        "lastRefreshError": None,
    }  # fmt: skip
    assert first["permissions"] == {
        "granted": ["publish", "delete"], "missing": [], "canPost": True, "canReadAnalytics": True,
    }  # fmt: skip
    assert cached["permissions"] == first["permissions"]
    assert first["quota"] == {"used": 0, "limit": None, "resetsAt": None}
    assert first["recent"] == {"published": 0, "failed": 0, "window": "7d"}
    assert cached["checkedAt"] == first["checkedAt"] <= forced["checkedAt"]
    await api.delete(f"/platforms/accounts/{account['id']}", key=owner.key)
    disconnected = (await api.get(path, key=owner.key)).json()
    assert (disconnected["status"], disconnected["token"]["valid"], disconnected["live"]) == ("error", False, False)


async def test_the_plan_limit_holds_when_all_come_at_once(context: AppContext, make: Make, api: Api) -> None:
    """The free plan has room for 4 accounts; the twelve requests race for them."""
    from dataclasses import replace

    from tests.helpers.sign_in_servers import api_of

    owner = await make.owner(plan="free")
    async with api_of(replace(context, settings=replace(context.settings, billing_enabled=True))) as limited:
        responses = await asyncio.gather(
            *(
                limited.post(
                    "/platforms/sandbox/connect",
                    json={"profileId": owner.profile, "fields": {"username": f"n{n}"}},
                    key=owner.key,
                )
                for n in range(8)
            )
        )

    codes = sorted(response.status_code for response in responses)
    assert codes == [201] * 4 + [402] * 4
    refused = next(response.json() for response in responses if response.status_code == 402)
    assert (refused["code"], refused["limit"]["name"], refused["limit"]["max"]) == ("plan_limit_reached", "accounts", 4)


async def test_the_same_account_connected_at_once_is_one_account(api: Api, make: Make) -> None:
    owner = await make.owner()
    name = token_hex(4)
    responses = await asyncio.gather(*(connect(api, owner, name) for _ in range(6)))

    assert {response.status_code for response in responses} == {201}
    assert len({response.json()["id"] for response in responses}) == 1


async def test_nothing_is_connected_to_a_profile_that_is_being_deleted(
    api: Api, make: Make, context: AppContext
) -> None:
    """Otherwise a live account with its tokens would be left on a profile that nobody can see any more."""
    owner = await make.owner()
    doomed = await make.profile(owner)
    responses = await asyncio.gather(
        *(connect(api, owner, f"u{number}", profileId=doomed["id"]) for number in range(8)),
        api.delete(f"/profiles/{doomed['id']}", key=owner.key),
        *(connect(api, owner, f"v{number}", profileId=doomed["id"]) for number in range(8)),
    )

    assert {response.status_code for response in responses} <= {200, 201, 404, 422}
    async with context.database.connection() as db:
        left = await db.fetchval(
            "select count(*) from account where profile_id = $1 and status <> 'disconnected'",
            ids.decode("prof", doomed["id"]),
        )
    assert left == 0
