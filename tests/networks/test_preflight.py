from dataclasses import replace
from typing import Any

import pytest
from tests.helpers.networks import FAKES

from signalpost.conformance.harness import image, outgoing
from signalpost.networks import CONNECTORS, capabilities
from signalpost.networks.contract import Connector, Outgoing, Part, TextRule
from signalpost.networks.counting import graphemes, length, text_length
from signalpost.networks.preflight import check, check_reply, text_of_part

EN = {"language": "en", "text": "WEBVTT\n\n00:00.000 --> 00:02.000\nRye bread"}
BLUESKY, MASTODON, SANDBOX = (CONNECTORS[key] for key in ("bluesky", "mastodon", "sandbox"))
VIDEO: dict[str, Any] = {"kind": "video", "mime_type": "video/mp4", "file_name": "film.mp4"}
SMALL_SERVER = {
    "limits": {
        "text": {"max_length": 20, "url_length": 10},
        "media_total": 2,
        "media": {"image": {"per_post": 2, "bytes_max": 10, "mime_types": ["image/png"], "alt_text_max": 3}},
    }
}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("abc", 3),
        ("a\r\nb", 3),
        ("é", 1),
        ("e\u0301", 1),
        ("👍🏽", 1),
        ("👩‍👩‍👧‍👦", 1),
        ("🇩🇪🇫🇷", 2),
        ("#️⃣", 1),
        ("नमस्ते", 3),
        ("한국어", 3),
        ("مرحبا", 5),
        ("\u200b", 1),
    ],
)
def test_a_grapheme_is_what_a_reader_calls_a_character(text: str, count: int) -> None:
    assert graphemes(text) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("https://example.com/" + "x" * 200, 23),
        ("a https://e.org b", 27),
        ("(https://e.org/a_(b)).", 23 + 3),
        ("https://e.org/x, and", 23 + 5),
        ("http://localhost", len("http://localhost")),
        ("example.com", len("example.com")),
        ("@alice@mastodon.example hi", len("@alice hi")),
        ("@alice@m.example, @bob", len("@alice, @bob")),
        ("mail alice@example.com", len("mail alice@example.com")),
        ("🎈 https://ä.example/ü?q=日本", 25),
    ],
)
def test_mastodon_counts_addresses_as_23_and_mentions_without_their_server(text: str, count: int) -> None:
    assert text_length(MASTODON.facts, text) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [("abc", 3), ("äöü", 3), ("日本", 4), ("👍🏽", 2), ("👩‍👩‍👧‍👦", 2), ("“q”…", 5), ("https://e.org", 23)],
)
def test_weighted_length(text: str, count: int) -> None:
    assert length(TextRule(max_length=280, unit="weighted", url_length=23), text) == count


def test_utf16_and_code_points() -> None:
    assert length(TextRule(max_length=9, unit="utf16"), "a🎈") == 3
    assert length(TextRule(max_length=9, unit="code_point"), "a🎈") == 2


def rules(connector: Connector, post: Outgoing, account: dict[str, Any] | None = None) -> list[tuple[str, str]]:
    return [(issue.rule, issue.path) for issue in check(connector, post, account or {})]


def test_a_text_may_be_longer_beside_files_of_a_kind() -> None:
    """TikTok gives photos 4000 characters, and videos 2200."""
    media = {**SANDBOX.facts.media, "image": replace(SANDBOX.facts.media["image"], text_max_length=6_000)}
    connector = replace(SANDBOX, facts=replace(SANDBOX.facts, media=media))

    assert rules(connector, outgoing("x" * 6_000, media=(image(),))) == []
    assert rules(connector, outgoing("x" * 6_001, media=(image(),))) == [("sandbox.text.max_graphemes", "/text")]
    assert rules(connector, outgoing("x" * 5_001)) == [("sandbox.text.max_graphemes", "/text")]


ANSWERED = {key: connector for key, connector in CONNECTORS.items() if connector.reply is not None}
LONGEST_ANSWERS = {
    "sandbox": 5_000, "bluesky": 300, "mastodon": 500, "facebook": 8_000, "instagram": 2_196, "threads": 500,
    "youtube": 10_000, "wordpress": 10_000,
}  # fmt: skip


@pytest.mark.parametrize(("key", "connector"), ANSWERED.items(), ids=ANSWERED)
def test_an_answer_may_be_as_long_as_a_comment_at_its_network(key: str, connector: Connector) -> None:
    longest = LONGEST_ANSWERS[key]
    said = capabilities(connector)["comments"]["replyText"]

    assert said["maxLength"] == longest
    assert check_reply(connector, "x" * longest, None, {}) == []
    [issue] = check_reply(connector, "x" * (longest + 1), None, {})
    assert (issue.path, issue.severity, issue.params) == ("/text", "error", {"limit": longest, "actual": longest + 1})


def test_the_handle_of_whoever_is_answered_counts_where_it_is_sent() -> None:
    """Of `@ada@far.example` Mastodon counts `@ada`, and this service writes it before the answer."""
    assert check_reply(MASTODON, "x" * 495, "ada@far.example", {}) == []
    assert [issue.params for issue in check_reply(MASTODON, "x" * 496, "ada@far.example", {})] == [
        {"limit": 500, "actual": 501}
    ]
    assert check_reply(MASTODON, "@ada@far.example " + "x" * 495, "ada@far.example", {}) == []
    assert check_reply(MASTODON, "@ada@far.example.org " + "x" * 495, "ada@far.example", {}), "that is another user"
    assert check_reply(MASTODON, "x" * 16, None, SMALL_SERVER) == []
    assert check_reply(MASTODON, "x" * 16, "ada@far.example", SMALL_SERVER)
    assert check_reply(BLUESKY, "x" * 300, "ada.example", {}) == []


def test_rules_for_descriptions_of_videos_are_none_for_comments() -> None:
    """YouTube takes no < in a description, and files with it; a comment needs neither."""
    assert check_reply(CONNECTORS["youtube"], "Thank you <3", "@ada", {}) == []


@pytest.mark.parametrize("connector", CONNECTORS.values(), ids=CONNECTORS)
def test_a_short_text_with_a_file_passes_everywhere(connector: Connector) -> None:
    rule = connector.facts.media.get("image")
    if rule is None:
        media = FAKES[connector.facts.key].post.media
    else:
        large = {"size_bytes": 20_000, "width": 800, "height": 600, "url": lambda: "https://example.com/a"}
        media = (image(mime_type=rule.mime_types[0], **large),)
    account = {"boardId": "5001"}  # a board of Pinterest; nothing to others
    needed = {
        "tiktok": {"privacyLevel": "SELF_ONLY"}, "reddit": {"subreddit": "bread"}, "lemmy": {"community": "bread"},
    }  # fmt: skip
    options = needed.get(connector.facts.key, {})
    assert rules(connector, outgoing("Hello", media=media, title="A greeting", options=options), account) == []


@pytest.mark.parametrize(
    ("connector", "post", "account", "issues"),
    [
        (BLUESKY, outgoing("x" * 301), {}, [("bluesky.text.max_graphemes", "/text")]),
        (BLUESKY, outgoing("é" * 300), {}, []),
        (BLUESKY, outgoing("👩‍👩‍👧" * 200), {}, [("bluesky.text.max_bytes", "/text")]),
        (BLUESKY, outgoing("a", "b", "x" * 301), {}, [("bluesky.text.max_graphemes", "/thread/1/text")]),
        (BLUESKY, outgoing(""), {}, [("bluesky.content.required", "/text")]),
        (BLUESKY, outgoing(" ", link="https://a.b"), {}, []),
        (BLUESKY, outgoing("a", "  "), {}, [("bluesky.content.required", "/thread/0/text")]),
        (BLUESKY, outgoing("", media=(image(),)), {}, []),
        (BLUESKY, outgoing("a", media=(image(),) * 11), {}, [("bluesky.media.max_count", "/media")]),
        (BLUESKY, outgoing("a", media=(image(size_bytes=2_000_001),)), {}, [("bluesky.media.max_bytes", "/media/0")]),
        (BLUESKY, outgoing("a", media=(image(mime_type="image/heic"),)), {}, [("bluesky.media.mime_type", "/media/0")]),
        (BLUESKY, outgoing("a", media=(image(kind="gif"),)), {}, [("bluesky.media.kind", "/media/0")]),
        (BLUESKY, outgoing("a", media=(image("x" * 2001),)), {}, [("bluesky.media.max_alt_text", "/media/0/altText")]),
        (BLUESKY, outgoing("a", media=(image(), image(**VIDEO))), {}, [("bluesky.media.mixed", "/media")]),
        (
            BLUESKY,
            outgoing("a", media=(image(**VIDEO, duration_ms=600_001),)),
            {},
            [("bluesky.media.max_duration", "/media/0")],
        ),
        (
            BLUESKY,
            outgoing("a", media=(image(**VIDEO),)),
            {"emailConfirmed": False},
            [("bluesky.media.email_unconfirmed", "/media")],
        ),
        (BLUESKY, outgoing("a", first_comment="b"), {}, [("bluesky.first_comment.unsupported", "/firstComment")]),
        (BLUESKY, outgoing(*"x" * 51), {}, [("bluesky.thread.max_parts", "/thread")]),
        (BLUESKY, outgoing("a", options={"langs": ["de"]}), {}, [("bluesky.options.unknown", "/options/langs")]),
        (BLUESKY, outgoing("a", options={"languages": "de"}), {}, [("bluesky.options.type", "/options/languages")]),
        (BLUESKY, outgoing("a", options={"labels": ["porn"] * 5}), {}, [("bluesky.options.type", "/options/labels")]),
        (BLUESKY, outgoing("a", options={"labels": ["spam"]}), {}, [("bluesky.options.type", "/options/labels/0")]),
        (BLUESKY, outgoing("a", options={"replyGate": "all"}), {}, [("bluesky.options.type", "/options/replyGate")]),
        (BLUESKY, outgoing("a", media=(image(),) * 10), {}, []),
        (BLUESKY, outgoing("a", media=(image(**VIDEO),), options={"captions": [EN], "videoAsGif": True}), {}, []),
        (
            BLUESKY,
            outgoing("a", options={"captions": [EN], "videoAsGif": True}),
            {},
            [("bluesky.options.unused", "/options/captions"), ("bluesky.options.unused", "/options/videoAsGif")],
        ),
        (
            BLUESKY,
            outgoing("a", media=(image(**VIDEO),), options={"captions": [EN, EN]}),
            {},
            [("bluesky.captions.languages_differ", "/options/captions/1/language")],
        ),
        (
            BLUESKY,
            outgoing("a", media=(image(**VIDEO),), options={"captions": [EN | {"text": "WEBVTT\n" + "é" * 9_997}]}),
            {},
            [("bluesky.captions.max_bytes", "/options/captions/0/text")],
        ),
        (
            BLUESKY,
            outgoing("a", media=(image(**VIDEO),), options={"captions": [EN | {"text": "1\n00:00:00,000"}]}),
            {},
            [("bluesky.options.type", "/options/captions/0/text")],
        ),
        (
            BLUESKY,
            outgoing("a", options={"quoteId": "https://bsky.app/profile/a.b"}),
            {},
            [("bluesky.options.type", "/options/quoteId")],
        ),
        (BLUESKY, outgoing("a", options={"replyGate": ["mentioned"], "linkCard": {"title": "t"}}), {}, []),
        (
            BLUESKY,
            outgoing("a", options={"linkCard": {"url": 1}}),
            {},
            [("bluesky.options.type", "/options/linkCard/url")],
        ),
        (BLUESKY, outgoing("a", options={"a/~b": 1}), {}, [("bluesky.options.unknown", "/options/a~1~0b")]),
        (MASTODON, outgoing("x" * 501), {}, [("mastodon.text.max_graphemes", "/text")]),
        (MASTODON, outgoing("x" * 470 + " https://e.org/" + "y" * 99), {}, []),
        (MASTODON, outgoing("x" * 21), SMALL_SERVER, [("mastodon.text.max_graphemes", "/text")]),
        (MASTODON, outgoing("x" * 501), {"limits": {"text": {"max_length": 5000}}}, []),
        (MASTODON, outgoing("x" * 9 + " https://e.org/long"), SMALL_SERVER, []),
        (MASTODON, outgoing("a", media=(image(), image(kind="gif", mime_type="image/gif"))), {}, []),
        (MASTODON, outgoing("a", media=(image(), image(**VIDEO))), {}, [("mastodon.media.mixed", "/media")]),
        (MASTODON, outgoing("a", media=(image("abc", size_bytes=10),) * 2), SMALL_SERVER, []),
        (
            MASTODON,
            outgoing("a", media=(image("abcd", size_bytes=11, mime_type="image/webp"),) * 3),
            SMALL_SERVER,
            [
                *(
                    (f"mastodon.media.{rule}", f"/media/{index}{rest}")
                    for index in range(3)
                    for rule, rest in (("mime_type", ""), ("max_bytes", ""), ("max_alt_text", "/altText"))
                ),
                ("mastodon.media.max_count", "/media"),
                ("mastodon.media.max_total", "/media"),
            ],
        ),
        (
            MASTODON,
            outgoing("x" * 480, options={"spoilerText": "y" * 21}),
            {},
            [("mastodon.text.max_graphemes", "/text")],
        ),
        (MASTODON, outgoing("x" * 480, options={"spoilerText": "y" * 20}), {}, []),
        (
            MASTODON,
            outgoing("a", options={"poll": {"options": ["x"], "minutes": 60}}),
            {},
            [("mastodon.options.type", "/options/poll/options")],
        ),
        (
            MASTODON,
            outgoing("a", media=(image(),), options={"poll": {"options": ["x" * 51, *"abcd"], "minutes": 60}}),
            {},
            [
                ("mastodon.poll.with_media", "/options/poll"),
                ("mastodon.poll.max_options", "/options/poll/options"),
                ("mastodon.poll.max_option_length", "/options/poll/options/0"),
            ],
        ),
        (MASTODON, outgoing("a", options={"quoteId": "x y"}), {}, [("mastodon.options.type", "/options/quoteId")]),
        (MASTODON, outgoing("a", options={"quoteId": "https://m.example/@b/1"}), {"quotes": True}, []),
        (
            MASTODON,
            outgoing("a", media=(image(),), options={"quoteId": "1"}),
            {"quotes": False},
            [("mastodon.quote.unsupported", "/options/quoteId"), ("mastodon.quote.with_media", "/options/quoteId")],
        ),
        (MASTODON, outgoing("a", options={"language": "de_DE"}), {}, [("mastodon.options.type", "/options/language")]),
        (SANDBOX, outgoing("a", first_comment="b"), {}, []),
        (SANDBOX, outgoing(*"x" * 26), {}, [("sandbox.thread.max_parts", "/thread")]),
    ],
)  # fmt: skip
def test_every_rule_finds_its_issue(
    connector: Connector, post: Outgoing, account: dict[str, Any], issues: list[tuple[str, str]]
) -> None:
    assert rules(connector, post, account) == issues


def test_an_issue_says_the_limit_and_what_was_counted() -> None:
    (issue,) = check(BLUESKY, outgoing("x" * 310), {})
    assert issue.params == {"limit": 300, "actual": 310}
    assert issue.message == "The text is 310 characters long; Bluesky allows 300."


def test_media_of_thread_parts_are_checked_too() -> None:
    post = replace(outgoing("a"), parts=(Part(text="a"), Part(text="b", media=(image(kind="gif"),))))
    assert rules(BLUESKY, post) == [("bluesky.media.kind", "/thread/0/media/0")]


def test_a_link_goes_into_a_card_or_the_text_and_is_counted_there() -> None:
    with_link = outgoing("Read", link="https://e.org/x")
    assert text_of_part(BLUESKY.facts, with_link, 0) == "Read"
    assert text_of_part(MASTODON.facts, with_link, 0) == "Read\n\nhttps://e.org/x"
    beside_media = outgoing("Read", link="https://e.org/x", media=(image(),))
    assert text_of_part(BLUESKY.facts, beside_media, 0) == "Read\n\nhttps://e.org/x"
    there = outgoing("Read https://e.org/x now", link="https://e.org/x")
    assert text_of_part(MASTODON.facts, there, 0) == "Read https://e.org/x now"
    assert rules(BLUESKY, outgoing("x" * 290, link="https://e.org/x", media=(image(),))) == [
        ("bluesky.text.max_graphemes", "/text")
    ]


def test_capabilities_are_those_of_the_account() -> None:
    assert capabilities(BLUESKY) == {
        "text": True,
        "image": True,
        "video": True,
        "carousel": True,
        "story": False,
        "thread": True,
        "firstComment": False,
        "delete": True,
        "analytics": False,
        "mentions": True,
        "comments": {
            "read": True, "reply": True, "hide": False, "like": False, "delete": False, "pushed": False,
            "note": BLUESKY.facts.comments_note,
            "replyText": {
                "maxLength": 300, "unit": "grapheme", "bytesMax": 3_000, "urlLength": None,
                "mentionsCountLocalPartOnly": False, "mentionsAuthor": False,
            },
        },
        "maxTextLength": 300,
    }  # fmt: skip
    assert capabilities(MASTODON, SMALL_SERVER)["maxTextLength"] == 20
