from pathlib import Path

import pytest

from signalpost.kit import machine_zone


@pytest.mark.parametrize(("zone", "found"), [("America/Toronto", "America/Toronto"), ("UTC", None), ("Etc/UTC", None)])
def test_the_zone_of_the_machine_is_a_place_or_none(
    zone: str, found: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Servers run in UTC, which is rarely what their users mean."""
    monkeypatch.setenv("TZ", zone)
    monkeypatch.setattr(machine_zone, "_FILES", (Path("/nowhere"), Path("/nowhere")))

    assert machine_zone.machine_zone() == found
