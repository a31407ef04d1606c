"""The counterparts themselves work: a failure here is an error of the tools, not of the service."""

import hashlib
import hmac

import httpx
from tests.counterparts import debian_webhook, mastodon_mock, octokit_receiver, reference_pds

SECRET = "whsec_test"
BODY = '{"event":"post.published","text":"Grüße 🎈"}'.encode()


def signed(secret: str) -> dict[str, str]:
    return {"X-Service-Signature": "sha256=" + hmac.new(secret.encode(), BODY, hashlib.sha256).hexdigest()}


async def test_octokit_receiver_tells_good_from_bad_signatures() -> None:
    async with octokit_receiver(SECRET) as receiver, httpx.AsyncClient(timeout=60) as client:
        good = await client.post(receiver.url, content=BODY, headers=signed(SECRET))
        bad = await client.post(receiver.url, content=BODY, headers=signed("other"))
        none = await client.post(receiver.url, content=BODY)
        await receiver.use("other", status=503)
        changed = await client.post(receiver.url, content=BODY, headers=signed("other"))

        assert [r.status_code for r in (good, bad, none, changed)] == [204, 401, 401, 503]
        assert [(await receiver.delivery()).verified for _ in range(4)] == [True, False, False, True]
        assert receiver.deliveries[0].body == BODY


async def test_debian_webhook_tells_good_from_bad_signatures() -> None:
    async with debian_webhook(SECRET) as receiver, httpx.AsyncClient(timeout=60) as client:
        good = await client.post(receiver.url, content=BODY, headers=signed(SECRET))
        bad = await client.post(receiver.url, content=BODY, headers=signed("other"))
        await receiver.use("other")
        changed = await client.post(receiver.url, content=BODY, headers=signed("other"))

        assert [r.status_code for r in (good, bad, changed)] == [200, 500, 200]
        assert (await receiver.delivery()).body == BODY
        assert len(receiver.deliveries) == 2
        assert receiver.deliveries[0].headers["x-service-signature"] == signed(SECRET)["X-Service-Signature"]


async def test_mastodon_mock_takes_a_status() -> None:
    async with mastodon_mock() as mastodon, httpx.AsyncClient(base_url=mastodon.url, timeout=60) as client:
        headers = {"Authorization": f"Bearer {mastodon.access_token}", "Idempotency-Key": "one"}

        sent = [await client.post("/api/v1/statuses", json={"status": "hello"}, headers=headers) for _ in range(2)]

        assert [s.status_code for s in sent] == [200, 200]
        assert sent[0].json()["id"] == sent[1].json()["id"]


async def test_reference_pds_has_the_accounts() -> None:
    async with (
        reference_pds(["alice.test", "bob.test"]) as pds,
        httpx.AsyncClient(base_url=pds.url, timeout=60) as client,
    ):
        alice, bob = pds.accounts
        login = {"identifier": alice.handle, "password": alice.app_password}

        session = await client.post("/xrpc/com.atproto.server.createSession", json=login)
        wrong = await client.post("/xrpc/com.atproto.server.createSession", json=login | {"password": "x"})

        assert session.json()["did"] == alice.did != bob.did
        assert wrong.status_code == 401
        directory = await client.get(f"{pds.plc_url}/{alice.did}/data")
        assert directory.json()["services"]["atproto_pds"]["endpoint"] == pds.url
