"""Asking for a key that a person grants in the console: device authorization (RFC 8628)."""

import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final
from uuid import uuid4

from signalpost_client import errors
from signalpost_client._call import Call, Config
from signalpost_client.cli import _screen
from signalpost_client.cli._caller import Caller
from signalpost_client.errors import ConfigurationError, Problem, SignalpostError, Unreachable

NAME_MAX: Final = 80
INTERVAL_MIN_SECONDS: Final = 0.2
INTERVAL_MAX_SECONDS: Final = 60.0
_OVER: Final = "Nobody has granted a key within the time. Run `sp login` again."


class NotOffered(SignalpostError):
    """The server is older than this."""


def granted_key(address: str, open_page: Callable[[str], Any] | None) -> str:
    """Return the key that a person grants at the page of the server, which is opened if there is a browser.

    Raises:
        NotOffered: the server has no such page; a key can be pasted.
        ConfigurationError: the person refused, or nobody decided in time.
        SignalpostError: what answers at the address is not Signalpost, or refuses for another reason.
    """
    with Caller("none", base_url=address) as caller:
        codes = _opened(caller)
        page = str(codes["verificationUriComplete"])
        if not page.startswith(("http://", "https://")):
            raise ConfigurationError(f"{address} answers with a page that no browser opens. Check the address.")
        _screen.remark(f"Open {codes['verificationUri']} and compare or enter this code:\n\n    {codes['userCode']}\n")
        if open_page is not None:
            open_page(page)
        _screen.remark("Waiting until you have decided there.")
        return _awaited(caller, codes)


def _opened(caller: Caller) -> Any:
    name = platform.node()[:NAME_MAX].strip() or "a terminal"
    try:
        return _post(caller, "/device-logins", {"deviceName": name})
    except Problem as problem:
        if problem.status in (404, 405):
            raise NotOffered("The server is older than `sp`, and grants no keys this way.") from None
        raise


def _awaited(caller: Caller, codes: Any) -> str:
    interval = float(codes["intervalSeconds"])
    lifetime = datetime.fromisoformat(codes["expiresAt"]) - datetime.now(UTC)
    # By the clock of this machine, which may be wrong: the service decides, this only ends at some time.
    until = time.monotonic() + max(lifetime.total_seconds(), 600.0)
    key = f"sp-{uuid4()}"
    while time.monotonic() < until:
        time.sleep(min(max(interval, INTERVAL_MIN_SECONDS), INTERVAL_MAX_SECONDS))
        try:
            answer = _post(caller, "/device-logins/token", {"deviceCode": codes["deviceCode"]}, key=key, once=True)
        except Unreachable:
            interval *= 2  # and with the same idempotency key: an answer that was lost has the key
        except errors.SlowDown as problem:
            interval, key = problem.retry_after_seconds or interval + 5, f"sp-{uuid4()}"
        except errors.AuthorizationPending:
            key = f"sp-{uuid4()}"
        except errors.AccessDenied:
            raise ConfigurationError("The key was refused. Run `sp login` again if that was a mistake.") from None
        except errors.ExpiredToken:
            raise ConfigurationError(_OVER) from None
        else:
            return str(answer["key"])
    raise ConfigurationError(_OVER)


def _post(caller: Caller, path: str, body: Any, *, key: str | None = None, once: bool = False) -> Any:
    call = Call(
        Config.of("none", caller.address, None, 4), "POST", path, body=body, anonymous=True, once=once,
        idempotency_key=key or f"sp-{uuid4()}",
    )  # fmt: skip
    return caller._perform(call).value  # noqa: SLF001 - a call of its own kind
