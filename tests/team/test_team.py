"""The team of a workspace: who may change whom, what that does to credentials at once, and what happens at once."""

import asyncio
import secrets
from typing import Any
from uuid import UUID

import pytest
from httpx import Response
from tests.helpers.api import Api
from tests.helpers.contract import invited_email
from tests.helpers.factories import Login, Make
from tests.helpers.identity import register

from signalpost.context import AppContext
from signalpost.identity import members
from signalpost.identity.actions import sign_in
from signalpost.identity.members import MemberRow
from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.team import actions, states
from signalpost.web.caller import Role

ROLES: tuple[Role, ...] = ("owner", "admin", "editor", "contributor", "approver", "viewer")
BELOW = {"owner": set(ROLES[1:]), "admin": set(ROLES[2:])}


@pytest.fixture
async def owner(make: Make) -> Login:
    return await make.owner()


async def team(api: Api, login: Login) -> dict[str, dict[str, Any]]:
    """Members by e-mail address."""
    answer = await api.get("/team", key=login.key)
    assert answer.status_code == 200, answer.text
    return {member["email"]: member for member in answer.json()["data"]}


async def member_id(api: Api, owner: Login, login: Login) -> str:
    return str((await team(api, owner))[login.email]["id"])


async def session(make: Make, login: Login, workspace_id: UUID | None = None) -> str:
    """An access token of this member."""
    async with make.context.database.transaction() as db:
        opened = await sign_in.open_session(
            db, make.context.keys, login.user_id, workspace_id or login.workspace_id, "viewer", "192.0.2.1"
        )
    return opened.access_token


def code(answer: Response) -> str | int:
    return answer.status_code if answer.status_code < 400 else str(answer.json()["code"])


async def test_the_team_is_listed_with_its_owner_first(api: Api, make: Make, owner: Login) -> None:
    admin = await make.member(owner, role="admin")
    invited = invited_email()
    await api.post("/team/invite", json={"email": invited, "role": "viewer"}, key=admin.key)
    removed = await make.member(owner, role="editor")
    await api.delete(f"/team/{await member_id(api, owner, removed)}", key=owner.key)

    listed = await team(api, admin)
    assert list(listed) == [owner.email, invited, admin.email]
    assert [member["status"] for member in listed.values()] == ["active", "invited", "active"]
    assert listed[invited]["invitedBy"] == {"id": ids.encode("usr", admin.user_id), "name": "Admin"}
    assert listed[invited]["userId"] is None
    first = (await api.get("/team?limit=1", key=owner.key)).json()
    rest = (await api.get(f"/team?limit=2&cursor={first['nextCursor']}", key=owner.key)).json()
    assert [member["email"] for member in (*first["data"], *rest["data"])] == list(listed)
    assert rest["hasMore"] is False


async def test_nobody_gives_or_changes_a_role_that_is_not_below_their_own(api: Api, make: Make, owner: Login) -> None:
    """Every pair of roles, to invite, change and remove."""
    people = {role: await make.member(owner, role=role) for role in ROLES[1:]}
    listed = {email: member["id"] for email, member in (await team(api, owner)).items()}
    for role, actor in ({"owner": owner} | people).items():
        for other in ROLES[1:]:
            allowed = other in BELOW.get(role, set())
            data = {"email": invited_email(), "role": other}
            invited = await api.post("/team/invite", json=data, key=actor.key)
            changed = await api.patch(f"/team/{listed[people[other].email]}", json={}, key=actor.key)
            raised = await api.patch(f"/team/{listed[people['viewer'].email]}", json={"role": other}, key=actor.key)
            expected = [201, 200, 200] if allowed else [403] * 3
            assert [answer.status_code for answer in (invited, changed, raised)] == expected, (role, other)
            await api.patch(f"/team/{listed[people['viewer'].email]}", json={"role": "viewer"}, key=owner.key)
    for role, actor in people.items():
        path = f"/team/{listed[owner.email]}"
        refused = await api.patch(path, json={"role": "viewer"}, key=actor.key), await api.delete(path, key=actor.key)
        assert [answer.status_code for answer in refused] == [403, 403], role
    no_role = await api.post("/team/invite", json={"email": invited_email(), "role": "owner"}, key=owner.key)
    assert code(no_role) == "validation_failed"


async def test_an_owner_neither_leaves_nor_loses_the_role(api: Api, make: Make, owner: Login) -> None:
    path = f"/team/{await member_id(api, owner, owner)}"
    answers = [
        await api.patch(path, json={"role": "admin"}, key=owner.key),
        await api.patch(path, json={"status": "suspended"}, key=owner.key),
        await api.delete(path, key=owner.key),
        await api.post("/team/leave", key=await session(make, owner)),
    ]
    assert [code(answer) for answer in answers] == ["last_owner"] * 4
    assert code(await api.post("/team/leave", key=owner.key)) == "forbidden"


STEPS: dict[str, tuple[str, Any]] = {
    "suspended": ("PATCH", {"status": "suspended"}),
    "active": ("PATCH", {"status": "active"}),
    "removed": ("DELETE", None),
}
"""What a manager does to bring a member into a state; the rest is done by the invited person or by time."""


@pytest.mark.parametrize("status", ["invited", "active", "suspended", "removed"])
@pytest.mark.parametrize("to", STEPS)
async def test_each_move_of_the_table_is_possible_and_no_other(
    api: Api, make: Make, owner: Login, status: str, to: str
) -> None:
    if status == "invited":
        data = {"email": invited_email(), "role": "viewer"}
        member = (await api.post("/team/invite", json=data, key=owner.key)).json()["id"]
    else:
        member = await member_id(api, owner, await make.member(owner, role="viewer"))
    for step in ("suspended", "removed"):
        if step == status:
            await api.call(STEPS[step][0], f"/team/{member}", json=STEPS[step][1], key=owner.key)
    method, data = STEPS[to]
    answer = await api.call(method, f"/team/{member}", json=data, key=owner.key)

    if status == "removed":
        assert code(answer) == "not_found"
    elif status == to:
        assert answer.status_code == 200
    elif status == "invited" and to == "active":
        assert code(answer) == "invalid_state"  # only the invited person does this
    else:
        allowed = states.may_move(status, to)  # type: ignore[arg-type] # both are states
        assert code(answer) == ({"removed": 204}.get(to, 200) if allowed else "invalid_state")


async def test_what_a_member_loses_their_credentials_lose_at_once(api: Api, make: Make, owner: Login) -> None:
    """Each credential was used just before, so that it is cached."""
    member = await make.member(owner, role="editor")
    path, token = f"/team/{await member_id(api, owner, member)}", await session(make, member)

    async def used() -> list[str | int]:
        return [
            code(await api.get("/webhooks", key=member.key)), code(await api.get("/posts", key=member.key)),
            code(await api.get("/posts", key=token)), code(await api.post("/api-keys", json={"name": "k"}, key=token)),
        ]  # fmt: skip

    async def changed(data: dict[str, Any]) -> list[str | int]:
        assert (await api.patch(path, json=data, key=owner.key)).status_code == 200
        return await used()

    assert await used() == ["insufficient_scope", 200, 200, 201]
    assert await changed({"role": "viewer"}) == ["insufficient_scope", 200, 200, "forbidden"]
    assert await changed({"status": "suspended"}) == ["key_revoked", "key_revoked", "forbidden", "forbidden"]
    assert await changed({"status": "active", "role": "admin"}) == [200, 200, 200, 201]
    assert (await api.delete(path, key=owner.key)).status_code == 204
    assert await used() == ["key_revoked", "key_revoked", "unauthenticated", "unauthenticated"]


async def test_keys_of_a_removed_member_stay_dead_when_they_come_back(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    made = await register(api)
    data = {"email": made["email"], "role": "admin"}

    async def join() -> str:
        url = (await api.post("/team/invite", json=data, key=owner.key)).json()["inviteUrl"]
        accepted = await api.post(f"/team/invites/{url.rpartition('/')[2]}/accept", json={}, key=made["accessToken"])
        assert accepted.status_code == 200, accepted.text
        return str(accepted.json()["member"]["id"])

    workspace = {"X-Workspace-Id": ids.encode("wsp", owner.workspace_id)}
    first = await join()
    answer = await api.post("/api-keys", json={"name": "k"}, key=made["accessToken"], headers=workspace)
    key = answer.json()["key"]
    assert code(await api.get("/posts", key=key)) == 200
    assert (await api.post("/team/leave", key=made["accessToken"], headers=workspace)).status_code == 204
    assert await join() != first
    assert code(await api.get("/posts", key=key)) == "key_revoked"
    assert code(await api.get("/posts", key=made["accessToken"], headers=workspace)) == 200


async def test_a_limited_member_sees_and_counts_only_their_profiles(api: Api, make: Make, owner: Login) -> None:
    other = await make.profile(owner)
    for profile in (owner.profile, other["id"]):
        await make.account(owner, profile=profile)
        await make.draft(owner, profileId=profile)
    member = await make.member(owner, role="admin")
    path = f"/team/{await member_id(api, owner, member)}"
    limited = await api.patch(path, json={"profileIds": [other["id"], other["id"]]}, key=owner.key)
    assert limited.json()["profileIds"] == [other["id"]]

    for token in (member.key, await session(make, member)):
        assert (await api.get("/auth/me", key=token)).json()["profileIds"] == [other["id"]]
        for path_ in ("/profiles", "/platforms/accounts/all", "/posts"):
            rows = (await api.get(path_, key=token)).json()["data"]
            assert {row.get("profileId", row["id"]) for row in rows} == {other["id"]}, path_
        assert (await api.get("/posts/stats", key=token)).json()["total"] == 1
    unknown = await api.patch(path, json={"profileIds": ["prof_" + "0" * 26]}, key=owner.key)
    assert [issue["path"] for issue in unknown.json()["errors"]] == ["/profileIds/0"]
    assert (await api.patch(path, json={"profileIds": None}, key=owner.key)).json()["profileIds"] is None


async def test_a_limited_admin_gives_and_manages_no_more_than_they_see(api: Api, make: Make, owner: Login) -> None:
    other = await make.profile(owner)
    limited = await make.member(owner, role="admin", profile_ids=[other["id"]])
    wide = await make.member(owner, role="viewer")
    within = await make.member(owner, role="viewer", profile_ids=[other["id"]])
    elsewhere = await make.member(owner, role="viewer", profile_ids=[owner.profile])

    def invite(**fields: Any) -> dict[str, Any]:
        return {"email": invited_email(), "role": "viewer"} | fields

    answers = [
        await api.post("/team/invite", json=invite(), key=limited.key),
        await api.post("/team/invite", json=invite(profileIds=[owner.profile]), key=limited.key),
        await api.post("/team/invite", json=invite(profileIds=[other["id"]]), key=limited.key),
        *[
            await api.patch(f"/team/{await member_id(api, owner, login)}", json={}, key=limited.key)
            for login in (wide, elsewhere, within)
        ],
    ]
    assert [code(answer) for answer in answers] == [
        "forbidden", "validation_failed", 201, "forbidden", "forbidden", 200,
    ]  # fmt: skip
    assert (await team(api, limited))[elsewhere.email]["profileIds"] == []


async def test_a_key_gives_no_role_that_could_do_more_than_the_key(api: Api, owner: Login) -> None:
    """A key for invitations would otherwise be a way to all rights of its owner."""
    data = {"name": "HR", "scopes": ["team:read", "team:write"]}
    key = (await api.post("/api-keys", json=data, key=owner.key)).json()["key"]
    invite = {"email": invited_email(), "role": "viewer"}
    assert code(await api.post("/team/invite", json=invite, key=key)) == "insufficient_scope"
    assert code(await api.post("/team/invite", json=invite, key=owner.test_key)) == "test_mode_only_sandbox"


async def test_a_key_gives_nobody_their_rights_back_that_could_do_more_than_the_key(
    api: Api, make: Make, owner: Login
) -> None:
    data = {"name": "HR", "scopes": ["team:read", "team:write"]}
    key = (await api.post("/api-keys", json=data, key=owner.key)).json()["key"]
    member = await make.member(owner, role="admin", profile_ids=[owner.profile])
    path = f"/team/{await member_id(api, owner, member)}"
    assert code(await api.patch(path, json={"profileIds": None}, key=key)) == "insufficient_scope"
    assert code(await api.patch(path, json={"status": "suspended"}, key=key)) == 200
    assert code(await api.patch(path, json={"status": "active"}, key=key)) == "insufficient_scope"
    assert code(await api.get("/posts", key=member.key)) == "key_revoked"
    assert code(await api.patch(path, json={"status": "active"}, key=owner.key)) == 200


async def test_the_ownership_moves_to_another_member(api: Api, make: Make, owner: Login) -> None:
    other = await make.profile(owner)
    successor = await make.member(owner, role="viewer", profile_ids=[other["id"]])
    tokens = await session(make, owner), await session(make, successor)
    body = {"memberId": await member_id(api, owner, successor)}
    refused = [code(await api.post("/team/transfer", json=body, key=key)) for key in (owner.key, tokens[1])]
    itself = {"memberId": await member_id(api, owner, owner)}
    refused.append(code(await api.post("/team/transfer", json=itself, key=tokens[0])))
    assert refused == ["forbidden", "forbidden", "invalid_state"]

    answer = await api.post("/team/transfer", json=body, key=tokens[0])
    assert (answer.status_code, answer.json()["role"], answer.json()["profileIds"]) == (200, "owner", None)
    roles = [(await api.get("/auth/me", key=token)).json()["role"] for token in tokens]
    assert roles == ["admin", "owner"]
    assert code(await api.post("/team/leave", key=tokens[0])) == 204
    assert code(await api.post("/team/leave", key=tokens[1])) == "last_owner"


async def test_a_workspace_keeps_its_owner_whatever_happens_at_once(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    """The owner gives the ownership away and leaves, while the successor leaves, is removed and gives it back."""
    successor = await make.member(owner, role="admin")
    first, second = await session(make, owner), await session(make, successor)
    mine, theirs = await member_id(api, owner, owner), await member_id(api, owner, successor)
    await asyncio.gather(
        api.post("/team/transfer", json={"memberId": theirs}, key=first),
        api.post("/team/leave", key=first),
        api.post("/team/leave", key=second),
        api.post("/team/transfer", json={"memberId": mine}, key=second),
        api.delete(f"/team/{theirs}", key=owner.key),
        api.post("/team/leave", key=first),
    )
    count = "select count(*) from member where workspace_id = $1 and role = 'owner' and status = 'active'"
    assert await database.pool.fetchval(count, owner.workspace_id) == 1


async def test_an_invitation_is_renewed_and_a_member_not_invited(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    email = invited_email()
    data = {"email": email, "role": "viewer"}
    first = (await api.post("/team/invite", json=data, key=owner.key)).json()
    await database.pool.execute("update member set expires_at = now() - interval '1 day' where email = $1", email)
    assert email not in await team(api, owner)
    data |= {"email": email.upper(), "role": "editor"}
    again = (await api.post("/team/invite", json=data, key=owner.key)).json()
    assert (again["id"], again["inviteUrl"], again["role"]) == (first["id"], first["inviteUrl"], "editor")
    assert list(await team(api, owner)) == [owner.email, email]

    member = await make.member(owner, role="viewer")
    for address in (member.email.upper(), owner.email):
        assert code(await api.post("/team/invite", json=data | {"email": address}, key=owner.key)) == "already_exists"


async def test_an_admin_does_not_renew_what_the_owner_gave(api: Api, make: Make, owner: Login) -> None:
    """Or an admin could make an invitation to admin one to viewer."""
    admin = await make.member(owner, role="admin")
    data = {"email": invited_email(), "role": "admin"}
    await api.post("/team/invite", json=data, key=owner.key)
    assert code(await api.post("/team/invite", json=data | {"role": "viewer"}, key=admin.key)) == "forbidden"


async def test_the_same_address_is_invited_once_at_the_same_moment(api: Api, owner: Login) -> None:
    data = {"email": invited_email(), "role": "viewer"}
    answers = await asyncio.gather(*(api.post("/team/invite", json=data, key=owner.key) for _ in range(5)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1


async def test_the_number_of_invitations_is_bounded(api: Api, owner: Login, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "INVITES_PER_HOUR", 3)
    answers = [
        await api.post("/team/invite", json={"email": invited_email(), "role": "viewer"}, key=owner.key)
        for _ in range(4)
    ]
    assert [code(answer) for answer in answers] == [201, 201, 201, "rate_limited"]
    monkeypatch.setattr(actions, "INVITES_PER_HOUR", 100)
    monkeypatch.setattr(actions, "OPEN_INVITES_MAX", 3)
    refused = await api.post("/team/invite", json={"email": invited_email(), "role": "viewer"}, key=owner.key)
    assert code(refused) == "too_many_items"


async def test_another_workspace_does_not_know_the_member(api: Api, make: Make, owner: Login) -> None:
    stranger = await make.owner()
    path = f"/team/{await member_id(api, owner, await make.member(owner, role='viewer'))}"
    assert code(await api.patch(path, json={}, key=stranger.key)) == "not_found"
    assert code(await api.delete(path, key=stranger.key)) == "not_found"
    assert owner.email not in await team(api, stranger)


async def test_a_member_that_was_removed_meanwhile_is_not_changed(
    context: AppContext, api: Api, make: Make, owner: Login
) -> None:
    """The row was read before the lock was got."""
    member = await make.member(owner, role="viewer")
    removed = ids.decode("mem", await member_id(api, owner, member))
    caller = await _caller(context, owner)
    async with context.database.transaction() as db:
        row = await members.find(db, caller, removed or UUID(int=0))
        assert isinstance(row, MemberRow)
        await members.remove(context, db, row)
        with pytest.raises(Exception, match="deleted meanwhile"):
            await actions.remove_member(context, db, caller, row)


async def _caller(context: AppContext, login: Login) -> Any:
    from signalpost.identity.authenticate import authenticator

    return await authenticator(context)(login.key, None, f"10.9.8.{secrets.randbelow(255)}")
