"""When a post and each of its targets are to be published, as the body says it. Pure."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct, field

from signalpost.kit import clock
from signalpost.posts import times
from signalpost.posts.compose.issues import IssueCollector
from signalpost.posts.documents import PostWarning
from signalpost.posts.schemas.requests import PostCreate
from signalpost.posts.times import InvalidTime, Moment

_ASSUMES_UTC = (
    "No time zone was sent, and that of the profile is UTC, so this means {when}. Send `timezone` or an offset, or set"
    " the time zone of the profile."
)


class Unchanged(Struct, frozen=True):
    """What an update leaves as it was: it is not checked again."""

    media_ids: frozenset[UUID] = frozenset()
    schedule: Moment | None = None
    in_slot: bool = False  # the time is that of a slot
    targets: bool = False  # and so are their own times


class Schedule(Struct):
    """The times of a post. `post` None: as soon as possible; a draft: at no time yet. `in_slot`: that of a slot."""

    post: Moment | None
    targets: list[datetime | None]  # by position in `targets` of the body; None: the post's time
    warnings: list[PostWarning] = field(default_factory=list)
    in_slot: bool = False

    def use_slot(self, moment: Moment) -> None:
        """Set the time of the post to that of a slot."""
        self.post, self.in_slot = moment, True
        if moment.warning is not None:
            self.warnings.append(PostWarning("schedule.dst", "/publishMode", moment.warning))


def resolve_schedule(
    data: PostCreate, zone_name: str, unchanged: Unchanged, issues: IssueCollector, *, is_draft: bool, zone_chosen: bool
) -> Schedule:
    """Read the times of the body, and collect what is wrong with them.

    A wall time gets a warning if its zone is UTC and nobody chose that: hardly anyone means it.

    The times of a draft may have passed: they are checked when it is scheduled. If every target has a time of its own
    and the post has none, the earliest of them becomes the post's.
    """
    reader = _Reader(zone_name, clock.now(), issues)
    reader.assumes_utc = zone_name == "UTC" and not zone_chosen
    post = unchanged.schedule or reader.read(data.scheduled_at, "/scheduledAt", passed=is_draft)
    may_have_passed = is_draft or unchanged.targets
    targets = [
        None
        if target.scheduled_at is None
        else reader.read(target.scheduled_at, f"/targets/{index}/scheduledAt", passed=may_have_passed)
        for index, target in enumerate(data.targets or ())
    ]
    target_times = [None if moment is None else moment.at for moment in targets]
    if post is None and targets:
        own = [at for at in target_times if at is not None]
        post = Moment(min(own)) if len(own) == len(targets) else None
    return Schedule(post, target_times, reader.warnings, in_slot=unchanged.in_slot)


class _Reader:
    """Reads the times of one body."""

    def __init__(self, zone_name: str, now: datetime, issues: IssueCollector) -> None:
        self.zone_name = zone_name
        self.now = now
        self.issues = issues
        self.assumes_utc = False
        self.warnings: list[PostWarning] = []

    def read(self, text: str | None, path: str, *, passed: bool) -> Moment | None:
        """Return the instant; None if there is none, or if it is an issue. `passed`: it may lie in the past."""
        if text is None:
            return None
        moment = (
            times.read(text, self.zone_name, path) if passed else times.schedule(text, self.zone_name, self.now, path)
        )
        if isinstance(moment, InvalidTime):
            self.issues.add_time(moment)
            return None
        if moment.warning is not None:
            self.warnings.append(PostWarning("schedule.dst", path, moment.warning))
        if moment.local is not None and self.assumes_utc:
            self.warnings.append(PostWarning("schedule.utc", path, _ASSUMES_UTC.format(when=clock.wire(moment.at))))
        return moment
