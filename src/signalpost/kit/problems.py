"""Errors that a client sees, as RFC 9457 problems: one class per code, and one page of the docs per class.

The class name gives the stable code (`PlanLimitReached` -> `plan_limit_reached`), the first line of the docstring is
the title, the rest says what to do. Rooms declare theirs in `errors.py`; the general ones are here.
"""

import errno
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct

from signalpost.kit import log


class Issue(Struct, omit_defaults=True):
    """An error at one place of a request: `path` is a JSON pointer into the body, or the name of a query parameter."""

    path: str
    code: str
    message: str
    params: dict[str, Any] | None = None


class Problem(Exception):
    """An error that the client can read and act on.

    Args:
        detail: what happened in this case, for people; the default is the first of `errors`, or the title.
        errors: the errors by place, all of them at once.
        headers: extra response headers, such as Retry-After.
        remediation: what to do in this case, instead of what the docstring says.
        members: extra members of the problem document (`limit`, `platform`, `existingPostId`).
    """

    status: ClassVar[int] = 500
    code: ClassVar[str] = "problem"
    title: ClassVar[str] = "Problem"
    remediation: ClassVar[str | None] = None
    retryable: ClassVar[bool] = False
    registry: ClassVar[dict[str, type["Problem"]]] = {}

    def __init_subclass__(cls, *, status: int, retryable: bool = False, code: str | None = None) -> None:
        cls.status = status
        cls.retryable = retryable
        cls.code = code or re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        lines = (cls.__doc__ or cls.__name__).strip().splitlines()
        cls.title = lines[0].rstrip(".")
        cls.remediation = " ".join(line.strip() for line in lines[1:] if line.strip()) or None
        Problem.registry[cls.code] = cls

    def __init__(
        self,
        detail: str | None = None,
        *,
        errors: Sequence[Issue] = (),
        headers: Mapping[str, str] | None = None,
        remediation: str | None = None,
        **members: Any,
    ) -> None:
        super().__init__(detail or self.title)
        self.errors = list(errors)
        self.detail = detail or _first(self.errors) or self.title + "."
        self.headers = dict(headers or {})
        if remediation is not None:
            self.remediation = remediation  # type: ignore[misc] # of this one; the class has that of its page
        self.members = members


class MalformedRequest(Problem, status=400):
    """The request cannot be read.

    Send valid JSON in UTF-8, and cursors exactly as you received them.
    """


class Unauthenticated(Problem, status=401):
    """A valid credential is required.

    Send `Authorization: Bearer <API key or access token>`.
    """


class Forbidden(Problem, status=403):
    """Your role does not allow this.

    Ask an owner or admin of the workspace.
    """


class InvalidSignature(Problem, status=401):
    """The signature of the notification is missing, wrong or too old.

    Sign the exact bytes of the body with the secret that both sides have, and send it at once.
    """


class VerificationFailed(Problem, status=403):
    """The webhook could not be verified.

    Enter as the verify token at Meta what the setting says: SIGNALPOST_WHATSAPP_VERIFY_TOKEN for the messenger,
    SIGNALPOST_<NETWORK>_VERIFY_TOKEN for comments of a network.
    """


class InsufficientScope(Problem, status=403):
    """This API key lacks a scope that the operation requires.

    Create a key with the scope named in `detail`.
    """


class SecondFactorMissing(Problem, status=403):
    """The workspace requires a second factor of you, and you have none.

    Set one up: `POST /auth/totp` with your password, then `POST /auth/totp/confirm` with the first code.
    """


class SignedInAsAnother(Problem, status=403):
    """Another user has signed in in this browser since the page was opened.

    Nothing was done. Reload the page to go on as the user who is signed in now.
    """


class NotFound(Problem, status=404):
    """Not found.

    Check the id, and that your credential can access the workspace and profile of the resource.
    """


class MethodNotAllowed(Problem, status=405):
    """This path does not support the method.

    The `Allow` header lists the supported methods.
    """


class NotAcceptable(Problem, status=406):
    """None of the accepted media types can be produced.

    Accept `application/json`.
    """


class InvalidState(Problem, status=409):
    """The resource is in a state that does not allow this.

    Read the resource again; `detail` names the state and what it allows.
    """


class AlreadyExists(Problem, status=409):
    """A resource with this name or identity already exists.

    Choose another name, or use the existing resource.
    """


class VersionConflict(Problem, status=412):
    """The resource has changed since you read it.

    Read it again, merge your change and send the new `ETag` in `If-Match`.
    """


class UriTooLong(Problem, status=414):
    """The address of the request is too long.

    Shorten path and query.
    """


class PayloadTooLarge(Problem, status=413):
    """The request is larger than allowed.

    `limit` in the response, if present, is the maximum size in bytes.
    """


class UnsupportedMediaType(Problem, status=415):
    """The operation does not accept the media type of the body.

    Send `Content-Type: application/json`, or the type that the reference of the operation names.
    """


class ValidationFailed(Problem, status=422):
    """Some values are not valid.

    `errors` lists every invalid value with its place. Correct them all and send the request again.
    """


class TooManyItems(Problem, status=422):
    """The request contains more items than allowed.

    Split it into several requests.
    """


class UnsafeAddress(Problem, status=422, code="unsafe_url"):
    """The service may not connect to this address.

    Use a public https address. If the host is private, an operator can allow it with SIGNALPOST_ALLOWED_PRIVATE_HOSTS.
    """


class HostNotFound(Problem, status=422, retryable=True):
    """The host of this address does not resolve.

    Check its spelling. If the name is new, try again when the name servers know it.
    """


class RateLimited(Problem, status=429, retryable=True):
    """Too many requests.

    Wait for the number of seconds in `Retry-After`, then send requests more slowly.
    """


class InternalError(Problem, status=500, retryable=True):
    """Something went wrong on our side.

    Try again. If it persists, report the request id.
    """


class Unavailable(Problem, status=503, retryable=True):
    """The service cannot do this right now.

    Try again after the number of seconds in `Retry-After`.
    """


def is_disk_full(error: BaseException) -> bool:
    """Return whether a file could not be written for want of space, or because its owner may use no more."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def disk_full() -> Unavailable:
    """Return what clients learn when a file cannot be written because the disk is full."""
    return Unavailable("There is no space for files right now.", headers={"Retry-After": "300"})


def problem_document(problem: Problem, path: str, base_url: str) -> dict[str, Any]:
    """Return the members of the problem document; `path` is that of the request."""
    document: dict[str, Any] = {
        "type": f"{base_url}/problems/{problem.code}",
        "title": problem.title,
        "status": problem.status,
        "detail": problem.detail,
        "instance": path,
        "code": problem.code,
        "requestId": log.request_id.get(),
        "retryable": problem.retryable,
    }
    if problem.remediation:
        document["remediation"] = problem.remediation
    if problem.errors:
        document["errors"] = problem.errors
    return document | problem.members


def _first(errors: list[Issue]) -> str | None:
    """Return the first error as a sentence, for people who read only `detail`."""
    if not errors:
        return None
    more = f" And {len(errors) - 1} more." if len(errors) > 1 else ""
    return f"{errors[0].path or 'The body'}: {errors[0].message}{more}"


def pointer(*tokens: str | int) -> str:
    """Return a JSON pointer (RFC 6901): `pointer("options", "a/b")` is `/options/a~1b`."""
    return "".join(f"/{str(token).replace('~', '~0').replace('/', '~1')}" for token in tokens)


def invalid(path: str, code: str, message: str, **params: Any) -> ValidationFailed:
    """Return a ValidationFailed with one error."""
    return ValidationFailed(errors=[Issue(path, code, message, params or None)])
