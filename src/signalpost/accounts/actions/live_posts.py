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
