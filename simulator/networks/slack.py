"""Slack: incoming webhooks, and bots with threads, files, metadata and the history of channels.

Source: docs.slack.dev, August 2026. Chosen where it leaves things open: a text of more than 4,000 characters is refused
(documented are 40,000, but people report `msg_too_long` from 4,000 on); one message a second in a channel, without
bursts, and five in five seconds to a person; a reply to a message that is not there is refused. Stricter than Slack, it
refuses unknown arguments. Faults of its own: `restricted` refuses messages in a channel, `unshared` accepts files and
never shows them, as people report of `files.completeUploadExternal`.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from simulator.ledger import Entry
from simulator.messages import BadBody, Fail, File, Request, Response
from simulator.network import Limit, Network, route
from simulator.networks.slack_people import SlackPeople, Upload
from simulator.networks.slack_workspace import DOMAIN, TEAM, TIER_3, TIER_4, Channel

TEXT_MAX, FILE_BYTES_MAX, FILES_MAX = 4_000, 1_000_000_000, 10
MESSAGES, DIRECT_MESSAGES = Limit(1, 1), Limit(5, 5)
MARKUP = (
    "text", "mrkdwn", "thread_ts", "reply_broadcast", "unfurl_links", "unfurl_media", "link_names", "parse", "metadata",
    "blocks", "attachments", "username", "icon_url", "icon_emoji",
)  # fmt: skip
EVENT_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,254}")


def shown(text: str) -> str:
    """Return what people see of a text: control sequences stand for themselves, entities for their characters."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


class Slack(SlackPeople):
    # --- publishing --------------------------------------------------------------------------------------------------

    @route("POST /services/{team}/{service}/{token}", auth=False)
    def webhook(self, request: Request) -> Response:
        webhook = self.webhooks.get(request.args["service"])
        if webhook is None or webhook.removed or request.args["team"] != TEAM:
            raise self._plain(404, "no_service")
        if webhook.token != request.args["token"]:
            raise self._plain(403, "invalid_token")
        if not self.world.count((self.key, "webhook", webhook.service), MESSAGES.count, MESSAGES.seconds).allowed:
            raise self._plain(429, "rate_limited", **{"Retry-After": "1"})
        channel = self.channels[webhook.channel_id]
        if channel.is_archived:
            raise self._plain(410, "channel_is_archived")
        try:
            body = request.json
        except BadBody:
            raise self._plain(400, "invalid_payload") from None
        if set(body) - set(MARKUP):
            raise self._plain(400, "invalid_payload")
        if self.struck("restricted"):
            raise self._plain(403, "action_prohibited")
        text = body.get("text") or ""
        if not text and not body.get("blocks"):
            raise self._plain(400, "no_text")
        if len(text) > TEXT_MAX:
            raise self._plain(400, "msg_too_long")
        thread = body.get("thread_ts")
        request.grant = self.grant_of(webhook)
        self._post(request, channel, body, (), parent_id=thread)
        return Response(200, body=b"ok", headers={"Content-Type": "text/html"})

    def _plain(self, status: int, word: str, **headers: str) -> Fail:
        return Fail(Response(status, body=word.encode(), headers={"Content-Type": "text/html", **headers}))

    @route("POST /api/chat.postMessage", scopes=("chat:write",))
    def post_message(self, request: Request) -> Response:
        given = self.arguments(request, "channel", *MARKUP)
        channel = self.place(request, given.get("channel"))
        limit = MESSAGES if channel.person is None else DIRECT_MESSAGES
        if not self.world.count((self.key, "messages", channel.id), limit.count, limit.seconds).allowed:
            raise Fail(self.rate_limited())
        self.check_blocks(given.get("blocks"))
        text = given.get("text") or ""
        if not isinstance(text, str) or not (text.strip() or given.get("blocks")):
            raise self.word("no_text")
        if len(text) > TEXT_MAX:
            raise self.word("msg_too_long")
        if {"username", "icon_url", "icon_emoji"} & set(given):
            raise Fail(self.missing_scopes(["chat:write.customize"]))
        thread = self._thread(channel, given.get("thread_ts"))
        if given.get("reply_broadcast") and thread is None:
            raise self.word("invalid_arguments")
        self._check_metadata(given.get("metadata"))
        entry = self._post(request, channel, given, (), parent_id=thread)
        message = self._message(entry, with_metadata=True)
        return Response(200, {"ok": True, "channel": channel.id, "ts": entry.remote_id, "message": message})

    def _thread(self, channel: Channel, ts: Any) -> str | None:
        """Return the first message of a thread; one that is a reply itself takes none."""
        if not ts:
            return None
        parent = self.world.ledger.find(self.key, str(ts))
        if parent is None or parent.details["channel_id"] != channel.id:
            raise self.word("thread_not_found")
        if parent.parent_id is not None:
            raise self.word("cannot_reply_to_message")
        return parent.remote_id

    def _check_metadata(self, metadata: Any) -> None:
        if metadata is None:
            return
        is_right = isinstance(metadata, dict) and set(metadata) == {"event_type", "event_payload"}
        if not is_right or not EVENT_TYPE.fullmatch(str(metadata["event_type"])):
            raise self.word("invalid_metadata_format")
        if not isinstance(metadata["event_payload"], dict):
            raise self.word("invalid_metadata_schema")

    def _post(
        self, request: Request, channel: Channel, given: Mapping[str, Any], files: Sequence[Upload], **values: Any
    ) -> Entry:
        details = {
            "channel_id": channel.id, "metadata": given.get("metadata"), "raw": given.get("text") or "",
            "files": [file.id for file in files], "alt_texts": [file.alt_text for file in files],
            "broadcast": bool(given.get("reply_broadcast")),
            **{name: given.get(name) for name in ("mrkdwn", "unfurl_links", "unfurl_media", "blocks")},
        }  # fmt: skip
        media = tuple(hashlib.sha256(file.content or b"").hexdigest() for file in files)
        return self.publish(request, "post", shown(details["raw"]), media=media, details=details, **values)

    # --- files -------------------------------------------------------------------------------------------------------

    @route("GET /api/files.getUploadURLExternal", scopes=("files:write",), limits=TIER_4)
    @route("POST /api/files.getUploadURLExternal", scopes=("files:write",), limits=TIER_4)
    def upload_url(self, request: Request) -> Response:
        given = self.arguments(request, "filename", "length", "alt_txt", "snippet_type")
        length = str(given.get("length"))
        if not given.get("filename") or not length.isdigit() or not int(length):
            raise self.word("invalid_arguments")
        if int(length) > FILE_BYTES_MAX:
            raise self.word("file_upload_size_restricted")
        made = Upload(self.named_id("F"), given["filename"], int(length), given.get("alt_txt"), request.person.id)
        self.uploads[made.id] = made
        return Response(200, {"ok": True, "upload_url": f"{self.url}/upload/v1/{made.id}", "file_id": made.id})

    @route("POST /upload/v1/{file}", auth=False)
    def upload(self, request: Request) -> Response:
        """Take the bytes as they are, or in a form of one file."""
        made = self.uploads.get(request.args["file"])
        content = request.body
        if request.content_type == "multipart/form-data":
            [value] = request.form.values()
            content = value.content if isinstance(value, File) else b""
        if made is None or made.is_complete or len(content) != made.length:
            return Response(500, body=b"upload failed")
        made.content = content
        return Response(200, body=f"OK - {made.length}".encode())

    @route("POST /api/files.completeUploadExternal", scopes=("files:write",), limits=TIER_4)
    def complete(self, request: Request) -> Response:
        given = self.arguments(request, "files", "channel_id", "channels", "initial_comment", "thread_ts", "blocks")
        named = given.get("files") or []
        files = [self.uploads.get(str(one.get("id"))) for one in named]
        ready = [one for one in files if one is not None and one.content is not None and not one.is_complete]
        if not named or len(named) > FILES_MAX:
            raise self.word("invalid_arguments")
        if len(ready) < len(files) or any(one.owner_id != request.person.id for one in ready):
            raise self.word("file_not_found")
        text = given.get("initial_comment") or ""
        channel = self.place(request, given.get("channel_id")) if given.get("channel_id") else None
        if len(text) > TEXT_MAX:
            raise self.word("msg_too_long")
        thread = self._thread(channel, given.get("thread_ts")) if channel else None
        for one in ready:
            one.is_complete = True
        if channel is not None and not self.struck("unshared"):
            self._post(request, channel, {"text": text}, ready, parent_id=thread)
        answer = [{"id": one.id, "title": one.name, "shares": {}} for one in ready]  # which message it is, comes later
        return Response(200, {"ok": True, "files": answer})

    # --- messages that are there -------------------------------------------------------------------------------------

    @route("GET /api/conversations.history", limits=TIER_3)
    @route("POST /api/conversations.history", limits=TIER_3)
    def history(self, request: Request) -> Response:
        given = self._window(request)
        channel = self.channel(request, given.get("channel"), scope="history")
        found = [one for one in self._in(channel) if one.parent_id is None or one.details["broadcast"]]
        messages = [*self._messages(given, found), *self.said_in(channel)]
        return self._page(given, sorted(messages, key=lambda one: float(one["ts"]), reverse=True))

    @route("GET /api/conversations.replies", limits=TIER_3)
    @route("POST /api/conversations.replies", limits=TIER_3)
    def replies(self, request: Request) -> Response:
        given = self._window(request, "ts")
        channel = self.channel(request, given.get("channel"), scope="history")
        thread = [one for one in self._in(channel) if given.get("ts") in (one.remote_id, one.parent_id)]
        if not thread:
            raise self.word("thread_not_found")
        thread.sort(key=lambda one: float(one.remote_id))
        return self._page(given, self._messages(given, thread), root=given["ts"])

    def _window(self, request: Request, *more: str) -> dict[str, Any]:
        names = ("channel", "oldest", "latest", "inclusive", "limit", "cursor", "include_all_metadata")
        given = self.arguments(request, *names, *more)
        if int(given.get("limit") or 100) > 999:
            raise self.word("invalid_limit")
        return given

    def _in(self, channel: Channel) -> list[Entry]:
        """Return what is in a channel; the fault `eventual` hides the last seconds."""
        lag = self.world.strike(self.key, "*", ("eventual",))
        until = self.world.clock() - timedelta(seconds=lag.seconds if lag else 0)
        entries = [one for one in self.world.ledger.of(self.key) if one.details["channel_id"] == channel.id]
        return [one for one in entries if one.at <= until]

    def _messages(self, given: Mapping[str, Any], entries: Sequence[Entry]) -> list[dict[str, Any]]:
        return [self._message(one, with_metadata=bool(given.get("include_all_metadata"))) for one in entries]

    def _page(self, given: Mapping[str, Any], found: Sequence[Mapping[str, Any]], root: str | None = None) -> Response:
        """Return a page; the first message of a thread is there whatever the window is."""
        oldest, latest = float(given.get("oldest") or 0), float(given.get("latest") or 1e12)
        window = [one for one in found if one["ts"] == root or oldest < float(one["ts"]) < latest]
        start, limit = int(given.get("cursor") or 0), int(given.get("limit") or 100)
        more = len(window) > start + limit
        body: dict[str, Any] = {"ok": True, "messages": window[start : start + limit], "has_more": more}
        return Response(200, body | ({"response_metadata": {"next_cursor": str(start + limit)}} if more else {}))

    def _message(self, entry: Entry, *, with_metadata: bool) -> dict[str, Any]:
        details = entry.details
        user = next((bot.user_id for bot in self.bots.values() if bot.person.id == entry.account_id), None)
        message: dict[str, Any] = {"type": "message", "ts": entry.remote_id, "text": details["raw"], "team": TEAM}
        message |= (
            {"user": user, "bot_id": f"B{user[1:]}"} if user else {"subtype": "bot_message", "bot_id": entry.account_id}
        )
        message |= {"thread_ts": entry.parent_id} if entry.parent_id else {}
        message |= {"files": [{"id": id_, "name": self.uploads[id_].name} for id_ in details["files"]]} if (
            details["files"]) else {}  # fmt: skip
        return message | ({"metadata": details["metadata"]} if with_metadata and details["metadata"] else {})

    def _named(self, request: Request, given: Mapping[str, Any], name: str) -> Entry:
        channel = self.channel(request, given.get("channel"))
        entry = self.world.ledger.find(self.key, str(given.get(name)))
        if entry is None or entry.details["channel_id"] != channel.id:
            raise self.word("message_not_found")
        return entry

    @route("GET /api/chat.getPermalink")
    @route("POST /api/chat.getPermalink")
    def permalink(self, request: Request) -> Response:
        given = self.arguments(request, "channel", "message_ts")
        entry = self._named(request, given, "message_ts")
        url = f"{DOMAIN}archives/{given['channel']}/p{entry.remote_id.replace('.', '')}"
        if entry.parent_id:
            url += f"?thread_ts={entry.parent_id}&cid={given['channel']}"
        return Response(200, {"ok": True, "channel": given["channel"], "permalink": url})

    @route("POST /api/chat.delete", scopes=("chat:write",), limits=TIER_3)
    def remove(self, request: Request) -> Response:
        given = self.arguments(request, "channel", "ts", "as_user")
        entry = self._named(request, given, "ts")
        if entry.account_id != request.person.id:
            raise self.word("cant_delete_message")
        entry.deleted_at = self.world.clock()
        return Response(200, {"ok": True, "channel": given["channel"], "ts": entry.remote_id})


NETWORK: type[Network] = Slack
