"""The TypeScript client: its weight, its types, its signatures, and what it does in a bad world."""

import asyncio
import base64
import gzip
import json
import re
import subprocess
from pathlib import Path

import pytest
from standardwebhooks.webhooks import Webhook
from tests.clients.conftest import Instance
from tests.clients.drivers import Bun, Deno, Node, Place, RawHttp, Step
from tests.clients.test_python_client import HTML, appended, post_of
from tests.counterparts import tools
from tests.counterparts.tools import free_port
from tests.helpers.http_servers import answering, response, serve
from tests.helpers.media_files import image

from signalpost_client import webhooks

pytestmark = pytest.mark.xdist_group("clients")
GZIP_BYTES_MAX = 8_000
SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()


def test_it_is_light_and_needs_nothing(dist: Path) -> None:
    package = json.loads((tools.CHECKOUT / "clients" / "typescript" / "package.json").read_text())
    code = b"".join((dist / name).read_bytes() for name in ("index.js", "webhooks.js"))
    assert len(gzip.compress(code, 9)) <= GZIP_BYTES_MAX
    assert "dependencies" not in package
    assert not re.search(rb"^import ", code, re.MULTILINE)


def test_types_refuse_what_the_api_refuses(dist: Path, tmp_path: Path) -> None:
    """And infer answers: each line that is marked has to be an error, and no other."""
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "signalpost").symlink_to(dist.parent)
    (tmp_path / "use.mts").write_text("""
import { Signalpost } from "signalpost";
import { verify } from "signalpost/webhooks";
const client = new Signalpost({ apiKey: "x" });
const post = await client.post("/posts", { body: { profileId: "p", platforms: ["sandbox"], text: "x" } });
const status: string = post.status;
for await (const item of client.list("/posts", { query: { status: "draft", limit: 5 } })) item.targets[0]?.url;
await client.patch("/posts/{id}", { path: { id: post.id }, body: { text: "y" }, ifMatch: post.version });
const event = await verify("{}", {}, "whsec_x");
if (event.type === "account.connected") event.data.username.trim();
if (event.type === "usage.warning") event.data.percent.toFixed();
// @ts-expect-error there is no such path
await client.get("/nowhere");
// @ts-expect-error there is no such member
await client.post("/posts", { body: { profileId: "p", txt: "x" } });
// @ts-expect-error it is no number
const wrong: number = post.id;
// @ts-expect-error there is no such status
client.list("/posts", { query: { status: "eaten" } });
export { status, wrong };
""")
    compiler = tools.node_packages("clients") / "node_modules" / "typescript" / "bin" / "tsc"
    options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "--lib", "es2023,dom,dom.iterable"]
    command = [tools.node(), compiler, *options, "--typeRoots", "./none", "use.mts"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("runtime", [Node, Deno, Bun])
async def test_signatures_of_everybody_fit(place: Place, runtime: type[Node]) -> None:
    body = json.dumps({"id": "evt_1", "type": "post.published", "data": {"text": "Grüße 🙂"}})
    async with runtime(place) as client:
        signed = (await client.calls("sign", body, SECRET))["value"]
        assert Webhook(SECRET).verify(body, signed) == json.loads(body)
        ours = webhooks.sign(body, SECRET)
        assert (await client.calls("verify", body, ours, SECRET))["value"]["id"] == "evt_1"
        old = webhooks.sign(body, SECRET, timestamp=1)
        for changed, headers in ((body + " ", ours), (body, old), (body, {**ours, "webhook-signature": ""})):
            refused = await client.calls("verify", changed, headers, SECRET)
            assert refused["problem"]["name"] == "InvalidDelivery"


@pytest.mark.parametrize("fault", ["request", "answer", HTML], ids=["request", "answer", "proxy"])
async def test_a_post_is_created_once_whatever_gets_lost(instance: Instance, fault: str | bytes) -> None:
    place, lost = await instance.place(), [fault]

    async with instance.unreliable(lambda *_: lost.pop() if lost else None) as network, RawHttp(place) as plain:
        async with Node(Place(network.url, place.key, place.profile, place.account)) as client:
            answer = await client.calls("request", "POST", "/posts", {"body": post_of(place, "Once")})
        assert answer["value"]["text"] == "Once"
        assert len(network.requests) == 2
        assert [row["id"] for row in await plain.run(Step("", "listPosts"))] == [answer["value"]["id"]]


async def test_an_upload_goes_on_where_it_broke_off(instance: Instance, place: Place, tmp_path: Path) -> None:
    path, lost = tmp_path / "cat.png", ["request", "answer"]
    await asyncio.to_thread(path.write_bytes, image("PNG", size=(100, 80)))

    def loses(number: int, request: bytes) -> str | None:
        return lost.pop() if request.startswith(b"PATCH ") and lost else None

    async with (
        instance.unreliable(loses) as network,
        Node(Place(network.url, place.key, place.profile, place.account)) as client,
    ):
        media = await client.upload(path, "resumable")
    assert media["status"] == "ready"
    assert len(appended(network)) == 1


async def test_what_answers_badly_is_said(place: Place) -> None:
    turns = response(200, b'{"data": [1], "hasMore": true, "nextCursor": "a"}', "Content-Type: application/json")
    async with serve(answering(HTML)) as proxy, serve(answering(turns)) as turning:
        for url, call, name, said in (
            (proxy.url, ("request", "GET", "/auth/me", {}), "UnexpectedResponse", "502 with text/html"),
            (turning.url, ("list", "/posts", {}), "UnexpectedResponse", "leads back"),
            (f"http://127.0.0.1:{free_port()}", ("request", "GET", "/auth/me", {}), "Unreachable", "cannot be reached"),
            (place.url, ("request", "GET", "/posts/{id}", {"path": {"id": ".."}}), "SignalpostError", "is not an id"),
        ):
            async with Node(Place(url, place.key, place.profile, place.account)) as client:
                problem = (await client.calls(*call))["problem"]
            assert problem["name"] == name
            assert said in problem["message"]
