"""Every function of the product that looks at a text takes time in proportion to it, whatever the text is.

Found by their signatures: whatever can be called with a text alone is called, and a function with a parameter `text`
that needs more has a row here: how it is called, or which function that is called here calls it.
"""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from types import FunctionType
from typing import Any

import msgspec
import pytest
from tests.faults.scene import sizes
from tests.helpers.growth import require_linear
from tests.helpers.patterns import modules

from signalpost.captions import actions, model, rules
from signalpost.captions.model import Assignment
from signalpost.captions.rules import Source
from signalpost.conformance.harness import outgoing
from signalpost.kit import ids
from signalpost.networks import CONNECTORS
from signalpost.networks.connectors.bluesky import rich_text
from signalpost.networks.connectors.ghost.content import content_of as ghost_content
from signalpost.networks.connectors.matrix.markdown import html_of
from signalpost.networks.connectors.reddit.rules import _words
from signalpost.networks.connectors.sandbox import _number as number_of_marker
from signalpost.networks.connectors.slack.message import sent_text
from signalpost.networks.connectors.tumblr.blocks import content_of as tumblr_content
from signalpost.networks.connectors.wordpress.blocks import content_of
from signalpost.networks.counting import overflow
from signalpost.networks.links import replace_links
from signalpost.networks.preflight import text_with_link
from signalpost.networks.replies import addressed
from signalpost.posts import times
from signalpost.posts.documents import Recurrence, Utm
from signalpost.posts.recurrences import text_of
from signalpost.posts.target_errors import clean
from signalpost.posts.tracking import tracked_text

# fmt: off
SEEDS = (
    "a", "é", "\u4e2d", "\u201c", "\u4e2d\u201c", "a ", "a. ", "\n", "a\n\n", "\u0301", "\u0316\u0301",
    "👩\u200d", "🇩", ".", ",", "a,", "-", "=", "&a=", "/", "//", "[", "](", "[a](", "(", ")", "<", "<a ", "*",
    "**a", "_", "`", "```\n", "#", "#a ", "#1", "#a,", "@", "@a ", "@a@", "https://", "https://a.b/ ",
    "https://a.b/(", "a.co,", "0", "9,", "1.", ";", "BYDAY=MO,", "monday ", "in 1 ", "a:", "%", "%41", "&#",
    "&amp;", "{", "{\"a\":", "\0", "\"", "'", "\\", "|", "| a ", "> ", "- ", "1. ", "# ", "  ",
)
# fmt: on
LEADS = ("", "a", "中", "https://a.b/", "sp_live_", "hello world.\n\n")


def _is_text(parameter: inspect.Parameter) -> bool:
    return parameter.annotation in (str, "str")


def _found() -> Iterator[tuple[str, FunctionType, bool]]:
    """Yield each function that looks at a text: its name, itself, and whether it needs nothing else."""
    for module in modules():
        for function in vars(module).values():
            function = inspect.unwrap(function) if callable(function) else function  # noqa: PLW2901 - without caches
            if not inspect.isfunction(function) or function.__module__ != module.__name__:
                continue
            if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
                continue
            needed = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
            alone = len(needed) == 1 and _is_text(needed[0]) and needed[0].kind < needed[0].VAR_POSITIONAL
            if alone or any(p.name == "text" and _is_text(p) for p in needed):
                yield f"{module.__name__.removeprefix('signalpost.')}.{function.__name__}", function, alone


FUNCTIONS = {name: function for name, function, alone in _found() if alone}
OTHERS = {name for name, _, alone in _found() if not alone}

NO_TEXTS: dict[str, str] = {
    "main.": "of the command line and of settings: what the operator writes",
    "embedded_postgres.": "settings and paths",
    "migrations.": "our own names",
    "settings.": "settings",
    "kit.failpoint.": "our own names",
    "kit.http.resolver.": "asks the machine's name server",
    "kit.crypto.keyring._read_key": "a setting",
    "kit.crypto.passwords._password_bytes": "prepares what is slow on purpose",
    "console.site._static": "reads a file of the package",
    "console.app_pages.": "reads files of the package",
    "console.markdown.": "the guides of the package",
    "identity.queries.": "makes statements at import",
    "profiles.queries.": "makes statements at import", "workspaces.actions.erase.": "makes statements at import",
}  # fmt: skip
"""Functions, or rooms of them, that look at no text of a stranger, and why."""

LENGTHS_MAX: dict[str, tuple[int, str]] = {
    "kit.crypto.tokens.base62_decode": (43, "the pattern of a key"),
    "kit.markdown.to_html": (10_000, "a message of support; short ones nest as deep as long ones"),
    "kit.zones._nearest": (100, "the name of a zone"), "kit.zones.zone": (100, "the name of a zone"),
    "identity.actions.sign_up.validate_time_zone": (100, "the name of a zone"),
    "profiles.validation.clean_name": (100, "the name of a profile"),
}  # fmt: skip
"""The longest text that a function sees where that is short, and what bounds it; only that length is measured."""

SHORT = [CONNECTORS[key].facts for key in ("x", "bluesky")]
FACTS = [replace(facts, text=replace(facts.text, max_length=40), thread_parts_max=5) for facts in SHORT]
"""Networks that nothing that is measured fits into: what fits costs less, so that the ratio would say nothing."""
NOW, UTM = datetime(2026, 11, 23, tzinfo=UTC), Utm(source="a", medium="b", campaign="c")


def _captions(**more: Any) -> Callable[[str], object]:
    def rewrite(text: str) -> object:
        rules._prepared.cache_clear()
        jobs = [actions._Job("rules", facts, Source(text, **more), 2) for facts in FACTS]
        return actions._rewrite(jobs)

    return rewrite


def _assignment(text: str) -> Assignment:
    return Assignment(
        text=text, title=None, networks=FACTS[:2], count=2, tone=None, language=None, max_hashtags=None, keep_links=True
    )


def _answer(text: str) -> str:
    """Return the message of a model that says the same again and again, as long as the text."""
    entry = {"platform": FACTS[0].key, "text": text[:50]}
    return msgspec.json.encode({"captions": [entry] * (len(text) // 50)}).decode()


CALLED: dict[str, Callable[[str], object]] = {
    "captions of the rules": _captions(),
    "captions with few hashtags": _captions(hashtags_max=3, keep_links=False, utm=UTM, default_hashtags=["a"] * 9),
    "bluesky.rich_text.facets_of": lambda text: rich_text.facets_of(text, {}),
    "matrix.markdown.html_of": html_of,
    "reddit.rules._words": lambda text: [*_words({"title_blacklisted_strings": ["a", "bread"] * 100}, "title", text)],
    "slack.message.sent_text": lambda text: sent_text(text, {}),
    "ghost.content.content_of": lambda text: ghost_content(text, ()),
    "tumblr.blocks.content_of": lambda text: tumblr_content(outgoing(text, options={"markdown": True})),
    "wordpress.blocks.content_of": lambda text: content_of(outgoing(text), text, ()),
    "kit.ids.decode": lambda text: ids.decode("pst", text),
    "networks.connectors.sandbox._number": lambda text: number_of_marker(text, 9),
    "networks.counting.overflow": lambda text: [overflow(facts.text, text) for facts in FACTS],
    "networks.links.replace_links": lambda text: replace_links(text, str.upper),
    "networks.preflight.text_with_link": lambda text: [
        text_with_link(facts, text, "https://a.example", has_media=False) for facts in FACTS
    ],
    "networks.replies.addressed": lambda text: addressed(text, "ada@far.example"),
    "posts.recurrences.text_of": lambda text: text_of(Recurrence("FREQ=DAILY", variations=["a", "b"]), text, 7),
    "posts.target_errors.clean": lambda text: clean(text, 500),
    "posts.times.schedule": lambda text: times.schedule(text, "UTC", NOW - timedelta(days=1), "/scheduledAt"),
    "posts.tracking.tracked_text": lambda text: tracked_text(text, UTM, "x"),
    "captions.model._drafts": lambda text: model._drafts(_answer(text), _assignment(text)),
}
"""What looks at a text and needs more than it."""

CALLED_BY: dict[str, str] = {
    "captions.markup._add_mark": "without_markup",
    "comments.actions.answer._require_text": "preflight in tests/networks/test_hostile_text.py",
    **{f"captions.model.{name}": "captions.model._drafts" for name in ("_cleaned", "_matches")},
    **{f"captions.rules.{name}": "captions of the rules" for name in (
        "_holds", "_prepared", "_tracked", "_with_ellipsis")},
    "captions.units._ends_sentence": "units_of",
    "kit.ids._number": "kit.ids.decode", "kit.ids._parse": "kit.ids.decode",
    "kit.recurrence._number": "kit.recurrence.parse", "kit.recurrence._numbers": "kit.recurrence.parse",
    "messenger.actions.converse._names_a_time": "messenger.times.understand; a split of 4,096 characters",
    "messenger.slack._escaped": "_cut to 4,000 characters, before it looks at them",
    "messenger.times.understand": "_normalized, which cuts the text to twice LENGTH_MAX",
    "networks.counting._length": "preflight in tests/networks/test_hostile_text.py",
    "networks.counting._units": "the same", "networks.counting.length": "the same",
    "networks.counting.text_length": "the same", "networks.preflight._text": "the same",
    "networks.preflight._length": "the same", "networks.preflight.check_reply": "the same",
    "networks.connectors.linkedin.facts._length": "the same",
    **{f"networks.counting.{name}": "networks.counting.overflow" for name in (
        "_first", "_fits", "_has_room", "_starts")},
    "posts.compose.validate._overflow": "networks.counting.overflow",
    "networks.connectors.mastodon.find._reads": "fingerprint_of_html, and a bound by the length of our text",
    "networks.connectors.x.find._search": "_canonical, of at most 100 posts of a page",
    **{f"networks.connectors.{name}": "explain in tests/networks/test_hostile_text.py" for name in (
        "linkedin.calls._code_of_refusal", "linkedin.calls._limited", "mastodon.calls._refused",
        "pinterest.calls._refused", "reddit.calls._limited", "telegram.calls._refused", "x.calls._forbidden")},
    "networks.connectors.matrix.message._formatted": "networks.connectors.matrix.markdown.html_of",
    **{f"networks.connectors.nostr.account.{name}": "kit.http.urls.parse, which bounds an address" for name in (
        "_https", "_media_server", "_relay_at")},
    "networks.connectors.nostr.note._content": "networks.connectors.nostr.bech32.decoded",
    "networks.connectors.tumblr.blocks._texts": "networks.connectors.tumblr.blocks.content_of",
    "feeds.template._fits": "networks.counting.length",
    "networks.meta.errors.explain_container": "the same",
    "posts.times._invalid": "posts.times.schedule", "posts.times.read": "posts.times.schedule",
}  # fmt: skip
"""Functions that need more than a text: which look at it that is measured calls them, or what bounds the text."""
NO_LOOK: dict[str, str] = {
    "web.openapi._parameter": "our own text",
    "api_keys.actions.keys._is_within": "one comparison for each entry of a bounded list",
    **{f"identity.tokens.{name}": "a MAC over the token, which the header bounds" for name in (
        "_claims", "read", "read_cookie_token", "read_invite_token", "read_refresh_token")},
    "identity.tokens._secret_of": "kit.cells.without_name, and a comparison of lengths",
    "apps.tokens.read_code": "opens a sealed value, whose length is bounded first",
    "apps.tokens.read_refresh_token": "a MAC over the token, whose length is fixed",
    "networks.connectors.reddit.rules._lengths": "counts it",
    "kit.s3_signing._hmac": "a hash", "kit.settings_loader._convert": "settings",
    "messenger.actions.drafts._accepted": "puts it into a sentence",
    "feeds.views.previewed": "puts it into a document",
    "telemetry.complaints._filled": "puts values into it",
    "calendar_links.events._cut": "cuts it", "messenger.telegram._cut": "cuts it", "messenger.slack._cut": "cuts it",
    "messenger.whatsapp._cut": "cuts it", "messenger.whatsapp.template_body": "puts it into a document",
}  # fmt: skip
"""Functions that do nothing with a text whose time could grow faster than it."""


def _is_no_text(name: str) -> bool:
    return any(name == entry or (entry.endswith(".") and name.startswith(entry)) for entry in NO_TEXTS)


LOOKS = {name: call for name, call in FUNCTIONS.items() if not _is_no_text(name)} | CALLED


def _call(look: Callable[[str], object]) -> Callable[[str], object]:
    """Return the look, for which it is all right to refuse the text."""

    def call(text: str) -> object:
        try:
            result = look(text)
            return list(result) if isinstance(result, Iterator) else result
        except Exception:  # noqa: BLE001 - most texts are no time, token or address; only the time counts here
            return None

    return call


@pytest.mark.slow
@sizes("size", quick=4_000, heavy=65_000)
@pytest.mark.parametrize("name", LOOKS)
def test_a_look_at_a_text_takes_time_in_proportion_to_it(name: str, size: int) -> None:
    look = _call(LOOKS[name])
    steps = (2, 1)
    if name in LENGTHS_MAX:
        size, steps = LENGTHS_MAX[name][0], (1,)
    for index, seed in enumerate(SEEDS):
        for lead in LEADS if size == 65_000 else (LEADS[index % len(LEADS)],):
            text_of = partial(_text, lead, seed)
            try:
                require_linear(look, text_of, size, ratio_max=6, steps=steps)
            except AssertionError as failure:
                raise AssertionError(f"{name}, {lead!r} + {seed!r}*: {failure}") from None


def _text(lead: str, seed: str, length: int) -> str:
    return (lead + seed * (length // len(seed) + 1))[:length]


def test_each_function_that_needs_more_than_a_text_has_a_row() -> None:
    rows = {*CALLED_BY, *NO_LOOK, *(f"networks.connectors.{name}" for name in CALLED), *CALLED}
    assert OTHERS - rows == set()
    assert {*CALLED_BY, *NO_LOOK} - OTHERS == set(), "rows of functions that are gone"
    assert LENGTHS_MAX.keys() <= LOOKS.keys()
    for entry in NO_TEXTS:
        assert any(name == entry or name.startswith(entry) for name in FUNCTIONS), entry
