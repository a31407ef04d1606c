"""Workspaces of one person to look at: an empty one, a full one, and one with 10,000 of everything that grows.

A few rows are made by the API, as people make them; the others are copies of these, written set-based.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg
import httpx
from bench.population import copy
from PIL import Image, ImageDraw
from tests.helpers.limits import TEST_SECONDS
from tests.helpers.service_process import Service

from signalpost.embedded_postgres.start import start_postgres
from signalpost.kit import ids

MANY = 10_000
_TRUST = httpx.create_ssl_context()
"""Read once: it takes longer than a call."""
TEXTS = (
    "Warm cinnamon rolls, out of the oven at seven. First come, first served.",
    "We are looking for a baker who likes mornings. Write to us, or come by with a sourdough of your own.",
    "Heute neu: Dinkelvollkornsonnenblumenkernbrot 🌻",
    "New opening hours from Monday: 6:30 to 18:00 https://example.com/hours #bakery",
    "Behind the counter: how Mina folds 400 croissants before sunrise.",
    "カレーパン、はじめました。",
    "خبز طازج كل صباح",
    "<b>Half price</b> after five & <script>alert('never')</script>",
)
_PLATFORMS = ("bluesky", "mastodon", "linkedin", "instagram", "threads")
_SPREAD = """
create temp table spread on commit drop as
select n as number, uuidv7() as post_id, uuidv7() as target_id, ($1::text[])[1 + n % array_length($1, 1)] as said,
    date_trunc('hour', now()) + n * interval '1 hour' * $3 / $2 - interval '1 hour' * $3 / 2 as at
from generate_series(1, $2::int) as n
"""


_QUARTER = """
insert into status_day (component_id, day, sampled)
select id, current_date - n, case when (n * 7 + length(name)) % 41 = 0 then '{1380,0,40,20,0}'::integer[]
    else '{1440,0,0,0,0}'::integer[] end
from status_component, generate_series(1, 89) as n on conflict (component_id, day) do nothing
"""
"""What the status page shows of the last three months."""


class Person:
    """The owner, as the console speaks for them: with the cookie of their session."""

    def __init__(self, service: Service, cookie: str) -> None:
        self.service = service
        self.headers = {"Cookie": f"session={cookie}", "X-Console": "1", "Sec-Fetch-Site": "same-origin"}

    def at(self, workspace: str) -> "Person":
        """Return the same person in another of their workspaces."""
        other = Person(self.service, "")
        other.headers = self.headers | {"X-Workspace-Id": workspace}
        return other

    async def call(self, method: str, path: str, **options: Any) -> Any:
        """Call an operation; a refusal fails."""
        async with httpx.AsyncClient(
            base_url=f"{self.service.base_url}/api/v1", verify=_TRUST, timeout=TEST_SECONDS
        ) as client:
            answer = await client.request(method, path, headers=self.headers, **options)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    async def post(self, path: str, body: Any = None, **options: Any) -> Any:
        """POST a JSON body."""
        return await self.call("POST", path, **(options or {"json": body or {}}))


class Place(NamedTuple):
    """A workspace and what its pages are about."""

    workspace: str
    account: str = ""
    post: str = ""
    webhook: str = ""


_COMMENTS = """
insert into comment (id, workspace_id, profile_id, account_id, post_id, target_id, platform, mode, remote_id, thread_id,
    reference, author_id, author_name, author_handle, is_own, text, state, tags, hidden, liked, posted_at, created_at,
    updated_at)
select c.id, t.workspace_id, p.profile_id, t.account_id, p.id, t.id, t.platform, p.mode, c.id::text, c.id, '{}', 'ada',
    'Ada Lovelace', 'ada', false, ($2::text[])[1 + n % cardinality($2::text[])],
    case when n % 4 = 0 then 'done' else 'open' end, '{}', false, false, now() - n * interval '9 minutes',
    now() - n * interval '9 minutes', now()
from (select * from target where workspace_id = $1 and status = 'published' order by id limit 1) t
join post p on p.id = t.post_id, lateral (select n, uuidv7() as id from generate_series(1, $3) as n) c
"""


async def build(person: Person, texts: Sequence[str] = TEXTS) -> dict[str, Place]:
    """Make the three workspaces."""
    empty = await person.post("/workspaces", {"name": "Empty", "timezone": "Europe/Berlin"})
    full = await furnish(person, "Corner Bakery")
    many = await furnish(person, "Bakeries of the World")
    for status in (0, 1):  # the second finds its file taken
        done = await person.service.command("backup", str(person.service.folder / "night.backup"), "--no-key")
        assert done.returncode == status, done.stderr
    database = await asyncio.to_thread(start_postgres, person.service.folder / "data")
    connection = await asyncpg.connect(database.dsn(user="postgres"))
    try:
        await _fill(connection, full, texts, posts=60, others=12, days=40)
        await _fill(connection, many, texts, posts=MANY, others=MANY, days=30)
        await connection.execute(_QUARTER)
    finally:
        await connection.close()
    return {"empty": Place(_id(empty)), "full": full, "many": many}


def _id(workspace: Mapping[str, Any]) -> str:
    return str(workspace["id"])


async def furnish(person: Person, name: str) -> Place:
    """Make one of everything, by the API."""
    made = await person.post("/workspaces", {"name": name, "timezone": "Europe/Berlin"})
    here = person.at(_id(made))
    profile = (await here.call("GET", "/profiles"))["data"][0]["id"]
    fields = {"profileId": profile, "fields": {"username": "cornerbakery"}}
    account = await here.post("/platforms/sandbox/connect", fields)
    body = {"profileId": profile, "platforms": ["sandbox"]}
    media = await here.post("/media/upload", files={"file": ("rolls.png", picture(3), "image/png")}, data={
        "altText": "A tray of cinnamon rolls"})  # fmt: skip
    posts = [await here.post("/posts", body | {"text": TEXTS[0], "media": [{"mediaId": media["id"]}]})]
    posts.append(await here.post("/posts", body | {"text": "Two for one today [[fail:content_rejected]]"}))
    later = (datetime.now(UTC) + timedelta(days=2)).isoformat()
    posts.append(await here.post("/posts", body | {"text": TEXTS[3], "scheduledAt": later}))
    posts.append(await here.post("/posts", body | {"text": TEXTS[4], "publishMode": "draft"}))
    hook = {"url": "http://127.0.0.1:9/hooks/signalpost", "events": ["post.published", "post.failed"], "name": "Shop"}
    webhook = await here.post("/webhooks", hook)
    await here.post(f"/webhooks/{webhook['id']}/test")
    await here.post("/api-keys", {"name": "Till", "permission": "read"})
    await here.post("/team/invite", {"email": "mina@example.test", "role": "editor"})
    slots = [{"time": "09:00", "days": [0, 1, 2, 3, 4]}, {"time": "17:30", "days": [0, 2, 4]}]
    await here.post("/queues", {"profileId": profile, "name": "Mornings", "slots": slots})
    await here.post("/support", {"subject": "Posts appear an hour late", "body": "Since *Sunday* …"})
    await here.post(
        "/support", {"subject": f"Post to the menu board of {name}", "body": "Please.", "type": "suggestion"}
    )
    await _ended(here, posts[:2])
    return Place(_id(made), account["id"], posts[0]["id"], webhook["id"])


async def _ended(here: Person, posts: list[Any]) -> None:
    async def ended() -> bool:
        found = [await here.call("GET", f"/posts/{post['id']}/status") for post in posts]
        return all(post["status"] in ("published", "failed") for post in found)

    await here.service.until(ended, "published post and failed post")


async def _fill(
    db: "asyncpg.Connection[Any]", place: Place, texts: Sequence[str], *, posts: int, others: int, days: int
) -> None:
    """Write copies of what was made."""
    workspace = ids.decode("wsp", place.workspace)
    assert workspace is not None
    async with db.transaction():
        await _copy_accounts(db, workspace)
        await _copy_posts(db, workspace, texts, posts, days)
        series = f"generate_series(1, {others}) as n(number)"
        mine = "t.workspace_id = $1"
        age = "now() - n.number * interval '17 minutes'"
        file = {
            "id": "uuidv7()", "storage_path": "t.storage_path || '-' || n.number", "created_at": age,
            "file_name": "'photo-' || n.number || '.png'",
            "alt_text": "case when n.number % 3 > 0 then 'Bread, ' || n.number end",
        }  # fmt: skip
        await copy(db, "media", mine, file, series, workspace)
        states = "(array['delivered', 'delivered', 'delivered', 'permanently_failed'])[1 + n.number % 4]"
        sent = {
            "id": "uuidv7()", "event_id": "uuidv7()", "created_at": age, "state": states, "next_attempt_at": "null",
            "last_status": f"case {states} when 'delivered' then 200 else 500 end", "started_at": "null",
            "delivered_at": f"case {states} when 'delivered' then {age} end", "attempts": "1 + n.number % 3",
        }  # fmt: skip
        await copy(db, "delivery", mine, sent, series, workspace)
        await copy(db, "audit", f"{mine} and post_id is null", {"id": "uuidv7()", "at": age}, series, workspace)
        key = {
            "id": "uuidv7()", "key_id": "left(md5(t.id::text || n.number), length(t.key_id))", "created_at": age,
            "name": "'Shop ' || n.number", "revoked_at": f"case when n.number % 4 = 0 then {age} end",
        }  # fmt: skip
        await copy(db, "api_key", mine, key, series, workspace)
        invited = {"id": "uuidv7()", "email": "'baker' || n.number || '@example.test'", "invited_at": age}
        await copy(db, "member", f"{mine} and status = 'invited'", invited, series, workspace)
        ticket = {
            "id": "uuidv7()", "created_at": age, "last_message_at": age, "votes": "n.number % 40",
            "subject": "t.subject || ' (' || n.number || ')'",
        }  # fmt: skip
        await copy(db, "ticket", mine, ticket, series, workspace)
        await db.execute(_COMMENTS, workspace, list(texts), min(others, 400))


async def _copy_accounts(db: "asyncpg.Connection[Any]", workspace: UUID) -> None:
    """Write accounts of other networks, some of which need somebody."""
    account = {
        "id": "uuidv7()", "platform": "n.platform", "remote_id": "n.platform", "upkeep_at": "null",
        "status": "(array['active', 'active', 'needs_reauth', 'active', 'paused'])[n.number]",
        "username": "'corner.bakery'", "display_name": "'Corner Bakery'",
    }  # fmt: skip
    rows = "unnest($2::text[]) with ordinality as n(platform, number)"
    await copy(db, "account", "t.workspace_id = $1", account, rows, workspace, list(_PLATFORMS))


async def _copy_posts(
    db: "asyncpg.Connection[Any]", workspace: UUID, texts: Sequence[str], count: int, days: int
) -> None:
    """Write posts over so many days around now: published or failed before, scheduled or drafts after."""
    await db.execute(_SPREAD, list(texts), count, 24 * days)
    wanted = (
        "case when n.at < now() then case when n.number % 17 = 0 then 'failed' else 'published' end"
        " else case when n.number % 5 = 0 then 'draft' else 'scheduled' end end"
    )
    post = {
        "id": "n.post_id", "text": "n.said", "created_at": "least(n.at, now())", "updated_at": "least(n.at, now())",
        "scheduled_at": "case when t.status = 'draft' then null else n.at end",
    }  # fmt: skip
    live = "t.deleted_at is null and t.id = any($2)"
    templates = await db.fetch("select id, status from post where workspace_id = $1", workspace)
    originals = [row["id"] for row in templates]
    await copy(db, "post", f"t.workspace_id = $1 and {live} and t.status = {wanted}", post, "spread as n",
               workspace, originals)  # fmt: skip
    target = {
        "id": "n.target_id", "post_id": "n.post_id", "dedupe_key": "n.target_id::text", "text": "null",
        "content_hash": "sha256(uuid_send(n.target_id))", "next_attempt_at": "null", "due_at": "n.at",
        "account_id": "(select id from account a where a.workspace_id = t.workspace_id order by id"
        " offset n.number % 6 limit 1)",
        "published_at": "case when t.published_at is not null then n.at end",
    }  # fmt: skip
    target["platform"] = target["account_id"].replace("select id", "select platform")
    matching = (
        "t.workspace_id = $1 and t.post_id = any($2)"
        f" and exists (select from post p where p.id = t.post_id and p.status = {wanted})"
    )
    await copy(db, "target", matching, target, "spread as n", workspace, originals)
    await db.execute(
        "update target set error = jsonb_set(error, '{code}', '\"outcome_unknown\"') where workspace_id = $1"
        " and status = 'failed' and id in (select target_id from spread where number % 34 = 0)",
        workspace,
    )


def picture(seed: int, size: tuple[int, int] = (640, 420)) -> bytes:
    """Return a picture that is pleasant to look at and small."""
    width, height = size
    image = Image.linear_gradient("L").resize(size)
    base = Image.merge("RGB", (image.point(lambda v: 255 - v // 5), image.point(lambda v: 205 - v // 3), image.point(
        lambda v: 150 - v // 3)))  # fmt: skip
    draw = ImageDraw.Draw(base)
    for row in range(3):
        for column in range(4):
            x, y = 60 + column * 140 + (row * seed * 7) % 30, 60 + row * 120
            draw.ellipse((x, y, x + 110, y + 90), fill=(196, 128 - seed * 5, 62))
            draw.arc((x + 20, y + 18, x + 90, y + 72), 0, 300, fill=(120, 70, 30), width=6)
    output = BytesIO()
    base.resize((width, height)).quantize(64).save(output, "png")
    return output.getvalue()
