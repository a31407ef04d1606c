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
        ("kit/clock", "from signalpost.web import app", "A room imports only what stands below it"),
        ("newroom", "", "A room imports only what stands below it"),
        ("posts/queries", "from signalpost.posts import actions", "Inside a room"),
        (
            "networks/connectors/bluesky/calls",
            "from signalpost.networks.connectors import sandbox",
            "Connectors know nothing of each other",
        ),
        ("networks/connectors/sandbox", "def late(): import asyncpg", "A connector knows no database"),
        ("posts/actions", "from signalpost.web import request", "Only web, routes, console and main know of requests"),
        ("engine/contract", "import aiohttp", "Only kit.http knows the HTTP client"),
    ],
)
def test_a_wrong_import_breaks_its_contract(tmp_path: Path, module: str, line: str, contract: str) -> None:
    shutil.copytree(CHECKOUT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "static"))
    changed = tmp_path / "src" / "signalpost" / f"{module}.py"
    with changed.open("a") as file:
        file.write(f"\n{line}\n")

    result = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache", "--config", CHECKOUT / "pyproject.toml"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "src"), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )

    broken = [row for row in result.stdout.splitlines() if row.rstrip().endswith("BROKEN")]
    assert result.returncode == 1, result.stdout + result.stderr
    assert any(row.startswith(contract) for row in broken), result.stdout
