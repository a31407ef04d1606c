"""What the library complains of is in our log, once a minute each, without what may be secret."""

import logging
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from signalpost.kit import log
from signalpost.telemetry import complaints


@pytest.fixture
def lines() -> Iterator[list[dict[str, Any]]]:
    library = logging.getLogger("opentelemetry")
    handlers, propagates = library.handlers, library.propagate
    written: list[dict[str, Any]] = []
    log.exporter = lambda fields: written.append(dict(fields))
    complaints.listen()
    yield written
    log.exporter = None
    library.handlers, library.propagate = handlers, propagates


def test_a_complaint_is_a_line_of_ours_without_texts_of_others(lines: list[dict[str, Any]]) -> None:
    logger = logging.getLogger("opentelemetry.exporter.test")
    for _ in range(3):
        logger.error("Failed to export %s batch code: %s, reason: %s", "spans", 401, "Bearer s3cret")
    logger.warning("Transient error %s encountered, retrying in %.2fs.", ConnectionError("http://u:s3cret@host"), 1.5)
    logger.warning("Header format invalid: %s", "authorization s3cret")
    logger.warning("A number of %d", Decimal(3))
    logger.info("not a complaint")

    assert [line["reason"] for line in lines] == [
        "Failed to export spans batch code: 401, reason: …",
        "Transient error ConnectionError encountered, retrying in 1.50s.",
        "Header format invalid: …",
        "A number of %d",
    ]
    assert {(line["event"], line["level"]) for line in lines} == {("telemetry.not_exported", "warning")}


def test_an_exception_is_named_by_its_class(lines: list[dict[str, Any]]) -> None:
    try:
        int("s3cret")
    except ValueError:
        logging.getLogger("opentelemetry.sdk.test").exception("Exception while exporting %s.", "Log")

    assert (lines[0]["reason"], lines[0]["error"]) == ("Exception while exporting Log.", "ValueError")
    assert "s3cret" not in str(lines)
