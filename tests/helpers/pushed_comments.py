"""An account in the simulator that was connected by the service, and that pushes comments to it: a Page of Facebook."""

import json
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

from simulator import App, Destination, Person, Simulator
from simulator.ledger import Entry
from simulator.network import Network
from simulator.networks.facebook import Facebook
from simulator.networks.graph_push import Pushing, Webhook, sign
from simulator.world import World
from tests.helpers.api import Api
from tests.helpers.authorization import Browser
from tests.helpers.comments import JobLease, job
from tests.helpers.factories import Login, Make
from tests.helpers.sign_in_servers import api_of, context_with

from signalpost.comments.actions import plan, push
from signalpost.context import AppContext
from signalpost.engine.engine import Engine
from signalpost.identity.queries import tenant_sql
from signalpost.kit import ids
from signalpost.publishing.work import TargetSource

ORIGIN = "https://signalpost.test"
PATH = "/platforms/facebook/webhook"
VERIFY_TOKEN = "verify-token-of-the-tests"


class Page:
    """A Page, or an account of another network, that was connected, with a post of it."""

    def __init__(self, context: AppContext, api: Api, owner: Login, world: World, app: App, page_id: str) -> None:
        self.context, self.api, self.owner, self.app, self.id = context, api, owner, app, page_id
        network = world.networks[app.network]
        assert isinstance(network, Pushing)
        self.key = app.network
        self.network, self.world = network, world
        self.account: dict[str, Any] = {}
        self.post: dict[str, Any] = {}
        self.lease: Any = JobLease(context.database)

    @property
    def account_id(self) -> UUID:
        return ids.decode("acc", self.account["id"])

    @property
    def target_id(self) -> UUID:
        return ids.decode("tgt", self.post["targets"][0]["id"])

    @property
    def remote_id(self) -> str:
        return next(entry.remote_id for entry in self.world.ledger.of(self.key) if entry.kind == "post")

    async def connect(self, person: str = "alice", scope: str = "") -> "Page":
        query = {"profileId": self.owner.profile}
        begun = (await self.api.get(f"/platforms/{self.key}/auth-url", params=query, key=self.owner.key)).json()
        browser = Browser(self.api, ORIGIN)
        await browser.get(begun["url"])
        page = (await browser.post(begun["url"])).headers["location"]
        assert self.network.oauth is not None
        self.requested = dict(parse_qsl(urlsplit(page).query))
        back = dict(parse_qsl(urlsplit(self.network.oauth.decide(self.requested, person, "approve", scope)).query))
        connected = (await browser.get(callback(self.key), params=back, accept="application/json")).json()
        await browser.client.aclose()
        assert connected["status"] == "connected", connected
        self.account = connected["account"]
        return self

    async def subscribe(self) -> Any:
        return await job(self.context, push.SUBSCRIBE)(self.lease, {"account_id": str(self.account_id)})

    async def pushed(self) -> bool:
        query = {"includeDisconnected": "true"}
        listed = (await self.api.get("/platforms/accounts/all", params=query, key=self.owner.key)).json()["data"]
        (found,) = [account for account in listed if account["id"] == self.account["id"]]
        return bool(found["capabilities"]["comments"]["pushed"])

    async def publish(self, text: str = "Fresh bread") -> "Page":
        body = {"profileId": self.owner.profile, "text": text, "targets": [{"accountId": self.account["id"]}]}
        created = await self.api.post("/posts", json=body, key=self.owner.key)
        assert created.status_code == 201, created.text
        engine = Engine(self.context.database, [TargetSource(self.context)], tenant_sql=tenant_sql)
        await engine.tick(100)
        await engine.stop(5.0)
        self.post = (await self.api.get(f"/posts/{created.json()['id']}", key=self.owner.key)).json()
        assert self.post["status"] == "published", self.post
        return self

    async def was_read(self, text: str = "Fresh bread") -> "Page":
        """Publish, with a first look behind it: the next one is in five minutes."""
        await self.publish(text)
        await self.sets("next_attempt_at = now() + interval '5 minutes', read_at = now()")
        return self

    async def sets(self, values: str, table: str = "comment_source") -> None:
        async with self.context.database.transaction() as db:
            key = "target_id" if table == "comment_source" else "account_id"
            await db.execute(
                f"update {table} set {values} where {key} = $1",
                self.target_id if table == "comment_source" else self.account_id,
            )

    async def waits(self) -> float:
        """In how many seconds the post is looked at."""
        async with self.context.database.connection() as db:
            query = (
                "select extract(epoch from next_attempt_at - now())::float8 from comment_source where target_id = $1"
            )
            return float(await db.fetchval(query, self.target_id))

    async def jobs(self) -> int:
        async with self.context.database.connection() as db:
            query = (
                "select count(*) from job where unique_key = $1 and next_attempt_at <= now() + interval '30 seconds'"
            )
            return int(await db.fetchval(query, f"{plan.KEY}{self.account_id}"))

    def person(self, name: str = "mina") -> Person:
        people = [one for one in self.world.people if (one.network, one.username) == (self.key, name)]
        return people[0] if people else self.world.add_person(self.key, name)

    def says(self, text: str) -> Entry:
        return self.network.receive_comment(self.remote_id, self.person(), text)

    def hooks(self) -> list[Webhook]:
        """What the network pushes now."""
        waiting, self.network.pushed = self.network.pushed, []
        return [hook for _, hook in waiting]

    async def call(self, hook: Webhook, api: Api | None = None) -> Any:
        return await (api or self.api).post(
            f"/platforms/{self.key}/webhook", content=hook.body, headers=dict(hook.headers)
        )

    def feed(self, *post_ids: str, page_id: str = "", **value: Any) -> Webhook:
        """A call that is signed, about these posts."""
        values = [{"item": "comment", "verb": "add", "post_id": post_id, "comment_id": "1_2"} | value
                  for post_id in post_ids]  # fmt: skip
        changes = [{"field": "feed", "value": each} for each in values]
        return sign(
            self.app, json.dumps({"object": "page", "entry": [{"id": page_id or self.id, "changes": changes}]}).encode()
        )

    async def comments(self) -> list[str]:
        answer = await self.api.get("/comments", params={"postId": self.post["id"]}, key=self.owner.key)
        return [comment["text"] for comment in answer.json()["data"]]

    async def collect(self) -> None:
        await job(self.context, plan.COLLECT)(self.lease, {"account_id": str(self.account_id)})


def callback(key: str) -> str:
    return f"/api/v1/platforms/{key}/callback"


@asynccontextmanager
async def installation(
    context: AppContext, make: Make, network: type[Network] = Facebook, **more: str
) -> AsyncIterator[Page]:
    async with Simulator([network]) as simulator:
        key, world, account_id = (
            network.key,
            simulator.world,
            str(10**14 + secrets.randbelow(10**14)),
        )  # of no other test
        if network is Facebook:
            world.add_person(key, "alice", destinations=[Destination(account_id, "page", "Corner Bakery")])
        else:
            world.add_person(key, "alice", id=account_id)
        app = world.add_app(key, f"{ORIGIN}{callback(key)}")
        values = {"BASE_URL": simulator.url(key), "CLIENT_ID": app.client_id, "CLIENT_SECRET": app.client_secret}
        values |= {"VERIFY_TOKEN": VERIFY_TOKEN}
        settings = {f"{key.upper()}_{name}": value for name, value in values.items()} | more
        operated = context_with(context, **{name: value for name, value in settings.items() if value})
        operated.settings = replace(operated.settings, base_url=ORIGIN)
        async with api_of(operated) as api:
            yield Page(operated, api, await make.owner(), world, app, account_id)
