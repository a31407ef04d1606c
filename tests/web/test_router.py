"""Paths and methods: what reaches which operation."""

import pytest
from tests.web.conftest import SmallApp

from signalpost.kit import problems
from signalpost.web.request import Headers, Request
from signalpost.web.response import Response
from signalpost.web.router import Route, Router


async def nothing(_: Request | None = None) -> Response:
    return Response(204, b"", [])


def request(path: str, method: str = "GET") -> Request:
    return Request({"method": method, "path": path, "headers": []}, nothing)


PATHS = ("/", "/posts", "/posts/stats", "/posts/{id}", "/posts/{id}/media/{mediaId}")
ROUTER = Router([Route("GET", path, nothing) for path in PATHS], reference=lambda: "/docs")


@pytest.mark.parametrize(
    ("path", "served", "parameters"),
    [
        ("/", "/", {}), ("", "/", {}), ("/posts", "/posts", {}), ("//posts/", "/posts", {}),
        ("/posts/stats", "/posts/stats", {}), ("/posts/statsx", "/posts/{id}", {"id": "statsx"}),
        ("/posts/a b", "/posts/{id}", {"id": "a b"}),
        ("/posts/1/media/2", "/posts/{id}/media/{mediaId}", {"id": "1", "mediaId": "2"}),
    ],
)  # fmt: skip
def test_a_literal_segment_wins_over_a_parameter(path: str, served: str, parameters: dict[str, str]) -> None:
    asked = request(path)

    assert ROUTER.match(asked).path == served
    assert asked.path_params == parameters


@pytest.mark.parametrize("path", ["/post", "/posts/1/media", "/posts/1/media/2/3", "/posts/stats/media/2", "/Posts"])
def test_other_paths_do_not_exist(path: str) -> None:
    for method in ("GET", "OPTIONS"):
        with pytest.raises(problems.NotFound):
            ROUTER.match(request(path, method))


def test_two_routes_of_one_path_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="two routes of GET"):
        Router(
            [Route("GET", "/posts/{id}", nothing), Route("GET", "/posts/{postId}", nothing)], reference=lambda: "/docs"
        )


def test_of_a_repeated_header_the_first_counts() -> None:
    headers = Headers([(b"authorization", b"one"), (b"authorization", b"two"), (b"x", "ü".encode("latin-1"))])

    assert (headers.get("authorization"), headers.get("x"), headers.get("y", "-")) == ("one", "ü", "-")
    assert "x" in headers
    assert "y" not in headers


async def test_options_names_all_methods_of_a_path(small_app: SmallApp) -> None:
    answer = await small_app.api.call("OPTIONS", "/things/x")

    assert answer.status_code == 204
    assert answer.headers["allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH"


async def test_an_impossible_host_is_refused(small_app: SmallApp) -> None:
    assert (await small_app.api.get("/open", headers={"Host": "a b"})).status_code == 400
    assert (await small_app.api.get("/open", headers={"Host": "[::1]:8000"})).status_code == 200
