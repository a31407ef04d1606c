"""Lets clients of others speak to the simulator."""

from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter


class Redirected(HTTPAdapter):
    """Sends what is meant for the real hosts to the simulator."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:  # type: ignore[override]
        parts = urlsplit(str(request.url))
        request.url = f"{self.url}{parts.path}?{parts.query}" if parts.query else f"{self.url}{parts.path}"
        return super().send(request, **options)
