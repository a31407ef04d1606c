"""Options of networks as forms need them, against the types that validate them."""

import msgspec
import pytest

from signalpost.networks import CONNECTORS, options

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
        "choice", "number", "flag", "list", "list", "object", "text", "object",
    ]  # fmt: skip
    assert kinds["tiktok", "privacyLevel"].label == "Privacy level"
    assert kinds["bluesky", "labels"].choices == ["sexual", "nudity", "porn", "graphic-media"]
    assert [key for key, option in CONNECTORS["tiktok"].facts.options.items() if option.required] == ["privacyLevel"]
