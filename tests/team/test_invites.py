"""An invitation from the mail to the membership: by link, by page, by API; and how it ends otherwise."""

import asyncio
import dataclasses
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from tests.figures.record import Record, holds
from tests.helpers.api import Api
from tests.helpers.blocked import until_blocked
from tests.helpers.contract import invited_email
from tests.helpers.factories import Login, Make
from tests.helpers.identity import PASSWORD, login, register
from tests.helpers.mail import Inbox, InTest, send_waiting, serving, text_of, with_smtp

from signalpost.context import AppContext
from signalpost.identity import members, tokens
from signalpost.identity.actions import passwords, sign_in
from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.main import app
from signalpost.team import work

VERIFIED = "select email_verified_at is not null from app_user where email = $1"


@pytest.fixture
async def owner(make: Make) -> Login:
    return await make.owner()


@pytest.fixture
async def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
async def mailing(context: AppContext, inbox: Inbox) -> AsyncIterator[AppContext]:
    async with serving(inbox) as address:
        yield with_smtp(context, address)


async def invite(api: Api, owner: Login, email: str, **fields: Any) -> dict[str, Any]:
    answer = await api.post("/team/invite", json={"email": email, "role": "editor"} | fields, key=owner.key)
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def answered(api: Api, url: str, verb: str, data: Any = None, **options: Any) -> httpx.Response:
    return await api.post(f"/team/invites/{url.rpartition('/')[2]}/{verb}", json=data, **options)


async def test_a_mailed_link_makes_a_new_user_whose_address_is_proved(
    mailing: AppContext, inbox: Inbox, owner: Login, database: Database
) -> None:
    email, text = invited_email(), "Welcome!\n\nhttps://evil.test/\nBcc: all@example.test"
    async with Api(app.create(mailing)) as api:
        invited = await invite(api, owner, email, message=text)
        assert invited["emailed"] is True
        await send_waiting(mailing, email)
        [message] = inbox.messages
        link = next(link for link in inbox.links(email) if "/invites/" in link)
        assert message["To"] == email
        assert message["Bcc"] is None
        assert "\n> Welcome!\n" in text_of(message).replace("\r\n", "\n")
        assert link != invited["inviteUrl"]

        accepted = await answered(api, link, "accept", {"name": "Grace", "password": PASSWORD})
        body = accepted.json()
        assert (accepted.status_code, body["member"]["role"], body["member"]["status"]) == (200, "editor", "active")
        me = (await api.get("/auth/me", key=body["accessToken"])).json()
        assert (me["user"]["name"], me["workspace"]["id"]) == ("Grace", ids.encode("wsp", owner.workspace_id))
        assert [each["id"] for each in (await login(api, email))["workspaces"]] == [me["workspace"]["id"]]
        actions = [entry["action"] for entry in (await api.get("/audit", key=owner.key)).json()["data"]]
        assert {"invite_member", "accept_team_invite"} <= set(actions)
    assert await database.pool.fetchval(VERIFIED, email)


async def test_a_mailbox_is_not_flooded_by_renewing(mailing: AppContext, inbox: Inbox, owner: Login) -> None:
    email = invited_email()
    async with Api(app.create(mailing)) as api:
        emailed = [(await invite(api, owner, email))["emailed"] for _ in range(4)]
        assert emailed == [True, True, True, False]
        assert (await invite(api, owner, invited_email()))["emailed"] is True
        assert (await invite(api, owner, invited_email(), sendEmail=False))["emailed"] is False
    await send_waiting(mailing, email)
    assert len(inbox.messages) == 3


async def test_a_copied_link_proves_no_address(api: Api, owner: Login, database: Database) -> None:
    """Without a mail server every invitation has a link to pass on; the inviter could use it, too."""
    email = invited_email()
    invited = await invite(api, owner, email)
    assert invited["emailed"] is False
    accepted = await answered(api, invited["inviteUrl"], "accept", {"password": PASSWORD})
    assert accepted.status_code == 200
    assert not await database.pool.fetchval(VERIFIED, email)


async def test_a_user_accepts_with_their_session_or_their_password(api: Api, owner: Login) -> None:
    for by_session in (True, False):
        made = await register(api)
        invited = await invite(api, owner, made["email"].upper())
        token = made["accessToken"] if by_session else None
        data = {} if by_session else {"password": PASSWORD}
        if not by_session:
            wrong = await answered(api, invited["inviteUrl"], "accept", {"password": "not their password"})
            assert wrong.json()["code"] == "invalid_credentials"
        accepted = await answered(api, invited["inviteUrl"], "accept", data, key=token)
        assert accepted.status_code == 200, accepted.text
        assert (accepted.json()["accessToken"] is None) is by_session
        found = (await login(api, made["email"]))["workspaces"]
        assert {each["id"] for each in found} == {made["workspace"]["id"], ids.encode("wsp", owner.workspace_id)}
        for each in found:  # switching
            headers = {"X-Workspace-Id": each["id"]}
            me = (await api.get("/auth/me", key=made["accessToken"], headers=headers)).json()
            assert (me["workspace"]["id"], me["role"]) == (each["id"], each["role"])


async def test_a_user_of_many_workspaces_accepts_too(api: Api, owner: Login, database: Database) -> None:
    """The new one is the last in the list, which ends after 500."""
    made = await register(api)
    await database.pool.execute(
        """with w as (
            insert into workspace (id, name, slug) select gen_random_uuid(), 'w', gen_random_uuid()::text
            from generate_series(1, 500) returning id)
        insert into member (id, workspace_id, user_id, email, role, joined_at)
        select gen_random_uuid(), w.id, $1, $2, 'viewer', now() from w""",
        ids.decode("usr", made["user"]["id"]),
        made["email"],
    )
    url = (await invite(api, owner, made["email"]))["inviteUrl"]
    accepted = await answered(api, url, "accept", {}, key=made["accessToken"])
    assert accepted.status_code == 200, accepted.text
    assert accepted.json()["workspace"]["id"] == ids.encode("wsp", owner.workspace_id)


@holds("S22")
async def test_an_invitation_is_for_the_invited_person_only(api: Api, make: Make, owner: Login, record: Record) -> None:
    invited = await invite(api, owner, invited_email())
    url, another = invited["inviteUrl"], await register(api)
    cases: list[tuple[str, Any, str | None]] = [
        ("forbidden", {}, another["accessToken"]),
        ("forbidden", {}, owner.key),
        ("unauthenticated", {}, "x" * 20),
        ("validation_failed", {}, None),
        ("validation_failed", {"password": "short"}, None),
    ]
    for expected, data, key in cases:
        answer = await answered(api, url, "accept", data, key=key)
        record("S22", tried={"hostile cases": 1}, measured={"accepted": int(answer.status_code < 400)})
        assert answer.json()["code"] == expected, data
        assert answer.json()["instance"] == "/api/v1/team/invites/{token}/accept"
    for token in ("unknown-token", "A" * 52, url[:-1] + ("A" if url[-1] != "A" else "B"), "é" * 52):
        for verb, body in (("accept", {"password": PASSWORD}), ("decline", None)):
            answer = await answered(api, token, verb, body)
            record("S22", tried={"hostile cases": 1}, measured={"accepted": int(answer.status_code < 400)})
            assert answer.json()["code"] == "not_found"


@holds("S22")
async def test_an_ended_invitation_says_how_it_ended(
    api: Api, owner: Login, database: Database, record: Record
) -> None:
    """The same for accepting and declining; and whoever declined can be invited again."""
    email = invited_email()
    for ending, expected in (
        ("expire", "invite_expired"), ("expired", "invite_expired"), ("remove", "invite_revoked"),
        ("decline", "invite_revoked"), ("accept", "invite_used"),
    ):  # fmt: skip
        invited = await invite(api, owner, email)
        url, row = invited["inviteUrl"], ids.decode("mem", invited["id"])
        match ending:
            case "expire":
                await database.pool.execute("update member set expires_at = now() where id = $1", row)
            case "expired":
                await database.pool.execute("update member set expires_at = now() where id = $1", row)
                async with database.transaction() as db:
                    await members.expire_invites(db)
            case "remove":
                assert (await api.delete(f"/team/{invited['id']}", key=owner.key)).status_code == 204
            case "decline":
                assert (await answered(api, url, "decline")).status_code == 204
                entry = (await api.get("/audit", key=owner.key)).json()["data"][0]
                assert (entry["action"], entry["subject"]) == ("decline_team_invite", invited["id"])
                assert entry["actor"] == {"type": "system", "id": None, "name": email}
            case "accept":
                await answered(api, url, "accept", {"password": PASSWORD})
        for verb, data in (("accept", {"password": PASSWORD}), ("decline", None)):
            answer = await answered(api, url, verb, data)
            record("S22", tried={"hostile cases": 1}, measured={"accepted": int(answer.status_code < 400)})
            assert (answer.status_code, answer.json()["code"]) == (410, expected), (ending, verb)


async def test_old_invitations_are_forgotten(context: AppContext, api: Api, owner: Login, database: Database) -> None:
    old, fresh = await invite(api, owner, invited_email()), await invite(api, owner, invited_email())
    for invited, days in ((old, 100), (fresh, 8)):
        await database.pool.execute(
            "update member set invited_at = now() - make_interval(days => $2),"
            " expires_at = now() - make_interval(days => $2 - 7) where id = $1",
            ids.decode("mem", invited["id"]), days,
        )  # fmt: skip
    [job] = work.jobs(context)
    lease: Any = InTest(database)
    await job.handler(lease, {})
    rows = await database.pool.fetch(
        "select status from member where workspace_id = $1 and role <> 'owner'", owner.workspace_id
    )
    assert [row["status"] for row in rows] == ["expired"]


async def test_a_closed_instance_lets_users_join_but_makes_none(context: AppContext, api: Api, owner: Login) -> None:

    made = await register(api)
    closed = dataclasses.replace(context, settings=dataclasses.replace(context.settings, registration="closed"))
    async with Api(app.create(closed)) as other:
        url = (await invite(other, owner, invited_email()))["inviteUrl"]
        refused = await answered(other, url, "accept", {"password": PASSWORD})
        assert refused.json()["code"] == "registration_closed"
        url = (await invite(other, owner, made["email"]))["inviteUrl"]
        assert (await answered(other, url, "accept", {"password": PASSWORD})).status_code == 200


async def test_the_page_accepts_and_declines_without_a_script(context: AppContext, api: Api, owner: Login) -> None:
    email = invited_email()
    invited = await invite(api, owner, email, message="<script>alert(1)</script>")
    transport = httpx.ASGITransport(app=app.create(context), client=("127.0.0.1", 1))
    headers = {"Origin": "http://signalpost.test"}
    path = re.sub("^https?://[^/]+", "", invited["inviteUrl"])
    async with httpx.AsyncClient(transport=transport, base_url="http://signalpost.test", headers=headers) as browser:
        shown = await browser.get(path)
        again = await browser.get(path)
        assert (shown.status_code, again.status_code) == (200, 200)
        assert email in shown.text
        assert "<script" not in shown.text
        assert path.rpartition("/")[2] not in shown.text
        short = await browser.post(path, data={"decision": "accept", "name": "Grace", "password": "short"})
        assert (short.status_code, 'value="Grace"' in short.text) == (422, True)
        foreign = await browser.post(path, data={"decision": "decline"}, headers={"Origin": "https://evil.test"})
        assert foreign.status_code == 403
        joined = await browser.post(path, data={"decision": "accept", "name": "Grace", "password": PASSWORD})
        assert (joined.status_code, "You joined" in joined.text) == (200, True)
        assert (await browser.get(path)).status_code == 410
        path = re.sub("^https?://[^/]+", "", (await invite(api, owner, invited_email()))["inviteUrl"])
        assert "declined" in (await browser.post(path, data={"decision": "decline"})).text
        assert (await browser.post(path, data={"decision": "accept", "password": PASSWORD})).status_code == 410
        assert (await browser.get("/invites/unknown")).status_code == 404
    await login(api, email)


async def test_a_password_that_was_replaced_meanwhile_joins_nothing(
    api: Api, context: AppContext, owner: Login, database: Database
) -> None:
    """The password is checked before the team is locked, and whoever lost it may have chosen another by then."""
    guest = await register(api)
    url = (await invite(api, owner, guest["email"]))["inviteUrl"]
    async with database.transaction() as db:
        await members.lock(db, owner.workspace_id)
        joining = asyncio.create_task(answered(api, url, "accept", {"password": PASSWORD}))
        await until_blocked(database, db)
        async with database.transaction() as other:
            await passwords.reset_password(context, other, email=guest["email"], password="another horse battery")
    answer = await joining

    assert answer.status_code == 401, answer.text
    assert (await login(api, guest["email"], "another horse battery"))["workspaces"][0]["role"] == "owner"


async def test_invitations_that_a_person_accepts_at_once_wait_for_each_other(
    api: Api, context: AppContext, owner: Login, database: Database
) -> None:
    """By mailed links, which prove the mailbox: both would change the person whom both have held unchanged."""
    guest = await register(api)
    user_id = ids.decode("usr", guest["user"]["id"])
    member_id = ids.decode("mem", (await invite(api, owner, guest["email"]))["id"])
    assert user_id is not None
    assert member_id is not None
    link = tokens.invite_token(context.keys, member_id, mailed=True)
    async with database.transaction() as db:  # as the other one does
        stored = await db.fetchval("select password_hash from app_user where id = $1", user_id)
        await sign_in.require_unchanged(context, db, user_id, stored)
        joining = asyncio.create_task(answered(api, link, "accept", {"password": PASSWORD}))
        await until_blocked(database, db)
        await members.verify_email(db, user_id)
    answer = await joining

    assert answer.status_code == 200, answer.text


_WRITTEN = "select count(*) from mail_message where mailbox = $1"


async def flood(api: Api, token: str, victim: str, workspaces: int) -> list[bool]:
    """Invite somebody from several workspaces of one owner, three times each; return what was mailed."""
    first = (await api.get("/auth/me", key=token)).json()["workspace"]["id"]
    made = [
        (await api.post("/workspaces", json={"name": f"w{number}"}, key=token)).json()["id"]
        for number in range(workspaces - 1)
    ]
    emailed = []
    for workspace in (first, *made):
        there = {"X-Workspace-Id": workspace}
        for _ in range(3):
            body = {"email": victim, "role": "viewer"}
            answer = await api.post("/team/invite", json=body, key=token, headers=there)
            assert answer.status_code == 201, answer.text
            emailed.append(answer.json()["emailed"])
            assert (await api.delete(f"/team/{answer.json()['id']}", key=token, headers=there)).is_success
    return emailed


async def test_an_owner_of_many_workspaces_is_one_stranger(
    mailing: AppContext, owner: Login, database: Database
) -> None:
    """Others' invitations, and what the person needs themselves, still reach the mailbox."""
    victim = invited_email()
    async with Api(app.create(mailing)) as api:
        flooder = await register(api)

        emailed = await flood(api, flooder["accessToken"], victim, 4)

        assert emailed == [True] * 5 + [False] * 7
        assert await database.pool.fetchval(_WRITTEN, victim) == 5, "`emailed` says what was written"
        assert (await invite(api, owner, victim))["emailed"] is True
        assert await database.pool.fetchval(_WRITTEN, victim) == 6
        await register(api, email=victim)
        assert await database.pool.fetchval(_WRITTEN, victim) == 7, "the welcome"


async def test_a_new_owner_who_pays_nothing_mails_few_strangers_a_day(
    mailing: AppContext, owner: Login, database: Database
) -> None:
    """Where anybody may register; whoever was registered by the operator, or long ago, invites their team."""
    opened = dataclasses.replace(
        mailing, settings=dataclasses.replace(mailing.settings, registration="open"), states={}
    )
    async with Api(app.create(opened)) as api:
        new = await register(api)
        there = {"key": new["accessToken"]}
        send = {"role": "viewer"}
        answers = [await api.post("/team/invite", json=send | {"email": invited_email()}, **there) for _ in range(6)]
        assert [answer.json()["emailed"] for answer in answers] == [True] * 5 + [False]
        await database.pool.execute(
            "update app_user set created_at = now() - interval '15 days' where email_key = lower($1)", new["email"]
        )
        answer = await api.post("/team/invite", json=send | {"email": invited_email()}, **there)
        assert answer.json()["emailed"] is True


async def test_colleagues_are_no_strangers(mailing: AppContext, owner: Login, make: Make) -> None:
    """Whoever shares a workspace with the owner is invited to others like a member."""
    colleague = await make.member(owner, role="editor")
    async with Api(app.create(mailing)) as api:
        async with mailing.database.transaction() as db:
            opened = await sign_in.open_session(
                db, mailing.keys, owner.user_id, owner.workspace_id, "owner", "192.0.2.1"
            )
        emailed = []
        for number in range(3):
            body = {"name": f"w{number}"}
            workspace = (await api.post("/workspaces", json=body, key=opened.access_token)).json()["id"]
            for _ in range(3):
                answer = await api.post(
                    "/team/invite", json={"email": colleague.email, "role": "viewer"}, key=opened.access_token,
                    headers={"X-Workspace-Id": workspace},
                )  # fmt: skip
                emailed.append(answer.json()["emailed"])

    assert emailed == [True] * 9
