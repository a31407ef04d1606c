"""From the operator's settings to a public post and its removal: the whole service, with X in the simulator."""

from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

from simulator import Simulator
from tests.helpers.authorization import Browser
from tests.helpers.factories import Make
from tests.helpers.sign_in_servers import api_of, context_with

from signalpost.context import AppContext
from signalpost.engine.engine import Engine
from signalpost.identity.queries import tenant_sql
from signalpost.publishing.work import TargetSource

ORIGIN = "https://signalpost.test"
CALLBACK = "/api/v1/platforms/x/callback"


async def test_an_account_is_connected_and_posts(context: AppContext, make: Make) -> None:
    async with Simulator() as simulator:
        world = simulator.world
        world.add_person("x", "alice")
        app = world.add_app("x", f"{ORIGIN}{CALLBACK}")
        operated = context_with(
            context, X_BASE_URL=simulator.url("x"), X_CLIENT_ID=app.client_id, X_CLIENT_SECRET=app.client_secret
        )
        operated.settings = replace(operated.settings, base_url=ORIGIN)
        owner = await make.owner()
        async with api_of(operated) as api:
            listed = (await api.get("/platforms", key=owner.key)).json()["data"]
            (platform,) = [one for one in listed if one["platform"] == "x"]
            assert (platform["configured"], platform["redirectUri"]) == (True, f"{ORIGIN}{CALLBACK}")

            begun = (await api.get("/platforms/x/auth-url", params={"profileId": owner.profile}, key=owner.key)).json()
            browser = Browser(api, ORIGIN)
            await browser.get(begun["url"])
            page = (await browser.post(begun["url"])).headers["location"]
            assert page.startswith(f"{simulator.url('x')}/i/oauth2/authorize?")
            oauth = world.networks["x"].oauth
            assert oauth is not None
            back = dict(
                parse_qsl(urlsplit(oauth.decide(dict(parse_qsl(urlsplit(page).query)), "alice", "approve")).query)
            )
            connected = (await browser.get(CALLBACK, params=back, accept="application/json")).json()
            await browser.client.aclose()
            assert connected["status"] == "connected", connected
            account = connected["account"]
            assert account["username"] == "alice"

            body = {
                "profileId": owner.profile, "text": "Hello, X", "thread": [{"text": "and more"}],
                "firstComment": "a comment", "targets": [{"accountId": account["id"]}],
            }  # fmt: skip
            created = await api.post("/posts", json=body, key=owner.key)
            assert created.status_code == 201, created.text
            engine = Engine(operated.database, [TargetSource(operated)], tenant_sql=tenant_sql)
            await engine.tick(100)
            await engine.stop(5.0)

            post = (await api.get(f"/posts/{created.json()['id']}", key=owner.key)).json()
            (target,) = post["targets"]
            assert (post["status"], target["status"], target["firstComment"]["status"]) == (
                "published", "published", "posted",
            )  # fmt: skip
            entries = world.ledger.of("x")
            assert [entry.text for entry in entries] == ["Hello, X", "and more", "a comment"]
            assert target["url"] == f"https://x.com/alice/status/{entries[0].remote_id}"
