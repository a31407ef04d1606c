"""What people write to a bot of Slack: direct messages, files, taps on buttons, and Socket Mode, which delivers them.

Source: docs.slack.dev/apis/events-api (retries), /apis/events-api/using-socket-mode, /reference/events/message.im and
/reference/interaction-payloads/block_actions-payload, November 2026; that events of a time without a connection come
by their retries only is what people report (vercel/chat#666). An event that is not confirmed within three seconds
comes again at once, after a minute and after five more, each time as another envelope; a tap comes once. What people
wrote stays in the history of their chat, where it is found when it was never delivered.
"""

import base64
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from simulator.messages import Request, Response
from simulator.network import Line, route
from simulator.networks.slack_workspace import TEAM, TIER_4, Bot, Channel, SlackWorkspace
from simulator.world import Person, World

CONFIRM_SECONDS = 3
RETRY_SECONDS = (0, 60, 300)
LATE_SECONDS = 10
"""How long a later attempt waits for a connection."""
APP_ID = "A0BAKERY01"
WRITTEN = frozenset(("", "file_share", "me_message", "thread_broadcast"))
"""Kinds of events that are messages of people; others tell of changes."""
SECTION_MAX, TITLE_MAX, VALUE_MAX, BUTTONS_MAX = 3_000, 75, 2_000, 25


@dataclass
class Upload:
    id: str
    name: str
    length: int
    alt_text: str | None
    owner_id: str
    content: bytes | None = None
    is_complete: bool = False
    mime_type: str = "application/octet-stream"


@dataclass
class Delivery:
    """What is to be delivered to the app until it is confirmed. `line`: over which it is under way."""

    kind: str
    payload: Mapping[str, Any]
    due_at: datetime
    line: "SlackLine | None" = None
    attempts: int = 0
    envelopes: list[str] = field(default_factory=list)


class SlackLine(Line):
    """An open connection of Socket Mode."""

    def __init__(self, network: "SlackPeople") -> None:
        self.network = network
        self.is_closed = self.is_leaving = False
        self._texts = [json.dumps({
            "type": "hello", "num_connections": len(network.lines) + 1, "connection_info": {"app_id": APP_ID},
            "debug_info": {"host": "applink-1", "build_number": 1, "approximate_connection_time": 18_060},
        })]  # fmt: skip

    def leave(self, reason: str) -> None:
        self.is_leaving = True
        self._texts.append(json.dumps({"type": "disconnect", "reason": reason, "debug_info": {"host": "applink-1"}}))

    def due(self) -> Sequence[str] | None:
        if self.is_closed:
            return None
        texts, self._texts = [*self._texts, *self.network.delivered_over(self)], []
        return texts

    def said(self, text: str) -> None:
        self.network.confirm(self, json.loads(text).get("envelope_id"))

    def ended(self) -> None:
        self.is_closed = True
        if self in self.network.lines:
            self.network.lines.remove(self)
        self.network.fail_overdue()


class SlackPeople(SlackWorkspace):
    """A person who writes to a bot is a person of this network too, without a token."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.app_tokens: set[str] = set()
        self.tickets: set[str] = set()
        self.lines: list[SlackLine] = []
        self.waiting: list[Delivery] = []
        self.lost: list[Delivery] = []
        """What was never confirmed, however often it came."""
        self.uploads: dict[str, Upload] = {}
        self.said: list[dict[str, Any]] = []
        """The events of what people wrote to bots."""

    # --- what people do ----------------------------------------------------------------------------------------------

    def add_app_token(self) -> str:
        """Return an app-level token as the operator of an app makes one."""
        token = f"xapp-1-{APP_ID}-7000000000001-{self.world.secret('app')[-40:]}"
        self.app_tokens.add(token)
        return token

    def chat(self, bot: Bot, person: Person) -> Channel:
        """Return the direct messages of a person with a bot."""
        for channel in self.channels.values():
            if channel.person is not None and channel.person.id == person.id and bot.person.id in channel.members:
                return channel
        made = Channel(self.named_id("D"), person.username, is_private=True, members={bot.person.id}, person=person)
        self.channels[made.id] = made
        return made

    def user_id(self, person: Person) -> str:
        return f"U0{person.id.rpartition('.')[2]}"

    def add_file(self, person: Person, content: bytes, mime_type: str, name: str = "") -> Upload:
        """Have a person upload a file."""
        file_id = self.named_id("F")
        name = name or f"{file_id}.{mime_type.rpartition('/')[2]}"
        made = Upload(file_id, name, len(content), None, person.id, content, is_complete=True, mime_type=mime_type)
        self.uploads[file_id] = made
        return made

    def written(self, bot: Bot, person: Person, text: str, files: Sequence[Upload] = (), **more: Any) -> dict[str, Any]:
        """Return the event of a message that a person writes to a bot; `more` replaces what it has."""
        ts, escaped = self.new_id(), text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        event: dict[str, Any] = {
            "type": "message", "user": self.user_id(person), "ts": ts, "event_ts": ts, "team": TEAM, "text": escaped,
            "channel": self.chat(bot, person).id, "channel_type": "im", "client_msg_id": secrets.token_hex(16),
        }  # fmt: skip
        if text:
            section = {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}
            event["blocks"] = [{"type": "rich_text", "block_id": secrets.token_hex(2), "elements": [section]}]
        if files:
            event |= {"subtype": "file_share", "upload": False, "files": [self.file(file) for file in files]}
        return event | more

    def write(self, bot: Bot, person: Person, text: str, files: Sequence[Upload] = (), **more: Any) -> Delivery:
        """Have a person write to a bot."""
        event = self.written(bot, person, text, files, **more)
        if event["type"] == "message" and (event.get("subtype") or "") in WRITTEN:
            self.said.append(event)
        return self.deliver("events_api", {
            "token": "verification", "team_id": TEAM, "api_app_id": APP_ID, "event": event, "type": "event_callback",
            "event_id": f"Ev{secrets.token_hex(5).upper()}", "event_time": int(float(event["event_ts"])),
            "authorizations": [{"team_id": TEAM, "user_id": bot.user_id, "is_bot": True}],
        })  # fmt: skip

    def said_in(self, channel: Channel) -> list[dict[str, Any]]:
        """Return what a person wrote there as its history has it: without what only an event says, and no replies."""
        return [
            {name: value for name, value in event.items() if name not in ("channel", "channel_type", "event_ts")}
            for event in self.said
            if event["channel"] == channel.id and event.get("thread_ts") in (None, event["ts"])
        ]

    def tap(self, bot: Bot, person: Person, value: str, **more: Any) -> Delivery:
        """Have a person tap a button of the bot; `more` replaces what the action has."""
        chat = self.chat(bot, person)
        action = {
            "type": "button", "action_id": "option-0", "block_id": "b1", "value": value, "action_ts": self.new_id(),
            "text": {"type": "plain_text", "text": "Tapped", "emoji": False},
        }  # fmt: skip
        return self.deliver("interactive", {
            "type": "block_actions", "api_app_id": APP_ID, "token": "verification", "trigger_id": self.new_id(),
            "team": {"id": TEAM, "domain": "corner-bakery"}, "channel": {"id": chat.id, "name": "directmessage"},
            "user": {"id": self.user_id(person), "username": person.username, "name": person.username, "team_id": TEAM},
            "container": {"type": "message", "message_ts": "1.000001", "channel_id": chat.id, "is_ephemeral": False},
            "response_url": f"{self.url}/actions/{TEAM}/1/x", "actions": [action | more],
        })  # fmt: skip

    def hear(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Have a person write to the bot: `text`, `tap` (what a button has) or `file` (base64, with `mime_type`)."""
        bot = next(iter(self.bots.values()))
        known = [one for one in self.world.people if (one.network, one.username) == (self.key, values["username"])]
        person = known[0] if known else self.world.add_person(self.key, values["username"])
        if "tap" in values:
            return dict(self.tap(bot, person, values["tap"]).payload)
        files = []
        if "file" in values:
            files = [self.add_file(person, base64.b64decode(values["file"]), values["mime_type"])]
        return dict(self.write(bot, person, values.get("text", values.get("caption", "")), files).payload)

    # --- delivery ----------------------------------------------------------------------------------------------------

    def deliver(self, kind: str, payload: Mapping[str, Any]) -> Delivery:
        made = Delivery(kind, payload, self.world.clock())
        self.waiting.append(made)
        self.fail_overdue()
        return made

    def disconnect(self) -> None:
        """End every connection, as when one of Slack's servers goes away."""
        for line in self.lines:
            line.is_closed = True
        self.lines.clear()

    def fail_overdue(self) -> None:
        """Note which attempts have failed: over a connection that has ended or was silent, or for want of one."""
        now = self.world.clock()
        for one in list(self.waiting):
            if one.line is not None and (one.line.is_closed or now - one.due_at > timedelta(seconds=CONFIRM_SECONDS)):
                self._failed(one, now)
            while one in self.waiting and one.line is None and not self.lines and self._is_late(one, now):
                one.attempts += 1
                self._failed(one, one.due_at)

    def _is_late(self, one: Delivery, now: datetime) -> bool:
        """Whether an attempt had to be made while there was no connection."""
        return now - one.due_at >= timedelta(seconds=0 if one.attempts < 2 else LATE_SECONDS)

    def _failed(self, one: Delivery, at: datetime) -> None:
        retries = RETRY_SECONDS if one.kind == "events_api" else ()
        one.line = None
        if one.attempts > len(retries):
            self.waiting.remove(one)
            self.lost.append(one)
        else:
            one.due_at = at + timedelta(seconds=retries[one.attempts - 1])

    def delivered_over(self, line: SlackLine) -> Sequence[str]:
        """Return what goes over this connection now."""
        self.fail_overdue()
        texts, now = [], self.world.clock()
        if line.is_leaving:
            return ()
        for one in self.waiting:
            if one.line is None and one.due_at <= now:
                one.line, one.due_at, one.attempts = line, now, one.attempts + 1
                one.envelopes.append(secrets.token_hex(16))
                envelope: dict[str, Any] = {
                    "envelope_id": one.envelopes[-1], "type": one.kind, "payload": one.payload,
                    "accepts_response_payload": one.kind == "interactive",
                }  # fmt: skip
                if one.kind == "events_api":
                    reason = "timeout" if one.attempts > 1 else ""
                    envelope |= {"retry_attempt": one.attempts - 1, "retry_reason": reason}
                texts.append(json.dumps(envelope))
        return texts

    def confirm(self, line: SlackLine, envelope_id: Any) -> None:
        for one in list(self.waiting):
            if one.line is line and one.envelopes[-1] == envelope_id:
                self.waiting.remove(one)

    @route("POST /api/apps.connections.open", auth=False)
    def connections_open(self, request: Request) -> Response:
        if self.bearer(request) not in self.app_tokens:
            word = "not_allowed_token_type" if self.bearer(request) in self.bots else "invalid_auth"
            raise self.word(word)
        ticket = secrets.token_hex(16)
        self.tickets.add(ticket)
        address = f"ws{self.url.removeprefix('http')}/link/?ticket={ticket}&app_id={APP_ID}"
        return Response(200, {"ok": True, "url": address})

    @route("GET /link/", auth=False)
    def link(self, request: Request) -> Response:
        if request.query.get("ticket") not in self.tickets:
            return Response(408, body=b"")
        self.tickets.remove(request.query["ticket"])
        return Response(101)

    def hold(self, request: Request) -> Line:  # noqa: ARG002 - each is like the others
        self.fail_overdue()
        line = SlackLine(self)
        self.lines.append(line)
        return line

    # --- files of people ---------------------------------------------------------------------------------------------

    def file(self, file: Upload) -> dict[str, Any]:
        address = f"{self.url}/files-pri/{TEAM}-{file.id}"
        return {
            "id": file.id, "name": file.name, "title": file.name, "mimetype": file.mime_type, "size": file.length,
            "mode": "hosted", "is_external": False, "url_private": f"{address}/{file.name}",
            "url_private_download": f"{address}/download/{file.name}", "file_access": "visible",
        }  # fmt: skip

    @route("GET /api/files.info", scopes=("files:read",), limits=TIER_4)
    @route("POST /api/files.info", scopes=("files:read",), limits=TIER_4)
    def file_info(self, request: Request) -> Response:
        if request.content_type == "application/json":
            raise self.word("invalid_arguments")
        given = self.arguments(request, "file", "count", "page", "limit", "cursor")
        file = self.uploads.get(str(given.get("file")))
        if file is None or file.content is None:
            raise self.word("file_not_found")
        return Response(200, {"ok": True, "file": self.file(file), "comments": []})

    @route("GET /files-pri/{id}/download/{name}", auth=False)
    def file_content(self, request: Request) -> Response:
        """Return a file to whoever may read it; others get a page to sign in on, with status 200."""
        bot = self.bots.get(self.bearer(request))
        file = self.uploads.get(request.args["id"].rpartition("-")[2])
        if bot is None or "files:read" not in bot.scopes:
            return Response(200, body=b"<!DOCTYPE html><html>Sign in</html>", headers={"Content-Type": "text/html"})
        if file is None or file.content is None:
            return Response(404, body=b"")
        return Response(200, body=file.content, headers={"Content-Type": file.mime_type})

    # --- buttons -----------------------------------------------------------------------------------------------------

    def check_blocks(self, blocks: Any) -> None:
        """Refuse a section or buttons that Slack would refuse; other blocks are not looked at."""
        for block in blocks or ():
            if block.get("type") == "section" and not 1 <= len(block["text"]["text"]) <= SECTION_MAX:
                raise self.word("invalid_blocks")
            elements = block.get("elements", ()) if block.get("type") == "actions" else ()
            if len(elements) > BUTTONS_MAX or len({one.get("action_id") for one in elements}) < len(elements):
                raise self.word("invalid_blocks")
            for one in elements:
                is_right = one["type"] == "button" and one["text"]["type"] == "plain_text"
                if not is_right or not 1 <= len(one["text"]["text"]) <= TITLE_MAX or len(one["value"]) > VALUE_MAX:
                    raise self.word("invalid_blocks")
