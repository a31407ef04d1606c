"""Linking and unlinking numbers; whose a number is, and what it may still do."""

import secrets
from collections import Counter
from datetime import timedelta

import pytest
from tests.helpers.factories import Login
from tests.helpers.messenger import Messenger, opened

from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.messenger import texts
from signalpost.messenger.actions.link import ALPHABET, code_in


async def code_of(messenger: Messenger, key: str) -> str:
    answer = await messenger.api.post("/wa/link-code", json={}, key=key)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["code"])


async def test_a_code_links_the_number_that_sends_it(messenger: Messenger, owner: Login) -> None:
    phone = await messenger.phone("paul")
    status = (await messenger.api.get("/wa/status", key=owner.key)).json()
    assert (status["linked"], status["state"], status["phoneMasked"]) == (False, "none", None)
    created = (await messenger.api.post("/wa/link-code", json={"profileId": owner.profile}, key=owner.key)).json()
    assert created["phoneNumber"] == "+49 30 12345670"
    assert created["deepLink"] == created["qrText"] == f"https://wa.me/493012345670?text={created['code']}"
    status = (await messenger.api.get("/wa/status", key=owner.key)).json()
    assert (status["state"], status["pendingCode"]) == ("pending", {"expiresAt": created["expiresAt"]})

    reply = await phone.says(f" {created['code'].lower()[:4]}-{created['code'].lower()[4:]} ")

    assert reply.startswith("This chat is linked now")
    status = (await messenger.api.get("/wa/status", key=owner.key)).json()
    assert (status["linked"], status["state"], status["profileId"]) == (True, "linked", owner.profile)
    number = phone.network.phone(phone.person)
    assert number is not None
    assert status["phoneMasked"] == f"+{number[:2]} *** ** {number[-2:]}"
    assert "wrong, used or too old" in await (await messenger.phone("thief")).says(created["code"])
    assert (await messenger.api.delete("/wa/link", key=owner.key)).json() == {"linked": False}
    assert (await messenger.api.delete("/wa/link", key=owner.key)).json() == {"linked": False}
    assert "is not linked" in await phone.says("status")


def test_codes_have_no_letters_that_look_alike() -> None:
    assert not set("01OI") & set(ALPHABET)
    assert code_in("abcd efgh") == "ABCDEFGH"
    assert [code_in(text) for text in ("ABCDEFG", "ABCDEFGHI", "ABCD0FGH", "", "A" * 100, "ÀBCDEFGH")] == [None] * 6


async def test_an_expired_code_and_a_replaced_one_do_not_work(messenger: Messenger, owner: Login) -> None:
    phone = await messenger.phone("quinn")
    old = await code_of(messenger, owner.key)
    new = await code_of(messenger, owner.key)
    assert "wrong, used or too old" in await phone.says(old)
    await messenger.execute("update messenger_code set expires_at = now() where user_id = $1", owner.user_id)

    assert "wrong, used or too old" in await phone.says(new)
    assert (await messenger.api.get("/wa/status", key=owner.key)).json()["state"] == "none"


async def test_five_wrong_codes_lock_a_number_for_an_hour(messenger: Messenger, owner: Login) -> None:
    phone, other = await messenger.phone("rolf"), await messenger.phone("sara")
    right = await code_of(messenger, owner.key)
    for _ in range(4):
        assert "wrong, used or too old" in await phone.says("WRNGCADE")
    assert "Try again in an hour" in await phone.says("WRNGCADE")
    assert "Try again in an hour" in await phone.says(right), "the right one is not looked at"
    assert "is linked now" in await other.says(right)

    await messenger.execute("update messenger_guess set locked_until = now() - interval '1 second'")
    assert "is linked now" in await phone.says(await code_of(messenger, owner.key))


async def test_guesses_that_come_at_once_are_all_counted(messenger: Messenger) -> None:
    phone = await messenger.phone("tina")
    guesses = [phone.network.text(phone.person, f"WRNGCAD{letter}") for letter in "ABCDEFGHJK"]

    await phone.send(*guesses)

    assert Counter("hour" in text for text in phone.texts) == {False: 4, True: 6}


async def test_strangers_are_told_once_an_hour(messenger: Messenger) -> None:
    phone = await messenger.phone("ulla")

    for text in ("Hello", "Hello?", "publish"):
        await phone.says(text)

    assert phone.texts == [texts.STRANGER]


@pytest.mark.parametrize("word", ["STOP", "stop", "Unsubscribe", "Stop all"])
async def test_stop_unlinks(messenger: Messenger, owner: Login, word: str) -> None:
    phone = await messenger.linked(owner, "vera" + secrets.token_hex(3))

    assert "is not linked any more" in await phone.says(word)

    assert (await messenger.api.get("/wa/status", key=owner.key)).json()["linked"] is False


async def test_a_number_that_changes_hands_is_unlinked(messenger: Messenger, owner: Login) -> None:
    phone = await messenger.linked(owner, "wim")
    await phone.send(phone.network.message(phone.person, "system", {"type": "user_changed_number", "wa_id": "491"}))

    assert "changed hands" in phone.texts[-1]
    assert (await messenger.api.get("/wa/status", key=owner.key)).json()["linked"] is False


async def test_whoever_hides_their_number_is_known_by_their_user_id(messenger: Messenger, owner: Login) -> None:
    phone = await messenger.linked(owner, "xenia", hides_phone=True)

    assert "*publish*" in await phone.says("help")

    assert phone.entries[-1].details["recipient"] == phone.network.user_id(phone.person)
    assert "to" not in phone.entries[-1].details
    assert (await messenger.api.get("/wa/status", key=owner.key)).json()["phoneMasked"] is None


async def test_a_number_with_another_user_id_belongs_to_someone_else(messenger: Messenger, owner: Login) -> None:
    """Numbers are given to new people; the network then makes another user id."""
    phone = await messenger.linked(owner, "yves")
    phone.person.details["hides_phone"] = True
    assert "*publish*" in await phone.says("help"), "the user id alone is enough"
    number = f"4915{phone.person.id[-8:]}"
    stranger = await messenger.phone("zoe", phone=number)

    assert "is not linked" in await stranger.says("status")


async def test_a_number_has_one_link_and_moves_with_the_newest_code(messenger: Messenger, owner: Login) -> None:
    phone = await messenger.linked(owner, "adam")
    other = await messenger.make.owner()

    assert "is linked now" in await phone.says(await code_of(messenger, other.key))

    assert (await messenger.api.get("/wa/status", key=owner.key)).json()["linked"] is False
    assert (await messenger.api.get("/wa/status", key=other.key)).json()["linked"] is True


async def test_rights_are_those_of_the_moment(messenger: Messenger, owner: Login) -> None:
    """A member who lost their role, was suspended, or left: the number can no more than they."""
    member = await messenger.make.member(owner, role="editor")
    phone = await messenger.linked(owner, "bert", key=member.key)
    await phone.says("Before " + secrets.token_hex(6))
    change = "update member set role = $2, status = $3 where user_id = $1"

    await messenger.execute(change, member.user_id, "viewer", "active")
    assert "Your role viewer may not write posts" in await phone.says("Hello")
    assert "Your role viewer may not write posts" in await phone.says("publish")
    await messenger.execute(change, member.user_id, "editor", "suspended")
    assert "membership in this workspace is suspended" in await phone.says("publish")
    await messenger.execute(change, member.user_id, "editor", "removed")
    assert "no longer a member" in await phone.says("publish")
    assert "is not linked" in await phone.says("publish")
    posts = (await messenger.api.get("/posts", key=owner.key)).json()["data"]
    assert [post["status"] for post in posts] == ["draft"]


async def test_a_number_can_no_more_than_the_key_that_linked_it(messenger: Messenger, owner: Login) -> None:
    body = {"name": "drafts", "scopes": ["posts:read", "posts:write", "keys:write"]}
    key = (await messenger.api.post("/api-keys", json=body, key=owner.key)).json()["key"]
    phone = await messenger.linked(owner, "carl", key=key)
    await phone.says("Draft " + secrets.token_hex(6))

    assert "lacks the scope posts:publish" in await phone.says("publish")
    assert (await messenger.api.delete("/wa/link", key=key)).status_code == 200
    reader = {"name": "reads", "scopes": ["posts:read", "keys:write"]}
    key = (await messenger.api.post("/api-keys", json=reader, key=owner.key)).json()["key"]
    phone = await messenger.linked(owner, "carla", key=key)
    assert "may not write posts" in await phone.says("Draft")


async def test_a_number_of_a_test_key_sees_the_sandbox_only(messenger: Messenger, owner: Login) -> None:
    phone = await messenger.linked(owner, "dino", key=owner.test_key)
    await phone.says(text := "Test " + secrets.token_hex(6))
    await phone.says("publish")

    (post,) = (await messenger.api.get("/posts", key=owner.test_key)).json()["data"]
    assert (post["text"], post["mode"]) == (text, "test")
    assert (await messenger.api.get("/wa/status", key=owner.key)).json()["linked"] is False


async def test_a_contributor_asks_for_approval(messenger: Messenger, owner: Login) -> None:
    member = await messenger.make.member(owner, role="contributor")
    phone = await messenger.linked(owner, "egon", key=await messenger.session(member))
    await phone.says("Please look " + secrets.token_hex(6))

    assert "Approval is requested for " in await phone.says("schedule in 2 days")

    (post,) = (await messenger.api.get("/posts", key=owner.key)).json()["data"]
    assert (post["status"], post["approval"]["state"]) == ("draft", "pending")
    assert post["scheduledAt"] is not None
    approved = await messenger.api.post(f"/posts/{post['id']}/approve", json={}, key=owner.key)
    assert approved.json()["status"] == "scheduled"


async def test_a_profile_that_wants_approval_gets_it(messenger: Messenger, owner: Login) -> None:
    changed = await messenger.api.patch(f"/profiles/{owner.profile}", json={"approvalRequired": True}, key=owner.key)
    assert changed.status_code == 200
    member = await messenger.make.member(owner, role="editor")
    phone = await messenger.linked(owner, "finn", key=member.key)
    await phone.says("Please look " + secrets.token_hex(6))

    assert "as soon as someone approves it" in await phone.says("publish")

    (post,) = (await messenger.api.get("/posts", key=owner.key)).json()["data"]
    assert post["approval"]["state"] == "pending"


async def test_a_viewer_and_an_unknown_profile_get_no_code(messenger: Messenger, owner: Login) -> None:
    viewer = await messenger.make.member(owner, role="viewer")
    foreign = await messenger.make.owner()

    refused = await messenger.api.post("/wa/link-code", json={}, key=viewer.key)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    for profile in (foreign.profile, ids.encode("prof", ids.new_id())):
        answer = await messenger.api.post("/wa/link-code", json={"profileId": profile}, key=owner.key)
        assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "/profileId")


async def test_a_plan_without_messenger(sold: AppContext) -> None:
    """Each message asks again: the plan may be a smaller one since."""
    async with opened(sold) as shop:
        owner = await shop.make.owner(plan="starter")
        phone = await shop.linked(owner, "gerd")
        assert "*publish*" in await phone.says("help")
        await shop.execute("update workspace set plan = 'free' where id = $1", owner.workspace_id)

        assert "plan" in await phone.says("help")
        free = await shop.make.owner(plan="free")
        answer = await shop.api.post("/wa/link-code", json={}, key=free.key)
        assert (answer.status_code, answer.json()["code"]) == (402, "plan_feature_unavailable")


async def test_results_after_24_hours_come_as_a_template(messenger: Messenger, owner: Login) -> None:
    phone = await messenger.linked(owner, "hans")
    await phone.says("Later " + secrets.token_hex(6))
    await phone.says("schedule in 2 days")
    yesterday = timedelta(hours=25)
    network = phone.network
    network.last_message_at[phone.person.id] -= yesterday
    await messenger.execute("update messenger_link set last_message_at = last_message_at - $1::interval", yesterday)
    post_id = await messenger.value("select id from post where workspace_id = $1", owner.workspace_id)

    await messenger.api.patch(f"/posts/{ids.encode('pst', post_id)}", json={"publishMode": "now"}, key=owner.key)
    await messenger.work()

    sent = phone.entries[-1]
    assert sent.kind == "template"
    assert sent.text.startswith("Published (1 of 1): • Sandbox bakery: ")


async def test_a_window_that_the_network_finds_closed_gets_the_template_too(messenger: Messenger, owner: Login) -> None:
    """The clocks of both sides differ, and a report may say it later."""
    phone = await messenger.linked(owner, "ines")
    await phone.says("Now " + secrets.token_hex(6))
    await phone.says("schedule in 2 days")
    network = phone.network
    post_id = await messenger.value("select id from post where workspace_id = $1", owner.workspace_id)
    network.last_message_at[phone.person.id] -= timedelta(hours=25)

    await messenger.api.patch(f"/posts/{ids.encode('pst', post_id)}", json={"publishMode": "now"}, key=owner.key)
    await messenger.work()

    assert [entry.kind for entry in phone.entries].count("template") == 1
    assert phone.entries[-1].kind == "template"


async def test_a_report_that_the_window_was_closed_sends_the_template(messenger: Messenger, owner: Login) -> None:
    phone = await messenger.linked(owner, "jens")
    await phone.says("Now " + secrets.token_hex(6))
    await phone.says("publish")
    result = phone.entries[-1]
    assert result.text.startswith("Published")
    report = phone.network.status(result.remote_id, phone.person, "failed", 131047)

    for _ in range(2):
        await messenger.deliver(phone.network.webhook(messenger.app, [phone.person], (), [report]))
        await messenger.work()

    assert [entry.kind for entry in phone.entries].count("template") == 1
