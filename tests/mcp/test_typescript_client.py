"""The official client for TypeScript does what the one for Python does."""

import asyncio
import json
import subprocess
from pathlib import Path

import pytest
from tests.counterparts import tools
from tests.helpers.contract import SOON
from tests.mcp.conftest import Place

from signalpost.mcp.tools import TOOLS

pytestmark = pytest.mark.xdist_group("clients")


async def test_a_post_is_planned(place: Place) -> None:
    contents = place.contents("Soup of the day, by TypeScript", scheduledAt=SOON)
    script = tools.beside_packages("sdk", Path(__file__).with_name("typescript_client.mjs"))
    command = [tools.node(), script, f"{place.url}/mcp", place.owner.key, json.dumps(contents)]

    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["names"] == [tool.name for tool in TOOLS]
    assert said["prompts"] == ["plan_week", "repair_post"]
    assert said["refused"] == "confirmation_required"
    assert (said["post"]["status"], said["post"]["text"]) == ("scheduled", contents["text"])
    assert (said["read"]["id"], said["read"]["version"]) == (said["post"]["id"], said["post"]["version"])
