"""Where commands find the service of a data folder."""

import contextlib
import socket
from pathlib import Path

from tests.counterparts.tools import free_port

from signalpost.main.listening import Listening, running_service


def test_a_second_process_does_not_hide_the_first(tmp_path: Path) -> None:
    """Two processes may serve one folder for a while: whichever stops, the other one is found."""
    first_at, second_at = ("127.0.0.1", free_port()), ("127.0.0.1", free_port())
    with socket.create_server(first_at) as first, socket.create_server(second_at) as second:
        one, two = (Listening("127.0.0.1", server.getsockname()[1]) for server in (first, second))
        with one.recorded(tmp_path, one.url):
            with two.recorded(tmp_path, two.url):
                assert running_service(tmp_path) == two.url
            assert running_service(tmp_path) == one.url
        assert [*tmp_path.iterdir()] == []

        with contextlib.ExitStack() as later:
            with one.recorded(tmp_path, one.url):
                later.enter_context(two.recorded(tmp_path, two.url))
                first.close()
            assert running_service(tmp_path) == two.url
        assert [*tmp_path.iterdir()] == []
