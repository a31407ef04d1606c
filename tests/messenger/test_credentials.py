"""A number does no more than the credential that linked it, and no longer; people hear what happens in their name."""

import secrets
from typing import Any

import pytest
from httpx import Response
from tests.helpers.factories import Login
from tests.helpers.mail import InTest
from tests.helpers.messenger import Messenger, Phone

from signalpost.api_keys.actions import leaked as leaked_keys
from signalpost.api_keys.secret_scanning import find
from signalpost.identity.actions import passwords, sign_in
from signalpost.kit import ids
from signalpost.messenger import work

_MAILS = "select count(*) from mail_message where template = 'messenger_linked' and recipient = $1"


async def new_key(messenger: Messenger, owner: Login, **terms: Any) -> dict[str, Any]:
    body = {"name": "ci", "scopes": ["posts:read", "posts:write", "posts:publish", "keys:write"]} | terms
    answer = await messenger.api.post("/api-keys", json=body, key=owner.key)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def posts_of(messenger: Messenger, owner: Login) -> list[str]:
    return [post["text"] for post in (await messenger.api.get("/posts", key=owner.key)).json()["data"]]


async def is_linked(messenger: Messenger, key: str) -> bool:
    return bool((await messenger.api.get("/wa/status", key=key)).json()["linked"])


async def stolen(messenger: Messenger, owner: Login, **terms: Any) -> tuple[Phone, dict[str, Any]]:
    """The phone of whoever got hold of a key, linked with it."""
    key = await new_key(messenger, owner, **terms)
    return await messenger.linked(owner, "thief" + secrets.token_hex(3), key=key["key"]), key


async def revoked(messenger: Messenger, owner: Login, key: dict[str, Any]) -> None:
    assert (await messenger.api.delete(f"/api-keys/{key['id']}", key=owner.key)).status_code == 200


async def issuer_revoked(messenger: Messenger, owner: Login, key: dict[str, Any]) -> None:
    """Keys of the owner's key end with it."""
    other = await messenger.session(owner)
    listed = (await messenger.api.get("/api-keys", key=other)).json()["data"]
    issuer = next(each["issuedBy"]["id"] for each in listed if each["id"] == key["id"])
    assert (await messenger.api.delete(f"/api-keys/{issuer}", key=other)).status_code == 200


async def leaked(messenger: Messenger, _owner: Login, key: dict[str, Any]) -> None:
    report = await leaked_keys.revoke_leaked(messenger.context, find(key["key"]), source="a test")
    assert len(report.keys) == 1


async def expired(messenger: Messenger, _owner: Login, key: dict[str, Any]) -> None:
    await messenger.execute(
        "update api_key set expires_at = now() - interval '1 minute' where id = $1", ids.decode("key", key["id"])
    )


@pytest.mark.parametrize("ends", [revoked, leaked, expired, issuer_revoked])
async def test_a_number_ends_with_the_key_that_linked_it(messenger: Messenger, owner: Login, ends: Any) -> None:
    phone, key = await stolen(messenger, owner)
    session = await messenger.session(owner)
    await phone.says(before := "Before " + secrets.token_hex(6))

    await ends(messenger, owner, key)

    assert await is_linked(messenger, session) is False
    assert "not linked" in await phone.says("After " + secrets.token_hex(6))
    posts = (await messenger.api.get("/posts", key=session)).json()["data"]
    assert [(post["text"], post["status"]) for post in posts] == [(before, "draft")]
    await phone.says("publish")
    assert [post["status"] for post in (await messenger.api.get("/posts", key=session)).json()["data"]] == ["draft"]


@pytest.mark.parametrize("ends", [revoked, leaked, expired])
async def test_a_code_ends_with_the_key_that_got_it(messenger: Messenger, owner: Login, ends: Any) -> None:
    key = await new_key(messenger, owner)
    code = (await messenger.api.post("/wa/link-code", json={}, key=key["key"])).json()["code"]

    await ends(messenger, owner, key)

    assert "wrong, used or too old" in await (await messenger.phone("t" + secrets.token_hex(3))).says(code)


async def test_numbers_of_expired_keys_are_forgotten(messenger: Messenger, owner: Login) -> None:
    _phone, key = await stolen(messenger, owner)
    await expired(messenger, owner, key)

    await work.purge(InTest(messenger.context.database), {})  # type: ignore[arg-type]

    assert await messenger.value("select count(*) from messenger_link where user_id = $1", owner.user_id) == 0


async def test_a_key_that_lost_rights_takes_them_from_its_number(messenger: Messenger, owner: Login) -> None:
    phone, key = await stolen(messenger, owner)
    await phone.says("Draft " + secrets.token_hex(6))
    await messenger.execute(
        "update api_key set scopes = '{posts:read,posts:write}' where id = $1", ids.decode("key", key["id"])
    )

    assert "lacks the scope posts:publish" in await phone.says("publish")


@pytest.mark.parametrize(
    ("terms", "code"),
    [
        ({"scopes": ["analytics:read"], "permission": "read"}, "insufficient_scope"),
        ({"scopes": ["posts:read", "posts:write", "posts:publish"]}, "insufficient_scope"),
        ({"ipAllowList": ["127.0.0.1/32"]}, "forbidden"),
    ],
)
async def test_a_lesser_key_gets_no_code(messenger: Messenger, owner: Login, terms: dict[str, Any], code: str) -> None:
    key = await new_key(messenger, owner, **terms)

    answer = await messenger.api.post("/wa/link-code", json={}, key=key["key"])

    assert (answer.status_code, answer.json()["code"]) == (403, code)


async def test_a_key_neither_ends_nor_replaces_what_another_credential_linked(
    messenger: Messenger, owner: Login
) -> None:
    """Codes that were made before the other number was linked do not replace it either."""
    session, key = await messenger.session(owner), (await new_key(messenger, owner))["key"]
    early = (await messenger.api.post("/wa/link-code", json={}, key=key)).json()["code"]
    made_test = "update messenger_code set mode = 'test' where key_id is not null and workspace_id = $1"
    await messenger.execute(made_test, owner.workspace_id)
    phone = await messenger.linked(owner, "own" + secrets.token_hex(3), key=session)
    made_live = "update messenger_code set mode = 'live' where key_id is not null and workspace_id = $1"
    await messenger.execute(made_live, owner.workspace_id)

    assert "Nothing was linked" in await (await messenger.phone("late" + secrets.token_hex(3))).says(early)

    def refused(answer: Response) -> bool:
        return (answer.status_code, answer.json()["code"]) == (403, "forbidden")

    assert refused(await messenger.api.post("/wa/link-code", json={}, key=key))
    assert refused(await messenger.api.delete("/wa/link", key=key))
    assert await is_linked(messenger, session)
    assert "*publish*" in await phone.says("help")
    assert (await messenger.api.delete("/wa/link", key=session)).json() == {"linked": False}


async def test_a_key_takes_no_code_away_from_whoever_signed_in(messenger: Messenger, owner: Login) -> None:
    session, key = await messenger.session(owner), (await new_key(messenger, owner))["key"]
    code = (await messenger.api.post("/wa/link-code", json={}, key=session)).json()["code"]

    assert (await messenger.api.post("/wa/link-code", json={}, key=key)).status_code == 403
    assert "is linked now" in await (await messenger.phone("own" + secrets.token_hex(3))).says(code)


async def test_a_new_password_ends_numbers_as_it_ends_sessions(messenger: Messenger, owner: Login) -> None:
    phone = await messenger.linked(owner, "old" + secrets.token_hex(3), key=await messenger.session(owner))

    async with messenger.context.database.transaction() as db:
        await passwords.reset_password(messenger.context, db, email=owner.email, password="another long password")

    assert "is not linked" in await phone.says("publish")


async def test_signing_out_leaves_the_number_and_a_stolen_session_does_not(messenger: Messenger, owner: Login) -> None:
    """A refresh token that comes twice says that somebody else has the session too."""
    async with messenger.context.database.transaction() as db:
        tokens = await sign_in.open_session(
            db, messenger.context.keys, owner.user_id, owner.workspace_id, "owner", "192.0.2.1"
        )
    session = await messenger.session(owner)
    phone = await messenger.linked(owner, "out" + secrets.token_hex(3), key=session)
    assert (await messenger.api.post("/auth/logout", key=session)).is_success
    assert "*publish*" in await phone.says("help")

    phone = await messenger.linked(owner, "both" + secrets.token_hex(3), key=tokens.access_token)
    for _ in range(2):
        assert (await messenger.api.post("/auth/refresh", json={"refreshToken": tokens.refresh_token})).is_success
    await messenger.execute("update session set generation = 5 where user_id = $1", owner.user_id)
    answer = await messenger.api.post("/auth/refresh", json={"refreshToken": tokens.refresh_token})
    assert answer.status_code == 401
    assert "is not linked" in await phone.says("help")


async def test_whoever_leaves_leaves_with_their_number(messenger: Messenger, owner: Login) -> None:
    member = await messenger.make.member(owner, role="editor")
    phone = await messenger.linked(member, "gone" + secrets.token_hex(3), key=await messenger.session(member))
    listed = (await messenger.api.get("/team", key=owner.key)).json()["data"]
    row = next(each for each in listed if each["email"] == member.email)

    assert (await messenger.api.delete(f"/team/{row['id']}", key=owner.key)).is_success

    assert "is not linked" in await phone.says("publish")


async def test_the_person_hears_of_it_and_so_does_the_old_number(messenger: Messenger, owner: Login) -> None:
    session = await messenger.session(owner)
    old = await messenger.linked(owner, "first" + secrets.token_hex(3), key=session)
    new = await messenger.linked(owner, "second" + secrets.token_hex(3), key=session)

    assert old.texts[-1].startswith("This chat is not linked any more: the WhatsApp number +")
    assert await messenger.value(_MAILS, owner.email) == 2
    other = await messenger.make.owner()
    code = (await messenger.api.post("/wa/link-code", json={}, key=other.key)).json()["code"]
    assert "is linked now" in await new.says(code)
    assert await messenger.value(_MAILS, owner.email) == 3, "the number went to somebody else"
    assert await messenger.value(_MAILS, other.email) == 1


async def test_history_names_the_key_that_linked_a_number(messenger: Messenger, owner: Login) -> None:
    _phone, key = await stolen(messenger, owner)

    actor = await messenger.value(
        "select actor from audit where workspace_id = $1 and action = 'link_messenger'", owner.workspace_id
    )

    assert (actor["type"], actor["id"], actor["name"]) == ("api_key", key["id"], "ci")


async def test_a_number_whose_credential_was_not_noted_has_to_be_linked_again(
    messenger: Messenger, owner: Login
) -> None:
    """Links of the version before, and those that its processes make during an update."""
    phone = await messenger.linked(owner, "before" + secrets.token_hex(3))
    await messenger.execute(
        "update messenger_link set key_id = null, session_id = null where user_id = $1", owner.user_id
    )

    assert "Get a new code" in await phone.says("publish")
    assert await messenger.value("select count(*) from messenger_link where user_id = $1", owner.user_id) == 0
