"""Files that a network downloads from this service instead of taking their bytes."""

from collections.abc import Iterator

from signalpost.networks.contract import Facts, OutgoingMedia, PreflightIssue, Refused

PUBLIC: str = "Set SIGNALPOST_BASE_URL to a public https address under which the internet reaches this service."


def unreachable(facts: Facts, media: OutgoingMedia, path: str) -> Iterator[PreflightIssue]:
    """Yield an issue if the network cannot download a file."""
    if media.url is None:
        message = f"{facts.name} downloads files from this service, but it has no public address. {PUBLIC}"
        yield PreflightIssue(f"{facts.key}.media.public_url", path, message)


def refused(facts: Facts) -> Refused:
    """Return the outcome of a post whose files the network cannot download."""
    message = f"{facts.name} downloads files from this service, but it has no public address."
    return Refused(code="media_fetch_failed", message=message, rule=f"{facts.key}.media.public_url", remediation=PUBLIC)
