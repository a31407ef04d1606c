"""What replies say."""

from collections.abc import Sequence
from typing import Final

from signalpost.kit.problems import Problem
from signalpost.messenger.times import EXAMPLES

ISSUES_SHOWN: Final = 4
TARGETS_SHOWN: Final = 8

HELP: Final = f"""Send a text, or a picture or video with a text: you get a draft and see how it fits each network.

*publish*: post the last draft now
*schedule {EXAMPLES.partition(",")[0]}*: or another time: {EXAMPLES}
*cancel*: discard the last draft, or take it off the schedule
*status*: what became of your last posts
*profiles*: choose the profile to post from
*stop*: unlink this chat"""
STRANGER: Final = (
    "This chat is not linked. Get a code where you manage your posts (Settings, Messenger), and send it here."
)
WRONG_CODE: Final = "This code is wrong, used or too old. Get another one, and send it here."
LOCKED: Final = "Too many wrong codes. Try again in an hour."
NO_MEMBER: Final = "You are no longer a member of the workspace, so this chat is not linked any more."
ENDED: Final = (
    "The access that this chat was linked with was revoked or has expired, so it is not linked any more."
    " Get a new code to link it again."
)
TAKEN: Final = (
    "Nothing was linked: a chat is linked already that this code may not replace. End that link first, or get a code"
    " where you sign in."
)
HIDDEN: Final = "number that is hidden"
REPLACED: Final = "This chat is not linked any more: the {number} was linked instead."
LEFT: Final = (
    "This number has changed hands or user ids, so it is not linked any more. Get a new code to link it again."
)
STOPPED: Final = "This chat is not linked any more, and you get no more messages. Get a new code to link it again."
UNSUPPORTED: Final = "I can use texts, pictures, videos and documents, but not this kind of message. Nothing was done."
UNKNOWN_BUTTON: Final = "This button does not work any more. Nothing was done."
NO_DRAFT: Final = "There is no draft. Send a text, a picture or a video first."
POST_GONE: Final = "That post was deleted. Nothing was done."
NO_PROFILE: Final = "The profile of this link was deleted. Write *profiles* to choose another one."
NO_POSTS: Final = "You have made no post here yet. Send a text, a picture or a video."
LATE: Final = "This message reached me more than an hour late, so nothing was done. Please send it again."
WHEN: Final = f"When? For example: {EXAMPLES}. The time zone is {{zone}}."
FAILED: Final = "Something went wrong here, and your last message was not handled. Please send it again."
NO_FILE: Final = "The file could not be fetched from the messenger. Please send it again."
TOO_LARGE: Final = "The file is too large: a {kind} may have at most {megabytes} MB. Nothing was done."
WRONG_TYPE: Final = "Files of type {mime_type} cannot be posted. Nothing was done."
READ_ONLY: Final = "Your role {role} may not write posts. Ask an owner or admin of the workspace."
NO_ACCOUNTS: Final = (
    "Draft saved for {profile}. No account is connected there: connect one, then write *publish* or *schedule*."
)


def too_large(kind: str, bytes_max: int) -> str:
    """Return that a file is larger than the messenger hands out."""
    return TOO_LARGE.format(kind=kind, megabytes=bytes_max // 1_000_000)


def linked(profile: str) -> str:
    """Return the first message to a number that was just linked."""
    return f"This chat is linked now: you post from the profile {profile}.\n\n{HELP}"


def refusal(problem: Problem) -> str:
    """Return why something was refused, as the API would say it, and what to do."""
    messages = list(dict.fromkeys(issue.message for issue in problem.errors))
    lines = [problem.detail] if problem.detail not in messages else []
    lines += [f"• {message}" for message in messages[:ISSUES_SHOWN]]
    if len(messages) > ISSUES_SHOWN:
        lines.append(f"… and {len(messages) - ISSUES_SHOWN} more")
    return "\n".join(["Nothing was done.", *lines])


def shortened(lines: Sequence[str], count: int = TARGETS_SHOWN) -> list[str]:
    """Return the first lines, and how many follow."""
    more = len(lines) - count
    return [*lines[:count], *([f"… and {more} more"] if more > 0 else [])]
