"""What a message of a linked number means, and what is done about it. Rights are those of this moment."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta, tzinfo
from typing import Final
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from signalpost.context import AppContext
from signalpost.kit import clock, ids, zones
from signalpost.kit.db import Db
from signalpost.kit.problems import Problem
from signalpost.messenger import texts, times
from signalpost.messenger.actions import drafts, link
from signalpost.messenger.actions.drafts import Handled
from signalpost.messenger.contract import ROWS_MAX, Message, Option, Reply
from signalpost.messenger.queries import LinkRow
from signalpost.messenger.times import Choice, NotUnderstood
from signalpost.posts import queries as posts
from signalpost.posts.rows import PostRow
from signalpost.profiles import queries as profiles
from signalpost.profiles.queries import ProfileRow
from signalpost.web.caller import Caller

LATE: Final = timedelta(hours=1)
"""How late a message may arrive and still publish, schedule or cancel something."""
POSTS_KEPT: Final = 3
_COMMAND_MAX: Final = 120
_PROFILES: Final = """
select id, name from profile
where workspace_id = $1 and deleted_at is null and archived_at is null and ($2::uuid[] is null or id = any($2))
order by is_default desc, created_at, id limit 200
"""

_WORDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("help", "?", "start"), "help"),
    **dict.fromkeys(("stop", "stop all", "stopall", "unsubscribe", "unlink"), "stop"),
    **dict.fromkeys(("publish", "publish now", "post", "post now", "yes", "confirm"), "publish"),
    **dict.fromkeys(("cancel", "no", "discard"), "cancel"),
    "status": "status",
    "profiles": "profiles",
    "profile": "profiles",
    "schedule": "schedule",
}


class Conversation(Struct):
    """A message with all that its meaning depends on; `link` is as it is to be stored afterwards."""

    context: AppContext
    db: Db
    caller: Caller
    link: LinkRow
    message: Message
    profile: ProfileRow | None
    media_ids: Sequence[UUID] = ()
    ended: bool = False  # the link

    @property
    def zone_name(self) -> str:
        return "UTC" if self.profile is None else self.profile.timezone

    @property
    def zone(self) -> tzinfo:
        zone = zones.zone(self.zone_name)
        assert zone is not None  # noqa: S101 - profiles have no other
        return zone


Step = Callable[[Conversation, PostRow, str], Awaitable[Handled]]


async def respond(talk: Conversation) -> Reply | None:
    """Do what the message asks for, and return the reply; None: to a reaction, there is none.

    A problem is the reply, and then nothing was done.
    """
    try:
        async with talk.db.transaction():
            handled = await _handle(talk)
    except Problem as problem:
        return Reply(texts.refusal(problem))
    if handled is None:
        return None
    if handled.post_id is not None:
        others = [post_id for post_id in talk.link.post_ids if post_id != handled.post_id]
        talk.link = replace(talk.link, post_ids=[handled.post_id, *others][:POSTS_KEPT])
    return handled.reply


async def _handle(talk: Conversation) -> Handled | None:
    match talk.message.kind:
        case "silent":
            return None
        case "blocked" | "left":
            return await _gone(talk)
        case "unsupported":
            return Handled(Reply(texts.UNSUPPORTED))
        case "tap":
            return await _tapped(talk, talk.message.text)
        case "media":
            return await _draft(talk)
        case "text":
            return await _written(talk, talk.message.text)


async def _gone(talk: Conversation) -> Handled | None:
    """End the link of whoever is not the person any more, or wants nothing from us."""
    handled = await _end(talk, texts.LEFT)
    return None if talk.message.kind == "blocked" else handled


async def _written(talk: Conversation, text: str) -> Handled:
    """Do what a command says; a text that is none is a time, if one was asked for, or else a draft."""
    command, rest = _command(text)
    if command == "profiles" and rest:
        return await _choose_profile(talk, rest)
    if command == "schedule" and rest and _names_a_time(talk, rest):
        return await _acting(talk, _schedule, rest)
    if command is not None and not rest:
        return await _COMMANDS[command](talk)
    if talk.link.awaits_time:
        return await _acting(talk, _schedule, text)
    return await _draft(talk)


def _command(text: str) -> tuple[str | None, str]:
    """Return the command that a text begins with, and what follows it."""
    words = text.strip().rstrip(".!") if len(text) <= _COMMAND_MAX else ""
    if (command := _WORDS.get(words.lower())) is not None:
        return command, ""
    head, _, rest = words.partition(" ")
    command = {"schedule": "schedule", "profile": "profiles"}.get(head.lower())
    return command, rest.strip()


def _names_a_time(talk: Conversation, text: str) -> bool:
    """Whether what follows `schedule` may be a time; otherwise the message is a text that begins with that word."""
    choices = times.understand(text, talk.message.sent_at, talk.zone_name, talk.zone)
    return not isinstance(choices, NotUnderstood) or len(text.split()) <= 4


async def _acting(talk: Conversation, step: Step, argument: str = "", post_id: UUID | None = None) -> Handled:
    """Do something to a post, by default the last one, unless the message is too old for that."""
    if talk.message.sent_at < clock.now() - LATE:
        return Handled(Reply(texts.LATE))
    if refused := _read_only(talk.caller):
        return refused
    named = post_id or next(iter(talk.link.post_ids), None)
    if named is None:
        return Handled(Reply(texts.NO_DRAFT))
    post = await posts.find_mine(talk.db, talk.caller, named)
    if post is None:
        return Handled(Reply(texts.POST_GONE if post_id else texts.NO_DRAFT))
    talk.link = replace(talk.link, awaits_time=False)
    return await step(talk, post, argument)


def _read_only(caller: Caller) -> Handled | None:
    if "posts:write" in caller.scopes:
        return None
    return Handled(Reply(texts.READ_ONLY.format(role=caller.role)))


async def _draft(talk: Conversation) -> Handled:
    if refused := _read_only(talk.caller):
        return refused
    if talk.profile is None:
        return Handled(Reply(texts.NO_PROFILE))
    talk.link = replace(talk.link, awaits_time=False)
    return await drafts.make_draft(talk.context, talk.db, talk.caller, talk.profile, talk.message.text, talk.media_ids)


# --- what is done to a post -----------------------------------------------------------------------------------------


async def _publish(talk: Conversation, post: PostRow, _argument: str) -> Handled:
    return await drafts.publish(talk.context, talk.db, talk.caller, post)


async def _discard(talk: Conversation, post: PostRow, _argument: str) -> Handled:
    handled = await drafts.discard(talk.context, talk.db, talk.caller, post)
    if handled.post_id is None:
        left = [post_id for post_id in talk.link.post_ids if post_id != post.id]
        talk.link = replace(talk.link, post_ids=left)
    return handled


async def _ask_when(talk: Conversation, post: PostRow, _argument: str) -> Handled:
    talk.link = replace(talk.link, awaits_time=True)
    return Handled(Reply(texts.WHEN.format(zone=talk.zone_name)), post.id)


async def _schedule(talk: Conversation, post: PostRow, text: str) -> Handled:
    """Schedule the post for the time that a text names; ask if there is none, or more than one."""
    choices = times.understand(text, talk.message.sent_at, talk.zone_name, talk.zone)
    if isinstance(choices, NotUnderstood):
        talk.link = replace(talk.link, awaits_time=True)
        return Handled(Reply(f"{choices.reason} {texts.WHEN.format(zone=talk.zone_name)}"), post.id)
    if len(choices) > 1:
        talk.link = replace(talk.link, awaits_time=True)
        return Handled(drafts.time_choices(ids.encode("pst", post.id), choices, talk.zone, talk.zone_name), post.id)
    return await _schedule_for(talk, post, choices[0])


async def _schedule_for(talk: Conversation, post: PostRow, choice: Choice) -> Handled:
    if talk.profile is None:
        return Handled(Reply(texts.NO_PROFILE))
    when = times.in_words(choice, talk.zone_name, talk.zone)
    return await drafts.schedule(talk.context, talk.db, talk.caller, post, choice, talk.profile, when)


_STEPS: Final[Mapping[str, Step]] = {"now": _publish, "at": _ask_when, "cancel": _discard, "time": _schedule}


async def _tapped(talk: Conversation, button: str) -> Handled:
    """Do what a button says, which names its post: an old one is about an old post."""
    action, _, rest = button.partition(":")
    name, _, argument = rest.partition(":")
    post_id = ids.decode("pst", name)
    if action == "profile":
        return await _use_profile(talk, ids.decode("prof", name))
    if (step := _STEPS.get(action)) is None or post_id is None:
        return Handled(Reply(texts.UNKNOWN_BUTTON))
    return await _acting(talk, step, argument, post_id)


# --- commands -------------------------------------------------------------------------------------------------------


async def _help(_talk: Conversation) -> Handled:
    return Handled(Reply(texts.HELP))


async def _stop(talk: Conversation) -> Handled:
    return await _end(talk, texts.STOPPED)


async def _end(talk: Conversation, text: str) -> Handled:
    await link.end(talk.db, talk.link)
    talk.ended = True
    return Handled(Reply(text))


async def _publish_last(talk: Conversation) -> Handled:
    return await _acting(talk, _publish)


async def _cancel_last(talk: Conversation) -> Handled:
    if talk.link.awaits_time:
        talk.link = replace(talk.link, awaits_time=False)
        return Handled(Reply("Not scheduled. The draft is kept: write *publish*, *schedule* or *cancel*."))
    return await _acting(talk, _discard)


async def _ask_when_last(talk: Conversation) -> Handled:
    return await _acting(talk, _ask_when)


async def _status(talk: Conversation) -> Handled:
    results = [
        result
        for post_id in talk.link.post_ids
        if (result := await drafts.result(talk.db, post_id, talk.caller.workspace_id)) is not None
    ]
    return Handled(Reply("\n\n".join(results) or texts.NO_POSTS))


async def _list_profiles(talk: Conversation) -> Handled:
    records = await talk.db.fetch(_PROFILES, talk.caller.workspace_id, talk.caller.sees_profiles)
    lines = [f"• {record['name']}{' (in use)' * (record['id'] == talk.link.profile_id)}" for record in records]
    rows = [Option(f"profile:{ids.encode('prof', record['id'])}", record["name"]) for record in records[:ROWS_MAX]]
    text = "\n".join(["Your profiles:", *texts.shortened(lines, 20), "Choose one, or write *profile* and its name."])
    return Handled(Reply(text, rows=rows))


async def _choose_profile(talk: Conversation, name: str) -> Handled:
    records = await talk.db.fetch(_PROFILES, talk.caller.workspace_id, talk.caller.sees_profiles)
    match = next((record["id"] for record in records if record["name"].lower() == name.lower()), None)
    return await _list_profiles(talk) if match is None else await _use_profile(talk, match)


async def _use_profile(talk: Conversation, profile_id: UUID | None) -> Handled:
    profile = None if profile_id is None else await visible_profile(talk.db, talk.caller, profile_id)
    if profile is None:
        return Handled(Reply(texts.UNKNOWN_BUTTON))
    talk.link = replace(talk.link, profile_id=profile.id)
    return Handled(Reply(f"You post from the profile {profile.name} now. Its time zone is {profile.timezone}."))


async def visible_profile(db: Db, caller: Caller, profile_id: UUID) -> ProfileRow | None:
    """Return a profile that the caller may see, kept from being deleted until the transaction ends."""
    if not caller.may_see_profile(profile_id):
        return None
    return await profiles.lock_shared(db, caller.workspace_id, profile_id)


_COMMANDS: Final[Mapping[str, Callable[[Conversation], Awaitable[Handled]]]] = {
    "help": _help, "stop": _stop, "publish": _publish_last, "cancel": _cancel_last, "status": _status,
    "profiles": _list_profiles, "schedule": _ask_when_last,
}  # fmt: skip
