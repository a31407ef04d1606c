"""What the rules of a link between profiles make of a post that is passed on. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from signalpost import networks
from signalpost.networks import languages
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
        if connector is not None and (named := languages.options_of(connector.facts, tag)):
            result.setdefault(platform, {}).update(named)
    return result
