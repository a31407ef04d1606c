"""A forgotten password: a message with a link that works once; the response does not tell who has an account."""

import asyncio
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest
from tests.helpers.api import Api
from tests.helpers.blocked import until_blocked
from tests.helpers.identity import PASSWORD, code, login, register
from tests.helpers.mail import Inbox, InTest, send_waiting, serving, text_of, with_smtp

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.identity import offspring, tokens, work
from signalpost.identity.actions import passwords
from signalpost.identity.actions.passwords import RESET_JOB
from signalpost.kit import ids, problems
from signalpost.mail.actions import PLACES
from signalpost.main import app

NEW = "new horse new battery"


def tokens_in(inbox: Inbox) -> list[str]:
    """The token of every message's link."""
    found = (re.search(r"reset-password\?token=([\w.]+)", text_of(message)) for message in inbox.messages)
    return [match[1] for match in found if match]


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
async def mailing(context: AppContext, inbox: Inbox) -> AsyncIterator[AppContext]:
    """Everything, and a mail server."""
    async with serving(inbox) as address:
        yield with_smtp(context, address)


@asynccontextmanager
async def mailing_api(mailing: AppContext) -> AsyncIterator[Api]:
    async with Api(app.create(mailing)) as api:
        yield api


async def ask(mailing: AppContext, email: str) -> list[dict[str, Any]]:
    """Ask for a message; return the jobs that this left."""
    async with mailing_api(mailing) as api:
        answer = await api.post("/auth/password/forgot", json={"email": email})
    assert (answer.status_code, answer.json()["status"]) == (202, "accepted")
    assert answer.json()["message"].startswith("If a user has this e-mail address")
    async with mailing.database.connection() as db:
        rows = await db.fetch("select payload from job where unique_key = $1", f"{RESET_JOB}:{email.lower()}")
    return [row["payload"] for row in rows]


async def run(mailing: AppContext, job: dict[str, Any]) -> None:
    """Do what the engine does: make the link, then send the message."""
    await work.send_reset_link(mailing, cast("Lease", InTest(mailing.database)), job)
    async with mailing.database.connection() as db:
        email = await db.fetchval("select email from app_user where email_key = lower($1)", job["email"])
    await send_waiting(mailing, email or "")


async def test_others_cannot_keep_a_message_from_a_mailbox(api: Api, mailing: AppContext, inbox: Inbox) -> None:
    """Whoever fills it up, with invitations or subscriptions, would lock the user out for an hour."""
    made = await register(api)
    insert = """insert into mail_message (id, recipient, mailbox, template, state)
        select gen_random_uuid(), $1, $1, 'status_confirm', 'sent' from generate_series(1, $2)"""
    async with mailing.database.transaction() as db:
        await db.execute(insert, made["email"].lower(), sum(PLACES.values()))
    [job] = await ask(mailing, made["email"])
    await run(mailing, job)
    assert [message["To"] for message in inbox.messages] == [made["email"]]


async def test_a_message_leads_to_a_new_password(api: Api, mailing: AppContext, inbox: Inbox) -> None:
    """The link works once, and ends every session: a thief with the old password is out."""
    made = await register(api)
    [job] = await ask(mailing, made["email"].upper())
    await run(mailing, job)
    [message] = inbox.messages
    assert message["To"] == made["email"]
    [token] = tokens_in(inbox)

    data = {"token": token, "password": NEW}
    assert (await api.post("/auth/password/reset", json=data)).status_code == 204

    assert await code(api, "/auth/me", made["accessToken"]) == "unauthenticated"
    assert (await api.post("/auth/refresh", json={"refreshToken": made["refreshToken"]})).status_code == 401
    assert (await api.post("/auth/login", json={"email": made["email"], "password": PASSWORD})).status_code == 401
    await login(api, made["email"], NEW)
    again = await api.post("/auth/password/reset", json=data)
    assert (again.status_code, again.json()["code"]) == (401, "invalid_credentials")


async def test_the_token_is_stored_in_no_row(api: Api, mailing: AppContext, inbox: Inbox) -> None:
    """Neither in the job nor in the table of tokens: a read of the database opens no account."""
    made = await register(api)
    [job] = await ask(mailing, made["email"])
    await run(mailing, job)
    [token] = tokens_in(inbox)

    assert token not in str(job)
    async with mailing.database.connection() as db:
        assert await db.fetchval("select true from one_time_token where hash = $1", tokens.digest(token))
    assert (
        await api.post("/auth/password/reset", json={"token": job["message_id"], "password": NEW})
    ).status_code == 401


async def test_a_second_try_of_the_job_sends_nothing_more(api: Api, mailing: AppContext, inbox: Inbox) -> None:
    """Jobs run at least once."""
    made = await register(api)
    [job] = await ask(mailing, made["email"])
    for _ in range(5):
        await run(mailing, job)
    assert len(tokens_in(inbox)) == 1


async def test_unknown_addresses_get_the_same_response_and_no_message(mailing: AppContext, inbox: Inbox) -> None:
    """The request does the same for both; only the job finds out."""
    [job] = await ask(mailing, f"nobody-{secrets.token_hex(5)}@example.test")
    await run(mailing, job)
    assert inbox.messages == []


async def pass_minutes(mailing: AppContext, minutes: int) -> None:
    """Let time pass for all that was sent."""
    async with mailing.database.transaction() as db:
        await db.execute(
            """update one_time_token set created_at = created_at - make_interval(mins => $1),
               expires_at = expires_at - make_interval(mins => $1) where purpose = 'password_reset'""",
            minutes,
        )
        await db.execute("update mail_message set created_at = created_at - make_interval(mins => $1)", minutes)


async def test_three_messages_an_hour_for_whoever_asks_from_one_network(
    api: Api, mailing: AppContext, inbox: Inbox
) -> None:
    """No mailbox can be flooded from here."""
    made = await register(api)
    [job] = await ask(mailing, made["email"])
    for _ in range(6):
        await run(mailing, job | {"message_id": ids.new_id().hex})
    assert len(inbox.messages) == 3


async def test_strangers_do_not_use_up_the_links_of_the_user(api: Api, mailing: AppContext, inbox: Inbox) -> None:
    """Whoever has another network gets a link of their own."""
    made = await register(api)
    [job] = await ask(mailing, made["email"])
    for _ in range(4):
        await run(mailing, job | {"message_id": ids.new_id().hex, "network": "203.0.113.0/24"})
    assert len(inbox.messages) == 3
    await run(mailing, job | {"message_id": ids.new_id().hex})
    assert len(inbox.messages) == 4


async def test_at_any_moment_a_link_works_or_is_sent(api: Api, mailing: AppContext, inbox: Inbox) -> None:
    """Strangers ask every minute for two hours, from everywhere; then and in between the user asks too."""
    made = await register(api)
    [job] = await ask(mailing, made["email"])
    for minute in range(0, 120, 5):
        for network in range(3):
            await run(mailing, job | {"message_id": ids.new_id().hex, "network": f"203.0.{minute + network}.0/24"})
        await run(mailing, job | {"message_id": ids.new_id().hex})
        async with mailing.database.connection() as db:
            works = await db.fetchval(
                """select count(*) from one_time_token t join app_user u on u.id = t.user_id
                   where u.email_key = lower($1) and used_at is null and expires_at > now() + interval '14 minutes'""",
                made["email"],
            )
        assert works, f"after {minute} minutes"
        await pass_minutes(mailing, 5)
    assert len(inbox.messages) <= 2 * work.RESET_MAILS
    token = tokens_in(inbox)[-1]
    assert (await api.post("/auth/password/reset", json={"token": token, "password": NEW})).status_code == 204


async def test_half_an_hour_after_strangers_asked_the_user_gets_a_link(
    api: Api, mailing: AppContext, inbox: Inbox
) -> None:
    made = await register(api)
    [job] = await ask(mailing, made["email"])
    for _ in range(3):
        await run(mailing, job | {"message_id": ids.new_id().hex})
    await pass_minutes(mailing, 31)

    await run(mailing, job | {"message_id": ids.new_id().hex})

    assert len(inbox.messages) == 4


async def test_a_used_link_invalidates_the_others(api: Api, mailing: AppContext, inbox: Inbox) -> None:
    """The older message may still lie in a mailbox."""
    made = await register(api)
    [job] = await ask(mailing, made["email"])
    for _ in range(2):
        await run(mailing, job | {"message_id": ids.new_id().hex})
    first, second = tokens_in(inbox)

    answers = await asyncio.gather(
        *(api.post("/auth/password/reset", json={"token": token, "password": NEW}) for token in (first, second) * 3)
    )
    assert sorted(answer.status_code for answer in answers) == [204] + [401] * 5


async def test_a_link_waits_for_whoever_ends_what_the_person_has(api: Api, mailing: AppContext, inbox: Inbox) -> None:
    """A password that is changed at the same time wins or loses; neither ends in a deadlock."""
    made = await register(api)
    [job] = await ask(mailing, made["email"])
    await run(mailing, job)
    body = {"token": tokens_in(inbox)[0], "password": NEW}
    async with mailing.database.transaction() as db:
        person = await db.fetchval(
            "select id from app_user where email_key = lower($1) for no key update", made["email"]
        )
        answering = asyncio.create_task(api.post("/auth/password/reset", json=body))
        await until_blocked(mailing.database, db)
        await offspring.end_of_person(db, person)
    assert (await answering).status_code == 401


async def test_a_link_is_valid_for_30_minutes(api: Api, mailing: AppContext, inbox: Inbox) -> None:
    """An old message opens nothing."""
    made = await register(api)
    [job] = await ask(mailing, made["email"])
    await run(mailing, job)
    async with mailing.database.connection() as db:
        left = await db.fetchval(
            "update one_time_token set expires_at = now() where hash = $1 returning expires_at - created_at",
            tokens.digest(tokens_in(inbox)[0]),
        )
    assert left is not None
    answer = await api.post("/auth/password/reset", json={"token": tokens_in(inbox)[0], "password": NEW})
    assert answer.status_code == 401


async def test_without_mail_the_response_is_the_same(api: Api, context: AppContext) -> None:
    """And no job waits for a server that is not there."""
    made = await register(api)
    answer = await api.post("/auth/password/forgot", json={"email": made["email"]})

    assert (answer.status_code, answer.json()["status"]) == (202, "accepted")
    assert "signalpost users reset-password" in answer.json()["message"]
    async with context.database.connection() as db:
        assert not await db.fetchval("select count(*) from job where unique_key = $1", f"{RESET_JOB}:{made['email']}")


async def test_the_operator_can_set_a_password(api: Api, context: AppContext) -> None:
    """The way out of an installation without mail; it ends the sessions too."""
    made = await register(api)
    assert await code(api, "/auth/me", made["accessToken"]) == 200
    async with context.database.transaction() as db:
        await passwords.reset_password(context, db, email=made["email"].upper(), password=NEW)

    assert await code(api, "/auth/me", made["accessToken"]) == "unauthenticated"
    await login(api, made["email"], NEW)
    async with context.database.transaction() as db:
        with pytest.raises(problems.NotFound):
            await passwords.reset_password(context, db, email="nobody@example.test", password=NEW)


async def test_expired_sessions_are_purged(api: Api, context: AppContext) -> None:
    """A month after its end, a session is of no more interest."""
    made = await register(api)
    user_id = ids.decode("usr", made["user"]["id"])
    lease = cast("Lease", InTest(context.database))

    async def sessions_left() -> Any:
        async with context.database.connection() as db:
            return await db.fetchval("select count(*) from session where user_id = $1", user_id)

    await work.purge(lease, {})
    assert await sessions_left() == 1
    async with context.database.connection() as db:
        await db.execute("update session set revoked_at = now() - interval '31 days' where user_id = $1", user_id)
    await work.purge(lease, {})
    assert await sessions_left() == 0


async def test_too_many_sign_ins_at_once_have_to_wait(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashing has two threads; a storm of logins must not take the API down."""
    from signalpost.kit.crypto import passwords as kit_passwords

    monkeypatch.setattr(kit_passwords, "_WAITING_MAX", 0)
    answer = await api.post("/auth/login", json={"email": "ada@example.test", "password": PASSWORD})
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert answer.headers["retry-after"] == "3"
