"""Networks that download files from addresses, and what they see of a picture without decoding it."""

import urllib.error
import urllib.request
from typing import Any

from simulator.network import Network
from simulator.world import World

FETCH_SECONDS = 20


class DownloadingNetwork(Network):
    """A network that is given addresses of files."""

    fetches = True

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.files: dict[str, bytes] = {}
        """Addresses that are not fetched, for tests without a server."""

    def download(self, url: Any) -> bytes | None:
        """Return a file as the network gets it, by https or from this machine; None if it gets none."""
        if not isinstance(url, str) or not url.startswith(("https://", "http://127.0.0.1", "http://localhost")):
            return None
        if url in self.files:
            return self.files[url]
        try:
            with urllib.request.urlopen(url, timeout=FETCH_SECONDS) as response:  # noqa: S310 - checked above
                content: bytes = response.read()
        except (urllib.error.URLError, TimeoutError):
            return None
        return content


def image_size(content: bytes) -> tuple[int, int] | None:
    """Return width and height of a JPEG or PNG; None if it says none."""
    if content.startswith(b"\x89PNG"):
        return int.from_bytes(content[16:20]), int.from_bytes(content[20:24])
    at = 2
    while at + 9 < len(content) and content[at] == 0xFF:
        if 0xC0 <= content[at + 1] <= 0xCF and content[at + 1] not in {0xC4, 0xC8, 0xCC}:
            return int.from_bytes(content[at + 7 : at + 9]), int.from_bytes(content[at + 5 : at + 7])
        at += 2 + int.from_bytes(content[at + 2 : at + 4])
    return None
