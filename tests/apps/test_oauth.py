"""Apps of others by OAuth 2.1: what a person allows, what the app then can do, and how each attack on it ends."""

import asyncio
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.helpers.api import Api
from tests.helpers.apps import ORIGIN, REDIRECT, App, Person, answered, person_of
from tests.helpers.factories import Make
from tests.helpers.identity import change_member

from signalpost.apps import tokens
from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.kit.db import Database


@pytest.fixture
async def person(context: AppContext, api: Api) -> Person:
    return await person_of(context, api)


@pytest.fixture
async def app(api: Api) -> App:
    return await App.registered(api)


async def code_of(api: Api, token: str, path: str = "/auth/me") -> str | int:
    answer = await api.get(path, key=token)
    return str(answer.json()["code"]) if answer.status_code >= 400 else answer.status_code


def error(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]


def spoilt(token: str) -> str:
    """The token with another character near its end."""
    return token[:-9] + ("B" if token[-9] == "A" else "A") + token[-8:]


async def listed(api: Api, person: Person) -> list[Any]:
    answer = await api.get("/app-grants", key=person.key)
    assert answer.status_code == 200, answer.text
    return list(answer.json()["data"])


async def test_a_person_allows_an_app_which_acts_within_what_was_allowed(api: Api, app: App, person: Person) -> None:
    """What it makes names it; what it was not allowed is refused; the person sees it and ends it."""
    back = await person.answer(app.url(), publish="")
    answer = answered(back)
    assert back.headers["location"].startswith(REDIRECT + "?")
    assert (answer["state"], answer["iss"]) == ("s t&te", ORIGIN)
    redeemed = await app.redeem(answer["code"])
    assert redeemed.headers["cache-control"] == "no-store"
    given = redeemed.json()
    assert set(given["scope"].split()) == {"posts:read", "posts:write", "accounts:read"}  # publishing was not ticked
    assert (given["token_type"], given["expires_in"]) == ("Bearer", 3_600)

    me = (await api.get("/auth/me", key=given["access_token"])).json()
    assert me["workspace"]["id"] == person.workspace
    profile = (await api.get("/profiles", key=person.key)).json()["data"][0]["id"]
    draft = {"profileId": profile, "text": "By an app", "draft": True}
    made = await api.post("/posts", json=draft, key=given["access_token"])
    assert made.status_code == 201, made.text
    [grant] = await listed(api, person)
    assert made.json()["createdBy"] == {"type": "api_key", "id": grant["keyId"], "name": "Shop sync"}
    for path in ("/api-keys", "/team", "/billing/status", "/app-grants", "/apps"):
        assert await code_of(api, given["access_token"], path) == "insufficient_scope", path

    assert (grant["app"]["name"], grant["app"]["redirectHost"]) == ("Shop sync", "shop.example.com")
    assert grant["lastUsedAt"]
    assert (await api.get("/api-keys", key=person.key)).json()["data"] == []  # in no list of keys
    ended = await api.delete(f"/app-grants/{grant['id']}", key=person.key)
    assert ended.json()["status"] == "revoked"
    assert await code_of(api, given["access_token"]) == "key_revoked"
    assert error(await app.refresh(given["refresh_token"])) == (400, "invalid_grant")
    assert await listed(api, person) == []
    actions = [entry["action"] for entry in (await api.get("/audit", key=person.key)).json()["data"]]
    assert {"allow_app", "revoke_app_grant"} <= set(actions)


async def test_a_refused_request_says_so_to_the_app(app: App, person: Person) -> None:
    answer = answered(await person.answer(app.url(), decision="deny"))
    assert (answer["error"], answer["state"], answer["iss"]) == ("access_denied", "s t&te", ORIGIN)
    assert "code" not in answer


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"state": "x" * 1_001}, "invalid_request"),
        ({"scope": "posts:read keys:write"}, "invalid_scope"),
        ({"scope": "team:write"}, "invalid_scope"),
        ({"resource": "https://elsewhere.example.com/mcp"}, "invalid_target"),
        ({"resource": f"{ORIGIN}/mcp?x=1"}, "invalid_target"),
    ],
)  # fmt: skip
async def test_what_an_app_may_not_ask_for_is_refused_at_its_address(
    app: App, person: Person, parameters: dict[str, str | None], expected: str
) -> None:
    answer = await person.open(app.url(**parameters))
    assert answered(answer)["error"] == expected
    assert urlsplit(answer.headers["location"]).netloc == "shop.example.com"


@pytest.mark.parametrize(
    "redirect_uri",
    [
        "https://evil.example.com/callback", REDIRECT + "/", REDIRECT + "?x=1", REDIRECT.upper(),
        "https://shop.example.com:444/callback", "https://shop.example.com@evil.example.com/callback", "",
    ],
)  # fmt: skip
async def test_the_browser_is_sent_nowhere_but_to_an_address_of_the_app(
    app: App, person: Person, redirect_uri: str
) -> None:
    answer = await person.open(app.url(redirect_uri=redirect_uri))
    assert answer.status_code == 400
    assert "location" not in answer.headers
    assert "evil" not in answer.text


async def test_on_the_machine_of_a_person_the_port_may_be_another(api: Api, person: Person) -> None:
    app = await App.registered(api, redirect_uris=["http://127.0.0.1/callback"])
    for uri, status in (
        ("http://127.0.0.1:53682/callback", 200), ("http://127.0.0.1/callback", 200),
        ("http://127.0.0.1:53682/other", 400), ("http://localhost:53682/callback", 400),
        ("http://127.0.0.1:1@evil.example.com/callback", 400), ("http://127.0.0.1.evil.example.com/callback", 400),
        ("http://127.0.0.1:53682/callback#x", 400), ("https://127.0.0.1:53682/callback", 400),
    ):  # fmt: skip
        assert (await person.open(app.url(redirect_uri=uri))).status_code == status, uri


async def test_who_is_not_signed_in_does_that_first_and_comes_back(api: Api, app: App, person: Person) -> None:
    cookie = person.browser.client.cookies.get("session")
    person.browser.client.cookies.delete("session")
    sent = await person.open(app.url())
    assert sent.headers["location"] == "/login?next=/oauth/authorize"
    for refused in (app.url(scope="keys:write"), app.url(response_type="token")):  # no link leads elsewhere by itself
        assert (await person.open(refused)).headers["location"] == "/login?next=/oauth/authorize"
    sent = await person.open(app.url())
    person.browser.client.cookies.set("session", str(cookie))
    resumed = await person.open("/oauth/authorize")
    assert resumed.status_code == 303
    page = await person.open(resumed.headers["location"])
    assert "Shop sync" in page.text
    assert (await person.open("/oauth/authorize")).status_code == 400  # the cookie is gone


async def test_the_page_is_framed_by_nobody_and_answered_only_by_itself(app: App, person: Person) -> None:
    page = await person.open(app.url())
    policy = page.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self' https://shop.example.com;" in policy
    assert page.headers["x-frame-options"] == "DENY"
    assert "not verified" in page.text
    data = dict(app.url().partition("?")[2].split("=", 1) for _ in ())
    refused = await person.browser.post(
        "/oauth/authorize", data=data | {"decision": "allow"}, headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert refused.status_code == 403


async def test_names_and_addresses_of_apps_are_only_text(api: Api, person: Person) -> None:
    app = await App.registered(
        api, client_name="<script>alert(1)</script>\n\u202eBank", client_uri="javascript:alert(1)"
    )
    page = (await person.open(app.url())).text
    assert "<script" not in page
    assert "javascript:" not in page
    assert "\u202e" not in page


async def test_a_code_is_for_its_app_address_and_verifier(api: Api, app: App, person: Person) -> None:
    """What was wrong spends nothing: else whoever saw a code could keep the app from using it."""
    thief = await App.registered(api)
    code = answered(await person.answer(app.url()))["code"]
    assert error(await thief.redeem(code, code_verifier=app.verifier)) == (400, "invalid_grant")
    assert error(await app.redeem(code, redirect_uri="https://evil.example.com/")) == (400, "invalid_grant")
    assert error(await app.redeem(code, redirect_uri=None)) == (400, "invalid_grant")
    assert error(await app.redeem(code, code_verifier=thief.verifier)) == (400, "invalid_grant")
    assert error(await app.redeem(code, code_verifier=None)) == (400, "invalid_grant")
    assert error(await app.redeem(code, code_verifier=app.challenge)) == (400, "invalid_grant")  # that would be "plain"
    assert error(await app.redeem(code, resource="https://elsewhere.example.com")) == (400, "invalid_target")
    assert error(await app.redeem(spoilt(code))) == (400, "invalid_grant")
    assert error(await app.redeem(code, grant_type="password")) == (400, "unsupported_grant_type")
    assert error(await app.redeem(code, client_id="app_01M7Z0000000000000000000AB")) == (401, "invalid_client")
    assert (await app.redeem(code, resource=f"{ORIGIN}/mcp")).status_code == 200


async def test_a_code_of_another_person_cannot_be_given_to_an_app(
    context: AppContext, api: Api, app: App, person: Person
) -> None:
    """An attacker's code in the browser of a victim does not fit the verifier that the app made for the victim."""
    attacker = await person_of(context, api)
    injected = answered(await attacker.answer(app.url()))["code"]
    app.verifier = "v" * 64  # of the request that the victim began
    assert error(await app.redeem(injected)) == (400, "invalid_grant")
    assert await listed(api, person) == []


async def test_a_code_is_used_once_and_the_second_time_ends_what_it_gave(api: Api, app: App, person: Person) -> None:
    code = answered(await person.answer(app.url()))["code"]
    given = (await app.redeem(code)).json()
    assert await code_of(api, given["access_token"]) == 200
    assert error(await app.redeem(code)) == (400, "invalid_grant")
    assert await code_of(api, given["access_token"]) == "key_revoked"
    assert error(await app.refresh(given["refresh_token"])) == (400, "invalid_grant")
    actions = [entry["action"] for entry in (await api.get("/audit", key=person.key)).json()["data"]]
    assert "app_code_reused" in actions


async def test_of_two_exchanges_at_once_exactly_one_wins(app: App, person: Person) -> None:
    code = answered(await person.answer(app.url()))["code"]
    answers = await asyncio.gather(*(app.redeem(code) for _ in range(5)))
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400, 400, 400]


async def test_a_code_is_older_than_a_minute(app: App, person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    code = answered(await person.answer(app.url()))["code"]
    monkeypatch.setattr(tokens.clock, "actual", lambda real=tokens.clock.actual: real() + tokens.ACCESS)
    assert error(await app.redeem(code)) == (400, "invalid_grant")


async def test_refresh_tokens_rotate_and_a_used_one_ends_the_grant(api: Api, app: App, person: Person) -> None:
    first = await app.allowed(person)
    second = (await app.refresh(first["refresh_token"])).json()
    assert await code_of(api, first["access_token"]) == 200  # to its end
    assert await code_of(api, second["access_token"]) == 200
    lost = (await app.refresh(first["refresh_token"])).json()  # the response was lost
    assert lost["refresh_token"] == second["refresh_token"]
    third = (await app.refresh(second["refresh_token"])).json()
    assert error(await app.refresh(first["refresh_token"])) == (400, "invalid_grant")
    assert error(await app.refresh(third["refresh_token"])) == (400, "invalid_grant")
    assert await code_of(api, third["access_token"]) == "key_revoked"
    actions = [entry["action"] for entry in (await api.get("/audit", key=person.key)).json()["data"]]
    assert "app_refresh_token_reused" in actions


async def test_refreshes_at_once_are_one_rotation(app: App, person: Person) -> None:
    given = await app.allowed(person)
    answers = await asyncio.gather(*(app.refresh(given["refresh_token"]) for _ in range(4)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["refresh_token"] for answer in answers}) == 1


async def test_a_refresh_token_is_of_its_app_and_gives_no_more(api: Api, app: App, person: Person) -> None:
    thief = await App.registered(api)
    given = await app.allowed(person, publish="")
    assert error(await thief.refresh(given["refresh_token"])) == (400, "invalid_grant")
    assert error(await app.refresh(given["refresh_token"], scope="posts:read posts:publish")) == (400, "invalid_scope")
    assert error(await app.refresh(spoilt(given["refresh_token"]))) == (400, "invalid_grant")
    assert (await app.refresh(given["refresh_token"], scope="posts:read")).status_code == 200


async def test_a_confidential_app_proves_who_it_is(context: AppContext, api: Api, person: Person) -> None:
    made = await api.post("/apps", json={"name": "CMS", "redirectUris": [REDIRECT]}, key=person.key)
    assert made.status_code == 201, made.text
    created = made.json()
    app = App(api, created["id"], created["secret"])
    code = answered(await person.answer(app.url()))["code"]
    for wrong in (None, "", "x", created["secret"][:-1] + "_", created["id"]):
        assert error(await app.redeem(code, client_secret=wrong)) == (401, "invalid_client"), wrong
    other = (await api.post("/apps", json={"name": "Other", "redirectUris": [REDIRECT]}, key=person.key)).json()
    assert error(await app.redeem(code, client_secret=other["secret"])) == (401, "invalid_client")
    form = {
        "grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT, "code_verifier": app.verifier,
    }  # fmt: skip
    wrong_basic = await app._client.post("/oauth/token", data=form, auth=(created["id"], "wrong"))
    assert error(wrong_basic) == (401, "invalid_client")
    assert wrong_basic.headers["www-authenticate"].startswith("Basic")
    basic = await app._client.post("/oauth/token", data=form, auth=(created["id"], created["secret"]))
    assert basic.status_code == 200, basic.text

    replaced = (await api.post(f"/apps/{created['id']}/secret", key=person.key)).json()
    given = basic.json()
    assert error(await app.refresh(given["refresh_token"])) == (401, "invalid_client")
    app.secret = replaced["secret"]
    assert (await app.refresh(given["refresh_token"])).status_code == 200
    assert "secret" not in (await api.get(f"/apps/{created['id']}", key=person.key)).json()
    assert (await api.delete(f"/apps/{created['id']}", key=person.key)).json()["deleted"] is True
    assert await code_of(api, given["access_token"]) == "key_revoked"
    assert (await person.open(app.url())).status_code == 400


async def test_a_public_app_has_no_secret(api: Api, app: App, person: Person) -> None:
    code = answered(await person.answer(app.url()))["code"]
    assert error(await app.redeem(code, client_secret="anything")) == (401, "invalid_client")
    made = await api.post(
        "/apps", json={"name": "Phone", "redirectUris": ["acme.shop:/cb"], "type": "public"}, key=person.key
    )
    assert made.json()["secret"] is None
    assert (await api.post(f"/apps/{made.json()['id']}/secret", key=person.key)).json()["code"] == "invalid_state"


async def test_an_app_ends_its_own_grant_and_no_other(api: Api, app: App, person: Person) -> None:
    thief = await App.registered(api)
    given = await app.allowed(person)
    for token in (given["access_token"], given["refresh_token"], "nonsense"):
        answer = await thief.post("/oauth/revoke", data={"client_id": thief.client_id, "token": token})
        assert (answer.status_code, answer.content) == (200, b"{}")
    assert await code_of(api, given["access_token"]) == 200
    assert (await app.post("/oauth/revoke", data={"token": given["access_token"]})).status_code == 401
    data = {"client_id": app.client_id, "token": given["access_token"], "token_type_hint": "access_token"}
    assert (await app.post("/oauth/revoke", data=data)).status_code == 200
    assert await code_of(api, given["access_token"]) == "key_revoked"
    again = await app.allowed(person)
    data = {"client_id": app.client_id, "token": again["refresh_token"]}
    assert (await app.post("/oauth/revoke", data=data)).status_code == 200
    assert await code_of(api, again["access_token"]) == "key_revoked"


async def test_it_ends_with_the_rights_of_the_person(
    context: AppContext, api: Api, make: Make, app: App, person: Person, database: Database
) -> None:
    given = await app.allowed(person)
    user_id = ids.decode("usr", person.account["user"]["id"])
    assert user_id is not None
    await change_member(context, user_id, "role = 'viewer'")
    draft = {"profileId": "prof_01M7Z0000000000000000000AB", "text": "x", "draft": True}
    assert (await api.post("/posts", json=draft, key=given["access_token"])).json()["code"] == "insufficient_scope"
    assert await code_of(api, given["access_token"], "/posts") == 200
    await change_member(context, user_id, "status = 'suspended'")
    assert await code_of(api, given["access_token"]) == "key_revoked"
    await change_member(context, user_id, "status = 'active', role = 'owner'")
    assert await code_of(api, given["access_token"]) == 200
    deleted = await api.delete(
        f"/workspaces/{person.workspace}", params={"name": person.account["workspace"]["name"]}, key=person.key
    )
    assert deleted.status_code in (200, 202), deleted.text
    assert await code_of(api, given["access_token"]) == "key_revoked"


async def test_a_role_without_keys_allows_nothing(context: AppContext, api: Api, app: App, person: Person) -> None:
    user_id = ids.decode("usr", person.account["user"]["id"])
    assert user_id is not None
    code = answered(await person.answer(app.url()))["code"]
    await change_member(context, user_id, "role = 'viewer'")
    page = await person.open(app.url())
    assert (page.status_code, "You cannot allow this" in page.text) == (403, True)
    assert error(await app.redeem(code)) == (400, "invalid_grant")


async def test_who_signs_out_before_the_code_is_redeemed_has_allowed_nothing(
    api: Api, app: App, person: Person
) -> None:
    code = answered(await person.answer(app.url()))["code"]
    await person.browser.post("/logout")
    assert error(await app.redeem(code)) == (400, "invalid_grant")


async def test_an_app_can_be_limited_to_a_client_of_the_workspace_and_no_other(
    context: AppContext, api: Api, app: App, person: Person
) -> None:
    stranger = await person_of(context, api)
    theirs = (await api.get("/profiles", key=stranger.key)).json()["data"][0]["id"]
    mine = (await api.post("/profiles", json={"name": "Bakery"}, key=person.key)).json()["id"]
    other = await person.answer(app.url(), profile=theirs)
    assert other.status_code == 400
    assert (await person.answer(app.url(), workspace=stranger.workspace)).status_code == 404
    given = await app.allowed(person, profile=mine)
    assert [one["id"] for one in (await api.get("/posts", key=given["access_token"])).json()["data"]] == []
    [grant] = await listed(api, person)
    assert grant["profileIds"] == [mine]
    assert await listed(api, stranger) == []
    foreign = await api.delete(f"/app-grants/{grant['id']}", key=stranger.key)
    assert foreign.status_code == 404
    wrong = await api.get("/auth/me", key=given["access_token"], headers={"X-Workspace-Id": stranger.workspace})
    assert wrong.status_code == 404


async def test_an_app_of_a_workspace_is_managed_by_its_admins(api: Api, make: Make) -> None:
    owner = await make.owner()
    editor = await make.member(owner, role="editor")
    body = {"name": "CMS", "redirectUris": [REDIRECT]}
    assert (await api.post("/apps", json=body, key=editor.key)).json()["code"] == "forbidden"
    created = (await api.post("/apps", json=body, key=owner.key)).json()
    path = f"/apps/{created['id']}"
    assert (await api.get(path, key=editor.key)).status_code == 200
    changed = {"redirectUris": ["https://evil.example.com/"]}
    assert (await api.patch(path, json=changed, key=editor.key)).json()["code"] == "forbidden"
    stranger = await make.owner()
    for answer in (await api.get(path, key=stranger.key), await api.delete(path, key=stranger.key)):
        assert answer.status_code == 404
    renamed = await api.patch(path, json={"name": "CMS 2", "redirectUris": ["http://localhost/cb"]}, key=owner.key)
    assert (renamed.json()["name"], renamed.json()["redirectUris"]) == ("CMS 2", ["http://localhost/cb"])
    for uri in (
        "http://shop.example.com/",
        "javascript:alert(1)",
        "https://a.example/#x",
        "https://u:p@a.example/",
        "/relative",
        "https://",
        "https://a.example;script-src/",
        "data:text/html,x",
        "https://a b/",
    ):
        refused = await api.patch(path, json={"redirectUris": [uri]}, key=owner.key)
        assert refused.status_code == 422, uri
        assert refused.json()["errors"][0]["path"] == "/redirectUris/0", uri


async def test_the_oldest_of_many_grants_of_one_app_ends(api: Api, app: App, person: Person) -> None:
    given = [await app.allowed(person) for _ in range(11)]
    assert len(await listed(api, person)) == 10
    assert await code_of(api, given[0]["access_token"]) == "key_revoked"
    assert await code_of(api, given[-1]["access_token"]) == 200
