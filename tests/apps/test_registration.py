"""Apps that register themselves: what is refused, how many there can be, and what is forgotten. And metadata."""

from typing import Any
from uuid import UUID

import httpx
import pytest
from tests.helpers.api import Api
from tests.helpers.apps import ORIGIN, REDIRECT, App, Person, person_of
from tests.helpers.messenger import Lease

from signalpost.apps import queries, work
from signalpost.apps.actions import register
from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.kit.tenant import across_workspaces


@pytest.fixture
async def visitor(api: Api) -> App:
    return App(api, "")


@pytest.mark.parametrize(
    ("metadata", "error"),
    [
        ({"redirect_uris": ["http://shop.example.com/"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["javascript:alert(1)"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["https://a.example/#x"]}, "invalid_redirect_uri"),
        ({"redirect_uris": ["https://*.example/;script-src *"]}, "invalid_redirect_uri"),
        ({"redirect_uris": []}, "invalid_client_metadata"),
        ({"redirect_uris": None}, "invalid_client_metadata"),
        ({"redirect_uris": [REDIRECT] * 11}, "invalid_client_metadata"),
        ({"token_endpoint_auth_method": "private_key_jwt"}, "invalid_client_metadata"),
        ({"grant_types": ["client_credentials"]}, "invalid_client_metadata"),
        ({"response_types": ["token"]}, "invalid_client_metadata"),
    ],
)  # fmt: skip
async def test_metadata_that_cannot_be_is_refused(visitor: App, metadata: dict[str, Any], error: str) -> None:
    answer = await visitor.post("/oauth/register", json={"redirect_uris": [REDIRECT]} | metadata)
    assert (answer.status_code, answer.json()["error"]) == (400, error)
    assert answer.headers["cache-control"] == "no-store"


async def test_members_that_are_not_known_are_ignored_and_a_secret_is_given_once(visitor: App) -> None:
    body = {"redirect_uris": [REDIRECT], "software_id": "x", "contacts": ["a@example.com"], "scope": "posts:read"}
    answer = await visitor.post("/oauth/register", json=body)
    registered = answer.json()
    assert (answer.status_code, registered["client_name"]) == (201, "App without a name")
    assert registered["client_secret"].startswith("sp_ocs_")
    assert registered["client_secret_expires_at"] == 0
    assert registered["token_endpoint_auth_method"] == "client_secret_basic"
    assert (await visitor.post("/oauth/register", content=b"{")).status_code == 400
    assert (await visitor.post("/oauth/register", content=b"[" * 20_001)).status_code == 413


async def test_an_address_registers_twenty_an_hour(visitor: App) -> None:
    headers = {"X-Forwarded-For": "198.51.100.77"}
    answers = [
        await visitor.post("/oauth/register", json={"redirect_uris": [REDIRECT]}, headers=headers) for _ in range(21)
    ]
    assert [answer.status_code for answer in answers] == [201] * 20 + [429]
    assert answers[-1].json()["error"] == "temporarily_unavailable"
    assert int(answers[-1].headers["retry-after"]) > 0


async def test_there_are_only_so_many_that_nobody_used(visitor: App, monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(_db: Any, at_most: int) -> int:
        return at_most

    monkeypatch.setattr(queries, "count_unused", full)
    answer = await visitor.post("/oauth/register", json={"redirect_uris": [REDIRECT]})
    assert (answer.status_code, answer.json()["error"]) == (503, "temporarily_unavailable")
    assert register.UNUSED_MAX == 10_000


async def test_what_was_never_used_is_forgotten_and_what_is_used_stays(
    context: AppContext, api: Api, database: Database
) -> None:
    person = await person_of(context, api)
    unused, used, own = await App.registered(api), await App.registered(api), await _own(api, person)
    given = await used.allowed(person)
    names = [ids.decode("app", one) for one in (unused.client_id, used.client_id, own)]
    async with database.transaction() as db:
        old = "update app set created_at = now() - interval '200 days', used_at = used_at - interval '200 days'"
        await db.execute(f"{old} where id = any($1)", names)
    await _run(context)
    async with database.connection() as db:
        left = [record["id"] for record in await db.fetch("select id from app where id = any($1)", names)]
    assert sorted(left) == sorted(names[1:])  # type: ignore[type-var]
    assert (await api.get("/auth/me", key=given["access_token"])).status_code == 200


async def test_the_keys_of_a_deleted_app_end(context: AppContext, api: Api, database: Database) -> None:
    """Also those of other workspaces: their tokens end at once, the keys when the job comes."""
    maker, person = await person_of(context, api), await person_of(context, api)
    made = (await api.post("/apps", json={"name": "CMS", "redirectUris": [REDIRECT]}, key=maker.key)).json()
    given = await App(api, made["id"], made["secret"]).allowed(person)
    hook = await api.get("/app-grants", key=person.key)
    key_id = ids.decode("key", hook.json()["data"][0]["keyId"])
    assert (await api.delete(f"/apps/{made['id']}", key=maker.key)).status_code == 200
    assert (await api.get("/auth/me", key=given["access_token"])).json()["code"] == "key_revoked"
    assert await _is_revoked(database, key_id) is False
    await _run(context)
    await _run(context)
    assert await _is_revoked(database, key_id) is True
    assert (await api.get("/app-grants", key=person.key)).json()["data"] == []


async def test_the_metadata_says_where_everything_is(api: Api, visitor: App) -> None:
    async def read(path: str) -> Any:
        answer = await api.get(path, bare=True)
        assert answer.status_code == 200, path
        assert answer.headers["access-control-allow-origin"] == "*"
        return answer.json()

    server = await read("/.well-known/oauth-authorization-server")
    assert server["issuer"] == ORIGIN
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert server["authorization_response_iss_parameter_supported"] is True
    assert not {"keys:write", "team:write", "billing:read", "instance:admin"} & set(server["scopes_supported"])
    for name in ("token_endpoint", "revocation_endpoint", "registration_endpoint"):
        answer = await visitor.post(server[name].removeprefix(ORIGIN), content=b"")
        assert answer.json()["error"] in ("invalid_request", "invalid_client_metadata"), name
    resource = await read("/.well-known/oauth-protected-resource/mcp")
    assert (resource["resource"], resource["authorization_servers"]) == (f"{ORIGIN}/mcp", [ORIGIN])
    assert (await read("/.well-known/oauth-protected-resource/api/v1"))["resource"] == f"{ORIGIN}/api/v1"


async def test_mcp_says_where_to_sign_in(api: Api) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    for key, error in ((None, ""), ("sp_oat_x", 'error="invalid_token"')):
        answer = await api.call("POST", "/mcp", json=message, key=key, bare=True)
        assert answer.status_code == 401
        challenge = answer.headers["www-authenticate"]
        assert f'resource_metadata="{ORIGIN}/.well-known/oauth-protected-resource/mcp"' in challenge
        assert error in challenge


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke"])
async def test_what_is_not_a_form_is_refused(visitor: App, path: str) -> None:
    async def refused(**options: Any) -> httpx.Response:
        answer = await visitor.post(path, **options)
        assert answer.json()["error"] in ("invalid_request", "invalid_client"), answer.text
        return answer

    await refused(json={"grant_type": "authorization_code"})
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for content in (b"client_id=a&client_id=b", b"a=\xff", b"a=%ff", b"&".join(b"a%d=1" % n for n in range(31))):
        await refused(content=content, headers=form)
    assert (await refused(content=b"a=" + b"x" * 20_001, headers=form)).status_code == 413
    for header in ("Basic", "Basic !", "Basic YTpi", "Bearer x", "Basic " + "w" * 5_000):
        assert (await refused(data={"token": "x"}, headers={"Authorization": header})).status_code in (400, 401), header


async def _run(context: AppContext) -> None:
    """What the engine does with the job of this room, once."""
    lease: Any = Lease(context)
    [job] = work.jobs(context)
    with across_workspaces():
        await job.handler(lease, {})


async def _own(api: Api, person: Person) -> str:
    made = await api.post("/apps", json={"name": "Own", "redirectUris": [REDIRECT], "type": "public"}, key=person.key)
    return str(made.json()["id"])


async def _is_revoked(database: Database, key_id: UUID | None) -> bool:
    async with database.connection() as db:
        return bool(await db.fetchval("select revoked_at is not null from api_key where id = $1", key_id))
