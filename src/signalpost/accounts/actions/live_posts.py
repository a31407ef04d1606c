from datetime import datetime

from signalpost.accounts import queries
from signalpost.accounts.queries import AccountRow
from signalpost.identity.errors import TestModeOnlySandbox
from signalpost.kit.db import Db
from signalpost.web.caller import Mode


async def require_none(db: Db, mode: Mode, account: AccountRow) -> None:
    """Ensure that a test key changes nothing for live posts that wait for this account, whose row is locked.

    Raises:
        TestModeOnlySandbox: some wait: live posts can be practised on the sandbox too.
    """
    if mode == "test" and await queries.has_waiting_targets(db, account.id, mode="live"):
        raise TestModeOnlySandbox("Live posts wait for this account. Change it with a live key.")


async def require_repair(db: Db, mode: Mode, account: AccountRow, token_expires_at: datetime | None) -> None:
    """Ensure that a test key that connects this account again, whose row is locked, stops no live posts.

    Whoever repairs a broken account only helps those that wait for it.

    Raises:
        TestModeOnlySandbox: it would resume an account that someone paused or disconnected while live posts wait for
            it, or let the token of one expire that live posts use.
    """
    if account.status in ("paused", "disconnected"):
        await require_none(db, mode, account)
    if mode == "test" and token_expires_at is not None and await queries.has_live_posts(db, account.id):
        raise TestModeOnlySandbox("Live posts use this account: with a test key its token cannot expire.")
