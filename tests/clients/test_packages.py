"""The clients as packages: current, light, and strangers to the server."""

import json
import os
import re
import resource
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from tests.counterparts.tools import CHECKOUT
from tests.helpers.contract import DOCUMENT
from tests.helpers.scripts import script

CLIENTS = CHECKOUT / "clients"
PYTHON = CLIENTS / "python"
IMPORT_SHARE_MAX = 0.25
"""Of the processor time of `import httpx`, beyond that of Python: `import signalpost_client` takes a tenth of it."""


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return script("generate-clients")


def test_generated_files_are_current_and_nobody_edited_them(
    generator: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["generate-clients", "--check"])
    assert generator.main() == 0, capsys.readouterr().out


def test_an_edit_of_a_generated_file_is_noticed(generator: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "models.py"
    path.write_text(generator.headed("A = 1\n", "of this document", "#"))
    assert generator.is_current(path, "of this document")
    assert not generator.is_current(path, "of another document")
    path.write_text(path.read_text() + "B = 2\n")
    assert not generator.is_current(path, "of this document")


def test_every_operation_has_a_method_or_a_reason(generator: ModuleType) -> None:
    from signalpost_client import AsyncSignalpost, Signalpost

    operations = {operation["operationId"] for path in DOCUMENT["paths"].values() for operation in path.values()}
    assert generator.NOT_FOR_CLIENTS.keys() <= operations
    for name in operations - generator.NOT_FOR_CLIENTS.keys():
        assert hasattr(Signalpost, generator.snake(name))
        assert hasattr(AsyncSignalpost, generator.snake(name))


def imports(folder: Path) -> set[str]:
    """The top packages that the files of a folder import, in functions and for types too."""
    texts = (path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    lines = (re.findall(r"^ *(?:import|from) (\w+)[\w., ]*(?: import .*)?$", text, re.MULTILINE) for text in texts)
    return set().union(*lines) - sys.stdlib_module_names


def test_client_and_server_know_nothing_of_each_other() -> None:
    project = tomllib.loads((PYTHON / "pyproject.toml").read_text())["project"]
    names = [*project["dependencies"], *project["optional-dependencies"]["cli"]]
    declared = {re.match(r"[\w-]+", name)[0] for name in names}  # type: ignore[index]
    assert imports(PYTHON / "src") == declared | {"signalpost_client"}
    assert "signalpost_client" not in imports(CHECKOUT / "src")


def run(code: str) -> tuple[str, float]:
    """Run Python without site packages that import by themselves; return what it prints, and its processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYTHONPATH": str(PYTHON / "src"), "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_the_import_is_light() -> None:
    """Neither httpx nor the models before somebody needs them; in processor time, however fast the machine is."""
    code = "import signalpost_client, signalpost_client.errors, sys, json; print(json.dumps(list(sys.modules)))"
    printed, _ = run(code)
    loaded = set(json.loads(printed))
    assert not loaded & {"httpx", "anyio", "signalpost_client._generated.models", "asyncio", "ssl"}
    times = [[run(each)[1] for each in ("import json", code, "import json, httpx")] for _ in range(3)]  # by turns
    bare, ours, httpx = map(min, zip(*times, strict=True))
    assert ours - bare < IMPORT_SHARE_MAX * (httpx - bare)


def test_each_client_has_what_a_package_needs() -> None:
    for folder in sorted(path for path in CLIENTS.iterdir() if path.is_dir()):
        names = {path.name for path in folder.iterdir()}
        assert {"README.md", "CHANGELOG.md", "LICENSE"} <= names
        assert (folder / "LICENSE").read_bytes() == (CHECKOUT / "LICENSE").read_bytes()


def test_clients_have_the_version_of_the_service() -> None:
    """`scripts/release` sets all of them, each as its registry writes it."""
    version = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["version"]
    assert tomllib.loads((PYTHON / "pyproject.toml").read_text())["project"]["version"] == version
    for name in ("typescript", "n8n"):
        package = json.loads((CLIENTS / name / "package.json").read_text())
        assert package["version"] == script("release").read_version(version).semantic
    assert f'__version__ = "{version}"' in (PYTHON / "src" / "signalpost_client" / "__init__.py").read_text()
