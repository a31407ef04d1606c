"""The guide to many posts at once is true: its requests succeed as they stand."""

import json
import re
import subprocess
from collections.abc import Iterator
from typing import Any

from tests.counterparts.tools import CHECKOUT
from tests.helpers.api import Api
from tests.helpers.factories import Make

GUIDE = (CHECKOUT / "docs" / "guides" / "bulk.md").read_text()


_CURL = "curl() { printf '%s\\0' \"$@\"; }"


def requests(**variables: str) -> Iterator[tuple[str, Any]]:
    """Path and body of each request with JSON, as a shell hands them to curl."""
    for block in re.findall(r"```sh\n(curl .*?)```", GUIDE, re.DOTALL):
        typed = subprocess.run(
            ["bash", "-eu", "-c", f"{_CURL}\n{block}"], capture_output=True, text=True, check=True,
            env=variables | {"API": "", "KEY": "x"},
        )  # fmt: skip
        arguments = typed.stdout.split("\0")
        if "--json" in arguments:
            yield arguments[-2], json.loads(arguments[arguments.index("--json") + 1])


async def test_the_requests_of_the_guide_succeed(api: Api, make: Make) -> None:
    owner = await make.owner()
    child = (await make.profile(owner))["id"]
    for profile in (owner.profile, child):
        await make.account(owner, profile=profile)

    paths = []
    for path, body in requests(PROFILE=owner.profile, CHILD=child):
        answer = await api.post(path, json=body, key=owner.key)
        assert answer.status_code == 201, answer.text
        assert not answer.json().get("errors")
        paths.append(path)
    assert paths == ["/posts/bulk", "/posts/fanout", "/profiles/links"]

    [table] = re.findall(r"```csv\n(.*?)```", GUIDE, re.DOTALL)
    [query] = re.findall(r'--data-binary @posts\.csv "\$API(\S+)"', GUIDE)
    for path, ids in ((query, [None, None]), (query.partition("?")[0], None)):
        answer = await api.post(
            path,
            content=table.replace("prof_…", owner.profile).encode(),
            headers={"Content-Type": "text/csv"},
            key=owner.key,
        )
        assert answer.status_code == 201, answer.text
        assert answer.json()["errors"] == []
        assert ids is None or [post["id"] for post in answer.json()["created"]] == ids
