"""A workspace with a sandbox account, a test key that moves its clock, and the worker that publishes its posts."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.kit import clock
from signalpost.kit.db import Database

SECRET = {"x-queue-secret": "queue-secret-of-the-tests"}
DAY = 86_400
WORK_ROUNDS_MAX = 200


class Sandbox:
    """A workspace with a sandbox account, and a test key that moves its clock."""

    def __init__(self, api: Api, make: Make, database: Database, owner: Login, account: str) -> None:
        self.api, self.make, self.database, self.owner, self.account = api, make, database, owner, account

    async def later(self, seconds: float) -> str:
        """What time it will be in the sandbox in so many seconds."""
        return clock.wire(datetime.fromisoformat((await self.clock())["now"]) + timedelta(seconds=seconds))

    async def post(self, after: float | None = None, **fields: Any) -> str:
        """A test post for the account; `after`: so many seconds from now in the sandbox."""
        if after is not None:
            fields["scheduledAt"] = await self.later(after)
        key = fields.pop("key", self.owner.test_key)
        post = await self.make.post(self.owner, key=key, targets=[{"accountId": self.account}], **fields)
        return str(post["id"])

    async def read(self, post: str) -> dict[str, Any]:
        answer = await self.api.get(f"/posts/{post}", key=self.owner.test_key)
        assert answer.status_code == 200, answer.text
        shown: dict[str, Any] = answer.json()
        return shown

    async def status(self, post: str) -> str:
        return str((await self.read(post))["status"])

    async def clock(self) -> dict[str, Any]:
        shown: dict[str, Any] = (await self.api.get("/sandbox/clock", key=self.owner.test_key)).json()
        return shown

    async def move(self, **body: Any) -> dict[str, Any]:
        answer = await self.api.post("/sandbox/clock", json=body, key=self.owner.test_key)
        assert answer.status_code == 201, answer.text
        shown: dict[str, Any] = answer.json()
        return shown

    async def end(self) -> None:
        assert (await self.api.delete("/sandbox/clock", key=self.owner.test_key)).status_code == 204

    async def work(self) -> None:
        assert (await self.api.post("/queue/process", headers=SECRET)).status_code == 200

    async def work_until(self, post: str, *statuses: str) -> dict[str, Any]:
        """Work until the post has one of these statuses: a lane may be busy, or be looked at again a moment later."""
        for _ in range(WORK_ROUNDS_MAX):
            await self.work()
            if (await self.status(post)) in statuses:
                return await self.read(post)
            await asyncio.sleep(0.05)
        raise AssertionError(await self.read(post))

    async def value(self, sql: str, *values: Any) -> Any:
        async with self.database.connection() as db:
            return await db.fetchval(sql, *values)
