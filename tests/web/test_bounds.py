"""How much work a body makes: many values go to a thread, too many are refused, and text counts as text."""

import json
import random
import re
from typing import Any

import msgspec
import pytest
from tests.web.conftest import SmallApp

from signalpost.kit import problems
from signalpost.web import bounds, validation


def listed(count: int, item: str) -> bytes:
    return f"[{','.join([item] * count)}]".encode()


@pytest.mark.parametrize(
    ("body", "heavy"),
    [
        (b"{}", False), (listed(100, '{"a":"b"}'), False), (listed(500, '{"a":"b"}'), True),
        (listed(bounds.CONTAINERS_MAX - 1, "[]"), True), (listed(bounds.VALUES_MAX, "1"), True),
        (json.dumps("[{" * 900_000).encode(), True), (json.dumps('["\\' * 300_000).encode(), True),
        (json.dumps("\\" * 900_000).encode(), True), (json.dumps("," * 1_900_000).encode(), True),
        (b"[" * 100_000, False), (b'{"a":' * 100_000, False), (json.dumps("re-use" * 200_000).encode(), True),
        (listed(bounds.EXPONENTS_MAX, "1e-320"), True),
    ],
    ids=[
        "empty", "few", "many", "most containers", "most values", "brackets in text", "escapes in text", "backslashes",
        "commas in text", "deep lists", "deep objects", "hyphens in text", "most exponents",
    ],
)  # fmt: skip
async def test_allowed_bodies(body: bytes, heavy: bool) -> None:
    """The documented limits of text hold for any characters. What is nested too deeply is refused by the decoder."""
    assert await bounds.is_heavy(body) == heavy


@pytest.mark.parametrize(
    "body",
    [
        listed(bounds.CONTAINERS_MAX + 1, "{}"), listed(bounds.STRINGS_MAX + 1, '""'),
        listed(bounds.VALUES_MAX + 2, "1"), listed(bounds.EXPONENTS_MAX + 1, "1E-320"),
        listed(bounds.CONTAINERS_MAX + 1, '["\\\\"]'),
    ],
    ids=["containers", "strings", "values", "exponents", "escapes"],
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


@pytest.mark.parametrize(
    ("literal", "error"),
    [
        ("1.5", None),
        ("0e999", None),
        ("-2.5E3", None),
        ("1e308", "range"),
        ("-1e16", "range"),
        ("1e-300", "range"),
        ("1e999", "range"),
    ],
)
def test_any_json_has_numbers_of_common_sizes(literal: str, error: str | None) -> None:
    """Msgspec needs 15 microseconds for 1e308, and PostgreSQL writes it with 309 digits."""
    decoder = validation.decoder_of(Anything)
    body = f'{{"value": [{literal}]}}'.encode()
    if error is None:
        assert validation.decode_body(decoder, body).value == [float(literal)]
        return
    with pytest.raises(problems.ValidationFailed) as failure:
        validation.decode_body(decoder, body)
    assert [(issue.path, issue.code) for issue in failure.value.errors] == [("/value/0", "out_of_range")]


class Anything(msgspec.Struct):
    value: Any


async def test_what_is_outside_of_strings_is_counted_wherever_a_body_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """The referee is a pattern over the whole text; valid JSON or not."""
    monkeypatch.setattr(bounds, "PIECE_BYTES", 4)
    chance = random.Random(4)
    for _ in range(3_000):
        body = bytes(chance.choices(b'\\\\\\""{[,a', k=chance.randrange(40)))
        text = re.sub(rb"\\[\\\"]", b"", body)
        outside = re.sub(rb'"[^"]*("|$)', b"", text)
        counts = await bounds._count_exactly(body)
        found = (counts.containers, counts.strings, counts.values)
        assert found == (outside.count(b"{") + outside.count(b"["), text.count(b'"') // 2, outside.count(b",")), body
