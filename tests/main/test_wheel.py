"""The package as users install it: a wheel, far from a checkout."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
pytestmark = pytest.mark.xdist_group("wheel")  # built once


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("SIGNALPOST_", "PYTHONPATH"))}
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, env=ours | environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the wheel is installed. Its dependencies come from the environment of the tests."""
    source, wheels, site = (tmp_path_factory.mktemp(name) for name in ("source", "wheels", "site"))
    for name in ("pyproject.toml", "LICENSE", "requirements/base.in"):
        (source / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(CHECKOUT / name, source / name)
    shutil.copytree(CHECKOUT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "--no-input")
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", wheels, source, cwd=source)
    (wheel,) = wheels.glob("signalpost-*.whl")
    run(*pip, "install", "--no-deps", "--no-compile", "--target", site, wheel, cwd=source)
    return site


def test_the_wheel_contains_every_file_of_the_package(site: Path) -> None:
    """A page, a mail text or a revision that is missing would only be noticed at run time, and not in a checkout."""
    package = CHECKOUT / "src" / "signalpost"
    expected = {
        (Path(folder) / name).relative_to(package)
        for folder, _, names in os.walk(package, followlinks=True)  # the guides are a link to those of the repository
        for name in names
        if not name.endswith((".pyc", ".pyo"))
    }

    assert {
        path.relative_to(site / "signalpost") for path in (site / "signalpost").rglob("*") if path.is_file()
    } == expected


def test_an_installed_wheel_migrates(site: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)  # the account of the embedded server may enter
    where = run(
        sys.executable, "-c", "import signalpost; print(signalpost.__file__)", cwd=tmp_path, PYTHONPATH=str(site)
    )
    assert where.strip() == str(site / "signalpost" / "__init__.py")

    (tmp_path / "data").mkdir(mode=0o711)
    output = run(
        sys.executable,
        "-m",
        "signalpost",
        "migrate",
        "--data-dir",
        tmp_path / "data",
        cwd=tmp_path,
        PYTHONPATH=str(site),
    )

    assert output == "The database is up to date.\n"
