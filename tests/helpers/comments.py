"""Comments under posts of the sandbox, collected and answered when the test says so."""

import dataclasses
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.mail import InTest

from signalpost import networks
from signalpost.comments import work
from signalpost.comments.actions import collect, send
from signalpost.context import AppContext
from signalpost.engine.jobs import RunAgain
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.networks.connectors import sandbox
from signalpost.networks.contract import Comments, RemoteComment

QUEUE = {"X-Queue-Secret": "queue-secret-of-the-tests"}


class JobLease(InTest):
    """The lease of a job that the test runs, and that nobody takes from it."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.outcomes: list[str] = []

    def count(self, outcome: str) -> None:
        self.outcomes.append(outcome)

    def ensure_fresh(self) -> None:
        pass

    @asynccontextmanager
    async def while_fresh(self) -> AsyncIterator[None]:
        yield


class Wall:
    """What a network lists under a post, as the test sets it."""

    def __init__(self) -> None:
        self.items: list[RemoteComment] = []
        self.complete = True
        self.calls = 0

    def add(self, name: str, **more: Any) -> RemoteComment:
        """Have somebody write something."""
        values: dict[str, Any] = {
            "remote_id": f"{name}-{secrets.token_hex(4)}", "author_id": name, "author_name": name.title(),
            "author_handle": name, "text": f"{name} says hello", "posted_at": clock.actual() - timedelta(minutes=1),
        }  # fmt: skip
        item = RemoteComment(**values | more)
        self.items.append(item)
        return item

    def change(self, item: RemoteComment, **values: Any) -> RemoteComment:
        changed = msgspec.structs.replace(item, **values)
        self.items[self.items.index(item)] = changed
        return changed

    async def list(self, _session: Any, remote_ids: Any, _since: datetime | None) -> dict[str, Comments]:
        self.calls += 1
        return {remote_id: Comments(items=list(self.items), complete=self.complete) for remote_id in remote_ids}


class Commented:
    """A published post, whose comments come from a wall."""

    def __init__(self, context: AppContext, api: Api, owner: Login) -> None:
        self.context, self.api, self.owner = context, api, owner
        self.lease = JobLease(context.database)
        self.post: dict[str, Any] = {}
        self.wall = Wall()
        self.began_at = clock.actual()

    async def publish(self, make: Make, text: str = "", *, key: str | None = None) -> "Commented":
        post = await make.post(self.owner, text=f"Hello {secrets.token_hex(8)} {text}", key=key)
        assert (await self.api.post("/queue/process", json={"limit": 500}, headers=QUEUE)).status_code == 200
        self.post = (await self.api.get(f"/posts/{post['id']}", key=self.owner.key)).json()
        assert self.post["status"] == "published", self.post
        return self

    @property
    def target_id(self) -> UUID:
        return ids.decode("tgt", self.post["targets"][0]["id"])

    @property
    def account_id(self) -> UUID:
        return ids.decode("acc", self.post["targets"][0]["accountId"])

    async def is_due(self) -> None:
        """Have the post be due now."""
        async with self.context.database.transaction() as db:
            await db.execute("update comment_source set next_attempt_at = now() where target_id = $1", self.target_id)

    async def is_alone(self) -> None:
        """Have nothing be due that earlier tests made, though it may have been published in this one."""
        async with self.context.database.transaction() as db:
            query = (
                "update comment_source set next_attempt_at = now() + interval '1 day'"
                " where next_attempt_at <= now() and target_id < $1"
            )
            await db.execute(query, ids.first_at(self.began_at))

    async def look(self) -> None:
        """Look at what is due, as the service does every twenty seconds."""
        await self.is_due()
        await self.is_alone()
        lease: Any = self.lease
        while await job(self.context, work.LOOK)(lease, {}):
            pass

    async def collect(self) -> RunAgain | None:
        """Ask the network now."""
        await self.is_due()
        lease: Any = self.lease
        return await collect.collect(self.context, lease, self.account_id)

    async def list(self, key: str | None = None, **query: Any) -> list[dict[str, Any]]:
        params = {"postId": self.post["id"]} | query
        answer = await self.api.get("/comments", params=params, key=key or self.owner.key)
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["data"]
        return found

    async def reply(
        self, comment: dict[str, Any], text: str = "Thank you!", *, key: str | None = None, **more: Any
    ) -> Any:
        path = f"/comments/{comment['id']}/reply"
        return await self.api.post(path, json={"text": text} | more, key=key or self.owner.key)

    async def send(self, reply: dict[str, Any]) -> RunAgain | None:
        """Run the job of an answer once."""
        lease: Any = self.lease
        return await send.send(self.context, lease, ids.decode("rpl", reply["id"]))

    async def read(self, comment: dict[str, Any], key: str | None = None) -> dict[str, Any]:
        answer = await self.api.get(f"/comments/{comment['id']}", key=key or self.owner.key)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found


def job(context: AppContext, kind: str) -> Callable[..., Any]:
    """The handler of a job of the room."""
    return next(each.handler for each in work.jobs(context) if each.kind == kind)


def serve(monkeypatch: Any, commented: Commented, **more: Any) -> None:
    """Have the sandbox list what is on the wall."""
    connector = dataclasses.replace(sandbox.CONNECTOR, comments=commented.wall.list, **more)
    monkeypatch.setitem(networks.CONNECTORS, "sandbox", connector)


async def commented(make: Make, owner: Login) -> dict[str, str]:
    """A comment under a published post, and an answer to it that waits for an approval."""
    post = await make.post(owner, scheduledAt=(clock.actual() + timedelta(days=90)).isoformat())
    target_id, comment_id, reply_id = ids.decode("tgt", post["targets"][0]["id"]), ids.new_id(), ids.new_id()
    async with make.context.database.transaction() as db:
        await db.execute(
            "update target set status = 'published', remote_id = $2, published_at = now(), delivery = 'live',"
            " next_attempt_at = null where id = $1",
            target_id, f"sbx_{target_id.hex}",
        )  # fmt: skip
        await db.execute(
            "insert into comment (id, workspace_id, profile_id, account_id, post_id, target_id, platform, mode,"
            " remote_id, thread_id, reference, author_id, author_name, is_own, text, state, tags, hidden, liked,"
            " posted_at, created_at, updated_at)"
            " select $2, t.workspace_id, p.profile_id, t.account_id, p.id, t.id, t.platform, p.mode, $3, $2, '{}',"
            " 'ada', 'Ada', false, 'Where can I buy this?', 'open', '{}', false, false, now(), now(), now()"
            " from target t join post p on p.id = t.post_id where t.id = $1",
            target_id, comment_id, f"{comment_id}",
        )  # fmt: skip
        await db.execute(
            "insert into comment_reply (id, workspace_id, comment_id, account_id, text, state, author, user_id,"
            " created_at) select $1, workspace_id, id, account_id, 'Soon.', 'pending', $3, $4, now() from comment"
            " where id = $2",
            reply_id, comment_id, {"type": "user", "id": None, "name": "Grace"}, owner.user_id,
        )  # fmt: skip
    return {"cmt": ids.encode("cmt", comment_id), "rpl": ids.encode("rpl", reply_id)}
