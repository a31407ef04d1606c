"""The WordPress connector at a real WordPress: what it accepts, refuses and has stored afterwards.

What is stored is read without the REST API, by WordPress's own functions (`site.posts`), and by its pages.
"""

import html
import itertools
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from tests.counterparts import WordPressSite, WordPressUser
from tests.helpers import media_files

from signalpost.conformance.harness import Clock, MemoryJournal, image, outgoing, server_at, session
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS, preflight
from signalpost.networks.articles import key_of
from signalpost.networks.connectors.wordpress.blocks import content_of
from signalpost.networks.contract import (
    Absent,
    ApiError,
    BadCredentials,
    Comments,
    Identity,
    NeedsReconnect,
    NetworkSession,
    OutcomeUnknown,
    Outgoing,
    OutgoingReply,
    Published,
    Refused,
    RemoteComment,
    TryLater,
)

pytestmark = pytest.mark.xdist_group("wordpress-site")  # one site for all of them
WORDPRESS = CONNECTORS["wordpress"]
PICTURE = media_files.image("PNG")


@pytest.fixture(scope="module")
async def http() -> AsyncIterator[Client]:
    async with Client() as client:
        yield client


def intended(clock: Clock) -> MemoryJournal:
    """Return the journal of a post that was sent three minutes ago, and whose answer never came."""
    return MemoryJournal(values={"part:0": {"at": (clock.now - timedelta(minutes=3)).isoformat()}}, open={"part:0"})


CONNECTED: dict[WordPressUser, Identity] = {}


class Writer:
    """A user of the site, connected."""

    def __init__(self, site: WordPressSite, http: Client, role: str) -> None:
        self.site, self.http, self.user = site, http, site.users[role]
        self.clock = Clock(datetime.now(UTC))

    async def connected(self, **fields: str) -> Identity:
        assert WORDPRESS.connect is not None
        values = {
            "siteUrl": self.site.url, "username": self.user.login, "applicationPassword": self.user.app_password,
        }  # fmt: skip
        return await WORDPRESS.connect(server_at(self.http, self.site.url, trusted=True), values | fields)

    async def account(self) -> NetworkSession:
        """Return a session; each user is connected once, since it takes a while."""
        identity = CONNECTED.get(self.user) or await self.connected()
        CONNECTED[self.user] = identity
        values: dict[str, Any] = {"secrets": identity.secrets, "remote_id": identity.remote_id}
        server = server_at(self.http, self.site.url, trusted=True)
        return session(self.http, self.clock, server=server, facts=identity.facts, **values)

    async def publish(self, post: Outgoing, journal: MemoryJournal | None = None) -> Any:
        return await WORDPRESS.publish(await self.account(), post, journal or MemoryJournal())

    async def stored(self, post: Outgoing) -> dict[str, Any]:
        """Publish a post, and return what the site has stored."""
        outcome = await self.publish(post)
        assert isinstance(outcome, Published), outcome
        [stored] = [one for one in await self.site.posts() if str(one["id"]) == outcome.remote_id]
        assert stored["author"] == self.user.id
        assert key_of(post) in stored["content"]
        return stored


@pytest.fixture
def editor(wordpress: WordPressSite, http: Client) -> Writer:
    return Writer(wordpress, http, "editor")


def a_post(text: str, name: str, **rest: Any) -> Outgoing:
    return outgoing(text, dedupe_key=name, **rest)


def picture(name: str, **rest: Any) -> Any:
    return image(data=PICTURE, file_name=name, width=64, height=48, **rest)


# --- connecting ----------------------------------------------------------------------------------------------------


async def test_an_account_is_a_user_of_the_site(editor: Writer) -> None:
    identity = await editor.connected(applicationPassword=editor.user.app_password.replace(" ", ""))

    host = editor.site.url.partition("//")[2]
    assert (identity.remote_id, identity.username) == (f"{editor.user.id}@{host}", f"the-editor@{host}")
    assert (identity.display_name, identity.base_url) == ("Editor (Corner Bakery)", editor.site.url)
    assert identity.profile_url == f"{editor.site.url}/author/the-editor/"
    known = {"userId": editor.user.id, "publish": True, "upload": True}
    assert identity.facts == {"path": "/wp-json", "query": False, **known}


@pytest.mark.parametrize("wrong", ["the password of the site", "a wrong one", "of nobody"])
async def test_wrong_passwords_are_called_so_and_not_repeated(wrong: str, editor: Writer) -> None:
    fields = {
        "the password of the site": {"applicationPassword": editor.user.password},
        "a wrong one": {"applicationPassword": "wrong-secret"},
        "of nobody": {"username": "nobody"},
    }[wrong]
    with pytest.raises(BadCredentials, match="application password") as raised:
        await editor.connected(**fields)
    assert "wrong-secret" not in str(raised.value)
    assert "password-of-the-editor" not in str(raised.value)


async def test_a_subscriber_reads_which_role_is_needed(wordpress: WordPressSite, http: Client) -> None:
    with pytest.raises(BadCredentials, match="role of an author or editor"):
        await Writer(wordpress, http, "subscriber").connected()


async def test_a_site_without_readable_addresses(editor: Writer) -> None:
    await editor.site.permalinks("")
    try:
        identity = await editor.connected()
        CONNECTED[editor.user] = identity
        stored = await editor.stored(a_post("By a parameter.", "query", options={"tags": ["plain"]}))
    finally:
        del CONNECTED[editor.user]
        await editor.site.permalinks("/%postname%/")
    assert (identity.facts["query"], stored["tags"]) == (True, ["plain"])


# --- posts ---------------------------------------------------------------------------------------------------------


async def test_a_post_with_everything(editor: Writer) -> None:
    files = tuple(picture(f"bread {number}.png", alt_text=f'A "loaf" & {number}') for number in range(3))
    options = {
        "categories": ["Bread & Brötchen", "uncategorized"], "tags": ["rye", "crème"], "excerpt": 'Short & "fresh"',
        "slug": "fresh-rye",
    }  # fmt: skip
    text = "Rye & <wheat>, 100% \\n \\\\\nat https://e.example/?a=1&b=2.\n\n-- Baker 🥖 --"
    post = a_post(text, "everything", title='Rye\'s "best" \\o/ & <b>', media=files, options=options)

    stored = await editor.stored(post)

    assert (stored["status"], stored["slug"], stored["excerpt"]) == ("publish", "fresh-rye", 'Short &amp; "fresh"')
    assert stored["blocks"] == ["core/paragraph", "core/paragraph", "core/gallery"]
    assert "Rye &amp; &lt;wheat&gt;, 100% \\n \\\\<br>\nat <a href=" in stored["content"]
    assert "<p>-- Baker 🥖 --</p>" in stored["content"]
    assert stored["featured"] > 0
    async with httpx.AsyncClient(timeout=60) as visitor:
        sources = re.findall(r'<img src="([^"]+)"', stored["content"])
        assert [(await visitor.get(source)).content for source in sources] == [PICTURE, PICTURE]
        page = await visitor.get(f"{editor.site.url}/fresh-rye/")
    assert page.status_code == 200
    assert "Baker 🥖" in page.text
    assert key_of(post) not in page.text
    assert 'alt="A &quot;loaf&quot; &amp; 1"' in page.text
    assert [sorted(stored[kind]) for kind in ("categories", "tags")] == [
        ["Bread &amp; Brötchen", "Uncategorized"], ["crème", "rye"],
    ]  # fmt: skip


@pytest.mark.parametrize("role", ["editor", "author"])
async def test_nothing_in_a_post_is_markup(role: str, wordpress: WordPressSite, http: Client) -> None:
    """WordPress takes titles for HTML, and words in brackets for functions; what an author writes it filters."""
    words = '5 < 6 & "q" [gallery] <script>alert(1)</script> &amp; [/caption] \\o/'
    alt_text = '[audio src="x"] <b>'
    options = {"excerpt": words, "slug": f"markup-{role}", "featuredImage": False}
    post = a_post(words, f"markup {role}", title=words, options=options, media=(picture("a.png", alt_text=alt_text),))
    writer = Writer(wordpress, http, role)
    stored = await writer.stored(post)
    async with httpx.AsyncClient(timeout=60) as visitor:
        page = (await visitor.get(f"{wordpress.url}/markup-{role}/")).text
    heading = re.findall(r"<h1[^>]*>(.*?)</h1>", page, re.DOTALL)
    paragraph = re.findall(r"<p[^>]*>(5 .*?)</p>", page, re.DOTALL)

    curly = words.replace('"q"', "“q”")
    assert [html.unescape(text) for text in (*heading, *paragraph)] == [curly] * 2
    assert (html.unescape(stored["title"]), html.unescape(stored["excerpt"])) == (words, words)
    assert 'alt="&#091;audio src=&quot;x&quot;] &lt;b&gt;"' in page
    assert content_of(post, words, ()).split("\n")[1] in stored["content"]


@pytest.mark.parametrize("status", ["draft", "pending", "private"])
async def test_posts_that_are_not_public(status: str, editor: Writer) -> None:
    stored = await editor.stored(a_post("Not yet", status, title="Later", options={"status": status}))
    assert (stored["status"], stored["title"]) == (status, "Later")


async def test_files_of_other_kinds_and_a_first_image_in_the_text(editor: Writer) -> None:
    gif = picture("dot.gif", kind="gif", mime_type="image/gif")
    gif = replace(gif, **{name: getattr(image(data=media_files.animation(2)), name) for name in ("read", "size_bytes")})
    film = image(
        data=b"\x00\x00\x00\x18ftypmp42\0\0\0\0mp42isom", kind="video", mime_type="video/mp4", file_name="a.mp4"
    )
    paper = image(data=b"%PDF-1.4\n%%EOF\n", kind="document", mime_type="application/pdf", file_name="menu & more.pdf")
    stored = await editor.stored(a_post("", "kinds", media=(gif, film, paper), options={"featuredImage": False}))
    assert stored["blocks"] == ["core/image", "core/video", "core/file"]
    assert stored["featured"] == 0


async def test_names_of_categories_and_tags_mean_the_same_ones(editor: Writer) -> None:
    """Also where the site's database takes letters for the same that we do not, and with quotes and blanks."""
    names = ["Café", "cafe", "Ein  Wort", 'Say "hi"', "O'Neil", "a < b", "Straße", "STRASSE", "c, d"]
    first = await editor.stored(a_post("x", "terms 1", options={"tags": names, "categories": ["Café"]}))
    again = await editor.stored(a_post("x", "terms 2", options={"tags": names, "categories": ["café"]}))
    assert sorted(first["tags"]) == sorted(again["tags"])  # the site sorts those that are the same to it at random
    assert first["categories"] == again["categories"] == ["Café"]


# --- refusals ------------------------------------------------------------------------------------------------------


async def test_a_category_that_an_author_may_not_make(wordpress: WordPressSite, http: Client) -> None:
    author = Writer(wordpress, http, "author")
    refused = await author.publish(a_post("x", "author 1", options={"categories": ["Never made"]}))
    stored = await author.stored(a_post("x", "author 2", options={"categories": ["uncategorized"], "tags": ["New"]}))

    assert isinstance(refused, Refused)
    assert (refused.code, "editor" in (refused.remediation or "")) == ("permission_missing", True)
    assert (stored["categories"], stored["tags"]) == (["Uncategorized"], ["New"])


async def test_a_contributor_writes_drafts(wordpress: WordPressSite, http: Client) -> None:
    contributor = Writer(wordpress, http, "contributor")
    facts = (await contributor.connected()).facts
    post = a_post("x", "contributor 1", media=(picture("a.png"),))
    refused = [await contributor.publish(one) for one in (post, a_post("x", "contributor 2"))]
    stored = await contributor.stored(a_post("x", "contributor 3", options={"status": "pending"}))

    rules = ["wordpress.status.may_not_publish", "wordpress.media.may_not_upload"]
    assert [issue.rule for issue in preflight.check(WORDPRESS, post, facts)] == rules
    assert [one.code for one in refused] == ["permission_missing"] * 2
    assert stored["status"] == "pending"


async def test_files_that_the_site_refuses(editor: Writer) -> None:
    over = image(data=PICTURE + bytes(1_100_000), file_name="over.png")
    far_over = image(data=PICTURE + bytes(2_200_000), file_name="far over.png")
    other = image(data=b"<svg/>", mime_type="image/svg+xml", file_name="a.svg")
    ends = [await editor.publish(a_post("x", f"file {one.file_name}", media=(one,))) for one in (over, far_over, other)]
    assert [getattr(end, "code", end) for end in ends] == ["media_too_large", "media_too_large", "media_unsupported"], (
        ends
    )


# --- afterwards ----------------------------------------------------------------------------------------------------


async def test_a_deleted_post_is_in_the_trash(editor: Writer) -> None:
    stored, account = await editor.stored(a_post("gone", "gone")), await editor.account()
    assert WORDPRESS.delete is not None
    for remote_id in (str(stored["id"]), str(stored["id"]), "99999999"):
        await WORDPRESS.delete(account, remote_id, ())
    assert [one["status"] for one in await editor.site.posts() if one["id"] == stored["id"]] == ["trash"]


@pytest.mark.parametrize("status", ["publish", "draft"])
async def test_a_post_whose_answer_was_lost_is_found(status: str, editor: Writer) -> None:
    post = a_post("the same", f"lost {status}", options={"status": status})
    published = await editor.publish(post)
    assert isinstance(published, Published)
    for number in range(2):
        await editor.publish(a_post("the same", f"other {status} {number}"))
    assert WORDPRESS.reconcile is not None
    account = await editor.account()

    found = await WORDPRESS.reconcile(account, post, intended(editor.clock))
    absent = await WORDPRESS.reconcile(account, a_post("the same", "?"), intended(editor.clock))

    assert isinstance(found, Published), found
    assert found.remote_id == published.remote_id
    assert isinstance(absent, Absent), absent


async def test_a_post_that_its_writer_may_not_read_any_more_is_not_made_again(
    wordpress: WordPressSite, http: Client, editor: Writer
) -> None:
    """An editor has published what a contributor handed in: the contributor does not see its blocks from then on."""
    contributor, post = (
        Writer(wordpress, http, "contributor"),
        a_post("Approved", "hidden", options={"status": "pending"}),
    )
    stored = await contributor.stored(post)
    async with httpx.AsyncClient(auth=(editor.user.login, editor.user.app_password), timeout=60) as client:
        approved = await client.post(f"{wordpress.url}/wp-json/wp/v2/posts/{stored['id']}", json={"status": "publish"})
    assert approved.status_code == 200
    assert WORDPRESS.reconcile is not None
    account = await contributor.account()

    outcome = await WORDPRESS.reconcile(account, post, intended(contributor.clock))

    assert isinstance(outcome, OutcomeUnknown), outcome


# --- comments ------------------------------------------------------------------------------------------------------


_VISITORS = itertools.count(2)
"""WordPress takes one comment in 15 seconds from an address: each visitor has one of their own."""


async def visitor_says(site: WordPressSite, post_id: str, text: str, parent: str = "0") -> str:
    """Comment as a visitor does, by the form of the site's pages; return the id of the comment."""
    number = next(_VISITORS)
    form = {
        "comment_post_ID": post_id, "comment_parent": parent, "comment": text, "author": "Ada",
        "email": f"ada{number}@example.com",
    }  # fmt: skip
    address = httpx.AsyncHTTPTransport(local_address=f"127.0.0.{number}")
    async with httpx.AsyncClient(timeout=60, transport=address) as visitor:
        answer = await visitor.post(f"{site.url}/wp-comments-post.php", data=form)
    assert answer.status_code == 302, answer.text
    return re.findall(r"comment-(\d+)", answer.headers["location"])[0]


async def listed(account: NetworkSession, post_id: str) -> Comments | None:
    assert WORDPRESS.comments is not None
    return (await WORDPRESS.comments(account, [post_id], None))[post_id]


def answer_to(comment: RemoteComment, post_id: str, text: str, clock: Clock) -> OutgoingReply:
    return OutgoingReply(
        post_id=post_id, comment_id=comment.remote_id, author_handle=None, reference=comment.reference, text=text,
        dedupe_key="answer", created_at=clock.now,
    )  # fmt: skip


async def test_comments_of_visitors_are_read_answered_once_held_back_and_deleted(editor: Writer) -> None:
    published = await editor.publish(a_post("Talk to us", "talk"))
    assert isinstance(published, Published)
    post_id, account = published.remote_id, await editor.account()
    assert await listed(account, post_id) == Comments(items=(), complete=True)
    assert await listed(account, "99999999") is None
    first = await visitor_says(editor.site, post_id, 'Is it "rye" & <wheat>?\nOr both')

    found = await listed(account, post_id)
    assert found is not None
    [question] = found.items
    assert (question.remote_id, question.author_name, question.is_own) == (first, "Ada", False)
    assert question.text.startswith('Is it "rye" &')
    assert question.hidden, "a visitor's first comment waits for a moderator"

    assert WORDPRESS.hide_comment is not None
    assert WORDPRESS.delete_comment is not None
    assert WORDPRESS.reply is not None
    for hidden in (True, False, False):
        await WORDPRESS.hide_comment(account, first, {}, hidden)
        items = {item.remote_id: item for item in (await listed(account, post_id) or Comments()).items}
        assert items[first].hidden is hidden

    text, journal = 'Both & more: <b> "yes"\n:-)', MemoryJournal()
    outgoing = answer_to(question, post_id, text, editor.clock)
    outcome = await WORDPRESS.reply(account, outgoing, journal)
    assert isinstance(outcome, Published), outcome
    lost = MemoryJournal(values={"part:0": {"at": editor.clock.now.isoformat()}}, open={"part:0"})
    assert await WORDPRESS.reply(account, outgoing, lost) == outcome, "a lost response is settled by looking"
    doubled = await WORDPRESS.reply(account, outgoing, MemoryJournal())
    assert doubled == outcome, "and WordPress itself takes the same words once"

    items = {item.remote_id: item for item in (await listed(account, post_id) or Comments()).items}
    assert set(items) == {first, outcome.remote_id}
    answer = items[outcome.remote_id]
    assert (answer.parent_id, answer.is_own, answer.text) == (first, True, text)
    async with httpx.AsyncClient(timeout=60) as visitor:
        page = html.unescape((await visitor.get(f"{editor.site.url}/?p={post_id}", follow_redirects=True)).text)
    assert "Both & more: <b> “yes”" in page

    for comment_id in (outcome.remote_id, outcome.remote_id, first, "99999999"):
        await WORDPRESS.delete_comment(account, comment_id, {})
    assert await listed(account, post_id) == Comments(items=(), complete=True)


async def test_an_author_reads_and_answers_what_is_shown(
    wordpress: WordPressSite, http: Client, editor: Writer
) -> None:
    """Who does not moderate comments sees no held back ones, and waits between two answers."""
    author = Writer(wordpress, http, "author")
    published = await author.publish(a_post("By an author", "by an author", title="Author's"))
    assert isinstance(published, Published)
    post_id, account = published.remote_id, await author.account()
    first = await visitor_says(wordpress, post_id, "It's \"good\" -- isn't it?")
    assert await listed(account, post_id) == Comments(items=(), complete=True)
    assert WORDPRESS.hide_comment is not None
    assert WORDPRESS.reply is not None
    await WORDPRESS.hide_comment(await editor.account(), first, {}, False)
    [comment] = (await listed(account, post_id) or Comments()).items
    assert "good" in comment.text

    outgoing = answer_to(comment, post_id, 'It\'s "great" -- thanks', author.clock)
    outcome = await WORDPRESS.reply(account, outgoing, MemoryJournal())
    assert isinstance(outcome, Published), outcome
    lost = MemoryJournal(values={"part:0": {"at": author.clock.now.isoformat()}}, open={"part:0"})
    assert await WORDPRESS.reply(account, outgoing, lost) == outcome
    too_fast = await WORDPRESS.reply(account, answer_to(comment, post_id, "And more", author.clock), MemoryJournal())
    assert isinstance(too_fast, TryLater), too_fast
    assert too_fast.code == "rate_limited"


async def test_a_post_without_comments_takes_no_answer(editor: Writer) -> None:
    published = await editor.publish(a_post("Closed", "closed"))
    assert isinstance(published, Published)
    account, post_id = await editor.account(), published.remote_id
    first = await visitor_says(editor.site, post_id, "Before it closed")
    auth = (editor.user.login, editor.user.app_password)
    async with httpx.AsyncClient(auth=auth, timeout=60) as client:
        closed = await client.post(
            f"{editor.site.url}/wp-json/wp/v2/posts/{post_id}", json={"comment_status": "closed"}
        )
    assert closed.status_code == 200
    comment = next(item for item in (await listed(account, post_id) or Comments()).items if item.remote_id == first)
    assert WORDPRESS.reply is not None
    outcome = await WORDPRESS.reply(account, answer_to(comment, post_id, "Too late", editor.clock), MemoryJournal())
    assert isinstance(outcome, Refused), outcome
    assert (outcome.code, "closed" in (outcome.remediation or "")) == ("content_rejected", True)


async def test_a_revoked_password_opens_nothing_and_settles_nothing(wordpress: WordPressSite, http: Client) -> None:
    """The last one: there is no author afterwards."""
    author = Writer(wordpress, http, "author")
    account, post = await author.account(), a_post("x", "revoked")
    assert WORDPRESS.revoke is not None
    assert WORDPRESS.check is not None
    assert WORDPRESS.reconcile is not None
    assert (await WORDPRESS.check(account)).can_post
    await WORDPRESS.revoke(account)
    with pytest.raises(ApiError) as raised:
        await WORDPRESS.check(account)
    found = await WORDPRESS.reconcile(account, post, intended(author.clock))
    ends = [
        await WORDPRESS.publish(account, one, MemoryJournal())
        for one in (post, a_post("x", "y", media=(picture("a.png"),)), a_post("x", "z", options={"tags": ["never"]}))
    ]

    assert isinstance(WORDPRESS.explain(raised.value), NeedsReconnect)
    assert isinstance(found, OutcomeUnknown), found
    assert [type(end) for end in ends] == [NeedsReconnect] * 3, ends
