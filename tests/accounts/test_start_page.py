"""The page on which a person agrees before they go to the network: links that are over, other sites and browsers."""

import hashlib
from typing import Any

import pytest
from tests.helpers.authorization import HTML, REDIRECT_URL, AuthorizationFlow

WHERE = {"redirectUrl": REDIRECT_URL}


@pytest.mark.parametrize("accept", ["*/*", HTML], ids=["program", "browser"])
async def test_who_previews_the_start_page_does_not_use_it_up(flow: AuthorizationFlow, accept: str) -> None:
    link = await flow.link(**WHERE)
    for _ in range(2):
        assert (await flow.another_browser().get(link, accept=accept)).status_code == 200
    code = flow.network.consent(await flow.click(link))

    response = await flow.callback({"state": link.rpartition("/")[2], "code": code})
    assert response.json()["status"] == "connected"


async def unknown_link(flow: AuthorizationFlow) -> str:
    return f"{flow.origin}/connect/{'A' * 43}"


async def endless_link(flow: AuthorizationFlow) -> str:
    return f"{flow.origin}/connect/{'A' * 3_000}"


async def expired_link(flow: AuthorizationFlow) -> str:
    link = await flow.link()
    await flow.database.pool.execute("update oauth_flow set expires_at = now() where used_at is null")
    return link


async def finished_link(flow: AuthorizationFlow) -> str:
    link = await flow.link()
    code = flow.network.consent(await flow.click(link))
    await flow.callback({"state": link.rpartition("/")[2], "code": code})
    return link


async def link_of_another_browser(flow: AuthorizationFlow) -> str:
    link = await flow.link()
    await flow.click(link, flow.another_browser())
    return link


@pytest.mark.parametrize("prepare", [unknown_link, endless_link, expired_link, finished_link, link_of_another_browser])
async def test_a_link_that_is_over_leads_nowhere(flow: AuthorizationFlow, prepare: Any) -> None:
    link = await prepare(flow)
    seen, clicked = await flow.browser.get(link), await flow.browser.post(link)

    assert (seen.status_code, clicked.status_code) == (410, 410)
    assert "This link is no longer valid" in seen.text
    assert "location" not in clicked.headers
    assert "set-cookie" not in clicked.headers


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "", "Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "", "Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "https://signalpost.test"},
    ],
)
async def test_another_site_cannot_click(flow: AuthorizationFlow, headers: dict[str, str]) -> None:
    response = await flow.browser.post(await flow.link(), headers=headers)

    assert response.status_code == 403
    assert "location" not in response.headers
    assert flow.browser.cookies == {}


async def test_a_cookie_that_we_did_not_set_is_not_adopted(flow: AuthorizationFlow) -> None:
    """Fixation: whoever plants a cookie knows its value, and would come back with it in place of the victim."""
    link = await flow.link()
    await flow.browser.post(link)
    [name] = flow.browser.cookies
    victim = flow.another_browser()
    planted = (await flow.link()).rpartition("/")[2]
    victim.client.cookies.set(name[:-16] + _tag(planted), "known-to-the-attacker")
    response = await victim.post(f"{flow.origin}/connect/{planted}")

    assert response.status_code == 303
    assert "known-to-the-attacker" not in response.headers["set-cookie"]


def _tag(state: str) -> str:
    return hashlib.sha256(state.encode()).hexdigest()[:16]
