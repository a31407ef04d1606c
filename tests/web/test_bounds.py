"""How much work a body makes: many values go to a thread, too many are refused, and text counts as text."""

import json
from typing import Any

import pytest
from tests.web.conftest import SmallApp

from signalpost.kit import problems
from signalpost.web import bounds


def listed(count: int, item: str) -> bytes:
    return f"[{','.join([item] * count)}]".encode()


@pytest.mark.parametrize(
    ("body", "heavy"),
    [
        (b"{}", False), (listed(100, '{"a":"b"}'), False), (listed(500, '{"a":"b"}'), True),
        (listed(bounds.CONTAINERS_MAX - 1, "[]"), True), (listed(bounds.VALUES_MAX, "1"), True),
        (json.dumps("[{" * 900_000).encode(), True), (json.dumps('["\\' * 300_000).encode(), True),
        (json.dumps("\\" * 900_000).encode(), True), (json.dumps("," * 1_900_000).encode(), True),
        (b"[" * 100_000, False), (b'{"a":' * 100_000, False),
    ],
    ids=[
        "empty", "few", "many", "most containers", "most values", "brackets in text", "escapes in text", "backslashes",
        "commas in text", "deep lists", "deep objects",
    ],
)  # fmt: skip
async def test_allowed_bodies(body: bytes, heavy: bool) -> None:
    """The documented limits of text hold for any characters. What is nested too deeply is refused by the decoder."""
    assert await bounds.is_heavy(body) == heavy


@pytest.mark.parametrize(
    "body",
    [
        listed(bounds.CONTAINERS_MAX + 1, "{}"), listed(bounds.STRINGS_MAX + 1, '""'),
        listed(bounds.VALUES_MAX + 2, "1"), listed(bounds.CONTAINERS_MAX + 1, '["\\\\"]'),
    ],
    ids=["containers", "strings", "values", "escapes"],
)  # fmt: skip
async def test_too_many_values_are_refused(body: bytes) -> None:
    with pytest.raises(problems.PayloadTooLarge):
        await bounds.is_heavy(body)


async def test_a_heavy_body_is_explained_like_any_other(small_app: SmallApp) -> None:
    body: dict[str, Any] = {"name": "a", "number": 11, "extra": {"list": [{}] * 5_000}, "tags": ["long"] * 3_000}
    answer = await small_app.api.post("/things", json=body, key="ann")

    assert answer.status_code == 422
    errors = answer.json()["errors"]
    assert len(errors) == 100
    assert [error["path"] for error in errors[:3]] == ["/number", "/tags", "/tags/0"]


async def test_a_message_does_not_repeat_a_long_value(small_app: SmallApp) -> None:
    answer = await small_app.api.get("/things?limit=" + "9" * 5_000, key="ann")
    assert len(answer.content) < 1_000
    answer = await small_app.api.post("/things", content=b'{"name":"a","' + b"k" * 5_000 + b'":1}', key="ann")
    assert answer.status_code == 422
