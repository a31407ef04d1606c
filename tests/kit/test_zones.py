"""Which rules of time zones are used: the newer ones of the system and of the package that is installed with us."""

import zoneinfo
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path

import pytest

from signalpost.kit import zones


def _folder(path: Path, version: str | None) -> Path:
    path.mkdir()
    if version is not None:
        (path / "tzdata.zi").write_text(f"# version {version}\nZ Somewhere 1 - X\n", encoding="ascii")
    return path


@pytest.mark.parametrize(
    ("system", "own", "uses_own"),
    [("2025b", "2026a", True), ("2026a", "2026a", False), ("2026b", "2026a", False), (None, "2026a", True)],
)
def test_the_newer_rules_are_used(tmp_path: Path, system: str | None, own: str, uses_own: bool) -> None:
    folders = [tmp_path / "absent", _folder(tmp_path / "system", system)]
    package = _folder(tmp_path / "package", own)
    assert zones.newest(folders, package) == (package if uses_own else None)


def test_a_system_without_zones_gets_those_of_the_package(tmp_path: Path) -> None:
    package = _folder(tmp_path / "package", "2026a")
    assert zones.newest([tmp_path / "absent"], package) == package


def test_this_process_knows_what_countries_decided_in_2026() -> None:
    """British Columbia stays at its summer time from November 2026 on; systems of 2025 do not know that."""
    package = Path(str(resources.files("tzdata") / "zoneinfo"))
    assert zones.rules_version(Path(zoneinfo.TZPATH[0])) >= zones.rules_version(package) >= "2026"
    vancouver = zones.zone("America/Vancouver")
    assert datetime(2026, 12, 1, tzinfo=UTC).astimezone(vancouver).utcoffset() == timedelta(hours=-7)
