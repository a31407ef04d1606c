from typing import Any

from tests.helpers.publishing import StagedNetwork


async def test_each_network_gets_its_own_source_everywhere_in_the_post(stage: StagedNetwork) -> None:
    await stage.account("one")
    body = {
        "profileId": stage.owner.profile, "platforms": ["stage"], "text": "A https://a.test/x",
        "utm": {"medium": "social"}, "thread": [{"text": "B https://b.test/y#z"}],
    }  # fmt: skip
    sent: list[Any] = []

    async def publish(session: Any, outgoing: Any, journal: Any) -> Any:
        sent.append(outgoing)
        return await stage.accept(session, outgoing, journal)

    stage.publish = publish
    created = await stage.make.api.post("/posts", json=body, key=stage.owner.key)
    assert created.status_code == 201, created.text
    await stage.work()

    [outgoing] = sent
    added = "utm_source=stage&utm_medium=social"
    assert [part.text for part in outgoing.parts] == [f"A https://a.test/x?{added}", f"B https://b.test/y?{added}#z"]
    shown = (await stage.make.api.get(f"/posts/{created.json()['id']}", key=stage.owner.key)).json()
    assert (shown["text"], shown["utm"]["medium"], shown["status"]) == ("A https://a.test/x", "social", "published")
