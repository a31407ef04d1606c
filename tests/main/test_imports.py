"""What a start imports: everything else costs time at every start, and memory in every idle process."""

import subprocess
import sys
from typing import Final

import pytest

LATER = {
    "aiohttp": "the first outgoing call",
    "aiosmtplib": "the first mail",
    "av": "the first video",
    "jinja2": "the first page or mail",
    "cryptography.hazmat.primitives.serialization": "the first report of leaked keys",
    "PIL": "the first image",
    "google.protobuf": "variables that name a collector of OpenTelemetry",
    "opentelemetry": "variables that name a collector of OpenTelemetry",
    "requests": "variables that name a collector of OpenTelemetry",
    "signalpost.captions.actions": "the first caption",
    "signalpost.kit.http.traced_transport": "variables that name a collector of OpenTelemetry",
    "signalpost.kit.traced_connections": "variables that name a collector of OpenTelemetry",
    "signalpost.telemetry.exporting": "variables that name a collector of OpenTelemetry",
    "yarl": "the first address of another server",
}
DATACLASSES_MAX: Final = 54
"""Of ours. Each takes half a millisecond of every start, ten times what a struct takes; the number may only fall."""
_PROGRAM: Final = """
import gc, sys
import signalpost.main.cli, signalpost.main.service
classes = [made for made in gc.get_objects() if isinstance(made, type) and "__dataclass_fields__" in vars(made)]
names = {f"{made.__module__}.{made.__name__}" for made in classes}
print(sum(name.startswith("signalpost.") for name in names), *sys.modules)
"""


@pytest.fixture(scope="module")
def started() -> list[str]:
    """How many dataclasses `signalpost serve` makes before it serves, and the modules that it imports."""
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize("module", LATER)
def test_a_module_is_imported_when_it_is_needed(started: list[str], module: str) -> None:
    assert "signalpost.main.service" in started
    assert module not in started, f"{module} waits for {LATER[module]}"


def test_data_are_structs(started: list[str]) -> None:
    assert 0 < int(started[0]) <= DATACLASSES_MAX
