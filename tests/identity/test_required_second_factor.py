"""A workspace that requires a second factor: what a member without one may do, and that nothing goes around it."""

import base64
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.contract import invited_email
from tests.helpers.identity import PASSWORD, code, login, register

from signalpost.identity import roles, totp
from signalpost.kit import clock
from signalpost.main import wiring
from signalpost.web.caller import PUBLIC


class Team:
    """A workspace with an owner who has a second factor, and an editor and an admin who have none."""

    def __init__(self, api: Api, owner: dict[str, Any], secret: bytes) -> None:
        self.api, self.owner, self.secret = api, owner, secret
        self.people: dict[str, dict[str, Any]] = {}

    async def add(self, role: str) -> None:
        email = invited_email()
        data = {"email": email, "role": role}
        invited = (await self.api.post("/team/invite", json=data, key=self.owner["accessToken"])).json()
        token = invited["inviteUrl"].rpartition("/")[2]
        joined = await self.api.post(f"/team/invites/{token}/accept", json={"password": PASSWORD})
        assert joined.status_code == 200, joined.text
        self.people[role] = joined.json() | {"email": email}

    async def require(self, whom: str) -> None:
        path = f"/workspaces/{self.owner['workspace']['id']}"
        changed = await self.api.patch(path, json={"secondFactor": whom}, key=self.owner["accessToken"])
        assert (changed.status_code, changed.json()["secondFactor"]) == (200, whom)

    async def sees(self, role: str) -> str | int:
        return await code(self.api, "/profiles", self.people[role]["accessToken"])


async def set_up(api: Api, token: str) -> bytes:
    """Enrol an app and confirm it."""
    secret = base64.b32decode((await api.post("/auth/totp", json={"password": PASSWORD}, key=token)).json()["secret"])
    first = totp.code_at(secret, totp.step_of(clock.now()))
    confirmed = await api.post("/auth/totp/confirm", json={"code": first}, key=token)
    assert confirmed.status_code == 200, confirmed.text
    return secret


@pytest.fixture
async def team(api: Api) -> Team:
    owner = await register(api)
    team = Team(api, owner, await set_up(api, owner["accessToken"]))
    for role in ("admin", "editor"):
        await team.add(role)
    return team


async def test_members_without_one_can_only_set_one_up(api: Api, team: Team) -> None:
    await team.require("admins")
    assert [await team.sees(role) for role in ("admin", "editor")] == ["second_factor_missing", 200]
    await team.require("everyone")
    assert await team.sees("editor") == "second_factor_missing"

    editor = team.people["editor"]
    me = (await api.get("/auth/me", key=editor["accessToken"])).json()
    again = await login(api, editor["email"])
    await set_up(api, editor["accessToken"])

    assert me["auth"]["needsSecondFactor"] is True
    assert await code(api, "/profiles", again["accessToken"]) == 200  # at once, in every session
    await team.require("optional")
    assert await team.sees("admin") == 200


async def test_ending_it_closes_the_workspace_again(api: Api, team: Team) -> None:
    await team.require("everyone")
    editor = team.people["editor"]
    secret = await set_up(api, editor["accessToken"])
    body = {"password": PASSWORD, "code": totp.code_at(secret, totp.step_of(clock.now()) + 1)}
    ended = await api.post("/auth/totp/disable", json=body, key=editor["accessToken"])

    assert ended.status_code == 204, ended.text
    assert await team.sees("editor") == "second_factor_missing"


async def test_api_keys_and_other_workspaces_are_not_affected(api: Api, team: Team) -> None:
    editor = team.people["editor"]
    created = await api.post("/api-keys", json={"name": "CMS"}, key=editor["accessToken"])
    own = await api.post("/workspaces", json={"name": "Mine"}, key=editor["accessToken"])
    await team.require("everyone")

    assert await code(api, "/profiles", created.json()["key"]) == 200
    elsewhere = {"X-Workspace-Id": own.json()["id"]}
    assert await code(api, "/profiles", editor["accessToken"], headers=elsewhere) == 200


async def test_an_admin_without_one_lifts_it_from_nowhere(api: Api, team: Team) -> None:
    """`PATCH /workspaces/{id}` takes any workspace of the caller, also one that the request is not for."""
    admin = team.people["admin"]
    own = (await api.post("/workspaces", json={"name": "Mine"}, key=admin["accessToken"])).json()
    path = f"/workspaces/{team.owner['workspace']['id']}"
    would_lock_out = await api.patch(path, json={"secondFactor": "admins"}, key=admin["accessToken"])
    await team.require("admins")

    refused = [
        await api.patch(path, json={"secondFactor": "optional"}, key=admin["accessToken"], headers=headers)
        for headers in ({}, {"X-Workspace-Id": own["id"]})
    ]

    assert (would_lock_out.status_code, would_lock_out.json()["code"]) == (409, "invalid_state")
    assert [answer.json()["code"] for answer in refused] == ["second_factor_missing"] * 2


async def test_editors_do_not_decide_about_it(api: Api, team: Team) -> None:
    path = f"/workspaces/{team.owner['workspace']['id']}"
    answer = await api.patch(path, json={"secondFactor": "everyone"}, key=team.people["editor"]["accessToken"])

    assert answer.status_code == 403


def test_what_is_open_without_one_is_listed() -> None:
    """Everything else is closed, also what is added later."""
    guarded = [endpoint for endpoint in wiring.endpoints() if endpoint.scope != PUBLIC]

    assert {endpoint.name for endpoint in guarded if endpoint.before_second_factor} == {
        "get_me", "list_workspaces", "logout", "enrol_totp", "confirm_totp", "disable_totp", "leave_team",
        "delete_me",
    }  # fmt: skip


@pytest.mark.parametrize("role", ["owner", "admin", "editor", "contributor", "approver", "viewer"])
def test_of_whom_it_is_required(role: Any) -> None:
    assert roles.needs_second_factor(role, "everyone")
    assert roles.needs_second_factor(role, "admins") == (role in ("owner", "admin"))
    assert not roles.needs_second_factor(role, "optional")
