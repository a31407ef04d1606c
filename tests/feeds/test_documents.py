"""What is read from documents of strangers: each dialect, and nothing of what is hostile. Pure."""

import time

import pytest

from signalpost import networks
from signalpost.feeds import discovery, document, plain, template
from signalpost.feeds.document import Item, Unreadable

URL = "https://bakery.example/feed"
RSS = """<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Bread &amp; more</title>%s</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Bread</title><entry>%s</entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Bread</title></channel>%s</rdf:RDF>"""


def read(text: str) -> list[Item]:
    return document.read(text.encode(), URL).items


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            RSS % "<item><title>A &lt;b&gt;bold&lt;/b&gt;&nbsp;day</title><link>/a</link>"
            "<description>&lt;p&gt;One&lt;/p&gt;&lt;p&gt;Two &amp;amp; 3&lt;/p&gt;</description>"
            "<dc:creator>Ada</dc:creator>"
            "<category>News</category><pubDate>Sat, 28 Nov 2026 10:00:00 +0100</pubDate></item>",
            ("https://bakery.example/a", "A bold day", "One\n\nTwo & 3", "https://bakery.example/a", "Ada", ["News"]),
        ),
        (
            RSS % "<item><guid>https://bakery.example/b</guid><author>a@b.example (Bo)</author>"
            "<content:encoded><![CDATA[<h1>Hi</h1>there]]></content:encoded></item>",
            ("https://bakery.example/b", "", "Hi\nthere", "https://bakery.example/b", "Bo", []),
        ),
        (
            ATOM % '<id>urn:1</id><title type="html">x &amp;amp; y</title><link rel="edit" href="/e"/>'
            '<link rel="alternate" href="/1"/><author><email>b@c</email><name>Bo</name><uri>http://b</uri></author>'
            '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Hello <b>you</b></p></div></content>'
            '<category term="t" label="Tea time"/><updated>2026-11-28T09:00:00Z</updated>',
            ("urn:1", "x & y", "Hello you", "https://bakery.example/1", "Bo", ["Tea time"]),
        ),
        (
            RDF
            % '<item rdf:about="urn:2"><title>Rye</title><link>/2</link><dc:date>2026-11-28T09:00:00Z</dc:date></item>',
            ("urn:2", "Rye", "", "https://bakery.example/2", "", []),
        ),
    ],
    ids=["rss", "rss without title", "atom", "rdf"],
)
def test_each_dialect_is_read(text: str, expected: tuple[object, ...]) -> None:
    [item] = read(text)
    assert (item.key, item.title, item.summary, item.link, item.author, item.categories) == expected


def test_the_newest_come_last_whatever_the_order() -> None:
    dated = [f"<item><guid>{day}</guid><pubDate>{day} Nov 2026 09:00 GMT</pubDate></item>" for day in (11, 13, 12)]
    assert [item.key for item in read(RSS % "".join(dated))] == ["11", "12", "13"]
    assert [item.key for item in read(RSS % "<item><guid>2</guid></item><item><guid>1</guid></item>")] == ["1", "2"]
    many = "".join(f"<item><guid>{number}</guid></item>" for number in range(300))
    assert [item.key for item in read(RSS % many)][-1] == "0"
    assert len(read(RSS % many)) == document.ITEMS_MAX


HOSTILE = {
    "bomb": '<!DOCTYPE r [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>' + RSS[21:] % "<item><title>&b;</title></item>",
    "external": '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + RSS[21:] % "<item><title>&a;</title></item>",
    "parameter": '<!DOCTYPE r [<!ENTITY % a SYSTEM "http://127.0.0.1/x"> %a;]>' + RSS[21:] % "",
    "deep": RSS % ("<a>" * 100_000),
    "angles": RSS % ("<item><description>" + "<" * 500_000),
    "attributes": RSS % ("<item " + " ".join(f'a{number}="1"' for number in range(150_000)) + "/>"),
    "encoding": '<?xml version="1.0" encoding="nonsense"?><rss/>',
    "page": "<!doctype html><html></html>",
    "nothing": "",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_hostile_is_refused_at_once(name: str) -> None:
    began = time.thread_time()
    with pytest.raises(Unreadable):
        read(HOSTILE[name])
    assert time.thread_time() - began < 1


@pytest.mark.parametrize("text", ["&" * 1_500_000, '<a "' * 400_000, "<" * 1_500_000, "<!--" * 300_000])
def test_long_texts_take_no_time(text: str) -> None:
    began = time.thread_time()
    [item] = read(RSS % f"<item><guid>1</guid><description><![CDATA[{text}]]></description></item>")
    assert len(item.summary) <= document.SUMMARY_MAX
    discovery.feed_of(f'<link a="{text}', URL)
    assert time.thread_time() - began < 1


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ('<img alt="a > b">hi<script>x<b></script> there<br>you &lt;3', "hi there\nyou <3"),
        ("5 < 6 <!-- no --> and &hearts;", "5 < 6 and ♥"),
        ("<ul><li>One</li>\n\n\n<li>Two</li></ul>", "One\n\nTwo"),
        ("cut <b", "cut"),
    ],
)
def test_markup_becomes_text(markup: str, text: str) -> None:
    assert plain.text(markup, 100) == text


def test_a_page_names_its_feed() -> None:
    page = """<LINK rel="alternate" type="application/rss+xml" title="Comments" href="/c">
        <link rel=alternate type=application/atom+xml href=feed.xml><link rel="stylesheet" href="x.css">"""
    assert discovery.feed_of(page, "https://bakery.example/blog/") == "https://bakery.example/blog/feed.xml"
    assert discovery.feed_of('<link rel=alternate type="application/rss+xml" href="javascript:x">', URL) is None


def test_texts_are_shortened_to_what_networks_allow_and_fill_no_places() -> None:
    bluesky = networks.get("bluesky")
    assert bluesky is not None
    item = Item("1", "{summary} day", "word " * 400, "https://bakery.example/1", "Ada", ["Tea time", "2026"], None)
    text = template.text_of("{title}\n\n{summary}\n\n{link} {categories}", item, [bluesky.facts])
    assert text.startswith("{summary} day\n\nword word")
    assert text.endswith("word…\n\nhttps://bakery.example/1 #Teatime")
    assert 280 < len(text) <= 300
    assert template.unknown_places("{title} {body} {x}") == ["body", "x"]
