"""The language of a profile's posts, where a network asks for it."""

from dataclasses import replace
from typing import Any

import pytest
from tests.helpers.publishing import StagedNetwork

from signalpost import networks
from signalpost.networks import CONNECTORS, languages
from signalpost.networks.contract import Option


async def test_a_post_is_in_the_language_of_its_profile_unless_it_names_another(
    stage: StagedNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"languages": Option(type=list[str], description="Languages.")}
    facts = replace(stage.connector.facts, options=options)
    monkeypatch.setitem(networks.CONNECTORS, "stage", replace(stage.connector, facts=facts))
    sent: list[Any] = []

    async def publish(session: Any, outgoing: Any, journal: Any) -> Any:
        sent.append(outgoing.options)
        return await stage.accept(session, outgoing, journal)

    stage.publish = publish
    await stage.account("one")
    api, key, profile = stage.make.api, stage.owner.key, stage.owner.profile
    for language, named in ((None, {}), ("de-AT", {}), ("de-AT", {"stage": {"languages": ["en"]}})):
        body = {"language": language}
        assert (await api.patch(f"/profiles/{profile}", json=body, key=key)).status_code == 200
        post = {"profileId": profile, "platforms": ["stage"], "text": f"x{len(sent)}", "options": named}
        assert (await api.post("/posts", json=post, key=key)).status_code == 201
        await stage.work()

    assert sent == [{}, {"languages": ["de-AT"]}, {"languages": ["en"]}]


@pytest.mark.parametrize(
    ("network", "tag", "option"),
    [
        ("bluesky", "de-AT", {"languages": ["de-AT"]}),
        ("mastodon", "de-AT", {"language": "de-AT"}),
        ("x", "de-AT", {}),
    ],
)
def test_networks_name_it_in_their_own_way(network: str, tag: str, option: dict[str, Any]) -> None:
    assert languages.options_of(CONNECTORS[network].facts, tag) == option
