"""What the rules of a link between profiles make of a post that is passed on. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from signalpost import networks
from signalpost.posts.queries import ConnectedAccount


def platforms_of(accounts: Iterable[ConnectedAccount], allowed: Iterable[str] | None) -> list[str]:
    """Return the networks of these accounts that are allowed; None: all are."""
    present = dict.fromkeys(account.platform for account in accounts)
    if allowed is None:
        return list(present)
    names = {networks.canonical(slug) for slug in allowed}
    return [platform for platform in present if platform in names]


def with_language(
    options: Mapping[str, dict[str, Any]], tag: str | None, platforms: Iterable[str]
) -> dict[str, dict[str, Any]]:
    """Return the options with this language for those of the platforms that have an option for it."""
    result = {platform: dict(values) for platform, values in options.items()}
    if tag is None:
        return result
    for platform in platforms:
        connector = networks.get(platform)
        for name, value in (("languages", [tag]), ("language", tag), ("language", tag.partition("-")[0])):
            option = None if connector is None else connector.facts.options.get(name)
            if option is not None and _fits(value, option.type):
                result.setdefault(platform, {})[name] = value
                break
    return result


def _fits(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True
