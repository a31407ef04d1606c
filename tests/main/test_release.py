"""A release: one command gives what was changed a version, a date and a tag; another builds all that is published."""

import base64
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import load_ssh_public_key
from tests.counterparts import tools
from tests.counterparts.tools import CHECKOUT
from tests.helpers.scripts import script

CLIENTS = tuple(
    f"clients/python/{name}" for name in ("CHANGELOG.md", "pyproject.toml", "src/signalpost_client/__init__.py")
)
CLIENTS += tuple(
    f"clients/{name}/{file}" for name in ("typescript", "n8n") for file in ("CHANGELOG.md", "package.json")
)
CHART, GUIDE = "deploy/helm/signalpost/Chart.yaml", "docs/guides/kubernetes.md"
LOCKS = ("requirements/base.txt", "tests/counterparts/console/package-lock.json")
SOURCES = ("clients", "deploy", "docs", "requirements", "scripts", "src", "tests/counterparts", "tests/helpers")
NOT_SOURCES = shutil.ignore_patterns("__pycache__", "*.egg-info", "node_modules", "build", "dist", "build-deb")
"""Not the package for Debian either: compressing all that it contains takes minutes."""
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def repository(folder: Path) -> Run:
    """Make a folder a repository with one commit of what is in it; returns what runs a program there."""

    def program(*command: str | Path, **environment: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*map(str, command)], cwd=folder, capture_output=True, text=True, check=False,
            env={name: value for name, value in os.environ.items() if name != "RELEASE_KEY"} | environment,
        )  # fmt: skip

    setup = (("init", "-q"), ("config", "user.email", "a@example.test"), ("config", "user.name", "A"))
    for command in (*setup, ("add", "."), ("commit", "-qm", "All")):
        assert program("git", *command).returncode == 0
    return program


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a program in a small repository with the files that a release changes."""
    ours = ("scripts/release", "scripts/generate-sbom", "CHANGELOG.md", "pyproject.toml", CHART, GUIDE)
    for name in (*ours, *CLIENTS, *LOCKS):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CHECKOUT / name, tmp_path / name)
    return with_news(tmp_path)


def with_news(folder: Path) -> Run:
    changelog = folder / "CHANGELOG.md"
    changelog.write_text(changelog.read_text().replace("## Unreleased\n", "## Unreleased\n\n- News of the test.\n", 1))
    return repository(folder)


VERSIONS = [
    ("9.0.0a1", "9.0.0-alpha.1", "9.0.0~a1"),
    ("9.0.0a2", "9.0.0-alpha.2", "9.0.0~a2"),
    ("9.0.0b1", "9.0.0-beta.1", "9.0.0~b1"),
    ("9.0.0rc1", "9.0.0-rc.1", "9.0.0~rc1"),
    ("9.0.0rc10", "9.0.0-rc.10", "9.0.0~rc10"),
    ("9.0.0", "9.0.0", "9.0.0"),
    ("9.0.1", "9.0.1", "9.0.1"),
    ("9.10.0rc1", "9.10.0-rc.1", "9.10.0~rc1"),
    ("9.10.0", "9.10.0", "9.10.0"),
]


@pytest.mark.parametrize(("python", "semantic", "debian"), VERSIONS, ids=[row[0] for row in VERSIONS])
def test_a_version_is_written_as_each_registry_has_it(python: str, semantic: str, debian: str) -> None:
    assert script("release").read_version(python)[:3] == (python, semantic, debian)


def test_versions_have_the_same_order_everywhere() -> None:
    """As dpkg sorts them, and npm."""
    read = [script("release").read_version(row[0]) for row in VERSIONS]
    assert sorted(read, key=lambda version: version.order) == read
    for (_, _, older), (_, _, newer) in pairwise(VERSIONS):
        assert (
            subprocess.run([tools.program("dpkg"), "--compare-versions", older, "lt", newer], check=False).returncode
            == 0
        )
    of_npm = (Path(tools.program("npm")).resolve().parent.parent / "node_modules" / "semver").as_posix()
    code = "const s = require(process.argv[1]); console.log(JSON.stringify(s.sort(process.argv.slice(2))))"
    names = [row[1] for row in VERSIONS]
    done = subprocess.run([tools.node(), "-e", code, of_npm, *names[::-1]], check=True, capture_output=True)
    assert json.loads(done.stdout) == names


def test_a_release_has_a_version_a_date_and_a_tag(run: Run, tmp_path: Path) -> None:
    before = (tmp_path / "CHANGELOG.md").read_text()

    assert run("scripts/release", "tag", "9.2.0rc1").returncode == 0
    changes = (tmp_path / "CHANGELOG.md").read_text()
    assert re.search(r"^## Unreleased\n\n## 9\.2\.0rc1 \(\d{4}-\d\d-\d\d\)\n", changes, re.MULTILINE)
    assert changes.partition("## 9.2.0rc1")[2].partition("\n")[2] == before.partition("## Unreleased\n")[2]
    for name in ("pyproject.toml", "clients/python/pyproject.toml", "clients/python/src/signalpost_client/__init__.py"):
        assert re.search(r'^(__)?version(__)? = "9\.2\.0rc1"$', (tmp_path / name).read_text(), re.MULTILINE)
    for name in ("typescript", "n8n"):
        assert json.loads((tmp_path / f"clients/{name}/package.json").read_text())["version"] == "9.2.0-rc.1"
    chart = (tmp_path / CHART).read_text()
    assert "\nversion: 9.2.0-rc.1\nappVersion: 9.2.0rc1\n" in chart
    assert (tmp_path / GUIDE).read_text().count('"$REGISTRY/signalpost:9.2.0rc1"') == 2
    assert "## Unreleased\n\n## 9.2.0rc1 (" in (tmp_path / "clients/python/CHANGELOG.md").read_text()
    assert run("git", "describe").stdout == "v9.2.0rc1\n"
    assert run("git", "status", "--porcelain").stdout == ""
    assert json.loads((tmp_path / "sbom.cdx.json").read_text())["metadata"]["component"]["version"] == "9.2.0rc1"


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
    assert carried == {"preact", "htm", "@preact/signals", "@preact/signals-core", "uqr", "emojibase-data"}


@pytest.mark.parametrize(
    "version", ["1.2", "v9.3.0", "9.3.0-rc.1", "9.3.0.dev1", "09.2.0", "9.3.0rc01", "9.2.0", "9.2.0rc2", "9.1.9"]
)
def test_what_is_no_next_version_changes_nothing(run: Run, version: str) -> None:
    run("git", "tag", "v9.2.0")
    done = run("scripts/release", "tag", version)

    assert done.returncode == 1
    assert re.search(r"is no version\. Write|^The last version is 9\.2\.0\. Choose a higher", done.stderr)
    assert run("git", "status", "--porcelain").stdout == ""


def test_nothing_new_is_no_release(run: Run) -> None:
    assert run("scripts/release", "tag", "9.2.0").returncode == 0
    done = run("scripts/release", "tag", "9.3.0")

    assert (done.returncode, done.stderr) == (1, 'Nothing is listed under "## Unreleased" in CHANGELOG.md.\n')


def test_a_section_that_was_written_before_is_the_one_of_the_release(run: Run, tmp_path: Path) -> None:
    """Nothing is left for a second one."""
    changelog = tmp_path / "CHANGELOG.md"
    news = "\n\n- News of the test.\n"
    changelog.write_text(
        changelog.read_text().replace(news, f"{news}\n## 9.2.0 (2026-01-02)\n\n- Written before.\n", 1)
    )
    run("git", "commit", "-qam", "Written")
    done = run("scripts/release", "tag", "9.2.0")
    assert done.stderr == 'CHANGELOG.md has 9.2.0 already. Move what is under "Unreleased" to it.\n'
    changelog.write_text(changelog.read_text().replace(news, "\n", 1))
    run("git", "commit", "-qam", "Moved")
    before = changelog.read_text()

    assert run("scripts/release", "tag", "9.2.0").returncode == 0
    assert changelog.read_text() == before
    assert run("git", "describe").stdout == "v9.2.0\n"


def test_what_has_no_tag_is_not_built(run: Run, tmp_path: Path) -> None:
    done = run("scripts/release", "build", "9.2.0", "--to", tmp_path / "made")

    assert (done.returncode, done.stderr) == (
        1, "There is no tag v9.2.0. Make it first: scripts/release tag 9.2.0\n",
    )  # fmt: skip


def test_a_key_that_nobody_could_verify_signs_nothing(run: Run, key: Path) -> None:
    done = run("scripts/release", "tag", "9.2.0", RELEASE_KEY=str(key))

    assert done.returncode == 1
    assert done.stderr == (
        "docs/security/allowed_signers lacks the key, so nobody could verify its signatures."
        f" Commit this line of it:\n{signer(key)}\n"
    )
    assert run("git", "status", "--porcelain").stdout == ""


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A throw-away key."""
    key = tmp_path_factory.mktemp("key") / "key"
    command = [tools.program("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-C", "of the tests", "-f", key]
    subprocess.run(command, check=True)
    return key


def signer(key: Path) -> str:
    """The line that says whose signatures count."""
    return f"releases {' '.join(key.with_suffix('.pub').read_text().split()[:2])}"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory, key: Path) -> Path:
    """A checkout with the sources of today and a tag that is signed."""
    source = tmp_path_factory.mktemp("source")
    for name in SOURCES:
        shutil.copytree(CHECKOUT / name, source / name, ignore=NOT_SOURCES, symlinks=True)
    for name in ("CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml", ".gitignore"):
        shutil.copy(CHECKOUT / name, source / name)
    (source / "docs" / "security" / "allowed_signers").write_text(f"{signer(key)}\n")
    run = with_news(source)
    tagged = run("scripts/release", "tag", "9.2.0rc1", RELEASE_KEY=str(key))
    assert tagged.returncode == 0, tagged.stderr
    verified = run("git", "-c", "gpg.ssh.allowedSignersFile=docs/security/allowed_signers", "verify-tag", "v9.2.0rc1")
    assert verified.returncode == 0, verified.stderr
    (source / "src" / "signalpost" / "left_behind.py").write_text("# Not committed, so not published.\n")
    return source


def build(source: Path, key: Path, name: str, **environment: str) -> Path:
    """Build all of the tag into a folder of that name."""
    cache = os.environ.get("SIGNALPOST_TEST_CACHE") or str(CHECKOUT / ".cache" / "test-tools")
    ours = {"RELEASE_KEY": str(key), "SIGNALPOST_TEST_CACHE": cache}
    command = [sys.executable, "scripts/release", "build", "9.2.0rc1", "--to", source / "dist" / name]
    done = subprocess.run(
        command, cwd=source, capture_output=True, text=True, check=False, env=os.environ | ours | environment
    )
    assert done.returncode == 0, done.stderr
    return source / "dist" / name


@pytest.fixture(scope="module")
def released(source: Path, key: Path) -> Path:
    return build(source, key, "one")


BUILT = {
    "NOTES.md", "SHA256SUMS", "SHA256SUMS.sig",
    "signalpost-9.2.0rc1-py3-none-any.whl", "signalpost-9.2.0rc1.tar.gz",
    "signalpost_client-9.2.0rc1-py3-none-any.whl", "signalpost_client-9.2.0rc1.tar.gz",
    "signalpost-npm-9.2.0-rc.1.tgz", "n8n-nodes-signalpost-9.2.0-rc.1.tgz", "signalpost-chart-9.2.0-rc.1.tgz",
    "signalpost-9.2.0rc1-image-source.tar.gz", "signalpost-9.2.0rc1.cdx.json",
}  # fmt: skip
IMAGE = "signalpost-9.2.0rc1-image.tar"
"""Where there is Podman or Docker. Its layers have the time at which they were made."""
together = pytest.mark.xdist_group("release")


@pytest.mark.slow
@together
def test_everything_is_built(released: Path) -> None:
    assert {path.name for path in released.iterdir()} - {IMAGE} == BUILT
    assert (released / "NOTES.md").read_text().startswith("- News of the test.\n")
    with zipfile.ZipFile(released / "signalpost-9.2.0rc1-py3-none-any.whl") as wheel:
        assert {"bundle.json", "app.js", "frame.js", "pages/home.js"} <= {
            name.removeprefix("signalpost/console/static/bundle/") for name in wheel.namelist()
        }
    bill = json.loads((released / "signalpost-9.2.0rc1.cdx.json").read_text())
    assert bill["metadata"]["component"]["version"] == "9.2.0rc1"


@pytest.mark.slow
@together
@pytest.mark.parametrize("name", ["signalpost", "signalpost_client"])
def test_the_published_sdist_builds_the_published_wheel(released: Path, tmp_path: Path, name: str) -> None:
    """Whoever doubts a wheel can compare it: the time in it is that of the sdist."""
    with tarfile.open(released / f"{name}-9.2.0rc1.tar.gz") as sdist:
        [seconds] = {int(member.mtime) for member in sdist.getmembers()}
        sdist.extractall(tmp_path, filter="data")
    command = [Path(sys.executable).parent / "uv", "build", "--quiet", "--wheel", "--no-build-isolation", "--python"]
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(seconds), "TZ": "Asia/Tokyo"}
    subprocess.run(
        [*command, sys.executable, "--out-dir", tmp_path, tmp_path / f"{name}-9.2.0rc1"], check=True, env=environment
    )
    wheel = f"{name}-9.2.0rc1-py3-none-any.whl"
    assert (tmp_path / wheel).read_bytes() == (released / wheel).read_bytes()


@pytest.mark.heavy
@together
def test_everything_is_built_again_with_the_same_bytes(source: Path, released: Path, key: Path) -> None:
    again = build(source, key, "two", TZ="Asia/Tokyo", PYTHONHASHSEED="7")
    for name in BUILT - ({"SHA256SUMS", "SHA256SUMS.sig"} if (released / IMAGE).exists() else set()):
        assert (again / name).read_bytes() == (released / name).read_bytes(), name


@pytest.mark.slow
@together
def test_the_tools_of_the_registries_find_nothing(released: Path) -> None:
    packages = [path for path in released.iterdir() if path.suffix == ".whl" or path.name.endswith("rc1.tar.gz")]
    assert len(packages) == 4
    tool = tools.folder("packages", CHECKOUT / "requirements" / "packages.txt") / "bin"
    helm = tools.folder("kubernetes", CHECKOUT / "requirements" / "kubernetes.txt") / "bin" / "helm"
    chart = released / "signalpost-chart-9.2.0-rc.1.tgz"
    values = CHECKOUT / "deploy/helm/signalpost/ci/minimal-values.yaml"
    for command in (
        [tool / "twine", "check", "--strict", *packages],
        [tool / "check-wheel-contents", *released.glob("*.whl")],
        [helm, "lint", "--strict", chart, "--values", values],
    ):
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    made = subprocess.run(
        [helm, "template", "x", chart, "--values", values], capture_output=True, text=True, check=True
    )
    assert re.search(r"image: \S*signalpost:9\.2\.0rc1\b", made.stdout)


@pytest.mark.slow
@together
def test_each_package_has_what_it_needs_and_nothing_that_was_not_committed(released: Path) -> None:
    with zipfile.ZipFile(released / "signalpost-9.2.0rc1-py3-none-any.whl") as wheel:
        names = set(wheel.namelist())
        said = wheel.read("signalpost-9.2.0rc1.dist-info/METADATA").decode()
    assert "\nVersion: 9.2.0rc1\n" in said
    assert {"signalpost/console/content/guides/operate.md", "signalpost/migrations/schema/all.sql"} <= names
    assert "signalpost/left_behind.py" not in names
    with tarfile.open(released / "signalpost-npm-9.2.0-rc.1.tgz") as package:
        names = set(package.getnames())
    assert {"README.md", "LICENSE", "CHANGELOG.md", "package.json", "dist/index.js", "dist/index.d.ts"} <= {
        name.removeprefix("package/") for name in names
    }
    with tarfile.open(released / "n8n-nodes-signalpost-9.2.0-rc.1.tgz") as package:
        names = set(package.getnames())
        said = json.load(package.extractfile("package/package.json"))  # type: ignore[arg-type]
    assert {f"package/{path}" for path in (*said["n8n"]["nodes"], *said["n8n"]["credentials"], "dist/icons")} <= {
        *names, *(str(Path(name).parent) for name in names)
    }  # fmt: skip
    with tarfile.open(released / "signalpost-9.2.0rc1-image-source.tar.gz") as context:
        names = set(context.getnames())
    copied = re.findall(
        r"^COPY (?!--)(.+) \S+$", (CHECKOUT / "deploy/container/Containerfile").read_text(), re.MULTILINE
    )
    assert {"deploy/container/Containerfile", *" ".join(copied).split()} <= names


@pytest.mark.slow
@together
def test_whoever_downloads_it_can_verify_it(released: Path, key: Path, tmp_path: Path) -> None:
    """By the commands of the guide; a changed file, or changed sums, are found."""
    guide = (CHECKOUT / "docs/guides/operate.md").read_text()
    [block] = re.findall(r"^```sh\n(ssh-keygen -Y verify.*?)^```", guide, re.MULTILINE | re.DOTALL)
    for path in released.iterdir():
        shutil.copy(path, tmp_path)
    (tmp_path / "allowed_signers").write_text(f"{signer(key)}\n")

    def verify() -> int:
        command = ["bash", "-euo", "pipefail", "-c", block]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode

    assert verify() == 0
    (tmp_path / "signalpost-npm-9.2.0-rc.1.tgz").unlink()  # who does not need it does not download it
    assert verify() == 0
    wheel = tmp_path / "signalpost-9.2.0rc1-py3-none-any.whl"
    wheel.write_bytes(wheel.read_bytes() + b"\0")
    assert verify() != 0
    sums = tmp_path / "SHA256SUMS"
    old = (released / wheel.name).read_bytes()
    digests = [hashlib.sha256(content).hexdigest() for content in (old, wheel.read_bytes())]
    sums.write_text(sums.read_text().replace(*digests))
    assert verify() != 0


@pytest.mark.slow
@together
def test_the_signature_is_that_of_the_key(released: Path, key: Path) -> None:
    """Read by the description of the format (PROTOCOL.sshsig of OpenSSH), and verified by another library."""
    armored = (released / "SHA256SUMS.sig").read_text().splitlines()
    blob = base64.b64decode("".join(armored[1:-1]))
    assert blob[:10] == b"SSHSIG" + struct.pack(">I", 1)
    public, namespace, reserved, algorithm, signature = strings(blob[10:])
    assert base64.b64encode(public).decode() == signer(key).split()[2]
    assert (namespace, reserved) == (b"file", b"")
    digest = hashlib.new(algorithm.decode(), (released / "SHA256SUMS").read_bytes()).digest()
    signed = b"SSHSIG" + b"".join(struct.pack(">I", len(part)) + part for part in (namespace, b"", algorithm, digest))
    verifier: Any = load_ssh_public_key(key.with_suffix(".pub").read_bytes())
    kind, raw = strings(signature)
    assert kind == b"ssh-ed25519"
    verifier.verify(raw, signed)


def strings(blob: bytes) -> list[bytes]:
    """The parts of a message of SSH, each after its length."""
    found = []
    while blob:
        length = struct.unpack(">I", blob[:4])[0]
        found.append(blob[4 : 4 + length])
        blob = blob[4 + length :]
    return found
