"""Calls of the API of an instance, here or elsewhere, with an API key: what commands need that act as a client."""

import os
import re
import sys
from getpass import getpass
from pathlib import Path
from typing import Any, Final

from signalpost.kit.errors import OperatorError
from signalpost.kit.http import Client, HttpFailure, Response
from signalpost.main.listening import running_service
from signalpost.settings import data_folder

KEY: Final = "SIGNALPOST_API_KEY"
URL: Final = "SIGNALPOST_API_URL"
_BYTES_MAX: Final = 8_000_000
_TOO_MANY: Final = 429


class Refused(OperatorError):
    """The instance refuses the call: repeating it is useless."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Unreachable(OperatorError):
    """The instance does not answer, or cannot now: the same call may succeed later."""


class Remote:
    """The API of one instance, with one key."""

    def __init__(self, http: Client, url: str, key: str) -> None:
        self.url = url.rstrip("/")
        self._http = http
        self._key = key

    async def call(self, method: str, path: str, json: Any = None) -> Any:
        """Return what the operation answers.

        Raises:
            Refused: with the detail of the problem.
            Unreachable: there is no answer, one without JSON, or a status that passes.
        """
        try:
            response = await self._http.request(
                method,
                f"{self.url}/api/v1{path}",
                headers={"Authorization": f"Bearer {self._key}"},
                json=json,
                bytes_max=_BYTES_MAX,
                trusted=True,
            )
            answer = response.json()
        except HttpFailure as failure:
            raise Unreachable(f"{self.url} cannot be reached: {failure.detail}.") from None
        if 200 <= response.status < 300:
            return answer
        raise _failure(self.url, response, answer)


def _failure(url: str, response: Response, answer: Any) -> OperatorError:
    detail = str(answer.get("detail", "")) if isinstance(answer, dict) else ""
    message = f"{url} answers {response.status}: {detail}"
    if response.status >= 500 or response.status == _TOO_MANY:
        return Unreachable(message)
    if response.status == 401:
        return Refused(f"{message} Set {KEY} to an API key of this instance; `keys create` makes one.", response.status)
    return Refused(message, response.status)


def address(option: str | None, data_dir: Path | None) -> str:
    """Return the address of the instance to call: the one that is named, or the one that runs on this machine."""
    chosen = option or os.environ.get(URL) or running_service(data_folder(data_dir=data_dir))
    return chosen or "http://127.0.0.1:8000"


def api_key() -> str:
    """Return the key to call with: from the environment, or typed without being shown.

    Raises:
        OperatorError: there is none.
    """
    key = os.environ.get(KEY, "")
    if not key and sys.stdin.isatty():
        key = getpass("API key: ")
    if not re.fullmatch(r"[\x21-\x7e]{1,200}", key):
        raise OperatorError(f"An API key is needed. Set {KEY}, or run the command in a terminal to be asked for it.")
    return key
