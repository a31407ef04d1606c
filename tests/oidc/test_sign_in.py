"""Sign-in with an OpenID provider: who becomes whom, what is asked first, and what is never believed."""

import base64
import os
import re
import time
import warnings
from collections.abc import AsyncIterator, Callable
from typing import Any
from uuid import uuid4

import pytest
from joserfc import jwk
from joserfc.errors import SecurityWarning
from tests.figures.record import Record, holds
from tests.helpers.api import Api
from tests.helpers.contract import invited_email
from tests.helpers.factories import Make
from tests.helpers.identity import PASSWORD, register
from tests.helpers.oidc_provider import BACK, Browser, Claims, FakeProvider, context_of

from signalpost.context import AppContext
from signalpost.identity import totp
from signalpost.kit import clock
from signalpost.kit.crypto import KeyRing
from signalpost.kit.crypto.tokens import BASE62
from signalpost.kit.db import Database
from signalpost.oidc import flow
from signalpost.oidc.flow import Grant

IDENTITIES = "select subject from user_identity i join app_user u on u.id = i.user_id where u.email = $1"
STALE = "begun in another browser"
WRONG_PASSWORD = "wrong horse battery"


@pytest.fixture
async def provider() -> AsyncIterator[FakeProvider]:
    async with FakeProvider().serve() as serving:
        yield serving


@pytest.fixture
def installation(context: AppContext, provider: FakeProvider) -> AppContext:
    return context_of(context, provider)


@pytest.fixture
async def browser(installation: AppContext, provider: FakeProvider) -> Browser:
    return Browser(installation, provider)


async def known(api: Api, provider: FakeProvider, subject: str = "") -> dict[str, Any]:
    """Register a user whose mailbox the provider vouches for."""
    user = await register(api)
    provider.claims = person(user["email"], subject)
    return user


def person(email: str, subject: str = "") -> Claims:
    return {"sub": subject or f"sub-{email}", "email": email, "email_verified": True, "name": "Ada Lovelace"}


async def link(browser: Browser) -> None:
    await browser.come_back()
    assert (await browser.answer(password=PASSWORD)).status_code == 303


async def test_a_user_confirms_once_with_the_password_and_then_signs_in_without(
    api: Api, provider: FakeProvider, browser: Browser, database: Database
) -> None:
    """A mailbox alone never links: whoever registered it here first may be somebody else."""
    user = await known(api, provider)

    assert (await browser.come_back()).headers["location"] == "/sign-in/oidc/confirm"
    assert user["email"] in await browser.question()
    assert (await browser.answer(password=WRONG_PASSWORD)).status_code == 401
    assert await database_value(database, IDENTITIES, user["email"]) is None
    signed_in = await browser.redeem(await browser.answer(password=PASSWORD))
    again = await browser.redeem(await browser.come_back())

    for response in (signed_in, again):
        assert response.status_code == 200, response.text
        assert response.json()["user"]["id"] == user["user"]["id"]
    me = await api.get("/auth/me", key=again.json()["accessToken"])
    assert me.json()["workspace"]["id"] == user["workspace"]["id"]
    entries = (await api.get("/audit?limit=100", key=again.json()["accessToken"])).json()["data"]
    actions = [entry["action"] for entry in entries]
    assert actions.count("login_oidc") == 2
    assert actions.count("link_oidc") == 1


async def test_a_person_unlinks_the_provider_and_confirms_it_again(
    api: Api, provider: FakeProvider, browser: Browser
) -> None:
    user = await known(api, provider)
    await link(browser)
    token = (await browser.redeem(await browser.come_back())).json()["accessToken"]
    bearer = {"Authorization": f"Bearer {token}"}

    async def unlink(password: str) -> int:
        path = "/api/v1/auth/oidc/unlink"
        return (await browser.pages.post(path, json={"password": password}, headers=bearer)).status_code

    async def linked() -> tuple[bool, str | None]:
        found = (await browser.pages.get("/api/v1/auth/oidc", headers=bearer)).json()
        assert (found["linkedAt"] is None) == (not found["linked"])
        return found["linked"], found["email"]

    assert await linked() == (True, user["email"])
    assert await unlink(WRONG_PASSWORD) == 401
    assert await linked() == (True, user["email"])
    assert [await unlink(PASSWORD), await unlink(PASSWORD)] == [204, 204]
    assert await linked() == (False, None)
    assert (await browser.come_back()).headers["location"] == "/sign-in/oidc/confirm"
    entries = (await api.get("/audit?limit=100", key=token)).json()["data"]
    assert [entry["action"] for entry in entries].count("unlink_oidc") == 1


async def database_value(database: Database, statement: str, *values: Any) -> Any:
    async with database.connection() as db:
        return await db.fetchval(statement, *values)


def test_a_code_has_one_spelling() -> None:
    """Codes are used once by their text, and base64 has several texts for the same bytes."""
    keys = KeyRing.from_master(os.urandom(32))
    for length in (43, 44, 45):
        code = flow.seal(keys, Grant(uuid4(), "c" * length, flow.expires_in(60)))
        others = [f"{code}=", f"{code}==", *(code[:-1] + digit for digit in BASE62 if digit != code[-1])]
        assert flow.unseal(keys, Grant, code) is not None
        assert [text for text in others if flow.unseal(keys, Grant, text) is not None] == []


async def test_a_code_works_once_and_only_for_who_began(api: Api, provider: FakeProvider, browser: Browser) -> None:
    await known(api, provider)
    await link(browser)
    first, second = await browser.come_back(), await browser.come_back()

    assert (await browser.redeem(first, verifier="x" * 43)).status_code == 401
    assert (await browser.redeem(first)).status_code == 200
    assert (await browser.redeem(first)).status_code == 401
    assert (await browser.redeem(second)).status_code == 200


async def test_the_second_factor_is_asked_for_unless_the_provider_asks_itself(
    api: Api, context: AppContext, provider: FakeProvider, installation: AppContext, database: Database
) -> None:
    user = await known(api, provider)
    shown = (await api.post("/auth/totp", json={"password": PASSWORD}, key=user["accessToken"])).json()["secret"]
    secret = base64.b32decode(shown)
    code = iter(totp.code_at(secret, totp.step_of(clock.now()) + step) for step in (0, 0, 1))
    confirmed = await api.post("/auth/totp/confirm", json={"code": next(code)}, key=user["accessToken"])
    assert confirmed.status_code == 200, confirmed.text
    # As if that had been two steps ago: codes around now are unused, also if a step begins before one is looked at.
    await database.pool.execute(
        "update app_user set totp_last_step = totp_last_step - 2 where email = $1", user["email"]
    )
    browser = Browser(installation, provider)

    await browser.come_back()
    without = await browser.answer(password=PASSWORD)
    linked = await browser.answer(password=PASSWORD, code=next(code))
    await browser.come_back()
    asked = await browser.question()
    wrong = await browser.answer(code="000000")
    right = await browser.redeem(await browser.answer(code=next(code)))
    trusting = Browser(context_of(context, provider, oidc_second_factor=True), provider)
    unasked = await trusting.redeem(await trusting.come_back())

    assert (without.status_code, linked.status_code, wrong.status_code) == (401, 303, 401)
    assert "Your second factor" in asked
    assert (right.status_code, unasked.status_code) == (200, 200)


async def test_an_invited_person_joins_without_a_password(
    api: Api, make: Make, provider: FakeProvider, browser: Browser, database: Database
) -> None:
    owner, email = await make.owner(), invited_email()
    await api.post("/team/invite", json={"email": email, "role": "editor"}, key=owner.key)
    provider.claims = person(email.upper())

    assert (await browser.come_back()).status_code == 303
    assert "Join" in await browser.question()
    joined = (await browser.redeem(await browser.answer(code=""))).json()

    me = (await api.get("/auth/me", key=joined["accessToken"])).json()
    assert (me["role"], me["user"]["name"]) == ("editor", "Ada Lovelace")
    assert await database_value(
        database, "select email_verified_at is not null from app_user where email_key = lower($1)", email
    )
    assert (await browser.answer(code="")).status_code == 403  # the question is over


async def test_strangers_become_users_only_where_the_operator_says_so(
    context: AppContext, provider: FakeProvider, browser: Browser
) -> None:
    email = invited_email()
    provider.claims = person(email)
    refused = await browser.come_back()
    domain = email.partition("@")[2]
    settings = {"oidc_new_users": "allowed", "oidc_allowed_domains": (domain.upper(),)}
    open_to_all = Browser(context_of(context, provider, **settings), provider)
    created = await open_to_all.redeem(await open_to_all.come_back())
    again = await open_to_all.redeem(await open_to_all.come_back())

    assert refused.status_code == 403
    assert "Ask for an invitation" in refused.text
    assert [workspace["role"] for workspace in created.json()["workspaces"]] == ["owner"]
    assert created.json()["user"]["id"] == again.json()["user"]["id"]


async def test_only_the_allowed_domains_sign_in_and_a_user_who_left_them_does_not(
    api: Api, context: AppContext, provider: FakeProvider, browser: Browser
) -> None:
    user = await known(api, provider)
    await link(browser)
    elsewhere = Browser(context_of(context, provider, oidc_allowed_domains=("other.test",)), provider)

    refused = [await elsewhere.come_back()]
    provider.claims = person(f"x@evil.test@{user['email'].partition('@')[2]}")
    refused.append(await elsewhere.come_back())
    provider.claims = person("a@sub.other.test")
    refused.append(await elsewhere.come_back())

    assert [response.status_code for response in refused] == [403, 403, 403]


@pytest.mark.parametrize("verified", [False, None, "true", 1, "missing"])
async def test_an_unverified_mailbox_is_nobodys(
    api: Api, provider: FakeProvider, browser: Browser, verified: Any
) -> None:
    await known(api, provider)
    provider.claims["email_verified"] = verified
    if verified == "missing":
        del provider.claims["email_verified"]

    response = await browser.come_back()

    assert response.status_code == 403
    assert "verified" in response.text


async def test_the_mailbox_may_come_from_userinfo_if_that_is_the_same_person(
    api: Api, provider: FakeProvider, browser: Browser
) -> None:
    """`oidc-provider` and others put only `sub` into the token."""
    user = await known(api, provider)
    told, subject = provider.claims, provider.claims["sub"]
    provider.claims = {"sub": subject}
    provider.in_userinfo = told | {"sub": "another"}
    refused = await browser.come_back()
    provider.in_userinfo = told

    assert refused.status_code == 403
    assert (await browser.come_back()).status_code == 303
    assert user["email"] in await browser.question()


async def test_a_new_subject_with_the_mailbox_needs_the_password_again(
    api: Api, provider: FakeProvider, browser: Browser, database: Database
) -> None:
    """Addresses are given to other people; the subject is the identity."""
    user = await known(api, provider, "first")
    await link(browser)
    provider.claims = person(user["email"], "second")

    assert (await browser.come_back()).headers["location"] == "/sign-in/oidc/confirm"
    assert (await browser.answer(password=PASSWORD)).status_code == 303
    assert await database_value(database, IDENTITIES, user["email"]) == "second"


async def test_a_changed_mailbox_keeps_the_user(api: Api, provider: FakeProvider, browser: Browser) -> None:
    user = await known(api, provider, f"stays-{time.time_ns()}")
    await link(browser)
    other = await register(api)
    provider.claims["email"] = other["email"]

    signed_in = await browser.redeem(await browser.come_back())

    assert signed_in.json()["user"]["id"] == user["user"]["id"]


@pytest.mark.parametrize(
    ("query", "leads_to"),
    [
        ("", "/console"),
        ("?next=/console/posts/pst_1%3Fq%3Da", "/console/posts/pst_1?q=a"),
        ("?next=//evil.example/console", "/console"),
    ],
)
async def test_the_console_is_signed_in_by_a_cookie(
    api: Api, provider: FakeProvider, browser: Browser, query: str, leads_to: str
) -> None:
    """Its page has the button; what follows is the page that the person wanted, and no token in an address."""
    await known(api, provider)
    page = await browser.pages.get(f"/login{query}")
    [button] = re.findall(r'href="([^"]+)">Sign in with Acme ID', page.text)
    started = await browser.pages.get(button)
    await browser.pages.get(provider.consent(started.headers["location"]))
    done = await browser.answer(password=PASSWORD)

    assert (done.status_code, done.headers["location"]) == (303, leads_to)
    me = await browser.pages.get("/api/v1/auth/me", headers={"Sec-Fetch-Site": "same-origin", "Accept": "*/*"})
    assert me.json()["user"]["email"] == provider.claims["email"]


async def test_without_a_provider_the_pages_offer_none(context: AppContext, provider: FakeProvider) -> None:
    page = await Browser(context, provider).pages.get("/login")

    assert "oidc" not in page.text


OTHER = jwk.RSAKey.generate_key(2048, {"kid": "first"})
SHARED = jwk.OctKey.import_key("a secret/of the tests")


def _changed(**claims: Any) -> Callable[[Claims], None]:
    return lambda own: own.update(claims)


def _moved(name: str, seconds: int) -> Callable[[Claims], None]:
    """An instant from now: tests may run an hour after they are collected."""
    return lambda own: own.update({name: int(time.time()) + seconds})


def _without(name: str) -> Callable[[Claims], None]:
    return lambda own: own.pop(name) and None


def _unsigned(provider: FakeProvider, claims: Claims) -> str:
    signed = provider.signed(claims).split(".")
    return f"eyJhbGciOiJub25lIn0.{signed[1]}."


LIES: dict[str, tuple[str, Callable[[Claims], None] | None, Callable[[FakeProvider, Claims], str] | None]] = {
    "another nonce": ("nonce", _changed(nonce="another"), None),
    "no nonce": ("nonce", _without("nonce"), None),
    "another audience": ("audience", _changed(aud="another"), None),
    "several audiences, not for us": (
        "authorized party", _changed(aud=["signalpost", "another"], azp="another"), None,
    ),
    "several audiences, for nobody": ("authorized party", _changed(aud=["signalpost", "another"]), None),
    "another issuer": ("issuer", _changed(iss="https://evil.test"), None),
    "expired": ("expiry", _moved("exp", -120), None),
    "no expiry": ("expiry", _without("exp"), None),
    "an expiry that is no time": ("expiry", _changed(exp=True), None),
    "issued long ago": ("time of issue", _moved("iat", -3_600), None),
    "issued in the future": ("time of issue", _moved("iat", 3_600), None),
    "no subject": ("subject", _without("sub"), None),
    "a subject that is no text": ("subject", _changed(sub=7), None),
    "alg none": ("algorithm", None, _unsigned),
    "alg HS256 with our secret": (
        "algorithm", None, lambda provider, claims: provider.signed(claims, SHARED, alg="HS256"),
    ),
    "another key under the same name": ("signature", None, lambda provider, claims: provider.signed(claims, OTHER)),
    "changed after it was signed": (
        "signature", None,
        lambda provider, claims: ".".join(
            part if place != 1 else provider.signed(claims | {"sub": "admin"}).split(".")[1]
            for place, part in enumerate(provider.signed(claims).split("."))
        ),
    ),
    "not a token": ("algorithm", None, lambda _provider, _claims: "not.a.token"),
    "a header that is a list": ("algorithm", None, lambda _provider, _claims: "W10.W10.W10"),
    "longer than any": ("algorithm", None, lambda _provider, _claims: "a" * 30_000 + ".b.c"),
}  # fmt: skip


@holds("S16")
@pytest.mark.parametrize("lie", LIES)
async def test_a_token_is_believed_only_if_all_of_it_holds(
    api: Api, provider: FakeProvider, browser: Browser, lie: str, record: Record
) -> None:
    await known(api, provider)
    reason, change, sign = LIES[lie]
    provider.change = change or provider.change
    provider.sign = sign or provider.sign

    response = await browser.come_back()

    record("S16", tried={"forged answers": 1}, measured={"believed": int(response.status_code != 403)})
    assert response.status_code == 403
    assert f"its {reason} is not valid" in response.text


async def test_a_weak_key_signs_nobody_in(api: Api, provider: FakeProvider, browser: Browser) -> None:
    await known(api, provider)
    with warnings.catch_warnings(action="ignore", category=SecurityWarning):
        weak = jwk.RSAKey.generate_key(1024, {"kid": "first"})
    provider.published, provider.sign = [weak], lambda fake, claims: fake.signed(claims, weak)

    assert "its signature is not valid" in (await browser.come_back()).text


async def test_new_keys_of_the_provider_are_read_when_a_token_names_one(
    api: Api, provider: FakeProvider, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    await known(api, provider)
    await link(browser)
    rotated = jwk.ECKey.generate_key("P-256", {"kid": "second"})
    provider.published = [rotated]
    provider.sign = lambda fake, claims: fake.signed(claims, rotated, alg="ES256", kid="second")
    at_once = await browser.come_back()  # the keys were read a moment ago: nobody makes us read them without end
    monkeypatch.setattr("signalpost.oidc.provider.RETRY_SECONDS", 0)

    assert at_once.status_code == 403
    assert (await browser.redeem(await browser.come_back())).status_code == 200


async def test_a_state_works_once_and_in_its_own_browser(
    installation: AppContext, api: Api, provider: FakeProvider, browser: Browser
) -> None:
    await known(api, provider)
    await link(browser)
    started = await browser.start()
    back = provider.consent(started.headers["location"])
    cookies = dict(browser.pages.cookies)
    thief = Browser(installation, provider)

    elsewhere = await thief.pages.get(back)
    other_state = await browser.pages.get(back.replace("state=", "state=x"))
    first = await browser.pages.get(back)
    second = await browser.pages.get(back)
    browser.pages.cookies.update(cookies)
    with_the_old_cookie = await browser.pages.get(provider.consent(started.headers["location"]))

    assert first.status_code == 303
    for refused in (elsewhere, other_state, second, with_the_old_cookie):
        assert refused.status_code == 403
        assert STALE in refused.text


async def test_an_answer_of_another_provider_gets_no_code(api: Api, provider: FakeProvider, browser: Browser) -> None:
    """RFC 9207: the attacker's provider would learn the code of the honest one."""
    await known(api, provider)

    mixed = await browser.come_back(iss="https://evil.test")
    provider.document = {"authorization_response_iss_parameter_supported": True}
    other = Browser(context_of(browser.context, provider), provider)
    silent, right = await other.come_back(), await other.come_back(iss=provider.url)

    assert "another OpenID provider" in mixed.text
    assert "another OpenID provider" in silent.text
    assert right.status_code == 303
    assert provider.calls.count("token") == 1


async def test_a_person_who_says_no_is_told_so(provider: FakeProvider, browser: Browser) -> None:
    started = await browser.start()
    back = provider.consent(started.headers["location"], error="access_denied", code="")

    response = await browser.pages.get(back)

    assert response.status_code == 403
    assert "You did not sign in" in response.text
    assert "token" not in provider.calls


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"redirectUrl": "https://evil.test/"}, "Must be an address of this service"),
        ({"redirectUrl": "http://signalpost.test@evil.test/"}, "Must be an address of this service"),
        ({"redirectUrl": "http://127.0.0.1.evil.test/"}, "Must be an address of this service"),
        ({"redirectUrl": "javascript:alert(1)"}, "Must be an address of this service"),
        ({"redirectUrl": ""}, "Must be an address of this service"),
        ({"codeChallenge": "short"}, "S256"),
        ({"state": "x" * 501}, "500 characters"),
    ],
)
async def test_the_result_goes_only_to_this_service_or_the_persons_own_machine(
    browser: Browser, query: dict[str, str], message: str
) -> None:
    response = await browser.start(**query)

    assert response.status_code == 422
    assert message in response.text


ENDPOINTS = ("token_endpoint", "jwks_uri", "userinfo_endpoint")


@pytest.mark.parametrize("endpoint", ENDPOINTS)
@pytest.mark.parametrize("host", ["http://127.0.0.1:9", "http://169.254.169.254", "https://10.0.0.1"])
async def test_the_document_leads_to_no_private_address_but_the_issuers(
    api: Api, provider: FakeProvider, browser: Browser, endpoint: str, host: str
) -> None:
    """The operator chose the issuer; what its document names on other hosts is what somebody else wrote."""
    await known(api, provider)
    provider.claims.pop("email" if endpoint == "userinfo_endpoint" else "name")
    provider.document = {endpoint: f"{host}/latest/meta-data"}

    response = await browser.come_back()

    assert response.status_code == 503
    assert "cannot be reached" in response.text


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"issuer": "https://evil.test"}, "another issuer"),
        ({"authorization_endpoint": "http://evil.test/authorize"}, "without https"),
        ({"authorization_endpoint": "javascript:alert(1)"}, "cannot be read"),
        ({"authorization_endpoint": 7}, "cannot be read"),
        ({"token_endpoint": None}, "cannot be read"),
    ],
)
async def test_a_document_that_cannot_be_right_begins_nothing(
    provider: FakeProvider, browser: Browser, document: Claims, message: str
) -> None:
    provider.document = document

    first, second = await browser.start(), await browser.start()

    assert (first.status_code, second.status_code) == (503, 503)
    assert message in first.text
    assert provider.calls == ["discover"]  # not again at once


async def test_without_a_provider_nothing_of_it_exists(context: AppContext, api: Api, provider: FakeProvider) -> None:
    browser = Browser(context, provider)

    assert (await api.get("/auth/options")).json() == {"password": True, "oidc": None}
    assert (await browser.start()).status_code == 404
    assert (await browser.pages.get("/sign-in/oidc/callback")).status_code == 404


async def test_a_client_learns_where_to_begin(browser: Browser) -> None:
    options = (await browser.pages.get("/api/v1/auth/options", headers={"Accept": "application/json"})).json()

    assert options["oidc"] == {"label": "Acme ID", "url": "http://signalpost.test/sign-in/oidc"}
    assert (await browser.start(redirectUrl=BACK)).status_code == 303
