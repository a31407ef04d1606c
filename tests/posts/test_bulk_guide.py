"""The guide to many posts at once is true: its requests succeed as they stand."""

import json
import os
import re
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.counterparts.tools import CHECKOUT
from tests.helpers.api import Api
from tests.helpers.factories import Make

GUIDE = (CHECKOUT / "docs" / "guides" / "bulk.md").read_text()


_CURL = "curl() { printf '%s\\0' \"$@\"; }"
_DAY = (datetime.now(UTC) + timedelta(days=2)).date().isoformat()


def typed(block: str, folder: Path, **variables: str) -> list[str]:
    """The arguments of the request of a block, as a shell hands them to curl."""
    done = subprocess.run(
        ["bash", "-eu", "-c", f"{_CURL}\n{block}"], capture_output=True, text=True, check=True, cwd=folder,
        env=variables | {"API": "", "KEY": "x", "DAY": _DAY, "PATH": os.environ["PATH"]},
    )  # fmt: skip
    return done.stdout.split("\0")


async def test_the_requests_of_the_guide_succeed(api: Api, make: Make, tmp_path: Path) -> None:
    owner = await make.owner()
    child = (await make.profile(owner))["id"]
    for profile in (owner.profile, child):
        await make.account(owner, profile=profile)

    paths = []
    for block in re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL):
        path, *arguments = typed(block, tmp_path, PROFILE=owner.profile, CHILD=child)
        if "-d" in arguments:
            body = json.loads(arguments[arguments.index("-d") + 1])
            answer = await api.post(path, json=body, key=owner.key)
            assert answer.status_code == 201, answer.text
            assert not answer.json().get("errors")
            paths.append(path)
            continue
        table = (tmp_path / "posts.csv").read_bytes()
        for place in (path, path.partition("?")[0]):
            answer = await api.post(place, content=table, headers={"Content-Type": "text/csv"}, key=owner.key)
            assert answer.status_code == 201, answer.text
            assert answer.json()["errors"] == []
        paths.append(path)
    assert paths == ["/posts/bulk", "/posts/bulk?dryRun=true", "/posts/fanout", "/profiles/links"]
