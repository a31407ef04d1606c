"""The states of webhooks and deliveries as pure tables; the statements that move rows read their next state here."""

from typing import Literal, NamedTuple

WebhookStatus = Literal["active", "paused", "disabled"]
DeliveryState = Literal["pending", "delivered", "failed", "permanently_failed"]
Mode = Literal["retry", "single"]

RETRY_SECONDS = (60.0, 300.0, 1800.0, 7200.0, 43_200.0)
"""Mode retry: seconds after the failure before. The failure after the last of them is final."""
ATTEMPTS_MAX = len(RETRY_SECONDS) + 1
DEADLINE_SECONDS = {"retry": 10.0, "single": 5.0}
"""For a whole attempt."""
LOST_MAX = 10
"""So many deliveries failed for good in a row, and no success for `LOST_DAYS`: the webhook is disabled."""
LOST_DAYS = 7


class Failed(NamedTuple):
    """What a failed attempt of the schedule leads to."""

    state: DeliveryState
    retry_seconds: float | None

    @property
    def final(self) -> bool:
        """Whether the schedule is over."""
        return self.retry_seconds is None


def after_failure(mode: str, attempts: int) -> Failed:
    """Say what follows when the `attempts`-th attempt of the schedule (from 1) failed."""
    if mode == "single":
        return Failed("failed", None)
    if attempts > len(RETRY_SECONDS):
        return Failed("permanently_failed", None)
    return Failed("failed", RETRY_SECONDS[attempts - 1])


def switched(status: WebhookStatus, *, active: bool) -> WebhookStatus:
    """Return the status after somebody sets `active`. What we disabled stays so until it is enabled."""
    if active:
        return "active"
    return "paused" if status == "active" else status
