"""Where a post ended at its network: a video that was to be public and is not is told in a sentence."""

from dataclasses import replace
from typing import Any

import pytest
from tests.helpers.publishing import StagedNetwork

from signalpost import networks
from signalpost.networks.contract import KeptPrivate, Option, Published

KEPT = KeptPrivate(option="visibility", value="private", message="Stage keeps this private.")


@pytest.mark.parametrize(
    ("asked", "delivery", "warned"),
    [({}, "private", True), ({"visibility": "public"}, "private", True), ({"visibility": "private"}, "private", False),
     ({}, "live", False)],
)  # fmt: skip
async def test_a_post_that_was_kept_private_says_so(
    stage: StagedNetwork, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any], delivery: Any, warned: bool
) -> None:
    options = {"visibility": Option(type=str, description="Who can see it.")}
    facts = replace(stage.connector.facts, options=options, kept_private=KEPT)
    monkeypatch.setitem(networks.CONNECTORS, "stage", replace(stage.connector, facts=facts))

    async def publish(*_: Any) -> Published:
        return Published(remote_id="1", url=None, delivery=delivery)

    stage.publish = publish
    post_id = await stage.post(options={"stage": asked})
    await stage.work()

    post = (await stage.make.api.get(f"/posts/{post_id}", key=stage.owner.key)).json()
    assert (post["status"], post["targets"][0]["delivery"]) == ("published", delivery)
    kept = [(warning["code"], warning["path"], warning["message"]) for warning in post["warnings"]]
    assert kept == ([("stage.delivery.private", "/targets/0/delivery", KEPT.message)] if warned else [])
