"""Every language of the product is complete: the console, the pages without scripts, and mails."""

import json
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import httpx
import pytest
from jinja2 import Environment, nodes
from tests.console import catalogs
from tests.console.catalogs import FRAME, MESSAGES, OF_OPTIONS, TRANSLATED
from tests.counterparts import tools

from signalpost import mail
from signalpost.accounts import notices
from signalpost.console import status_page
from signalpost.console.texts import DEFAULT, LANGUAGES, NAMES, Texts
from signalpost.feeds.states import HELD
from signalpost.mail.languages import texts as mails
from signalpost.mail.messages import CHOICES_TEXT, UNSUBSCRIBE_TEXT
from signalpost.networks import CONNECTORS, connectors, options
from signalpost.networks.contract import Connector
from signalpost.plans import notices as usage
from signalpost.push.actions.devices import TEST_TEXT, TEST_TITLE
from signalpost.report_links.actions import remind
from signalpost.status.states import IncidentStatus
from signalpost.support.states import Status

PAGES = tools.CHECKOUT / "src/signalpost/console"
TEMPLATES = Path(mail.__file__).parent / "templates"
IN_THE_LANGUAGE_OF_THE_READER = (
    "_base", "authorize", "choose", "connect", "first_run", "forgot_password", "invite", "link_page", "login",
    "register", "report", "reset_password", "review", "review_code", "review_over", "status", "status_button",
    "status_subscribe", "team_invite",
)  # fmt: skip
ROLES = {"admin", "editor", "contributor", "approver", "viewer"}  # as the service calls them
STATUSES = {
    *status_page.HEADLINES.values(),
    *status_page.LABELS.values(),
    *status_page.STATUSES.values(),
    *status_page.SEEDED,
}
SPEAKING = (
    "authorize", "choose", "connect", "first_run", "installable", "invites", "link_pages", "mail_choices", "register",
    "reports", "reset_password", "reviews",
    "sign_in", "site", "status_feed", "status_page", "status_pages", "team_invites",
)  # fmt: skip
AVOIDED = {
    "de": "du|dein|deine",
    "es": "usted|ustedes|su cuenta|vosotros|habéis|podéis|posts?|e-?mail|login|password|workspaces?|tokens?|agregar"
    "|agrega|celular|computadora|ordenador|pinchar|programación|postear|subir un post|red social",
}
"""Words that a language has a better one for: one word for one meaning. Commands stay as they are."""
_VALUE = re.compile(r"\{\w+\}")
_COMMAND = re.compile(r"\{\w+\}|signalpost [a-z -]+|“sp login”|https?://\S+|client_id|redirect_uri")
_SAID = re.compile(r"""\bt\(\s*"([^"]+)\"""")


@cache
def forms(language: str) -> tuple[str, ...]:
    """The forms of a language for numbers, as browsers have them."""
    script = "console.log(JSON.stringify(new Intl.PluralRules(process.argv[1]).resolvedOptions().pluralCategories))"
    done = subprocess.run([tools.node(), "-e", script, language], capture_output=True, text=True, check=True)
    return tuple(json.loads(done.stdout))


def _unlike_english(place: str, text: str, said: str) -> Iterator[str]:
    """What is wrong with one translation."""
    if {*_VALUE.findall(text)} != {*_VALUE.findall(said)}:
        yield f"{place}: “{said}” has not the values of “{text}”"
    if text == said and len(text.split()) > 2 and re.search(r"[a-z]{3}", _VALUE.sub("", text)):
        yield f"{place}: “{text}” is still English"


def _wrong(language: str) -> Iterator[str]:
    """A sentence for each thing that a language of the console lacks, or has too much."""
    more = [form for form in forms(language) if form not in ("one", "other")]
    for page, texts in catalogs.texts_by_catalog().items():
        place = f"messages/{language}/{page}.js"
        catalog = catalogs.catalog(language, page)
        needed = texts | {f"{form}|{text}" for text in texts & catalogs.plurals() for form in more}
        yield from (f"{place} lacks “{text}”" for text in sorted(texts - catalog.keys()))
        yield from (
            f"{place} lacks “{text}”: this language has the forms {', '.join(forms(language))}"
            for text in sorted(needed - texts - catalog.keys())
        )
        yield from (f"{place} has “{text}”, which no page says" for text in sorted(catalog.keys() - needed))
        for text in catalog.keys() & needed:
            yield from _unlike_english(place, text.partition("|")[2] or text, catalog[text])
    files = {path.stem for path in (MESSAGES / language).glob("*.js")}
    for name in sorted(files - {*catalogs.texts_by_catalog(), *OF_OPTIONS}):
        yield f"messages/{language}/{name}.js belongs to no page"


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_console_says_everything(language: str) -> None:
    """Every text has its translation, in all forms, with the same values; no translation is left over."""
    wrong = [*_wrong(language)]
    assert not wrong, "\n".join(wrong)


def test_only_languages_of_the_table_have_catalogs() -> None:
    """One line in `console/texts.py` makes a language, and English has what it says for people."""
    folders = {path.name for path in MESSAGES.iterdir()}
    assert folders == {*LANGUAGES}, "each language has a folder of messages, and each folder is a language"
    assert {path.stem for path in (MESSAGES / DEFAULT).iterdir()} == {"options"}


async def test_people_choose_from_the_table(visit: httpx.AsyncClient) -> None:
    """The console has no list of its own."""
    page = (await visit.get("/console")).text
    [content] = re.findall(r'<meta name="languages" content="([^"]+)">', page)
    assert json.loads(content.replace("&#34;", '"')) == NAMES


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_option_of_every_network_has_its_texts(language: str) -> None:
    """Labels, helps and values of all options; what else is in the catalog, a connector says as a reason."""
    needed = {text for connector in CONNECTORS.values() for text in _texts_of_options(connector)}
    sources = "".join(path.read_text("utf-8") for path in Path(connectors.__path__[0]).rglob("*.py"))
    each = [catalogs.catalog(language, page) for page in OF_OPTIONS]
    catalog = {text: said for one in each for text, said in one.items()}
    others = {t: said for page in catalogs.texts_by_catalog() for t, said in catalogs.catalog(language, page).items()}

    lacks = [f"messages/{language}/options.js lacks “{text}”" for text in sorted(needed - catalog.keys())]
    assert not lacks, "\n".join(lacks)
    assert sum(map(len, each)) == len(catalog), "a text stands in one catalog"
    assert [text for text in catalog.keys() - needed if f'"{text}"' not in sources] == []
    assert {text: said for text, said in catalog.items() if others.get(text, said) != said} == {}


def test_english_says_for_people_what_the_api_says_of_options_for_programs() -> None:
    """No names of members, no codes: each help that has some, and each value that is no word, is said in English."""
    texts = {text for connector in CONNECTORS.values() for text in _texts_of_options(connector)}
    catalog = catalogs.catalog(DEFAULT, "options")

    assert {text for text in texts if re.search(r"`|^\w+(_|[A-Z])\w*$", text)} - catalog.keys() == set()
    assert catalog.keys() - texts == set()
    assert [said for said in catalog.values() if re.search(r"[`{}]|\w_\w|\b[a-z]+[A-Z]", said)] == []


def _texts_of_options(connector: Connector) -> Iterator[str]:
    for key, option in connector.facts.options.items():
        field = options.field(key, option)
        yield from (field.label, option.description, *(field.choices or ()), *(part.label for part in field.parts))
        yield from (value for value in field.instead if isinstance(value, str))
        yield from (value for part in field.parts for value in part.choices or ())


def _said_by_the_pages() -> set[str]:
    """What the templates and the code say to a visitor in their language."""
    templates = [(PAGES / "templates" / f"{name}.html").read_text() for name in IN_THE_LANGUAGE_OF_THE_READER]
    code = "".join((PAGES / f"{module}.py").read_text() for module in SPEAKING)
    said = {text for source in (*templates, code) for text in _SAID.findall(source)} | ROLES | STATUSES
    known = {text for language in LANGUAGES.values() for text in language.texts}
    return said | {text for text in known if f'"{text}"' in code}


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_text_of_a_page_without_scripts_is_translated(language: str) -> None:
    """In its module of `console/languages`, and nothing else is there; values have the same names."""
    place, texts, said = f"languages/{language}.py", LANGUAGES[language].texts, _said_by_the_pages()
    wrong = [f"{place} lacks “{text}”" for text in sorted(said - texts.keys())]
    wrong += [f"{place} has “{text}”, which no page says" for text in sorted(texts.keys() - said)]
    wrong += [issue for text in texts for issue in _unlike_english(place, text, texts[text])]
    assert not wrong, "\n".join(wrong)


def test_times_are_in_the_language_and_zone_of_the_reader() -> None:
    at = "2026-03-03T17:05:00.000Z"
    assert Texts("en").time(at, "Europe/Berlin") == "Tue 3 Mar 2026, 18:05 (Europe/Berlin)"
    assert Texts("de").time(at, "Europe/Berlin") == "Di. 3. März 2026, 18:05 (Europe/Berlin)"
    assert Texts("es").time(at, "Europe/Berlin") == "mar, 3 mar 2026, 18:05 (Europe/Berlin)"
    assert {(len(language.months), len(language.weekdays)) for language in LANGUAGES.values()} == {(12, 7)}
    assert Texts("de").time(None) == ""


def _syntax(template: Path) -> nodes.Template:
    return Environment(autoescape=True).parse(template.read_text())


def _calls_of_mails() -> Iterator[nodes.Call]:
    """Each place where a template says a text of its own."""
    for path in TEMPLATES.iterdir():
        for call in _syntax(path).find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name == "t" and isinstance(call.args[0], nodes.Const):
                yield call


def _said_by_mails() -> set[str]:
    """What the templates say, and the words that rooms hand them as values."""
    statuses = {status.replace("_", " ") for status in (*get_args(IncidentStatus), *get_args(Status))}
    words = {*notices.ADVICE.values(), *HELD.values(), *usage.WORDS.values(), *ROLES, *remind.MONTHS}
    words |= {UNSUBSCRIBE_TEXT, CHOICES_TEXT, TEST_TITLE, TEST_TEXT}
    return {call.args[0].value for call in _calls_of_mails()} | statuses | words


@pytest.mark.parametrize("language", TRANSLATED)
def test_mails_say_everything(language: str) -> None:
    """In its module of `mail/languages`, and nothing else is there; values have the same names."""
    place, texts, said = f"mail/languages/{language}.py", mails.CATALOGS[language], _said_by_mails()
    wrong = [f"{place} lacks “{text}”" for text in sorted(said - texts.keys())]
    wrong += [f"{place} has “{text}”, which no mail says" for text in sorted(texts.keys() - said)]
    wrong += [issue for text in texts for issue in _unlike_english(place, text, texts[text])]
    assert not wrong, "\n".join(wrong)
    assert mails.CATALOGS.keys() == LANGUAGES.keys()


def test_mails_say_nothing_past_their_catalogs() -> None:
    """A text has the values that it names; beside tags, values and `t(...)`, a template has no words."""
    for call in _calls_of_mails():
        assert {f"{{{value.key}}}" for value in call.kwargs} == {*_VALUE.findall(call.args[0].value)}
    for path in TEMPLATES.iterdir():
        data = "".join(each.data for each in _syntax(path).find_all(nodes.TemplateData))
        words = re.sub(r"<style>.*?</style>|<[^>]*>|/console|/docs", "", data, flags=re.DOTALL)
        assert not re.search("[A-Za-z]", words), f"{path.name} says: {words.strip()}"


@pytest.mark.parametrize("language", TRANSLATED)
def test_what_stands_on_buttons_and_tabs_is_short(language: str) -> None:
    """At most 1.6 times as long as in English, with eight letters more for the short ones."""
    said = {text: catalogs.everything(language).get(text, "") for text in catalogs.in_buttons()}

    assert len(said) > 150, "the buttons are found"
    assert {text: word for text, word in said.items() if len(word) > 1.6 * len(text) + 8} == {}


@pytest.mark.parametrize("language", TRANSLATED)
def test_one_word_has_one_meaning(language: str) -> None:
    """No word that the language has a better one for, and nobody is addressed in two ways."""
    avoided = re.compile(rf"\b({AVOIDED[language]})\b", re.IGNORECASE)
    pages_and_mails = (catalogs.everything(language), LANGUAGES[language].texts, mails.CATALOGS[language])
    texts = [text for catalog in pages_and_mails for text in catalog.values()]
    assert [text for text in texts if avoided.search(_COMMAND.sub("", text))] == []
    assert catalogs.catalog(language, FRAME)
