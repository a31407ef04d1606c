"""What a start imports: everything else costs time at every start, and memory in every idle process."""

import subprocess
import sys

import pytest

LATER = {
    "aiohttp": "the first outgoing call",
    "aiosmtplib": "the first mail",
    "av": "the first video",
    "jinja2": "the first page or mail",
    "PIL": "the first image",
}


@pytest.fixture(scope="module")
def imported() -> set[str]:
    """The packages that `signalpost serve` imports before it serves."""
    program = "import sys, signalpost.main.cli, signalpost.main.service; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=30)
    return {name.partition(".")[0] for name in done.stdout.split()}


@pytest.mark.parametrize("package", LATER)
def test_a_package_is_imported_when_it_is_needed(imported: set[str], package: str) -> None:
    assert package not in imported, f"{package} waits for {LATER[package]}"
