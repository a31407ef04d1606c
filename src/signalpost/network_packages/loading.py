"""Loads the packages that the operator named, before the process serves; a process of its own probes each first."""

import asyncio
import threading
from collections.abc import Sequence
from importlib.metadata import EntryPoint
from typing import Any, Final

from signalpost import networks
from signalpost.kit import log
from signalpost.network_packages import output, status
from signalpost.network_packages.connectors import contained
from signalpost.network_packages.containment import PackageThread
from signalpost.network_packages.finding import find, package_of
from signalpost.network_packages.probe import IMPORT_SECONDS, imported, probe
from signalpost.network_packages.status import PackageStatus, Reason

PACKAGES_MAX: Final = 50
_logger = log.get("network_packages")


async def load(slugs: Sequence[str], *, reserved: frozenset[str] = frozenset()) -> None:
    """Register the networks of these packages; those that cannot be used are known as not available.

    Args:
        slugs: as SIGNALPOST_NETWORKS_EXTRA names them.
        reserved: slugs that a setting of the service would be mistaken for.
    """
    new = [slug for slug in dict.fromkeys(slugs) if status.of(slug) is None]
    if not new:
        return
    output.guard()
    for examined in await examine(new, reserved=reserved):
        entry = find(examined.slug, reserved)
        result = examined
        if examined.reason is None and isinstance(entry, EntryPoint):
            result = await asyncio.to_thread(_register, entry)
        status.put(result)
        if result.reason is None:
            _logger.info("network_package.loaded", network=result.slug, package=result.package)
            continue
        if result.reason != "slug_taken":
            networks.add(result.slug, None)
        _logger.error(
            "network_package.refused", network=result.slug, package=result.package, reason=result.reason,
            detail=result.detail, remedy="signalpost doctor",
        )  # fmt: skip


async def examine(slugs: Sequence[str], *, reserved: frozenset[str] = frozenset()) -> list[PackageStatus]:
    """Return what would become of these packages, without importing any of them in this process."""
    return [await _examine(slug, reserved) for slug in slugs[:PACKAGES_MAX]]


async def _examine(slug: str, reserved: frozenset[str]) -> PackageStatus:
    entry = find(slug, reserved)
    return entry if isinstance(entry, PackageStatus) else await probe(entry)


def _register(entry: EntryPoint) -> PackageStatus:
    """Import a package in a thread that may hang, examine it once more and register its connector."""
    results: list[tuple[PackageStatus, Any]] = []
    thread = threading.Thread(target=lambda: results.append(imported(entry)), name=f"import-{entry.name}", daemon=True)
    thread.start()
    thread.join(IMPORT_SECONDS)
    if not results:
        reason: Reason = "import_hangs" if thread.is_alive() else "import_died"
        return PackageStatus(entry.name, package_of(entry), reason, "In the service; alone it could be imported.")
    ((result, connector),) = results
    if result.reason is None:
        networks.add(entry.name, contained(connector, PackageThread(entry.name, result.package)))
    return result
