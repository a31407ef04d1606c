"""Connecting a chat by the token of a bot, and checking what the bot may do there."""

import re
from collections.abc import Mapping
from typing import Any

from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.telegram.calls import ID_MAX, call, call_in_chat, description
from signalpost.networks.contract import (
    ApiError,
    BadCredentials,
    Health,
    Identity,
    InvalidField,
    NetworkSession,
    Server,
)
from signalpost.networks.responses import number, string

_TOKEN = re.compile(r"[0-9]{3,20}:[A-Za-z0-9_.-]{20,200}")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{3,31}")
_KINDS = {"channel": "channel", "supergroup": "group", "group": "group"}
_CHAT = "Enter the @name of a channel or group, or its id, which begins with -."
_NO_RIGHT = "The bot may not post in this chat. Make it an administrator that may post messages."


async def connect(server: Server, fields: Mapping[str, str]) -> Identity:
    """Verify that the token is a bot's, and that the bot may post in the chat."""
    token, name = fields["botToken"].strip(), _name_of(fields["chat"])
    if not _TOKEN.fullmatch(token):
        raise BadCredentials("This is not the token of a bot. BotFather shows it, as in 123456789:AAH….")
    bot = await _bot(server, token)
    chat = await _chat(server, token, name)
    member = _object(await call(server, token, "getChatMember", json={"chat_id": chat["id"], "user_id": bot["id"]}))
    if not _may_post(chat, member):
        raise InvalidField("chat", _NO_RIGHT)
    members = await call(server, token, "getChatMemberCount", json={"chat_id": chat["id"]})
    username, title = string(chat.get("username")), string(chat.get("title"))
    return Identity(
        remote_id=str(chat["id"]),
        username=username or str(chat["id"]),
        display_name=title or username or str(chat["id"]),
        secrets={"botToken": token},
        kind=_KINDS[chat["type"]],
        profile_url=f"https://t.me/{username}" if username else None,
        followers=number(members),
        facts={"botId": bot["id"], "bot": bot["username"], "type": chat["type"]},
    )


def _name_of(entered: str) -> str:
    """Return @name or id of the chat that a person means: by its name, its address, or the address of a message."""
    text = re.sub(r"^(https?://)?(t\.me|telegram\.me)/", "", entered.strip()[:200])
    if (private := re.fullmatch(r"c/([0-9]{1,15})(/.*)?", text)) is not None:
        return f"-100{private[1]}"
    if re.fullmatch(r"-[0-9]{1,15}", text):
        return text
    name = text.removeprefix("@").partition("/")[0]
    if not _NAME.fullmatch(name):
        raise InvalidField("chat", _CHAT)
    return f"@{name}"


async def _bot(server: Server, token: str) -> Mapping[str, Any]:
    try:
        bot = _object(await call(server, token, "getMe"))
    except ApiError as error:
        if error.response.status in {401, 404}:
            raise BadCredentials(
                "Telegram does not know this token. Ask BotFather for the token of your bot."
            ) from None
        raise
    if not _is_id(bot.get("id")) or string(bot.get("username")) is None:
        raise BadResponse("the response names no bot")
    return bot


async def _chat(server: Server, token: str, name: str) -> Mapping[str, Any]:
    try:
        chat = _object(await call(server, token, "getChat", json={"chat_id": name}))
    except ApiError as error:
        if error.response.status in {400, 403}:
            advice = "Add the bot to the channel or group as an administrator, and check the name."
            raise InvalidField("chat", f"Telegram says: {description(error.response)}. {advice}") from None
        raise
    if not _is_id(chat.get("id")):
        raise BadResponse("the response names no chat")
    if chat.get("type") not in _KINDS:
        raise InvalidField("chat", "This is a private chat. Only channels and groups can be connected.")
    return chat


def _object(result: Any) -> Mapping[str, Any]:
    if not isinstance(result, dict):
        raise BadResponse("the result is not an object")
    return result


def _is_id(value: Any) -> bool:
    return type(value) is int and 0 < abs(value) < ID_MAX


def _may_post(chat: Mapping[str, Any], member: Mapping[str, Any]) -> bool:
    """Return whether the bot may post: in a channel an administrator with that right, in a group almost any member."""
    status = member.get("status")
    if chat.get("type") == "channel":
        return status == "administrator" and member.get("can_post_messages") is True
    permissions = chat.get("permissions")
    everyone = not isinstance(permissions, dict) or permissions.get("can_send_messages") is not False
    restricted = status == "restricted" and member.get("can_send_messages") is True
    return status in {"administrator", "creator"} or (status == "member" and everyone) or restricted


async def check(session: NetworkSession) -> Health:
    """Ask Telegram whether the bot may still post in the chat."""
    chat = _object(await call_in_chat(session, "getChat", _of_chat))
    bot_id = session.facts.get("botId")
    member = _object(
        await call_in_chat(session, "getChatMember", lambda chat_id: {"json": {"chat_id": chat_id, "user_id": bot_id}})
    )
    can_post = _may_post(chat, member)
    return Health(
        can_post=can_post,
        message=None if can_post else _NO_RIGHT,
        missing=() if can_post else ("can_post_messages",),
        followers=number(await call_in_chat(session, "getChatMemberCount", _of_chat)),
        username=string(chat.get("username")),
        display_name=string(chat.get("title")),
    )


def _of_chat(chat_id: str) -> Mapping[str, Any]:
    return {"json": {"chat_id": chat_id}}
