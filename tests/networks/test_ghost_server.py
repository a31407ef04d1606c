"""The Ghost connector at Ghost itself, read back by ways that are not its own; the simulated Ghost does the same."""

import asyncio
import html
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from simulator import Simulator
from simulator.networks.ghost import Ghost
from tests.counterparts import RealGhost, real_ghost
from tests.helpers.networks.ghost import CLIENT_IS_TOLD, run_client

from signalpost.conformance.harness import (
    PNG,
    Clock,
    MemoryJournal,
    image,
    outgoing,
    publish_until_settled,
    server_at,
    session,
)
from signalpost.kit import clock
from signalpost.kit.http import Client, MaybeSent
from signalpost.networks import CONNECTORS
from signalpost.networks.connectors.ghost.find import slug_of_draft
from signalpost.networks.contract import (
    ApiError,
    BadCredentials,
    Comments,
    Identity,
    InvalidField,
    NeedsReconnect,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Published,
    Refused,
    RemoteComment,
)
from signalpost.networks.threads import RESTORED

pytestmark = [pytest.mark.xdist_group("ghost-server"), pytest.mark.timeout(180)]  # one server for all of them
GHOST = CONNECTORS["ghost"]
OWNER = "owner@bakery.example"
MEMBERS = ("title", "slug", "status", "visibility", "featured", "custom_excerpt", "canonical_url", "feature_image_alt",
           "feature_image_caption", "email_subject", "email_only")  # fmt: skip


class Losing(Client):
    """Passes calls on; the answers of those that publish are lost once `armed`."""

    armed = False

    async def request(self, method: str, url: str, **rest: Any) -> Any:
        response = await super().request(method, url, **rest)
        if self.armed and method == "PUT":
            self.armed = False
            raise MaybeSent("no response in time", timed_out=True)
        return response


@dataclass
class Site:
    """A site with an integration: Ghost itself, or the simulated one."""

    http: Losing
    url: str
    key: str
    newsletter: str
    clock: Clock = field(default_factory=lambda: Clock(datetime.now(UTC)))
    number: int = 0

    async def connected(self, key: str | None = None, url: str | None = None) -> Identity:
        assert GHOST.connect is not None
        fields = {"siteUrl": url or self.url, "adminApiKey": key or self.key}
        return await GHOST.connect(server_at(self.http, fields["siteUrl"], trusted=True), fields)

    def account(self, key: str | None = None) -> NetworkSession:
        server = server_at(self.http, self.url, trusted=True)
        secrets = {"adminApiKey": key or self.key}
        return session(self.http, self.clock, server=server, secrets=secrets, facts={"path": ""})

    def named(self, text: str = "x", **rest: Any) -> Any:
        """A post with a key of its own, since the site is shared by all tests."""
        self.number += 1
        return outgoing(text, **{"title": "Rye", "dedupe_key": f"{self.url} {self.number}"} | rest)

    async def settled(self, post: Any) -> Outcome:
        return await publish_until_settled(GHOST, self.account, post, MemoryJournal(), self.clock)

    async def published(self, post: Any) -> dict[str, Any]:
        """Publish a post, and return it as the owner of the site sees it."""
        outcome = await self.settled(post)
        assert isinstance(outcome, Published), outcome
        found = await self.post(outcome.remote_id)
        assert outcome.url == found["url"]
        return found

    async def post(self, post_id: str) -> dict[str, Any]:
        raise NotImplementedError

    async def posts(self) -> list[dict[str, Any]]:
        raise NotImplementedError


@dataclass
class RealSite(Site):
    ghost: RealGhost = field(kw_only=True)

    async def post(self, post_id: str) -> dict[str, Any]:
        return await self.ghost.post(post_id)

    async def posts(self) -> list[dict[str, Any]]:
        return await self.ghost.posts()


@dataclass
class SimulatedSite(Site):
    network: Ghost = field(kw_only=True)

    async def post(self, post_id: str) -> dict[str, Any]:
        return self.network._shown(self.network.posts[post_id])

    async def posts(self) -> list[dict[str, Any]]:
        return [self.network._shown(post) for post in self.network.posts.values()]


@pytest.fixture(scope="module")
async def http() -> AsyncIterator[Losing]:
    async with Losing() as client:
        yield client


@pytest.fixture(scope="module")
async def real(http: Losing) -> AsyncIterator[RealSite]:
    async with real_ghost() as ghost:
        yield RealSite(http, ghost.url, ghost.admin_key, "default-newsletter", ghost=ghost)


@pytest.fixture(scope="module")
async def simulated(http: Losing) -> AsyncIterator[SimulatedSite]:
    now = datetime.now(UTC).replace(microsecond=0)
    async with Simulator(start=now) as simulator:
        network = simulator.world.networks["ghost"]
        assert isinstance(network, Ghost)
        network.site.newsletters = {"default-newsletter": "Corner Bakery"}
        key = network.add_key(simulator.world.add_person("ghost", "baker"))
        url = simulator.url("ghost")
        yield SimulatedSite(http, url, key, "default-newsletter", Clock(now), network=network)


@pytest.fixture(params=["real", "simulated"])
def site(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(request.param)


def emails(post: dict[str, Any]) -> list[str]:
    return [author["email"] for author in post["authors"]]


def texts(post: dict[str, Any]) -> str:
    """The paragraphs of a post, before its files."""
    return re.split(r"\s*<(?:figure|!--kg)", post["html"])[0]


# --- connecting ----------------------------------------------------------------------------------------------------


async def test_connecting_returns_the_identity(site: Site) -> None:
    identity = await site.connected()
    host = site.url.partition("://")[2]
    assert (identity.remote_id, identity.display_name, identity.base_url) == (host, "Corner Bakery", site.url)
    assert (dict(identity.secrets), identity.facts) == ({"adminApiKey": site.key}, {"path": ""})


async def test_a_wrong_key_is_rejected_without_repeating_it(site: Site) -> None:
    """Of an integration that does not exist, with another secret, and the key that only reads."""
    for key in (f"{'0' * 24}:{'ab' * 32}", f"{site.key[:25]}{'ab' * 32}"):
        with pytest.raises(BadCredentials, match="does not know this key") as raised:
            await site.connected(key)
        assert "ab" * 32 not in str(raised.value)
    with pytest.raises(InvalidField, match="Content API key") as refused:
        await site.connected("b86f979166c05a7d929e767a7e")
    assert refused.value.name == "adminApiKey"


async def test_the_key_of_a_deleted_integration_asks_to_connect_again(real: RealSite) -> None:
    kept = real.ghost.integration
    key, _ = await real.ghost.add_integration("Gone")
    await real.ghost.ask("DELETE", f"/integrations/{real.ghost.integration}/")
    real.ghost.integration = kept
    assert GHOST.check is not None
    with pytest.raises(ApiError) as raised:
        await GHOST.check(real.account(key))
    explained = GHOST.explain(raised.value)
    assert isinstance(explained, NeedsReconnect)
    assert "Admin API key" in explained.message
    assert isinstance(await GHOST.publish(real.account(key), real.named(), MemoryJournal()), NeedsReconnect)


@pytest.mark.parametrize(("seconds", "fits"), [(-290, True), (-310, False), (250, True)])
async def test_clocks_may_differ_by_five_minutes(real: RealSite, seconds: int, fits: bool) -> None:
    """A clock that is behind: the token has run out at the site. One that is ahead does no harm."""
    account = real.account()
    account.now = lambda: datetime.now(UTC) + timedelta(seconds=seconds)
    assert GHOST.check is not None
    if fits:
        await GHOST.check(account)
    else:
        with pytest.raises(ApiError) as raised:
            await GHOST.check(account)
        assert isinstance(GHOST.explain(raised.value), NeedsReconnect)


# --- posts ---------------------------------------------------------------------------------------------------------


async def test_a_post_with_everything(site: Site) -> None:
    film = image(None, kind="video", mime_type="video/mp4", file_name="film.mp4")
    menu = image(None, kind="document", mime_type="application/pdf", file_name="menu.pdf")
    files = (image("A <dot>"), image("second"), film, image(None), menu)
    options = {
        "tags": ["Bread", "#hidden"], "authors": [OWNER], "excerpt": "Short", "slug": "with-everything",
        "visibility": "members", "featured": True, "canonicalUrl": "https://e.example/1", "caption": "<b>Dot</b>",
    }  # fmt: skip
    post = await site.published(
        site.named("Fresh <b>&\nhttps://e.example/?a=1&b=2\n\nBye", media=files, options=options)
    )
    again = await site.published(site.named(options={"slug": "with-everything"}))
    titled = await site.published(site.named(title="With everything!"))

    assert {name: post.get(name) for name in MEMBERS} == {
        "title": "Rye", "slug": "with-everything", "status": "published", "visibility": "members", "featured": True,
        "custom_excerpt": "Short", "canonical_url": "https://e.example/1", "feature_image_alt": "A <dot>",
        "feature_image_caption": "<b>Dot</b>", "email_subject": None, "email_only": False,
    }  # fmt: skip
    assert ([tag["name"] for tag in post["tags"]], emails(post)) == (["Bread", "#hidden"], [OWNER])
    assert [one["slug"] for one in (again, titled)] == ["with-everything-2", "with-everything-3"]
    link = '<a href="https://e.example/?a=1&amp;b=2">https://e.example/?a=1&amp;b=2</a>'
    assert texts(post) == f"<p>Fresh &lt;b&gt;&amp;<br>{link}</p><p>Bye</p>"
    assert post["html"].count("<figure") == 1
    assert re.findall(r'<img [^>]*alt="([^"]*)"', post["html"]) == ["second", ""]
    assert len(re.findall(r'html-->\n<video controls(?:="")? preload="metadata" src="http', post["html"])) == 1
    assert re.search(r'<p><a href="http[^"]*menu[^"]*pdf">menu.pdf</a></p>', post["html"])
    assert post["email"] is None


async def test_what_the_world_sees(real: RealSite) -> None:
    """Ghost's Content API, the page of the post and its files: of what everybody may read all, of the rest a part."""
    options: dict[str, Any] = {"tags": ["Bread"], "excerpt": "Short"}
    public = await real.published(
        real.named("Warm & <fresh>", title="Öffentlich", media=(image("dot"),), options=options)
    )
    hidden = await real.published(real.named("For members", options={"visibility": "members"}))
    draft = await real.published(real.named("Not yet", options={"status": "draft"}))

    shown, partly = await real.ghost.shown(public["id"]), await real.ghost.shown(hidden["id"])
    assert shown is not None
    assert partly is not None
    assert [shown[name] for name in ("title", "html", "excerpt", "url")] == [
        "Öffentlich", "<p>Warm &amp; &lt;fresh&gt;</p>", "Short", f"{real.url}/offentlich/",
    ]  # fmt: skip
    assert [tag["name"] for tag in shown["tags"]] == ["Bread"]
    assert (partly["visibility"], partly["html"]) == ("members", "")
    assert await real.ghost.shown(draft["id"]) is None
    async with httpx.AsyncClient(timeout=60) as browser:
        page, closed = await browser.get(shown["url"]), await browser.get(hidden["url"])
        picture = await browser.get(public["feature_image"])
        preview = await browser.get(draft["url"])
    assert "Warm & <fresh>" in html.unescape(page.text)
    assert closed.status_code == preview.status_code == 200
    assert "For members" not in closed.text
    assert "Not yet" in preview.text  # the address of a draft shows it to whoever has it
    assert picture.content.startswith(PNG[:8])


async def test_a_draft_stays_one(site: Site) -> None:
    outcome = await site.settled(site.named(title="A draft", options={"status": "draft", "slug": "later"}))
    assert isinstance(outcome, Published)
    post = await site.post(outcome.remote_id)
    assert (outcome.delivery, post["status"], post["slug"]) == ("private", "draft", "later")
    assert outcome.url is not None
    assert outcome.url.endswith(f"/p/{post['uuid']}/")


@pytest.mark.parametrize("title", ["!!!", "😀"])
async def test_a_title_of_which_no_address_can_be_made(site: Site, title: str) -> None:
    post = await site.published(site.named(title=title))
    assert re.fullmatch(r"post(-\d+)?", post["slug"])


async def test_what_is_deleted_is_gone(site: Site) -> None:
    post = await site.published(site.named())
    assert GHOST.delete is not None
    for _ in range(2):
        await GHOST.delete(site.account(), post["id"], ())
    assert post["id"] not in {one["id"] for one in await site.posts()}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"authors": [OWNER, "nobody@bakery.example"]}, "nobody@bakery.example works"),
        ({"authors": ["no address/?"]}, "no address/? works"),
        ({"newsletter": "daily"}, "slug daily"),
    ],
)
async def test_a_name_that_the_site_does_not_have_is_refused(site: Site, options: Any, words: str) -> None:
    """Ghost would name the owner without a word, and answer that it does not know what became of the post."""
    before = len(await site.posts())
    outcome = await site.settled(site.named(options=options))
    assert isinstance(outcome, Refused)
    assert words in outcome.message
    assert len(await site.posts()) == before


@pytest.mark.parametrize(
    ("rest", "field_of_it"),
    [
        ({"title": "t" * 256}, "[posts.title]"),
        ({"media": (image("a" * 192),)}, "feature_image_alt]"),
        ({"options": {"excerpt": "e" * 301}}, "(custom_excerpt)"),
        ({"options": {"emailSubject": "e" * 301}}, "(email_subject)"),
        ({"media": (image(data=b"no image"),)}, "Unable to manipulate image"),
    ],
)
async def test_what_ghost_refuses(real: RealSite, simulated: SimulatedSite, rest: Any, field_of_it: str) -> None:
    """It comes with a word that says what is wrong, and the simulated one says the same."""
    outcomes = [await real.settled(real.named(**rest))]
    if "manipulate" not in field_of_it:  # the simulator does not look into files
        outcomes.append(await simulated.settled(simulated.named(**rest)))
    for outcome in outcomes:
        assert isinstance(outcome, Refused)
        assert field_of_it in outcome.message
    said = {(outcome.code, outcome.message, outcome.http_status, outcome.platform_code) for outcome in outcomes}  # type: ignore[union-attr]
    assert len(said) == 1


async def test_ghosts_own_client_is_told_what_the_simulated_one_tells_it(real: RealSite, tmp_path: Path) -> None:
    await real.ghost.ask("POST", "/newsletters/", json={"newsletters": [{"name": "Weekly"}]})
    said = await run_client(real.url, real.key, tmp_path)
    read = await real.post(said["id"])
    assert said["refused"] == CLIENT_IS_TOLD
    assert said["published"] == ["published", read["slug"], read["url"]]
    assert (said["title"], said["image"]["ref"], said["read"]) == ("Corner Bakery", "dot", [said["id"], "draft"])
    assert (said["again"], said["listed"], read["email"]["recipient_filter"]) == ("published", 10, "status:free")


# --- lost answers, newsletters and restores ------------------------------------------------------------------------


async def test_a_lost_answer_is_found_and_mailed_once(site: Site) -> None:
    options = {"newsletter": site.newsletter, "emailSegment": "unpaid", "emailSubject": "Hot"}
    before, post, journal = len(await site.posts()), site.named(title="Lost", options=options), MemoryJournal()
    site.http.armed = True
    first = await GHOST.publish(site.account(), post, journal)
    site.clock.advance(121)
    second = await GHOST.publish(site.account(), post, journal)

    assert isinstance(first, OutcomeUnknown)
    assert isinstance(second, Published)
    found = await site.post(second.remote_id)
    assert (found["status"], found["email"]["subject"]) == ("published", "Hot")
    assert len(await site.posts()) == before + 1


async def test_by_e_mail_alone(site: Site) -> None:
    options = {"newsletter": site.newsletter, "emailOnly": True}
    post = await site.published(site.named(title="Alone", options=options))
    assert (post["status"], post["email"]["subject"]) == ("sent", "Alone")
    assert post["url"].endswith(f"/email/{post['uuid']}/")


async def test_of_calls_that_publish_at_once_one_is_carried_out(real: RealSite) -> None:
    """Three processes believe that it is their turn, each with the draft as it was."""
    post, journals = real.named(title="Thrice"), [MemoryJournal() for _ in range(3)]
    lost = real.named(title="Thrice", dedupe_key=post.dedupe_key, options={"newsletter": "no-such"})
    assert isinstance(await GHOST.publish(real.account(), lost, MemoryJournal()), Refused)
    outcomes = await asyncio.gather(*(GHOST.publish(real.account(), post, journal) for journal in journals))
    real.clock.advance(150)
    settled = [
        outcome if isinstance(outcome, Published) else await GHOST.publish(real.account(), post, journal)
        for outcome, journal in zip(outcomes, journals, strict=True)
    ]
    assert all(isinstance(outcome, Published) for outcome in settled), settled
    titled = [one for one in await real.posts() if one["title"] == "Thrice"]
    public = [one for one in titled if one["status"] == "published"]
    assert {outcome.remote_id for outcome in settled if isinstance(outcome, Published)} == {one["id"] for one in public}


TEXTS = (
    "one\ntwo\n\n\n\nthree", "  two  spaces  ", "tab\tand\u00a0a space that does not break", "trailing \nspace",
    "a\r\nb", "<script>&amp; \"quoted\" 'single'", "👩\u200d👧 é ü \u200b\u202e", "*md* {{x}} #tag @me",
    "https://e.example/ä?b=1&c=2, and", "a\u2028b\u2003c", "- a list\n- of two",
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
async def test_after_a_restore_a_text_is_found(real: RealSite, simulated: SimulatedSite, text: str) -> None:
    """Ghost's editor changes the white space of a text; what is public already is not published once more."""
    said = []
    for site in (real, simulated):
        since = clock.wire(datetime.now(UTC) - timedelta(seconds=1))
        post = site.named(text, title=f"Restored {TEXTS.index(text)}")
        made = await site.published(post)
        journal = MemoryJournal.of_backup({"at": since, RESTORED: True})
        assert GHOST.reconcile is not None
        found = await GHOST.reconcile(site.account(), replace(post, dedupe_key="other"), journal)
        assert isinstance(found, Published), (found, made["html"])
        assert found.remote_id == made["id"]
        said.append(texts(made))
    assert said[0] == said[1]


async def test_a_draft_is_taken_up_by_its_key(site: Site) -> None:
    """The process died after the site made the draft, and before it was noted."""

    class Dying(MemoryJournal):
        async def record(self, step: str, value: Any) -> None:
            if step == "draft":
                raise ConnectionError("died")
            await super().record(step, value)

    before, post = len(await site.posts()), site.named(title="Taken up")
    with pytest.raises(ConnectionError):
        await GHOST.publish(site.account(), post, Dying())
    assert slug_of_draft(post) in {one["slug"] for one in await site.posts()}
    found = await site.published(post)
    assert (found["slug"], len(await site.posts())) == ("taken-up", before + 1)


async def test_comments_of_members_are_read_hidden_and_deleted_with_the_key_of_an_integration(real: RealSite) -> None:
    post_id, ghost, account = (await real.published(real.named("Talk to us")))["id"], real.ghost, real.account()
    assert GHOST.comments is not None
    assert GHOST.hide_comment is not None
    assert GHOST.delete_comment is not None

    async def listed(one: str) -> Comments | None:
        assert GHOST.comments is not None
        return (await GHOST.comments(account, [one], None))[one]

    async def by_id() -> dict[str, RemoteComment]:
        return {item.remote_id: item for item in (await listed(post_id) or Comments()).items}

    async def says(member_id: str, content: str, **more: str) -> str:
        comment = {"post_id": post_id, "member_id": member_id, "html": content, **more}
        return str((await ghost.ask("POST", "/comments/", json={"comments": [comment]}))["comments"][0]["id"])

    assert await listed(post_id) == Comments(items=(), complete=True)
    assert await listed("0" * 24) is None
    await ghost.ask("PUT", "/settings/", json={"settings": [{"key": "comments_enabled", "value": "all"}]})
    about = {"email": f"ada-{post_id}@bakery.example", "name": "Ada"}
    [ada] = (await ghost.ask("POST", "/members/", json={"members": [about]}))["members"]
    first = await says(ada["id"], "<p>Is it <strong>rye</strong> &amp; wheat?<br>Or both</p>")
    below = await says(ada["id"], "<p>I ask this too</p>", parent_id=first)
    nested = await says(ada["id"], "<p>And I</p>", parent_id=first, in_reply_to_id=below)

    items = await by_id()
    assert {comment_id: item.parent_id for comment_id, item in items.items()} == {
        first: None, below: first, nested: below,
    }  # fmt: skip
    question = items[first]
    assert (question.author_name, question.author_id, question.is_own) == ("Ada", ada["id"], False)
    assert question.text == "Is it rye & wheat?\nOr both"
    assert abs(question.posted_at - datetime.now(UTC)) < timedelta(minutes=5)
    for hidden in (True, True, False, False):
        await GHOST.hide_comment(account, first, {}, hidden)
        assert (await by_id())[first].hidden is hidden
    for comment_id in (below, below, "0" * 24):  # what is gone counts as deleted
        await GHOST.delete_comment(account, comment_id, {})
    assert below not in await by_id()
    assert (await listed(post_id) or Comments()).complete
