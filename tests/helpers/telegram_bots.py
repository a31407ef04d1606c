"""Bots of python-telegram-bot that wait as long as a test may take."""

from telegram import Bot
from telegram.request import HTTPXRequest
from tests.helpers.limits import TEST_SECONDS


def bot_at(url: str, token: str) -> Bot:
    """Return a bot at the simulator. By itself the library gives an answer five seconds, and a free connection one."""

    def patient() -> HTTPXRequest:
        return HTTPXRequest(
            read_timeout=TEST_SECONDS, write_timeout=TEST_SECONDS, connect_timeout=TEST_SECONDS,
            pool_timeout=TEST_SECONDS, media_write_timeout=TEST_SECONDS,
        )  # fmt: skip

    base = {"base_url": f"{url}/bot", "base_file_url": f"{url}/file/bot"}
    return Bot(token, **base, request=patient(), get_updates_request=patient())
