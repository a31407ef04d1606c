"""What Discord accepts in a message, as its documentation of v10 says; the rules of `simulator/networks/discord.py`."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from simulator.messages import BadBody, File, Request

CONTENT_MAX, FILES_MAX, ALT_TEXT_MAX, TAGS_MAX = 2_000, 10, 1_024, 5
USERNAME_MAX, THREAD_NAME_MAX, NONCE_MAX, ADDRESS_MAX = 80, 100, 25, 2_048
QUESTION_MAX, ANSWERS_MAX, ANSWER_MAX, HOURS_MAX = 300, 10, 55, 768
EMBEDS_MAX, EMBEDS_LENGTH_MAX = 10, 6_000
EMBED_LENGTHS = {"title": 256, "description": 4_096}
MIB = 1_048_576
FILE_BYTES = {0: 10 * MIB, 1: 10 * MIB, 2: 50 * MIB, 3: 100 * MIB}
"""Of one file, by the boost tier of the server."""
SUPPRESS_EMBEDS, SUPPRESS_NOTIFICATIONS = 4, 4_096
SHARED = ("content", "tts", "embeds", "allowed_mentions", "components", "attachments", "flags", "poll")
WEBHOOK = (*SHARED, "username", "avatar_url", "thread_name", "applied_tags")
BOT = (*SHARED, "nonce", "enforce_nonce", "message_reference", "sticker_ids")
IN_FORUM = tuple(name for name in SHARED if name != "poll")
SNOWFLAKE = re.compile(r"[0-9]{15,20}")
Problem = tuple[str, str, str]
"""Path, code and message of a member that is wrong."""


def read(request: Request) -> tuple[dict[str, Any], list[File]]:
    """Return the members of a message and its files, from JSON or from a form with `payload_json`."""
    if request.content_type == "application/json":
        return request.json, []
    form = dict(request.form)
    try:
        body = json.loads(form.pop("payload_json", "{}"))
    except ValueError as error:
        raise BadBody("payload_json is not JSON") from error
    if not isinstance(body, dict):
        raise BadBody("payload_json is not an object")
    files = []
    for index, (name, value) in enumerate(form.items()):
        if name != f"files[{index}]" or not isinstance(value, File) or not value.name:
            raise BadBody(f"{name} is not files[{index}] with a file name")
        files.append(value)
    return body, files


def problems(body: Mapping[str, Any], files: Sequence[File], allowed: Sequence[str]) -> Iterator[Problem]:
    """Yield what Discord calls an invalid form body."""
    for name in sorted(set(body) - set(allowed)):
        yield name, "UNKNOWN_FIELD", "This field does not exist."
    content = body.get("content") or ""
    if not isinstance(content, str):
        yield "content", "STRING_TYPE_CONVERT", "Could not interpret as string."
    elif len(content) > CONTENT_MAX:
        yield "content", "BASE_TYPE_MAX_LENGTH", f"Must be {CONTENT_MAX} or fewer in length."
    if (body.get("flags") or 0) & ~(SUPPRESS_EMBEDS | SUPPRESS_NOTIFICATIONS):
        yield "flags", "MESSAGE_FLAGS_INVALID", "Only SUPPRESS_EMBEDS and SUPPRESS_NOTIFICATIONS are known here."
    for name in ("components", "sticker_ids"):
        if body.get(name):
            yield name, "NOT_SIMULATED", "The simulator has none."
    for name, check in _CHECKS.items():
        if body.get(name) is not None:
            yield from check(body[name])
    yield from _attachments(body.get("attachments") or [], files)


def _mentions(value: Any) -> Iterator[Problem]:
    parse = value.get("parse") or []
    if set(value) - {"parse", "users", "roles", "replied_user"} or set(parse) - {"everyone", "users", "roles"}:
        yield "allowed_mentions", "ENUM_TYPE_COERCE", "Value is not a valid mention type."
    for kind in ("users", "roles"):
        if kind in parse and value.get(kind):
            yield "allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", f'parse:["{kind}"] and {kind} exclude'


def _name(path: str, length_max: int) -> Callable[[Any], Iterator[Problem]]:
    def check(value: Any) -> Iterator[Problem]:
        if not isinstance(value, str) or not 1 <= len(value) <= length_max:
            yield path, "BASE_TYPE_BAD_LENGTH", f"Must be between 1 and {length_max} in length."

    return check


def _username(value: Any) -> Iterator[Problem]:
    yield from _name("username", USERNAME_MAX)(value)
    if any(word in str(value).casefold() for word in ("clyde", "discord")):
        yield "username", "USERNAME_INVALID_CONTAINS", 'Username cannot contain "discord" or "clyde"'
    if str(value).casefold() in {"everyone", "here"}:
        yield "username", "USERNAME_INVALID", "Username is invalid."


def _avatar(value: Any) -> Iterator[Problem]:
    if not re.match(r"https?://", str(value)) or len(value) > ADDRESS_MAX:
        yield "avatar_url", "URL_TYPE_INVALID_URL", "Not a well formed URL."


def _tags(value: Any) -> Iterator[Problem]:
    if len(value) > TAGS_MAX or not all(SNOWFLAKE.fullmatch(str(tag)) for tag in value):
        yield "applied_tags", "BASE_TYPE_MAX_LENGTH", f"Must be {TAGS_MAX} or fewer snowflakes."


def _nonce(value: Any) -> Iterator[Problem]:
    if len(str(value)) > NONCE_MAX:
        yield "nonce", "NONCE_TYPE_TOO_LONG", f"Must be {NONCE_MAX} or fewer in length."


def _poll(value: Any) -> Iterator[Problem]:
    question, answers = value.get("question", {}).get("text") or "", value.get("answers") or []
    texts = [answer.get("poll_media", {}).get("text") or "" for answer in answers]
    if set(value) - {"question", "answers", "duration", "allow_multiselect", "layout_type"}:
        yield "poll", "UNKNOWN_FIELD", "This field does not exist."
    if not 1 <= len(question) <= QUESTION_MAX:
        yield "poll.question.text", "BASE_TYPE_BAD_LENGTH", f"Must be between 1 and {QUESTION_MAX} in length."
    if not 1 <= len(texts) <= ANSWERS_MAX or any(not 1 <= len(text) <= ANSWER_MAX for text in texts):
        yield "poll.answers", "BASE_TYPE_BAD_LENGTH", f"1 to {ANSWERS_MAX} answers of 1 to {ANSWER_MAX} characters."
    if not 1 <= value.get("duration", 24) <= HOURS_MAX or value.get("layout_type", 1) != 1:
        yield "poll.duration", "NUMBER_TYPE_MAX", f"int value should be less than or equal to {HOURS_MAX}."


def _embeds(value: Any) -> Iterator[Problem]:
    if len(value) > EMBEDS_MAX:
        yield "embeds", "BASE_TYPE_MAX_LENGTH", f"Must be {EMBEDS_MAX} or fewer in length."
    total = 0
    for index, embed in enumerate(value):
        unknown = set(embed) - {"type", "title", "description", "url", "color", "image", "footer"}
        if unknown or not any(embed.get(name) for name in ("title", "description", "image", "footer")):
            yield f"embeds.{index}", "BASE_TYPE_REQUIRED", "An embed needs content."
        for name, length_max in EMBED_LENGTHS.items():
            if len(embed.get(name) or "") > length_max:
                yield f"embeds.{index}.{name}", "BASE_TYPE_MAX_LENGTH", f"Must be {length_max} or fewer in length."
        if not 0 <= embed.get("color", 0) <= 0xFFFFFF:
            yield f"embeds.{index}.color", "NUMBER_TYPE_MAX", "int value should be less than or equal to 16777215."
        footer = (embed.get("footer") or {}).get("text") or ""
        if len(footer) > 2_048:
            yield f"embeds.{index}.footer.text", "BASE_TYPE_MAX_LENGTH", "Must be 2048 or fewer in length."
        total += len(footer) + sum(len(embed.get(name) or "") for name in EMBED_LENGTHS)
    if total > EMBEDS_LENGTH_MAX:
        yield "embeds", "MAX_EMBED_SIZE_EXCEEDED", f"Embed size exceeds maximum size of {EMBEDS_LENGTH_MAX}"


def _attachments(described: Sequence[Mapping[str, Any]], files: Sequence[File]) -> Iterator[Problem]:
    ids = [str(one.get("id")) for one in described]
    if described and ids != [str(index) for index in range(len(files))]:
        yield "attachments", "ATTACHMENT_NOT_FOUND", "Each attachment needs its file, and each file its attachment."
    for index, one in enumerate(described):
        if set(one) - {"id", "filename", "description", "title", "is_spoiler"}:
            yield f"attachments.{index}", "UNKNOWN_FIELD", "This field does not exist."
        if len(one.get("description") or "") > ALT_TEXT_MAX:
            yield f"attachments.{index}.description", "BASE_TYPE_MAX_LENGTH", f"Must be {ALT_TEXT_MAX} or fewer."


_CHECKS: Mapping[str, Callable[[Any], Iterator[Problem]]] = {
    "allowed_mentions": _mentions, "username": _username, "avatar_url": _avatar, "applied_tags": _tags,
    "thread_name": _name("thread_name", THREAD_NAME_MAX), "nonce": _nonce, "poll": _poll, "embeds": _embeds,
}  # fmt: skip


def errors_of(found: Sequence[Problem]) -> dict[str, Any]:
    """Return the tree of errors of code 50035."""
    tree: dict[str, Any] = {}
    for path, code, message in found:
        branch = tree
        for step in path.split("."):
            branch = branch.setdefault(step, {})
        branch.setdefault("_errors", []).append({"code": code, "message": message})
    return tree
