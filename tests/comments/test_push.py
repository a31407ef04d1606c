"""Comments that a network pushes: a Page of Facebook in the simulator, which calls the webhook of its app."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from simulator import App
from simulator.networks.graph_push import Webhook, sign
from simulator.networks.instagram import Instagram
from simulator.networks.threads import Threads
from tests.helpers.factories import Make
from tests.helpers.pushed_comments import PATH, VERIFY_TOKEN, Page, installation

from signalpost.comments.actions import plan, push
from signalpost.comments.actions.push import Waiting
from signalpost.context import AppContext
from signalpost.kit import clock
from signalpost.web import hub


@pytest.fixture
async def page(context: AppContext, make: Make) -> AsyncIterator[Page]:
    async with installation(context, make) as page:
        await page.connect()
        yield page


async def test_a_comment_is_there_within_moments_and_nothing_of_the_call_is_stored(page: Page) -> None:
    assert "pages_manage_metadata" in page.requested["scope"].split(",")
    assert not await page.pushed()
    await page.subscribe()
    assert await page.pushed()
    await page.was_read()
    assert page.network.subscribed == {(page.app.client_id, page.id): frozenset({"feed"})}

    page.says("Do you deliver?")
    (hook,) = page.hooks()
    forged = json.loads(hook.body)
    forged["entry"][0]["changes"][0]["value"] |= {"message": "Buy followers", "from": {"id": "1", "name": "Nobody"}}
    answer = await page.call(sign(page.app, json.dumps(forged).encode()))
    assert (answer.status_code, answer.json()) == (200, {"received": True})
    assert await page.waits() <= 0

    assert await page.jobs() == 1  # due now: its lane is woken when the call is committed
    await page.collect()
    assert await page.comments() == ["Do you deliver?"]
    assert await page.waits() > 60  # as often as without a push


async def test_the_address_is_verified(page: Page) -> None:
    query = {"hub.mode": "subscribe", "hub.verify_token": VERIFY_TOKEN, "hub.challenge": "1158201444"}
    answer = await page.api.get(PATH, params=query)
    assert (answer.status_code, answer.text) == (200, "1158201444")
    for wrong in (VERIFY_TOKEN[:-1], VERIFY_TOKEN + "x", "é"):
        refused = await page.api.get(PATH, params=query | {"hub.verify_token": wrong})
        assert (refused.status_code, refused.json()["code"]) == (403, "verification_failed")
    for network in ("x", "nowhere", "sandbox", "instagram"):
        refused = await page.api.get(f"/platforms/{network}/webhook", params=query)
        assert (refused.status_code, refused.json()["code"]) == (403, "verification_failed")
        signed = page.feed("1001_1")
        refused = await page.api.post(
            f"/platforms/{network}/webhook", content=signed.body, headers=dict(signed.headers)
        )
        assert (refused.status_code, refused.json()["code"]) == (401, "invalid_signature")


async def test_what_is_not_signed_changes_nothing(page: Page) -> None:
    await page.subscribe()
    await page.was_read()
    right = page.feed(page.remote_id)
    other = sign(App("facebook", "other", "other-secret"), right.body)
    changed = Webhook(right.body.replace(b"add", b"ADD"), right.headers)
    bare = Webhook(right.body, {"Content-Type": "application/json"})

    for hook in (other, changed, bare):
        refused = await page.call(hook)
        assert (refused.status_code, refused.json()["code"]) == (401, "invalid_signature")
    large = await page.call(sign(page.app, b" " * (hub.BODY_BYTES_MAX + 1)))
    assert (large.status_code, large.json()["code"]) == (413, "payload_too_large")
    broken = await page.call(sign(page.app, b'{"object": "page", '))
    assert (broken.status_code, broken.json()["code"]) == (400, "malformed_request")
    assert await page.waits() > 60


@pytest.mark.parametrize(
    "payload",
    [
        None, 1, "page", [], {}, {"object": "page"}, {"object": "page", "entry": {}}, {"object": "page", "entry": [1]},
        {"object": "page", "entry": [{"id": "\0", "changes": [{"field": "feed", "value": {}}]}]},
        {"object": "page", "entry": [{"id": "1001", "changes": [1, {"field": "feed"}, {"field": "feed", "value": 1}]}]},
        {"object": "page", "entry": [{"id": "1001", "changes": [{"field": "feed", "value": {"item": "comment"}}]}]},
        {"object": "page", "entry": [{"id": 1001, "changes": [{"field": "feed", "value": {
            "item": "comment", "post_id": ["x"]}}]}]},
        {"object": "page", "entry": [{"id": [], "changes": [{"field": "mention", "value": {"post_id": "1001_1"}}]}]},
        {"object": "user", "entry": [{"id": "1001", "changes": []}]},
    ],
)  # fmt: skip
async def test_what_says_nothing_is_left_out(page: Page, payload: Any) -> None:
    answer = await page.call(sign(page.app, json.dumps(payload).encode()))
    assert (answer.status_code, answer.json()) == (200, {"received": True})


async def test_a_flood_costs_one_look_in_twenty_seconds(page: Page) -> None:
    """Ten thousand calls for one post: the first brings its look forward, the others find it ahead."""
    await page.subscribe()
    await page.was_read()
    hook = page.feed(page.remote_id)
    await page.call(hook)
    assert await page.waits() <= 0
    await page.collect()
    calls = len(page.world.log)

    after = [page.call(hook) for _ in range(20)]
    assert {answer.status_code for answer in await asyncio.gather(*after)} == {200}
    assert 0 < await page.waits() <= push.INTERVAL.total_seconds()
    statements = 0

    class Counted:
        """The database, which nothing may ask any more."""

        def __getattr__(self, name: str) -> Any:
            nonlocal statements
            statements += 1
            return getattr(page.context.database, name)

    counted: Any = replace(page.context, database=Counted())  # shares the process's state
    connector = push.connector_of(page.context, "facebook")
    assert connector is not None
    for _ in range(10_000):
        await push.receive(counted, connector, hook.body)
    assert (statements, await page.jobs(), len(page.world.log)) == (0, 1, calls)


async def test_a_repeated_call_finds_nothing_new(page: Page) -> None:
    await page.subscribe()
    await page.was_read()
    page.says("Do you deliver?")
    (hook,) = page.hooks()
    await page.call(hook)
    await page.collect()
    await page.sets("look_at = now() - interval '1 hour'", "comment_push")
    page.context.state(Waiting).clear()

    assert (await page.call(hook)).status_code == 200
    await page.collect()
    assert await page.comments() == ["Do you deliver?"]


async def test_posts_and_pages_that_are_not_here_are_left_out(page: Page) -> None:
    await page.subscribe()
    await page.was_read()
    for hook in (
        page.feed(f"{page.id}_999"),
        page.feed(page.remote_id, page_id="9999"),
        page.feed(page.remote_id, item="like"),
    ):
        assert (await page.call(hook)).status_code == 200
    assert (await page.waits() > 60, await page.jobs()) == (True, 0)


async def test_the_same_page_in_two_workspaces_is_looked_at_in_each(page: Page, make: Make) -> None:
    await page.subscribe()
    await page.was_read()
    other = Page(page.context, page.api, await make.owner(), page.world, page.app, page.id)
    await other.connect()
    await other.subscribe()
    await other.publish("Other words")
    await other.sets("next_attempt_at = now() + interval '5 minutes', read_at = now()")

    await page.call(page.feed(page.remote_id))
    assert (await page.waits() <= 0, await other.waits() > 60) == (True, True)

    assert (await page.api.delete(f"/platforms/accounts/{page.account['id']}", key=page.owner.key)).status_code == 200
    assert page.network.subscribed  # the other workspace still has it
    assert await other.pushed()


async def test_a_disconnected_account_is_unsubscribed_and_looked_at_no_more(page: Page) -> None:
    await page.subscribe()
    await page.was_read()
    hook = page.feed(page.remote_id)

    assert (await page.api.delete(f"/platforms/accounts/{page.account['id']}", key=page.owner.key)).status_code == 200
    assert (page.network.subscribed, await page.pushed()) == ({}, False)
    assert (await page.call(hook)).status_code == 200
    assert (await page.waits() > 60, await page.jobs()) == (True, 0)

    await page.connect()
    await page.subscribe()
    assert await page.pushed()


async def test_what_fails_or_was_removed_keeps_its_pause(page: Page) -> None:
    await page.subscribe()
    await page.was_read()
    for values in (
        "failures = 1", "failures = 0, last_error = 'refused'",
        "last_error = null, next_attempt_at = published_at + interval '32 days'",
    ):  # fmt: skip
        await page.sets(values)
        await page.call(page.feed(page.remote_id))
        assert await page.waits() > 60, values


async def test_what_is_pushed_during_a_look_is_looked_at_after_it(page: Page) -> None:
    """The look may have read before the comment was there."""
    await page.subscribe()
    await page.was_read()
    now = clock.actual()
    await page.call(page.feed(page.remote_id))

    async with page.context.database.transaction() as db:
        read_at = now - timedelta(seconds=5)
        await plan.write_looks(db, [plan.Looked(page.target_id, now + timedelta(minutes=5), read_at)])
    assert await page.waits() <= 1


async def test_without_the_permission_it_is_looked_for_as_before(context: AppContext, make: Make) -> None:
    async with installation(context, make, FACEBOOK_VERIFY_TOKEN="") as page:
        await page.connect()
        assert "pages_manage_metadata" not in page.requested["scope"]
        await page.subscribe()
        assert (page.network.subscribed, await page.pushed()) == ({}, False)
    async with installation(context, make) as page:
        granted = "pages_show_list,pages_manage_posts,pages_read_engagement,pages_read_user_content"
        await page.connect(scope=granted)
        await page.subscribe()
        assert (page.network.subscribed, await page.pushed()) == ({}, False)
        async with page.context.database.connection() as db:
            error = await db.fetchval("select last_error from comment_push where account_id = $1", page.account_id)
        assert error == "the connection lacks pages_manage_metadata"


async def test_a_subscription_that_fails_is_tried_again(page: Page) -> None:
    call = "POST /{version}/{page}/subscribed_apps"
    page.world.add_fault("facebook", "status", call, status=500)
    again = await page.subscribe()
    assert (again.after_seconds >= 60, await page.pushed()) == (True, False)
    page.world.add_fault("facebook", "lost", call)
    again = await page.subscribe()
    assert (again.after_seconds >= 60, await page.pushed()) == (True, False)
    assert await page.subscribe() is None
    assert await page.pushed()


async def test_a_database_that_knows_of_no_subscription_looks_as_before_and_subscribes_again(page: Page) -> None:
    """After a failover, or where the operator set it up later: what is pushed until then is left out."""
    await page.was_read()
    async with page.context.database.transaction() as db:
        await push.remove(db, page.account_id)
        await db.execute("delete from job where unique_key = $1", f"{push.SUBSCRIBE}/{page.account_id}")
    hook = page.feed(page.remote_id)
    assert (await page.call(hook)).status_code == 200
    assert (await page.waits() > 60, await page.jobs()) == (True, 0)

    async with page.context.database.transaction() as db:
        await push.add_untried(page.context, db, [page.account_id])
    async with page.context.database.connection() as db:
        query = "select count(*) from job where unique_key = $1"
        assert await db.fetchval(query, f"{push.SUBSCRIBE}/{page.account_id}") == 1
    await page.subscribe()
    assert await page.pushed()
    assert (await page.call(hook)).status_code == 200
    assert (await page.waits() <= 0, await page.jobs()) == (True, 1)


META_SECRET = "secret-of-the-app-at-meta"


@pytest.mark.parametrize("signed_by_meta", [True, False])
async def test_a_reply_at_threads_is_there_within_moments_whichever_secret_signs(
    context: AppContext, make: Make, signed_by_meta: bool
) -> None:
    """Both secrets of the app are tried: no source says which one it is."""
    async with installation(context, make, Threads, THREADS_WEBHOOK_SECRET=META_SECRET) as page:
        if signed_by_meta:
            page.app.details["webhook_secret"] = META_SECRET
        await page.connect()
        assert not await page.pushed()
        await page.subscribe()
        assert await page.pushed()
        await page.was_read()

        page.says("Do you deliver?")
        (hook,) = page.hooks()
        other = sign(App("threads", "other", "other-secret"), hook.body)
        refused = await page.call(other)
        assert (refused.status_code, refused.json()["code"]) == (401, "invalid_signature")
        assert await page.waits() > 60
        assert (await page.call(hook)).status_code == 200
        assert await page.waits() <= 0
        await page.collect()
        assert await page.comments() == ["Do you deliver?"]


async def test_without_a_second_secret_only_that_of_the_login_signs(context: AppContext, make: Make) -> None:
    async with installation(context, make, Threads) as page:
        body = b'{"topic": "moderate"}'
        assert (await page.call(sign(page.app, body))).status_code == 200
        page.app.details["webhook_secret"] = META_SECRET
        refused = await page.call(sign(page.app, body))
        assert (refused.status_code, refused.json()["code"]) == (401, "invalid_signature")


async def test_an_account_of_instagram_is_subscribed_and_unsubscribed(context: AppContext, make: Make) -> None:
    async with installation(context, make, Instagram) as page:
        await page.connect()
        await page.subscribe()
        assert await page.pushed()
        assert page.network.subscribed == {(page.app.client_id, page.id): frozenset({"comments"})}
        gone = await page.api.delete(f"/platforms/accounts/{page.account['id']}", key=page.owner.key)
        assert (gone.status_code, page.network.subscribed) == (200, {})


async def test_an_account_of_instagram_that_may_not_read_comments_is_not_pushed(
    context: AppContext, make: Make
) -> None:
    granted = "instagram_business_basic,instagram_business_content_publish"
    async with installation(context, make, Instagram) as page:
        await page.connect(scope=granted)
        await page.subscribe()
        assert (page.network.subscribed, await page.pushed()) == ({}, False)
