"""A Bluesky account on a fake server whose refresh tokens work once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.sign_in_servers import FakeBluesky, api_of, context_with

from signalpost.accounts import queries, token_store
from signalpost.accounts.queries import AccountRow
from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.kit.db import Database


@dataclass
class Connected:
    """A Bluesky account on a fake server."""

    network: FakeBluesky
    context: AppContext
    api: Api
    owner: Login
    account_id: str

    async def row(self) -> AccountRow:
        async with self.context.database.connection() as db:
            row = await queries.by_id(db, ids.decode("acc", self.account_id))  # type: ignore[arg-type]
        assert row is not None
        return row

    async def connect(self) -> Any:
        fields = {"identifier": "alice.test", "appPassword": "right"}
        body = {"profileId": self.owner.profile, "fields": fields}
        response = await self.api.post("/platforms/bluesky/connect", json=body, key=self.owner.key)
        assert response.status_code == 201, response.text
        return response.json()


@asynccontextmanager
async def bluesky(context: AppContext, make: Make) -> AsyncIterator[Connected]:
    network = FakeBluesky()
    async with network.serve() as url:
        operated = context_with(context, BLUESKY_BASE_URL=url)
        async with api_of(operated) as api:
            connected = Connected(network, operated, api, await make.owner(), "")
            connected.account_id = (await connected.connect())["id"]
            yield connected


async def forget_password(connected: Connected, database: Database) -> None:
    """Store the account without its app password, so that a dead grant stays dead."""
    row = await connected.row()
    session = await token_store.open_session(connected.context, row)
    secrets = {name: value for name, value in session.secrets.items() if name != "appPassword"}
    blob = token_store.seal(connected.context.keys, row.workspace_id, row.id, secrets)
    await database.pool.execute("update account set secrets = $2 where id = $1", row.id, blob)
