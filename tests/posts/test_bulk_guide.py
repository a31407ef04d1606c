"""The guide to many posts at once is true: its requests succeed as they stand."""

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.counterparts.tools import CHECKOUT
from tests.helpers.api import Api
from tests.helpers.factories import Make

GUIDE = (CHECKOUT / "docs" / "guides" / "bulk.md").read_text()


def requests() -> Iterator[tuple[str, Any]]:
    """Path and body of each request with JSON."""
    for block in re.findall(r"```\n(curl .*?)```", GUIDE, re.DOTALL):
        if match := re.search(r"--json '(.*?)' \$API(\S+)", block, re.DOTALL):
            yield match[2], match[1]


async def test_the_requests_of_the_guide_succeed(api: Api, make: Make) -> None:
    owner = await make.owner()
    child = (await make.profile(owner))["id"]
    for profile in (owner.profile, child):
        await make.account(owner, profile=profile)
    names = {"$PROFILE": owner.profile, "$CHILD": child}

    def filled(text: str) -> str:
        return re.sub(r"\$[A-Z]+", lambda name: names[name[0]], text)

    paths = []
    for path, body in requests():
        answer = await api.post(path, json=json.loads(filled(body)), key=owner.key)
        assert answer.status_code == 201, answer.text
        assert not answer.json().get("errors")
        paths.append(path)
    assert paths == ["/posts/bulk", "/posts/fanout", "/profiles/links"]

    [table] = re.findall(r"```csv\n(.*?)```", GUIDE, re.DOTALL)
    [query] = re.findall(r"--data-binary @posts\.csv \$API(\S+)", GUIDE)
    for path, ids in ((query, [None, None]), (query.partition("?")[0], None)):
        answer = await api.post(
            path, content=filled(table).encode(), headers={"Content-Type": "text/csv"}, key=owner.key
        )
        assert answer.status_code == 201, answer.text
        assert answer.json()["errors"] == []
        assert ids is None or [post["id"] for post in answer.json()["created"]] == ids
