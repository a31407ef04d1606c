"""The language of a post, as each network that asks for it names it."""

from collections.abc import Mapping
from typing import Any

import msgspec

from signalpost.networks.contract import Facts


def options_of(facts: Facts, tag: str) -> Mapping[str, Any]:
    """Return the option of a network that says a post is in this language (BCP 47); none if it has no such option."""
    for name, value in (("languages", [tag]), ("language", tag), ("language", tag.partition("-")[0])):
        option = facts.options.get(name)
        if option is not None and _fits(value, option.type):
            return {name: value}
    return {}


def _fits(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True
