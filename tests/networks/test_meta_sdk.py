"""Meta's own SDK, unmodified, against the simulator: what it takes for right is not only our opinion."""

import asyncio
import hashlib
import io
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from facebook_business.adobjects.iguser import IGUser
from facebook_business.adobjects.page import Page
from facebook_business.adobjects.pagepost import PagePost
from facebook_business.adobjects.user import User
from facebook_business.api import FacebookAdsApi
from facebook_business.exceptions import FacebookRequestError
from facebook_business.session import FacebookSession
from simulator import Destination, Simulator
from tests.helpers.networks.instagram import FILES, URL

from signalpost.conformance.harness import PNG

PAGE, ACCOUNT = "1001", "1701"


@pytest.fixture(scope="module")
async def simulator() -> AsyncIterator[Simulator]:
    async with Simulator(start=datetime(2026, 11, 22, 12, tzinfo=UTC)) as simulator:
        yield simulator


def api(simulator: Simulator, key: str, monkeypatch: pytest.MonkeyPatch) -> tuple[FacebookAdsApi, FacebookAdsApi]:
    """Return the SDK with the token of a person, and with that of their Page."""
    simulator.world.reset()
    world: Any = simulator.world
    instagram = {"id": ACCOUNT, "username": "bakery_photos"}
    page = Destination(PAGE, "page", "Bakery", {"username": "bakery", "instagram": instagram})
    alice, app = world.add_person(key, "alice", destinations=[page]), world.add_app(key)
    network = world.networks[key]
    grant = network.oauth.grant(app, alice)
    monkeypatch.setattr(FacebookSession, "GRAPH", simulator.url(key))
    tokens = (grant.access_token, network.page_token(grant, page))
    user, of_page = (FacebookAdsApi(FacebookSession(app.client_id, app.client_secret, token)) for token in tokens)
    return user, of_page


async def test_a_page_is_listed_and_posted_to(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    user, page = api(simulator, "facebook", monkeypatch)

    def use() -> tuple[Any, Any, Any, Any]:
        [found] = User("me", api=user).get_accounts(fields=["name", "access_token"])
        post = Page(PAGE, api=page).create_feed(params={"message": "By the SDK", "link": "https://example.com"})
        photo = page.call(
            "POST", (PAGE, "photos"), params={"message": "A photo"}, files={"source": ("a.png", io.BytesIO(PNG))}
        ).json()
        return found, post, photo, PagePost(post["id"], api=page).api_get(fields=["message", "permalink_url"])

    found, post, photo, read = await asyncio.to_thread(use)

    first, second = simulator.world.ledger.of("facebook", PAGE)
    assert (found["id"], found["name"]) == (PAGE, "Bakery")
    assert (first.text, first.remote_id) == ("By the SDK", post["id"])
    assert (second.text, second.remote_id, second.media) == (
        "A photo", photo["post_id"], (hashlib.sha256(PNG).hexdigest(),),
    )  # fmt: skip
    assert read["message"] == "By the SDK"


async def test_an_instagram_container_is_published_once(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    _, page = api(simulator, "instagram", monkeypatch)
    network: Any = simulator.world.networks["instagram"]
    network.files |= FILES

    def use() -> tuple[Any, Any]:
        account = IGUser(ACCOUNT, api=page)
        container = account.create_media(params={"image_url": f"{URL}red.jpg", "caption": "By the SDK"})
        media = account.create_media_publish(params={"creation_id": container["id"]})
        with pytest.raises(FacebookRequestError) as raised:
            account.create_media_publish(params={"creation_id": container["id"]})
        return media, raised.value

    media, error = await asyncio.to_thread(use)

    [entry] = simulator.world.ledger.of("instagram", ACCOUNT)
    assert (entry.text, entry.remote_id) == ("By the SDK", media["id"])
    assert (error.api_error_code(), error.http_status()) == (100, 400)


async def test_the_sdk_reads_the_errors_of_the_simulator(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    _, page = api(simulator, "facebook", monkeypatch)
    simulator.world.add_fault("facebook", "status", "POST /{version}/{page}/feed", status=500)

    def use() -> FacebookRequestError:
        with pytest.raises(FacebookRequestError) as raised:
            Page(PAGE, api=page).create_feed(params={"message": "x"})
        return raised.value

    error = await asyncio.to_thread(use)

    assert error.api_transient_error()
    assert error.api_error_type() == "OAuthException"
