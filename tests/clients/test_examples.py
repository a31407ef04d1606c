"""The programs in `examples/` do their jobs against a real service, and a second run does nothing twice."""

import asyncio
import csv
import io
import json
import os
import sys
from asyncio.subprocess import PIPE
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.clients.conftest import Instance
from tests.clients.drivers import Place, Typed
from tests.clients.test_python_client import async_client
from tests.counterparts.tools import CHECKOUT
from tests.helpers.mail import Inbox, serving, text_of
from tests.helpers.media_files import image

pytestmark = pytest.mark.xdist_group("clients")
PACKAGE = CHECKOUT / "clients" / "python" / "src"
SOON = (datetime.now(UTC) + timedelta(days=2)).date().isoformat()


async def run(place: Place, name: str, *arguments: str | Path, **environment: str) -> Typed:
    process = await asyncio.create_subprocess_exec(
        sys.executable, CHECKOUT / "examples" / f"{name}.py", *arguments,
        stdout=PIPE, stderr=PIPE,
        env=os.environ | {"PYTHONPATH": str(PACKAGE), "SIGNALPOST_API_URL": place.url, "SIGNALPOST_API_KEY": place.key}
        | environment,
    )  # fmt: skip
    out, problems = await process.communicate()
    assert process.returncode is not None
    assert b"Traceback" not in problems, problems.decode()
    return Typed(process.returncode, out.decode(), problems.decode())


async def posts_of(place: Place) -> list[Any]:
    async with async_client(place.url, place.key) as (client, _):
        return [post async for post in client.list_posts(sort="createdAt")]


async def test_new_articles_are_announced_once(place: Place, tmp_path: Path) -> None:
    now = datetime.now(UTC)
    articles = [
        {"id": f"https://blog.example/{age}", "url": f"https://blog.example/{age}", "title": f"Bread of day {age}",
         "date_published": (now - timedelta(days=age)).isoformat()}
        for age in (0, 1, 30)
    ]  # fmt: skip
    feed = tmp_path / "feed.json"
    feed.write_text(json.dumps({"version": "https://jsonfeed.org/version/1.1", "title": "Bread", "items": articles}))

    first = await run(place, "announce_articles", feed, place.profile, "sandbox")
    second = await run(place, "announce_articles", feed, place.profile, "sandbox")

    assert (first.code, second.code) == (0, 0), first.problems + second.problems
    assert first.out.splitlines() == ["https://blog.example/0: published", "https://blog.example/1: published"]
    assert second.out.count("posted before, pst_") == 2
    assert [(post["text"], post["link"]) for post in await posts_of(place)] == [
        ("Bread of day 0", "https://blog.example/0"), ("Bread of day 1", "https://blog.example/1"),
    ]  # fmt: skip


async def test_a_release_is_a_thread(place: Place, tmp_path: Path) -> None:
    changelog = tmp_path / "CHANGELOG.md"
    changes = [f"Change {number} " + "of many words " * 8 for number in range(4)]
    changelog.write_text(
        "# Changes\n\n## [1.4.0] - 2026-11-01\n\n### Added\n\n" + "".join(f"- {each}\n" for each in changes)
    )

    missing = await run(place, "announce_release", changelog, "1.4", place.profile, "sandbox")
    first = await run(place, "announce_release", changelog, "1.4.0", place.profile, "sandbox", "--name", "Ovenware")
    second = await run(place, "announce_release", changelog, "1.4.0", place.profile, "sandbox", "--name", "Ovenware")

    assert (missing.code, first.code, second.code) == (1, 0, 0), first.problems + second.problems
    assert "no changes under a heading with 1.4." in missing.problems
    assert first.out == second.out
    assert first.out.startswith("sandbox: http")
    [post] = await posts_of(place)
    texts = [post["text"], *(part["text"] for part in post["thread"])]
    assert texts[0].startswith("Ovenware 1.4.0 is out.\n• Change 0")
    assert [f"Change {number}" in "".join(texts) for number in range(4)] == [True] * 4
    assert all(len(text) <= 280 for text in texts)


async def test_a_table_is_scheduled_as_a_whole(place: Place, tmp_path: Path) -> None:
    async with async_client(place.url, place.key) as (client, _):
        profile = await client.update_profile(place.profile, {"name": "Bäckerei Süd", "timezone": "Europe/Berlin"})
    (tmp_path / "bread.png").write_bytes(image("PNG"))
    header = "client,date,time,platforms,text,picture,alt\n"
    good = f"bäckerei süd,{SOON},07:00,sandbox,Bread,bread.png,A loaf\n"
    table = tmp_path / "table.csv"

    table.write_text(
        header + good + f"Bäckerei Süd,2020-01-01,08:00,sandbox,Late,,\nBäckerei Süd,{SOON},09:00,sandbox,,,\n"
    )
    refused = await run(place, "schedule_table", table)
    assert (refused.code, await posts_of(place)) == (1, [])
    assert [line.split(":")[0] for line in refused.problems.splitlines()] == ["line 3", "line 4"]

    table.write_text(header + good + f"Bäckerei Süd,{SOON},09:00,sandbox,Cake,,\n", encoding="utf-8-sig")
    first = await run(place, "schedule_table", table)
    table.write_text(table.read_text("utf-8-sig") + f"{profile['name']},{SOON},10:00,sandbox,Soup,,\n")
    second = await run(place, "schedule_table", table)

    assert (first.out, second.out) == ("2 scheduled, 0 were before\n", "1 scheduled, 2 were before\n"), first.problems
    posts = await posts_of(place)
    assert [(post["text"], post["status"], len(post["media"])) for post in posts] == [
        ("Bread", "scheduled", 1), ("Cake", "scheduled", 0), ("Soup", "scheduled", 0),
    ]  # fmt: skip
    assert posts[0]["scheduledAt"] in (f"{SOON}T05:00:00.000Z", f"{SOON}T06:00:00.000Z"), "seven in Berlin"
    table.write_text(header + good.replace("bäckerei süd", "Nobody"))
    assert "no client with this name: Nobody" in (await run(place, "schedule_table", table)).problems


async def test_clients_are_onboarded_once(place: Place, instance: Instance, tmp_path: Path) -> None:
    table = tmp_path / "clients.csv"
    table.write_text(
        "name,email,timezone,platforms\n"
        "Harbour Café,cafe@example.test,Europe/Lisbon,mastodon bluesky\n"
        "Florist,rose@example.test,Mars/Olympus,bluesky\n"
    )
    first = await run(place, "onboard_clients", table)
    second = await run(place, "onboard_clients", table)

    assert (first.code, second.code) == (1, 1)
    assert first.problems.startswith("Florist: ")
    [made], [again] = (list(csv.DictReader(io.StringIO(each.out))) for each in (first, second))
    assert made["link"].startswith(f"{instance.url}/platform-invites/")
    assert again == made | {"link": "sent before: pending"}


async def test_a_report_is_mailed(place: Place) -> None:
    async with async_client(place.url, place.key) as (client, _):
        body: Any = {"profileId": place.profile, "platforms": ["sandbox"], "text": "Soup [[metrics:views=120,likes=7]]"}
        post = await client.create_post(body)
        await client.wait_until_published(post["id"])
    inbox = Inbox()
    async with serving(inbox) as server:
        done = await run(place, "weekly_report", "anna@example.test", SMTP_URL=f"smtp://{server}")
    assert done.code == 0, done.problems
    [message] = inbox.messages
    assert message["To"] == "anna@example.test"
    assert "posts; numbers are known of" in text_of(message)
    assert "week before:" in text_of(message)

    silent = await run(place, "weekly_report", "anna@example.test", SMTP_URL="smtp://127.0.0.1:1")
    assert (silent.code, len(inbox.messages)) == (1, 1)
