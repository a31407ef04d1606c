"""X in the simulator: a client that others wrote works unmodified, and what X refuses is refused."""

import asyncio
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import tweepy
from simulator import Simulator
from simulator.text import weighted
from tests.helpers.limits import TEST_SECONDS
from tests.helpers.redirected import Redirected

REDIRECT = "https://service.example/callback"


async def test_tweepy_signs_in_and_publishes(simulator: Simulator) -> None:
    """Unmodified, with its own OAuth and its own idea of requests and responses."""
    world = simulator.world
    world.add_person("x", "alice")
    app = world.add_app("x", REDIRECT)
    handler = tweepy.OAuth2UserHandler(
        client_id=app.client_id,
        client_secret=app.client_secret,
        redirect_uri=REDIRECT,
        scope=["tweet.read", "tweet.write", "users.read", "offline.access"],
    )
    adapter = Redirected(simulator.url("x"))
    handler.mount("https://api.twitter.com", adapter)
    page = urlsplit(handler.get_authorization_url())
    oauth = world.networks["x"].oauth
    assert oauth is not None
    location = oauth.decide(dict(httpx.QueryParams(page.query)), "alice", "approve")

    def use() -> None:
        tokens = handler.fetch_token(location)
        client = tweepy.Client(tokens["access_token"])
        client.session.mount("https://api.twitter.com", adapter)
        me = client.get_me(user_auth=False).data
        assert me.username == "alice"
        first = client.create_tweet(text="Hello from https://example.com/", user_auth=False).data
        reply = client.create_tweet(text="More", in_reply_to_tweet_id=first["id"], user_auth=False).data
        with pytest.raises(tweepy.Forbidden, match="duplicate"):
            client.create_tweet(text="More", user_auth=False)
        fields = ["public_metrics", "created_at", "entities"]
        listed = client.get_users_tweets(me.id, tweet_fields=fields, user_auth=False).data
        assert [str(one.id) for one in listed] == [reply["id"], first["id"]]
        assert listed[1].entities["urls"][0]["expanded_url"] == "https://example.com/"
        assert listed[1].public_metrics["reply_count"] == 1
        assert client.delete_tweet(reply["id"], user_auth=False).data == {"deleted": True}
        poll = client.create_tweet(
            text="?", poll_options=["a", "b"], poll_duration_minutes=60, reply_settings="following", user_auth=False
        )
        assert poll.data["id"]

    await asyncio.to_thread(use)
    assert [entry.text for entry in world.ledger.of("x")] == ["Hello from https://example.com/", "?"]


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("a" * 280, 280),
        ("日本", 4),
        ("é", 1),
        ("👨‍👩‍👧‍👦", 2),
        ("🇩🇪", 2),
        ("https://example.com/" + "x" * 100, 23),
        ("see example.com.", 28),
        ("“quoted”…", 10),
    ],
)
def test_length_as_x_counts(text: str, length: int) -> None:
    assert weighted(text) == length


async def call(simulator: Simulator, method: str, path: str, person: dict[str, Any], **options: Any) -> httpx.Response:
    network = simulator.world.networks["x"]
    assert network.oauth is not None
    alice = simulator.world.add_person("x", "alice", details=person)
    grant = network.oauth.grant(simulator.world.add_app("x", REDIRECT), alice)
    headers = {"Authorization": f"Bearer {grant.access_token}"}
    async with httpx.AsyncClient(base_url=simulator.url("x"), headers=headers, timeout=TEST_SECONDS) as http:
        return await http.request(method, path, **options)


REFUSED: dict[str, tuple[str, Any, int]] = {
    "too long": ("/2/tweets", {"text": "a" * 281}, 400),
    "misspelled": ("/2/tweets", {"text": "a", "replysettings": "following"}, 400),
    "empty": ("/2/tweets", {"text": " "}, 400),
    "two cashtags": ("/2/tweets", {"text": "$AAPL and $MSFT"}, 403),
    "unknown media": ("/2/tweets", {"text": "a", "media": {"media_ids": ["1"]}}, 400),
    "numbers as ids": ("/2/tweets", {"text": "a", "media": {"media_ids": [1]}}, 400),
    "one option": ("/2/tweets", {"text": "a", "poll": {"options": ["x"], "duration_minutes": 5}}, 400),
    "long option": ("/2/tweets", {"text": "a", "poll": {"options": ["x" * 26, "y"], "duration_minutes": 5}}, 400),
    "short poll": ("/2/tweets", {"text": "a", "poll": {"options": ["x", "y"], "duration_minutes": 4}}, 400),
    "reply to nothing": ("/2/tweets", {"text": "a", "reply": {"in_reply_to_tweet_id": "5"}}, 403),
    "quote": ("/2/tweets", {"text": "a", "quote_tweet_id": "5"}, 403),
    "settings": ("/2/tweets", {"text": "a", "reply_settings": "nobody"}, 400),
    "bytes": ("/2/media/upload/initialize",
              {"media_type": "image/gif", "media_category": "tweet_gif", "total_bytes": 15_000_001}, 400),
    "type": ("/2/media/upload/initialize",
             {"media_type": "video/avi", "media_category": "tweet_video", "total_bytes": 9}, 400),
    "alt text": ("/2/media/metadata", {"id": "5", "metadata": {}}, 400),
    "unknown call": ("/2/posts", {}, 404),
}  # fmt: skip


@pytest.mark.parametrize(("path", "body", "status"), REFUSED.values(), ids=REFUSED)
async def test_what_x_refuses(simulator: Simulator, path: str, body: Any, status: int) -> None:
    response = await call(simulator, "POST", path, {}, json=body)
    assert response.status_code == status
    assert response.json()["type"]
    assert simulator.world.ledger.entries == []


async def test_premium_accounts_write_long_posts(simulator: Simulator) -> None:
    person = {"subscription_type": "Premium"}
    assert (await call(simulator, "POST", "/2/tweets", person, json={"text": "a" * 25_000})).status_code == 201
    assert (await call(simulator, "POST", "/2/tweets", person, json={"text": "a" * 25_001})).status_code == 400


async def test_segments_have_to_add_up(simulator: Simulator) -> None:
    network = simulator.world.networks["x"]
    assert network.oauth is not None
    grant = network.oauth.grant(simulator.world.add_app("x"), simulator.world.add_person("x", "alice"))
    headers = {"Authorization": f"Bearer {grant.access_token}"}
    async with httpx.AsyncClient(base_url=simulator.url("x"), headers=headers, timeout=TEST_SECONDS) as http:
        body = {"media_type": "video/mp4", "media_category": "tweet_video", "total_bytes": 6}
        media_id = (await http.post("/2/media/upload/initialize", json=body)).json()["data"]["id"]

        async def send(index: int, content: bytes) -> int:
            files = {"media": ("segment", content, "application/octet-stream")}
            path = f"/2/media/upload/{media_id}/append"
            return (await http.post(path, data={"segment_index": str(index)}, files=files)).status_code

        assert [await send(0, b"abc"), await send(2, b"def")] == [200, 200]
        assert (await http.post(f"/2/media/upload/{media_id}/finalize")).status_code == 400
        assert [await send(1, b"de"), await send(2, b"f"), await send(1000, b"x")] == [200, 200, 400]
        finished = (await http.post(f"/2/media/upload/{media_id}/finalize")).json()["data"]
        assert finished["processing_info"]["state"] == "pending"
        tweet = {"text": "v", "media": {"media_ids": [media_id]}}
        assert (await http.post("/2/tweets", json=tweet)).status_code == 400
        simulator.world.clock.advance(9)
        assert (await http.post("/2/tweets", json=tweet)).status_code == 201
