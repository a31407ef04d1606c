"""Exit codes by class of problem. They are documented, so they stay."""

from collections.abc import Mapping
from typing import Final

from signalpost_client import errors

BUG: Final = 1
USAGE: Final = 2
NOT_SIGNED_IN: Final = 3
NOT_ALLOWED: Final = 4
NOT_FOUND: Final = 5
CONFLICT: Final = 6
INVALID: Final = 7
LATER: Final = 8
UNREACHABLE: Final = 9
FAILED: Final = 10
WAITING: Final = 11
INTERRUPTED: Final = 130
MEANINGS: Final[Mapping[int, str]] = {
    0: "it is done",
    BUG: "sp itself failed; it says where the details are",
    USAGE: "the command line is wrong",
    NOT_SIGNED_IN: "there is no key, or the service refuses it",
    NOT_ALLOWED: "the plan or the rights of the key do not allow it",
    NOT_FOUND: "there is no such thing, or no longer",
    CONFLICT: "the thing is in another state or version, or exists already",
    INVALID: "the service refuses a value, or a file",
    LATER: "the service is busy or has a fault: later it may work",
    UNREACHABLE: "nobody answers at the address, or not Signalpost",
    FAILED: "the post was not published everywhere, or the file cannot be used",
    WAITING: "the wait is over before the post was published; it goes on",
    INTERRUPTED: "Ctrl-C; the same command again goes on without doing anything twice",
}
_STATUSES: Final = {
    401: NOT_SIGNED_IN, 402: NOT_ALLOWED, 403: NOT_ALLOWED, 404: NOT_FOUND, 410: NOT_FOUND, 409: CONFLICT,
    412: CONFLICT, 429: LATER,
}  # fmt: skip


def exit_code(error: errors.SignalpostError) -> int:
    """Return the exit code of an error."""
    match error:
        case errors.Problem():
            return _STATUSES.get(error.status, LATER if error.status >= 500 else INVALID)
        case errors.Unreachable() | errors.UnexpectedResponse() | errors.UploadInterrupted():
            return UNREACHABLE
        case errors.NotPublished() | errors.UploadFailed():
            return FAILED
        case errors.WaitTimeout():
            return WAITING
        case _:
            return NOT_SIGNED_IN
