"""Asking a messenger for what is new: by one worker at a time, whose position is stored with the messages."""

from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import RunAgain
from signalpost.kit import clock, log
from signalpost.kit.failpoint import failpoint
from signalpost.messenger.actions import recall, receive
from signalpost.messenger.contract import Polled, TryAgain

PAUSE_SECONDS: Final = 1.0
_RESTART: Final = timedelta(days=6)
"""After a week without messages their numbers begin at any other number; by then none is waiting."""
_RENAMED: Final = timedelta(days=1)
_logger = log.get("messenger")

_BOT: Final = "select position, asked_at, named_at from messenger_bot where bot_id = $1"
_NAME: Final = """
insert into messenger_bot (bot_id, username) values ($1, $2)
on conflict (bot_id) do update set username = excluded.username, named_at = now()
"""
_ADVANCE: Final = """
update messenger_bot set position = coalesce($2, position), asked_at = case when $3 then $4 else asked_at end
where bot_id = $1
"""


class Bot(Struct, frozen=True):
    """How far we have asked. `asked_at`: all that came before was read."""

    position: int | None
    asked_at: datetime
    named_at: datetime


async def poll(context: AppContext, lease: Lease, messenger: Polled) -> RunAgain:
    """Ask for messages and store them. What is stored is confirmed afterwards, or by the next question."""
    bot_id, now = messenger.bot_id(context.settings), clock.actual()
    bot = await _find(context, bot_id)
    if bot is None or bot.named_at < now - _RENAMED:
        name = await messenger.introduce(context)
        if isinstance(name, TryAgain):
            return _failed(name)
        async with lease.transaction() as db:
            await db.execute(_NAME, bot_id, name)
        bot = bot or Bot(None, now, now)
    position = None if bot.asked_at < now - _RESTART else bot.position
    news = await messenger.ask(context, position, bot.asked_at)
    if isinstance(news, TryAgain):
        return _failed(news)
    failpoint("messenger.asked")
    async with lease.transaction() as db:
        if news.messages:
            await receive.store(context, db, news.messages)
        await db.execute(_ADVANCE, bot_id, news.following, news.is_all, now)
        if messenger.patience_seconds is not None:
            await recall.note(db, messenger.name, bot_id, bot.asked_at, now, messenger.patience_seconds)
    failpoint("messenger.stored")
    if news.acknowledge is not None:
        await news.acknowledge()
    return RunAgain(PAUSE_SECONDS if news.is_empty else 0.0)


async def _find(context: AppContext, bot_id: str) -> Bot | None:
    async with context.database.connection() as db:
        record = await db.fetchrow(_BOT, bot_id)
    return None if record is None else Bot(*record)


def _failed(why: TryAgain) -> RunAgain:
    _logger.warning("messenger.not_asked", reason=why.reason)
    return RunAgain(why.after_seconds)
