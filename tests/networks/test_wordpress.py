"""WordPress: how a site is found, what a user needs to be connected, what posts are made of, and how they are found."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from simulator import Entry, Simulator
from simulator.networks import wordpress
from simulator.networks.wordpress import WordPress
from tests.helpers.networks.wordpress import FACTS, PAGE, error

from signalpost.conformance.harness import (
    Clock,
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
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, preflight
from signalpost.networks.articles import key_of
from signalpost.networks.connectors.wordpress.blocks import content_of
from signalpost.networks.connectors.wordpress.site import find_api
from signalpost.networks.contract import (
    ApiError,
    BadCredentials,
    Identity,
    InvalidField,
    NeedsReconnect,
    NetworkSession,
    OutcomeUnknown,
    Published,
    Refused,
    Server,
)

WORDPRESS = CONNECTORS["wordpress"]
INDEX = {"name": "Corner Bakery", "namespaces": ["wp/v2"], "authentication": {"application-passwords": {}}}


@pytest.fixture(scope="module")
async def http() -> AsyncIterator[Client]:
    async with Client() as client:
        yield client


@pytest.fixture(scope="module")
async def listening() -> AsyncIterator[Simulator]:
    async with Simulator(start=datetime(2026, 11, 22, 12, tzinfo=UTC)) as simulator:
        yield simulator


class Place:
    """A site with a user and their application password."""

    def __init__(self, simulator: Simulator, http: Client, role: str = "editor") -> None:
        simulator.world.reset()
        network = simulator.world.networks["wordpress"]
        assert isinstance(network, WordPress)
        self.network, self.world, self.http = network, simulator.world, http
        self.url = simulator.url("wordpress")
        self.person = simulator.world.add_person("wordpress", "baker", details={"role": role})
        self.password = network.add_password(self.person)

    @property
    def server(self) -> Server:
        return server_at(self.http, self.url, trusted=True)

    async def connected(self, **fields: str) -> Identity:
        assert WORDPRESS.connect is not None
        values = {"siteUrl": self.url, "username": "baker", "applicationPassword": self.password}
        return await WORDPRESS.connect(self.server, values | fields)

    async def account(self) -> NetworkSession:
        identity = await self.connected()
        values = {"secrets": identity.secrets, "remote_id": identity.remote_id, "facts": identity.facts}
        return session(self.http, self.world.clock, server=self.server, **values)

    async def published(self, post: Any) -> Entry:
        account = await self.account()
        outcome = await publish_until_settled(WORDPRESS, lambda: account, post, MemoryJournal(), self.world.clock)
        assert isinstance(outcome, Published), outcome
        entry = self.world.ledger.find("wordpress", outcome.remote_id)
        assert entry is not None
        return entry


@pytest.fixture
def place(listening: Simulator, http: Client) -> Place:
    return Place(listening, http)


# --- finding the site ----------------------------------------------------------------------------------------------


def site(answers: dict[str, FakeResponse]) -> FakeHttp:
    """Return a client at a server that has these answers, by `METHOD path`; everything else is a page."""

    def serve(request: Request) -> FakeResponse:
        path = request.path if "rest_route" not in request.params else f"{request.path}?rest_route"
        return answers.get(f"{request.method} {path}", FakeResponse(404, PAGE))

    return FakeHttp(serve)


def page(status: int = 200, **headers: str) -> FakeResponse:
    return FakeResponse(status, b"", Headers({name.title(): value for name, value in headers.items()}))


def link(address: str) -> FakeResponse:
    return page(link=f'<https://other.example/>; rel="x", <{address}>; rel="https://api.w.org/"')


INDEXED = json_response(200, INDEX)


@pytest.mark.parametrize(
    ("address", "answers", "base_url", "expected"),
    [
        ("blog.example", {"HEAD /": link("https://blog.example/wp-json/"), "GET /wp-json/": INDEXED},
         "https://blog.example", ("/wp-json", False)),
        ("https://blog.example/wp-admin/", {"GET /wp-json/": INDEXED}, "https://blog.example", ("/wp-json", False)),
        ("https://b.example/blog/", {"HEAD /blog/": link("https://b.example/blog/api/"), "GET /blog/api/": INDEXED},
         "https://b.example", ("/blog/api", False)),
        ("blog.example", {"HEAD /": link("https://blog.example/index.php?rest_route=/"), "GET /?rest_route": INDEXED},
         "https://blog.example", ("", True)),
        ("blog.example", {"GET /?rest_route": INDEXED}, "https://blog.example", ("", True)),
        ("blog.example", {"HEAD /": link("https://evil.example/wp-json/"), "GET /wp-json/": INDEXED},
         "https://blog.example", ("/wp-json", False)),
    ],
)  # fmt: skip
async def test_a_site_says_where_its_api_is(address: str, answers: Any, base_url: str, expected: Any) -> None:
    server, where, index = await find_api(Server(base_url="", trusted=True, http=site(answers)), address)

    assert (server.base_url, server.trusted) == (base_url, False)
    assert ((where["path"], where["query"]), index["name"]) == (expected, "Corner Bakery")


async def test_a_site_that_moved_is_followed_unless_it_gives_up_encryption() -> None:
    answers = {"HEAD /": page(301, location="https://www.blog.example/news/"), "HEAD /news/": page(),
               "GET /news/wp-json/": INDEXED}  # fmt: skip
    server, where, _ = await find_api(Server(base_url="", trusted=True, http=site(answers)), "blog.example")
    assert (server.base_url, where["path"]) == ("https://www.blog.example", "/news/wp-json")

    for location in ("http://blog.example/", "https://blog.example/"):  # the latter leads to itself
        with pytest.raises(InvalidField):
            await find_api(
                Server(base_url="", trusted=True, http=site({"HEAD /": page(301, location=location)})), "b.example"
            )


@pytest.mark.parametrize("address", ["http://blog.example", "ftp://blog.example", "", "not an address", "https://"])
async def test_other_addresses_are_refused_before_any_call(address: str) -> None:
    with pytest.raises(InvalidField):
        await find_api(Server(base_url="", trusted=True, http=None), address)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "address", ["https://127.0.0.1", "https://10.0.0.1/blog", "https://[::1]", "https://localhost"]
)
async def test_private_addresses_are_not_called(address: str, http: Client) -> None:
    with pytest.raises(InvalidField):
        await find_api(Server(base_url="https://site.example", trusted=True, http=http), address)


async def test_a_page_instead_of_the_api_is_called_what_it_is() -> None:
    blocked = {
        "HEAD /": page(403),
        "GET /wp-json/": FakeResponse(403, PAGE),
        "GET /?rest_route": FakeResponse(403, PAGE),
    }
    other = {"GET /wp-json/": json_response(200, {"namespaces": ["other/v1"]})}
    for answers, words in ((blocked, "security plugin"), ({}, "no WordPress"), (other, "no WordPress")):
        with pytest.raises(InvalidField, match=words):
            await find_api(Server(base_url="", trusted=True, http=site(answers)), "blog.example")


# --- connecting ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pretty", [True, False])
async def test_an_account_is_a_user_of_a_site(pretty: bool, place: Place) -> None:
    place.network.site.pretty = pretty
    identity = await place.connected()

    host = place.url.partition("//")[2]
    assert (identity.remote_id, identity.username) == (f"{place.person.id}@{host}", f"baker@{host}")
    assert (identity.display_name, identity.base_url) == ("Baker (Corner Bakery)", place.url)
    known = {"userId": int(place.person.id), "publish": True, "upload": True}
    assert identity.facts == {"path": "/wp-json" if pretty else "", "query": not pretty, **known}
    entry = await place.published(outgoing("x"))
    assert entry.text == "x"


@pytest.mark.parametrize(
    ("says_why", "words"), [(True, "does not know this user"), (False, "Check the name, and that")]
)
@pytest.mark.parametrize("fields", [{"applicationPassword": "the one of the page"}, {"username": "nobody"}])
async def test_wrong_passwords(fields: Any, says_why: bool, words: str, place: Place) -> None:
    place.network.site.says_why = says_why
    with pytest.raises(BadCredentials, match=words):
        await place.connected(**fields)


async def test_a_site_may_be_in_the_way_of_passwords(place: Place, listening: Simulator, http: Client) -> None:
    place.world.add_fault("wordpress", "no_header")
    with pytest.raises(BadCredentials, match="HTTP_AUTHORIZATION"):
        await place.connected()
    place.network.site.passwords_on = False
    with pytest.raises(BadCredentials, match="switched off"):
        await place.connected()
    with pytest.raises(BadCredentials, match="role of an author"):
        await Place(listening, http, "subscriber").connected()


async def test_a_password_that_was_revoked_opens_nothing(place: Place) -> None:
    account = await place.account()
    assert WORDPRESS.revoke is not None
    assert WORDPRESS.check is not None
    assert (await WORDPRESS.check(account)).can_post
    await WORDPRESS.revoke(account)
    with pytest.raises(ApiError) as raised:
        await WORDPRESS.check(account)
    outcome = WORDPRESS.explain(raised.value)
    assert isinstance(outcome, NeedsReconnect)
    assert "new application password" in outcome.message


@pytest.mark.parametrize(
    ("account", "options", "rules"),
    [
        ({**FACTS, "publish": False}, {}, ["status.may_not_publish"]),
        ({**FACTS, "publish": False}, {"status": "draft"}, []),
        ({**FACTS, "upload": False}, {}, ["media.may_not_upload"]),
        (FACTS, {"slug": "Not A Slug"}, ["options.type"]),
        (FACTS, {"tags": [" "]}, ["options.type"]),
        (FACTS, {"status": "future"}, ["options.type"]),
    ],
)
def test_what_is_refused_before_it_is_sent(account: Any, options: Any, rules: Any) -> None:
    found = preflight.check(WORDPRESS, outgoing("x", media=(image(),), options=options), account)
    assert [issue.rule for issue in found] == [f"wordpress.{rule}" for rule in rules]


# --- posts ---------------------------------------------------------------------------------------------------------


def test_a_text_becomes_blocks_in_which_nothing_is_markup() -> None:
    post = outgoing("Rye & <wheat>\nat https://e.example/?a=1&b=2.\n\n \n-- Baker --", title="x")
    first, second = content_of(post, post.text, ()).split("\n\n")

    assert first == (
        f'<!-- wp:paragraph {{"metadata":{{"signalpost":"{key_of(post)}"}}}} -->\n<p>Rye &amp; &lt;wheat&gt;<br>\n'
        'at <a href="https://e.example/?a=1&amp;b=2">https://e.example/?a=1&amp;b=2</a>.</p>\n<!-- /wp:paragraph -->'
    )
    assert second == "<!-- wp:paragraph {} -->\n<p>-- Baker --</p>\n<!-- /wp:paragraph -->"


async def test_nothing_in_title_excerpt_and_text_is_markup(place: Place) -> None:
    words = "5 < 6 & [gallery] <script>x</script> &amp; [/caption] https://e.example/?a[]=1"
    entry = await place.published(outgoing(words, title=words, options={"excerpt": words}))
    assert [entry.text, entry.details["title"], entry.details["excerpt"]] == [words] * 3


async def test_a_post_with_everything(place: Place) -> None:
    place.network.site.terms["categories"][5] = "Bread & cakes"
    files = (image("A dot"), image(None, data=b"2"), image(None, data=b"3"))
    options = {"categories": ["bread & cakes", "News"], "tags": ["rye"], "excerpt": "Short", "slug": "fresh-rye"}

    entry = await place.published(outgoing("Fresh", title="Rye", media=files, options=options))
    again = await place.published(outgoing("Other", title="Rye", options={"tags": ["Rye"], "slug": "fresh-rye"}))

    details = entry.details
    assert (details["categories"], details["tags"]) == (["Bread & cakes", "News"], ["rye"])
    assert (details["title"], details["excerpt"], details["slug"]) == ("Rye", "Short", "fresh-rye")
    assert (details["featured"], len(entry.media)) == (min(place.network.attachments), 3)
    assert details["raw"].count("wp-image-") == 2
    assert "wp:gallery" in details["raw"]
    assert (again.details["tags"], again.details["slug"]) == (["rye"], "fresh-rye-2")


async def test_a_first_image_may_stand_in_the_text_and_a_post_may_be_a_draft(place: Place) -> None:
    options = {"featuredImage": False, "status": "draft"}
    entry = await place.published(outgoing("x", media=(image("<A dot>"),), options=options))
    assert (entry.details["featured"], entry.details["status"]) == (0, "draft")
    assert 'alt="&lt;A dot&gt;" class="wp-image-' in entry.details["raw"]


async def test_a_user_without_the_right_reads_what_to_do(listening: Simulator, http: Client) -> None:
    author, journal = Place(listening, http, "author"), MemoryJournal()
    refused = await WORDPRESS.publish(await author.account(), outgoing("x", options={"categories": ["New"]}), journal)
    await author.published(outgoing("x", options={"categories": ["Uncategorized"], "tags": ["New"]}))

    assert isinstance(refused, Refused)
    assert (refused.code, "editor" in (refused.remediation or "")) == ("permission_missing", True)
    assert len(author.world.ledger.of("wordpress")) == 1


@pytest.mark.parametrize(("limit", "words"), [("FILE_BYTES_MAX", "the site allows"), ("BODY_BYTES_MAX", "dropped")])
async def test_a_file_that_is_too_large_for_the_php_of_the_site(
    limit: str, words: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wordpress, limit, 10)
    refused = await WORDPRESS.publish(await place.account(), outgoing("x", media=(image(),)), MemoryJournal())
    assert isinstance(refused, Refused)
    assert (refused.code, words in (refused.remediation or "")) == ("media_too_large", True)


async def test_a_site_without_a_trash_deletes(place: Place) -> None:
    entry, account = await place.published(outgoing("x")), await place.account()
    place.world.add_fault("wordpress", "no_trash", times=None)
    assert WORDPRESS.delete is not None
    await WORDPRESS.delete(account, entry.remote_id, ())
    assert place.world.ledger.of("wordpress") == []


# --- what became of a lost answer ----------------------------------------------------------------------------------


async def test_a_post_is_found_by_its_key_among_others(place: Place) -> None:
    """Also a draft, although somebody has changed its title, and twenty others followed."""
    account, journal = await place.account(), MemoryJournal()
    post = outgoing("same", title="Same", options={"status": "draft"})
    place.world.add_fault("wordpress", "lost", "POST /wp-json/wp/v2/posts")
    first = await WORDPRESS.publish(account, post, journal)
    [entry] = place.world.ledger.of("wordpress")
    entry.details["title"] = "Other"
    for number in range(20):
        other = outgoing("same", title="Same", dedupe_key=f"other {number}")
        assert isinstance(await WORDPRESS.publish(account, other, MemoryJournal()), Published)
    second = await WORDPRESS.publish(account, post, journal)

    assert isinstance(first, OutcomeUnknown)
    assert isinstance(second, Published)
    assert second.remote_id == entry.remote_id


@pytest.mark.parametrize(("role", "status"), [("contributor", "pending"), ("author", "publish")])
async def test_own_posts_that_may_not_be_edited_prove_nothing(
    role: str, status: str, listening: Simulator, http: Client
) -> None:
    """A contributor does not see the blocks of what an editor has published, and there are twenty of these."""
    place, journal = Place(listening, http, role), MemoryJournal()
    account, post = await place.account(), outgoing("x", options={"status": status})
    for number in range(20):
        await place.published(outgoing("x", dedupe_key=f"old {number}", options={"status": status}))
    place.world.clock.advance(3_600)
    place.world.add_fault("wordpress", "lost", "POST /wp-json/wp/v2/posts")
    assert isinstance(await WORDPRESS.publish(account, post, journal), OutcomeUnknown)
    place.world.clock.advance(300)
    for entry in place.world.ledger.of("wordpress"):
        entry.details["status"] = "publish"

    outcome = await WORDPRESS.publish(account, post, journal)
    old = await WORDPRESS.publish(account, outgoing("x", dedupe_key="new", options={"status": status}), MemoryJournal())

    assert isinstance(outcome, OutcomeUnknown if role == "contributor" else Published), outcome
    assert isinstance(old, Published)
    assert len(place.world.ledger.of("wordpress")) == 22


async def test_a_firewall_in_the_way_settles_nothing(place: Place) -> None:
    account, journal = await place.account(), MemoryJournal()
    place.world.add_fault("wordpress", "firewall")
    first = await WORDPRESS.publish(account, outgoing("once"), journal)
    early = await WORDPRESS.publish(account, outgoing("once"), journal)
    place.world.clock.advance(120)
    done = await WORDPRESS.publish(account, outgoing("once"), journal)

    assert isinstance(first, OutcomeUnknown)
    assert "/wp-json" in first.message
    assert isinstance(early, OutcomeUnknown)
    assert early.tells_after_seconds == 120
    assert isinstance(done, Published)
    assert len(place.world.ledger.of("wordpress")) == 1


async def test_a_list_that_is_no_list_proves_nothing() -> None:
    clock = Clock()
    for answer in ({"posts": []}, [1], [{"modified_gmt": "today"}]):
        journal = MemoryJournal(values={"part:0": {"at": clock.now.isoformat()}}, open={"part:0"})
        body = FakeResponse(200, json.dumps(answer).encode())
        account = session(FakeHttp(lambda _, body=body: body), clock, facts=FACTS)  # type: ignore[misc]
        assert WORDPRESS.reconcile is not None
        assert isinstance(await WORDPRESS.reconcile(account, outgoing("x"), journal), OutcomeUnknown)


def test_an_error_once_the_post_is_stored_is_not_a_refusal() -> None:
    assert isinstance(WORDPRESS.explain(error(400, "db_update_error")), OutcomeUnknown)
