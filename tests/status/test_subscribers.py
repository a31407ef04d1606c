"""Subscriptions: nobody is mailed without a confirmation, nobody learns who is subscribed, webhooks are signed."""

import base64
import dataclasses
import hashlib
import hmac
import json
import re
import secrets
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.helpers.api import Api
from tests.helpers.webhooks import Receiver, receiver_server
from tests.status.test_incidents import component, declare, say

from signalpost.context import AppContext
from signalpost.kit import ids, problems
from signalpost.kit.db import Database, Db
from signalpost.mail.messages import Message, read, render
from signalpost.status import places
from signalpost.status.actions import deliver, notify, subscribers
from signalpost.status.actions.deliver import FAILURES_MAX, RETRY_SECONDS, Delivery
from signalpost.status.actions.notify import News
from signalpost.status.schemas import StatusSubscribe, Subscription


@pytest.fixture
def mailing(context: AppContext) -> AppContext:
    """The same service with a mail server; what would be sent stays in the outbox."""
    return dataclasses.replace(context, settings=dataclasses.replace(context.settings, smtp_url="smtp://127.0.0.1:1"))


def address() -> str:
    return f"ada-{secrets.token_hex(5)}@example.test"


async def subscribe(context: AppContext, **fields: Any) -> Subscription:
    async with context.database.transaction() as db:
        return await subscribers.subscribe(context, db, msgspec.convert(fields, StatusSubscribe), None)


async def outbox(database: Database, to: str) -> list[Message]:
    async with database.connection() as db:
        rows = await db.fetch("select payload from job where kind = 'mail.send' and payload ->> 'to' = $1", to)
    return [msgspec.convert(row[0], Message) for row in rows]


def token_of(context: AppContext, message: Message) -> str:
    """The token of the link that only the recipient sees: to confirm, or to unsubscribe."""
    _, text = read(message, context.keys, context.fixed_url)
    return re.findall(r"token=(\S+)", text)[0]


async def give(context: AppContext, news: News) -> list[Delivery]:
    """Give news to all who want it; return what webhooks are going to get."""
    async with context.database.transaction() as db:
        while True:
            await deliver.give(context, db, news)
            following = await db.fetchval(
                "delete from job where kind = $1 and payload ->> 'after' is not null returning payload", notify.JOB
            )
            if following is None:
                break
            news = msgspec.convert(following, News)
        return await take(db)


async def take(db: Db) -> list[Delivery]:
    rows = await db.fetch("delete from job where kind = $1 returning payload", deliver.JOB)
    return [msgspec.convert(row[0], Delivery) for row in rows]


async def test_an_address_is_mailed_only_after_it_confirmed_and_until_it_unsubscribes(
    api: Api, staff: str, mailing: AppContext, database: Database
) -> None:
    email = address()
    part = await component(api, staff)
    incident = await declare(api, staff, part, title="Down <script>alert(1)</script>", body="We look.\n<b>Now</b>")
    news = News(type=notify.INCIDENT, data=incident, component_ids=[ids.decode("cmp", part["id"]) or ids.new_id()])
    await subscribe(mailing, email=email)
    await give(mailing, news)
    [first] = await outbox(database, email)
    assert first.template == "status_confirm"

    confirmed = await api.post("/status/subscriptions/confirm", json={"token": token_of(mailing, first)})
    assert (confirmed.status_code, confirmed.json()["status"]) == (200, "active")
    await give(mailing, news)
    [message] = [mail for mail in await outbox(database, email) if mail.template == "status_incident"]
    mail = render(message, "Status <status@example.test>", mailing.keys, mailing.fixed_url)
    assert mail["Subject"] == "Down <script>alert(1)</script>: investigating"
    assert mail["List-Unsubscribe"].startswith("<http://signalpost.test/status/unsubscribe?token=sub_")
    assert "token" not in str(message.values)
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    html = mail.get_body(("html",))
    assert html is not None
    assert "<script>" not in html.get_content()
    assert "<b>Now" not in html.get_content()

    token = token_of(mailing, message)
    wrong = await api.post("/status/subscriptions/confirm", json={"token": token})
    assert wrong.status_code == 404  # a token is for one purpose
    ended = await api.post("/status/subscriptions/unsubscribe", json={"token": token})
    assert ended.json()["status"] == "unsubscribed"
    again = await api.post("/status/subscriptions/unsubscribe", json={"token": token})
    assert again.status_code == 404
    await give(mailing, news)
    assert len(await outbox(database, email)) == 2
    await say(api, staff, incident, "resolved", notify=False)


async def test_mails_are_in_the_language_of_the_subscription(
    api: Api, staff: str, mailing: AppContext, database: Database
) -> None:
    """The last one chosen before it is confirmed counts; what the operator wrote stays as it is."""
    email = address()
    part = await component(api, staff)
    incident = await declare(api, staff, part, title="Down", body="We look.")
    await subscribe(mailing, email=email, language="es")
    await subscribe(mailing, email=email, language="de-AT")
    first, second = await outbox(database, email)
    assert [mail.values["language"] for mail in (first, second)] == ["es", "de"]
    confirmed = await api.post("/status/subscriptions/confirm", json={"token": token_of(mailing, second)})
    assert confirmed.status_code == 200
    await subscribe(mailing, email=email, language="es")  # by whom, nobody knows
    component_id = ids.decode("cmp", part["id"]) or ids.new_id()
    await give(mailing, News(type=notify.INCIDENT, data=incident, component_ids=[component_id]))
    [message] = [mail for mail in await outbox(database, email) if mail.template == "status_incident"]
    mail = render(message, "Status <status@example.test>", mailing.keys, mailing.fixed_url)
    text = mail.get_body(("plain",))
    assert mail["Subject"] == "Down: wird untersucht"
    assert text is not None
    assert "We look." in text.get_content()
    assert "Der Status des Dienstes:" in text.get_content()
    await say(api, staff, incident, "resolved", notify=False)


async def test_the_response_is_the_same_for_every_address_and_three_mails_an_hour_are_sent(
    api: Api, mailing: AppContext, database: Database
) -> None:
    """Whoever asks for another address learns nothing, and cannot fill its mailbox, also not by tags behind a +."""
    email = address()
    first = await subscribe(mailing, email=email)
    await confirm(api, mailing, email)
    confirmed = await subscribe(mailing, email=email.upper())
    assert confirmed == first
    assert first.status == "pending_confirmation"
    assert len(await outbox(database, email)) == 1

    bombed, local = address(), ""
    local, _, domain = bombed.partition("@")
    tagged = [f"{local}+{number}@{domain}" for number in range(5)]
    for one in [bombed, *tagged]:
        await subscribe(mailing, email=one)
    assert sum([len(await outbox(database, one)) for one in [bombed, *tagged]]) == 3


async def test_a_link_works_for_a_week_from_its_own_mail_on(api: Api, mailing: AppContext, database: Database) -> None:
    """Also if someone had asked for the address before; then what nobody confirms is deleted."""
    email = address()
    await subscribe(mailing, email=email)
    async with database.transaction() as db:
        await db.execute(
            "update status_subscriber set created_at = now() - interval '8 days',"
            " mailed_at = array[now() - interval '8 days'] where email = $1",
            email,
        )
    await subscribe(mailing, email=email)
    async with database.transaction() as db:
        await subscribers.purge(db)
    token = token_of(mailing, (await outbox(database, email))[-1])
    assert (await api.post("/status/subscriptions/confirm", json={"token": token})).status_code == 200

    async with database.transaction() as db:
        old = "active = false, mailed_at = array[now() - interval '8 days']"
        await db.execute(f"update status_subscriber set {old} where email = $1", email)
        await subscribers.purge(db)
        assert not await db.fetchval("select exists (select from status_subscriber where email = $1)", email)


async def confirm(api: Api, mailing: AppContext, email: str) -> None:
    [message] = await outbox(mailing.database, email)
    answer = await api.post("/status/subscriptions/confirm", json={"token": token_of(mailing, message)})
    assert answer.status_code == 200


async def test_one_sender_gets_no_further_than_ten_requests(api: Api) -> None:
    codes = {
        (await api.post("/status/subscribe", json={}, headers={"X-Forwarded-For": "198.51.100.9"})).status_code
        for _ in range(11)
    }
    assert codes == {422, 429}


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "/email"),
        ({"email": "a@example.test", "webhookUrl": "https://example.test"}, "/email"),
        ({"email": "a@example.test\r\nBcc: b@example.test"}, "/email"),
        ({"email": "a b@example.test"}, "/email"),
        ({"email": "a@example.test", "componentIds": [ids.encode("cmp", ids.new_id())]}, "/componentIds/0"),
        ({"webhookUrl": "ftp://example.test"}, "/webhookUrl"),
    ],
)
async def test_a_subscription_that_cannot_be_is_refused_by_its_place(api: Api, body: dict[str, Any], path: str) -> None:
    answer = await api.post("/status/subscribe", json=body)

    assert answer.status_code == 422, answer.text
    assert path in [issue["path"] for issue in answer.json()["errors"]]


@pytest.mark.parametrize("url", ["http://169.254.169.254/latest", "https://169.254.169.254/", "https://10.1.2.3/"])
async def test_a_webhook_is_guarded_like_those_of_workspaces(context: AppContext, url: str) -> None:
    guarded = dataclasses.replace(context, settings=dataclasses.replace(context.settings, allow_private_webhooks=False))
    with pytest.raises(problems.UnsafeAddress) as refused:
        await subscribers.BEFORE.run(guarded, None, StatusSubscribe(webhook_url=url))
    assert refused.value.errors[0].path == "/webhookUrl"


async def test_without_a_mail_server_nobody_is_promised_mails(api: Api) -> None:
    answer = await api.post("/status/subscribe", json={"email": address()})

    assert (answer.status_code, answer.json()["code"]) == (409, "invalid_state")


async def test_a_webhook_gets_signed_news_of_its_components(
    api: Api, staff: str, context: AppContext, database: Database
) -> None:
    part, other = await component(api, staff), await component(api, staff)
    async with receiver_server() as received:
        created = (
            await api.post("/status/subscribe", json={"webhookUrl": received.url, "componentIds": [part["id"]]})
        ).json()
        await confirm_webhook(api, context, created, received)
        mine = ids.decode("sub", created["id"])
        deliveries: list[Delivery] = []
        for concerned, count in ((other, 0), (part, 1)):
            chosen = ids.decode("cmp", concerned["id"])
            assert chosen is not None
            news = News(type=notify.COMPONENT, data=concerned, component_ids=[chosen])
            deliveries = [delivery for delivery in await give(context, news) if delivery.subscriber_id == mine]
            assert len(deliveries) == count
        assert await deliver.attempt(context, deliveries[0]) is None
        _, request = received.requests

    assert request.json.keys() == {"id", "type", "createdAt", "data"}
    assert (request.json["type"], request.json["data"]["key"]) == ("status.component", part["key"])
    secret = created["secret"]
    expected = hmac.digest(secret.encode(), request.body, hashlib.sha256).hex()
    assert request.headers["x-service-signature"] == f"sha256={expected}"
    signed = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.".encode() + request.body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    standard = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    assert request.headers["webhook-signature"] == f"v1,{standard}"
    ended = await api.post("/status/subscriptions/unsubscribe", json={"token": created["token"]})
    assert ended.status_code == 200


async def test_a_failed_delivery_is_repeated_unchanged_and_a_dead_webhook_ends(
    api: Api, staff: str, context: AppContext
) -> None:
    part = await component(api, staff)
    async with receiver_server() as received:
        created = (await api.post("/status/subscribe", json={"webhookUrl": received.url})).json()
        await confirm_webhook(api, context, created, received)
        received.requests.clear()
        received.status = 500
        mine = ids.decode("sub", created["id"])
        assert mine is not None
        delivery = Delivery(id=ids.new_id(), subscriber_id=mine, type="status.component", body=json.dumps(part))
        for attempts in range(len(RETRY_SECONDS) + 1):
            error = await deliver.attempt(context, delivery)
            assert error is not None
            async with context.database.transaction() as db:
                await take(db)
                await deliver.settle(db, delivery, error)
                following = await take(db)
            if attempts < len(RETRY_SECONDS):
                assert following == [msgspec.structs.replace(delivery, attempts=attempts + 1)]
                delivery = following[0]
            else:
                assert following == []
        assert {request.body for request in received.requests} == {json.dumps(part).encode()}
        assert len({request.headers["webhook-id"] for request in received.requests}) == 1
    async with context.database.transaction() as db:
        for _ in range(FAILURES_MAX - 1):
            await deliver.settle(db, delivery, "answered 500")
        assert await db.fetchval("select count(*) from status_subscriber where id = $1", mine) == 0


async def confirm_webhook(api: Api, context: AppContext, created: dict[str, Any], received: Receiver) -> None:
    """Do what the engine does and a receiver that wants news."""
    assert created["status"] == "pending_confirmation"
    async with context.database.transaction() as db:
        [asked] = [each for each in await take(db) if ids.encode("sub", each.subscriber_id) == created["id"]]
    assert await deliver.attempt(context, asked) is None
    request = received.requests[-1]
    assert request.json["type"] == "status.confirm"
    expected = hmac.digest(created["secret"].encode(), request.body, hashlib.sha256).hex()
    assert request.headers["x-service-signature"] == f"sha256={expected}"
    answer = await api.post("/status/subscriptions/confirm", json={"token": request.json["data"]["token"]})
    assert answer.json() == {"id": created["id"], "status": "active"}


async def test_a_webhook_that_does_not_confirm_gets_nothing(
    api: Api, staff: str, context: AppContext, database: Database
) -> None:
    """Also if its server answers everything with 200: whoever is subscribed by a stranger hears of it once."""
    part = await component(api, staff)
    async with receiver_server() as received:
        created = (await api.post("/status/subscribe", json={"webhookUrl": received.url})).json()
        mine = ids.decode("sub", created["id"])
        async with context.database.transaction() as db:
            [asked] = [each for each in await take(db) if each.subscriber_id == mine]
            await deliver.settle(db, asked, await deliver.attempt(context, asked))
        deliveries = await give(context, News(type=notify.COMPONENT, data=part, component_ids=[]))
        assert mine not in [each.subscriber_id for each in deliveries]
        wrong = await api.post("/status/subscriptions/confirm", json={"token": created["token"]})
        assert wrong.status_code == 404, "the subscriber knows another token than the receiver"
    async with context.database.transaction() as db:
        await db.execute(
            "update status_subscriber set created_at = created_at - interval '61 minutes' where id = $1", mine
        )
        await subscribers.purge(db)
        assert not await db.fetchval("select exists (select from status_subscriber where id = $1)", mine)


async def test_news_do_not_wait_for_receivers_that_strangers_named(
    api: Api, staff: str, context: AppContext, database: Database
) -> None:
    """A lane has eight places, which a few subscriptions of slow servers a minute would keep busy."""
    part = await component(api, staff)
    chosen = ids.decode("cmp", part["id"])
    assert chosen is not None
    async with receiver_server() as received:
        created = (await api.post("/status/subscribe", json={"webhookUrl": received.url})).json()
        mine = str(ids.decode("sub", created["id"]))
        lanes = "select distinct queue from job where kind = $1 and payload ->> 'subscriber_id' = $2"
        async with database.connection() as db:
            [asked] = await db.fetch(lanes, deliver.JOB, mine)
        await confirm_webhook(api, context, created, received)
    async with context.database.transaction() as db:
        await deliver.give(context, db, News(type=notify.COMPONENT, data=part, component_ids=[chosen]))
        [told] = await db.fetch(lanes, deliver.JOB, mine)
        await take(db)
    assert asked != told


async def test_a_challenge_that_fails_is_not_repeated(api: Api, context: AppContext) -> None:
    """It goes to an address that a stranger chose."""
    async with receiver_server() as received:
        created = (await api.post("/status/subscribe", json={"webhookUrl": received.url})).json()
        async with context.database.transaction() as db:
            [asked] = [each for each in await take(db) if ids.encode("sub", each.subscriber_id) == created["id"]]
            await deliver.settle(db, asked, "answered 500")
            assert await take(db) == []


async def fill(db: Db, url: str, network: str | None, *, active: bool = True) -> UUID:
    """Have a webhook subscribed as if it came from there; return its id."""
    subscriber_id = ids.new_id()
    await subscribers.make_room(db, url, network, active=active)
    await db.execute(
        "insert into status_subscriber (id, url, secret, active, network, heard_at, created_at)"
        " values ($1, $2, '', $3, $4, clock_timestamp(), clock_timestamp())",
        subscriber_id, url, active, network,
    )  # fmt: skip
    return subscriber_id


@pytest.mark.parametrize(
    ("place", "maximum"), [("domain", subscribers.PER_DOMAIN), ("network", subscribers.PER_NETWORK), ("all", 500)]
)
@pytest.mark.parametrize("active", [True, False])
async def test_who_listened_least_gives_way_when_a_place_is_full(
    database: Database, place: str, maximum: int, active: bool
) -> None:
    """So nobody takes places for good: neither by a domain with any name below, nor by many domains in one network."""
    async with database.connection() as lent:
        transaction = lent.transaction()
        await transaction.start()
        try:
            await lent.execute("delete from status_subscriber")
            other = await fill(lent, "https://other.example/hook", "192.0.2.0/24", active=active)
            made = []
            for number in range(maximum + 1):
                name = secrets.token_hex(6)
                host = f"{name}.evil.co.uk" if place == "domain" else f"{name}.example"
                network = "203.0.113.0/24" if place == "network" else f"10.{number // 250}.{number % 250}.0/24"
                made.append(await fill(lent, f"https://{host}/hook", network, active=active))
            left = {row[0] for row in await lent.fetch("select id from status_subscriber")}
            if place == "all":
                assert left == set(made[1:])
            else:
                assert left == {other, *made[1:]}
        finally:
            await transaction.rollback()


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://a.b.example.com/x", "example.com"),
        ("https://EXAMPLE.com:8443", "example.com"),
        ("https://shop.example.co.uk", "example.co.uk"),
        ("https://example.co.uk", "example.co.uk"),
        ("https://hooks.example.de", "example.de"),
        ("https://co.uk", "co.uk"),
        ("https://192.0.2.7/x", "192.0.2.7"),
        ("https://[2001:db8::1]/x", "2001:db8::1"),
    ],
)
def test_a_registrable_domain(url: str, domain: str) -> None:
    assert places.registrable_domain(url) == domain


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.77", "192.0.2.0/24"), ("2001:db8:1:2::3", "2001:db8:1::/48"), ("::ffff:192.0.2.7", "192.0.2.0/24"),
        ("127.0.0.1", None), ("::1", None), ("?", None),
    ],
)  # fmt: skip
def test_a_network(address: str, network: str | None) -> None:
    assert places.network_of(address) == network


async def test_staff_list_and_end_subscriptions(api: Api, staff: str) -> None:
    created = (await api.post("/status/subscribe", json={"webhookUrl": "http://127.0.0.1:9/mine"})).json()
    listed = (await api.get("/status/admin/subscribers", key=staff)).json()["data"]
    [mine] = [each for each in listed if each["id"] == created["id"]]
    assert (mine["channel"], mine["address"], mine["status"]) == (
        "webhook", "http://127.0.0.1:9/mine", "pending_confirmation",
    )  # fmt: skip
    assert "secret" not in str(listed)

    path = f"/status/admin/subscribers/{created['id']}"
    assert (await api.delete(path, key=staff)).status_code == 204
    assert (await api.delete(path, key=staff)).status_code == 404
    assert (await api.post("/status/subscriptions/unsubscribe", json={"token": created["token"]})).status_code == 404
