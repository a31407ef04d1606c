"""Options of networks as forms need them, against the types that validate them."""

from typing import Any

import msgspec
import pytest

from signalpost.networks import CONNECTORS, options
from signalpost.networks.contract import Option

ALL = [(key, name) for key, connector in CONNECTORS.items() for name in connector.facts.options]


@pytest.mark.parametrize(("network", "key"), ALL)
def test_a_form_can_enter_every_option(network: str, key: str) -> None:
    """Each choice and each default is a value that the option takes, and the kind of the field fits its type."""
    option = CONNECTORS[network].facts.options[key]
    field = options.field(key, option)
    samples = {"flag": [True], "choice": field.choices, "list": field.choices and [[value] for value in field.choices]}
    given = samples.get(field.type) or []

    for value in [*given, *([] if option.default is None else [option.default])]:
        assert msgspec.convert(value, option.type) == value
    assert field.label[0].isupper()


def test_kinds_are_read_from_types() -> None:
    kinds = {
        (network, key): options.field(key, CONNECTORS[network].facts.options[key])
        for network, key in [
            ("tiktok", "privacyLevel"), ("tiktok", "coverIndex"), ("tiktok", "allowDuet"), ("bluesky", "languages"),
            ("bluesky", "labels"), ("mastodon", "poll"), ("mastodon", "spoilerText"), ("instagram", "userTags"),
        ]
    }  # fmt: skip

    assert [field.type for field in kinds.values()] == [
        "choice", "number", "flag", "list", "list", "object", "text", "objects",
    ]  # fmt: skip
    assert kinds["tiktok", "privacyLevel"].label == "Who can see it"
    assert kinds["bluesky", "labels"].choices == ["sexual", "nudity", "porn", "graphic-media"]
    assert [key for key, option in CONNECTORS["tiktok"].facts.options.items() if option.required] == ["privacyLevel"]


def test_parts_and_what_stands_instead_are_read_from_types() -> None:
    """A form learns the bounds of lists, the members of objects, and the plain values in the place of the whole."""

    def of(network: str, key: str) -> options.Field:
        return options.field(key, CONNECTORS[network].facts.options[key])

    poll, tags, card = of("mastodon", "poll"), of("instagram", "userTags"), of("bluesky", "linkCard")

    assert [(part.key, part.type, part.required, part.items_min, part.items_max) for part in poll.parts] == [
        ("options", "list", True, 2, 50), ("minutes", "number", True, None, None),
        ("multiple", "flag", False, None, None), ("hideTotals", "flag", False, None, None),
    ]  # fmt: skip
    button = of("google_business", "callToAction").parts[0]
    assert (button.key, button.type) == ("actionType", "choice")
    assert button.choices == ["BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP", "CALL"]
    places, *_, sizes = of("linkedin", "audience").parts[:5]
    assert (places.type, places.choices, places.items_max) == ("list", None, 50)
    assert (sizes.key, sizes.type, sizes.items_max) == ("staffCountRanges", "list", 9)
    assert (sizes.choices or [])[::8] == ["SIZE_1", "SIZE_10001_OR_MORE"]
    assert [part.label for part in tags.parts][1] == "From the left edge, 0 to 1"
    assert (tags.items_max, card.instead, card.parts[2].default) == (20, [True, False], True)
    assert (of("bluesky", "replyGate").choices, of("bluesky", "replyGate").instead) == (
        ["mentioned", "followers", "following"], ["everyone", "nobody"],
    )  # fmt: skip
    assert (of("threads", "poll").items_min, of("threads", "poll").items_max) == (2, 4)


class Nested(msgspec.Struct):
    inner: msgspec.Raw


@pytest.mark.parametrize("kind", [Nested, list[Nested], int | str, dict[str, int], str | None])
def test_what_no_form_can_show_has_no_parts(kind: Any) -> None:
    """An option of a package may be anything; what cannot be described is left to programs, and breaks nothing."""
    field = options.field("any", Option(type=kind, description="Anything."))

    assert ([*field.parts], [*field.instead]) == ([], [])
