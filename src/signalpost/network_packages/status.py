"""What became of the packages that the operator named: for `doctor`, GET /platforms and logs."""

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

Reason = Literal[
    "not_installed", "ambiguous", "slug_taken", "import_failed", "import_hangs", "import_died", "imports_too_much",
    "not_a_connector", "wrong_contract", "wrong_claims", "out_of_service",
]  # fmt: skip
REASONS: Final[Mapping[Reason, str]] = {
    "not_installed": "No installed package provides this network.",
    "ambiguous": "Several installed packages provide this network.",
    "slug_taken": "The name of this network is that of another one.",
    "import_failed": "The package of this network raises an error when it is imported.",
    "import_hangs": "The package of this network does not come to an end when it is imported.",
    "import_died": "The package of this network ends the process that imports it.",
    "imports_too_much": "The package of this network imports too much.",
    "not_a_connector": "The package of this network provides something that is not a connector.",
    "wrong_contract": "The package of this network was written for another version of the contract.",
    "wrong_claims": "The package of this network claims what it cannot do.",
    "out_of_service": "The package of this network hung several times; it is off until the service is restarted.",
}
"""What users may read. Details, which can hold paths and code, are for the operator."""


class PackageStatus(Struct, frozen=True):
    """A package that the operator named, as it is in this process."""

    slug: str
    package: str | None = None
    """Name and version of the distribution: `signalpost-ntfy 1.0.0`."""
    reason: Reason | None = None
    """Why it is refused or off; None: it works."""
    detail: str = ""
    """For the operator."""

    @property
    def problem(self) -> str | None:
        """What users may read of it; None: it works."""
        return None if self.reason is None else REASONS[self.reason]


_statuses: dict[str, PackageStatus] = {}


def statuses() -> Mapping[str, PackageStatus]:
    """Return what became of the packages of this process, by slug, in the order of the setting."""
    return dict(_statuses)


def of(slug: str) -> PackageStatus | None:
    """Return what became of the package of a network; None for those of the service itself."""
    return _statuses.get(slug)


def put(status: PackageStatus) -> None:
    """Note what became of a package."""
    _statuses[status.slug] = status


def forget(slug: str) -> None:
    """Forget a package; for processes that load others later, as tests do."""
    _statuses.pop(slug, None)
