"""Corrections of a thread that went out in part: every action, with none, one or all but one of its parts public.

The ledger of the network is the oracle: no part is made twice, each replies to the one before, and what the API shows
as public is what is public.
"""

from typing import Any, NamedTuple

import pytest
from tests.helpers.publishing import StagedNetwork

from signalpost.networks.contract import Published, Refused, TryLater
from signalpost.networks.threads import publish_parts

PARTS = ("first", "second", "third", "fourth")
ACTIONS = ("edit", "edit public", "cancel", "trash", "restore", "submit", "retry", "disconnect")


class Made(NamedTuple):
    id: str
    text: str
    parent: str | None


class Threads:
    """A network that makes parts one by one, until one is not taken."""

    def __init__(self, stage: StagedNetwork) -> None:
        self.stage = stage
        self.ledger: list[Made] = []
        self.stops_at: int | None = None
        self.final = True
        stage.publish = self.publish

    async def publish(self, session: Any, outgoing: Any, journal: Any) -> Any:
        async def find(part: Any, intended: Any) -> Any:
            return next(({"id": made.id} for made in self.ledger if made.text == part.content.text), None)

        async def create(part: Any) -> Any:
            await part.intend({"text": part.content.text})
            if part.index == self.stops_at:
                return Refused(code="content_rejected", message="no") if self.final else TryLater(message="busy")
            parent = part.parent["id"] if part.parent else None
            self.ledger.append(Made(f"r{len(self.ledger)}", part.content.text, parent))
            return {"id": self.ledger[-1].id}

        def all_public(session: Any, outgoing: Any, posted: Any) -> Any:
            return Published(
                remote_id=posted[0]["id"], url="https://stage.test", thread_ids=tuple(part["id"] for part in posted[1:])
            )

        return await publish_parts(session, outgoing, journal, find=find, create=create, published=all_public)

    def require_one_thread(self, *texts: str) -> None:
        assert [made.text for made in self.ledger] == list(texts)
        assert [made.parent for made in self.ledger] == [None, *(made.id for made in self.ledger[:-1])][: len(texts)]


def _thread(parts: tuple[str, ...]) -> dict[str, Any]:
    return {"text": parts[0], "thread": [{"text": text} for text in parts[1:]]}


@pytest.mark.parametrize("public", [0, 1, len(PARTS) - 1])
@pytest.mark.parametrize("action", ACTIONS)
async def test_corrections_of_a_thread(stage: StagedNetwork, action: str, public: int) -> None:
    threads = Threads(stage)
    threads.stops_at, threads.final = public, action not in ("cancel", "trash", "restore", "disconnect")
    api, key, account = stage.make.api, stage.owner.key, await stage.account()
    post = await stage.post(account, **_thread(PARTS))
    await stage.work()
    assert [made.text for made in threads.ledger] == list(PARTS[:public])
    threads.stops_at = None

    async def call(method: str, path: str, status: int, **rest: Any) -> Any:
        response = await api.call(method, path, key=key, **rest)
        assert response.status_code == status, response.text
        return response.json()

    complete = await _correct(stage, call, action, public, post, account)
    await stage.wake(post)
    await stage.work()
    threads.require_one_thread(*PARTS[:public])  # nothing goes out before someone asks for it
    await _require_truth(stage, threads, post, trashed=action == "trash")

    if action in ("trash", "disconnect"):
        return
    is_draft = action in ("cancel", "restore") and not public
    again = f"/queue/submit/{post}" if is_draft or action == "submit" else f"/posts/{post}/retry"
    await call("POST", again, 201, json={})
    await stage.work()
    threads.require_one_thread(*complete)
    await _require_truth(stage, threads, post)
    assert (await stage.status(post))["status"] == "published"


async def _correct(
    stage: StagedNetwork, call: Any, action: str, public: int, post: str, account: str
) -> tuple[str, ...]:
    """Do what a user does; return the texts that the whole thread has afterwards."""
    path = f"/posts/{post}"
    match action:
        case "edit":
            corrected = tuple("corrected" if index == public else text for index, text in enumerate(PARTS))
            await call("PATCH", path, 200, json=_thread(corrected))
            return corrected
        case "edit public":
            changed = ("changed", *PARTS[1:])
            await call("PATCH", path, 409 if public else 200, json=_thread(changed))
            return PARTS if public else changed
        case "cancel":
            await call("DELETE", f"/queue/cancel/{post}", 200)
        case "trash" | "restore":
            await call("DELETE", path, 200)
            await stage.fast_forward(post)
            await stage.work()
            if action == "restore":
                await call("POST", f"{path}/restore", 201)
        case "disconnect":
            await call("DELETE", f"/platforms/accounts/{account}", 200)
    return PARTS


async def _require_truth(stage: StagedNetwork, threads: Threads, post: str, *, trashed: bool = False) -> None:
    """What is shown is what the ledger has; a thread that is public in part is never a draft or cancelled."""
    listed = "/posts/trash" if trashed else "/posts"
    shown = (await stage.make.api.get(listed, key=stage.owner.key)).json()["data"]
    [target] = next(other for other in shown if other["id"] == post)["targets"]
    remote_ids = [made.id for made in threads.ledger]
    assert [target["platformPostId"], *target["threadIds"]] == (remote_ids or [None])
    if 0 < len(remote_ids) < len(PARTS):
        assert target["status"] == "failed"
    elif not remote_ids:
        assert target["status"] in ("failed", "cancelled", "pending")
