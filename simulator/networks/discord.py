"""Discord: webhooks of channels, and bots, with files, polls, threads of forums and the nonces of bots.

Source: discord.com/developers/docs for v10 and its OpenAPI document, August 2026. Chosen where they leave it open: a
nonce is known for two minutes ("the past few minutes"); a repeat after the message was deleted answers 404, as people
report; lists show no nonces; a webhook takes 30 messages a minute, beside 5 in 2 seconds. Stricter than Discord, it
refuses unknown members. Faults of its own: `automod` blocks a message, `slowmode` refuses it for a while.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from simulator.ledger import Entry
from simulator.messages import Fail, File, Request, Response
from simulator.network import Limit, Network, route
from simulator.networks import discord_messages as rules
from simulator.networks.discord_server import (
    ATTACH,
    FORUM,
    HISTORY,
    IN_CHANNEL,
    IN_WEBHOOK,
    MANAGE_MESSAGES,
    MEDIA,
    SEND,
    SEND_IN_THREADS,
    THREAD,
    Channel,
    DiscordServer,
)
from simulator.world import World

NONCE_SECONDS = 120
EXECUTE = (Limit(5, 2), Limit(30, 60))
FEW = (Limit(5, 5),)
WEBHOOK_MESSAGE = f"{IN_WEBHOOK}/messages/{{message}}"
MESSAGE = f"{IN_CHANNEL}/messages/{{message}}"


class Discord(DiscordServer):
    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.nonces: dict[tuple[str, str], tuple[datetime, str]] = {}

    # --- publishing --------------------------------------------------------------------------------------------------

    @route(f"POST {IN_WEBHOOK}", limits=EXECUTE)
    def execute(self, request: Request) -> Response:
        body, files = rules.read(request)
        webhook = self.webhooks[request.args["webhook"]]
        channel, thread_id = self.channels[webhook.channel_id], request.query.get("thread_id")
        is_forum, name = channel.type in (FORUM, MEDIA), body.get("thread_name")
        if set(request.query) - {"wait", "thread_id", "with_components"}:
            raise self.refuse(400, "unknown query parameters")
        self._check(body, files, rules.WEBHOOK, channel)
        if name and thread_id:
            raise self.coded(400, 220002, "Webhooks posted to forum channels cannot have both")
        if is_forum and not name and not thread_id:
            raise self.coded(400, 220001, "Webhooks posted to forum channels must have a thread_name or thread_id")
        if name and not is_forum:
            raise self.coded(400, 220003, "Webhooks can only create threads in forum channels")
        if thread_id is not None:
            thread = self.channels.get(thread_id)
            if thread is None or thread.parent_id != channel.id:
                raise self.coded(400, 10003, "Unknown Channel")
            channel = thread
        elif name:
            channel = self._thread(channel, name, body.get("applied_tags") or [], webhook.id)
        entry = self._post(request, channel, body, files, webhook_id=webhook.id)
        if request.query.get("wait", "false").lower() not in {"true", "1"}:
            return Response(204)
        return Response(200, self._message(entry))

    @route(f"POST {IN_CHANNEL}/messages", limits=FEW)
    def create(self, request: Request) -> Response:
        body, files = rules.read(request)
        channel = self._place(request)
        if channel.type in (FORUM, MEDIA):
            raise self.coded(400, 50008, "Cannot send messages in a non-text channel")
        self._place(request, SEND_IN_THREADS if channel.type == THREAD else SEND)
        if files:
            self._place(request, ATTACH)
        self._check(body, files, rules.BOT, channel)
        nonce = (request.person.id, str(body.get("nonce") or ""))
        known = self.nonces.get(nonce) if body.get("enforce_nonce") else None
        if known is not None and self.world.clock() - known[0] < timedelta(seconds=NONCE_SECONDS):
            return Response(200, {**self._message(self._entry(channel, known[1])), "nonce": body["nonce"]})
        parent_id = self._parent(request, channel, body.get("message_reference"))
        entry = self._post(request, channel, body, files, parent_id=parent_id)
        answer = self._message(entry)
        if nonce[1]:
            self.nonces[nonce] = (self.world.clock(), entry.remote_id)
            answer["nonce"] = body["nonce"]
        return Response(200, answer)

    def _parent(self, request: Request, channel: Channel, reference: Mapping[str, Any] | None) -> str | None:
        if reference is None:
            return None
        if not self.permissions(request.person, channel) & HISTORY:
            raise self.coded(403, 160002, "Cannot reply without permission to read message history")
        parent = self.world.ledger.find(self.key, str(reference["message_id"]))
        if parent is not None and parent.details["channel_id"] == channel.id:
            return parent.remote_id
        if reference.get("fail_if_not_exists", True):
            raise self._invalid([("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")])
        return None

    @route(f"POST {IN_CHANNEL}/threads", limits=FEW)
    def start_thread(self, request: Request) -> Response:
        body, files = rules.read(request)
        channel = self._place(request, SEND)
        message, name = body.get("message") or {}, body.get("name") or ""
        if channel.type not in (FORUM, MEDIA):
            raise self.coded(400, 50024, "Cannot execute action on this channel type")
        if set(body) - {"name", "auto_archive_duration", "rate_limit_per_user", "applied_tags", "message", "type"}:
            raise self.refuse(400, "unknown members")
        found = [*rules.problems({"thread_name": name}, (), ("thread_name",))]
        if found:
            raise self._invalid([("name", code, words) for _, code, words in found])
        self._check(message, files, rules.IN_FORUM, channel)
        thread = self._thread(channel, name, body.get("applied_tags") or [], request.person.id)
        entry = self._post(request, thread, message, files)
        return Response(201, {**self._channel(thread), "message": self._message(entry)})

    def _thread(self, channel: Channel, name: str, tags: Sequence[str], owner_id: str) -> Channel:
        if not set(tags) <= set(channel.tags):
            raise self._invalid([("applied_tags", "INVALID_TAG", "Unknown Tag")])
        made = Channel(self.new_id(), channel.guild_id, name, THREAD, channel.id, owner_id, tuple(tags))
        self.channels[made.id] = made
        return made

    def _check(self, body: Mapping[str, Any], files: Sequence[File], allowed: Sequence[str], channel: Channel) -> None:
        if found := list(rules.problems(body, files, allowed)):
            raise self._invalid(found)
        if len(files) > rules.FILES_MAX:
            raise self.coded(400, 30015, "Maximum number of attachments in a message reached (10)")
        if any(len(file.content) > rules.FILE_BYTES[self.guilds[channel.guild_id].premium_tier] for file in files):
            raise self.coded(413, 40005, "Request entity too large")
        if not (str(body.get("content") or "").strip() or files or body.get("embeds") or body.get("poll")):
            raise self.coded(400, 50006, "Cannot send an empty message")
        if self.struck("automod"):
            raise self.coded(400, 200000, "Message was blocked by automatic moderation")
        if self.struck("slowmode"):
            slow = {"retry_after": 17.5, "global": False}
            raise self.coded(429, 20016, "This action cannot be performed due to slowmode rate limit", **slow)

    def _invalid(self, found: Sequence[rules.Problem]) -> Fail:
        return self.coded(400, 50035, "Invalid Form Body", errors=rules.errors_of(found))

    def _post(
        self, request: Request, channel: Channel, body: Mapping[str, Any], files: Sequence[File], **values: Any
    ) -> Entry:
        described: Mapping[str, Any] = {str(one["id"]): one for one in body.get("attachments") or []}
        attached = [described.get(str(index), {}) for index in range(len(files))]
        details = {
            "channel_id": channel.id, "alt_texts": [one.get("description") for one in attached],
            "names": [str(one.get("filename") or file.name) for one, file in zip(attached, files, strict=True)],
            "author": {"id": request.person.id, "username": body.get("username") or request.person.username},
            "webhook_id": values.pop("webhook_id", None),
            **{name: body.get(name) for name in ("flags", "poll", "embeds", "allowed_mentions", "avatar_url")},
        }  # fmt: skip
        media = tuple(hashlib.sha256(file.content).hexdigest() for file in files)
        text = str(body.get("content") or "").strip()
        # The first message of a forum's thread has the id of the thread.
        is_first = channel.type == THREAD and self.world.ledger.find(self.key, channel.id) is None
        first = {"remote_id": channel.id} if is_first else {}
        return self.publish(request, "post", text, media=media, details=details, **first, **values)

    def _in(self, channel: Channel) -> list[Entry]:
        """Return what is in a channel, newest first; the fault `eventual` hides the last seconds."""
        lag = self.world.strike(self.key, "*", ("eventual",))
        until = self.world.clock() - timedelta(seconds=lag.seconds if lag else 0)
        entries = [one for one in self.world.ledger.of(self.key) if one.details["channel_id"] == channel.id]
        return [one for one in reversed(entries) if one.at <= until]

    def _entry(self, channel: Channel, message_id: str) -> Entry:
        entry = self.world.ledger.find(self.key, message_id)
        if entry is None or entry.details["channel_id"] != channel.id:
            raise self.coded(404, 10008, "Unknown Message")
        return entry

    def _message(self, entry: Entry) -> dict[str, Any]:
        details = entry.details
        files = [
            {"id": str(int(entry.remote_id) + 1 + index), "filename": name, "size": 1, "url": f"{self.url}/{name}",
             "proxy_url": f"{self.url}/{name}", **({"description": alt} if alt else {})}
            for index, (name, alt) in enumerate(zip(details["names"], details["alt_texts"], strict=True))
        ]  # fmt: skip
        likes = self.count_of(entry, "likes", 3)
        hearts = {"count": likes, "emoji": {"id": None, "name": "❤️"}, "me": False, "burst_colors": []}
        return {
            "id": entry.remote_id, "channel_id": details["channel_id"], "type": 19 if entry.parent_id else 0,
            "content": entry.text,
            "author": {**details["author"], "discriminator": "0000", "avatar": None, "bot": True},
            "timestamp": entry.at.isoformat(), "edited_timestamp": None, "tts": False, "mention_everyone": False,
            "mentions": [], "mention_roles": [], "attachments": files, "embeds": details["embeds"] or [],
            "pinned": False, "components": [], "flags": details["flags"] or 0,
            **({"reactions": [hearts]} if likes else {}),
            **({"webhook_id": details["webhook_id"]} if details["webhook_id"] else {}),
            **({"message_reference": {"type": 0, "message_id": entry.parent_id, "channel_id": details["channel_id"]}}
               if entry.parent_id else {}),
        }  # fmt: skip

    # --- messages that are there -------------------------------------------------------------------------------------

    def _of_webhook(self, request: Request) -> Entry:
        """Return a message of the webhook, in its channel or in the thread that the request names."""
        webhook = self.webhooks[request.args["webhook"]]
        channel = self.channels.get(request.query.get("thread_id", webhook.channel_id))
        if channel is None or webhook.channel_id not in (channel.id, channel.parent_id):
            raise self.coded(404, 10003, "Unknown Channel")
        entry = self._entry(channel, request.args["message"])
        if entry.details["webhook_id"] != webhook.id:
            raise self.coded(404, 10008, "Unknown Message")
        return entry

    @route(f"GET {WEBHOOK_MESSAGE}", limits=FEW)
    def webhook_message(self, request: Request) -> Response:
        return Response(200, self._message(self._of_webhook(request)))

    @route(f"DELETE {WEBHOOK_MESSAGE}", limits=FEW)
    def remove_of_webhook(self, request: Request) -> Response:
        self._of_webhook(request).deleted_at = self.world.clock()
        return Response(204)

    @route(f"GET {MESSAGE}", limits=FEW)
    def message(self, request: Request) -> Response:
        channel = self._place(request, HISTORY)
        return Response(200, self._message(self._entry(channel, request.args["message"])))

    @route(f"DELETE {MESSAGE}", limits=FEW)
    def remove(self, request: Request) -> Response:
        channel = self._place(request)
        entry = self._entry(channel, request.args["message"])
        if entry.account_id != request.person.id:
            self._place(request, MANAGE_MESSAGES)
        entry.deleted_at = self.world.clock()
        return Response(204)

    @route(f"GET {IN_CHANNEL}/messages", limits=FEW)
    def messages(self, request: Request) -> Response:
        channel, query = self._place(request), request.query
        limit, after, before = int(query.get("limit", "50")), query.get("after"), query.get("before")
        if set(query) - {"limit", "after", "before"} or not 1 <= limit <= 100 or (after and before):
            raise self.refuse(400, "Invalid Form Body")
        if not self.permissions(request.person, channel) & HISTORY:
            return Response(200, [])  # documented: no error
        found = [one for one in self._in(channel) if before is None or int(one.remote_id) < int(before)]
        if after is not None:  # those that follow it, not the newest
            found = [one for one in found if int(one.remote_id) > int(after)][-limit:]
        return Response(200, [self._message(one) for one in found[:limit]])


NETWORK: type[Network] = Discord
