"""The purpose of the service: real posts, now and scheduled, and signed webhooks about them."""

import re
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import httpx
import pytest
from PIL import Image
from standardwebhooks.webhooks import Webhook as StandardWebhook
from tests.counterparts import Delivery, ReferencePds, debian_webhook, octokit_receiver
from tests.helpers import bluesky_proxy
from tests.helpers.service_process import Api, installed

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("e2e")]


def picture() -> bytes:
    """A PNG with private metadata."""
    output = BytesIO()
    exif = Image.Exif()
    exif[0x010F] = "Secret Camera"
    Image.linear_gradient("L").convert("RGB").resize((320, 200)).save(output, "png", exif=exif)
    return output.getvalue()


def ranges(record: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The text of each facet of a post, cut out by its byte positions, with its feature."""
    text = record["text"].encode()
    features = []
    for facet in record["facets"]:
        start, end = facet["index"]["byteStart"], facet["index"]["byteEnd"]
        features.append((text[start:end].decode(), facet["features"][0]))
    return features


async def register(api: Api, url: str) -> dict[str, Any]:
    webhook: dict[str, Any] = await api.post(
        "/webhooks", json={"url": url, "events": ["post.queued", "post.published"]}
    )
    return webhook


async def gathered(receiver: Any, count: int) -> list[Delivery]:
    return [await receiver.delivery() for _ in range(count)]


def check_signed(delivery: Delivery, secret: str, began: int) -> None:
    """Both signatures, each verified by third-party code, and the documented headers."""
    headers, body = delivery.headers, delivery.json
    assert delivery.verified
    assert headers["content-type"] == "application/json"
    assert headers["x-service-event"] == body["type"]
    assert re.fullmatch(r"sha256=[0-9a-f]{64}", headers["x-service-signature"])
    assert headers["x-service-delivery"] == headers["webhook-id"] == body["id"]
    assert headers["x-service-attempt"] == "1"
    assert began <= int(headers["x-service-timestamp"]) <= datetime.now(UTC).timestamp()
    assert StandardWebhook(secret).verify(delivery.body, dict(headers)) == body
    assert set(body) == {"id", "type", "createdAt", "data"}


async def test_an_image_post_now_and_a_thread_at_its_time_are_public_and_reported(pds: ReferencePds, api: Api) -> None:
    alice, bob = pds.accounts
    began = int(datetime.now(UTC).timestamp())
    account = await api.connect("bluesky", identifier=alice.handle, appPassword=alice.app_password, service=pds.url)
    assert (account["platform"], account["username"], account["status"]) == ("bluesky", "alice.test", "active")

    async with octokit_receiver() as octokit, debian_webhook() as debian:
        webhooks = [await register(api, receiver.url) for receiver in (octokit, debian)]
        for receiver, webhook in zip((octokit, debian), webhooks, strict=True):
            await receiver.use(webhook["secret"])

        now = await publish_picture(api)
        await check_picture(pds, api, now)
        later = await schedule_thread(api)
        await check_thread(pds, api, later)

        for receiver, webhook in zip((octokit, debian), webhooks, strict=True):
            await check_events(await gathered(receiver, 6), webhook["secret"], [now["id"], later["id"]], began)
    assert await bluesky_proxy.texts(pds, bob, "Grüße") == []


async def publish_picture(api: Api) -> Any:
    files = {"file": ("cat.png", picture(), "image/png")}
    media = await api.post("/media/upload", files=files, data={"altText": "A cat asleep on a keyboard"})
    text = "Grüße 🎈 an @bob.test: https://example.com/größe #signalpost"
    return await api.publish(["bluesky"], text, media=[{"mediaId": media["id"]}])


async def check_picture(pds: ReferencePds, api: Api, post: dict[str, Any]) -> None:
    """Text, facets, image and its alt text, as Bluesky's server returns them."""
    alice, bob = pds.accounts
    ended = await api.ends(post)
    record = (await bluesky_proxy.post(pds, ended["targets"][0]["platformPostId"]))["value"]

    assert record["text"] == post["text"]
    assert ranges(record) == [
        ("@bob.test", {"$type": "app.bsky.richtext.facet#mention", "did": bob.did}),
        ("https://example.com/größe", {"$type": "app.bsky.richtext.facet#link", "uri": "https://example.com/größe"}),
        ("#signalpost", {"$type": "app.bsky.richtext.facet#tag", "tag": "signalpost"}),
    ]
    (image,) = record["embed"]["images"]
    assert image["alt"] == "A cat asleep on a keyboard"
    assert image["aspectRatio"] == {"width": 320, "height": 200}
    stored = await bluesky_proxy.blob(pds, alice, image["image"]["ref"]["$link"])
    assert Image.open(BytesIO(stored)).size == (320, 200)
    assert b"Secret Camera" not in stored


async def schedule_thread(api: Api) -> Any:
    due = datetime.now(UTC) + timedelta(seconds=3)
    thread = [{"text": f"thread {number}"} for number in (2, 3)]
    return await api.publish(["bluesky"], "thread 1", thread=thread, scheduledAt=due.isoformat())


async def check_thread(pds: ReferencePds, api: Api, post: dict[str, Any]) -> None:
    """Nothing before it is due; then a chain of replies. How late it is depends on the machine: bench measures it."""
    alice = pds.accounts[0]
    due = datetime.fromisoformat(post["scheduledAt"])
    while True:
        texts = await bluesky_proxy.texts(pds, alice, "thread")
        if datetime.now(UTC) >= due:
            break
        assert texts == []
    target = (await api.ends(post))["targets"][0]
    assert await bluesky_proxy.texts(pds, alice, "thread") == ["thread 1", "thread 2", "thread 3"]

    first, second, third = [
        record for record in await bluesky_proxy.posts(pds, alice) if record["value"]["text"].startswith("thread")
    ]
    references = [{"uri": record["uri"], "cid": record["cid"]} for record in (first, second)]
    assert "reply" not in first["value"]
    assert second["value"]["reply"] == {"root": references[0], "parent": references[0]}
    assert third["value"]["reply"] == {"root": references[0], "parent": references[1]}
    assert target["platformPostId"] == first["uri"]
    assert datetime.fromisoformat(target["publishedAt"]) >= due


async def check_events(deliveries: list[Delivery], secret: str, posts: list[str], began: int) -> None:
    """Queued, published on the target, published as a whole: once each, for both posts."""
    for delivery in deliveries:
        check_signed(delivery, secret, began)
    assert len({delivery.json["id"] for delivery in deliveries}) == len(deliveries)
    events = [(d.json["data"]["postId"], d.json["type"], d.json["data"]["scope"]) for d in deliveries]
    kinds = [("post.queued", "post"), ("post.published", "target"), ("post.published", "post")]
    assert sorted(events) == sorted((post, *kind) for post in posts for kind in kinds)
    for delivery in deliveries:
        data, accepted = delivery.json["data"], delivery.json["type"] == "post.queued"
        assert (data["published"], data["failed"], data["total"]) == (0 if accepted else 1, 0, 1)


async def test_the_first_run_link_is_printed_once_and_opens() -> None:
    """One line, one token; the page is there, and a output-up token shows nothing."""
    async with installed() as service:
        await service.start()
        (link,) = re.findall(r"http://\S+/first-run\?token=\S+", service.greeting)
        async with httpx.AsyncClient(timeout=60) as client:
            page, wrong = await client.get(link), await client.get(link + "x")
        assert page.status_code == 200
        assert "text/html" in page.headers["content-type"]
        assert wrong.status_code >= 400

        await service.owner()
        await service.stop()
        await service.start()

        assert service.greeting.count("first-run") == 1
