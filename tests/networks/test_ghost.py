"""Ghost: how a site is found, what its key opens, what posts are made of, and that nobody is mailed twice."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey
from simulator import Simulator
from simulator.networks.ghost import Ghost
from tests.helpers.networks.ghost import KEY, PAGE, error

from signalpost.conformance.harness import (
    FakeHttp,
    FakeResponse,
    Headers,
    MemoryJournal,
    Request,
    image,
    json_response,
    outgoing,
    publish_until_settled,
    server_at,
    session,
)
from signalpost.kit import clock
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, preflight
from signalpost.networks.connectors.ghost.account import connect
from signalpost.networks.connectors.ghost.calls import token_of
from signalpost.networks.connectors.ghost.content import content_of
from signalpost.networks.connectors.ghost.find import slug_of_draft
from signalpost.networks.contract import (
    Absent,
    ApiError,
    BadCredentials,
    Identity,
    InvalidField,
    NeedsReconnect,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Published,
    Refused,
    TryLater,
)
from signalpost.networks.threads import RESTORED

GHOST = CONNECTORS["ghost"]
PUBLISH = "PUT /ghost/api/admin/posts/{post}/"
MAILED = {"newsletter": "weekly", "emailSegment": "paid"}
SITE = "/ghost/api/admin/site/"


@pytest.fixture(scope="module")
async def http() -> AsyncIterator[Client]:
    async with Client() as client:
        yield client


@pytest.fixture(scope="module")
async def listening() -> AsyncIterator[Simulator]:
    async with Simulator(start=datetime.now(UTC).replace(microsecond=0)) as simulator:
        yield simulator


class Place:
    """A site with an integration."""

    def __init__(self, simulator: Simulator, http: Client) -> None:
        simulator.world.reset()
        network = simulator.world.networks["ghost"]
        assert isinstance(network, Ghost)
        self.network, self.world, self.http = network, simulator.world, http
        self.url = simulator.url("ghost")
        network.add_key(simulator.world.add_person("ghost", "baker"), KEY)
        self.journal = MemoryJournal()

    async def connected(self, key: str = KEY) -> Identity:
        return await connect(server_at(self.http, self.url, trusted=True), {"siteUrl": self.url, "adminApiKey": key})

    def account(self) -> NetworkSession:
        server = server_at(self.http, self.url, trusted=True)
        values = {"secrets": {"adminApiKey": KEY}, "facts": {"path": ""}}
        return session(self.http, self.world.clock, server=server, **values)

    async def attempt(self, post: Any) -> Outcome:
        return await GHOST.publish(self.account(), post, self.journal)

    async def published(self, post: Any) -> Any:
        """Publish a post, and return it as it is at the site."""
        outcome = await publish_until_settled(GHOST, self.account, post, MemoryJournal(), self.world.clock)
        assert isinstance(outcome, Published), outcome
        return self.network.posts[outcome.remote_id]

    def post(self) -> Any:
        """Return the only post of the site."""
        (post,) = self.network.posts.values()
        return post


@pytest.fixture
def place(listening: Simulator, http: Client) -> Place:
    return Place(listening, http)


def named(text: str = "x", **rest: Any) -> Any:
    return outgoing(text, **{"title": "Rye"} | rest)


# --- connecting ----------------------------------------------------------------------------------------------------


def site(version: str = "6.2", host: str = "") -> FakeResponse:
    return json_response(200, {"site": {"title": "Bakery", "url": f"https://{host}/", "version": version}})


@pytest.mark.parametrize(
    ("address", "answers", "found"),
    [
        ("blog.example", {f"blog.example{SITE}": site()}, ("https://blog.example", "")),
        ("https://b.example/blog/ghost/#/a", {f"b.example/blog{SITE}": site("5.0")}, ("https://b.example", "/blog")),
        ("blog.example", {
            f"blog.example{SITE}": FakeResponse(301, b"", Headers({"Location": f"https://b.ghost.io{SITE}"})),
            f"b.ghost.io{SITE}": site(),
        }, ("https://b.ghost.io", "")),
    ],
)  # fmt: skip
async def test_a_site_is_found_where_its_administration_is(address: str, answers: Any, found: Any) -> None:
    def serve(request: Request) -> FakeResponse:
        posts = json_response(200, {"posts": []}) if request.path.endswith("/posts/") else FakeResponse(404, PAGE)
        return answers.get(f"{http.host}{request.path}", posts)

    class Hosts(FakeHttp):
        async def request(self, method: str, url: str, **rest: Any) -> FakeResponse:
            self.host = urlsplit(url).netloc
            return await super().request(method, url, **rest)

    http = Hosts(serve)
    identity = await connect(server_at(http, "https://other.example"), {"siteUrl": address, "adminApiKey": KEY})
    assert (identity.base_url, identity.facts["path"], identity.display_name) == (*found, "Bakery")


@pytest.mark.parametrize(
    ("answer", "address", "words"),
    [
        (site("4.48"), "b.example", "older than version 5"),
        (FakeResponse(200, PAGE), "b.example", "no Ghost"),
        (FakeResponse(404, PAGE), "b.example", "no Ghost"),
        (json_response(200, {"site": []}), "b.example", "no Ghost"),
        (FakeResponse(301, b"", Headers({"Location": "http://b.example/"})), "b.example", "unencrypted"),
        (FakeResponse(301, b"", Headers({"Location": "https://b.example/"})), "b.example", "without an end"),
        (site(), "http://b.example", "unencrypted"),
        (site(), "", "address of your site"),
    ],
)
async def test_what_is_no_ghost_gets_no_key(answer: FakeResponse, address: str, words: str) -> None:
    http = FakeHttp(lambda _: answer)
    with pytest.raises(InvalidField, match=words):
        await connect(server_at(http, ""), {"siteUrl": address, "adminApiKey": KEY})
    assert not any(request.headers.get("Authorization") for request in http.requests)


@pytest.mark.parametrize("address", ["https://127.0.0.1", "https://10.0.0.1/blog", "https://[::1]"])
async def test_private_addresses_are_not_called(address: str, http: Client) -> None:
    with pytest.raises(InvalidField):
        await connect(server_at(http, "https://site.example", trusted=True), {"siteUrl": address, "adminApiKey": KEY})


async def test_keys(place: Place) -> None:
    identity = await place.connected()
    assert (identity.remote_id, identity.display_name) == (place.url.partition("//")[2], "Corner Bakery")
    assert GHOST.check is not None
    assert (await GHOST.check(place.account())).can_post
    for wrong in (KEY[:-1] + "0", "0" * 24 + KEY[24:]):
        with pytest.raises(BadCredentials, match="does not know this key"):
            await place.connected(wrong)
    for wrong in ("", KEY[25:], "a" * 26):
        with pytest.raises(InvalidField, match="Content API key"):
            await place.connected(wrong)
    place.network.keys.clear()
    with pytest.raises(ApiError) as raised:
        await GHOST.check(place.account())
    assert isinstance(GHOST.explain(raised.value), NeedsReconnect)


def test_a_token_is_one_for_a_library_of_others() -> None:
    now = datetime(2026, 11, 28, 12, tzinfo=UTC)
    key_id, _, secret = KEY.partition(":")
    token = jwt.decode(token_of(KEY, now), OctKey.import_key(bytes.fromhex(secret)), algorithms=["HS256"])
    assert token.header == {"alg": "HS256", "typ": "JWT", "kid": key_id}
    assert token.claims == {"aud": "/admin/", "iat": now.timestamp(), "exp": now.timestamp() + 300}


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        (MAILED, []),
        ({**MAILED, "status": "draft"}, ["newsletter.draft"]),
        ({"emailOnly": True, "emailSubject": "x"}, ["newsletter.missing"] * 2),
        ({"visibility": "tiers"}, ["options.type"]),
        ({"newsletter": "Not a slug"}, ["options.type"]),
        ({"canonicalUrl": "javascript:x"}, ["options.type"]),
    ],
)
def test_what_is_refused_before_it_is_sent(options: Any, rules: Any) -> None:
    issues = preflight.check(GHOST, named(options=options), {})
    assert [issue.rule for issue in issues] == [f"ghost.{rule}" for rule in rules]
    assert [issue.rule for issue in preflight.check(GHOST, outgoing("x"), {})] == ["ghost.title.required"]


# --- posts ---------------------------------------------------------------------------------------------------------


async def test_a_post_with_everything(place: Place) -> None:
    film = image(None, kind="video", mime_type="video/mp4", file_name="film.mp4")
    files = (image("A dot"), image(None, data=b"2"), film, image(None, data=b"3"))
    options = {
        "tags": ["Bread", "#hidden"], "authors": ["baker@bakery.example"], "excerpt": "Short", "slug": "fresh-rye",
        "visibility": "members", "featured": True, "canonicalUrl": "https://e.example/1", "caption": "<b>Dot</b>",
    }  # fmt: skip
    post = await place.published(named("Fresh <b>&", media=files, options=options))
    again = await place.published(named("Other", options={"slug": "fresh-rye"}, dedupe_key="2"))
    titled = await place.published(named("Other", title="Fresh rye!", dedupe_key="3"))

    expected = {
        "tags": ["Bread", "#hidden"], "authors": ["baker@bakery.example"], "custom_excerpt": "Short",
        "visibility": "members", "featured": True, "canonical_url": "https://e.example/1", "status": "published",
        "feature_image_alt": "A dot", "feature_image_caption": "<b>Dot</b>", "title": "Rye", "email": None,
    }  # fmt: skip
    assert {name: post[name] for name in expected} == expected
    assert [one["slug"] for one in (post, again, titled)] == ["fresh-rye", "fresh-rye-2", "fresh-rye-3"]
    assert post["html"].startswith('<p>Fresh &lt;b&gt;&amp;</p><figure class="kg-card kg-gallery-card')
    assert post["html"].count("<img ") == 2
    assert "<!--kg-card-begin: html-->\n<video controls" in post["html"]
    assert place.network.mails == []


def test_galleries_have_nine_images_of_known_size() -> None:
    def figures(*files: Any) -> list[int]:
        content = content_of("", [(file, {"url": "https://e.example/a.png"}) for file in files])
        return [figure.count("<img ") for figure in content.split("<figure")[1:]]

    assert figures(*[image()] * 11) == [9, 2]
    assert figures(image(), image(width=None)) == [1, 1]
    assert figures(image()) == [1]


async def test_a_draft_stays_one_and_is_found(place: Place) -> None:
    """Its own slug, which it gets by the second call, shows that this was carried out."""
    post = named(options={"status": "draft", "featuredImage": False}, media=(image(),))
    place.world.add_fault("ghost", "lost", PUBLISH)
    first, second = await place.attempt(post), await place.attempt(post)

    assert isinstance(first, OutcomeUnknown)
    assert isinstance(second, Published)
    assert (second.delivery, second.url) == ("private", f"https://bakery.example/p/{place.post()['uuid']}/")
    assert (place.post()["status"], place.post()["slug"], place.post().get("feature_image")) == ("draft", "rye", None)
    assert place.world.ledger.of("ghost") == []


async def test_what_is_deleted_is_gone(place: Place) -> None:
    post = await place.published(named())
    assert GHOST.delete is not None
    for _ in range(2):
        await GHOST.delete(place.account(), post["id"], ())
    assert place.network.posts == {}


def test_a_refusal_names_the_field() -> None:
    refused = GHOST.explain(error(422, message="Validation error.", context="Too long.", property="custom_excerpt"))
    assert isinstance(refused, Refused)
    assert refused.message == "Ghost: Validation error. Too long. (custom_excerpt)"


# --- lost answers, and newsletters ---------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["lost", "mail_fails"])
async def test_a_newsletter_is_sent_once(fault: str, place: Place) -> None:
    """Also if somebody changes the title meanwhile. An error of mailing does not publish the post once more."""
    place.world.add_fault("ghost", fault, PUBLISH if fault == "lost" else "*")
    first = await place.attempt(named(options=MAILED))
    place.post()["title"] = "Wheat"
    second = await place.attempt(named(options=MAILED))

    assert isinstance(first, OutcomeUnknown if fault == "lost" else Published)
    assert isinstance(second, Published)
    sent = [(second.remote_id, "weekly", "status:-free")] if fault == "lost" else []
    assert (place.network.mails, len(place.world.ledger.of("ghost"))) == (sent, 1)


async def test_of_two_calls_that_publish_one_is_carried_out(place: Place) -> None:
    """The first arrives after the second, which was sent because the post was still a draft."""
    held: list[tuple[str, dict[str, Any]]] = []

    class Late(Client):
        async def request(self, method: str, url: str, **rest: Any) -> Any:
            if method == "PUT":
                held.append((url, rest))
            return await super().request(method, url, **rest)

    async with Late() as late:
        place.http = late
        place.world.add_fault("ghost", "dropped", PUBLISH)
        post = named(options=MAILED)
        first = await place.attempt(post)
        place.world.clock.advance(121)
        second = await place.attempt(post)
        url, rest = held[0]
        headers = {"Authorization": f"Ghost {token_of(KEY, place.world.clock())}"}
        response = await place.http.request("PUT", url, **rest | {"headers": headers})

    assert isinstance(first, OutcomeUnknown)
    assert isinstance(second, Published)
    assert response.status == 409
    assert len(place.network.mails) == 1


async def test_a_draft_that_somebody_changed_is_published_as_it_is(place: Place) -> None:
    place.world.add_fault("ghost", "maintenance", PUBLISH)
    first = await place.attempt(named())
    place.world.clock.advance(121)
    place.post().update(title="Better rye", updated_at=place.network._now())
    second = await place.attempt(named())

    assert isinstance(first, TryLater)
    assert isinstance(second, Published)
    assert (place.post()["title"], place.post()["status"]) == ("Better rye", "published")


async def test_what_somebody_published_is_not_published_again(place: Place) -> None:
    place.world.add_fault("ghost", "maintenance", PUBLISH)
    await place.attempt(named(options=MAILED))
    place.post()["status"] = "published"
    assert isinstance(await place.attempt(named(options=MAILED)), Published)
    assert place.network.mails == []


async def test_what_somebody_deleted_is_not_made_again(place: Place) -> None:
    place.world.add_fault("ghost", "lost", PUBLISH)
    await place.attempt(named())
    place.network.posts.clear()
    unknown = await place.attempt(named())
    place.journal.open.clear()
    place.journal.values.pop("part:0")
    refused = await place.attempt(named())

    assert isinstance(unknown, OutcomeUnknown)
    assert isinstance(refused, Refused)
    assert place.network.posts == {}


async def test_a_draft_without_an_answer_is_taken_up(place: Place) -> None:
    place.world.add_fault("ghost", "lost", "POST /ghost/api/admin/posts/")
    first = await place.attempt(named())
    assert place.post()["slug"] == slug_of_draft(named())
    second = await place.attempt(named())

    assert isinstance(first, TryLater)
    assert isinstance(second, Published)
    assert (second.remote_id, place.post()["slug"]) == (place.post()["id"], "rye")


async def test_after_a_restore_what_was_mailed_is_known_by_its_title(place: Place) -> None:
    since = place.world.clock() - timedelta(seconds=1)
    await place.published(named("as it was", options=MAILED))
    place.world.clock.advance(300)
    assert GHOST.reconcile is not None
    outcomes = []
    for options in (MAILED, {}):
        journal = MemoryJournal.of_backup({"at": clock.wire(since), RESTORED: True})
        outcomes.append(await GHOST.reconcile(place.account(), named("edited", options=options), journal))

    assert isinstance(outcomes[0], Published)
    assert isinstance(outcomes[1], Absent)


async def test_a_firewall_in_the_way_settles_nothing(place: Place) -> None:
    place.world.add_fault("ghost", "firewall", PUBLISH)
    first = await place.attempt(named())
    early = await place.attempt(named())
    assert isinstance(first, OutcomeUnknown)
    assert "/ghost/api/admin" in first.message
    assert isinstance(early, OutcomeUnknown)
    assert early.tells_after_seconds == 120
