"""What is in the Debian package, as far as seconds show it; `make test-install` builds and installs it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.counterparts.tools import CHECKOUT

from signalpost.main.cli import app
from signalpost.settings import PREFIX, Settings

DEBIAN = CHECKOUT / "deploy" / "debian"
SYSTEMD = CHECKOUT / "deploy" / "systemd"
SCRIPTS = ("postinst", "prerm", "postrm")


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_maintainer_script_is_posix_and_stops_at_an_error(name: str) -> None:
    text = (DEBIAN / name).read_text()
    assert text.startswith("#!/bin/sh\n")
    assert "\nset -e\n" in text
    assert subprocess.run(["sh", "-n", DEBIAN / name], capture_output=True, check=False).returncode == 0


def test_only_a_purge_deletes_data(tmp_path: Path) -> None:
    """Each way in which Debian calls the script, with everything that it calls replaced by what prints its words."""
    deleting = {}
    (tmp_path / "bin").mkdir()
    for command in ("rm", "deb-systemd-helper", "systemctl"):
        file = tmp_path / "bin" / command
        file.write_text(f'#!/bin/sh\necho {command} "$@" >>"{tmp_path}/called"\n')
        file.chmod(0o755)
    for called in ("remove", "purge", "upgrade", "failed-upgrade", "abort-install", "abort-upgrade", "disappear"):
        (tmp_path / "called").write_text("")
        done = subprocess.run(
            ["sh", DEBIAN / "postrm", called], env={"PATH": f"{tmp_path}/bin:/usr/bin:/bin"}, capture_output=True,
            text=True, check=True,
        )  # fmt: skip
        deleting[called] = [line for line in (tmp_path / "called").read_text().splitlines() if line.startswith("rm ")]
        assert ("is kept" in done.stdout) == (called == "remove")
        assert ("master key" in done.stdout) == (called in ("remove", "purge"))
    assert deleting.pop("purge") == ["rm -rf /var/lib/signalpost /etc/signalpost"]
    assert not any(deleting.values())


def test_folders_and_user_are_those_of_the_unit() -> None:
    unit = (SYSTEMD / "signalpost.service").read_text()
    [user] = re.findall(r"^User=(.+)$", unit, re.MULTILINE)
    [folder] = re.findall(r"--data-dir (\S+)$", unit, re.MULTILINE)
    [state] = re.findall(r"^StateDirectory=(.+)$", unit, re.MULTILINE)
    made = (SYSTEMD / "tmpfiles.conf").read_text()

    assert folder == f"/var/lib/{state}"
    assert f"\nu {user} - " in (SYSTEMD / "sysusers.conf").read_text()
    assert f"\nd {folder} 0700 {user} {user} -\n" in made
    assert f"\nL {folder}/.env - - - - ../../../etc/signalpost/signalpost.env\n" in made
    assert f"\nz /etc/signalpost/signalpost.env 0600 {user} {user} -\n" in made


def test_the_settings_are_comments_that_name_settings_of_today() -> None:
    lines = (DEBIAN / "signalpost.env").read_text().splitlines()
    assert [line for line in lines if not line.startswith("#")] == []
    named = re.findall(rf"^#{PREFIX}([A-Z_]+)=", "\n".join(lines), re.MULTILINE)
    assert len(named) >= 4
    assert [name for name in named if not hasattr(Settings, name.lower())] == []


def test_the_manual_page_names_commands_that_exist() -> None:
    page = (DEBIAN / "signalpost.1").read_text().replace("\\-", "-")
    for command in ("serve", "doctor"):
        assert f"signalpost {command}" in page
        assert CliRunner().invoke(app, [command, "--help"]).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Usage"),
        (["no.whl", "."], "Usage"),
        ([str(DEBIAN / "postinst"), "."], "Usage"),
        ([sys.executable], "Usage"),
    ],
)
def test_building_without_a_wheel_says_how_it_is_called(arguments: list[str], words: str) -> None:
    script = CHECKOUT / "scripts" / "build-deb"
    done = subprocess.run([script, *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert words in done.stderr
