from uuid import uuid4

import pytest

from signalpost.kit import clock
from signalpost.publishing.shared_limits import WITHIN_SECONDS, SharedLimits


def test_three_accounts_within_a_minute_share_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    limits, now = SharedLimits(), 0.0
    monkeypatch.setattr(clock, "monotonic", lambda: now)
    first, second, third = uuid4(), uuid4(), uuid4()

    assert not any(limits.met("b", account) for account in (first, first, first, second))
    assert not limits.met("other server", third)
    now = WITHIN_SECONDS - 1
    assert limits.met("b", third)
    now = WITHIN_SECONDS + 1
    assert not limits.met("b", third)


def test_a_bucket_is_known_once_it_was_added() -> None:
    limits = SharedLimits()
    assert not limits.knows("b")
    limits.add("b")
    assert limits.knows("b")


def test_limits_of_single_accounts_hold_back_nobody_else() -> None:
    """One tenant may use up three accounts on a server on which others publish."""
    limits = SharedLimits()
    for _ in range(10):
        assert not any(limits.met("b", account) for account in (uuid4(), uuid4()))
        limits.published("b")
    limits.published("a server that nobody knows")
    assert not limits.knows("a server that nobody knows")
