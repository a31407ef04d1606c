"""What only code can check before a message is sent."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from signalpost.networks.connectors.slack.facts import FACTS, TEXT_MAX
from signalpost.networks.connectors.slack.message import sent_text
from signalpost.networks.contract import Outgoing, PreflightIssue
from signalpost.networks.preflight import part_path, text_of_part


def preflight(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
    """Check the length of texts as they are sent, and whether the account can send files."""
    return [*_texts(outgoing), *_files(outgoing, account_facts)]


def _texts(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    """A text that is short enough by itself may be too long with `&amp;` for `&`."""
    for index in range(len(outgoing.parts)):
        text = text_of_part(FACTS, outgoing, index)
        actual = len(sent_text(text, outgoing.options))
        if len(text) <= TEXT_MAX < actual:
            message = f"The text is {actual} characters long as Slack counts &, < and >; Slack allows {TEXT_MAX}."
            params = {"limit": TEXT_MAX, "actual": actual}
            yield PreflightIssue("slack.text.max_length", part_path(index, "text"), message, params)


def _files(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Iterator[PreflightIssue]:
    if "mode" not in account_facts:
        return  # of no account in particular
    lacking = [
        name
        for name, has in (
            ("files:write", account_facts.get("files")),
            ("channels:history (groups:history in a private channel)", account_facts.get("history")),
        )
        if not has
    ]
    for index, part in enumerate(outgoing.parts):
        path = part_path(index, "media")
        if part.media and account_facts.get("mode") != "bot":
            message = "A webhook of Slack cannot send files. Leave them out, or connect the channel by a bot."
            yield PreflightIssue("slack.media.bot_only", path, message)
        elif part.media and lacking:
            message = f"To send files the app needs {' and '.join(lacking)}: add that, and connect the account again."
            yield PreflightIssue("slack.media.scopes", path, message)
