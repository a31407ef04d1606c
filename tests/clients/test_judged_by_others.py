"""The clients as packages, judged by tools of others: publint, Are The Types Wrong and pyright."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.counterparts import tools
from tests.counterparts.tools import CHECKOUT

pytestmark = pytest.mark.xdist_group("clients")
PUBLINT = "publint/src/cli.js"
ATTW = "@arethetypeswrong/cli/dist/index.js"
PYRIGHT = "pyright/index.js"


def judge(script: str, *arguments: str | Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [tools.node(), tools.node_packages("sdk") / "node_modules" / script, *arguments]
    settings = {**os.environ, "NO_COLOR": "1", "FORCE_COLOR": "0", **environment}
    return subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False, timeout=300)


def packed(folder: Path, dist: Path, changes: Mapping[str, Any]) -> Path:
    """The archive that npm would publish, of the TypeScript client with `changes` of its package.json."""
    project = folder / "project"
    shutil.copytree(CHECKOUT / "clients" / "typescript", project, ignore=shutil.ignore_patterns("dist", "node_modules"))
    shutil.copytree(dist, project / "dist")
    described = json.loads((project / "package.json").read_text())
    (project / "package.json").write_text(json.dumps({**described, **changes}))
    command = [tools.program("npm"), "pack", "--ignore-scripts", "--silent", "--pack-destination", folder]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    [archive] = folder.glob("*.tgz")
    return archive


@pytest.fixture(scope="module")
def archive(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packed(tmp_path_factory.mktemp("packed"), dist, {})


def test_the_npm_package_is_what_its_description_says(archive: Path) -> None:
    with tarfile.open(archive) as file:
        names = set(file.getnames())
    code = {"index.js", "index.d.ts", "webhooks.js", "webhooks.d.ts", "schema.d.ts"}
    texts = {"package.json", "README.md", "CHANGELOG.md", "LICENSE"}
    assert names == {f"package/dist/{name}" for name in code} | {f"package/{name}" for name in texts}

    linted = judge(PUBLINT, archive, "--strict", folder=archive.parent)
    assert (linted.returncode, "All good!" in linted.stdout) == (0, True), linted.stdout + linted.stderr
    typed = judge(ATTW, archive, "--profile", "esm-only", "--format", "ascii", folder=archive.parent)
    assert (typed.returncode, "🟢" in typed.stdout) == (0, True), typed.stdout + typed.stderr


def test_a_package_that_is_not_is_noticed(dist: Path, tmp_path: Path) -> None:
    """Else the test above could pass whatever the package is."""
    wrong = packed(tmp_path, dist, {"type": "commonjs"})
    assert judge(PUBLINT, wrong, "--strict", folder=tmp_path).returncode == 1
    assert judge(ATTW, wrong, "--profile", "esm-only", folder=tmp_path).returncode == 1


def test_the_python_client_and_all_examples_are_right_for_pyright() -> None:
    """The examples strictly, as programs of others; `[tool.pyright]` says what."""
    done = judge(PYRIGHT, "--pythonpath", sys.executable, "--outputjson", folder=CHECKOUT)
    report = json.loads(done.stdout)
    places = [
        (each["file"], each["range"]["start"]["line"] + 1, each["message"]) for each in report["generalDiagnostics"]
    ]
    assert (done.returncode, places) == (0, [])
    assert report["summary"]["filesAnalyzed"] >= 40


def test_every_public_name_of_the_python_client_has_its_type() -> None:
    """For whoever imports it: pyright infers nothing of a package."""
    done = judge(
        PYRIGHT, "--pythonpath", sys.executable, "--verifytypes", "signalpost_client", "--ignoreexternal",
        folder=CHECKOUT / "docs", PYTHONPATH=str(CHECKOUT / "clients" / "python" / "src"),
    )  # fmt: skip
    assert (done.returncode, "Type completeness score: 100%" in done.stdout) == (0, True), done.stdout
