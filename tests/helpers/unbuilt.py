"""A version of the service that does not have a network yet, although the API knows its name."""

import pytest

from signalpost import networks


def without(monkeypatch: pytest.MonkeyPatch, slug: str) -> None:
    """Take the connector of a network away until the test ends."""
    assert slug in networks.CONNECTORS
    kept = {key: connector for key, connector in networks.CONNECTORS.items() if key != slug}
    monkeypatch.setattr(networks, "CONNECTORS", kept)
