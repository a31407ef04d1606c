"""Telegram's Bot API: messages, media, albums and polls in channels and groups, by the token of a bot.

Source: core.telegram.org/bots/api for 10.1 (11 June 2026) and core.telegram.org/bots/faq; the words of errors are those
that people report of production. What the documentation leaves open: lengths are counted in UTF-16 units, as entities
are; twenty messages a minute hold for channels as for groups; each file of an album counts. Left out: files by address
or `file_id`, keyboards but inline ones, paid messages, drafts. Requests have no key and messages no list, as at the
real one.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from simulator.ledger import Entry
from simulator.messages import File, Request, Response
from simulator.network import Network, route
from simulator.networks import telegram_text
from simulator.networks.downloads import image_size
from simulator.networks.telegram_chats import BOT, FIRST_MESSAGE_ID
from simulator.networks.telegram_updates import TelegramUpdates
from simulator.world import Destination

TEXT_MAX, CAPTION_MAX = 4096, 1024
PHOTO_BYTES_MAX, FILE_BYTES_MAX = 10_485_760, 52_428_800
SIDES_MAX, RATIO_MAX = 10_000, 20
ALBUM_MIN, ALBUM_MAX = 2, 10
QUESTION_MAX, OPTION_MAX, OPTIONS_MAX, EXPLANATION_MAX, DESCRIPTION_MAX = 300, 100, 12, 200, 1024
PERIOD_MIN, PERIOD_MAX = 5, 2_628_000
DELETE_HOURS = 48

TO_CHAT: Mapping[str, Any] = {
    "chat_id": (int, str), "message_thread_id": int, "disable_notification": bool, "protect_content": bool,
    "reply_parameters": dict,
}  # fmt: skip
CAPTION: Mapping[str, Any] = {"caption": str, "parse_mode": str, "caption_entities": list}
SHOWN: Mapping[str, Any] = {"has_spoiler": bool, "show_caption_above_media": bool}
FRAME: Mapping[str, Any] = {"width": int, "height": int, "duration": int}
PREVIEW = ("is_disabled", "url", "prefer_small_media", "prefer_large_media", "show_above_text")
MEDIA: Mapping[str, Mapping[str, Any]] = {
    "photo": {**CAPTION, **SHOWN},
    "video": {**CAPTION, **SHOWN, **FRAME, "supports_streaming": bool, "start_timestamp": int},
    "animation": {**CAPTION, **SHOWN, **FRAME},
    "document": {**CAPTION, "disable_content_type_detection": bool},
    "audio": {**CAPTION, "duration": int, "performer": str, "title": str},
}
KEPT = (
    "message_thread_id", "disable_notification", "protect_content", "has_spoiler", "parse_mode", "supports_streaming",
    "show_caption_above_media", "width", "height", "duration",
)  # fmt: skip
POLL: Mapping[str, Any] = {
    "question": str, "options": list, "is_anonymous": bool, "type": str, "allows_multiple_answers": bool,
    "correct_option_ids": list, "explanation": str, "open_period": int, "description": str,
    "allows_revoting": bool, "shuffle_options": bool, "hide_results_until_closes": bool,
}  # fmt: skip


class Telegram(TelegramUpdates):
    # --- texts -------------------------------------------------------------------------------------------------------

    def shown(self, text: str, mode: str | None, limit: int, words: str) -> str:
        """Return what a text shows, once its entities are parsed."""
        try:
            shown = telegram_text.visible(text, mode)
        except KeyError:
            self.bad("unsupported parse_mode")
        except telegram_text.BadEntities as wrong:
            self.bad(f"can't parse entities: {wrong}")
        if telegram_text.length(shown) > limit:
            self.bad(f"{words} is too long")
        return shown

    @route(f"POST {BOT}/sendMessage")
    def send_text(self, request: Request) -> Response:
        kinds = {**TO_CHAT, "text": str, "parse_mode": str, "entities": list, "link_preview_options": dict,
                 "reply_markup": dict}  # fmt: skip
        given = self.given(request, kinds)
        preview = given.get("link_preview_options", {})
        self.only(preview, *PREVIEW)
        if preview.get("prefer_small_media") and preview.get("prefer_large_media"):
            self.bad("link preview can be small or large, not both")
        text = self.shown(given.get("text", ""), given.get("parse_mode"), TEXT_MAX, "message")
        if not text:
            self.bad("message text is empty")
        markup = given.get("reply_markup", {})
        if markup:
            self.check_buttons(markup)
        chat = self.chat_to_write(request, given)
        [entry] = self.made(request, chat, given, text, link_preview_options=preview, reply_markup=markup)
        return self.good(self.message(entry, chat, {"text": text} | ({"reply_markup": markup} if markup else {})))

    # --- files -------------------------------------------------------------------------------------------------------

    def file(self, request: Request, value: Any, kind: str, used: set[str]) -> File:
        """Return a file of the request: itself, or named by `attach://`; it is checked as its kind wants it."""
        if isinstance(value, str) and value.startswith("attach://"):
            used.add(value.removeprefix("attach://"))
            value = request.fields.get(value.removeprefix("attach://"))
        if not isinstance(value, File):
            self.bad("wrong file identifier/HTTP URL specified")
        size = len(value.content)
        if size == 0:
            self.bad("file must be non-empty")
        if size > FILE_BYTES_MAX:
            raise self.refuse(413, "")
        if kind == "photo":
            if size > PHOTO_BYTES_MAX:
                self.bad(
                    f"file of size {size} bytes is too big for a photo; the maximum size is {PHOTO_BYTES_MAX} bytes"
                )
            sides = image_size(value.content)
            if sides is not None and (sum(sides) > SIDES_MAX or max(sides) > RATIO_MAX * min(sides)):
                self.bad("PHOTO_INVALID_DIMENSIONS")
        return value

    def all_used(self, request: Request, used: set[str]) -> None:
        """Refuse a file that nothing names: it would silently be missing."""
        files = {name for name, value in request.fields.items() if isinstance(value, File)}
        if unused := sorted(files - used):
            self.bad(f"nothing refers to the files {', '.join(unused)}")

    def _send_file(self, request: Request, kind: str) -> Response:
        given = self.given(request, {**TO_CHAT, **MEDIA[kind], kind: (str, File)})
        used = {kind}
        file = self.file(request, given.get(kind), kind, used)
        self.all_used(request, used)
        text = self.shown(given.get("caption", ""), given.get("parse_mode"), CAPTION_MAX, "message caption")
        chat = self.chat_to_write(request, given)
        [entry] = self.made(request, chat, given, text, files=[file], media_kinds=[kind])
        caption = {"caption": text} if text else {}
        return self.good(self.message(entry, chat, caption | {kind: _media(kind, file, given)}))

    @route(f"POST {BOT}/sendPhoto")
    def send_photo(self, request: Request) -> Response:
        return self._send_file(request, "photo")

    @route(f"POST {BOT}/sendVideo")
    def send_video(self, request: Request) -> Response:
        return self._send_file(request, "video")

    @route(f"POST {BOT}/sendAnimation")
    def send_animation(self, request: Request) -> Response:
        return self._send_file(request, "animation")

    @route(f"POST {BOT}/sendDocument")
    def send_document(self, request: Request) -> Response:
        return self._send_file(request, "document")

    @route(f"POST {BOT}/sendAudio")
    def send_audio(self, request: Request) -> Response:
        return self._send_file(request, "audio")

    @route(f"POST {BOT}/sendMediaGroup")
    def send_album(self, request: Request) -> Response:
        given = self.given(request, {**TO_CHAT, "media": list})
        items: list[Any] = given.get("media", [])
        if not ALBUM_MIN <= len(items) <= ALBUM_MAX:
            self.bad("an album must have from 2 to 10 items")
        used: set[str] = set()
        files, captions, kinds = [], [], []
        for item in items:
            kind = str(item.get("type")) if isinstance(item, dict) else ""
            if kind not in MEDIA or kind == "animation":
                self.bad("can't use the media of the specified type in the album")
            self.only(item, "type", "media", *MEDIA[kind])
            files.append(self.file(request, item.get("media"), kind, used))
            captions.append(self.shown(item.get("caption", ""), item.get("parse_mode"), CAPTION_MAX, "message caption"))
            kinds.append(kind)
        if len(set(kinds)) > 1 and not set(kinds) <= {"photo", "video"}:
            self.bad("documents and audio files can't be mixed with other media types")
        self.all_used(request, used)
        chat = self.chat_to_write(request, given, count=len(items))
        text = "\n".join(filter(None, captions))
        extras = {"has_spoiler": [item.get("has_spoiler", False) for item in items]}
        entries = self.made(request, chat, given, text, files=files, media_kinds=kinds, items=items, **extras)
        group = self.new_id()
        return self.good([
            self.message(entries[0], chat, {
                "message_id": entries[0].details["message_ids"][number], "media_group_id": group,
                kinds[number]: _media(kinds[number], file, items[number]),
                **({"caption": captions[number]} if captions[number] else {}),
            })
            for number, file in enumerate(files)
        ])  # fmt: skip

    # --- polls -------------------------------------------------------------------------------------------------------

    @route(f"POST {BOT}/sendPoll")
    def send_poll(self, request: Request) -> Response:
        given = self.given(request, {**TO_CHAT, **POLL})
        question = given.get("question", "").strip()
        options = [self._option(option) for option in given.get("options", [])]
        self._check_poll(given, question, options)
        chat = self.chat_to_write(request, given)
        if chat.kind == "channel" and given.get("is_anonymous") is False:
            self.bad("non-anonymous polls can't be sent to channel chats")
        poll: dict[str, Any] = {
            "id": self.new_id(), "question": question,
            "options": [{"text": text, "voter_count": 0, "persistent_id": str(at)} for at, text in enumerate(options)],
            "total_voter_count": 0, "is_closed": False, "is_anonymous": given.get("is_anonymous", True),
            "type": given.get("type", "regular"),
            "allows_multiple_answers": given.get("allows_multiple_answers", False),
            "allows_revoting": given.get("allows_revoting", given.get("type") != "quiz"), "members_only": False,
            **{name: given[name] for name in ("correct_option_ids", "explanation", "open_period") if name in given},
        }  # fmt: skip
        [entry] = self.made(request, chat, given, question, poll=poll)
        return self.good(self.message(entry, chat, {"poll": poll}))

    def _option(self, option: Any) -> str:
        if not isinstance(option, dict):
            self.bad("expected an object of type InputPollOption")
        self.only(option, "text", "text_parse_mode", "text_entities")
        return str(option.get("text", "")).strip()

    def _check_poll(self, given: Mapping[str, Any], question: str, options: Sequence[str]) -> None:
        if not 0 < telegram_text.length(question) <= QUESTION_MAX:
            self.bad("poll question must be from 1 to 300 characters")
        if not 1 <= len(options) <= OPTIONS_MAX:
            self.bad("poll must have from 1 to 12 options")
        if any(not 0 < telegram_text.length(option) <= OPTION_MAX for option in options):
            self.bad("poll options must be from 1 to 100 characters")
        if len(set(options)) < len(options):
            self.bad("poll options must be different")
        explanation, period = given.get("explanation", ""), given.get("open_period")
        if telegram_text.length(explanation) > EXPLANATION_MAX or explanation.count("\n") > 2:
            self.bad("poll explanation is too long")
        if telegram_text.length(given.get("description", "")) > DESCRIPTION_MAX:
            self.bad("poll description is too long")
        if period is not None and not PERIOD_MIN <= period <= PERIOD_MAX:
            self.bad("poll open period must be from 5 to 2628000 seconds")
        correct, kind = given.get("correct_option_ids"), given.get("type", "regular")
        if kind not in {"regular", "quiz"} or (kind == "regular" and (correct or explanation)):
            self.bad("only quizzes have correct options and an explanation")
        is_index = [type(at) is int and 0 <= at < len(options) for at in correct or [None]]
        if kind == "quiz" and not all(is_index):
            self.bad("quiz must have correct options")

    # --- deleting ----------------------------------------------------------------------------------------------------

    @route(f"POST {BOT}/deleteMessage")
    def delete(self, request: Request) -> Response:
        given = self.given(request, {"chat_id": (int, str), "message_id": int})
        chat = self.chat(request, given.get("chat_id"))
        entry = self.find(chat, given.get("message_id"))
        if entry is None or given["message_id"] in entry.details["deleted_ids"]:
            self.bad("message to delete not found")
        rights = self.member(request.person, chat)
        is_old = entry.at + timedelta(hours=DELETE_HOURS) < self.world.clock()
        if not rights.get("can_delete_messages") and (is_old or entry.details["bot"] != request.person.id):
            self.bad("message can't be deleted for everyone")
        entry.details["deleted_ids"].append(given["message_id"])
        if set(entry.details["deleted_ids"]) >= set(entry.details["message_ids"]):
            entry.deleted_at = self.world.clock()
        return self.good(True)  # noqa: FBT003 - as Telegram answers

    # --- messages ----------------------------------------------------------------------------------------------------

    def made(
        self,
        request: Request,
        chat: Destination,
        given: Mapping[str, Any],
        text: str,
        files: Sequence[File] = (),
        **details: Any,
    ) -> list[Entry]:
        """Make a message public, or an album of one for each file, which is one entry of the ledger."""
        first = self.last_ids.get(chat.id, FIRST_MESSAGE_ID) + 1
        ids = list(range(first, first + max(len(files), 1)))
        self.last_ids[chat.id] = ids[-1]
        reply = given.get("reply_parameters", {}).get("message_id")
        kept = {name: given[name] for name in KEPT if name in given} | details
        entry = self.publish(
            request, "post", text, account_id=chat.id, remote_id=str(first),
            media=tuple(hashlib.sha256(file.content).hexdigest() for file in files),
            parent_id=None if reply is None else str(reply),
            details=kept | {"message_ids": ids, "deleted_ids": [], "bot": request.person.id},
        )  # fmt: skip
        self.messages |= {(chat.id, message_id): entry for message_id in ids}
        return [entry]

    def message(self, entry: Entry, chat: Destination, content: Mapping[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = {"message_id": int(entry.remote_id)}
        answer |= {"date": int(entry.at.timestamp()), "chat": self.short(chat)}
        if chat.kind == "channel":
            answer["sender_chat"] = self.short(chat)
        if "message_thread_id" in entry.details:
            answer |= {"message_thread_id": entry.details["message_thread_id"], "is_topic_message": True}
        return {**answer, **content}


def _media(kind: str, file: File, given: Mapping[str, Any]) -> Any:
    """Return a sent file as a message has it."""
    digest = hashlib.sha256(file.content).hexdigest()
    answer: dict[str, Any] = {"file_id": f"F{digest}", "file_unique_id": digest[:15], "file_size": len(file.content)}
    if kind == "photo":
        return [answer | {"width": 1, "height": 1}]
    if kind in {"video", "animation"}:
        answer |= {"width": given.get("width", 0), "height": given.get("height", 0)}
    if kind in {"video", "animation", "audio"}:
        answer |= {"duration": given.get("duration", 0)}
    return answer | {"file_name": file.name, "mime_type": file.content_type}


NETWORK: type[Network] = Telegram
