"""What makes an imported object a connector that may be registered; the same in the probe and in the service."""

from typing import Any

from signalpost.network_packages.status import PackageStatus
from signalpost.networks import claims
from signalpost.networks.contract import Connector, Facts


def examine(slug: str, package: str | None, connector: Any) -> PackageStatus:
    """Return whether an object can be registered as the connector of `slug`."""
    if not isinstance(connector, Connector) or not isinstance(connector.facts, Facts):
        detail = f"It is {type(connector).__name__}, not networks.contract.Connector with Facts."
        return PackageStatus(slug, package, "not_a_connector", detail)
    if problem := claims.contract_problem(connector):
        return PackageStatus(slug, package, "wrong_contract", problem)
    if connector.facts.key != slug:
        detail = f"Its facts.key is {str(connector.facts.key)[:40]!r}, but its entry point is {slug!r}."
        return PackageStatus(slug, package, "slug_taken", detail)
    if wrong := claims.problems(connector):
        return PackageStatus(slug, package, "wrong_claims", " ".join(wrong))
    return PackageStatus(slug, package)
