"""From a message to a post: drafts, previews, confirmation, schedules, results."""

import secrets
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.helpers import media_files
from tests.helpers.factories import Login
from tests.helpers.messenger import Messenger

from signalpost.kit import ids

BERLIN = ZoneInfo("Europe/Berlin")
EVERYWHERE = pytest.mark.parametrize("at", ["whatsapp", "telegram", "slack"])


def unique(text: str) -> str:
    return f"{text} {secrets.token_hex(6)}"


async def posts_of(messenger: Messenger, owner: Login) -> list[dict[str, Any]]:
    answer = await messenger.api.get("/posts", key=owner.key)
    found: list[dict[str, Any]] = answer.json()["data"]
    return found


@EVERYWHERE
async def test_a_text_becomes_a_draft_is_confirmed_and_its_result_has_the_link(
    messenger: Messenger, owner: Login, at: str
) -> None:
    phone = await messenger.linked_chat(owner, "anna", at=at)

    preview = await phone.says(text := unique("Fresh bread from 7 o'clock"))

    assert f"Sandbox bakery: {len(text)} of " in preview
    assert "Publish it?" in preview
    (post,) = await posts_of(messenger, owner)
    assert (post["status"], post["text"], post["source"]) == ("draft", text, "messaging")

    await phone.taps("Post now")

    (post,) = await posts_of(messenger, owner)
    assert post["status"] == "published"
    assert "Publishing now" in phone.texts[-2]
    assert phone.texts[-1] == f"Published (1 of 1):\n• Sandbox bakery: {post['targets'][0]['url']}"


@EVERYWHERE
async def test_a_time_is_understood_in_the_zone_of_the_profile_and_repeated(
    messenger: Messenger, owner: Login, at: str
) -> None:
    phone = await messenger.linked_chat(owner, "ben", at=at)
    await phone.says(unique("Christmas opening hours"))
    tomorrow = datetime.now(BERLIN).date() + timedelta(days=1)

    assert "Europe/Berlin" in await phone.taps("Schedule")
    reply = await phone.says("tomorrow 9")

    assert f"{tomorrow:%A} {tomorrow.day} {tomorrow:%B} {tomorrow.year}, 09:00 (Europe/Berlin)" in reply
    (post,) = await posts_of(messenger, owner)
    expected = datetime(tomorrow.year, tomorrow.month, tomorrow.day, 9, tzinfo=BERLIN).astimezone(UTC)
    assert (post["status"], post["scheduledAt"]) == ("scheduled", f"{expected:%Y-%m-%dT%H:%M:%S}.000Z")

    assert "Cancelled" in await phone.says("cancel")
    assert await posts_of(messenger, owner) == []


@EVERYWHERE
async def test_a_time_that_can_mean_two_is_asked_for(messenger: Messenger, owner: Login, at: str) -> None:
    phone = await messenger.linked_chat(owner, "cleo", at=at)
    await phone.says(unique("Menu"))

    question = await phone.says("schedule tomorrow 6")

    assert "Which time do you mean?" in question
    evening = next(title for title in phone.options if title.endswith("18:00"))
    assert "18:00 (Europe/Berlin)" in await phone.taps(evening)
    (post,) = await posts_of(messenger, owner)
    assert post["status"] == "scheduled"


@EVERYWHERE
@pytest.mark.parametrize(
    ("texts", "reply"),
    [
        (["help"], "discard the last draft"),
        (["publish"], "There is no draft"),
        (["cancel"], "There is no draft"),
        (["schedule tomorrow 9"], "There is no draft"),
        (["status"], "You have made no post here yet"),
        (["profiles"], "(in use)"),
        (["profile nowhere"], "Your profiles:"),
        (["Text of {}", "status"], "Draft (0 of 1):"),
        (["Text of {}", "schedule"], "When?"),
        (["Text of {}", "schedule", "blah blah"], "I could not read a time there. When?"),
        (["Text of {}", "schedule yesterday 9"], "I could not read a time there. When?"),
        (["Text of {}", "schedule", "cancel"], "Not scheduled. The draft is kept"),
        (["Text of {}", "schedule 2020-01-01 10:00"], "That time has passed already."),
        (["Text of {}", "schedule tomorrow"], "Which time of day?"),
        (["Text of {}", "cancel", "publish"], "There is no draft"),
        (["Text of {}", "schedule tomorrow 9", "publish"], "Published (1 of 1):"),
        (["Text of {}", "publish", "publish"], "Nothing was done: this post is published already."),
        (["Text of {}", "publish", "cancel"], "Nothing was done: this post is published already."),
        (["Schedule our visit to the bakery with {}"], "Publish it?"),
        (["Text of {}", "CONFIRM."], "Published (1 of 1):"),
    ],
)
async def test_words(messenger: Messenger, owner: Login, texts: list[str], reply: str, at: str) -> None:
    """Each conversation from its beginning; the newest reply is compared."""
    name = secrets.token_hex(6)
    phone = await messenger.linked_chat(owner, name, at=at)

    for text in texts:
        last = await phone.says(text.format(name))

    assert reply in last, phone.texts


async def test_a_picture_with_a_caption_becomes_a_draft_with_a_file(messenger: Messenger, owner: Login) -> None:
    phone = await messenger.linked(owner, "dora")
    file = phone.network.add_file(media_files.image("JPEG"), "image/jpeg")

    await phone.send(phone.network.attachment(phone.person, "image", file, caption := unique("Look")), times=2)

    (post,) = await posts_of(messenger, owner)
    assert (post["text"], len(post["media"])) == (caption, 1)
    media = (await messenger.api.get(f"/media/{post['media'][0]['mediaId']}", key=owner.key)).json()
    assert (media["status"], media["mimeType"]) == ("ready", "image/jpeg")
    assert len((await messenger.api.get("/media", key=owner.key)).json()["data"]) == 1
    logged = [request for request in messenger.simulator.world.log if "attachments" in request.target]
    assert logged[-1].headers["authorization"] == f"Bearer {messenger.context.settings.whatsapp_access_token}"


async def test_files_that_cannot_be_used_are_refused_with_a_reason(messenger: Messenger, owner: Login) -> None:
    phone = await messenger.linked(owner, "emil")
    cases = [
        ("video", "video/mp4", b"\0\0\0\x18ftypmp42" + bytes(16_000_001), "a video may have at most 16 MB"),
        ("document", "application/zip", b"PK\3\4", "Files of type application/zip cannot be posted"),
        ("image", "image/jpeg", b"\xff\xd8\xff" + bytes(200), "Nothing was done."),
        ("image", "image/png", media_files.image("JPEG"), "The content is image/jpeg"),
    ]
    for kind, mime_type, content, reply in cases:
        file = phone.network.add_file(content, mime_type)
        await phone.send(phone.network.attachment(phone.person, kind, file))
        assert reply in phone.texts[-1]
    stolen = phone.network.attachment(
        phone.person, "image", phone.network.add_file(media_files.image("PNG"), "image/png")
    )
    stolen["image"]["sha256"] = "0" * 64
    await phone.send(stolen)
    assert "SHA-256" in phone.texts[-1]
    await phone.send(phone.network.message(phone.person, "image", {"id": "404404", "mime_type": "image/png"}))
    assert "could not be fetched" in phone.texts[-1]
    assert await posts_of(messenger, owner) == []


@pytest.mark.parametrize(
    ("kind", "content"),
    [("audio", {"id": "1"}), ("sticker", {"id": "1"}), ("location", {"latitude": 1}), ("unsupported", None),
     ("contacts", [{}]), ("order", {}), ("interactive", {"type": "nfm_reply"}), ("something_new", "x"),
     ("image", {"id": "../../secret", "mime_type": "image/png"}), ("text_with_list", [])],
)  # fmt: skip
async def test_other_kinds_of_messages_are_declined(
    messenger: Messenger, owner: Login, kind: str, content: Any
) -> None:
    phone = await messenger.linked(owner, f"kind-{kind}")

    await phone.send(phone.network.message(phone.person, kind, content))

    assert "not this kind of message" in phone.texts[-1]


async def test_a_reaction_has_no_reply(messenger: Messenger, owner: Login) -> None:
    phone = await messenger.linked(owner, "rita")
    count = len(phone.texts)

    await phone.send(phone.network.message(phone.person, "reaction", {"message_id": "wamid.x", "emoji": "👍"}))

    assert len(phone.texts) == count


async def test_buttons_are_about_their_own_post(messenger: Messenger, owner: Login) -> None:
    """Messages arrive in any order, so a tap says which post it means."""
    phone = await messenger.linked(owner, "fritz")
    await phone.says(first := unique("First"))
    button = phone.options["Post now"]
    await phone.says(unique("Second"))

    await phone.send(phone.network.tap(phone.person, button))

    statuses = {post["text"]: post["status"] for post in await posts_of(messenger, owner)}
    assert statuses.pop(first) == "published"
    assert set(statuses.values()) == {"draft"}
    await phone.send(phone.network.tap(phone.person, f"now:{ids.encode('pst', ids.new_id())}"))
    assert "was deleted" in phone.texts[-1]
    for unknown in ("what:ever", "now:pst_x", "time", ":", "profile:prof_x"):
        await phone.send(phone.network.tap(phone.person, unknown))
        assert "does not work any more" in phone.texts[-1]


async def test_what_a_network_refuses_is_said_before_it_is_confirmed(messenger: Messenger, owner: Login) -> None:
    phone = await messenger.linked(owner, "gina")

    reply = await phone.says("x" * 4096)

    limit = (await messenger.api.get("/platforms", key=owner.key)).json()["data"]
    sandbox = next(found for found in limit if found["platform"] == "sandbox")
    if sandbox["capabilities"]["maxTextLength"] < 4096:
        assert "cannot be published like this" in reply
        assert set(phone.options) == {"Cancel"}
    else:
        assert "4096 of" in reply


async def test_a_failed_post_is_reported_with_its_reason(messenger: Messenger, owner: Login) -> None:
    phone = await messenger.linked(owner, "hugo")
    await phone.says(unique("[[fail:content_rejected]]"))

    await phone.taps("Post now")

    assert phone.texts[-1].startswith("Not published (0 of 1):\n• Sandbox bakery: ")


async def test_without_accounts_the_draft_is_kept(messenger: Messenger) -> None:
    owner = await messenger.make.owner()
    phone = await messenger.linked(owner, "iris")

    assert "No account is connected" in await phone.says(unique("Hello"))
    assert "Nothing was done." in await phone.says("publish")


@EVERYWHERE
async def test_a_message_that_is_an_hour_late_publishes_nothing(messenger: Messenger, owner: Login, at: str) -> None:
    phone = await messenger.linked_chat(owner, "jana", at=at)
    await phone.says(unique("Late"))

    reply = await phone.at(datetime.now(UTC) - timedelta(minutes=61), "publish")

    assert "an hour late" in reply
    assert [post["status"] for post in await posts_of(messenger, owner)] == ["draft"]


@EVERYWHERE
async def test_profiles_are_chosen_by_name_or_tap(messenger: Messenger, owner: Login, at: str) -> None:
    other = await messenger.make.profile(owner, timezone="America/New_York")
    phone = await messenger.linked_chat(owner, "karl", at=at)
    await phone.says("profiles")

    reply = await phone.taps(other["name"])

    assert reply == f"You post from the profile {other['name']} now. Its time zone is America/New_York."
    assert f"{other['name']} (in use)" in await phone.says("profile nowhere")


async def test_the_profile_may_be_deleted(messenger: Messenger, owner: Login) -> None:
    other = await messenger.make.profile(owner)
    phone = await messenger.linked(owner, "lena")
    await phone.says(f"profile {other['name']}")
    assert (await messenger.api.delete(f"/profiles/{other['id']}", key=owner.key)).status_code == 200

    assert "was deleted" in await phone.says(unique("Hello"))
    await phone.says("profiles")
    name = next(iter(phone.options))
    assert f"You post from the profile {name} now" in await phone.taps(name)
