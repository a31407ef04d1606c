"""Nobody may choose a password that many people have, by whatever way passwords are chosen."""

import dataclasses
import secrets
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.identity import PASSWORD, register
from tests.helpers.sign_in_servers import api_of

from signalpost.context import AppContext
from signalpost.identity import common_passwords, tokens
from signalpost.identity.actions import passwords, sign_up
from signalpost.kit import problems

COMMON = ("password123", "1234567890", "qwertyuiop", "Q1W2E3R4T5", "manchester", " Iloveyou123 ", "1qaz2wsx3edc")
_TOKEN = "insert into one_time_token (hash, purpose, user_id, expires_at) values ($1, $2, $3, now() + interval '1 h')"


def test_the_list_is_in_order_and_knows_what_many_people_choose() -> None:
    digests = common_passwords._digests()
    size = common_passwords.DIGEST_BYTES
    entries = [digests[at : at + size] for at in range(0, len(digests), size)]

    assert len(entries) == 10_000
    assert all(one < other for one, other in pairwise(entries))
    assert [word for word in COMMON if not common_passwords.is_common(word)] == []
    assert {
        word for word in (PASSWORD, "another horse battery", "", "\ud800" * 12) if common_passwords.is_common(word)
    } == set()
    assert all(common_passwords._digests().find(entry) >= 0 for entry in (entries[0], entries[-1]))


async def _register(api: Api, context: AppContext, make: Make) -> Any:
    email = f"{secrets.token_hex(5)}@example.test"
    return await api.post("/auth/register", json={"email": email, "password": COMMON[0]})


async def _change(api: Api, context: AppContext, make: Make) -> Any:
    made = await register(api)
    body = {"currentPassword": PASSWORD, "password": COMMON[0]}
    return await api.post("/auth/password", json=body, key=made["accessToken"])


async def _reset(api: Api, context: AppContext, make: Make) -> Any:
    owner, token = await make.owner(), "spr_" + secrets.token_urlsafe(32)
    async with context.database.transaction() as db:
        await db.execute(_TOKEN, tokens.digest(token), "password_reset", owner.user_id)
    return await api.post("/auth/password/reset", json={"token": token, "password": COMMON[0]})


async def _accept(api: Api, context: AppContext, make: Make) -> Any:
    owner = await make.owner()
    body = {"email": f"{secrets.token_hex(5)}@example.test", "role": "viewer"}
    invited = (await api.post("/team/invite", json=body, key=owner.key)).json()
    token = invited["inviteUrl"].rpartition("/")[2]
    return await api.post(f"/team/invites/{token}/accept", json={"name": "Ada", "password": COMMON[0]})


@pytest.mark.parametrize("choose", [_register, _change, _reset, _accept])
async def test_a_common_password_is_refused_at_every_door(
    context: AppContext, make: Make, choose: Callable[[Api, AppContext, Make], Awaitable[Any]]
) -> None:
    settings = dataclasses.replace(context.settings, registration="open")
    async with api_of(dataclasses.replace(context, settings=settings)) as api:
        answer = await choose(api, context, make)

    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
    [issue] = answer.json()["errors"]
    assert (issue["path"], issue["code"]) == ("/password", "too_common")


async def test_a_common_password_is_refused_in_the_terminal(context: AppContext) -> None:
    email = f"{secrets.token_hex(5)}@example.test"
    with pytest.raises(problems.ValidationFailed):
        async with context.database.transaction() as db:
            await sign_up.create_owner(context, db, email=email, password=COMMON[0], workspace_name="A")
    with pytest.raises(problems.ValidationFailed):
        async with context.database.transaction() as db:
            await passwords.reset_password(context, db, email=email, password=COMMON[0])
