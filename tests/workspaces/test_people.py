"""A person deletes their account: who may, what ends with it, and that no row names them any more."""

import re
import secrets
from dataclasses import replace
from typing import Any, Final

import asyncpg
import httpx
import pytest
from tests.helpers.api import Api
from tests.helpers.contract import create_sample, invited_email
from tests.helpers.factories import Login, Make
from tests.helpers.identity import PASSWORD, code, login, register
from tests.helpers.mail import Inbox, InTest, send_waiting, serving, text_of, with_smtp
from tests.identity.test_required_second_factor import set_up
from tests.workspaces.test_deletion import sign_in, tables_with

from signalpost.context import AppContext
from signalpost.identity import totp
from signalpost.identity.actions.person_deletion import NAME
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.main import app, operations
from signalpost.workspaces import work
from signalpost.workspaces.actions import delete_person, erase_people

LATER: Final = "update app_user set deleted_at = deleted_at - interval '2 minutes' where deleted_at is not null"


async def joined(api: Api, owner: Login, role: str = "admin", **fields: Any) -> dict[str, Any]:
    """A new user who is a member of the owner's workspace and owns none."""
    email = fields.pop("email", None) or invited_email()
    invited = await api.post("/team/invite", json={"email": email, "role": role}, key=owner.key)
    token = invited.json()["inviteUrl"].rpartition("/")[2]
    answer = await api.post(f"/team/invites/{token}/accept", json={"password": PASSWORD} | fields)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    me = (await api.get("/auth/me", key=body["accessToken"])).json()
    return body | {"email": email, "user": me["user"]}


async def delete(api: Api, person: dict[str, Any], **fields: Any) -> httpx.Response:
    body = {"email": person["email"], "password": PASSWORD} | fields
    return await api.post("/auth/me/delete", json=body, key=person["accessToken"])


def said(answer: httpx.Response) -> str | int:
    return str(answer.json()["code"]) if answer.status_code >= 400 else answer.status_code


async def erase(context: AppContext) -> None:
    """Run the job until nothing is left, a minute later."""
    async with context.database.transaction() as db:
        await db.execute(LATER)
    [job] = [job for job in work.jobs(context) if job.kind == delete_person.ERASE_JOB]
    lease: Any = InTest(context.database)
    while await job.handler(lease, {}):
        pass


async def test_who_deletes_their_account_confirms_it(api: Api, make: Make) -> None:
    owner = await make.owner()
    person = await joined(api, owner)
    refused = [
        said(await delete(api, person, email="other@example.test")),
        said(await delete(api, person, password="not the password")),
        said(await delete(api, person, password=None)),
        said(await delete(api, person | {"accessToken": owner.key})),
    ]
    assert refused == ["validation_failed", "invalid_credentials", "invalid_credentials", "forbidden"]

    assert said(await delete(api, person, email=person["email"].upper())) == 204

    assert await code(api, "/auth/me", person["accessToken"]) == "unauthenticated"
    again = await api.post("/auth/login", json={"email": person["email"], "password": PASSWORD})
    assert said(again) == "invalid_credentials"


async def test_a_second_factor_is_asked_for(api: Api, make: Make) -> None:
    person = await joined(api, await make.owner())
    secret = await set_up(api, person["accessToken"])

    def now(ahead: int = 0) -> str:
        return totp.code_at(secret, totp.step_of(clock.now()) + ahead)

    assert said(await delete(api, person)) == "second_factor_required"
    assert said(await delete(api, person, code="000000")) == "invalid_credentials"
    assert said(await delete(api, person, code=now(1))) == 204


async def test_who_has_no_password_has_just_signed_in(api: Api, context: AppContext, make: Make) -> None:
    """As with an OpenID provider."""
    member = await make.member(await make.owner(), role="editor")
    person = {"email": member.email, "accessToken": await sign_in(context, member)}
    age = "update session set created_at = created_at + $2 * interval '1 minute' where user_id = $1"
    async with context.database.transaction() as db:
        await db.execute(age, member.user_id, -16)
    assert said(await delete(api, person, password=None)) == "forbidden"
    async with context.database.transaction() as db:
        await db.execute(age, member.user_id, 16)
    assert said(await delete(api, person, password=None)) == 204


async def test_an_owner_hands_over_or_has_the_workspaces_deleted(api: Api, context: AppContext) -> None:
    person = await register(api, workspaceName="Bakery")
    bakery = person["workspace"]["id"]
    second = (await api.post("/workspaces", json={"name": "Café"}, key=person["accessToken"])).json()["id"]

    refused = await delete(api, person)
    assert (refused.status_code, refused.json()["code"]) == (409, "owns_workspaces")
    assert {row["id"]: row["name"] for row in refused.json()["workspaces"]} == {bakery: "Bakery", second: "Café"}
    partly = await delete(api, person, deleteWorkspaces=[second])
    assert [row["id"] for row in partly.json()["workspaces"]] == [bakery]
    unknown = await delete(api, person, deleteWorkspaces=[bakery, second, ids.encode("wsp", ids.new_id())])
    assert [issue["path"] for issue in unknown.json()["errors"]] == ["/deleteWorkspaces/2"]
    assert await code(api, "/profiles", person["accessToken"]) == 200  # nothing was done

    assert said(await delete(api, person, deleteWorkspaces=[bakery, second])) == 204

    async with context.database.connection() as db:
        deleted = "select count(*) from workspace where id = any($1) and deleted_at is not null"
        assert await db.fetchval(deleted, [ids.decode("wsp", bakery), ids.decode("wsp", second)]) == 2
    with pytest.raises(Exception, match="has deleted their account"):
        await operations.restore_workspace(context, bakery)


async def test_the_operator_restores_a_workspace_for_another_owner(api: Api, context: AppContext) -> None:
    """Whoever had a stolen password deletes nothing for good."""
    person, other = await register(api), await register(api)
    workspace = person["workspace"]["id"]
    invite = {"email": other["email"], "role": "editor"}
    invited = await api.post("/team/invite", json=invite, key=person["accessToken"])
    token = invited.json()["inviteUrl"].rpartition("/")[2]
    await api.post(f"/team/invites/{token}/accept", json={}, key=other["accessToken"])
    late = await register(api)
    with pytest.raises(Exception, match="There is no deleted workspace"):
        await operations.restore_workspace(context, workspace, late["email"])
    assert said(await delete(api, person, deleteWorkspaces=[workspace])) == 204
    with pytest.raises(Exception, match="There is no user"):
        await operations.restore_workspace(context, workspace, person["email"])

    await operations.restore_workspace(context, workspace, late["email"])

    team = (await api.get("/team", key=late["accessToken"], headers={"X-Workspace-Id": workspace})).json()["data"]
    assert {(member["email"], member["role"]) for member in team} == {
        (late["email"], "owner"), (other["email"], "editor"),
    }  # fmt: skip
    deleted = await delete(api, late, deleteWorkspaces=[workspace, late["workspace"]["id"]])
    assert said(deleted) == 204
    await operations.restore_workspace(context, workspace, other["email"])  # a member already
    team = (await api.get("/team", key=other["accessToken"], headers={"X-Workspace-Id": workspace})).json()["data"]
    assert [(member["email"], member["role"]) for member in team] == [(other["email"], "owner")]


async def test_a_workspace_that_is_charged_for_is_cancelled_first(api: Api, database: Database) -> None:
    person = await register(api)
    workspace_id = ids.decode("wsp", person["workspace"]["id"])
    async with database.transaction() as db:
        await db.execute(
            "insert into subscription (workspace_id, customer_id, status) values ($1, $2, 'active')",
            workspace_id, workspace_id.hex,
        )  # fmt: skip
    refused = await delete(api, person, deleteWorkspaces=[person["workspace"]["id"]])
    assert said(refused) == "invalid_state"
    assert "Cancel it first" in refused.json()["remediation"]


async def test_an_installation_keeps_an_administrator(api: Api, context: AppContext, make: Make) -> None:
    person = await joined(api, await make.owner())
    staff = "update app_user set is_staff = $2 where email = $1"
    others = "update app_user set is_staff = false where is_staff returning id"
    async with context.database.transaction() as db:
        before = [row["id"] for row in await db.fetch(others)]
        await db.execute(staff, person["email"], True)
    refused = said(await delete(api, person))
    other = await register(api)
    async with context.database.transaction() as db:
        await db.execute("update app_user set is_staff = true where id = any($1) or email = $2", before, other["email"])
    assert refused == "last_administrator"
    assert said(await delete(api, person)) == 204


async def test_all_that_lets_in_or_acts_ends_and_the_address_is_free(
    api: Api, context: AppContext, make: Make, database: Database
) -> None:
    """In every workspace, as when the person leaves it; the team goes on."""
    first, second = await make.owner(), await make.owner()
    person = await joined(api, first, name="Ada")
    invited = await api.post("/team/invite", json={"email": person["email"], "role": "viewer"}, key=second.key)
    token = invited.json()["inviteUrl"].rpartition("/")[2]
    await api.post(f"/team/invites/{token}/accept", json={}, key=person["accessToken"])
    third = await make.owner()
    waiting = await api.post("/team/invite", json={"email": person["email"], "role": "viewer"}, key=third.key)
    user_id = ids.decode("usr", person["user"]["id"])
    keys = []
    for owner in (first, second):
        session = await sign_in(context, replace(owner, user_id=user_id))
        link = {"name": "Mine", "profileId": owner.profile}
        assert (await api.post("/calendar-links", json=link, key=session)).status_code == 201
        if owner is first:
            made = await api.post("/api-keys", json={"name": "Script"}, key=session)
            keys.append(made.json()["key"])
    async with database.transaction() as db:
        await db.execute(
            "insert into user_identity (issuer, subject, user_id, email) values ('', $1, $1::text::uuid, 'a')",
            str(user_id),
        )

    assert said(await delete(api, person)) == 204

    for key in keys:
        assert await code(api, "/auth/me", key) == "key_revoked"
    refreshed = await api.post("/auth/refresh", json={"refreshToken": person["refreshToken"]})
    assert said(refreshed) == "invalid_credentials"
    async with database.connection() as db:
        for table in ("calendar_link", "one_time_token", "user_identity"):
            assert await db.fetchval(f"select count(*) from {table} where user_id = $1", user_id) == 0, table
        live = "select count(*) from member where user_id = $1 and status <> 'removed'"
        assert await db.fetchval(live, user_id) == 0
    for owner in (first, second):
        team = (await api.get("/team", key=owner.key)).json()["data"]
        assert person["email"] not in {member["email"] for member in team}
        entries = (await api.get("/audit", key=owner.key, params={"action": "delete_me"})).json()["data"]
        assert [entry["actor"]["id"] for entry in entries] == [person["user"]["id"]]
    ended = await api.post(f"/team/invites/{waiting.json()['inviteUrl'].rpartition('/')[2]}/decline")
    assert said(ended) == "not_found"

    again = await register(api, email=person["email"])
    assert again["user"]["id"] != person["user"]["id"]
    assert (await login(api, person["email"]))["user"]["id"] == again["user"]["id"]
    assert len((await api.get("/workspaces", key=again["accessToken"])).json()["data"]) == 1


async def test_a_mail_confirms_it_to_the_address_that_it_had(
    api: Api, context: AppContext, make: Make, database: Database
) -> None:
    """In the language of the person; what is caused later goes nowhere."""
    owner, inbox = await make.owner(), Inbox()
    person = await joined(api, owner)
    async with database.transaction() as db:
        await db.execute("update app_user set locale = 'de' where email = $1", person["email"])
    async with serving(inbox) as address:
        mailing = with_smtp(context, address)
        async with Api(app.create(mailing)) as with_mail:
            assert said(await delete(with_mail, person)) == 204
        await send_waiting(mailing, person["email"])
    message = inbox.messages[-1]  # the invitation came before
    assert (message["To"], message["Subject"]) == (person["email"], "Ihr Konto ist gelöscht")
    assert "Wenn Sie es nicht waren" in text_of(message)


class AsPerson(Make):
    """Makes what an owner makes as someone else: an admin who is signed in, with a name that is nowhere else."""

    def __init__(self, make: Make, name: str) -> None:
        super().__init__(make.context, make.api)
        self.name = name
        self.person: Login | None = None

    async def owner(self, *, plan: str | None = None) -> Login:
        owner = await super().owner(plan=plan)
        if self.person is not None:
            return owner
        self.person = person = await self.member(owner, role="admin")
        async with self.context.database.transaction() as db:
            await db.execute(
                "update app_user set name = $2, email = $2 || '@example.test', avatar_url = $2 where id = $1",
                person.user_id, self.name,
            )  # fmt: skip
            await db.execute(
                "update member set email = $2 || '@example.test' where user_id = $1", person.user_id, self.name
            )
        return replace(owner, key=await sign_in(self.context, person), user_id=person.user_id)


SAID: Final = {
    "post": "update post set approval = jsonb_build_object('state', 'approved', 'requested_by', created_by,"
    " 'decided_by', created_by, 'note', null, 'decided_at', null) where workspace_id = $1 and $2::uuid is not null",
    "post_message": "update post_message set mentions = jsonb_build_array(jsonb_build_object('member_id', $2::uuid,"
    " 'name', author ->> 'name')) where workspace_id = $1",
    "comment_reply": "update comment_reply r set author = p.created_by, decided_by = p.created_by from post p"
    " where r.workspace_id = $1 and p.workspace_id = $1 and $2::uuid is not null",
    "comment": "update comment c set assignee_id = $2, assignee_name = p.created_by ->> 'name' from post p"
    " where c.workspace_id = $1 and p.workspace_id = $1",
    "feature_flag": "insert into feature_flag (key, enabled, updated_by) select 'canary', false, created_by from post"
    " where workspace_id = $1 and $2::uuid is not null limit 1",
}
"""Table -> what it says of people beside what the sample of the contract has."""
STAYS: Final = {
    "audit": "history is sealed: an entry stays until it is purged",
    "job": "a mail that waits names who caused it, until it is sent",
}
"""Table -> why it names a person whose account is deleted."""
NO_NAMES: Final = {
    ("audit", "actor"): "history is sealed",
    ("oauth_flow", "started_by"): "ends with the person, and within the hour",
    ("status_update", "author"): "what staff say to the public is signed",
}
"""(table, column) -> why the sweep does not look at it."""


async def test_nothing_names_a_person_any_more(api: Api, context: AppContext, make: Make, database: Database) -> None:
    """One of each thing is theirs, and their name is looked for in every table; the neighbour keeps every name."""
    name, neighbour = f"Canary-{secrets.token_hex(6)}", f"Canary-{secrets.token_hex(6)}"
    samples = []
    for each in (name, neighbour):
        theirs = AsPerson(make, each)
        samples.append(await create_sample(api, theirs))
        assert theirs.person is not None
        owner = samples[-1].owner
        async with database.transaction() as db:
            find = "select id from member where user_id = $1"
            member_id = await db.fetchval(find, owner.user_id)
            for table, statement in SAID.items():
                if table != "feature_flag" or each == name:
                    await db.execute(statement, owner.workspace_id, member_id)
    person, beside = samples[0].owner, await tables_with(database, neighbour)
    before = await tables_with(database, name)
    assert {names.table for names in erase_people.NAMED} - {"api_key"} <= before

    body = {"email": f"{name}@example.test"}
    answer = await api.post("/auth/me/delete", json=body, key=person.key)
    assert answer.status_code == 204, answer.text
    await erase(context)

    left = await tables_with(database, name)
    async with database.transaction() as db:
        await db.execute("delete from feature_flag where key = 'canary'")
        jobs = {row[0] for row in await db.fetch("select kind from job where payload::text like $1", f"%{name}%")}
        by = await db.fetchval("select created_by ->> 'name' from post where workspace_id = $1", person.workspace_id)
        row = "select name, email, erased_at is not null from app_user where id = $1"
        user = tuple(await db.fetchrow(row, person.user_id))
        unerased = await db.fetchval("select count(*) from app_user where deleted_at is not null and erased_at is null")
    assert left == STAYS.keys()
    assert jobs == {"mail.send"}
    assert by == NAME
    assert user == (NAME, f"{person.user_id.hex}@deleted.invalid", True)
    assert unerased == 0
    assert await tables_with(database, neighbour) == beside


_NAMES: Final = re.compile(r".*_by|actor|author|mentions|.*_name")


async def test_every_column_that_may_name_a_person_is_swept(dsn: str) -> None:
    """Whoever adds one has it swept, or says why not."""
    connection = await asyncpg.connect(dsn)
    try:
        columns = await connection.fetch(
            "select table_name, column_name from information_schema.columns c where table_schema = 'public'"
            " and data_type in ('jsonb', 'json') and not (select relispartition from pg_class"
            " where oid = format('public.%I', c.table_name)::regclass)"
        )
    finally:
        await connection.close()
    swept = {
        (names.table, column)
        for names in erase_people.NAMED
        for column in re.findall(r"(?:^|, )(\w+) = ", names.change.strip())
    }
    named = {(table, column) for table, column in columns if _NAMES.fullmatch(column)}
    assert named - swept - {("feature_flag", "updated_by")} == {key for key in NO_NAMES if key in named}
    assert ("post", "approval") in swept
