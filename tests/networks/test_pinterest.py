"""What is particular about Pinterest: boards, pages of pins, covers, and apps with trial access."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

import pytest
from simulator import Destination, Simulator
from tests.helpers.scenes import SCENES
from tests.helpers.scenes.stage import Stage, connected

from signalpost.conformance.harness import MemoryJournal, image, outgoing
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, preflight
from signalpost.networks.contract import Absent, OutcomeUnknown, Published, Refused

PINTEREST = CONNECTORS["pinterest"]
Connect = Callable[..., Awaitable[Stage]]


@pytest.fixture(scope="module")
async def simulator() -> AsyncIterator[Simulator]:
    async with Simulator(start=datetime.now(UTC)) as simulator:
        yield simulator


@pytest.fixture
async def connect(simulator: Simulator) -> AsyncIterator[Connect]:
    async with Client() as http:

        async def connect(**changes: Any) -> Stage:
            simulator.world.reset()
            return await connected(simulator, "pinterest", replace(SCENES["pinterest"], **changes), http)

        yield connect


async def test_all_boards_are_listed_page_by_page_and_each_can_be_an_account(connect: Connect) -> None:
    boards = tuple(Destination(str(9_000 + number), "board", f"Board {number}") for number in range(260))
    stage = await connect(destinations=boards, options={})
    assert PINTEREST.destinations is not None
    listed = [destination.identity for destination in await PINTEREST.destinations(stage.session())]
    assert [identity.remote_id for identity in listed] == [stage.identity.remote_id, *(board.id for board in boards)]

    own, board, *_ = listed
    post = stage.post("on a board", files=(stage.file("image"),))
    stage.identity = own
    (issue,) = preflight.check(PINTEREST, post, own.facts)
    assert issue.rule == "pinterest.board.required"
    assert isinstance(await stage.publish(post), Refused)

    stage.identity = board
    assert preflight.check(PINTEREST, post, board.facts) == []
    assert isinstance(await stage.publish(post), Published)
    assert stage.public()[0].details["board_id"] == "9000"


async def test_a_lost_pin_is_found_behind_others_and_not_mistaken_for_them(connect: Connect) -> None:
    stage = await connect()
    first = stage.post("pin", files=(stage.file("image"),), link="https://example.com/1")
    for number in range(3):
        assert isinstance(await stage.publish(stage.post("pin", files=(stage.file("image", number),))), Published)
    stage.world.add_fault("pinterest", "lost", "POST /v5/pins")
    outcome = await stage.publish(first)

    assert isinstance(outcome, Published)
    assert [entry.remote_id for entry in stage.public()][-1] == outcome.remote_id
    assert len(stage.public()) == 4


async def test_a_lost_pin_is_found_wherever_it_stands_on_the_board(connect: Connect) -> None:
    """People arrange boards by hand: an old pin in front says nothing about those behind it."""
    boards = (replace(SCENES["pinterest"].destinations[0], details={"arranged": True}),)
    stage = await connect(destinations=boards)
    assert isinstance(await stage.publish(stage.post("old", files=(stage.file("image"),))), Published)
    stage.world.clock.advance(86_400)
    stage.world.add_fault("pinterest", "lost", "POST /v5/pins")
    outcome = await stage.publish(stage.post("new", files=(stage.file("image", 1),)))

    assert isinstance(outcome, Published)
    assert [entry.remote_id for entry in stage.public()][-1] == outcome.remote_id
    assert len(stage.public()) == 2


async def test_a_pin_is_absent_only_after_the_last_page(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    publish = import_module("signalpost.networks.connectors.pinterest.publish")
    monkeypatch.setattr(publish, "PAGE_LENGTH", 1)
    stage = await connect()
    for number in range(3):
        await stage.publish(stage.post(f"pin {number}", files=(stage.file("image", number),)))
    stage.world.clock.advance(86_400)
    wanted, journal = stage.post("new", files=(stage.file("image", 9),)), MemoryJournal()
    stage.world.add_fault("pinterest", "dropped", "POST /v5/pins")
    assert isinstance(await PINTEREST.publish(stage.session(), wanted, journal), OutcomeUnknown)
    stage.world.clock.advance(120)
    assert PINTEREST.reconcile is not None

    assert isinstance(await PINTEREST.reconcile(stage.session(), wanted, journal), Absent)
    monkeypatch.setattr(publish, "PAGES_MAX", 2)
    assert isinstance(await PINTEREST.reconcile(stage.session(), wanted, journal), OutcomeUnknown)


async def test_a_pin_that_is_almost_the_same_leaves_it_open(connect: Connect) -> None:
    """Pinterest may show a link in another form: the pin is not sent again, and a person looks."""
    stage, journal = await connect(), MemoryJournal()
    wanted = stage.post("the same", files=(stage.file("image"),), link="https://example.com/a")
    stage.world.add_fault("pinterest", "lost", "POST /v5/pins")
    assert isinstance(await PINTEREST.publish(stage.session(), wanted, journal), OutcomeUnknown)
    stage.public()[0].details["link"] = "https://example.com/a/"
    stage.world.clock.advance(120)
    assert PINTEREST.reconcile is not None

    assert isinstance(await PINTEREST.reconcile(stage.session(), wanted, journal), OutcomeUnknown)
    assert len(stage.public()) == 1


async def test_a_pin_has_all_its_members(connect: Connect) -> None:
    stage = await connect()
    post = stage.post(
        "the text", title="The title", files=(stage.file("video", alt_text="A film"),),
        options={"link": "https://example.com/x", "coverImage": "https://example.com/cover.jpg"},
    )  # fmt: skip
    assert preflight.check(PINTEREST, post, stage.identity.facts) == []
    assert isinstance(await stage.publish(post), Published)

    (entry,) = stage.public()
    assert (entry.text, entry.details["title"], entry.details["link"]) == (
        "the text", "The title", "https://example.com/x",
    )  # fmt: skip
    assert entry.details["alt_texts"] == ["A film"]


async def test_a_pin_goes_to_a_section_of_its_board(connect: Connect) -> None:
    boards = (replace(SCENES["pinterest"].destinations[0], details={"sections": {"88": "Rye"}}),)
    stage = await connect(destinations=boards)
    files = (stage.file("image"),)
    other = stage.post("x", files=files, options={"boardSectionId": "99"})
    post = stage.post("x", files=files, options={"boardSectionId": "88"})
    assert preflight.check(PINTEREST, post, stage.identity.facts) == []

    refused = await stage.publish(other)
    assert isinstance(refused, Refused)
    assert refused.code == "destination_missing"
    stage.world.add_fault("pinterest", "lost", "POST /v5/pins")
    assert isinstance(await stage.publish(post), Published)
    (entry,) = stage.public()
    assert entry.details["board_section_id"] == "88"


@pytest.mark.parametrize(
    ("options", "labels"),
    [
        ({}, []),
        ({"aiDisclosures": []}, []),
        ({"aiDisclosures": ["AI_MODIFIED", "SYNTHETIC_PERFORMER"]}, ["AI_MODIFIED", "SYNTHETIC_PERFORMER"]),
        ({"aiDisclosures": ["AI_MODIFIED"] * 2}, ["AI_MODIFIED"]),
    ],
)
async def test_a_pin_says_that_it_was_made_with_ai(
    connect: Connect, options: dict[str, Any], labels: list[str]
) -> None:
    """Pinterest refuses an empty list, so none is sent; a label does not hinder finding a pin again."""
    stage = await connect()
    post = stage.post("a robot", files=(stage.file("image"),), options=options)
    assert preflight.check(PINTEREST, post, stage.identity.facts) == []
    stage.world.add_fault("pinterest", "lost", "POST /v5/pins")

    assert isinstance(await stage.publish(post), Published)

    (entry,) = stage.public()
    assert entry.details["ai_disclosures"] == labels


async def test_an_app_with_trial_access(connect: Connect) -> None:
    stage = await connect()
    grant = stage.world.networks["pinterest"].oauth.grants[0]
    grant.app = replace(grant.app, details={"trial": True})
    outcome = await stage.publish(stage.post("x", files=(stage.file("image"),)))

    assert isinstance(outcome, Refused)
    assert outcome.code == "permission_missing"
    assert outcome.remediation


BOARD = {"boardId": "5001"}


@pytest.mark.parametrize(
    ("post", "rule"),
    [
        (outgoing("x", options=BOARD), "pinterest.media.required"),
        (outgoing("x" * 801, media=(image(),), options=BOARD), "pinterest.text.max_length"),
        (outgoing("x", media=(image(),), title="x" * 101, options=BOARD), "pinterest.title.max"),
        (outgoing("x", media=(image(),), link=f"https://e.com/{'x' * 2048}", options=BOARD), "pinterest.link.max"),
        (outgoing("x", media=(image(),), options={"boardId": "Recipes"}), "pinterest.options.type"),
        (outgoing("x", media=(image(),), options={**BOARD, "aiDisclosures": ["AI"]}), "pinterest.options.type"),
        (outgoing("x", media=(image(),) * 6, options=BOARD), "pinterest.media.max_count"),
        (
            outgoing("x", media=(image(kind="video", mime_type="video/mp4", duration_ms=3_000),), options=BOARD),
            "pinterest.media.min_duration",
        ),
    ],
)
def test_preflight(post: Any, rule: str) -> None:
    assert [issue.rule for issue in preflight.check(PINTEREST, post, {})] == [rule]


def test_a_link_does_not_count_with_the_text() -> None:
    post = outgoing("x" * 800, media=(image(),), link="https://example.com/", options=BOARD)
    assert preflight.check(PINTEREST, post, {}) == []
