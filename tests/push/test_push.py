"""Notifications on devices: who gets which, what leaves the service, and when a device ends."""

import dataclasses
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.http_servers import response
from tests.helpers.identity import PASSWORD, login, register
from tests.helpers.push_service import Browser, PushService, plain, push_service, push_waiting, subscribe

from signalpost import mail
from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.push import encryption
from signalpost.push.actions import devices, sending
from signalpost.push.actions.announce import path_of

NIGHT = {"start": "22:00", "end": "07:00", "timezone": "UTC"}


@pytest.fixture
async def service(context: AppContext) -> AsyncIterator[PushService]:
    async with context.database.transaction() as db:  # what other tests left: it would be tried, and wait again
        await db.execute("delete from job where kind in ('push.announce', 'push.send')")
    async with push_service(encryption.public_key(context.keys)) as running:
        yield running
    assert running.refused == []


async def notify(context: AppContext, email: str, **values: Any) -> None:
    """Someone mentions the person, as `discussion` reports it."""
    link = f"{context.fixed_url}/console/posts/pst_01M7Z0000000000000000000AB"
    told = {"by": "Grace", "title": "Spring menu", "lines": ["Look!"], "is_mention": True, "link": link} | values
    async with context.database.transaction() as db:
        await mail.enqueue(db, mail.Message(to=email, template="post_message", values=told))


async def listed(api: Api, key: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await api.get("/auth/push", key=key)).json()["devices"]
    return found


async def test_a_mention_arrives_on_each_device_of_the_person(
    api: Api, context: AppContext, service: PushService
) -> None:
    """Encrypted for that browser alone, in the language of the person, with the page that it is about."""
    person, other = await register(api), await register(api)
    await api.patch("/auth/me", json={"locale": "de-AT"}, key=person["accessToken"])
    again = await login(api, person["email"])
    first, _ = await subscribe(api, person["accessToken"], service)
    second, _ = await subscribe(api, again["accessToken"], service)
    await subscribe(api, other["accessToken"], service)

    await notify(context, person["email"])
    await push_waiting(context)
    assert len(service.taken) == 2
    readable = {}
    for browser in (first, second):
        [message] = [request for request in service.taken if request.path == browser.endpoint[len(service.url) - 1 :]]
        readable[browser.endpoint] = browser.read(message.body)
        assert b"Grace" not in message.body
    assert readable[first.endpoint] == readable[second.endpoint]
    shown = readable[first.endpoint]
    assert shown.pop("at") <= clock.now().timestamp() * 1000
    assert shown == {
        "title": "Grace zu: Spring menu",
        "text": "Grace erwähnt Sie in der Diskussion eines Beitrags:\nLook!",
        "path": "/console/posts/pst_01M7Z0000000000000000000AB",
        "tag": service.taken[0].headers["topic"],
    }
    assert [bool(row["sentAt"]) for row in await listed(api, person["accessToken"])] == [True, True]
    assert [row["sentAt"] for row in await listed(api, other["accessToken"])] == [None]


async def test_devices_and_mails_have_choices_of_their_own(api: Api, context: AppContext, service: PushService) -> None:
    """Who wants no mail still gets the notification, and the other way round."""
    person = await register(api)
    key, email = person["accessToken"], person["email"]
    await subscribe(api, key, service)
    count = "select count(*) from job where kind = 'mail.send' and payload ->> 'to' = $1"
    for choice, mails, pushes in (("mail", 0, 1), ("push", 1, 1), (None, 2, 2)):
        everything = {"mail": {"discussions": choice != "mail"}, "push": {"discussions": choice != "push"}}
        assert (await api.patch("/auth/notifications", json=everything, key=key)).status_code == 200
        await notify(context, email)
        await push_waiting(context)
        async with context.database.connection() as db:
            assert await db.fetchval(count, email) == mails
        assert len(service.taken) == pushes


async def test_quiet_hours_hold_notifications_until_their_end(
    api: Api, context: AppContext, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As they hold mails."""
    person = await register(api)
    key = person["accessToken"]
    await subscribe(api, key, service)
    await api.patch("/auth/notifications", json={"quietHours": NIGHT}, key=key)
    midnight = clock.actual().replace(hour=23, minute=0) + timedelta(days=2)
    monkeypatch.setattr("signalpost.mail.actions.clock.actual", lambda: midnight)
    await notify(context, person["email"])
    monkeypatch.undo()
    assert await push_waiting(context) == 0
    run_at = "select next_attempt_at from job where kind = 'push.announce' order by id desc limit 1"
    async with context.database.connection() as db:
        assert await db.fetchval(run_at) == midnight.replace(hour=7, second=0, microsecond=0) + timedelta(days=1)
    await push_waiting(context, later=True)
    await push_waiting(context)
    assert len(service.taken) == 1


async def test_only_what_has_a_topic_reaches_devices(api: Api, context: AppContext, service: PushService) -> None:
    """A code or a link to sign in is not shown on a locked screen."""
    person = await register(api)
    await subscribe(api, person["accessToken"], service)
    assert (await api.post("/auth/password/forgot", json={"email": person["email"]})).status_code == 202
    async with context.database.transaction() as db:
        values = {"link": "https://signalpost.test/?token=secret", "email": person["email"], "minutes": 30}
        await mail.enqueue(db, mail.Message(to=person["email"], template="password_reset", values=values))
    assert await push_waiting(context) == 0


async def test_a_test_reaches_the_device_that_is_tried(api: Api, context: AppContext, service: PushService) -> None:
    person, other = await register(api), await register(api)
    browser, device = await subscribe(api, person["accessToken"], service)
    for key, status in ((other["accessToken"], 404), (person["accessToken"], 204)):
        assert (await api.post(f"/auth/push/{device}/test", key=key)).status_code == status
    await push_waiting(context)
    [message] = service.taken
    assert browser.read(message.body)["title"] == devices.TEST_TITLE


@pytest.mark.parametrize("ended_by", ["logout", "others", "password", "turned off", "gone", "missing", "deleted"])
async def test_a_device_ends(api: Api, context: AppContext, service: PushService, ended_by: str) -> None:
    """With its session, with the account, by the person, and when the push service says so; nothing is sent then."""
    person = await register(api)
    key = (await login(api, person["email"]))["accessToken"]
    _, device = await subscribe(api, key, service)
    if ended_by in ("gone", "missing"):
        service.answers.append(response(410 if ended_by == "gone" else 404, b""))
        await notify(context, person["email"])
        await push_waiting(context)
        service.taken.clear()
    else:
        calls: dict[str, tuple[str, str, str, Any]] = {
            "logout": ("POST", "/auth/logout", key, None),
            "others": ("DELETE", "/auth/sessions", person["accessToken"], None),
            "password": (
                "POST",
                "/auth/password",
                person["accessToken"],
                {"currentPassword": PASSWORD, "password": "staple battery horse correct"},
            ),
            "turned off": ("DELETE", f"/auth/push/{device}", key, None),
            "deleted": (
                "POST",
                "/auth/me/delete",
                key,
                {
                    "email": person["email"],
                    "password": PASSWORD,
                    "deleteWorkspaces": [person["workspace"]["id"]],
                },
            ),
        }
        method, path, caller, body = calls[ended_by]
        answer = await api.call(method, path, key=caller, json=body)
        assert answer.is_success, answer.text
    async with context.database.connection() as db:
        assert not await db.fetchval("select true from push_device where id = $1", ids.decode("psh", device))
    await notify(context, person["email"])
    await push_waiting(context)
    assert service.taken == []


async def test_a_service_that_is_busy_is_asked_again_when_it_says(
    api: Api, context: AppContext, service: PushService
) -> None:
    """And not more often than its patience and ours allow; the same notification arrives once it answers."""
    person = await register(api)
    browser, _ = await subscribe(api, person["accessToken"], service)
    busy = b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 5000\r\nContent-Length: 0\r\n\r\n"
    service.answers += [busy, response(503, b"down")]
    await notify(context, person["email"])
    await push_waiting(context)
    assert len(service.taken) == 1
    waits = "select extract(epoch from next_attempt_at - now())::int from job where kind = 'push.send'"
    async with context.database.connection() as db:
        assert 4_990 <= await db.fetchval(waits) <= 5_000
    [device] = await listed(api, person["accessToken"])
    assert (device["error"], device["sentAt"]) == ("answered 429", None)
    await push_waiting(context, later=True)
    async with context.database.connection() as db:
        assert 110 <= await db.fetchval(waits) <= 120
    await push_waiting(context, later=True)
    assert len({browser.read(request.body)["title"] for request in service.taken}) == 1
    [device] = await listed(api, person["accessToken"])
    assert device["error"] is None
    assert await push_waiting(context, later=True) == 0


async def test_attempts_end(api: Api, context: AppContext, service: PushService) -> None:
    """After the last one, and for what is a day old; a device that fails for two weeks is forgotten."""
    person = await register(api)
    await subscribe(api, person["accessToken"], service)
    service.answers += [response(500, b"x")] * 20
    await notify(context, person["email"])
    await push_waiting(context)
    while await push_waiting(context, later=True):
        assert len(service.taken) <= len(sending.RETRY_SECONDS) + 1
    assert len(service.taken) == len(sending.RETRY_SECONDS) + 1
    async with context.database.transaction() as db:
        await db.execute("update push_device set failing_since = now() - interval '15 days' where error is not null")
    service.answers[:] = [response(403, b"no")]
    await notify(context, person["email"])
    await push_waiting(context)
    assert await listed(api, person["accessToken"]) == []


async def test_a_device_shows_so_many_in_an_hour(
    api: Api, context: AppContext, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = await register(api)
    _, device = await subscribe(api, person["accessToken"], service)
    async with context.database.transaction() as db:
        await db.execute("update push_device set hour_count = $1", sending.PER_HOUR - 1)
    for _ in range(3):
        await notify(context, person["email"])
    await push_waiting(context)
    assert len(service.taken) == 1
    tried = await api.post(f"/auth/push/{device}/test", key=person["accessToken"])
    assert (tried.status_code, tried.headers["retry-after"]) == (429, "3600")


async def test_the_longest_notification_fits(api: Api, context: AppContext, service: PushService) -> None:
    """Whatever people write, in any script."""
    person = await register(api)
    browser, _ = await subscribe(api, person["accessToken"], service)
    await notify(context, person["email"], title="👩‍👩‍👧" * 200, by='\\"' * 100, lines=["\u0001漢" * 1_000] * 50)
    await push_waiting(context)
    [message] = service.taken
    shown = browser.read(message.body)
    assert len(shown["title"]) <= sending.TITLE_MAX
    assert len(shown["text"]) <= sending.TEXT_MAX


async def test_a_browser_has_one_device_whoever_signs_in(api: Api, context: AppContext, service: PushService) -> None:
    """What is on its way to the person before is not shown to the one after."""
    person, other = await register(api), await register(api)
    browser, device = await subscribe(api, person["accessToken"], service)
    await notify(context, person["email"])
    moved = await api.post("/auth/push", json=browser.subscription, key=other["accessToken"])
    assert moved.status_code == 201
    assert moved.json()["id"] != device
    assert await listed(api, person["accessToken"]) == []
    await push_waiting(context)
    assert service.taken == []
    await notify(context, other["email"])
    await push_waiting(context)
    assert len(service.taken) == 1


async def test_a_person_has_so_many_devices(
    api: Api, context: AppContext, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session has one; those whose session has ended do not count."""
    monkeypatch.setattr(devices, "DEVICES_MAX", 2)
    person = await register(api)
    key = person["accessToken"]
    await subscribe(api, key, service)
    await subscribe(api, key, service)
    [row] = await listed(api, key)
    assert row["current"]
    others = [(await login(api, person["email"]))["accessToken"] for _ in range(2)]
    await subscribe(api, others[0], service)
    refused = await api.post("/auth/push", json=Browser(f"{service.url}x").subscription, key=others[1])
    assert (refused.status_code, refused.json()["code"]) == (422, "too_many_items")
    async with context.database.transaction() as db:
        await db.execute("update session set expires_at = now() where id = (select session_id from push_device "
                         "where user_id = (select id from app_user where email = $1) order by created_at desc limit 1)",
                         person["email"])  # fmt: skip
    await subscribe(api, others[1], service)


POINT = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
AUTH = "BTBZMqHH6r4Tts7J_aSIgg"


@pytest.mark.parametrize(
    ("endpoint", "keys", "path"),
    [
        ("http://push.example.com/x", {}, "/endpoint"),
        ("https://10.0.0.1/x", {}, "/endpoint"),
        ("https://169.254.169.254/x", {}, "/endpoint"),
        ("https://[::1]/x", {}, "/endpoint"),
        ("file:///etc/passwd", {}, "/endpoint"),
        ("https://me:secret@8.8.8.8/x", {}, "/endpoint"),
        ("https://8.8.8.8/" + "x" * 2_000, {}, "/endpoint"),
        ("https://8.8.8.8/x", {"p256dh": POINT[:-4]}, "/keys/p256dh"),
        ("https://8.8.8.8/x", {"p256dh": "B" + "A" * 86}, "/keys/p256dh"),
        ("https://8.8.8.8/x", {"auth": AUTH[:-4]}, "/keys/auth"),
        ("https://8.8.8.8/x", {"auth": "*" * 22}, "/keys/auth"),
    ],
)
async def test_what_no_browser_gives_is_refused(api: Api, endpoint: str, keys: dict[str, str], path: str) -> None:
    """Nothing private can be reached by the address of a push service."""
    key = (await register(api))["accessToken"]
    body = {"endpoint": endpoint, "keys": {"p256dh": POINT, "auth": AUTH} | keys}
    answer = await api.post("/auth/push", json=body, key=key)
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, path)


async def test_a_key_has_no_device(api: Api, make: Make) -> None:
    owner = await make.owner()
    answer = await api.get("/auth/push", key=owner.key)
    assert answer.json()["devices"] == []
    assert len(plain(answer.json()["publicKey"])) == 65
    body = {"endpoint": "https://8.8.8.8/x", "keys": {"p256dh": POINT, "auth": AUTH}}
    assert (await api.post("/auth/push", json=body, key=owner.key)).status_code == 403


@pytest.mark.parametrize(
    ("link", "path"),
    [
        ("https://social.example.com/console/posts/1", "/console/posts/1"),
        ("https://example.com/social/console/approvals?client=1#x", "/console/approvals?client=1"),
        ("https://elsewhere.example.com/login", "/console/feeds"),
        ("", "/console/feeds"),
    ],
)
def test_a_click_opens_a_page_of_the_console(link: str, path: str) -> None:
    assert path_of(link, "/console/feeds") == path


def test_whom_push_services_can_ask(context: AppContext) -> None:
    """Apple refuses an address that nobody could reach: the address of the installation, if it is https."""
    settings = dataclasses.replace(context.settings, base_url="https://social.example.com/app", mail_from="S <a@b.de>")
    secure = dataclasses.replace(context, settings=settings)
    assert sending.subject_of(secure) == "https://social.example.com"
    plain_http = dataclasses.replace(settings, base_url="http://social.example.com")
    assert sending.subject_of(dataclasses.replace(context, settings=plain_http)) == "mailto:a@b.de"
