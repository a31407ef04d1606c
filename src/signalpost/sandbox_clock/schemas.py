"""The clock of the sandbox on the wire."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from signalpost.kit.wire import Input, Instant, Output

SECONDS_MAX = 3_000_000_000
"""More than to the last year that a clock can show."""


class SandboxClockMove(Input):
    """Move the clock: to an instant, or by some seconds. One of the two."""

    now: Annotated[
        Annotated[str, Meta(max_length=40)] | UnsetType,
        Meta(
            description="What time it is to be in the sandbox: RFC 3339 with an offset or Z, later than it is there"
            " now, at most in 2100.",
            examples=["2026-11-22T09:00:00Z"],
        ),
    ] = UNSET
    advance_seconds: Annotated[
        Annotated[int, Meta(ge=1, le=SECONDS_MAX)] | UnsetType,
        Meta(description="By how many seconds to move the clock forward.", examples=[3600]),
    ] = UNSET


class SandboxClock(Output):
    """The clock of a workspace's sandbox. It runs on from where it was moved to."""

    now: Annotated[Instant, Meta(description="What time it is in the sandbox.")]
    ahead_seconds: Annotated[
        float, Meta(description="How far the clock is ahead of the real time; 0: nobody moved it.", examples=[54000.0])
    ]
    ends_at: Annotated[
        Instant | None,
        Meta(description="When it returns to the real time by itself: a day after it was last moved. A real time."),
    ]
