"""Why a post is refused."""

from signalpost.identity.errors import PlanLimitReached, TestModeOnlySandbox
from signalpost.kit.problems import Problem
from signalpost.profiles.errors import ProfileArchived
from signalpost.scheduling.errors import NoFreeSlot


class PreflightFailed(Problem, status=422):
    """A network would refuse this post.

    `errors` lists every rule that is broken, for every target; nothing was saved. `POST /posts/validate` checks a post
    without saving it; a draft keeps these errors as warnings.
    """


class TimezoneRequired(Problem, status=422):
    """A local time needs a time zone.

    Send `scheduledAt` with an offset or Z, or name an IANA zone in `timezone`.
    """


class ScheduleInPast(Problem, status=422):
    """The time is in the past.

    Choose a later `scheduledAt`, or leave it out to publish now.
    """


class ScheduleTooFar(Problem, status=422):
    """The time is more than 365 days ahead.

    Choose an earlier `scheduledAt`, or keep the post as a draft until then.
    """


class DuplicateContent(Problem, status=409):
    """The same content was posted to the same account within 24 hours.

    `existingPostId` names that post. Send `allowDuplicate: true` to publish this one anyway.
    """


class ExternalIdConflict(Problem, status=409):
    """Another post has this externalId.

    `existingPostId` names that post. Use another externalId, or move that post to the trash first.
    """


NOT_ACCEPTED = (
    PreflightFailed,
    TimezoneRequired,
    ScheduleInPast,
    ScheduleTooFar,
    DuplicateContent,
    ExternalIdConflict,
    NoFreeSlot,
    PlanLimitReached,
    ProfileArchived,
    TestModeOnlySandbox,
)
"""With what the content or the time of a post is refused."""
