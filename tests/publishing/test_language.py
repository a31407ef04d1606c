"""The language of a profile's posts, where a network asks for it."""

from dataclasses import replace
from typing import Any

import pytest
from tests.helpers.publishing import StagedNetwork

from signalpost import networks
from signalpost.networks import CONNECTORS, languages
from signalpost.networks.contract import Option, TryLater


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


async def test_the_language_of_an_account_goes_before_that_of_its_profile(
    stage: StagedNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A profile with accounts in two languages: a post in both is in one at each, unless its target names another."""
    options = {"languages": Option(type=list[str], description="Languages.")}
    facts = replace(stage.connector.facts, options=options)
    monkeypatch.setitem(networks.CONNECTORS, "stage", replace(stage.connector, facts=facts))
    sent: list[Any] = []

    async def publish(session: Any, outgoing: Any, journal: Any) -> Any:
        sent.append((names[session.username], outgoing.options.get("languages")))
        return await stage.accept(session, outgoing, journal)

    stage.publish = publish
    api, key = stage.make.api, stage.owner.key
    await api.patch(f"/profiles/{stage.owner.profile}", json={"language": "de"}, key=key)
    german, english = await stage.account("german"), await stage.account("english")
    names = {"german": german, "english": english}
    path = f"/platforms/accounts/{english}"
    changed = await api.patch(path, json={"language": "en-GB"}, key=key)
    assert (changed.status_code, changed.json()["language"]) == (200, "en-GB")

    async def post(text: str, **target: Any) -> dict[str, Any]:
        sent.clear()
        targets = [{"accountId": german}, {"accountId": english} | target]
        await stage.make.post(stage.owner, text=text, targets=targets)
        await stage.work()
        return dict(sent)

    assert await post("one") == {german: ["de"], english: ["en-GB"]}
    assert await post("two", options={"languages": ["fr"]}) == {german: ["de"], english: ["fr"]}
    back = await api.patch(path, json={"language": None}, key=key)
    assert back.json()["language"] is None
    assert await post("three") == {german: ["de"], english: ["de"]}


async def test_a_change_holds_for_the_next_attempt_of_a_post_that_waits(
    stage: StagedNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = replace(stage.connector.facts, options={"language": Option(type=str, description="Language.")})
    monkeypatch.setitem(networks.CONNECTORS, "stage", replace(stage.connector, facts=facts))
    sent: list[Any] = []

    async def publish(session: Any, outgoing: Any, journal: Any) -> Any:
        sent.append(outgoing.options.get("language"))
        if len(sent) == 1:
            return TryLater(message="Busy.", code="platform_error", after_seconds=60)
        return await stage.accept(session, outgoing, journal)

    stage.publish = publish
    account = await stage.account("one")
    path, key = f"/platforms/accounts/{account}", stage.owner.key
    await stage.make.api.patch(path, json={"language": "en"}, key=key)
    post = await stage.post(account)
    await stage.work()
    await stage.make.api.patch(path, json={"language": "fr"}, key=key)
    await stage.fast_forward(post)
    await stage.work()

    assert sent == ["en", "fr"]


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
