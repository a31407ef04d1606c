"""The log: JSON lines with what happened, where and when; text for people; nothing below the level."""

import json
import re
from collections.abc import Iterator
from uuid import UUID

import pytest

from signalpost.kit import log


@pytest.fixture(autouse=True)
def default_again() -> Iterator[None]:
    yield
    log.set_up(human=False)


def test_a_line_says_what_where_and_when(capsys: pytest.CaptureFixture[str]) -> None:
    token = log.request_id.set("req_1")
    log.get("posts").warning("post.odd", post=UUID(int=7), count=2)
    log.request_id.reset(token)

    line = json.loads(capsys.readouterr().err)

    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", line.pop("at"))
    assert line == {
        "room": "posts", "post": str(UUID(int=7)), "count": 2, "request_id": "req_1", "event": "post.odd",
        "level": "warning",
    }  # fmt: skip


@pytest.mark.parametrize("handled", [True, False])
def test_an_exception_is_logged_with_its_traceback(handled: bool, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        _ = 1 // 0
    except ZeroDivisionError as error:
        caught = error
        if handled:
            log.get("posts").exception("post.failed")
    if not handled:
        log.get("posts").error("post.failed", exc_info=caught)

    line = json.loads(capsys.readouterr().err)

    assert line["level"] == "error"
    assert line["exception"].startswith("Traceback")
    assert line["exception"].endswith("ZeroDivisionError: integer division or modulo by zero")


def test_lines_below_the_level_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    log.set_up(level="error", human=False)

    log.get("posts").info("post.created")
    log.get("posts").warning("post.odd")

    assert capsys.readouterr().err == ""


def test_lines_for_people_are_readable(capsys: pytest.CaptureFixture[str]) -> None:
    log.set_up(human=True)

    try:
        _ = 1 // 0
    except ZeroDivisionError:
        log.get("posts").exception("post.failed", post="pst_1")

    first, *trace = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"\d\d:\d\d:\d\d\.\d{6} error {3}post\.failed +room='posts' post='pst_1'", first)
    assert trace[-1] == "ZeroDivisionError: integer division or modulo by zero"
