import pytest
from tests.telemetry.recording import Recording

from signalpost.kit import tracing


@pytest.fixture
def recording(monkeypatch: pytest.MonkeyPatch) -> Recording:
    """What is opened from now on records its spans here."""
    recording = Recording()
    monkeypatch.setattr(tracing, "recorder", recording.recorder)
    return recording
