"""Every endpoint that is built answers with the status of the specification, and with what its reference says."""

import secrets
from collections.abc import Awaitable, Callable
from urllib.parse import parse_qsl, urlsplit

import jsonschema
import pytest
from tests.contract.conftest import Furnish
from tests.helpers.api import Api
from tests.helpers.contract import DOCUMENT, ENDPOINTS, Asked, Place, name_of

from signalpost.identity import tokens
from signalpost.web.routing import Endpoint

Prepare = Callable[[Place, Asked], Awaitable[None]]
_PASSWORD = "correct horse battery"
_RESET = (
    "insert into one_time_token (hash, purpose, user_id, expires_at) values ($1, $2, $3, now() + interval '1 hour')"
)
ELSEWHERE = {
    "GET /platforms/{platform}/callback": "tests/accounts/test_authorization.py",
}
"""What needs another server to succeed, and where that is shown."""


async def _sign_up(place: Place) -> dict[str, str]:
    email = f"{secrets.token_hex(5)}@example.test"
    answer = await place.api.post("/auth/register", json={"email": email, "password": _PASSWORD})
    assert answer.status_code == 201, answer.text
    found = answer.json()
    return {"email": email, "workspace": found["workspace"]["id"]} | {
        name: found[name] for name in ("accessToken", "refreshToken")
    }


async def _new_email(place: Place, asked: Asked) -> None:
    asked.body["email"] = f"{secrets.token_hex(5)}@example.test"


async def _own_password(place: Place, asked: Asked) -> None:
    asked.body = {"email": (await _sign_up(place))["email"], "password": _PASSWORD}


async def _own_refresh_token(place: Place, asked: Asked) -> None:
    asked.body = {"refreshToken": (await _sign_up(place))["refreshToken"]}


async def _signed_in(place: Place, asked: Asked) -> None:
    found = await _sign_up(place)
    asked.key = found["accessToken"]
    asked.path = asked.path.replace(place.ids["wsp"], found["workspace"])


async def _reset_token(place: Place, asked: Asked) -> None:
    asked.body["token"] = "spr_" + secrets.token_urlsafe(32)
    async with place.make.context.database.transaction() as db:
        await db.execute(_RESET, tokens.digest(asked.body["token"]), "password_reset", place.owner.user_id)


async def _another_child(place: Place, asked: Asked) -> None:
    asked.body["childProfileId"] = (await place.make.profile(place.owner))["id"]


async def _signed_address(place: Place, asked: Asked) -> None:
    url = (await place.api.get(f"/media/{place.ids['med']}", key=place.owner.key)).json()["url"]
    asked.params = dict(parse_qsl(urlsplit(url).query))


async def _trashed(place: Place, asked: Asked) -> None:
    assert (await place.api.delete(f"/posts/{place.ids['pst']}", key=place.owner.key)).status_code == 200


async def _draft(place: Place, asked: Asked) -> None:
    post = await place.make.post(place.owner, draft=True)
    asked.path = asked.path.replace(place.ids["pst"], post["id"])


async def _to_be_approved(place: Place, asked: Asked) -> None:
    changed = await place.api.patch(
        f"/profiles/{place.owner.profile}", json={"approvalRequired": True}, key=place.owner.key
    )
    assert changed.status_code == 200, changed.text
    await _draft(place, asked)


async def _waiting_for_approval(place: Place, asked: Asked) -> None:
    await _to_be_approved(place, asked)
    post_id = asked.path.split("/")[2]
    answer = await place.api.post(f"/posts/{post_id}/request-approval", json={}, key=place.owner.key)
    assert answer.status_code == 200, answer.text


async def _failed(place: Place, asked: Asked) -> None:
    post = await place.make.post(place.owner, text="[[fail:text_too_long]] " + secrets.token_hex(8))
    await _process(place)
    asked.path = asked.path.replace(place.ids["pst"], post["id"])


async def _delivered(place: Place, asked: Asked) -> None:
    await _process(place)


async def _process(place: Place) -> None:
    secret = {"X-Queue-Secret": place.make.context.settings.queue_secret or ""}
    answer = await place.api.post("/queue/process", json={"limit": 500}, headers=secret)
    assert answer.status_code == 200, answer.text


PREPARED: dict[str, Prepare] = {
    "POST /auth/register": _new_email,
    "POST /auth/login": _own_password,
    "POST /auth/refresh": _own_refresh_token,
    "POST /auth/logout": _signed_in,
    "POST /auth/password/reset": _reset_token,
    "POST /workspaces": _signed_in,
    "PATCH /workspaces/{id}": _signed_in,
    "POST /profiles/links": _another_child,
    "GET /media/{id}/content": _signed_address,
    "POST /posts/{id}/restore": _trashed,
    "POST /posts/{id}/request-approval": _to_be_approved,
    "POST /posts/{id}/approve": _waiting_for_approval,
    "POST /posts/{id}/reject": _waiting_for_approval,
    "POST /queue/submit/{postId}": _draft,
    "POST /posts/{id}/retry": _failed,
    "POST /webhooks/{id}/deliveries/{deliveryId}/resend": _delivered,
}


@pytest.mark.parametrize("endpoint", [e for e in ENDPOINTS if name_of(e) not in ELSEWHERE], ids=name_of)
async def test_it_succeeds_as_the_reference_says(api: Api, another: Furnish, endpoint: Endpoint) -> None:
    place = await another(endpoint)
    asked = place.ask(endpoint)
    if prepare := PREPARED.get(name_of(endpoint)):
        await prepare(place, asked)

    answer = await asked.send(api)

    assert answer.status_code == endpoint.status, answer.text
    told = DOCUMENT["paths"][endpoint.path][endpoint.method.lower()]["responses"][str(endpoint.status)]
    if content := told.get("content", {}).get("application/json"):
        assert answer.headers["content-type"] == "application/json"
        jsonschema.Draft202012Validator(
            content["schema"] | {"components": DOCUMENT["components"]},
            format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER,
        ).validate(answer.json())
    if endpoint.status == 204:
        assert answer.content == b""
    if endpoint.etag:
        assert answer.headers["etag"] == f'"{answer.json()["version"]}"'


def test_what_is_shown_elsewhere_is_there() -> None:
    from tests.counterparts.tools import CHECKOUT

    names = {name_of(endpoint) for endpoint in ENDPOINTS}
    for name, place in ELSEWHERE.items():
        assert name in names
        assert (CHECKOUT / place).exists()
