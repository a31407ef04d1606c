"""One table of operations through every client: each has the effects that plain HTTP has, and answers the same."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.clients.conftest import Instance
from tests.clients.drivers import (
    AsyncPythonClient,
    Bun,
    Deno,
    Driver,
    Node,
    PythonClient,
    RawHttp,
    Refused,
    Step,
    Terminal,
)
from tests.helpers.contract import SOON
from tests.helpers.media_files import image

pytestmark = pytest.mark.xdist_group("clients")
DRIVERS: Mapping[str, type[Driver]] = {
    "python": PythonClient,
    "python-async": AsyncPythonClient,
    "sp": Terminal,
    "typescript": Node,
    "typescript-deno": Deno,
    "typescript-bun": Bun,
}
SCENARIO = (
    Step("me", "getMe"),
    Step("account", "listAccounts", query={"profileId": "{profile}"}),
    Step("valid", "validatePost", body={"profileId": "{profile}", "platforms": ["sandbox"], "text": "Soup"}),
    Step("now", "createPost", body={"profileId": "{profile}", "platforms": ["sandbox"], "text": "Soup of the day"}),
    Step(
        "later", "createPost",
        body={
            "profileId": "{profile}", "platforms": ["sandbox"], "text": "Cake", "scheduledAt": f"{SOON[:10]}T09:00",
            "timezone": "Europe/Berlin",
        },
    ),
    Step("draft", "createPost", body={"profileId": "{profile}", "text": "An idea", "draft": True, "tags": ["spring"]}),
    Step("edited", "updatePost", ("{draft}",), body={"text": "A better idea ü 🙂"}),
    Step("listed", "listPosts", query={"limit": 1}),
    Step("found", "listPosts", query={"tag": "spring", "from": "2020-01-01T00:00:00Z"}),
    Step("shown", "getPost", ("{later}",)),
    Step("cancelled", "cancelPost", ("{later}",)),
    Step("trashed", "deletePost", ("{draft}",)),
    Step("trash", "listTrash"),
    Step("restored", "restorePost", ("{draft}",)),
    Step("nothing to retry", "retryPost", ("{draft}",)),
    Step("refused", "createPost", body={"profileId": "{profile}", "platforms": ["nowhere"], "text": "x"}),
    Step("absent", "getPost", ("pst_01M7Z0000000000000000000AB",)),
    Step("webhook", "createWebhook", body={"url": "http://127.0.0.1:9/hooks", "events": ["post.failed"]}),
    Step("webhooks", "listWebhooks"),
    Step("stats", "getPostStats"),
    Step("without body", "deleteSandboxClock"),
)  # fmt: skip
"""Answers that change by themselves (posts that are being published) come before, or are left out by `comparable`."""
_VARIES = re.compile(
    r"^(id|.*Id|.*Ids|.*At|createdAt|name|slug|email|secret|prefix|token|etag|fingerprint|usage|version|storagePath|url"
    r"|thumbnailUrl|nextCursor|keyHint|.*UserName|handle|avatarUrl|.*SecretHint|preview)$"
)
_UNDER_WAY = {"queued", "publishing", "published"}


def comparable(value: Any) -> Any:
    """What is the same for every client: no ids, no times, no names of the workspace; being published is one state."""
    if isinstance(value, Mapping):
        return {name: comparable(member) for name, member in value.items() if not _VARIES.match(name)}
    if isinstance(value, list | tuple):
        return [comparable(item) for item in value]
    return "under way" if isinstance(value, str) and value in _UNDER_WAY else value


def filled(value: Any, known: Mapping[str, str]) -> Any:
    """Put ids of earlier answers where `{name}` stands."""
    if isinstance(value, str):
        return known[value[1:-1]] if re.fullmatch(r"\{[a-z]+\}", value) else value
    if isinstance(value, Mapping):
        return {name: filled(member, known) for name, member in value.items()}
    return [filled(item, known) for item in value] if isinstance(value, list | tuple) else value


async def play(driver: Driver) -> dict[str, Any]:
    """Run the scenario; return what was answered, and what is there at the end by plain HTTP."""
    known = {"profile": driver.place.profile}
    answers: dict[str, Any] = {}
    for step in SCENARIO:
        made = Step(
            step.name,
            step.operation,
            tuple(filled(step.path, known)),
            filled(step.query, known),
            filled(step.body, known),
        )
        answer = await driver.run(made)
        if isinstance(answer, Mapping) and "id" in answer:
            known.setdefault(step.name, str(answer["id"]))
        if step.name == "now":
            answers["published"] = comparable(await driver.published(known["now"]))
        answers[step.name] = answer if isinstance(answer, Refused) else comparable(answer)
    async with RawHttp(driver.place) as plain:
        answers["left"] = comparable(await plain.run(Step("left", "listPosts")))
    return answers


@pytest.fixture(scope="module")
async def expected(instance: Instance) -> dict[str, Any]:
    async with RawHttp(await instance.place()) as driver:
        return await play(driver)


def test_the_table_meets_what_it_is_about(expected: dict[str, Any]) -> None:
    """Else all clients could agree about nothing."""
    assert expected["published"]["status"] == "under way"
    assert [len(expected[name]) for name in ("listed", "found", "trash", "left")] == [3, 1, 1, 3]
    assert expected["refused"] == Refused(422, "validation_failed", "/platforms/0")
    assert expected["absent"] == Refused(404, "not_found", None)
    assert expected["nothing to retry"] == Refused(409, "nothing_to_retry", None)
    assert expected["edited"]["text"] == "A better idea ü 🙂"


@pytest.mark.parametrize("name", DRIVERS)
async def test_a_client_has_the_effects_of_plain_http(instance: Instance, expected: dict[str, Any], name: str) -> None:
    async with DRIVERS[name](await instance.place()) as driver:
        assert await play(driver) == expected


@pytest.fixture(scope="module")
def cat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("files") / "cat.png"
    path.write_bytes(image("PNG"))
    return path


@pytest.fixture(scope="module")
async def uploaded(instance: Instance, cat: Path) -> Any:
    async with RawHttp(await instance.place()) as driver:
        return comparable(await driver.upload(cat, "form"))


UPLOADS = [(name, method) for name in DRIVERS for method in ("form", "presigned", "resumable") if name != "sp"]


@pytest.mark.parametrize(("name", "method"), [*UPLOADS, ("sp", "resumable")])
async def test_a_client_uploads_in_three_ways(
    instance: Instance, cat: Path, uploaded: Any, name: str, method: str
) -> None:
    async with DRIVERS[name](await instance.place()) as driver:
        media = await driver.upload(cat, method)

    assert comparable(media) == uploaded
    assert media["status"] == "ready"
