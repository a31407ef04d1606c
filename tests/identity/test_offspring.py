"""What credentials have made: the table is complete, and every row of it is driven through everything that can happen.

The columns come from the database, so that a new one needs its row; what should happen comes from the table alone.
"""

import importlib
import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, get_args

import asyncpg
import msgspec
import pytest
from tests.helpers.api import Api
from tests.helpers.apps import App, Person
from tests.helpers.comments import commented
from tests.helpers.contract import invited_email, picture
from tests.helpers.factories import Login
from tests.helpers.feeds import Reader
from tests.helpers.messenger import Messenger, Phone, opened

from signalpost import networks
from signalpost.accounts.actions import start
from signalpost.accounts.actions.authorize import begin_flow
from signalpost.accounts.actions.connect_request import ConnectRequest
from signalpost.accounts.actions.oauth_flows import FlowStarter
from signalpost.api_keys.actions import leaked
from signalpost.api_keys.secret_scanning import find
from signalpost.comments import queries as comment_queries
from signalpost.comments.actions import apply
from signalpost.context import AppContext
from signalpost.events import Actor
from signalpost.identity import offspring, tokens
from signalpost.identity.actions import passwords, sign_in
from signalpost.identity.caller_cache import CallerCache
from signalpost.identity.offspring import ELSEWHERE, OFFSPRING, Asks, Cause, Kind, Own, Stays
from signalpost.identity.schemas import Tokens
from signalpost.kit import clock, ids
from signalpost.kit.problems import Problem
from signalpost.kit.tenant import across_workspaces

_COLUMNS = """
select c.table_name, c.column_name from information_schema.columns c
join information_schema.tables t using (table_schema, table_name)
where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
    and not (select relispartition from pg_class where oid = format('public.%I', c.table_name)::regclass)
"""
_REFERENCES = """
select c.conrelid::regclass::text, a.attname from pg_constraint c
join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
where c.contype = 'f' and c.confrelid::regclass::text in ('api_key', 'session', 'app_user')
"""
_NAMES = re.compile(
    r"(key|session|user|owner|person|caller|author|assignee)_id|.*(created|started|issued|invited|updated|requested|offered)_by.*"
    r"|actor|author|credential|grant|scopes|(token|code|state|browser|secret)_h.*|hash|.*secrets?(_.*)?"
)
CAUSES: tuple[Cause, ...] = get_args(Cause)
NOT_DRIVEN = {
    "billing_handover": "it needs a provider of payments; what becomes of an offer is asked below",
    "workspace_export": "only an owner has one made: tests/workspaces/test_export.py drives each cause",
}


async def test_every_column_that_names_a_credential_or_a_person_has_its_row(dsn: str) -> None:
    """Whoever adds one decides here what becomes of it; what is no longer there leaves the table."""
    connection = await asyncpg.connect(dsn)
    try:
        columns = {(table, name) for table, name in await connection.fetch(_COLUMNS) if _NAMES.fullmatch(name)}
        columns |= {(table, name) for table, name in await connection.fetch(_REFERENCES)}
    finally:
        await connection.close()
    listed = {(kind.table, name) for kind in OFFSPRING for name in kind.columns}
    assert not {kind.table for kind in OFFSPRING} & ELSEWHERE.keys()
    assert columns == listed | {(table, name) for table, (names, _) in ELSEWHERE.items() for name in names.split()}


@pytest.mark.parametrize("kind", OFFSPRING, ids=lambda kind: kind.table)
def test_every_kind_says_what_becomes_of_it_for_each_cause(kind: Kind) -> None:
    assert kind.on.keys() == set(CAUSES)


@dataclass
class Scene:
    """A member with a key and a session, and the owner of their workspace."""

    messenger: Messenger
    owner: Login
    member: Login
    key: dict[str, Any]
    session: Tokens

    @property
    def api(self) -> Api:
        return self.messenger.api

    async def execute(self, statement: str, *arguments: Any) -> None:
        await self.messenger.execute(statement, *arguments)
        for each in (self.member.user_id, self.owner.workspace_id):  # what another process would notice in a second
            self.messenger.context.state(CallerCache).invalidate(each)


Probe = Callable[[], Awaitable[bool]]
"""Whether what was made still acts."""


async def created(scene: Scene, path: str, body: dict[str, Any], bearer: str) -> dict[str, Any]:
    answer = await scene.api.post(path, json=body, key=bearer)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def messenger_code(scene: Scene, bearer: str) -> Probe:
    code = (await created(scene, "/wa/link-code", {}, bearer))["code"]
    phone = await scene.messenger.phone("p" + secrets.token_hex(4))

    async def probe() -> bool:
        await phone.says(code)
        return await _posts(scene, phone)

    return probe


async def messenger_link(scene: Scene, bearer: str) -> Probe:
    phone = await scene.messenger.linked(scene.member, "p" + secrets.token_hex(4), key=bearer)
    return lambda: _posts(scene, phone)


async def _posts(scene: Scene, phone: Phone) -> bool:
    await phone.says(text := "Draft " + secrets.token_hex(6))
    posts = (await scene.api.get("/posts", key=scene.owner.key)).json()["data"]
    return text in [post["text"] for post in posts]


async def api_key(scene: Scene, bearer: str) -> Probe:
    body = {"name": "made", "scopes": ["posts:read", "posts:write"]}
    key = (await created(scene, "/api-keys", body, bearer))["key"]

    async def probe() -> bool:
        body = {"profileId": scene.owner.profile, "text": "By a key", "draft": True}
        return (await scene.api.post("/posts", json=body, key=key)).status_code == 201

    return probe


async def _flow_goes_on(scene: Scene, state: str) -> bool:
    try:
        await start.describe_flow(scene.messenger.context, state, None)
    except Problem:
        return False
    return True


async def oauth_flow(scene: Scene, bearer: str) -> Probe:
    key_id = ids.decode("key", scene.key["id"]) if bearer == scene.key["key"] else None
    by = FlowStarter(
        actor=Actor(type="user", id=None, name=None),
        user_id=scene.member.user_id,
        key_id=key_id,
        mode="live",
        via="api",
    )
    profile_id = ids.decode("prof", scene.owner.profile)
    assert profile_id is not None
    request = ConnectRequest(
        workspace_id=scene.owner.workspace_id, profile_id=profile_id, platform="sandbox", via="api", mode="live",
        role="admin",
    )  # fmt: skip
    connector = networks.get("sandbox")
    assert connector is not None
    flow = await begin_flow(scene.messenger.context, connector, request, by, server=None, redirect_url=None)
    return lambda: _flow_goes_on(scene, flow.state)


async def platform_invite(scene: Scene, bearer: str) -> Probe:
    body = {"profileId": scene.owner.profile, "platforms": ["sandbox"]}
    token = (await created(scene, "/platform-invites", body, bearer))["token"]

    async def probe() -> bool:
        answer = await scene.api.get(f"/platform-invites/{token}/connect", params={"platform": "sandbox"})
        return answer.status_code == 200 and await _flow_goes_on(scene, answer.json()["state"])

    return probe


async def approval_link(scene: Scene, bearer: str) -> Probe:
    body = {"profileId": scene.owner.profile, "text": "Please " + secrets.token_hex(6), "draft": True}
    draft = await created(scene, "/posts", body | {"platforms": ["sandbox"]}, scene.owner.key)
    made = await created(scene, "/approval-links", {"postIds": [draft["id"]]}, bearer)
    path = made["url"].partition("/approvals/")[2]

    async def probe() -> bool:
        shown = await scene.api.get(f"/approvals/{path}")
        if shown.status_code == 200:
            data = {"decision": "reject", "version": shown.json()["posts"][0]["version"], "name": "Maria"}
            answer = await scene.api.post(f"/approvals/{path}/posts/{draft['id']}", json=data)
            assert answer.status_code == 200, answer.text
        return shown.status_code == 200

    return probe


async def calendar_link(scene: Scene, bearer: str) -> Probe:
    made = await created(scene, "/calendar-links", {"name": "Bakery", "profileId": scene.owner.profile}, bearer)
    path = "/calendar/" + made["url"].rpartition("/")[2]

    async def probe() -> bool:
        return (await scene.api.get(path)).status_code == 200

    return probe


async def report_link(scene: Scene, bearer: str) -> Probe:
    made = await created(scene, "/report-links", {"profileId": scene.owner.profile}, bearer)
    path = "/reports/" + made["url"].rpartition("/")[2]

    async def probe() -> bool:
        return (await scene.api.get(path)).status_code == 200

    return probe


async def app_grant(scene: Scene, bearer: str) -> Probe:
    person = Person(scene.messenger.context, scene.api, {"accessToken": bearer})
    given = await (await App.registered(scene.api)).allowed(person)

    async def probe() -> bool:
        body = {"profileId": scene.owner.profile, "text": "By an app", "draft": True}
        return (await scene.api.post("/posts", json=body, key=given["access_token"])).status_code == 201

    return probe


async def feed(scene: Scene, bearer: str) -> Probe:
    body = {"profileId": scene.owner.profile, "url": f"http://127.0.0.1:9/{secrets.token_hex(4)}"}
    made = await created(scene, "/feeds", body, bearer)

    async def probe() -> bool:
        reader = Reader(scene.messenger.context, scene.api)
        try:
            return bool((await reader.read(scene.owner, made))["state"] == "active")
        finally:
            await reader.stop()

    return probe


async def comment_rule(scene: Scene, bearer: str) -> Probe:
    word = secrets.token_hex(6)
    made = await created(scene, "/comment-rules", {"name": "made", "words": [word], "tags": [word]}, bearer)
    comments = await commented(scene.messenger.make, scene.owner)

    async def probe() -> bool:
        context = scene.messenger.context
        async with context.database.transaction() as db:
            row = await comment_queries.by_id(db, ids.decode("cmt", comments["cmt"]))
            assert row is not None
            await apply.apply(context, db, [msgspec.structs.replace(row, text=f"What is {word}?")])
        tags = (await scene.api.get(f"/comments/{comments['cmt']}", key=scene.owner.key)).json()["tags"]
        listed = (await scene.api.get("/comment-rules", key=scene.owner.key)).json()["data"]
        [held] = [rule["held"] for rule in listed if rule["id"] == made["id"]]
        assert held is not (tags == [word])
        return tags == [word]

    return probe


async def member(scene: Scene, bearer: str) -> Probe:
    invited = await created(scene, "/team/invite", {"email": invited_email(), "role": "editor"}, bearer)
    token = invited["inviteUrl"].rpartition("/")[2]

    async def probe() -> bool:
        answer = await scene.api.post(f"/team/invites/{token}/accept", json={"password": "correct horse battery"})
        return answer.status_code == 200

    return probe


async def webhook(scene: Scene, bearer: str) -> Probe:
    made = await created(scene, "/webhooks", {"url": f"http://127.0.0.1:9/{secrets.token_hex(4)}"}, bearer)

    async def probe() -> bool:
        return bool((await scene.api.get(f"/webhooks/{made['id']}", key=scene.owner.key)).json()["active"])

    return probe


async def post(scene: Scene, bearer: str) -> Probe:
    body = {"profileId": scene.owner.profile, "text": "Later " + secrets.token_hex(6), "platforms": ["sandbox"]}
    made = await created(
        scene, "/posts", body | {"scheduledAt": clock.wire(clock.actual() + timedelta(days=30))}, bearer
    )

    async def probe() -> bool:
        found = (await scene.api.get(f"/posts/{made['id']}", key=scene.owner.key)).json()
        return (found["status"], found["held"]) == ("scheduled", False)

    return probe


async def media(scene: Scene, bearer: str) -> Probe:
    content = picture()
    data = {"fileName": "dot.png", "contentType": "image/png", "size": len(content)}
    announced = await created(scene, "/media/presign-upload", data, bearer)

    async def probe() -> bool:
        path = announced["uploadUrl"].partition("/api/v1")[2]
        return (await scene.api.put(path, content=content, headers=announced["headers"])).is_success

    return probe


async def session(scene: Scene, bearer: str) -> Probe:
    del bearer
    token = scene.session.access_token

    async def probe() -> bool:
        body = {"profileId": scene.owner.profile, "text": "In a session", "draft": True}
        return (await scene.api.post("/posts", json=body, key=token)).status_code == 201

    return probe


async def one_time_token(scene: Scene, bearer: str) -> Probe:
    del bearer
    token = secrets.token_hex(16)
    await scene.execute(
        """insert into one_time_token (hash, purpose, user_id, expires_at)
           values ($1, 'password_reset', $2, now() + interval '30 minutes')""",
        tokens.digest(token), scene.member.user_id,
    )  # fmt: skip

    async def probe() -> bool:
        async with scene.messenger.context.database.connection() as db:
            return await passwords.is_reset_valid(db, token)

    return probe


async def idempotency(scene: Scene, bearer: str) -> Probe:
    body = {"profileId": scene.owner.profile, "text": "Once " + secrets.token_hex(6), "draft": True}
    sent = {"Idempotency-Key": secrets.token_hex(8)}
    assert (await scene.api.post("/posts", json=body, headers=sent, key=bearer)).status_code == 201

    async def probe() -> bool:
        return (await scene.api.post("/posts", json=body, headers=sent, key=bearer)).status_code == 201

    return probe


READ_ONLY = {"calendar_link", "report_link"}
"""What only reads does not end with a role, since every role reads; it ends with the client that it reads of."""
MAKERS: dict[str, Callable[[Scene, str], Awaitable[Probe]]] = {
    maker.__name__: maker
    for maker in (
        messenger_code, messenger_link, api_key, oauth_flow, platform_invite, approval_link, calendar_link, report_link,
        app_grant, feed, comment_rule, member, webhook, post, media, session, one_time_token, idempotency,
    )
}  # fmt: skip


async def key_revoked(scene: Scene) -> None:
    assert (await scene.api.delete(f"/api-keys/{scene.key['id']}", key=scene.owner.key)).is_success


async def key_leaked(scene: Scene) -> None:
    assert (await leaked.revoke_leaked(scene.messenger.context, find(scene.key["key"]), source="a test")).keys


async def key_expired(scene: Scene) -> None:
    """Keys that the key issued expire no later."""
    statement = "update api_key set expires_at = now() - interval '1 minute' where id = $1 or issued_by = $1"
    await scene.execute(statement, ids.decode("key", scene.key["id"]))


async def rights_lost(scene: Scene) -> None:
    answer = await scene.api.patch(f"/team/{await _row_of(scene)}", json={"role": "viewer"}, key=scene.owner.key)
    assert answer.is_success, answer.text


async def client_lost(scene: Scene) -> None:
    other = await scene.messenger.make.profile(scene.owner)
    answer = await scene.api.patch(
        f"/team/{await _row_of(scene)}", json={"profileIds": [other["id"]]}, key=scene.owner.key
    )
    assert answer.is_success, answer.text


async def person_left(scene: Scene) -> None:
    assert (await scene.api.delete(f"/team/{await _row_of(scene)}", key=scene.owner.key)).is_success


async def _row_of(scene: Scene) -> str:
    listed = (await scene.api.get("/team", key=scene.owner.key)).json()["data"]
    return str(next(each["id"] for each in listed if each["email"] == scene.member.email))


async def password_changed(scene: Scene) -> None:
    with across_workspaces():
        async with scene.messenger.context.database.transaction() as db:
            email = scene.member.email
            await passwords.reset_password(scene.messenger.context, db, email=email, password="another long password")


async def session_stolen(scene: Scene) -> None:
    await scene.execute("update session set generation = 5 where user_id = $1", scene.member.user_id)
    body = {"refreshToken": scene.session.refresh_token}
    assert (await scene.api.post("/auth/refresh", json=body)).status_code == 401


HAPPENS: dict[str, Callable[[Scene], Awaitable[None]]] = {
    cause.__name__: cause
    for cause in (
        key_revoked, key_leaked, key_expired, rights_lost, person_left, password_changed, session_stolen,
    )
}  # fmt: skip


@pytest.fixture(scope="module")
async def messenger(context: AppContext) -> AsyncIterator[Messenger]:
    async with opened(context) as found:
        yield found


@pytest.fixture(scope="module")
async def owner(messenger: Messenger) -> Login:
    """The workspace of all cases; each has a member of its own."""
    login = await messenger.make.owner()
    await messenger.make.account(login)
    return login


@pytest.fixture
async def scene(messenger: Messenger, owner: Login) -> Scene:
    login = await messenger.make.member(owner, role="admin")
    context = messenger.context
    async with context.database.transaction() as db:
        opened_session = await sign_in.open_session(
            db, context.keys, login.user_id, login.workspace_id, "admin", "192.0.2.1"
        )
    answer = await messenger.api.post("/api-keys", json={"name": "maker"}, key=opened_session.access_token)
    assert answer.status_code == 201, answer.text
    return Scene(messenger, owner, login, answer.json(), opened_session)


def test_all_kinds_and_causes_are_driven() -> None:
    assert MAKERS.keys() | NOT_DRIVEN.keys() == {kind.table for kind in OFFSPRING}
    assert HAPPENS.keys() == set(CAUSES)


CASES = [
    (kind, cause)
    for kind in OFFSPRING
    for cause in CAUSES
    if kind.table in MAKERS and kind.on[cause] != offspring._NO_KEY
]


@pytest.mark.parametrize(("kind", "cause"), CASES, ids=lambda value: getattr(value, "table", value))
async def test_it_happens_as_the_table_says(scene: Scene, kind: Kind, cause: Cause) -> None:
    bearer = scene.key["key"] if cause.startswith("key_") else scene.session.access_token
    probe = await MAKERS[kind.table](scene, bearer)

    loses_client = cause == "rights_lost" and kind.table in READ_ONLY
    await (client_lost if loses_client else HAPPENS[cause])(scene)

    assert await probe() is isinstance(kind.on[cause], Stays)


@pytest.mark.parametrize("table", sorted(MAKERS))
async def test_it_acts_while_nothing_happens(scene: Scene, table: str) -> None:
    """Else a probe that never succeeds would prove that everything ends."""
    probe = await MAKERS[table](scene, scene.session.access_token)
    assert await probe()


async def test_a_new_password_withdraws_the_offer_of_a_workspace(scene: Scene) -> None:
    """Whoever had the old one may have offered it to themselves; a card that is being entered for oneself stays."""
    offer = """insert into billing_handover (workspace_id, user_id, offered_by, moves_ownership, expires_at)
        values ($1, $2, $3, $4, now() + interval '1 day')
        on conflict (workspace_id) do update set moves_ownership = excluded.moves_ownership"""
    people = (scene.owner.workspace_id, scene.owner.user_id, scene.member.user_id)
    for moves, left in ((False, 1), (True, 0)):
        await scene.execute(offer, *people, moves)
        await password_changed(scene)
        count = "select count(*) from billing_handover where workspace_id = $1"
        assert await scene.messenger.value(count, scene.owner.workspace_id) == left


def test_places_that_the_table_names_exist() -> None:
    """A rule that is asked for elsewhere moves with its name."""
    for kind in OFFSPRING:
        for effect in kind.on.values():
            if isinstance(effect, (Asks, Own)):
                path = effect.where.partition(":")[0].split(".")
                module, name = ".".join(path[:-1]), path[-1]
                try:
                    assert hasattr(importlib.import_module(f"signalpost.{module}"), name), effect.where
                except ModuleNotFoundError:
                    importlib.import_module(f"signalpost.{'.'.join(path)}")
