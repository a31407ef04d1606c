"""Pictures of README and the guides: each is taken by the script, small, shown, and served by the program itself."""

import re

import httpx
import pytest
from tests.counterparts import tools

FOLDER = tools.CHECKOUT / "docs/images"
PICTURES = re.findall(
    r'^    "([\w-]+)": Picture\(', (tools.CHECKOUT / "scripts/take-pictures").read_text(), re.MULTILINE
)
BYTES_MAX = 60_000


def _shown() -> set[str]:
    pages = [tools.CHECKOUT / "README.md", *(tools.CHECKOUT / "docs").glob("**/*.md")]
    return {name for page in pages for name in re.findall(r"images/([\w.-]+)\)", page.read_text(encoding="utf-8"))}


def test_each_picture_is_taken_by_the_script_and_shown() -> None:
    files = {path.name for path in FOLDER.iterdir()}

    assert files == {f"{name}.webp" for name in PICTURES} == _shown()


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_small(name: str) -> None:
    assert (FOLDER / f"{name}.webp").stat().st_size <= BYTES_MAX


async def test_the_program_serves_the_pictures_of_its_guides(visit: httpx.AsyncClient) -> None:
    page = await visit.get("/docs/guides/status")
    [address] = re.findall(r'<img src="(/docs/images/[^"]+)"', page.text)
    picture = await visit.get(address)

    assert "img-src 'self'" in page.headers["content-security-policy"]
    assert (picture.status_code, picture.headers["content-type"]) == (200, "image/webp")
    assert picture.content == (FOLDER / "status.webp").read_bytes()
