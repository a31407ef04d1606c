"""A sample workspace with one of each resource, and valid requests to any endpoint about them."""

import io
import json
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import httpx
from PIL import Image
from tests.helpers.api import Api
from tests.helpers.apps import granted
from tests.helpers.comments import commented
from tests.helpers.factories import Login, Make

from signalpost.billing import differences
from signalpost.billing.differences import Difference
from signalpost.console.openapi import openapi_document
from signalpost.console.samples import example_bodies
from signalpost.engine import buckets, jobs
from signalpost.identity.actions import sign_in
from signalpost.identity.schemas import Tokens
from signalpost.kit import clock, ids
from signalpost.main import wiring
from signalpost.web.routing import Endpoint, PathInput

ENDPOINTS = [endpoint for endpoint in wiring.endpoints() if not endpoint.hidden]
DOCUMENT = openapi_document(wiring.endpoints(), base_url="http://signalpost.test", version="0.0.0", brand="Service")
SEGMENTS = {
    "key": "console.beta",
    "platform": "sandbox",
    "token": "q7Jx2mV0dC9pXn4bR8sT1w",
    "componentId": "api",
    "id": "api",
    "server": "5f2c1d0b8e7a49368f0a1b2c3d4e5f60",
}
BY_QUEUE_SECRET = ("/queue/process", "/admin/sync-metrics-cron")
NO_FILTERS = ("cursor", "limit", "instanceUrl", "loginHint", "redirectUrl", "refresh", "poll", "of", "option", "form")
"""Parameters of reads that choose a page, or make a call to a network."""
FILTERS_WITH = {"/posts?mine": {"approval": "pending"}}
"""What some filters are only taken with."""
SOON = clock.wire(clock.now() + timedelta(days=30))
_DAY = re.compile(r"2026-\d\d-\d\d")
_ID = re.compile(r"([a-z]{3,4})_[0-9A-HJKMNP-TV-Z]{26}")


def name_of(endpoint: Endpoint) -> str:
    """`GET /posts/{id}`: the id of a parametrised case."""
    return f"{endpoint.method} {endpoint.path}"


@dataclass(kw_only=True)
class PreparedRequest:
    """A request that is ready to be sent."""

    method: str
    path: str
    key: str | None
    body: Any = None
    params: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    files: Any = None
    content: bytes | None = None

    async def send(self, api: Api, **changed: Any) -> httpx.Response:
        """Send the request, with `key`, `body`, `path`, `content`, … replaced by what is named here."""
        fields = {"key": self.key, "body": self.body, "path": self.path, "headers": self.headers} | changed
        options: dict[str, Any] = {"headers": fields.pop("headers"), "params": fields.pop("params", self.params)}
        body = fields.pop("body")
        if "content" in fields:
            options["content"] = fields.pop("content")
            options["headers"] = {"Content-Type": "application/json"} | options["headers"]
        elif self.content is not None:
            options["content"] = self.content
        elif self.files is not None:
            options["files"] = self.files
        elif body is not None:
            options["json"] = body
        return await api.call(self.method, fields["path"], key=fields["key"], **options)


@dataclass
class Sample:
    """A workspace with one of each resource; `ids` are theirs, by prefix. `staff` belong to another workspace."""

    api: Api
    make: Make
    owner: Login
    ids: dict[str, str]
    staff: Login

    def prepare(self, endpoint: Endpoint, *, key: str | None = None) -> PreparedRequest:
        """Return a valid request to the endpoint, about the resources of this workspace."""
        path = endpoint.path
        for path_input in endpoint.path_inputs:
            prefix = prefix_of(path_input)
            value = self.ids[prefix] if prefix else SEGMENTS[path_input.param]
            path = path.replace("{" + path_input.param + "}", value)
        operation = DOCUMENT["paths"][endpoint.path][endpoint.method.lower()]
        mine = self.staff if endpoint.scope == "instance:admin" else self.owner
        request = PreparedRequest(method=endpoint.method, path=path, key=key or mine.key)
        if endpoint.path == "/events/stream":
            request.headers["Accept"] = "application/json"  # a stream has no end
        if endpoint.path in BY_QUEUE_SECRET:
            request.headers["X-Queue-Secret"] = self.make.context.settings.queue_secret or ""
        for parameter in operation["parameters"]:
            if parameter["in"] == "query" and parameter["required"]:
                request.params[parameter["name"]] = self._value(parameter["name"])
        content = operation.get("requestBody", {}).get("content", {})
        if "multipart/form-data" in content:
            request.files = {"file": ("dot.png", picture(), "image/png")}
        elif "application/json" in content:
            request.body = self._own(example_bodies(content["application/json"])[0])
        return request

    def filtered(self, endpoint: Endpoint) -> dict[str, PreparedRequest]:
        """Return valid requests to a read with one of its filters each, by the name of the filter."""
        found = {}
        for parameter in DOCUMENT["paths"][endpoint.path]["get"]["parameters"]:
            name, schema = parameter["name"], parameter["schema"]
            if parameter["in"] != "query" or parameter["required"] or name in NO_FILTERS:
                continue
            values = schema.get("examples") or schema.get("enum") or [True]
            if schema.get("type", "string") == "boolean" or values != [True]:
                request = self.prepare(endpoint)
                text = _DAY.sub(str(clock.now().date()), json.dumps(values[0]).strip('"'))
                request.params |= FILTERS_WITH.get(f"{endpoint.path}?{name}", {})
                request.params[name] = _ID.sub(lambda match: self.ids.get(match[1], match[0]), text)
                found[name] = request
        return found

    def _value(self, name: str) -> str:
        values = {
            "profileId": self.ids["prof"],
            "expires": "4102444800",
            "hub.mode": "subscribe",
            "name": f"Acme {self.owner.email[6:16]}",
        }
        return values.get(name, "x" * 24)

    def _own(self, example: Any) -> Any:
        text = _ID.sub(lambda match: self.ids.get(match[1], match[0]), json.dumps(example))
        text = text.replace('"slug": "bakery-berlin"', f'"slug": "bakery-{secrets.token_hex(8)}"')
        text = text.replace('"name": "Hashtags of Friday"', f'"name": "Hashtags {secrets.token_hex(8)}"')
        return json.loads(re.sub(r'"2026-[^"]*Z"', f'"{SOON}"', text.replace('"bluesky"', '"sandbox"')))


async def session_of(sample: Sample, login: Login) -> Tokens:
    """Sign this member in."""
    async with sample.make.context.database.transaction() as db:
        return await sign_in.open_session(
            db, sample.make.context.keys, login.user_id, login.workspace_id, "owner", "192.0.2.1"
        )


def invited_email() -> str:
    """An address that nobody was invited to."""
    return f"grace-{secrets.token_hex(5)}@example.test"


def picture() -> bytes:
    """A small PNG."""
    file = io.BytesIO()
    Image.new("RGB", (8, 8), (secrets.randbelow(256), 90, 160)).save(file, "PNG")
    return file.getvalue()


async def create_sample(api: Api, make: Make, endpoints: Iterable[Endpoint] = ENDPOINTS) -> Sample:
    """Create a workspace with one of each resource that an endpoint needs: to read is to see one of each."""
    owner, staff = await make.owner(), await _staff(make)
    account, post = await make.account(owner), await make.post(owner, scheduledAt=SOON)  # something live
    found = {
        "prof": owner.profile, "acc": account["id"], "wsp": ids.encode("wsp", owner.workspace_id),
        "pst": post["id"], "tgt": post["targets"][0]["id"],
    }  # fmt: skip
    needed = set().union(*map(_prefixes_in, endpoints))

    async def create(prefix: str, path: str, body: Any, login: Login = owner) -> None:
        if prefix in needed:
            found[prefix] = (await _created(api, login, path, body))["id"]

    if "lnk" in needed:
        child = await make.profile(owner)
        await create("lnk", "/profiles/links", {"parentProfileId": owner.profile, "childProfileId": child["id"]})
    slots = [{"time": "09:00"}, {"time": "17:30"}]
    await create("slq", "/queues", {"profileId": owner.profile, "name": "Daily", "slots": slots})
    await create("tkt", "/support", {"subject": "Late", "body": "Posts are late."})
    await create("whk", "/webhooks", {"url": "http://127.0.0.1:9/hook"})
    if "dlv" in needed:
        await create("dlv", f"/webhooks/{found['whk']}/test", None)
    await create("key", "/api-keys", {"name": "Spare"})
    await create("mem", "/team/invite", {"email": invited_email(), "role": "viewer"})
    await create("inv", "/platform-invites", {"profileId": owner.profile, "platforms": ["sandbox"]})
    await create("pmg", f"/posts/{post['id']}/discussion", {"text": "Is it ready?"})
    if "apl" in needed:
        await create("apl", "/approval-links", {"postIds": [(await make.draft(owner))["id"]]})
    await create("app", "/apps", {"name": "CMS", "redirectUris": ["https://cms.example.com/callback"]})
    if "agr" in needed:
        session = await session_of(Sample(api, make, owner, found, staff), owner)
        found["agr"] = await granted(make.context, api, session.access_token)
    found |= await commented(make, owner) if needed & {"cmt", "rpl"} else {}
    for prefix, path, body in (
        ("cal", "/calendar-links", {"name": "Bakery", "profileId": owner.profile}),
        ("rlk", "/report-links", {"profileId": owner.profile}),
        ("srp", "/saved-replies", {"name": "Thanks", "text": "Thank you!", "profileId": owner.profile}),
        ("crl", "/comment-rules", {"name": "x", "words": ["x"], "tags": ["x"], "profileIds": [owner.profile]}),
        ("snp", "/snippets", {"name": "Hashtags", "text": "#bakery", "profileId": owner.profile}),
        ("fed", "/feeds", {"url": "http://127.0.0.1:9/feed", "profileId": owner.profile}),
    ):
        await create(prefix, path, body)
    if "med" in needed:
        found["med"] = await upload(api, owner)
    await _session(Sample(api, make, owner, found, staff), needed)
    await _work(api, make, owner, found, needed)
    incident = {"title": "Slow", "body": "We look into it.", "impact": "none", "componentIds": [], "notify": False}
    await create("inc", "/status/admin/incidents", incident, staff)
    await create("sub", "/status/subscribe", {"webhookUrl": "http://127.0.0.1:9/status"})
    return Sample(api, make, owner, found, staff)


async def _session(sample: Sample, needed: set[str]) -> None:
    """Sign the owner in once more, in a browser that gets notifications."""
    if not needed & {"ses", "psh"}:
        return
    session = await session_of(sample, sample.owner)
    async with sample.make.context.database.connection() as db:
        newest = await db.fetchval(_NEWEST_SESSION, sample.owner.user_id)
    sample.ids["ses"] = ids.encode("ses", newest)
    if "psh" in needed:
        browser = browser_at("http://127.0.0.1:9/push")
        answer = await sample.api.post("/auth/push", json=browser, key=session.access_token)
        sample.ids["psh"] = answer.json()["id"]


def browser_at(address: str) -> dict[str, Any]:
    """What a browser says that subscribed below this address."""
    example = example_bodies(DOCUMENT["paths"]["/auth/push"]["post"]["requestBody"]["content"]["application/json"])[0]
    return {**example, "endpoint": f"{address}/{secrets.token_hex(8)}"}


async def _link_page(api: Api, owner: Login) -> None:
    links = [{"title": "Order", "url": "https://shop.example.com/"}]
    page = {"slug": f"sample-{secrets.token_hex(8)}", "title": "Bakery", "isPublished": True, "links": links}
    put = await api.put(f"/profiles/{owner.profile}/link-page", json=page, key=owner.key)
    assert put.status_code == 200, put.text


async def _work(api: Api, make: Make, owner: Login, found: dict[str, str], needed: set[str]) -> None:
    """Add a link page, a job that failed for good, and an app that is paused."""
    if _LINK_PAGE in needed:
        await _link_page(api, owner)
    async with make.context.database.transaction() as db:
        if "job" in needed:
            job_id = await jobs.enqueue(db, "contract.sample", {}, queue=f"contract.{secrets.token_hex(4)}")
            await db.execute(_FAILED, job_id)
            found["job"] = ids.encode("job", job_id)
        if "pau" in needed:
            key = f"sandbox:contract.{secrets.token_hex(4)}"
            await buckets.declare(db, key, capacity=1, per_second=1)
            await buckets.pause(db, key, 3_600)
            found["pau"] = ids.encode("pau", await db.fetchval("select md5($1)::uuid", key))
        if "dif" in needed:
            name = f"sub_{secrets.token_hex(8)}"
            difference = Difference(
                kind="served_unpaid", workspace=None, customer_id="cus_contract", remote_id=name, detail="of the sample"
            )
            await differences.note(db, difference, clock.now())
            query = "select id from billing_difference where remote_id = $1"
            found["dif"] = ids.encode("dif", await db.fetchval(query, name))


_NEWEST_SESSION = "select id from session where user_id = $1 order by created_at desc limit 1"
_FAILED = "update job set state = 'failed', next_attempt_at = null, failed_at = now() where id = $1"
_LINK_PAGE = "link page"
"""What a profile has one of, without an id of its own."""
_OF_A_WORKSPACE = {"lnk", "slq", "tkt", "whk", "dlv", "key", "mem", "inv"}


def _prefixes_in(endpoint: Endpoint) -> set[str]:
    """Return the prefixes of the ids in the path of an endpoint and in the example of its body."""
    operation = DOCUMENT["paths"][endpoint.path][endpoint.method.lower()]
    found = {prefix for path_input in endpoint.path_inputs if (prefix := prefix_of(path_input))}
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" in content:
        example = json.dumps(example_bodies(content["application/json"])[0])
        found |= {match[1] for match in _ID.finditer(example)} - {"med"}  # examples do without a file of ours
    found |= {_LINK_PAGE} if "/link-page" in endpoint.path else set()
    return found | (_OF_A_WORKSPACE if endpoint.method == "GET" else set())


class _Staff:
    """The staff of an installation: one person for all samples of a context."""

    login: Login | None = None


async def _staff(make: Make) -> Login:
    people = make.context.state(_Staff)
    people.login = people.login or await make.staff()
    return people.login


def prefix_of(source: PathInput) -> str | None:
    """Return the id prefix of a path parameter, or None if it holds plain text."""
    return None if source.id is None else source.id.prefix


async def upload(api: Api, owner: Login) -> str:
    """Upload a picture; return its id."""
    answer = await api.post("/media/upload", files={"file": ("dot.png", picture(), "image/png")}, key=owner.key)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def _created(api: Api, owner: Login, path: str, body: Any) -> dict[str, Any]:
    answer = await api.post(path, json=body, key=owner.key)
    assert answer.status_code == 201, answer.text
    created: dict[str, Any] = answer.json()
    return created
