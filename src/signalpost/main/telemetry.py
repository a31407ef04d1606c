"""Telemetry of `serve` and `worker`: started before anything that could be recorded, and ended after it."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import metadata
from typing import TYPE_CHECKING

from signalpost.kit import log
from signalpost.main.checks import Check
from signalpost.settings import Settings
from signalpost.telemetry import config

if TYPE_CHECKING:
    from signalpost.telemetry.exporting import Exporting

_logger = log.get("main")


@asynccontextmanager
async def exporting(settings: Settings) -> AsyncIterator["Exporting | None"]:
    """Export what the `OTEL_*` variables ask for; None: nothing. What cannot be exported never stops the service."""
    config.adopt(settings.data_dir / ".env")
    started = None
    try:
        if signals := config.read(os.environ):
            from signalpost.telemetry.exporting import Exporting  # noqa: PLC0415 - 12 MB, only if asked for

            started = Exporting(signals, metadata.version("signalpost"))
    except config.Unusable as unusable:
        _logger.warning("telemetry.off", reason=str(unusable), remedy=unusable.remedy)
    try:
        yield started
    finally:
        if started is not None:
            await started.close()


def examine(settings: Settings) -> list[Check]:
    """Look whether what the `OTEL_*` variables ask for can be exported; no check if they ask for nothing."""
    config.adopt(settings.data_dir / ".env")
    try:
        signals = config.read(os.environ)
    except config.Unusable as unusable:
        return [Check("telemetry", ok=False, detail=f"{unusable}.", fix=unusable.remedy)]
    names = [name for name in config.SIGNALS if getattr(signals, name)]
    return [Check("telemetry", ok=True, detail=f"Exports {', '.join(names)}.", fix=None)] if names else []
