"""The first comment under a post: sent at most once, and never a reason for the post to fail."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

from signalpost.kit.http import HttpFailure
from signalpost.networks.contract import Absent, ApiError, Journal, Outcome, Outgoing, Published, Reconciled
from signalpost.networks.threads import is_restored, part_done

_STEP: Final = "first_comment"
_LOST: Final = "Whether the network accepted the first comment is not known. Look at the post before you add it again."


async def add_first_comment(
    published: Published,
    outgoing: Outgoing,
    journal: Journal,
    *,
    send: Callable[[str], Awaitable[str]],
    explain: Callable[[ApiError], Outcome],
) -> Published:
    """Return `published` with the first comment that `send` creates, or with the reason why it is missing.

    Before it is sent, the journal says so: if the answer is lost with this process, it is not sent again.
    """
    if not outgoing.first_comment:
        return published
    step = journal.steps.get(_STEP)
    if step is None and _may_be_commented(journal):
        step = {"error": _LOST}
    if step is None:
        await journal.record(_STEP, {"error": _LOST})
        try:
            step = {"id": await send(outgoing.first_comment)}
        except ApiError as error:
            step = {"error": getattr(explain(error), "message", str(error))}
        except HttpFailure as failure:
            step = {"error": f"{_LOST} ({failure.detail})"}
        await journal.record(_STEP, step)
    return replace(published, first_comment_id=step.get("id"), first_comment_error=step.get("error"))


def until_commented(reconciled: Reconciled, outgoing: Outgoing, journal: Journal) -> Reconciled:
    """Return what was found; Absent if only the first comment is missing, so that `publish` goes on and adds it."""
    is_missing = _STEP not in journal.steps and not _may_be_commented(journal)
    return Absent() if isinstance(reconciled, Published) and outgoing.first_comment and is_missing else reconciled


def _may_be_commented(journal: Journal) -> bool:
    """Whether the post was found after a restore: the saved instance may have commented on it."""
    return is_restored(part_done(journal, 0) or {})
