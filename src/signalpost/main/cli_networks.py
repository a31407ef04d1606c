"""`signalpost networks check`: the conformance suite for whoever writes a connector. It needs no instance."""

import asyncio
import importlib
import json
import os
import sys
from typing import Any

import click

from signalpost.main.cli_support import fail, json_option


@click.command(short_help="Run the conformance suite on a connector.")
@click.argument("module")
@json_option
def check(module: str, *, as_json: bool) -> None:
    """Run the conformance suite on the CONNECTOR of MODULE, against the FAKE of its network there.

    MODULE is importable or in this folder. Exit with 1 if a check fails, and with 2 if there is nothing to check.
    """
    from signalpost.conformance import suite  # noqa: PLC0415 - keeps `--help` quick

    connector, fake = _load(module)
    results = asyncio.run(suite.run(connector, fake))
    if as_json:
        sys.stdout.write(json.dumps({"data": suite.as_data(results)}) + "\n")
    else:
        sys.stdout.write(suite.as_text(results))
    if any(result.count for result in results):
        sys.exit(1)


def _load(module: str) -> tuple[Any, Any]:
    from signalpost.conformance.fake import NetworkFake  # noqa: PLC0415 - keeps `--help` quick
    from signalpost.networks.contract import Connector  # noqa: PLC0415 - keeps `--help` quick

    sys.path.insert(0, os.getcwd())  # noqa: PTH109 - as `python -m` does it
    try:
        loaded: Any = importlib.import_module(module)
    except Exception as error:  # noqa: BLE001 - foreign code raises anything
        fail(f"{module} cannot be imported: {type(error).__name__}: {error}", 2)
    connector, fake = getattr(loaded, "CONNECTOR", None), getattr(loaded, "FAKE", None)
    for name, value, kind in (("CONNECTOR", connector, Connector), ("FAKE", fake, NetworkFake)):
        if not isinstance(value, kind):
            fail(f"{module} has no {name} of the class {kind.__module__}.{kind.__name__}.", 2)
    return connector, fake
