"""Looking for what a messenger has given up: what people wrote while nobody was connected, in their linked chats.

Source of the pace: docs.slack.dev/reference/methods/conversations.history, 2026-11 (50 calls a minute for an app of
one's own workspace); that others read it after a reconnection: vellum-ai/vellum-assistant#29444, merged in May 2026,
and NousResearch/hermes-agent#44178, June 2026.
"""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import RunAgain
from signalpost.kit import clock, log
from signalpost.kit.db import Db
from signalpost.kit.failpoint import failpoint
from signalpost.messenger import queries
from signalpost.messenger.actions import receive
from signalpost.messenger.contract import Forgetful, Message, TryAgain
from signalpost.messenger.names import Name
from signalpost.messenger.queries import ChatRow

CHATS_MAX: Final = 8
PAUSE_SECONDS: Final = 10.0
"""Between two runs, so that 48 chats are looked at in a minute."""
_ROWS_MAX: Final = 500
_OVERLAP: Final = timedelta(minutes=7)
"""What was sent so long before the last turn may not have been confirmed; what came is known by its id."""
_OLDEST: Final = timedelta(days=6)
"""Ids of messages are kept for eight days; what is older could be handled twice."""
_PATIENCE: Final = 10
"""What is refused is tried again after a tenth of the time since it was noted: often at first, then rarely."""
_WAIT_SECONDS_MAX: Final = 3_600.0
_logger = log.get("messenger")

_NOTE: Final = """
update messenger_bot set missed_since = least(missed_since, $2), missed_noted_at = $3, missed_after = null
where bot_id = $1
"""
_MISSED: Final = """
select missed_since, missed_noted_at, missed_after from messenger_bot where bot_id = $1 and missed_since is not null
"""
# Only if nothing more was missed meanwhile: then it begins again.
_ADVANCE: Final = "update messenger_bot set missed_after = $3 where bot_id = $1 and missed_noted_at = $2"
_END: Final = """
update messenger_bot set missed_since = null, missed_after = null where bot_id = $1 and missed_noted_at = $2
"""


class Missed(Struct, frozen=True):
    """What is looked for. `after`: the link whose chat was looked at last."""

    since: datetime
    noted_at: datetime
    after: UUID | None


def job_of(messenger: Name) -> str:
    """Return the kind of the job that looks."""
    return f"messenger.recall_{messenger}"


async def note(
    db: Db, messenger: Name, bot_id: str, asked_at: datetime, now: datetime, patience_seconds: float
) -> None:
    """Have it looked for what was given up, if nobody has asked for too long. There is a connection again."""
    if (now - asked_at).total_seconds() <= patience_seconds:
        return
    await db.execute(_NOTE, bot_id, asked_at - _OVERLAP, now)
    kind = job_of(messenger)
    await jobs.enqueue(db, kind, {}, unique_key=kind)
    _logger.info("messenger.gap", messenger=messenger, seconds=round((now - asked_at).total_seconds()))


async def recall(context: AppContext, lease: Lease, messenger: Forgetful) -> RunAgain | None:
    """Look at the next chats, and store what they have and we have not."""
    bot_id = messenger.bot_id(context.settings)
    async with lease.transaction() as db:
        record = await db.fetchrow(_MISSED, bot_id)
        if record is None:
            return None
        missed = Missed(*record)
        now = clock.actual()
        if missed.noted_at < now - _OLDEST:
            await db.execute(_END, bot_id, missed.noted_at)
            _logger.error("messenger.given_up", messenger=messenger.name, since=missed.since.isoformat())
            return None
        chats = await queries.chats_after(db, missed.after, _ROWS_MAX)
    since = max(missed.since, now - _OLDEST)
    search = _Search(context, messenger, since)
    why = await search.at(chats)
    failpoint("messenger.recalled")
    is_all = why is None and search.looked == len(chats) < _ROWS_MAX
    async with lease.transaction() as db:
        await receive.store(context, db, search.found)
        if is_all:
            await db.execute(_END, bot_id, missed.noted_at)
        elif search.looked:
            await db.execute(_ADVANCE, bot_id, missed.noted_at, chats[search.looked - 1].id)
    if why is not None:
        _logger.warning("messenger.not_recalled", reason=why.reason)
        waited = min((now - missed.noted_at).total_seconds() / _PATIENCE, _WAIT_SECONDS_MAX)
        return RunAgain(max(why.after_seconds, waited, PAUSE_SECONDS))
    return RunAgain(PAUSE_SECONDS if search.calls else 0.0) if not is_all else None


class _Search:
    """A search of some chats. `looked`: at how many of them, also those of other messengers."""

    def __init__(self, context: AppContext, messenger: Forgetful, since: datetime) -> None:
        self._context, self._messenger, self._since = context, messenger, since
        self.looked = self.calls = 0
        self.found: list[Message] = []

    async def at(self, chats: list[ChatRow]) -> TryAgain | None:
        """Look until enough were asked for; return why the messenger does not say."""
        for chat in chats:
            person = queries.open_sender(self._context.keys, chat.recipient, chat.id)
            if person.messenger == self._messenger.name and person.chat_id is not None:
                if self.calls == CHATS_MAX:
                    return None
                self.calls += 1
                written = await self._messenger.written(self._context, person, max(self._since, chat.linked_at))
                if isinstance(written, TryAgain):
                    return written
                self.found += written
            self.looked += 1
        return None
