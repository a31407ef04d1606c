"""CONTRIBUTING is followed to the letter in a copy of the tree: each recipe names every file that its change needs.

`recipes/*.txt` has the changes: `=== FILE`, then what is added to its end; `=== FILE === before TEXT` adds it before
the first line that begins so, `=== FILE === instead of TEXT` in place of that line.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

import pytest
from tests.console.catalogs import TRANSLATED

CHECKOUT: Final = Path(__file__).parents[2]
COPIED: Final = (
    "src",
    "tests",
    "docs",
    "scripts",
    "simulator",
    "bench",
    "pyproject.toml",
    "CONTRIBUTING.md",
    "README.md",
)


COPIED_FOR_A_LANGUAGE: Final = (
    "src/signalpost/console/languages/{}.py",
    "src/signalpost/console/static/console/messages/{}",
    "src/signalpost/mail/languages/{}.py",
)


class Recipe(NamedTuple):
    """A section of CONTRIBUTING with what it promises about the number of files."""

    heading: str
    promise: str
    files_max: int


class Edit(NamedTuple):
    file: str
    how: str | None
    anchor: str | None
    text: str


RECIPES: Final = {
    "endpoint": Recipe("Add an endpoint", "at most seven files", 7),
    "event": Recipe("Add an event", "three files, four if its data is new", 4),
    "limit": Recipe("Add a plan limit", "four files", 4),
    "job": Recipe("Add a job", "two files, three for the first job of a room", 3),
    "page": Recipe("Add a console page", "four files, and two in each language", 4 + 2 * len(TRANSLATED)),
    "language": Recipe("Add a language", "a line, a module, a folder and the mails", 3),  # besides what is copied
    "network_package": Recipe("Add a network from a package", "two files", 2),
}


def edits(name: str) -> Iterator[Edit]:
    text = (Path(__file__).parent / "recipes" / f"{name}.txt").read_text()
    for part in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        file, how, anchor = (re.fullmatch(r"(\S+)(?: === (before|instead of) (.+))?", head) or _wrong(head)).groups()
        yield Edit(file, how, anchor, body)


def _wrong(head: str) -> NoReturn:
    raise ValueError(f"no head of a change: {head}")


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_keeps_its_promise_of_files(name: str) -> None:
    recipe = RECIPES[name]
    text = (CHECKOUT / "CONTRIBUTING.md").read_text()
    [section] = re.findall(rf"^## {recipe.heading}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert recipe.promise in section
    assert len({edit.file for edit in edits(name)}) <= recipe.files_max


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_recipes_are_complete(tmp_path: Path) -> None:
    """What they leave out is found by the checks of floors and of the contract."""
    for name in COPIED:
        # With what Python has compiled, which holds as long as files keep their times.
        source, ignored = CHECKOUT / name, shutil.ignore_patterns("node_modules", ".cache", "*.pyc.*")
        copy = shutil.copytree if source.is_dir() else shutil.copy2
        copy(source, tmp_path / name, **({"ignore": ignored} if source.is_dir() else {}))
    for edit in (edit for name in RECIPES for edit in edits(name)):
        _apply(tmp_path / edit.file, edit)
    for place in COPIED_FOR_A_LANGUAGE:
        source = tmp_path / place.format("es")
        target = tmp_path / place.format("it")  # has the same forms of numbers
        (shutil.copytree if source.is_dir() else shutil.copy2)(source, target)
    tools = Path(sys.executable).parent
    _run(tmp_path, tools / "ruff", "check", "--fix", "--exit-zero", "-q", "src")  # `make format` orders imports
    _run(tmp_path, tools / "ruff", "check", "-q", "src")
    _run(tmp_path, tools / "lint-imports")
    _run(tmp_path, tools / "python", "scripts/generate-docs")
    _run(
        tmp_path, tools / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider",
        "tests/contract", "tests/support/test_escalate.py", "tests/plans/test_limits.py",
        "tests/console/test_console_files.py", "tests/console/test_languages.py",
        "--ignore=tests/contract/test_recipes.py",
        "-m", "not slow and not heavy",
        "-k", "escalate or test_table or test_limits or up_to_date or test_languages or no_module or addresses_name",
    )  # fmt: skip
    _install(tmp_path / "package")
    assert _run(tmp_path / "package", tools / "python", "-c", _EXAMINE) == "signalpost-noticeboard 1.0.0, no problem\n"


_EXAMINE: Final = """
import asyncio
from signalpost.network_packages.loading import examine
[status] = asyncio.run(examine(["noticeboard"]))
print(status.package, status.detail or "no problem", sep=", ")
"""


def _install(package: Path) -> None:
    """Write what pip writes of a package whose folder is on the import path."""
    project = tomllib.loads((package / "pyproject.toml").read_text())["project"]
    metadata = package / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    [(group, entries)] = project["entry-points"].items()
    lines = (f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()))
    (metadata / "entry_points.txt").write_text("\n".join(lines))


def _apply(path: Path, edit: Edit) -> None:
    path.parent.mkdir(exist_ok=True)
    text = path.read_text() if path.exists() else ""
    if edit.anchor is None:
        path.write_text(text + edit.text)
        return
    found = re.search(rf"^ *{re.escape(edit.anchor.strip())}.*\n", text, re.MULTILINE)
    assert found, edit
    rest = found.end() if edit.how == "instead of" else found.start()
    path.write_text(text[: found.start()] + edit.text + text[rest:])


def _run(folder: Path, *command: str | Path) -> str:
    """Return what the command prints; it must succeed."""
    installed = os.environ.get("SIGNALPOST_TEST_CACHE") or str(CHECKOUT / ".cache" / "test-tools")
    environment = os.environ | {
        "PYTHONPATH": f"{folder / 'src'}{os.pathsep}{folder}",
        "SIGNALPOST_TEST_CACHE": installed,
    }
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4_000:]}\n{done.stderr[-2_000:]}"
    return done.stdout
