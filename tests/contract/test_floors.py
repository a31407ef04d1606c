"""The import contracts bite: each wrong import breaks its contract, in a scratch copy of the package."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("src/signalpost/kit/clock", "from signalpost.web import app", "A room imports only what stands below it"),
        ("src/signalpost/newroom", "", "A room imports only what stands below it"),
        ("src/signalpost/posts/queries", "from signalpost.posts import write", "Inside a room"),
        (
            "src/signalpost/networks/connectors/bluesky/calls",
            "from signalpost.networks.connectors import sandbox",
            "Connectors know nothing of each other",
        ),
        ("src/signalpost/networks/connectors/sandbox", "def late(): import asyncpg", "A connector knows no database"),
        (
            "src/signalpost/posts/write/lock",
            "from signalpost.web import request",
            "Only web, routes, console and main know of requests",
        ),
        ("src/signalpost/engine/contract", "import aiohttp", "Of the service, only kit.http knows"),
        ("simulator/ledger", "from simulator import world", "No two neighbours import each other"),
        ("simulator/world", "from signalpost.kit import clock", "The simulator knows nothing of the service"),
        ("bench/floor", "from bench import api", "No two neighbours import each other"),
        ("tests/helpers/canaries", "from tests.helpers import api", "No two neighbours import each other"),
        ("src/signalpost/kit/clock", "import simulator", "The service knows nothing of what tests"),
    ],
)
def test_a_wrong_import_breaks_its_contract(tmp_path: Path, module: str, line: str, contract: str) -> None:
    for folder in ("src", "simulator", "bench", "tests/helpers"):
        ignored = shutil.ignore_patterns("__pycache__", "static")
        shutil.copytree(CHECKOUT / folder, tmp_path / folder, ignore=ignored)
    changed = tmp_path / f"{module}.py"
    with changed.open("a") as file:
        file.write(f"\n{line}\n")

    result = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache", "--config", CHECKOUT / "pyproject.toml"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": f"{tmp_path}:{tmp_path / 'src'}", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )

    broken = [row for row in result.stdout.splitlines() if row.rstrip().endswith("BROKEN")]
    assert result.returncode == 1, result.stdout + result.stderr
    assert any(row.startswith(contract) for row in broken), result.stdout
