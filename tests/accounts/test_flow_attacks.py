"""What the authorization flow refuses: returns without the cookie, mix-ups, stolen codes, people who lost the right.

Each case comes as a program and as a browser. Refused means: no code is exchanged, nothing is stored, and nobody is
sent anywhere.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import httpx
import pytest
from tests.figures.record import Record, holds
from tests.helpers.authorization import HTML, REDIRECT_URL, AuthorizationFlow, Browser
from tests.helpers.factories import Make

from signalpost.kit import ids

EVIL = '"><script>alert(1)</script>'
WHERE = {"redirectUrl": REDIRECT_URL}


@dataclass
class Return:
    """What is brought back, where to and by which browser."""

    params: Any
    path: str | None = None
    browser: Browser | None = None


Prepare = Callable[[AuthorizationFlow], Awaitable[Return]]


def with_state(change: Callable[[str], str]) -> Prepare:
    async def prepare(flow: AuthorizationFlow) -> Return:
        good = await flow.consent(**WHERE)
        return Return(good | {"state": change(good["state"])})

    return prepare


def with_params(**params: str) -> Prepare:
    async def prepare(flow: AuthorizationFlow) -> Return:
        return Return(await flow.consent(**WHERE) | params)

    return prepare


def to_path(change: Callable[[str], str]) -> Prepare:
    async def prepare(flow: AuthorizationFlow) -> Return:
        good = await flow.consent(**WHERE)
        return Return(good, change(flow.path))

    return prepare


def with_cookie(change: Callable[[str, str], dict[str, str]]) -> Prepare:
    """The browser has other cookies than the one it got."""

    async def prepare(flow: AuthorizationFlow) -> Return:
        good = await flow.consent(**WHERE)
        [(name, value)] = flow.browser.cookies.items()
        other = flow.another_browser()
        for changed, changed_value in change(name, value).items():
            other.client.cookies.set(changed, changed_value)
        return Return(good, browser=other)

    return prepare


def denied(**params: str) -> Prepare:
    """The state of a flow that another browser agreed to, with an error: an open redirect, if it were believed."""

    async def prepare(flow: AuthorizationFlow) -> Return:
        good = await flow.consent(**WHERE)
        return Return({"state": good["state"]} | params, browser=flow.another_browser())

    return prepare


async def used(flow: AuthorizationFlow) -> Return:
    good = await flow.consent(**WHERE)
    await flow.callback({"state": good["state"], "error": "access_denied"})
    return Return(good)


async def expired(flow: AuthorizationFlow) -> Return:
    good = await flow.consent(**WHERE)
    await flow.database.pool.execute(
        "update oauth_flow set expires_at = now() - interval '1 second' where used_at is null"
    )
    return Return(good)


async def never_started(flow: AuthorizationFlow) -> Return:
    """Whoever asked for the link knows the state, and may reach the network's page by other ways than ours."""
    begun = (await flow.start(**WHERE)).json()
    started = await flow.consent()
    return Return({"state": begun["state"], "code": started["code"]})


async def opened_elsewhere(flow: AuthorizationFlow) -> Return:
    """The attacker agrees in their browser and sends the network's address to a victim, who comes back here."""
    victim, attacker = flow.another_browser(), flow.another_browser()
    good = await flow.consent(attacker, **WHERE)
    return Return(good, browser=victim)


async def page_seen_but_not_clicked(flow: AuthorizationFlow) -> Return:
    link = await flow.link(**WHERE)
    victim, attacker = flow.another_browser(), flow.another_browser()
    await victim.get(link)
    code = flow.network.consent(await flow.click(link, attacker))
    return Return({"state": link.rpartition("/")[2], "code": code}, browser=victim)


async def own_cookie_foreign_state(flow: AuthorizationFlow) -> Return:
    """Login CSRF: the attacker's state and code reach the browser of a victim who has a flow of their own under way."""
    victim, attacker = flow.another_browser(), flow.another_browser()
    await flow.consent(victim)
    return Return(await flow.consent(attacker, **WHERE), browser=victim)


async def server_always_names_itself(flow: AuthorizationFlow) -> Return:
    flow.network.metadata = {"authorization_response_iss_parameter_supported": True}
    return Return(await flow.consent(**WHERE))


async def server_poses_as_another(flow: AuthorizationFlow) -> Return:
    """Its metadata name another issuer: it may not, so the `iss` of that one is refused."""
    flow.network.metadata = {"issuer": "https://honest.example"}
    return Return(await flow.consent(**WHERE) | {"iss": "https://honest.example"})


REFUSED: dict[str, Prepare] = {
    "unknown state": with_state(lambda _: "A" * 43),
    "short state": with_state(lambda state: state[:-1]),
    "longer state": with_state(lambda state: state + "A"),
    "state in capitals": with_state(str.swapcase),
    "state of 200 characters": with_state(lambda _: "x" * 200),
    "state beyond ASCII": with_state(lambda _: "\u00fcn\u00efcode"),
    "state as SQL": with_state(lambda _: "' or 1=1 --"),
    "state as markup": with_state(lambda _: "<script>alert(1)</script>"),
    "used state": used,
    "expired state": expired,
    "never started": never_started,
    "no cookie": opened_elsewhere,
    "page seen but not clicked": page_seen_but_not_clicked,
    "own cookie, foreign state": own_cookie_foreign_state,
    "empty cookie": with_cookie(lambda name, _: {name: ""}),
    "other cookie": with_cookie(lambda name, value: {name: value[:-1] + ("A" if value[-1] != "A" else "B")}),
    "cookie of another flow": with_cookie(lambda name, value: {name[:-1] + "x": value}),
    "cookie without its prefix": with_cookie(lambda name, value: {name.removeprefix("__Host-"): value}),
    "the state as cookie": with_cookie(lambda name, _: {name: "A" * 43}),
    "network of another platform": to_path(lambda _: "/api/v1/platforms/facebook/callback"),
    "sandbox": to_path(lambda _: "/api/v1/platforms/sandbox/callback"),
    "Bluesky": to_path(lambda _: "/v1/platforms/bluesky/callback"),
    "address without server": to_path(lambda path: path.rpartition("/")[0]),
    "address of another server": to_path(lambda path: path.rpartition("/")[0] + "/" + "0" * 32),
    "address in capitals": to_path(lambda path: path.rpartition("/")[0] + "/" + path.rpartition("/")[2].upper() + "x"),
    "another issuer": with_params(iss="https://evil.example"),
    "issuer that begins alike": with_params(iss="http://127.0.0.1.evil.example"),
    "issuer as markup": with_params(iss=EVIL),
    "missing issuer": server_always_names_itself,
    "server that poses as another": server_poses_as_another,
    "open redirect by error": denied(error="access_denied"),
    "open redirect by error and code": denied(error="access_denied", code="x"),
    "script in error_description": denied(error="x", error_description=EVIL),
    "script in error": denied(error=EVIL),
    "script in logid": denied(error="x", logid=EVIL),
    "address in error_description": denied(error="x", error_description="https://evil.example/"),
}


@holds("S16")
@pytest.mark.parametrize("accept", ["application/json", HTML], ids=["program", "browser"])
@pytest.mark.parametrize("name", REFUSED)
async def test_a_return_is_refused(flow: AuthorizationFlow, name: str, accept: str, record: Record) -> None:
    returned = await REFUSED[name](flow)
    response = await flow.callback(returned.params, returned.path, browser=returned.browser, accept=accept)

    connected = await flow.accounts()
    record("S16", tried={"forged answers": 1}, measured={"believed": len(connected)})
    assert_refused(response, 400, "oauth_state_invalid", accept)
    assert (flow.network.exchanges, connected) == (0, [])


SCANNED: dict[str, Prepare] = {
    "no cookie": denied(code="x"),
    "an error, no cookie": denied(error="access_denied"),
    "another cookie": with_cookie(lambda name, _: {name: "A" * 43}),
    "another platform": to_path(lambda _: "/v1/platforms/bluesky/callback"),
    "another issuer, no cookie": denied(code="x", iss="https://evil.example"),
}


@pytest.mark.parametrize("accept", ["application/json", HTML], ids=["program", "browser"])
@pytest.mark.parametrize("name", SCANNED)
async def test_who_opens_the_address_first_does_not_use_it_up(flow: AuthorizationFlow, name: str, accept: str) -> None:
    """Mail scanners and link previews open addresses before people do, and they have no cookie of the flow."""
    scanned = await SCANNED[name](flow)
    refused = await flow.callback(scanned.params, scanned.path, browser=scanned.browser, accept=accept)
    good = {"state": scanned.params["state"], "code": [*flow.network.codes][-1]}
    response = await flow.callback(good)

    assert_refused(refused, 400, "oauth_state_invalid", accept)
    assert response.json()["status"] == "connected", response.text
    assert_refused(await flow.callback(good, accept=accept), 400, "oauth_state_invalid", accept)  # it works once


MALFORMED: dict[str, Callable[[dict[str, str]], Any]] = {
    "no state": lambda good: {"code": good["code"]},
    "empty state": lambda good: good | {"state": ""},
    "no code": lambda good: {"state": good["state"]},
    "empty code": lambda good: good | {"code": ""},
    "nothing": lambda _: {},
    "two states": lambda good: [*good.items(), ("state", good["state"])],
    "two codes": lambda good: [*good.items(), ("code", "x")],
    "two errors": lambda good: [*good.items(), ("error", "x"), ("error", "y")],
    "two issuers": lambda good: [*good.items(), ("iss", "x"), ("iss", "y")],
    "endless state": lambda good: good | {"state": "x" * 201},
    "endless code": lambda good: good | {"code": "x" * 4_097},
    "endless error": lambda good: good | {"error": "x" * 201},
    "U+0000 in the state": lambda good: good | {"state": "\0"},
    "U+0000 in the code": lambda good: good | {"code": good["code"] + "\0"},
}


@pytest.mark.parametrize("accept", ["application/json", HTML], ids=["program", "browser"])
@pytest.mark.parametrize("name", MALFORMED)
async def test_a_malformed_return_is_refused(flow: AuthorizationFlow, name: str, accept: str) -> None:
    good = await flow.consent(**WHERE)
    response = await flow.callback(MALFORMED[name](good), accept=accept)

    assert_refused(response, 422, "validation_failed", accept)
    assert (flow.network.exchanges, await flow.accounts()) == (0, [])


def assert_refused(response: httpx.Response, status: int, code: str, accept: str) -> None:
    assert response.status_code == status, response.text
    assert "location" not in response.headers
    assert "evil.example" not in response.text
    assert "app.example.com" not in response.text
    if accept == HTML:
        assert response.headers["content-type"].startswith("text/html")
        assert "default-src 'none'" in response.headers["content-security-policy"]
        assert "<h1>Not connected</h1>" in response.text
        assert "http-equiv" not in response.text
        assert "<script" not in response.text
    else:
        assert response.headers["content-type"] == "application/problem+json"
        assert response.json()["code"] == code


# --- with cookie and state: the person reads why, and returns to where they came from ---------------------------------


async def code_of_another_flow(flow: AuthorizationFlow) -> Return:
    """Code injection: PKCE binds a code to the flow that began it."""
    mine, other = await flow.consent(**WHERE), await flow.consent()
    return Return({"state": mine["state"], "code": other["code"]})


async def code_of_another_client(flow: AuthorizationFlow) -> Return:
    good = await flow.consent(**WHERE)
    _, redirect, challenge = flow.network.codes[good["code"]]
    flow.network.codes[good["code"]] = ("another", redirect, challenge)
    return Return(good)


async def code_for_another_address(flow: AuthorizationFlow) -> Return:
    good = await flow.consent(**WHERE)
    client, redirect, challenge = flow.network.codes[good["code"]]
    flow.network.codes[good["code"]] = (client, redirect + "/x", challenge)
    return Return(good)


async def downgraded(flow: AuthorizationFlow) -> Return:
    """The challenge is taken out of the address: the verifier goes along all the same, and the server refuses it."""
    link = await flow.link(**WHERE)
    parts = urlsplit(await flow.click(link))
    query = [pair for pair in parse_qsl(parts.query) if not pair[0].startswith("code_challenge")]
    code = flow.network.consent(urlunsplit(parts._replace(query=urlencode(query))))
    return Return({"state": link.rpartition("/")[2], "code": code})


async def spent_code(flow: AuthorizationFlow) -> Return:
    good = await flow.consent(**WHERE)
    del flow.network.codes[good["code"]]
    return Return(good)


async def forgotten_app(flow: AuthorizationFlow) -> Return:
    good = await flow.consent(**WHERE)
    flow.network.forgets_apps = True
    return Return(good)


async def lost_response(flow: AuthorizationFlow) -> Return:
    good = await flow.consent(**WHERE)

    async def slam(request: Any) -> None:
        request.transport.close()
        raise asyncio.CancelledError

    flow.network.before_profile = slam
    return Return(good)


FAILED: dict[str, tuple[Prepare, str]] = {
    "code of another flow": (code_of_another_flow, "validation_failed"),
    "code of another client": (code_of_another_client, "validation_failed"),
    "code for another address": (code_for_another_address, "validation_failed"),
    "PKCE downgrade": (downgraded, "validation_failed"),
    "spent code": (spent_code, "validation_failed"),
    "code of nobody": (with_params(code="x"), "validation_failed"),
    "app that the server forgot": (forgotten_app, "validation_failed"),
    "lost response": (lost_response, "platform_error"),
    "denied": (with_params(error="access_denied"), "access_denied"),
    "denied and a code": (with_params(error="access_denied", code="x"), "access_denied"),
}


@pytest.mark.parametrize("accept", ["application/json", HTML], ids=["program", "browser"])
@pytest.mark.parametrize("name", FAILED)
async def test_a_return_fails(flow: AuthorizationFlow, name: str, accept: str) -> None:
    prepare, code = FAILED[name]
    returned = await prepare(flow)
    response = await flow.callback(returned.params, returned.path, browser=returned.browser, accept=accept)

    assert response.status_code == 200, response.text
    if accept == HTML:
        assert "url=https://app.example.com/connected?tab=1&amp;status=failed" in response.text
    else:
        assert (response.json()["status"], response.json()["error"]) == ("failed", code)
    assert await flow.accounts() == []


async def test_an_address_that_left_the_list_is_not_returned_to(flow: AuthorizationFlow) -> None:
    good = await flow.consent(**WHERE)
    await flow.database.pool.execute("update workspace set redirect_urls = '{}' where id = $1", flow.owner.workspace_id)
    page = await flow.callback(good, accept=HTML)

    assert page.status_code == 200
    assert "app.example.com" not in page.text


async def test_another_account_than_the_one_to_reconnect_is_refused(flow: AuthorizationFlow, make: Make) -> None:
    other = await make.account(flow.owner)
    refused = await flow.start(accountId=other["id"])  # another platform
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (404, "accountId")
    first = (await flow.callback(await flow.consent())).json()["account"]
    good = await flow.consent(accountId=first["id"])
    await flow.database.pool.execute(
        "update account set remote_id = 'someone-else' where id = $1", ids.decode("acc", first["id"])
    )
    response = (await flow.callback(good)).json()

    assert (response["status"], response["error"]) == ("failed", "validation_failed")
