"""What an account can choose now, as each network says it in the simulator."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from simulator import Destination, Simulator
from tests.helpers.scenes import SCENES
from tests.helpers.scenes.stage import connected

from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS
from signalpost.networks.contract import ApiError, Choice, Refused
from signalpost.networks.results import RESULTS

LIVE = {
    key: [name for name, option in connector.facts.options.items() if option.live]
    for key, connector in CONNECTORS.items()
    if connector.choices is not None
}
SECTIONS = Destination("5001", "board", "Recipes", {"sections": {"88": "Rye", "89": "Wheat"}})
MANY = tuple(Destination(f"PL{number}", "playlist", f"List {number}") for number in range(520))


@dataclass(frozen=True)
class Case:
    """What a network is asked, and what it says: value, label and reason."""

    network: str
    asked: tuple[str, ...]
    expected: Mapping[str, Sequence[tuple[str, str, str | None]]]
    of: str | None = None
    scene: Mapping[str, Any] = field(default_factory=dict)


ROLE = "The member's role at this organization does not allow posts."
APPROVED = "Only users whom its moderators approved can post in this subreddit."
MODERATORS = "Only moderators of the subreddit can choose this flair."
LEVEL = "TikTok does not allow this creator this level."
CASES = [
    Case("pinterest", ("boardId",), {"boardId": [("5001", "Recipes", None), ("5002", "Travel", None)]}),
    Case(
        "pinterest", ("boardSectionId",), {"boardSectionId": [("88", "Rye", None), ("89", "Wheat", None)]}, "5001",
        {"destinations": (SECTIONS,)},
    ),
    Case("pinterest", ("boardSectionId",), {"boardSectionId": []}, "5002"),
    Case(
        "tiktok", ("privacyLevel", "allowDuet", "allowComment"),
        {
            "privacyLevel": [
                ("PUBLIC_TO_EVERYONE", "PUBLIC_TO_EVERYONE", LEVEL),
                *((level, level, None) for level in ("MUTUAL_FOLLOW_FRIENDS", "FOLLOWER_OF_CREATOR", "SELF_ONLY")),
            ],
            "allowDuet": [("true", "Duets", "The creator has turned off duets at TikTok.")],
            "allowComment": [("true", "Comments", None)],
        },
        scene={"person": {"private": True}},
    ),
    Case(
        "youtube", ("playlistId",), {"playlistId": [(one.id, one.name, None) for one in MANY[:500]]},
        scene={"destinations": MANY},
    ),
    Case(
        "reddit", ("subreddit",),
        {"subreddit": [
            ("ours", "r/ours", None), ("bread", "r/bread", None), ("closed", "r/closed", APPROVED),
            ("angry", "r/angry", "The account is banned from this subreddit."), ("u_alice", "u/alice", None),
        ]},
        scene={"destinations": (
            Destination("bread", "subreddit", "Bread"),
            Destination("ours", "subreddit", "Ours", {"user_is_moderator": True, "subreddit_type": "restricted"}),
            Destination("closed", "subreddit", "Closed", {"subreddit_type": "restricted"}),
            Destination("angry", "subreddit", "Angry", {"user_is_banned": True}),
        )},
    ),
    Case(
        "reddit", ("flairId",),
        {"flairId": [
            ("0f7a1c3e-5a11-11ef-9d6c-2a1c5f8e0b01", "Recipe", None),
            ("0f7a1c3e-5a11-11ef-9d6c-2a1c5f8e0b02", "Announcement", MODERATORS),
        ]},
        "bread",
    ),
    Case("reddit", ("flairId",), {"flairId": []}, "u_alice"),
    Case(
        "linkedin", ("author",),
        {"author": [("urn:li:organization:4711", "acme", None), ("urn:li:organization:4712", "Bakers", ROLE)]},
        scene={"destinations": (
            Destination("4711", "organization", "Acme"),
            Destination("4712", "organization", "Bakers", {"roles": ("ANALYST",)}),
        )},
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
async def http() -> AsyncIterator[Client]:
    async with Client() as client:
        yield client


@pytest.fixture(scope="module")
async def simulator() -> AsyncIterator[Simulator]:
    async with Simulator(start=datetime.now(UTC)) as simulator:
        yield simulator


async def ask(
    simulator: Simulator, http: Client, network: str, asked: Sequence[str], of: str | None = None, **scene: Any
) -> Mapping[str, Sequence[Choice]]:
    simulator.world.reset()
    stage = await connected(simulator, network, replace(SCENES[network], **scene), http)
    choices = CONNECTORS[network].choices
    assert choices is not None
    found = await choices(stage.session(), asked, of)
    assert RESULTS["choices"](found)
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.network}-{case.asked[0]}-{case.of}")
async def test_the_network_names_what_can_be_chosen(simulator: Simulator, http: Client, case: Case) -> None:
    found = await ask(simulator, http, case.network, case.asked, case.of, **case.scene)

    assert {
        option: [(choice.value, choice.label, choice.reason) for choice in choices] for option, choices in found.items()
    } == case.expected


@pytest.mark.parametrize("network", LIVE)
async def test_every_live_option_is_answered(simulator: Simulator, http: Client, network: str) -> None:
    """All that depend on nothing at once, and each that depends on another by itself."""
    options = CONNECTORS[network].facts.options
    alone = [name for name in LIVE[network] if options[name].depends_on is None]
    found = await ask(simulator, http, network, alone)
    dependent = [await ask(simulator, http, network, [name], "5001") for name in {*LIVE[network]} - {*alone}]

    assert sorted(found) == sorted(alone)
    assert [[*answer] for answer in dependent] == [[name] for name in {*LIVE[network]} - {*alone}]


async def test_categories_are_those_that_a_video_can_have(simulator: Simulator, http: Client) -> None:
    found = await ask(simulator, http, "youtube", ["categoryId"])
    named = {choice.value: choice.label for choice in found["categoryId"]}

    assert named["22"] == "People & Blogs"
    assert not named.keys() & {"18", "30"}


async def test_a_board_that_is_gone_is_refused(simulator: Simulator, http: Client) -> None:
    with pytest.raises(ApiError) as refused:
        await ask(simulator, http, "pinterest", ["boardSectionId"], "404")

    assert isinstance(CONNECTORS["pinterest"].explain(refused.value), Refused)
