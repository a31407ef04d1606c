"""Finds what installed packages provide, without importing any of it."""

from importlib.metadata import EntryPoint, entry_points
from typing import Final

from signalpost import networks
from signalpost.network_packages.status import PackageStatus, of

GROUP: Final = "signalpost.networks"
"""The group of entry points; `NAME = "module:CONNECTOR"`, where NAME is the slug of the network."""


def package_of(entry: EntryPoint) -> str | None:
    """Return name and version of the distribution that provides an entry point."""
    distribution = entry.dist
    return None if distribution is None else f"{distribution.name} {distribution.version}"


def find(slug: str, reserved: frozenset[str]) -> EntryPoint | PackageStatus:
    """Return the entry point of a network, or why there is none that can be used.

    `reserved`: slugs that a setting of the service would be mistaken for.
    """
    entries = list({entry.value: entry for entry in entry_points(group=GROUP, name=slug)}.values())
    if not entries:
        detail = f"No installed package has the entry point {slug!r} in the group {GROUP}."
        return PackageStatus(slug, None, "not_installed", detail)
    package = ", ".join(sorted(package_of(entry) or "?" for entry in entries))
    is_ours = slug in networks.CONNECTORS and of(slug) is None
    if is_ours or slug in networks.ALIASES or slug in reserved:
        return PackageStatus(slug, package, "slug_taken", f"{package} wants to be {slug!r}.")
    if len(entries) > 1:
        return PackageStatus(slug, package, "ambiguous", f"All of these provide {slug!r}: {package}.")
    return entries[0]
