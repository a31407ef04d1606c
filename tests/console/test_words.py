"""What people read when the service refuses something: a sentence for each code, in each language, without the API."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from playwright.async_api import Page
from tests.console import catalogs
from tests.console.browser import OpenPage
from tests.console.calls import FOLDER
from tests.console.catalogs import TRANSLATED
from tests.console.pages import sources, visit

import signalpost
from signalpost import networks
from signalpost.comments.states import ReplyErrorCode, RuleErrorCode
from signalpost.kit.problems import Problem
from signalpost.main import wiring
from signalpost.networks import preflight
from signalpost.networks.codes import CATEGORIES
from signalpost.posts.target_errors import TARGET_ERRORS

PACKAGE = Path(signalpost.__file__).parent
OWN = {"offline", "outdated", "not_loaded", "unusable_file"}
"""Problems that the console itself has: no program gets them."""
FRAME_RULES = ("max_pixels", "max_short_side", "max_long_side")
COMPUTED = {
    "f'{facts.key}.{rule}'": (), "f'facebook.{rule}'": (), "f'instagram.{rule}'": (), "f'threads.{rule}'": (),
    "f'linkedin.{rule}'": ("text.max_utf16", "comment.max"),
    "f'text.{name}'": tuple(f"text.{name}" for name, _ in preflight._UNIT_RULES.values()),
    "f'media.{name}'": tuple(f"media.{name}" for name in ("max_bytes", "max_duration", "max_alt_text", *FRAME_RULES)),
    "f'{kind}.duration'": ("reel.duration", "story.duration"),
    "f'youtube.{name}.characters'": ("title.characters", "text.characters"),
    "f'{connector.facts.key}.package.failed'": ("package.failed",),
    "f'{facts.key}.media.public_url'": ("media.public_url",),
    "f'{platform}.platform.unavailable'": ("platform.unavailable",),
}  # fmt: skip
"""Rules whose names are put together where they are used -> what they can be; () hands on what its callers name."""
OF_POSTS = {"schedule.dst", "schedule.utc", "slot.taken", "approval.requested_again", "delivery.private"}
_API_WORDS = re.compile(
    r"`|(^|\s)/\w|\b[a-z]+[A-Z]\w*|\b\w+_\w+|\b(GET|POST|PUT|PATCH|DELETE)\b|SIGNALPOST|\b[a-z]+\.[a-z]+\b"
)


def _keys(name: str, table: str) -> set[str]:
    """The codes that a table of the console has sentences for."""
    source = (FOLDER / f"texts/{name}.js").read_text(encoding="utf-8")
    body = source.partition(f"const {table} = {{")[2].partition("\n};")[0]
    given = {json.loads(f'"{key.strip(chr(34))}"') for key in re.findall(r'^  ([\w"][\w."]*): ', body, re.MULTILINE)}
    alias = re.findall(rf'^{table}(?:\.(\w+)|\["([^"]+)"\]) =', source, re.MULTILINE)
    return given | {short or long for short, long in alias}


def _first_arguments(folder: Path, *names: str) -> Iterator[tuple[ast.Call, str]]:
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args:
                name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                if name in names:
                    yield node, name


def _rules() -> set[str]:
    """Every rule of every network, without the network's name."""
    found = set[str]()
    for call, _ in _first_arguments(PACKAGE, "PreflightIssue", "_issue"):
        argument = call.args[1] if isinstance(call.args[0], ast.Name) and call.args[0].id == "facts" else call.args[0]
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            network, _, rule = argument.value.partition(".")
            found.add(rule if network in networks.PLATFORMS else argument.value)
        elif isinstance(argument, ast.JoinedStr):
            found |= {*COMPUTED[ast.unparse(argument)]}
    return found


def _issue_codes() -> set[str]:
    """Every code of a value that is refused, as it stands in the source."""
    found = set[str]()
    for call, name in _first_arguments(PACKAGE, "Issue", "HealthIssue", "invalid"):
        if name != "HealthIssue" and len(call.args) > 1:
            found |= {
                node.value
                for node in ast.walk(call.args[1])
                if isinstance(node, ast.Constant) and node.value is not None
            }
    return found


def _codes(folder: str, *names: str) -> set[str]:
    return {
        call.args[0].value
        for call, _ in _first_arguments(PACKAGE / folder, *names)
        if isinstance(call.args[0], ast.Constant)
    }


def test_every_problem_has_sentences() -> None:
    assert len(wiring.endpoints()) > 100  # all rooms are loaded, so all problems are known
    assert _keys("problems", "PROBLEMS") == Problem.registry.keys() | OWN


def test_every_reason_of_a_post_or_an_account_has_sentences() -> None:
    """Failures, warnings, what posts wait for, what ails an account."""
    known = _keys("failures", "FAILURES")
    health = {f"health.{code}" for code in _codes("accounts", "HealthIssue") | {"needs_reauth", "restricted"}}
    held = {f"held.{reason}" for reason in ("approval", "account", "plan", "network")}

    assert TARGET_ERRORS.keys() | OF_POSTS | health | held <= known
    assert _codes("posts", "PostWarning") - {"schedule.dst", "schedule.utc"} <= known
    for path in (PACKAGE / "posts/holds.py", PACKAGE / "posts/change/removals.py", PACKAGE / "posts/change/trash.py"):
        named = re.findall(
            r'\bcode, sentence = "(\w+)"|"(removal\.\w+|\w+_missing|approval_required)"', path.read_text()
        )
        assert named
        assert {one or other for one, other in named} <= known, path


def test_every_rule_of_a_network_has_a_sentence() -> None:
    rules = _rules()

    assert len(rules) > 60
    assert rules - _keys("rules", "RULES") == set()
    assert _keys("rules", "RULES") - rules == set(), "left over"


def test_every_reason_why_a_rule_did_not_do_something_has_a_sentence() -> None:
    assert set(get_args(RuleErrorCode)) == _keys("../pages/inbox-words", "RULE_ERRORS")


def test_every_reason_why_an_answer_was_not_sent_has_a_sentence() -> None:
    assert set(get_args(ReplyErrorCode)) == _keys("../pages/inbox-words", "REPLY_ERRORS")
    assert set(get_args(ReplyErrorCode)) <= CATEGORIES.keys(), "the codes that connectors use"


def test_every_code_of_a_refused_value_has_a_sentence() -> None:
    codes = _issue_codes()

    assert codes >= {"required", "too_long", "not_unique", "format"}
    assert codes - _keys("rules", "ISSUES") == set()


@pytest.mark.parametrize("name", ["problems", "failures", "rules", "places"])
def test_the_sentences_have_no_word_of_the_api(name: str) -> None:
    """In English, which stands in the table, and in all other languages; a sentence ends with a full stop."""
    english = catalogs.texts_in((FOLDER / f"texts/{name}.js").read_text(encoding="utf-8"))
    texts = [*english, *(said for code in TRANSLATED for said in catalogs.catalog(code, name).values())]

    assert english
    assert [text for text in texts if _API_WORDS.search(re.sub(r"\{\w+\}", "1", text))] == []
    assert name == "places" or [text for text in texts if not re.search(r"[.…]$", text)] == []


_RENDER = """async ([folder, documents, language]) => {
  const load = (name) => import(folder + name);
  const [{ html, render }, { Problem }, { ProblemBox }, words, { setLanguage }] = await Promise.all(
    ["html.js", "api.js", "components/problem-box.js", "words.js", "i18n.js"].map(load));
  await Promise.all([words.loadWords(), setLanguage(language)]);
  const place = document.createElement("div");
  document.body.append(place);
  const boxes = documents.map((each) => html`<${ProblemBox} problem=${new Problem(each, each.status)} />`);
  render(html`<div>${boxes}</div>`, place);
  return [...place.querySelectorAll(".problem")].map((box) => box.innerText);
}"""


def _documents() -> list[dict[str, Any]]:
    """Every problem, as a program gets it: with paths, members, operations and ids in whatever it says."""
    said = "Send `scheduledAt` to POST /api/v1/posts, not prof_01M7Z0000000000000000000AB."
    errors = [
        {"path": "/targets/0/options/tiktok/privacyLevel", "code": "tiktok.options.privacy_required", "message": said},
        {"path": "/media/1", "code": "instagram.media.max_bytes", "message": said, "params": {"limit": 8_000_000}},
        {"path": "/text", "code": "bluesky.text.max_graphemes", "message": said, "params": {"limit": 300}},
        {"path": "/profileId", "code": "not_found", "message": said},
        {"path": "/unheardOf", "code": "of_a_later_version", "message": said},
    ]
    return [
        {
            "code": code, "title": kind.title, "status": kind.status, "detail": said, "remediation": said,
            "requestId": "req_01M7Z0000000000000000000AB", "errors": errors if kind.status == 422 else [],
        }
        for code, kind in sorted(Problem.registry.items())
    ]  # fmt: skip


_SHOWN_API_WORDS = re.compile(
    r"`|/\w|\b[a-z]{2,}_\w+|\b(GET|POST|PATCH|DELETE)\b|scheduledAt|profileId|privacyLevel|unheardOf"
)


@pytest.mark.xdist_group("browser-pages")
@pytest.mark.parametrize(("language", "todo"), [("en", "What to do:"), ("de", "Was zu tun ist:"), ("es", "Qué hacer:")])
async def test_no_path_and_no_id_is_seen_outside_the_details_for_developers(
    console: OpenPage, language: str, todo: str
) -> None:
    """Every problem in the browser, with its details closed as they are at first."""
    async with console() as page:
        await visit(page, "/console/nowhere")
        shown = await _rendered(page, language)

    assert len(shown) == len(Problem.registry)
    assert [text for text in shown if _SHOWN_API_WORDS.search(text)] == []
    assert [text for text in shown if todo not in text] == []
    limits = next(text for text in shown if "300" in text)
    assert {"en": "at most 300 characters", "de": "höchstens 300 Zeichen", "es": "300 caracteres como máximo"}[
        language
    ] in limits
    assert "8 MB" in limits


async def _rendered(page: Page, language: str) -> list[str]:
    shown: list[str] = await page.evaluate(_RENDER, [await sources(page), _documents(), language])
    return shown
