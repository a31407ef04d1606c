"""From a clock's row to the response."""

from signalpost.kit import clock
from signalpost.sandbox_clock.queries import ClockRow
from signalpost.sandbox_clock.schemas import SandboxClock


def sandbox_clock(row: ClockRow) -> SandboxClock:
    """Return the clock as the API shows it."""
    return SandboxClock(
        now=clock.wire(row.real_now + row.ahead),
        ahead_seconds=row.ahead.total_seconds(),
        ends_at=clock.wire_or_none(row.ends_at),
    )
