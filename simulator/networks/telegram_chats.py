"""Bots of Telegram and the chats that they are in: tokens in the path, parameters in every form, rights, floods."""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from typing import Any, NoReturn
from urllib.parse import unquote

from simulator.ledger import Entry
from simulator.messages import Fail, File, Request, Response
from simulator.network import Network, route
from simulator.oauth import Grant
from simulator.world import App, Destination, Person, World

BOT = "/bot{token}"
PER_CHAT, PER_BOT, PER_PERSON = (20, 60), (30, 1), (60, 60)
FIRST_MESSAGE_ID = 100
_TOKEN = re.compile(r"\d{3,20}:[\w-]{35}")
_WORDS = {
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 413: "Request Entity Too Large",
    409: "Conflict", 429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway",
}  # fmt: skip
_ALONE = (401, 404, 413, 502)
_ADMINISTRATOR = (
    "can_be_edited", "is_anonymous", "can_manage_chat", "can_delete_messages", "can_manage_video_chats",
    "can_restrict_members", "can_promote_members", "can_change_info", "can_invite_users", "can_post_stories",
    "can_edit_stories", "can_delete_stories", "can_pin_messages",
)  # fmt: skip
_GIFTS = ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels")


class TelegramChats(Network):
    """A person of this network is a bot; its destinations are the chats that it was added to.

    `destination.kind` is channel, supergroup, group or private; `details` may have `username`, `members` (a number),
    `status` of the bot (administrator, member, restricted, left, kicked), `rights` of the administrator, `permissions`
    of everyone, `topics` (ids of a forum), and `migrated_to` (the id of the supergroup that a group has become).
    """

    key = "telegram"
    ids_from = 7_000_000_000

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.grants: list[Grant] = []
        self.tokens: dict[str, Grant] = {}
        self.last_ids: dict[str, int] = {}
        self.messages: dict[tuple[str, int], Entry] = {}

    # --- tokens ------------------------------------------------------------------------------------------------------

    def add_token(self, bot: Person, token: str = "") -> str:
        """Return a token as BotFather gives one to the owner of a bot."""
        token = token or f"{bot.id}:AA{hashlib.sha256(self.world.secret(bot.id).encode()).hexdigest()[:33]}"
        grant = Grant(App(self.key, "botfather", ""), bot, frozenset(), self.world.clock())
        self.grants.append(grant)
        self.tokens[token] = grant
        return token

    def authenticate(self, request: Request) -> Grant | None:
        token = unquote(request.args["token"])
        grant = self.tokens.get(token)
        if grant is None and not _TOKEN.fullmatch(token):
            raise Fail(self.failure(404, ""))
        return None if grant is None or grant.revoked else grant

    def end(self, grant: Grant) -> None:
        grant.revoked = True

    # --- the words of Telegram ---------------------------------------------------------------------------------------

    def failure(self, status: int, message: str) -> Response:
        words = _WORDS.get(status, "Error")
        description = words if status in _ALONE else f"{words}: {message}"
        return Response(status, {"ok": False, "error_code": status, "description": description})

    def because(self, status: int, message: str, **parameters: int) -> Fail:
        """Return what to raise for an error with `parameters`."""
        response = self.failure(status, message)
        response.json["parameters"] = parameters
        if status == 429:
            response.headers["Retry-After"] = str(parameters["retry_after"])
        return Fail(response)

    def good(self, result: Any) -> Response:
        return Response(200, {"ok": True, "result": result})

    # --- parameters --------------------------------------------------------------------------------------------------

    def given(self, request: Request, kinds: Mapping[str, type | tuple[type, ...]]) -> dict[str, Any]:
        """Return the parameters of a call, from its query, form or JSON body; unknown ones and wrong types are refused.

        Telegram itself ignores what it does not know. Files beside the parameters are what `attach://` names.
        """
        values = {**request.query, **request.fields}
        plain = {name: value for name, value in values.items() if name in kinds or not isinstance(value, File)}
        self.only(plain, *kinds)
        is_text = request.content_type != "application/json"
        return {name: self._typed(name, value, kinds[name], is_text=is_text) for name, value in plain.items()}

    def _typed(self, name: str, value: Any, kind: type | tuple[type, ...], *, is_text: bool) -> Any:
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if is_text and isinstance(value, str) and not {str, File} & set(kinds):
            try:
                value = json.loads(value)
            except ValueError:
                self.bad(f"can't parse parameter {name}")
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            self.bad(f"parameter {name} has a wrong type")
        return value

    def bad(self, message: str) -> NoReturn:
        raise self.refuse(400, message)

    # --- chats -------------------------------------------------------------------------------------------------------

    def chat(self, request: Request, chat_id: Any) -> Destination:
        """Return a chat that the bot is in, by its id or @username."""
        name = str(chat_id).removeprefix("@").lower()
        chats: list[Destination] = request.person.destinations
        for chat in chats:
            if name in {chat.id, str(chat.details.get("username", "")).lower()}:
                break
        else:
            self.bad("chat not found")
        status = chat.details.get("status", "administrator")
        if status == "kicked" and chat.kind == "private":
            raise self.refuse(403, "bot was blocked by the user")
        if status in {"kicked", "left"}:
            word = "was kicked from" if status == "kicked" else "is not a member of"
            raise self.refuse(403, f"bot {word} the {chat.kind} chat")
        if "migrated_to" in chat.details:
            moved = int(chat.details["migrated_to"])
            raise self.because(400, "group chat was upgraded to a supergroup chat", migrate_to_chat_id=moved)
        return chat

    def chat_to_write(self, request: Request, given: Mapping[str, Any], *, count: int = 1) -> Destination:
        """Return the chat that is written to, once rights, topic, reply and flood control are checked."""
        chat = self.chat(request, given.get("chat_id", ""))
        member = self.member(request.person, chat)
        if chat.kind == "channel":
            if member["status"] != "administrator" or not member.get("can_post_messages"):
                self.bad("need administrator rights in the channel chat")
        elif member["status"] != "administrator" and not (self.permissions(chat) | member)["can_send_messages"]:
            self.bad("not enough rights to send text messages to the chat")
        topic = given.get("message_thread_id")
        if topic is not None and topic not in chat.details.get("topics", ()):
            self.bad("message thread not found")
        reply = given.get("reply_parameters") or {}
        self.only(reply, "message_id", "allow_sending_without_reply")
        if reply and self.find(chat, reply.get("message_id")) is None and not reply.get("allow_sending_without_reply"):
            self.bad("message to be replied not found")
        for _ in range(count):
            limits = PER_PERSON if chat.kind == "private" else PER_CHAT
            self._admit_message((self.key, "chat", chat.id), *limits)
            self._admit_message((self.key, "bot", request.person.id), *PER_BOT)
        return chat

    def _admit_message(self, key: tuple[Any, ...], limit: int, seconds: int) -> None:
        quota = self.world.count(key, limit, seconds)
        if not quota.allowed:
            wait = max(math.ceil((quota.reset - self.world.clock()).total_seconds()), 1)
            raise self.because(429, f"retry after {wait}", retry_after=wait)

    def find(self, chat: Destination, message_id: Any) -> Entry | None:
        entry = self.messages.get((chat.id, message_id))
        return None if entry is None or entry.deleted_at is not None else entry

    def permissions(self, chat: Destination) -> dict[str, bool]:
        return {"can_send_messages": True, "can_send_photos": True, **chat.details.get("permissions", {})}

    def member(self, bot: Person, chat: Destination) -> dict[str, Any]:
        """Return the membership of the bot as `getChatMember` answers it."""
        status = chat.details.get("status", "administrator")
        user = {"id": int(bot.id), "is_bot": True, "first_name": bot.name, "username": bot.username}
        answer: dict[str, Any] = {"user": user, "status": status}
        rights: dict[str, bool] = chat.details.get("rights", {})
        if status == "administrator":
            answer |= dict.fromkeys(_ADMINISTRATOR, True)
            if chat.kind == "channel":
                answer |= dict.fromkeys(("can_post_messages", "can_edit_messages"), True)
            answer |= rights
        elif status == "restricted":
            answer |= {"is_member": True, "can_send_messages": False, "until_date": 0} | rights
        return answer

    def short(self, chat: Destination) -> dict[str, Any]:
        named = "first_name" if chat.kind == "private" else "title"
        answer = {"id": int(chat.id), "type": chat.kind, named: chat.name}
        answer |= {"username": chat.details["username"]} if chat.details.get("username") else {}
        return answer | ({"is_forum": True} if chat.details.get("topics") else {})

    # --- reading -----------------------------------------------------------------------------------------------------

    @route(f"POST {BOT}/getMe")
    def me(self, request: Request) -> Response:
        self.given(request, {})
        bot = request.person
        return self.good({
            "id": int(bot.id), "is_bot": True, "first_name": bot.name, "username": bot.username,
            "can_join_groups": True, "can_read_all_group_messages": False, "supports_inline_queries": False,
            "can_connect_to_business": False, "has_main_web_app": False,
        })  # fmt: skip

    @route(f"POST {BOT}/getChat")
    def get_chat(self, request: Request) -> Response:
        chat = self.chat(request, self.given(request, {"chat_id": (int, str)}).get("chat_id"))
        answer = self.short(chat) | {
            "accent_color_id": 0, "max_reaction_count": 11, "accepted_gift_types": dict.fromkeys(_GIFTS, False),
        }  # fmt: skip
        return self.good(answer if chat.kind == "channel" else answer | {"permissions": self.permissions(chat)})

    @route(f"POST {BOT}/getChatMember")
    def get_member(self, request: Request) -> Response:
        given = self.given(request, {"chat_id": (int, str), "user_id": int})
        chat = self.chat(request, given.get("chat_id"))
        if given.get("user_id") != int(request.person.id):
            self.bad("member list is inaccessible")
        return self.good(self.member(request.person, chat))

    @route(f"POST {BOT}/getChatMemberCount")
    def count_members(self, request: Request) -> Response:
        chat = self.chat(request, self.given(request, {"chat_id": (int, str)}).get("chat_id"))
        return self.good(chat.details.get("members", 42))
