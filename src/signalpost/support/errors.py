from signalpost.identity.errors import TestModeOnlySandbox
from signalpost.web.caller import Caller


def require_live(caller: Caller) -> None:
    """Refuse a test key: tickets are read by people.

    Raises:
        TestModeOnlySandbox: the caller is one.
    """
    if caller.mode == "test":
        raise TestModeOnlySandbox("Support is not part of test mode. Use a live key, or sign in.")
