"""The package as users install it: a wheel, far from a checkout."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.counterparts.tools import free_port

CHECKOUT = Path(__file__).parents[2]
pytestmark = [pytest.mark.xdist_group("wheel"), pytest.mark.timeout(400)]  # built once; first downloads


UV = (Path(sys.executable).parent / "uv", "--quiet")


def clean(more: Mapping[str, str]) -> dict[str, str]:
    """The environment without what belongs to the tests."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("SIGNALPOST_", "PYTHON"))}
    return ours | dict(more)


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, env=clean(environment), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(source: Path, kind: str, folder: Path) -> Path:
    """A wheel or an sdist, by the tools that are installed, as if at a set time."""
    run(
        *UV, "build", f"--{kind}", "--no-build-isolation", "--python", sys.executable, "--out-dir", folder, source,
        cwd=folder, SOURCE_DATE_EPOCH="1700000000",
    )  # fmt: skip
    [built] = folder.glob("signalpost-*.whl" if kind == "wheel" else "signalpost-*.tar.gz")
    return built


def copy_source(source: Path) -> Path:
    """A copy of what a wheel is made of."""
    for name in ("pyproject.toml", "LICENSE", "requirements/base.in"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(CHECKOUT / name, source / name)
    shutil.copytree(CHECKOUT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    return source


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_source(tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from that copy."""
    return build(source, "wheel", tmp_path_factory.mktemp("wheels"))


def test_the_sdist_builds_the_same_wheel(wheel: Path, source: Path, tmp_path: Path) -> None:
    """Byte for byte: whoever doubts a released wheel can build it."""
    (tmp_path / "wheel").mkdir()
    sdist = build(source, "sdist", tmp_path)

    assert build(sdist, "wheel", tmp_path / "wheel").read_bytes() == wheel.read_bytes()


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the wheel is installed, without its dependencies."""
    site = tmp_path_factory.mktemp("site")
    run(*UV, "pip", "install", "--no-deps", "--python", sys.executable, "--target", site, wheel, cwd=site)
    return site


def test_the_wheel_contains_every_file_of_the_package(site: Path) -> None:
    """A page, a mail text or a revision that is missing would only be noticed at run time, and not in a checkout."""
    package = CHECKOUT / "src" / "signalpost"
    expected = {
        (Path(folder) / name).relative_to(package)
        for folder, _, names in os.walk(package, followlinks=True)  # the guides are a link to those of the repository
        for name in names
        if not name.endswith((".pyc", ".pyo", ".d.ts"))  # the last are for the type checker only
    }

    assert {
        path.relative_to(site / "signalpost") for path in (site / "signalpost").rglob("*") if path.is_file()
    } == expected


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the account of the embedded database may enter."""
    made = Path(tempfile.mkdtemp(prefix="signalpost-wheel-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.mark.slow
def test_a_wheel_in_an_empty_environment_serves_and_publishes(wheel: Path, folder: Path) -> None:
    """As `pipx install`, `uv tool install` and containers do: with what the wheel requires, and nothing else."""
    bin_folder = folder / "venv" / "bin"
    run(*UV, "venv", "--python", sys.executable, folder / "venv", cwd=folder)
    run(*UV, "pip", "install", "--python", bin_folder / "python", wheel, cwd=folder)
    port = free_port()
    program, environment = bin_folder / "signalpost", {"PATH": f"{bin_folder}:{os.environ['PATH']}"}
    with subprocess.Popen(
        [program, "serve", "--port", str(port)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=clean(environment),
    ) as service:  # fmt: skip
        assert service.stdout is not None
        greeting = [service.stdout.readline() for _ in range(7)]
        demo = json.loads(run(program, "demo", "--json", cwd=folder, **environment))
        post = json.loads(run("bash", "-c", demo["curl"], cwd=folder))
        service.terminate()
        _, log = service.communicate()

    assert greeting[0] == "Signalpost is ready.\n", log
    assert f"http://127.0.0.1:{port}/api/v1/posts" in demo["curl"]
    assert post["status"] == "queued", post
    assert service.returncode == 0, log
    assert "Traceback" not in log
    assert run(program, "--version", cwd=folder).startswith("signalpost ")
