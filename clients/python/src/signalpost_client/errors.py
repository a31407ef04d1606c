"""What can go wrong. Each error says in its message what happened and what to do.

A problem that the service answers is a `Problem`, of a class named after its code: `errors.PlanLimitReached`.
A code that this version does not know is a plain `Problem`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from signalpost_client._generated.problems import *  # noqa: F403 - a class for each code


class SignalpostError(Exception):
    """Every error of this package."""


class ConfigurationError(SignalpostError):
    """The client cannot be used as it is set up: no key, no whole address."""


class Unreachable(SignalpostError):
    """There was no answer. Whether the call had an effect is not known.

    Args:
        message: what happened, for people.
        idempotency_key: sent with the call: the same call with this key is safe for 24 hours.
    """

    def __init__(self, message: str, *, idempotency_key: str | None = None) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key


class UnexpectedResponse(SignalpostError):
    """What answered is not Signalpost: a proxy, a sign-in page of a network, another program."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Issue:
    """An error at one place: `path` is a JSON pointer into the body, or the name of a parameter or header."""

    path: str
    code: str
    message: str
    params: Mapping[str, Any]


class Problem(SignalpostError):
    """The service refused the call, or failed (RFC 9457).

    Args:
        document: the problem as it was answered, with members that this version does not know.
        status: of the response, for documents that do not say it.
        retry_after_seconds: when the same call may succeed, if the service said so.
        note: what else there is to know, such as an earlier attempt without an answer.
    """

    def __init__(
        self, document: Mapping[str, Any], status: int, *, retry_after_seconds: float | None = None, note: str = ""
    ) -> None:
        self.document: dict[str, Any] = dict(document)
        self.status = status
        self.retry_after_seconds = retry_after_seconds
        detail = str(document.get("detail") or document.get("title") or f"status {status}")
        super().__init__(" ".join(part for part in (detail, self.remediation, note) if part))

    @property
    def code(self) -> str:
        """What happened, for programs. Its meaning never changes."""
        return str(self.document.get("code", ""))

    @property
    def title(self) -> str:
        return str(self.document.get("title", ""))

    @property
    def detail(self) -> str:
        """What happened in this case, for people."""
        return str(self.document.get("detail", ""))

    @property
    def remediation(self) -> str:
        """What to do, for people; it may be empty."""
        return str(self.document.get("remediation") or "")

    @property
    def request_id(self) -> str:
        """Include it when you report a problem."""
        return str(self.document.get("requestId", ""))

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later."""
        return bool(self.document.get("retryable", False))

    @property
    def issues(self) -> Sequence[Issue]:
        """All that is wrong, by place."""
        return [
            Issue(str(issue["path"]), str(issue["code"]), str(issue["message"]), issue.get("params") or {})
            for issue in self.document.get("errors") or ()
        ]

    @property
    def pointer(self) -> str | None:
        """The place of the first issue."""
        return next((issue.path for issue in self.issues), None)


class InvalidDelivery(SignalpostError):
    """A delivery is not from your Signalpost, or too old. Respond 401 and do nothing else."""


class NotPublished(SignalpostError):
    """The post was not published everywhere; `status` is what `get_post_status` answered."""

    def __init__(self, message: str, status: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.status = status


class WaitTimeout(SignalpostError):
    """The post is not published yet; it goes on without you. `status` is the last one."""

    def __init__(self, message: str, status: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.status = status


class UploadInterrupted(SignalpostError):
    """A resumable upload broke off. What arrived is kept for 24 hours: upload again with `resume=upload_id`."""

    def __init__(self, message: str, upload_id: str) -> None:
        super().__init__(message)
        self.upload_id = upload_id


class UploadFailed(SignalpostError):
    """The service has the bytes, or no longer waits for them, and the file cannot be used; `media` says why."""

    def __init__(self, message: str, media: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.media = media


def problem(
    document: Mapping[str, Any], status: int, *, retry_after_seconds: float | None = None, note: str = ""
) -> Problem:
    """Return the error of the class that is named after the code."""
    from signalpost_client._generated.problems import BY_CODE

    kind = BY_CODE.get(str(document.get("code", "")), Problem)
    return kind(document, status, retry_after_seconds=retry_after_seconds, note=note)


def __getattr__(name: str) -> Any:
    """Find the class of a code: it is generated."""
    if not name.startswith("_"):
        from signalpost_client._generated import problems

        if hasattr(problems, name):
            return getattr(problems, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
