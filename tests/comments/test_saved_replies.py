"""Saved replies: texts of a workspace or of one profile, for those who see it."""

from tests.helpers.api import Api
from tests.helpers.factories import Make

from signalpost.comments.actions import save


async def test_saved_replies_are_made_changed_and_deleted(api: Api, make: Make) -> None:
    owner = await make.owner()
    body = {"name": "Thanks", "text": "Hello {{author}}, thank you!"}
    made = await api.post("/saved-replies", json=body, key=owner.key)
    assert (made.status_code, made.json()["profileId"]) == (201, None)
    path = f"/saved-replies/{made.json()['id']}"
    changed = await api.patch(path, json={"text": "Thank you."}, key=owner.key)
    assert (changed.json()["name"], changed.json()["text"]) == ("Thanks", "Thank you.")
    assert [each["text"] for each in (await api.get("/saved-replies", key=owner.key)).json()["data"]] == ["Thank you."]
    assert (await api.delete(path, key=owner.key)).status_code == 204
    assert (await api.get("/saved-replies", key=owner.key)).json()["data"] == []


async def test_those_of_another_profile_are_not_seen(api: Api, make: Make) -> None:
    """Whoever is limited to one client sees theirs and the common ones, and changes only theirs."""
    owner = await make.owner()
    other = (await api.post("/profiles", json={"name": "Other"}, key=owner.key)).json()["id"]
    ids = {}
    for name, profile_id in (("common", None), ("first", owner.profile), ("other", other)):
        body = {"name": name, "text": "Hi.", "profileId": profile_id}
        ids[name] = (await api.post("/saved-replies", json=body, key=owner.key)).json()["id"]

    def names(answer: object) -> list[str]:
        return sorted(each["name"] for each in answer.json()["data"])  # type: ignore[attr-defined]

    assert names(await api.get("/saved-replies", params={"profileId": other}, key=owner.key)) == ["common", "other"]
    limited = await make.member(owner, role="editor", profile_ids=[owner.profile])
    assert names(await api.get("/saved-replies", key=limited.key)) == ["common", "first"]
    codes = [
        (await api.patch(f"/saved-replies/{ids[name]}", json={"name": "x"}, key=limited.key)).status_code
        for name in ("common", "first", "other")
    ]
    assert codes == [403, 200, 404]
    without = await api.post("/saved-replies", json={"name": "n", "text": "t"}, key=limited.key)
    assert without.status_code == 403
    hidden = await api.post("/saved-replies", json={"name": "n", "text": "t", "profileId": other}, key=limited.key)
    assert hidden.status_code == 404


async def test_a_workspace_has_so_many(api: Api, make: Make, monkeypatch: object) -> None:
    owner = await make.owner()
    monkeypatch.setattr(save, "SAVED_MAX", 1)  # type: ignore[attr-defined]
    answers = [await api.post("/saved-replies", json={"name": "n", "text": "t"}, key=owner.key) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 422]
    assert answers[1].json()["code"] == "too_many_items"
