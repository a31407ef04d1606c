"""The clock of a process goes by that of its database."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from signalpost.kit import clock


@pytest.fixture
def own_clock() -> Iterator[None]:
    yield
    clock.follow(datetime.now(UTC))


@pytest.mark.parametrize(
    ("ahead", "within", "followed"),
    [(0.0, 0.0, 0), (1.5, 0.0, 0), (-1.5, 0.0, 0), (1800.0, 0.0, 1800), (-1800.0, 0.0, -1800), (-15.0, 15.0, 0)],
)
def test_a_machine_with_another_time_goes_by_the_database(
    own_clock: None, ahead: float, within: float, followed: int
) -> None:
    """A reading that took its time to arrive proves nothing."""
    assert round(clock.follow(datetime.now(UTC) + timedelta(seconds=ahead), within_seconds=within)) == followed
    assert abs(clock.now() - datetime.now(UTC) - timedelta(seconds=followed)) < timedelta(seconds=1)
    assert abs(clock.now_micros() - clock.to_micros(clock.now())) < 1_000_000
    with clock.at(datetime(2026, 1, 1, tzinfo=UTC)):
        assert clock.now() == datetime(2026, 1, 1, tzinfo=UTC)
