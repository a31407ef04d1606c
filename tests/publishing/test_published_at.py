"""The times of a post and of its targets follow one another, whatever happens in between."""

from typing import Any

import pytest
from tests.helpers.publishing import StagedNetwork

from signalpost.networks.contract import Refused


@pytest.mark.parametrize("how", ["at once", "retry", "cancel", "disconnect"])
async def test_a_post_is_published_when_its_last_target_is(stage: StagedNetwork, how: str) -> None:
    """In order: created <= queued <= started <= target published <= post published <= updated."""
    api, key, refuses = stage.make.api, stage.owner.key, how == "retry"

    async def publish(session: Any, outgoing: Any, journal: Any) -> Any:
        if refuses and session.username == "two":
            return Refused(code="content_rejected", message="no")
        return await stage.accept(session, outgoing, journal)

    stage.publish = publish
    accounts = [await stage.account("one"), await stage.account("two")]
    post = await stage.post(*accounts)
    if how in ("cancel", "disconnect"):
        row = (await stage.status(post))["targets"]
        later = next(target["targetId"] for target in row if target["accountId"] == accounts[1])
        await stage.execute(
            "update target set next_attempt_at = now() + interval '1 hour', due_at = now() + interval '1 hour'"
            " where id = $1", stage.id(later.replace("tgt_", "pst_")),
        )  # fmt: skip
    await stage.work(2)
    match how:
        case "retry":
            first = (await api.get(f"/posts/{post}", key=key)).json()
            assert first["status"] == "partial"
            refuses = False
            assert (await api.post(f"/posts/{post}/retry", key=key)).status_code == 201
            await stage.work(2)
        case "cancel":
            assert (await api.delete(f"/queue/cancel/{post}", key=key)).status_code == 200
        case "disconnect":
            assert (await api.delete(f"/platforms/accounts/{accounts[1]}", key=key)).status_code == 200

    shown = (await api.get(f"/posts/{post}", key=key)).json()
    assert shown["status"] == ("partial" if how == "disconnect" else "published")
    published = [target["publishedAt"] for target in shown["targets"] if target["publishedAt"]]
    assert shown["publishedAt"] == max(published)
    started = [target["startedAt"] for target in shown["targets"] if target["publishedAt"]]
    assert shown["createdAt"] <= min(started)
    for start, end in zip(started, published, strict=True):
        assert shown["createdAt"] <= start <= end <= shown["publishedAt"] <= shown["updatedAt"]
    if how != "retry":
        assert shown["createdAt"] <= shown["queuedAt"] <= min(started)
