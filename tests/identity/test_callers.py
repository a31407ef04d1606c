"""Callers are remembered for a second at most, and forgotten at once by the process that changes them."""

import dataclasses
import uuid

import pytest
from tests.helpers.factories import Make

from signalpost.context import AppContext
from signalpost.identity import callers
from signalpost.identity.authenticate import authenticator
from signalpost.identity.errors import KeyRevoked
from signalpost.kit import clock
from signalpost.web.caller import Caller


def somebody() -> Caller:
    return Caller(
        user_id=uuid.uuid4(), user_name="Ada", workspace_id=uuid.uuid4(), role="owner", scopes=frozenset(), mode="live",
        auth="session", credential="session:x", plan="free", session_id=uuid.uuid4(),
    )  # fmt: skip


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of the clock, to be moved."""
    seconds = [clock.monotonic()]
    monkeypatch.setattr(clock, "monotonic", lambda: seconds[0])
    return seconds


def test_a_caller_is_remembered_for_a_second(now: list[float]) -> None:
    """Longer, and a key revoked in another process would live on."""
    ada, name = somebody(), callers.name_of("bearer-1", None)
    callers.remember(name, ada)

    assert callers.recall(name) is ada
    assert callers.recall(callers.name_of("bearer-1", "wsp_1")) is None
    now[0] += 1
    assert callers.recall(name) is None


@pytest.mark.parametrize("field", ["user_id", "workspace_id", "session_id"])
def test_who_is_forgotten_stays_unknown_while_the_change_commits(now: list[float], field: str) -> None:
    """A request may read the old rows just before the commit, and must not keep them after it."""
    ada, bob = somebody(), somebody()
    callers.remember(callers.name_of("ada", None), ada)
    callers.remember(callers.name_of("bob", None), bob)

    callers.forget(getattr(ada, field))
    assert callers.recall(callers.name_of("ada", None)) is None
    assert callers.recall(callers.name_of("bob", None)) is bob

    callers.remember(callers.name_of("ada", None), ada)
    assert callers.recall(callers.name_of("ada", None)) is None
    now[0] += callers.UNSETTLED_SECONDS
    callers.remember(callers.name_of("ada", None), ada)
    assert callers.recall(callers.name_of("ada", None)) is ada


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many keys come along."""
    monkeypatch.setattr(callers, "CALLERS_MAX", 100)
    monkeypatch.setattr(callers, "UNSETTLED_MAX", 100)
    callers._callers.clear()
    callers._unsettled.clear()
    for n in range(500):
        callers.remember(callers.name_of(f"many-{n}", None), somebody())
        callers.forget(uuid.uuid4())

    assert len(callers._callers) <= 100
    assert len(callers._unsettled) <= 100


async def test_a_key_revoked_elsewhere_lives_for_a_second_at_most(make: Make, context: AppContext) -> None:
    """Another process writes the row; this one has heard nothing."""
    owner = await make.owner()
    authenticate = authenticator(context.database, context.keys, context.settings)
    caller = await authenticate(owner.key, None, "127.0.0.1")
    async with context.database.connection() as db:
        await db.execute("update api_key set revoked_at = now() where id = $1", caller.key_id)

    name = callers.name_of(owner.key, None)
    until, remembered = callers._callers[name]
    assert until - clock.monotonic() <= 1
    callers._callers[name] = (clock.monotonic(), dataclasses.replace(remembered))  # the second is over
    with pytest.raises(KeyRevoked):
        await authenticate(owner.key, None, "127.0.0.1")
