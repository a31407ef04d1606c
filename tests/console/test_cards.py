"""What chats, networks and browsers show of a public page: its card, and its icons."""

import io
import re

import httpx
import pytest
from PIL import Image

from signalpost.context import AppContext

_META = re.compile(r'<meta (?:property|name)="((?:og|twitter):\w+|description)" content="([^"]*)">')


def _card(page: str) -> dict[str, str]:
    return dict(_META.findall(page))


@pytest.mark.parametrize(
    ("path", "title", "about"),
    [
        ("/", "Signalpost", "One API call publishes to all your social networks"),
        ("/login", "Sign in · Signalpost", "Write a post once"),
        ("/docs/guides/webhooks", "Webhooks · Signalpost", "Register an address"),
        ("/docs/posts", "Posts · Signalpost", "How to publish"),
        ("/forgot-password", "Forgot your password? · Signalpost", None),
    ],
)
async def test_a_page_has_a_card(visit: httpx.AsyncClient, path: str, title: str, about: str | None) -> None:
    page = (await visit.get(path)).text
    card = _card(page)

    assert f"<title>{title}</title>" in page
    assert (card["og:title"], card["og:site_name"], card["twitter:card"]) == (title, "Signalpost", "summary")
    assert card.get("description") == card.get("og:description")
    assert (about is None) == ("description" not in card)
    assert card.get("description", "").startswith(about or "")


async def test_the_picture_of_a_card_is_at_the_address_of_the_installation(
    visit: httpx.AsyncClient, empty: AppContext
) -> None:
    """Not at the one that a client sent: some pages are kept for all."""
    for path in ("/login", "/status"):
        page = await visit.get(path, headers={"Host": "elsewhere.test"})
        again = await visit.get(path)
        picture = _card(again.text)["og:image"]
        assert picture.startswith(f"{empty.fixed_url}/assets/"), (path, picture)
        assert page.status_code == 200
        answer = await visit.get(picture.removeprefix(empty.fixed_url))
        assert answer.headers["content-type"] == "image/png"
        with Image.open(io.BytesIO(answer.content)) as image:
            assert image.size == (512, 512)


async def test_icons_are_there_for_those_that_read_no_drawings(visit: httpx.AsyncClient) -> None:
    page = (await visit.get("/status")).text
    icons = re.findall(r'<link rel="(icon|apple-touch-icon)" href="([^"]+)"', page)

    assert [kind for kind, _ in icons] == ["icon", "icon", "apple-touch-icon"]
    kinds = [(await visit.get(address)).headers["content-type"] for _, address in icons]
    assert kinds == ["image/png", "image/svg+xml", "image/png"]
