"""The Python of the pages runs as it stands there."""

import asyncio
import os
import re
from pathlib import Path
from typing import Any

import pytest
from tests.clients.conftest import Instance
from tests.clients.drivers import Place
from tests.counterparts.tools import CHECKOUT
from tests.helpers.media_files import image

pytestmark = pytest.mark.xdist_group("clients")
PAGES = ("README.md", "clients/python/README.md", "docs/guides/python.md")


def run(blocks: list[str], place: Place) -> None:
    """Run blocks one after the other, as in one session."""
    names: dict[str, Any] = {"__name__": "page"}
    for block in blocks:
        text = block.replace('"KEY"', repr(place.key)).replace('"PROFILE"', repr(place.profile))
        text = text.replace('"http://127.0.0.1:8000"', repr(place.url))
        exec(compile(text, "page", "exec"), names)  # noqa: S102 - that is what is tested
    if "client" in names:
        names["client"].close()


@pytest.mark.parametrize("page", PAGES)
async def test_the_python_of_a_page_runs(
    instance: Instance, page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = await instance.place()
    (tmp_path / "cat.jpg").write_bytes(image("JPEG"))
    blocks = re.findall(r"^```python\n(.*?)^```$", (CHECKOUT / page).read_text(), re.MULTILINE | re.DOTALL)
    blocks = [block for block in blocks if "httpx.stream" not in block]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "environ", {**os.environ, "SIGNALPOST_API_KEY": place.key, "SIGNALPOST_API_URL": place.url})

    await asyncio.to_thread(run, blocks, place)

    assert blocks
    assert capsys.readouterr().out
