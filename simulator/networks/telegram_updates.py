"""What people write to bots of Telegram: private chats, updates that are asked for or sent, files, taps on buttons.

Source: core.telegram.org/bots/api for 10.1. An update waits for a day, or until one of a higher number is asked for. An
answer to `getUpdates` comes at once here, also with nothing in it.
"""

import base64
import hashlib
import itertools
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from simulator.messages import Request, Response
from simulator.network import route
from simulator.networks.telegram_chats import BOT, FIRST_MESSAGE_ID, TelegramChats
from simulator.world import Destination, Person, World

KEPT = timedelta(hours=24)
UPDATES_MAX = 100
DATA_BYTES_MAX = 64
DOWNLOAD_BYTES_MAX = 20_000_000
BY_DEFAULT = ("message", "edited_message", "channel_post", "callback_query", "my_chat_member")
_FOLDERS = {"photo": "photos", "video": "videos", "document": "documents", "animation": "animations"}


@dataclass
class Sent:
    """A file that a person has sent to a bot."""

    id: str
    content: bytes
    mime_type: str
    path: str


class TelegramUpdates(TelegramChats):
    """A person who writes to a bot is a person of this network too, without a token."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.waiting: dict[str, list[dict[str, Any]]] = {}
        self.numbers = itertools.count(secrets.randbelow(1 << 30) + 1)
        self.allowed: dict[str, tuple[str, ...]] = {}
        self.webhooks: dict[str, dict[str, Any]] = {}
        self.files: dict[str, Sent] = {}
        self.taps: dict[str, bool] = {}
        """Whether a tap was answered, by its id."""

    # --- what people do ----------------------------------------------------------------------------------------------

    def private_chat(self, bot: Person, person: Person) -> Destination:
        """Return the chat of a person with a bot, which begins when they write first."""
        chats: list[Destination] = bot.destinations
        for chat in chats:
            if chat.id == person.id:
                return chat
        details = {"username": person.username, "status": "member"}
        chat = Destination(person.id, "private", person.name, details)
        chats.append(chat)
        return chat

    def update(self, bot: Person, kind: str, content: Mapping[str, Any]) -> dict[str, Any]:
        """Have an update wait for the bot."""
        update = {"update_id": next(self.numbers), kind: dict(content)}
        self.waiting.setdefault(bot.id, []).append(update | {"_at": self.world.clock()})
        return update

    def user(self, person: Person) -> dict[str, Any]:
        return {
            "id": int(person.id), "is_bot": False, "first_name": person.name, "username": person.username,
            "language_code": "de",
        }  # fmt: skip

    def written(self, bot: Person, person: Person, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return a message that a person writes to a bot."""
        chat = self.private_chat(bot, person)
        self.last_ids[chat.id] = self.last_ids.get(chat.id, FIRST_MESSAGE_ID) + 1
        return {
            "message_id": self.last_ids[chat.id], "from": self.user(person), "chat": self.short(chat),
            "date": int(self.world.clock().timestamp()), **content,
        }  # fmt: skip

    def write(self, bot: Person, person: Person, content: Mapping[str, Any]) -> dict[str, Any]:
        """Have a person write a message of any content."""
        return self.update(bot, "message", self.written(bot, person, content))

    def add_file(self, content: bytes, kind: str, mime_type: str) -> dict[str, Any]:
        """Store what a person is about to send; return what a message says of it."""
        digest = hashlib.sha256(content).hexdigest()
        folder = _FOLDERS[kind]
        file = Sent(f"AgAC{secrets.token_urlsafe(24)}", content, mime_type, f"{folder}/file_{len(self.files)}.bin")
        self.files[file.id] = file
        answer = {"file_id": file.id, "file_unique_id": digest[:15], "file_size": len(content)}
        if kind == "photo":
            return answer | {"width": 90, "height": 60}
        return answer | {"file_name": f"{folder}.bin", "mime_type": mime_type}

    def attachment(
        self,
        bot: Person,
        person: Person,
        kind: str,
        content: bytes,
        mime_type: str,
        *,
        caption: str = "",
        album: str = "",
    ) -> dict[str, Any]:
        """Have a person send a file; those of an album are messages of their own."""
        file = self.add_file(content, kind, mime_type)
        small = {**file, "file_id": "small", "width": 9, "height": 6}
        message: dict[str, Any] = {kind: [small, file] if kind == "photo" else file}
        message |= ({"caption": caption} if caption else {}) | ({"media_group_id": album} if album else {})
        return self.write(bot, person, message)

    def tap(self, bot: Person, person: Person, data: str) -> dict[str, Any]:
        """Have a person tap a button below a message of the bot."""
        tap_id = str(secrets.randbelow(1 << 60))
        self.taps[tap_id] = False
        own = {"id": int(bot.id), "is_bot": True, "first_name": bot.name, "username": bot.username}
        message = {"message_id": 1, "date": 0, "chat": self.short(self.private_chat(bot, person)), "from": own}
        query = {"id": tap_id, "from": self.user(person), "message": message, "chat_instance": "1", "data": data}
        return self.update(bot, "callback_query", query)

    def block(self, bot: Person, person: Person) -> dict[str, Any]:
        """Have a person block the bot."""
        chat = self.private_chat(bot, person)
        chat.details["status"] = "kicked"
        own = {"id": int(bot.id), "is_bot": True, "first_name": bot.name, "username": bot.username}
        change = {
            "chat": self.short(chat), "from": self.user(person), "date": int(self.world.clock().timestamp()),
            "old_chat_member": {"user": own, "status": "member"},
            "new_chat_member": {"user": own, "status": "kicked", "until_date": 0},
        }  # fmt: skip
        return self.update(bot, "my_chat_member", change)

    def hear(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Have a person write to a bot: `text`, `tap` (what a button has) or `file` (base64, with `mime_type`)."""
        bot, username = self.world.person(self.key, values.get("bot", "alice")), values["username"]
        known = [one for one in self.world.people if (one.network, one.username) == (self.key, username)]
        person = known[0] if known else self.world.add_person(self.key, username)
        if "tap" in values:
            return self.tap(bot, person, values["tap"])
        if "file" not in values:
            return self.write(bot, person, {"text": values["text"]})
        kind = {"image": "photo", "video": "video"}.get(values["mime_type"].partition("/")[0], "document")
        content, caption = base64.b64decode(values["file"]), values.get("caption", "")
        return self.attachment(bot, person, kind, content, values["mime_type"], caption=caption)

    # --- updates -----------------------------------------------------------------------------------------------------

    @route(f"POST {BOT}/getUpdates")
    def updates(self, request: Request) -> Response:
        given = self.given(request, {"offset": int, "limit": int, "timeout": int, "allowed_updates": list})
        bot = request.person.id
        if bot in self.webhooks:
            words = "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
            raise self.refuse(409, words)
        if "allowed_updates" in given:
            self.allowed[bot] = tuple(given["allowed_updates"]) or BY_DEFAULT
        offset, limit = given.get("offset", 0), given.get("limit", UPDATES_MAX)
        if not 1 <= limit <= UPDATES_MAX:
            self.bad("limit must be from 1 to 100")
        since = self.world.clock() - KEPT
        waiting = [update for update in self.waiting.get(bot, []) if update["_at"] > since]
        waiting = waiting[offset:] if offset < 0 else [one for one in waiting if one["update_id"] >= offset]
        self.waiting[bot] = waiting
        wanted = [one for one in waiting if set(one) & set(self.allowed.get(bot, BY_DEFAULT))]
        shown = [{name: value for name, value in one.items() if name != "_at"} for one in wanted]
        return self.good(shown[:limit])

    @route(f"POST {BOT}/setWebhook")
    def set_webhook(self, request: Request) -> Response:
        kinds = {
            "url": str, "secret_token": str, "allowed_updates": list, "max_connections": int, "ip_address": str,
            "drop_pending_updates": bool,
        }  # fmt: skip
        given = self.given(request, kinds)
        if not given.get("url"):
            self.webhooks.pop(request.person.id, None)
        elif not given["url"].startswith("https://"):
            self.bad("bad webhook: An HTTPS URL must be provided for webhook")
        else:
            self.webhooks[request.person.id] = given
        return self._dropped(request, given)

    @route(f"POST {BOT}/deleteWebhook")
    def delete_webhook(self, request: Request) -> Response:
        self.webhooks.pop(request.person.id, None)
        return self._dropped(request, self.given(request, {"drop_pending_updates": bool}))

    def _dropped(self, request: Request, given: Mapping[str, Any]) -> Response:
        if given.get("drop_pending_updates"):
            self.waiting.pop(request.person.id, None)
        return self.good(True)  # noqa: FBT003 - as Telegram answers

    @route(f"POST {BOT}/getWebhookInfo")
    def webhook(self, request: Request) -> Response:
        self.given(request, {})
        known = self.webhooks.get(request.person.id, {})
        return self.good({
            "url": known.get("url", ""), "has_custom_certificate": False,
            "pending_update_count": len(self.waiting.get(request.person.id, [])),
        })  # fmt: skip

    # --- files and taps ----------------------------------------------------------------------------------------------

    @route(f"POST {BOT}/getFile")
    def get_file(self, request: Request) -> Response:
        file = self.files.get(self.given(request, {"file_id": str}).get("file_id", ""))
        if file is None:
            self.bad("wrong file_id or the file is temporarily unavailable")
        if len(file.content) > DOWNLOAD_BYTES_MAX:
            self.bad("file is too big")
        return self.good({
            "file_id": file.id, "file_unique_id": hashlib.sha256(file.content).hexdigest()[:15],
            "file_size": len(file.content), "file_path": file.path,
        })  # fmt: skip

    @route("GET /file" + BOT + "/{folder}/{name}")
    def file_content(self, request: Request) -> Response:
        path = f"{request.args['folder']}/{request.args['name']}"
        file = next((file for file in self.files.values() if file.path == path), None)
        if file is None:
            raise self.refuse(404, "")
        return Response(200, body=file.content, headers={"Content-Type": "application/octet-stream"})

    @route(f"POST {BOT}/answerCallbackQuery")
    def answer_tap(self, request: Request) -> Response:
        kinds = {"callback_query_id": str, "text": str, "show_alert": bool, "url": str, "cache_time": int}
        tap = self.given(request, kinds).get("callback_query_id", "")
        if self.taps.get(tap) is not False:
            self.bad("query is too old and response timeout expired or query ID is invalid")
        self.taps[tap] = True
        return self.good(True)  # noqa: FBT003 - as Telegram answers

    def check_buttons(self, markup: Mapping[str, Any]) -> None:
        """Refuse a keyboard that is not one of buttons with data."""
        self.only(markup, "inline_keyboard")
        rows: Any = markup.get("inline_keyboard")
        for button in [button for row in rows for button in row]:
            self.only(button, "text", "callback_data")
            if not button.get("text"):
                self.bad("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
            if not 1 <= len(str(button.get("callback_data", "")).encode()) <= DATA_BYTES_MAX:
                self.bad("BUTTON_DATA_INVALID")
