"""Waiting until a post is published."""

import time
from collections.abc import Mapping
from typing import Any, Final

from signalpost_client._call import Call, Config, quote
from signalpost_client._steps import Steps, Wait
from signalpost_client.errors import NotPublished, WaitTimeout

FIRST_SECONDS: Final = 0.25
LONGEST_SECONDS: Final = 5.0


def until_published(config: Config, post_id: str, timeout_seconds: float) -> Steps[Mapping[str, Any]]:
    """Ask for the status, less and less often, until the post is published.

    Raises:
        NotPublished: it failed at one network or more, or it is a draft.
        WaitTimeout: it is neither published nor failed.
    """
    ends_at = time.monotonic() + timeout_seconds
    seconds = FIRST_SECONDS
    while True:
        status = (yield Call(config, "GET", f"/posts/{quote(post_id)}/status")).value
        if status["status"] == "published":
            return status  # type: ignore[no-any-return] # JSON
        if status["status"] in ("failed", "partial", "draft"):
            raise NotPublished(_why(post_id, status), status)
        if (left := ends_at - time.monotonic()) <= 0:
            reason = status.get("heldMessage") or f"it is {status['status']}"
            message = f"{post_id} was not published within {timeout_seconds:g} seconds: {reason}."
            raise WaitTimeout(message + " The service goes on with it.", status)
        yield Wait(min(seconds, left))
        seconds = min(seconds * 1.5, LONGEST_SECONDS)


def _why(post_id: str, status: Mapping[str, Any]) -> str:
    if status["status"] == "draft":
        return f"{post_id} is a draft: submit it first."
    errors = [(target, target["error"]) for target in status["targets"] if target.get("error")]
    reasons = [f"{target['platform']} ({target['username']}): {error['userMessage']}" for target, error in errors]
    remedies = dict.fromkeys(error["remediation"] for _, error in errors if error.get("remediation"))
    return " ".join([f"{post_id} is {status['status']}.", *reasons, *remedies])
