"""A package in the real engine over the real database: the journal, its leases and its outcomes cross to its thread."""

import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.helpers.factories import Make
from tests.helpers.publishing import StagedNetwork, staged

from signalpost import networks
from signalpost.context import AppContext
from signalpost.network_packages import status
from signalpost.network_packages.connectors import contained
from signalpost.network_packages.containment import HANG_SECONDS, PackageThread


@pytest.fixture
async def stage(
    context: AppContext, make: Make, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> AsyncIterator[StagedNetwork]:
    """A workspace with a network that comes from a package; `request.param`: when that is given up."""
    thread = PackageThread("stage", "signalpost-stage 1.0", hang_seconds=getattr(request, "param", HANG_SECONDS))
    monkeypatch.setattr(networks, "PLATFORMS", (*networks.PLATFORMS, "stage"))
    async with staged(context, make) as opened:
        monkeypatch.setitem(networks.CONNECTORS, "stage", contained(opened.connector, thread))
        yield opened
    thread.end()
    status.forget("stage")


async def test_a_post_is_published_and_its_steps_are_stored(stage: StagedNetwork) -> None:
    post = await stage.post(text="from a package")
    await stage.work()

    target = await stage.target(post)
    assert (target["status"], target["remote_id"]) == ("published", "r1")
    assert target["intent"] is None
    assert [text for _, text in stage.sent] == ["from a package"]


async def test_what_fails_before_its_intent_is_tried_later_and_after_it_is_looked_for(stage: StagedNetwork) -> None:
    async def fails(*_: Any) -> Any:
        raise RuntimeError("top-secret-token")

    async def fails_late(_session: Any, _outgoing: Any, journal: Any) -> Any:
        await journal.intend("part:0", {"at": "2026-11-27T12:00:00.000Z"})
        raise RuntimeError("top-secret-token")

    stage.publish, early = fails, await stage.post(text="early")
    await stage.work()
    stage.publish, late = fails_late, await stage.post(text="late")
    await stage.work()

    first, second = await stage.target(early), await stage.target(late)
    assert (first["status"], first["intent"]) == ("retrying", None)
    assert second["intent"] is not None
    assert "top-secret-token" not in f"{dict(first)} {dict(second)}"


@pytest.mark.parametrize("stage", [0.5], indirect=True)
async def test_a_post_on_another_network_goes_out_while_a_package_hangs(stage: StagedNetwork) -> None:
    release = threading.Event()

    async def hangs(*_: Any) -> Any:
        release.wait(60)

    stage.publish = hangs
    stuck = await stage.post(text="stuck")
    other = await stage.post(await stage.account(platform="sandbox"), text="goes on")
    try:
        await stage.work()
        assert (await stage.target(other))["status"] == "published"
        assert (await stage.target(stuck))["status"] != "published"
    finally:
        release.set()
