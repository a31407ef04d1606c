"""The states of webhooks and deliveries: pure functions give the next state to the statements that write it."""

from typing import Literal, NamedTuple

WebhookStatus = Literal["active", "paused", "disabled"]
DeliveryState = Literal["pending", "delivered", "failed", "permanently_failed", "skipped"]
ReplayableState = Literal["skipped", "failed", "permanently_failed", "delivered"]
UNDELIVERED: tuple[ReplayableState, ...] = ("skipped", "failed", "permanently_failed")
DeliveryMode = Literal["retry", "single", "poll"]

RETRY_SECONDS = (60.0, 300.0, 1800.0, 7200.0, 43_200.0)
"""Mode `retry`: the delay after each failure. The failure after the last delay is final."""
JITTER_SECONDS = 3.0
"""A retry comes up to this much later, at random: an outage's retries are no wave, and keep the promised 5 s."""
ATTEMPTS_MAX = len(RETRY_SECONDS) + 1
DEADLINE_SECONDS = {"retry": 10.0, "single": 5.0}
"""The time limit of a whole attempt, by delivery mode."""
LOST_MAX = 10
"""A webhook is disabled after this many deliveries in a row failed permanently and none succeeded for `LOST_DAYS`."""
LOST_DAYS = 7
MISSED_DAYS = 30
"""What a paused or disabled webhook misses is kept for so long, and recorded for so long after it stopped."""


class AfterFailure(NamedTuple):
    """The state that follows a failed attempt of the schedule, and the delay before the next attempt."""

    state: DeliveryState
    retry_seconds: float | None

    @property
    def final(self) -> bool:
        """Whether no attempt follows."""
        return self.retry_seconds is None


def after_failure(mode: DeliveryMode, attempts: int) -> AfterFailure:
    """Return what follows the failure of the `attempts`-th attempt of the schedule, counted from 1."""
    if mode != "retry":
        return AfterFailure("failed", None)
    if attempts > len(RETRY_SECONDS):
        return AfterFailure("permanently_failed", None)
    return AfterFailure("failed", RETRY_SECONDS[attempts - 1])


def with_active(status: WebhookStatus, *, active: bool) -> WebhookStatus:
    """Return the status after a user sets `active`. A webhook that we disabled stays disabled until it is enabled."""
    if active:
        return "active"
    return "paused" if status == "active" else status
