"""Which attempts may begin beside which. Times pass as the test says."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from tests.helpers.publishing import StagedNetwork

from signalpost.kit import clock, ids
from signalpost.networks.contract import Journal, NetworkSession, Outcome, Outgoing
from signalpost.publishing import suspects, work
from signalpost.publishing.suspects import Suspects


class Time:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    time = Time()
    monkeypatch.setattr(clock, "monotonic", time)
    return time


def attempts(*crashes: int) -> list[Any]:
    """Attempts of an account each, whose targets crashed so often."""
    return [
        SimpleNamespace(
            id=ids.new_id(),
            snapshot=SimpleNamespace(crashes=count),
            due=SimpleNamespace(account=SimpleNamespace(id=ids.new_id())),
        )
        for count in crashes
    ]


def test_all_begin_at_once_while_there_is_no_suspect(time: Time) -> None:
    """One crash makes no suspect."""
    process, some, more = Suspects(), attempts(0, 1, 0), attempts(1, 0)
    assert process.admit(some) == some
    with process.running(some[0]) as alone:
        assert not alone
        assert process.admit(more) == more


def test_suspects_begin_one_at_a_time_and_alone(time: Time) -> None:
    process, (fresh, first, second) = Suspects(), attempts(0, 2, 2)
    assert process.admit([fresh, first, second]) == [first]
    assert process.admit([fresh, second]) == []  # about to run
    with process.running(first) as alone:
        assert alone
        assert process.admit([fresh, second]) == []
    assert process.admit([fresh, second]) == [second]
    with process.running(second):
        pass
    assert process.admit([fresh]) == [fresh]


def test_a_suspect_that_another_process_begins_holds_nothing_up(time: Time) -> None:
    process, (first, second, fresh) = Suspects(), attempts(2, 2, 0)
    with process.running(process.admit([first, second])[0]):
        pass
    assert process.admit([fresh]) == []  # the second one waits
    time.now += suspects.SEEN_SECONDS + 0.1
    assert process.admit([fresh]) == [fresh]


def test_a_suspect_behind_another_post_of_its_account_does_not_wait(time: Time) -> None:
    process, (first, second, fresh) = Suspects(), attempts(2, 2, 0)
    with process.running(process.admit([first, second])[0]):
        pass
    fresh.due = second.due
    assert process.admit([fresh]) == [fresh]


def test_suspects_that_come_one_after_the_other_hold_the_rest_up_only_while_they_run(time: Time) -> None:
    """Each waited for a random time after its crash, so that they seldom come together."""
    process = Suspects()
    for _ in range(10):
        suspect, fresh, next_suspect = attempts(2, 0, 2)
        assert process.admit([suspect, fresh]) == [suspect]
        with process.running(suspect):
            time.now += 0.1
        assert process.admit([fresh]) == [fresh]
        assert process.admit([fresh, next_suspect]) == [fresh]  # as long as the suspect took
        time.now += 0.2
        assert process.admit([next_suspect]) == [next_suspect]
        with process.running(next_suspect):
            time.now += 0.1
        time.now += 0.2


def test_nothing_begins_while_a_suspect_waits_for_what_is_in_flight(time: Time) -> None:
    process, (running, suspect, fresh) = Suspects(), attempts(0, 2, 0)
    process.admit([running])
    with process.running(running):
        assert process.admit([suspect, fresh]) == []
        time.now += 0.5
        assert process.admit([fresh]) == []
    assert process.admit([fresh, suspect]) == [suspect]


@pytest.mark.parametrize(("long_calls", "begins"), [(suspects.FEW, True), (suspects.FEW + 1, False)])
def test_a_few_long_calls_do_not_hold_it_up_for_ever(time: Time, long_calls: int, begins: bool) -> None:
    process, (suspect, fresh) = Suspects(), attempts(2, 0)
    calls = [process.running(attempt) for attempt in attempts(*[0] * long_calls)]
    for call in calls:
        call.__enter__()
    end = time.now + suspects.DRAIN_SECONDS
    while time.now < end:
        assert process.admit([suspect, fresh]) == []
        time.now += 0.5
    assert process.admit([suspect, fresh]) == ([suspect] if begins else [])


def test_others_have_their_turn(time: Time) -> None:
    """Suspects without end hold the rest up for half a minute at most."""
    process, (fresh,) = Suspects(), attempts(0)
    waited, longest = 0.0, 0.0
    for _ in range(600):
        admitted = process.admit([fresh, *attempts(2)])
        waited = 0.0 if fresh in admitted else waited + 0.2
        longest = max(longest, waited)
        for attempt in admitted:
            with process.running(attempt):
                time.now += 0.2
        time.now += 0.0 if admitted else 0.2
    assert 0 < longest <= suspects.DRAIN_SECONDS + suspects.TURN_SECONDS + 1


def test_a_claim_that_is_rolled_back_blocks_nobody(time: Time) -> None:
    process, (suspect, fresh) = Suspects(), attempts(2, 0)
    assert process.admit([suspect]) == [suspect]
    time.now += suspects.SEEN_SECONDS + 0.1
    assert process.admit([fresh]) == [fresh]


@pytest.mark.parametrize(("crashes", "status"), [(0, "published"), (2, "retrying")])
async def test_a_suspect_has_less_time(
    stage: StagedNetwork, monkeypatch: pytest.MonkeyPatch, crashes: int, status: str
) -> None:
    """Nothing else of its process begins meanwhile. It is tried again, and no suspect any more."""

    async def take_long(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
        await asyncio.sleep(0.5)
        return await stage.accept(session, outgoing, journal)

    monkeypatch.setattr(work, "ALONE_SECONDS_MAX", 0.1)
    stage.publish = take_long
    post = await stage.post()
    await stage.execute(
        "update target set status = 'retrying', tries = 1, crashes = $2 where post_id = $1", stage.id(post), crashes
    )
    await stage.work()

    target = await stage.target(post)
    assert (target["status"], target["crashes"]) == (status, 0)
    if crashes:
        assert target["error"]["code"] == "platform_timeout"
        await stage.pass_time(post)
        assert (await stage.target(post))["status"] == "published"
