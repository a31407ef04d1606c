"""The conformance suite of Signalpost; `pytest` and `signalpost networks check signalpost_ntfy.fake` run the same."""

import asyncio

from signalpost.conformance import suite
from signalpost_ntfy import CONNECTOR
from signalpost_ntfy.fake import FAKE


def test_the_connector_does_what_the_contract_asks() -> None:
    results = asyncio.run(suite.run(CONNECTOR, FAKE))
    assert not [result for result in results if result.problems], suite.as_text(results)
