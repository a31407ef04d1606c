"""A release names what was changed: one command gives it a version, a date and a tag."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.counterparts.tools import CHECKOUT

CLIENTS = tuple(
    f"clients/python/{name}" for name in ("CHANGELOG.md", "pyproject.toml", "src/signalpost_client/__init__.py")
)
CLIENTS += tuple(
    f"clients/{name}/{file}" for name in ("typescript", "n8n") for file in ("CHANGELOG.md", "package.json")
)
LOCKS = ("requirements/base.txt", "tests/counterparts/console/package-lock.json")
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a program in a small repository with the files that a release changes."""

    def program(*command: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    (tmp_path / "scripts").mkdir()
    for name in ("scripts/release", "scripts/generate-sbom", "CHANGELOG.md", "pyproject.toml", *CLIENTS, *LOCKS):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((CHECKOUT / name).read_bytes())
    for name in ("release", "generate-sbom"):
        (tmp_path / "scripts" / name).chmod(0o755)
    setup = (("init", "-q"), ("config", "user.email", "a@example.test"), ("config", "user.name", "A"))
    for command in (*setup, ("add", "."), ("commit", "-qm", "All")):
        assert program("git", *command).returncode == 0
    return program


def test_a_release_has_a_version_a_date_and_a_tag(run: Run, tmp_path: Path) -> None:
    before = (tmp_path / "CHANGELOG.md").read_text()

    assert run("scripts/release", "1.2.0").returncode == 0
    changes = (tmp_path / "CHANGELOG.md").read_text()
    assert re.search(r"^## Unreleased\n\n## 1\.2\.0 \(\d{4}-\d\d-\d\d\)\n", changes, re.MULTILINE)
    assert changes.partition("## 1.2.0")[2].partition("\n")[2] == before.partition("## Unreleased\n")[2]
    for name in ("pyproject.toml", "clients/python/pyproject.toml", "clients/python/src/signalpost_client/__init__.py"):
        assert re.search(r'^(__)?version(__)? = "1\.2\.0"$', (tmp_path / name).read_text(), re.MULTILINE)
    for name in ("typescript", "n8n"):
        assert json.loads((tmp_path / f"clients/{name}/package.json").read_text())["version"] == "1.2.0"
    assert "## Unreleased\n\n## 1.2.0 (" in (tmp_path / "clients/python/CHANGELOG.md").read_text()
    assert run("git", "describe").stdout == "v1.2.0\n"
    assert run("git", "status", "--porcelain").stdout == ""
    assert json.loads((tmp_path / "sbom.cdx.json").read_text())["metadata"]["component"]["version"] == "1.2.0"


def test_the_bill_of_materials_names_everything_that_is_installed(run: Run, tmp_path: Path) -> None:
    """By the names, versions and digests of the locks; the same locks give the same bytes."""
    assert run("scripts/generate-sbom", "--version", "1.2.0", "one.json").returncode == 0
    assert run("scripts/generate-sbom", "--version", "1.2.0", "two.json").returncode == 0
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    document = json.loads((tmp_path / "one.json").read_text())
    lock = (CHECKOUT / "requirements/base.txt").read_text()
    pinned = set(re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^ ;\\]+)", lock, re.MULTILINE))
    found = {(each["name"], each["version"]) for each in document["components"] if each["purl"].startswith("pkg:pypi/")}
    assert found == pinned
    accepted = {
        each["value"]
        for component in document["components"]
        for each in component.get("properties", [])
        if each["name"] == "signalpost:accepted:sha256"
    }
    assert accepted == set(re.findall(r"--hash=sha256:([0-9a-f]{64})", lock))
    carried = {each["name"] for each in document["components"] if each["purl"].startswith("pkg:npm/")}
    assert carried == {"preact", "htm", "@preact/signals", "@preact/signals-core", "uqr"}


@pytest.mark.parametrize("version", ["", "1.2", "v1.3.0", "1.3.0rc1", "01.3.0", "1.2.0", "1.1.9"])
def test_what_is_no_next_version_changes_nothing(run: Run, version: str) -> None:
    run("git", "tag", "v1.2.0")
    done = run("scripts/release", version)

    assert done.returncode == 1
    assert re.search(r"^Usage:|Choose a higher", done.stderr)
    assert run("git", "status", "--porcelain").stdout == ""


def test_nothing_new_is_no_release(run: Run) -> None:
    assert run("scripts/release", "1.2.0").returncode == 0
    done = run("scripts/release", "1.3.0")

    assert (done.returncode, done.stderr) == (1, 'Nothing is listed under "## Unreleased" in CHANGELOG.md.\n')
