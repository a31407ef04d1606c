"""The status page: what people said in it is text, links change nothing, and it outlives the database."""

import re
import shutil
from urllib.parse import urlsplit
from xml.etree import ElementTree

import asyncpg
import httpx
import pytest
from tests.helpers.mail import with_smtp
from tests.helpers.publishing import until

from signalpost.console import status_page
from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.main import app
from signalpost.status import tokens
from signalpost.status.actions import samples

GERMAN = {"Accept-Language": "de-AT,en;q=0.5"}
SCRIPT = "<script>alert(1)</script>"
_INCIDENT = """
insert into status_incident (id, title, kind, status, impact, component_ids, started_at)
values ($1, $2, 'incident', 'investigating', 'major', '{}', now())
"""
_UPDATE = """
insert into status_update (id, incident_id, status, body, author) values ($1, $2, 'investigating', $3, 'Ada')
"""


@pytest.fixture
async def incident(empty: AppContext) -> None:
    incident_id = ids.new_id()
    async with empty.database.transaction() as db:
        await db.execute(_INCIDENT, incident_id, f"Down {SCRIPT}")
        await db.execute(_UPDATE, ids.new_id(), incident_id, f"We look. \x01 ]]> & {SCRIPT}")
        await samples.sample(db, clock.actual())


@pytest.mark.usefixtures("incident")
async def test_page_and_feed_show_incidents_as_text(visit: httpx.AsyncClient) -> None:
    answer = await visit.get("/status")
    assert answer.status_code == 200
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; style-src 'self'")
    assert "Down &lt;script&gt;alert(1)&lt;/script&gt;" in answer.text
    assert "<script" not in answer.text
    assert len(re.findall(r"<rect ", answer.text)) == 5 * 90
    assert "100.00 % uptime" in answer.text
    same = await visit.get("/status", headers={"If-None-Match": answer.headers["etag"]})
    assert same.status_code == 304

    feed = await visit.get("/status/feed.atom")
    assert feed.headers["content-type"] == "application/atom+xml; charset=utf-8"
    root = ElementTree.fromstring(feed.content)  # noqa: S314 - our own
    names = {"a": "http://www.w3.org/2005/Atom"}
    assert [title.text for title in root.findall("a:entry/a:title", names)] == [f"Down {SCRIPT}"]
    assert f"]]> & {SCRIPT}" in (root.findtext("a:entry/a:content", "", names))


@pytest.mark.usefixtures("incident")
@pytest.mark.parametrize(
    ("language", "says"),
    [
        ("en", ("All systems are operational", "100.00 % uptime", "Investigating", "Past incidents", "Service status")),
        ("de", ("Alle Systeme laufen", "100,00 % verfügbar", "Wird untersucht", "Frühere Störungen", "Dienststatus")),
        ("es", ("Todos los sistemas", "100,00 % de", "En investigación", "Incidentes anteriores", "Estado del")),
    ],
)
async def test_page_and_feed_are_in_the_language_of_the_visitor(
    visit: httpx.AsyncClient, language: str, says: tuple[str, ...]
) -> None:
    """What the operator wrote stays as it is; each language is a copy of its own to every cache."""
    headers = {"Accept-Language": f"{language}-XX,en;q=0.5"}
    answer = await visit.get("/status", headers=headers)
    assert f'<html lang="{language}">' in answer.text
    assert [text for text in says if text not in answer.text] == []
    assert "Down &lt;script" in answer.text
    begun_with = {"Requests to the API.", "The web pages.", "Posts go out at their time.", "Events are delivered."}
    assert {text for text in begun_with if text in answer.text} == (begun_with if language == "en" else set())
    assert "accept-language" in answer.headers["vary"]
    other = await visit.get("/status", headers={"Accept-Language": "de" if language != "de" else "en"})
    assert other.headers["etag"] != answer.headers["etag"]

    feed = ElementTree.fromstring((await visit.get("/status/feed.atom", headers=headers)).content)  # noqa: S314 - ours
    assert (feed.findtext("{http://www.w3.org/2005/Atom}title") or "").startswith(says[-1])
    assert says[2] in "".join(feed.itertext())

    form = await visit.get("/status/subscribe", headers=headers)
    assert f'<html lang="{language}">' in form.text
    unknown = await visit.post("/status/unsubscribe?token=x", headers=headers)
    assert (unknown.status_code, f'lang="{language}"' in unknown.text) == (410, True)


@pytest.mark.usefixtures("incident")
@pytest.mark.parametrize("visited_before", [True, False])
async def test_the_page_outlives_its_database(
    visit: httpx.AsyncClient, empty: AppContext, monkeypatch: pytest.MonkeyPatch, *, visited_before: bool
) -> None:
    """A process that showed it before has a copy; another one takes that of the data folder, or says it has none."""
    if not visited_before:
        shutil.rmtree(status_page.folder_of(empty), ignore_errors=True)  # other tests share the data folder
        await status_page.publish(empty)
        assert not status_page.folder_of(empty).exists()  # nobody has read it
        first = await visit.get("/status/feed.atom")
        assert first.status_code == 200
        empty.states.clear()
        await status_page.publish(empty)
        written = [path.name for path in status_page.folder_of(empty).iterdir()]
        languages = ("", ".de", ".es")
        assert {*written} == {f"{name % each}" for name in ("feed%s.atom", "index%s.html") for each in languages}
    else:
        assert "Down" in (await visit.get("/status")).text
        empty.state(status_page.Copies).looked_at = float("-inf")
    await _drop(empty.database.dsn)

    answer = await visit.get("/status")
    assert answer.status_code == 200
    assert "Down &lt;script" in answer.text
    assert answer.text.count("cannot read its database") == 1
    assert (await visit.get("/status", headers=GERMAN)).text.count("kann seine Datenbank zurzeit nicht lesen") == 1
    empty.state(status_page.Copies).looked_at = float("-inf")
    assert (await visit.get("/status")).text.count("cannot read its database") == 1


@pytest.mark.usefixtures("incident")
async def test_the_page_does_not_call_operational_what_nobody_measures(
    visit: httpx.AsyncClient, empty: AppContext
) -> None:
    """No engine runs, so nothing is published; the page itself still works."""
    assert "All systems are operational" in (await visit.get("/status")).text
    async with empty.database.transaction() as db:
        await db.execute("update status_day set sampled_at = sampled_at - interval '6 minutes'")
    empty.state(status_page.Copies).looked_at = float("-inf")
    stopped = (await visit.get("/status")).text
    assert "All systems are operational" not in stopped
    assert "Nothing has been measured since" in stopped


async def _drop(dsn: str) -> None:
    name = urlsplit(dsn).path.lstrip("/")
    admin = await asyncpg.connect(dsn, database="postgres")

    async def dropped() -> bool:
        try:
            await admin.execute(f'drop database "{name}" with (force)')
        except asyncpg.InsufficientPrivilegeError:  # the server's own maintenance is in it for a moment
            return False
        return True

    try:
        await until(dropped)
    finally:
        await admin.close()


async def test_a_link_changes_nothing_until_its_button_is_pressed(visit: httpx.AsyncClient, empty: AppContext) -> None:
    subscriber_id = tokens.id_of_email(empty.keys, "ada@example.test")
    async with empty.database.transaction() as db:
        at = await db.fetchval(
            "insert into status_subscriber (id, email, mailbox, active) values ($1, 'ada@example.test', 'x', false)"
            " returning created_at",
            subscriber_id,
        )
    states: list[bool | None] = []
    for purpose in ("confirm", "unsubscribe"):
        token = tokens.issue(empty.keys, "confirm" if purpose == "confirm" else "unsubscribe", subscriber_id, at)
        for method in ("GET", "POST"):
            answer = await visit.request(
                method, f"/status/{purpose}?token={token}", content="List-Unsubscribe=One-Click"
            )
            assert answer.status_code == 200, answer.text
            async with empty.database.connection() as db:
                states.append(await db.fetchval("select active from status_subscriber where id = $1", subscriber_id))
    assert states == [False, True, True, None]
    assert (await visit.post(f"/status/unsubscribe?token={token}")).status_code == 410


async def test_the_form_subscribes_without_a_script(visit: httpx.AsyncClient, empty: AppContext) -> None:
    """Once confirmed by mail; an instance without mail names the webhook and the feed only."""
    page = (await visit.get("/status")).text
    assert "<form" not in page
    assert "/status/subscribe" in page
    without = (await visit.get("/status/subscribe")).text
    assert "<form" not in without
    assert "webhookUrl" in without
    assert (await visit.post("/status/subscribe", data={"email": "ada@example.test"})).status_code == 409

    context = with_smtp(empty, "127.0.0.1:9")
    context.state(status_page.Copies).looked_at = float("-inf")
    transport = httpx.ASGITransport(app=app.create(context), client=("203.0.113.8", 50_000))
    async with httpx.AsyncClient(transport=transport, base_url="http://signalpost.test") as client:
        assert 'action="/status/subscribe"' in (await client.get("/status")).text
        wrong = await client.post("/status/subscribe", data={"email": 'x"><script>'})
        assert (wrong.status_code, "<script" in wrong.text) == (422, False)
        assert 'aria-describedby="message"' in wrong.text
        done = await client.post("/status/subscribe", data={"email": "Ada@example.test"})
        assert (done.status_code, "mailbox" in done.text) == (200, True)
        elsewhere = {"Origin": "https://evil.test", "Sec-Fetch-Site": "cross-site"}
        foreign = await client.post("/status/subscribe", data={"email": "b@example.test"}, headers=elsewhere)
        assert foreign.status_code == 403
    async with empty.database.connection() as db:
        rows = await db.fetch("select email, active from status_subscriber")
    assert [tuple(row) for row in rows] == [("ada@example.test", False)]
