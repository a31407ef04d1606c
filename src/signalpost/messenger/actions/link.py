"""A number is linked by a code that its user got with a credential, and sends from there. Five guesses an hour."""

import re
import secrets
from datetime import timedelta
from typing import Final, Literal

from signalpost.accounts.errors import PlatformNotConfigured
from signalpost.context import AppContext
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.messenger import messengers, queries, texts
from signalpost.messenger.actions import notices, reply
from signalpost.messenger.contract import Message, Messenger, Reply, Sender
from signalpost.messenger.names import Name
from signalpost.messenger.queries import CodeRow, LinkRow
from signalpost.messenger.schemas import LinkCode, LinkCodeCreate
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.profiles import queries as profiles
from signalpost.settings import Settings
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId

ALPHABET: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
CODE_LENGTH: Final = 8
CODE_LIFETIME: Final = timedelta(minutes=10)
WRONG_MAX: Final = 5
_CODE: Final = re.compile(f"[{ALPHABET}]{{{CODE_LENGTH}}}")
_DEFAULT_PROFILE: Final = """
select id from profile where workspace_id = $1 and deleted_at is null and ($2::uuid[] is null or id = any($2))
order by is_default desc, created_at, id limit 1
"""
_INSERT_CODE: Final = """
insert into messenger_code (id, workspace_id, user_id, profile_id, mode, scopes, profile_ids, code_hash, expires_at,
    key_id, session_id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
on conflict (workspace_id, user_id, mode) do update set id = excluded.id, profile_id = excluded.profile_id,
    scopes = excluded.scopes, profile_ids = excluded.profile_ids, code_hash = excluded.code_hash,
    expires_at = excluded.expires_at, key_id = excluded.key_id, session_id = excluded.session_id
where excluded.key_id is null or excluded.key_id = messenger_code.key_id or messenger_code.expires_at <= now()
returning true
"""
_OWN: Final = "workspace_id = $1 and user_id = $2 and mode = $3 and ($4::uuid is null or key_id = $4)"
_FORGET_CODE: Final = f"delete from messenger_code where {_OWN}"  # noqa: S608 - a condition of ours
_UNLINK: Final = f"delete from messenger_link where {_OWN}"  # noqa: S608 - a condition of ours
_END: Final = "delete from messenger_link where id = $1"
_INSERT_LINK: Final = """
insert into messenger_link (id, workspace_id, user_id, profile_id, mode, scopes, profile_ids, phone_hash, user_hash,
    recipient, phone_masked, last_message_at, key_id, session_id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
"""
_TAKE_CODE: Final = f"""
delete from messenger_code c where c.code_hash = any($1) and c.expires_at > now() and {queries.works("c")}
returning {queries.CODE}
"""  # noqa: S608 - columns of a struct
_DELETE_REPLACED: Final = f"""
delete from messenger_link l
where (workspace_id = $1 and user_id = $2 and mode = $3) or phone_hash = any($4) or user_hash = any($5)
returning {queries.LINK}
"""  # noqa: S608 - columns of a struct
# One statement, so that of guesses at the same moment each is counted.
_ATTEMPT: Final = """
insert into messenger_guess (sender_hash) values ($1)
on conflict (sender_hash) do update set updated_at = now() returning locked_until > now() as locked
"""
_WRONG: Final = """
update messenger_guess set wrong = case when wrong + 1 >= $2 then 0 else wrong + 1 end,
    locked_until = case when wrong + 1 >= $2 then now() + interval '1 hour' else locked_until end
where sender_hash = $1 returning locked_until > now() as locked
"""
_RIGHT: Final = "delete from messenger_guess where sender_hash = $1"
_ANSWER_ONCE: Final = """
insert into messenger_guess (sender_hash, answered_at) values ($1, now())
on conflict (sender_hash) do update set answered_at = now(), updated_at = now()
    where messenger_guess.answered_at is null or messenger_guess.answered_at < now() - interval '1 hour'
returning 1
"""
_PROFILE_NAME: Final = "select name from profile where id = $1"

CodeResult = Literal["linked", "wrong", "locked", "taken"]
_OF_ANOTHER: Final = "Another credential of yours has linked a number, or got a code for one."
_SIGN_IN: Final = "Sign in to unlink that number, or to link another one."


def require_configured(settings: Settings, name: Name | None) -> Messenger:
    """Return the messenger of this name, or the first one that this installation has.

    Raises:
        PlatformNotConfigured: it has none.
    """
    ours = [messenger for messenger in messengers.configured(settings) if name in {None, messenger.name}]
    if not ours:
        raise PlatformNotConfigured(
            "This installation does not have that messenger." if name else "This installation has no messenger.",
            remediation="An operator sets SIGNALPOST_TELEGRAM_BOT_TOKEN, or SIGNALPOST_SLACK_BOT_TOKEN or"
            " SIGNALPOST_WHATSAPP_PHONE_NUMBER_ID and the settings that belong to it.",
        )
    return ours[0]


async def create_code(context: AppContext, db: Db, caller: Caller, data: LinkCodeCreate) -> LinkCode:
    """Create a code; the caller's older one stops working.

    Raises:
        PlatformNotConfigured: this installation has no messenger.
        PlanFeatureUnavailable: the plan has none.
        Forbidden: the role writes no posts and approves none; or a key would replace what another credential made.
        InsufficientScope: a key may not make what acts for it.
        ValidationFailed: there is no such profile.
    """
    messenger = require_configured(context.settings, data.messenger)
    plans.require_feature(caller, limits.MESSENGER_LINK)
    if caller.role == "viewer":
        raise problems.Forbidden("The role viewer has no messenger.")
    if caller.key_id is not None:
        await _require_key(db, caller)
    profile_id = data.profile_id
    if profile_id is None:
        profile_id = await db.fetchval(_DEFAULT_PROFILE, caller.workspace_id, caller.sees_profiles)
    if profile_id is None or not await profiles.named(db, caller, [profile_id]):
        raise problems.ValidationFailed(errors=[ProfileId.not_found("/profileId")])
    code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
    expires_at = clock.actual() + CODE_LIFETIME
    invitation = await messenger.invitation(db, context.settings, code)
    written = await db.fetchval(
        _INSERT_CODE, ids.new_id(), caller.workspace_id, caller.user_id, profile_id, caller.mode,
        sorted(caller.scopes), caller.sees_profiles, queries.digests(context.keys, code)[0], expires_at,
        caller.key_id, caller.session_id,
    )  # fmt: skip
    if not written:
        raise problems.Forbidden(_OF_ANOTHER, remediation=_SIGN_IN)
    return LinkCode(
        code=code, expires_at=clock.wire(expires_at), messenger=messenger.name, address=invitation.address,
        phone_number=invitation.phone_number,
        deep_link=invitation.deep_link, qr_text=invitation.deep_link,
    )  # fmt: skip


async def _require_key(db: Db, caller: Caller) -> None:
    """Ensure that a key may link a number: the link acts as the key does, from wherever the phone is."""
    if "keys:write" not in caller.scopes:
        raise problems.InsufficientScope("This API key lacks the scope keys:write, which linking a number needs.")
    if caller.ip_allow_list:
        raise problems.Forbidden(
            "This API key may be used from certain addresses only, and messages come from none.",
            remediation="Link the number where you sign in, or with a key without ipAllowList.",
        )
    if await queries.is_of_another(db, caller):
        raise problems.Forbidden(_OF_ANOTHER, remediation=_SIGN_IN)


async def unlink(db: Db, caller: Caller) -> None:
    """End the caller's link and their code; a key ends only what it made. Repeating this changes nothing.

    Raises:
        Forbidden: the caller is a key, and another credential made the link.
    """
    key = (caller.workspace_id, caller.user_id, caller.mode, caller.key_id)
    await db.execute(_FORGET_CODE, *key)
    await db.execute(_UNLINK, *key)
    if caller.key_id is not None and await queries.is_of_another(db, caller):
        raise problems.Forbidden(_OF_ANOTHER, remediation=_SIGN_IN)


async def end(db: Db, link: LinkRow) -> None:
    """End a link because of a message."""
    await db.execute(_END, link.id)
    await notices.record(db, link, "unlink_messenger")


def code_in(text: str) -> str | None:
    """Return the code that a text consists of, in any case and with spaces or hyphens; None if it is not one."""
    if len(text) > 4 * CODE_LENGTH:
        return None
    code = text.upper().replace(" ", "").replace("-", "").strip()
    return code if _CODE.fullmatch(code) else None


async def try_code(context: AppContext, db: Db, message: Message, code: str) -> CodeResult:
    """Link the number if the code is right; the fifth wrong one locks the number for an hour."""
    sender = queries.sender_hash(context.keys, message.sender)
    if await db.fetchval(_ATTEMPT, sender):
        return "locked"
    record = await db.fetchrow(_TAKE_CODE, queries.digests(context.keys, code))
    if record is None:
        return "locked" if await db.fetchval(_WRONG, sender, WRONG_MAX) else "wrong"
    row = queries.read_code(record)
    await db.execute(_RIGHT, sender)
    if row.key_id is not None and await queries.is_of_another(db, row):  # linked since the code was made
        return "taken"
    link = await _create(context, db, row, message)
    profile = await db.fetchval(_PROFILE_NAME, link.profile_id)
    welcome = Reply(texts.linked(profile), reply_to=message.reply_to)
    await reply.to_link(context, db, link, welcome)
    return "linked"


async def _create(context: AppContext, db: Db, code: CodeRow, message: Message) -> LinkRow:
    keys, sender = context.keys, message.sender
    phones, users = queries.phone_hashes(keys, sender), queries.user_hashes(keys, sender)
    replaced = await db.fetch(_DELETE_REPLACED, code.workspace_id, code.user_id, code.mode, phones, users)
    link_id = ids.new_id()
    masked = None if sender.phone is None else messengers.of(sender).masked(sender)
    await db.execute(
        _INSERT_LINK, link_id, code.workspace_id, code.user_id, code.profile_id, code.mode, code.scopes,
        code.profile_ids, phones[0] if phones else None, users[0] if users else None,
        queries.seal(keys, sender, link_id), masked, message.sent_at, code.key_id,
        code.session_id,
    )  # fmt: skip
    link = await queries.find_link(db, link_id)
    assert link is not None  # noqa: S101 - just written
    await notices.tell_linked(context, db, link, [queries.read_link(record) for record in replaced])
    return link


async def answer_stranger(context: AppContext, db: Db, sender: Sender, reply_to: str) -> None:
    """Say how to link a number, once an hour."""
    if await db.fetchval(_ANSWER_ONCE, queries.sender_hash(context.keys, sender)):
        await reply.to_sender(context, db, sender, Reply(texts.STRANGER, reply_to=reply_to))
