"""What only code can check before a message is sent."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from signalpost.networks.connectors.matrix.facts import EVENT_BYTES_MAX, FACTS
from signalpost.networks.connectors.matrix.message import UPLOADED, bare_contents
from signalpost.networks.contract import Outgoing, PreflightIssue
from signalpost.networks.preflight import part_path


def preflight(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:  # noqa: ARG001
    """Check the size of messages, as they are sent."""
    return list(_sizes(outgoing))


def _sizes(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    """An event holds the text twice if it is formatted."""
    for index, part in enumerate(outgoing.parts):
        if len(part.text) > FACTS.text.max_length:
            continue  # reported by the general check
        files = [{"url": UPLOADED}] * len(part.media)
        content = next(bare_contents(outgoing, index, files))
        actual = len(json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        if actual > EVENT_BYTES_MAX:
            message = f"The message is {actual} bytes long as it is sent; Matrix allows {EVENT_BYTES_MAX}."
            params = {"limit": EVENT_BYTES_MAX, "actual": actual}
            yield PreflightIssue("matrix.text.max_bytes", part_path(index, "text"), message, params)
