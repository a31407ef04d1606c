"""The action for GitHub: inputs arrive, a second run of the job publishes nothing twice, a failure fails the job."""

import asyncio
import os
import re
import sys
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.clients.drivers import Place
from tests.clients.test_examples import PACKAGE, posts_of
from tests.counterparts.tools import CHECKOUT

pytestmark = pytest.mark.xdist_group("clients")
FOLDER = CHECKOUT / "clients" / "github-action"
ACTION: dict[str, Any] = yaml.safe_load((FOLDER / "action.yml").read_text())
STEP = ACTION["runs"]["steps"][-1]
VALUES = {"external-id": "bakery/site 4711 announce", "link": "", "media": "", "to": "sandbox"}
"""What the job says, and the defaults that GitHub would compute."""


async def run(place: Place, folder: Path, **values: str) -> tuple[int, str, str]:
    """Run the last step as GitHub does: return its code, its log and its outputs."""
    given = VALUES | {"api-url": place.url, "api-key": place.key, "profile": place.profile} | values
    environment = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) }}", lambda m: given[m[1]], of) for name, of in STEP["env"].items()
    }
    (folder / "output").write_text("")
    process = await asyncio.create_subprocess_exec(
        "bash", "-c", STEP["run"], stdout=PIPE, stderr=STDOUT,
        env=os.environ | environment | {
            "PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(PACKAGE), "SP_CONFIG_DIR": str(folder),
            "GITHUB_ACTION_PATH": str(FOLDER), "GITHUB_OUTPUT": str(folder / "output"),
        },
    )  # fmt: skip
    log, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, log.decode(), (folder / "output").read_text()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the command `sp`, as the step before installs it."""
    (tmp_path / "sp").write_text(f'#!/bin/sh\nexec {sys.executable} -m signalpost_client.cli "$@"\n')
    (tmp_path / "sp").chmod(0o755)
    return tmp_path


async def test_a_job_publishes_once(place: Place, folder: Path) -> None:
    text = 'Ovenware 1.4 is out: "quotes", $(commands), `ticks`\nand a second line'
    first = await run(place, folder, text=text, link="https://bakery.example/1.4")
    second = await run(place, folder, text=text, link="https://bakery.example/1.4")

    [post] = await posts_of(place)
    assert first == second == (0, first[1], f"post-id={post['id']}\n")
    assert (post["text"].rstrip(), post["link"], post["status"]) == (text, "https://bakery.example/1.4", "published")


async def test_a_refusal_fails_the_job_and_says_why(place: Place, folder: Path) -> None:
    failed = await run(place, folder, text="Soup [[fail:text_too_long]]")
    refused = await run(place, folder, text="Soup", to="nowhere", **{"external-id": "other"})

    assert failed[0] != 0
    assert "too long" in failed[1]
    assert refused[0] != 0
    assert "nowhere" in refused[1]


def test_every_input_is_declared_described_and_used() -> None:
    used = set(re.findall(r"inputs\.([\w-]+)", " ".join(STEP["env"].values())))
    assert used == set(ACTION["inputs"])
    assert all(each.get("description") for each in (*ACTION["inputs"].values(), *ACTION["outputs"].values()))
    assert "inputs." not in STEP["run"], "what strangers write is never part of a command"
