"""The documentation agrees with the code."""

import dataclasses
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from tests.counterparts.tools import CHECKOUT
from tests.helpers.contract import DOCUMENT
from tests.helpers.scripts import script

from signalpost.main import cli
from signalpost.networks import CONNECTORS
from signalpost.settings import PREFIX, Settings

PAGES = sorted([*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md")])
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_BLOCK = re.compile(r"```(?:sh|bash|console)\n(.*?)```", re.DOTALL)


def relative(page: Path) -> str:
    return str(page.relative_to(CHECKOUT))


def prose(page: Path) -> str:
    return re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings, as code hosts generate them."""
    titles = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def commands() -> Iterator[tuple[str, str]]:
    """Yield (page, line) of every command on a page; continued lines are joined."""
    for page in PAGES:
        for block in _BLOCK.findall(page.read_text()):
            for line in block.replace("\\\n", " ").splitlines():
                if line.strip() and not line.startswith("#"):
                    yield relative(page), line.strip()


def test_the_generated_reference_is_up_to_date() -> None:
    result = subprocess.run(
        [sys.executable, "scripts/generate-docs", "--check"], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )

    assert result.returncode == 0, result.stderr


def test_every_setting_is_documented() -> None:
    described = script("generate-docs").described_settings()

    assert set(described) == {field.name for field in dataclasses.fields(Settings)}
    assert [name for name, (_, _, text) in described.items() if not text] == []


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_links_exist(page: Path) -> None:
    """Only links inside the repository: other sites come and go."""
    broken = []
    for link in _LINK.findall(prose(page)):
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if not target.exists() or (parts.fragment and target.suffix == ".md" and parts.fragment not in anchors(target)):
            broken.append(link)

    assert broken == []


def test_the_readme_names_the_networks_of_today() -> None:
    """All to which an account can be connected, and no other."""
    text = (CHECKOUT / "README.md").read_text()
    [listed] = re.findall(r"\n\n((?:.+\n)*.*? and\s\w+)\s\(\[what each of them accepts\]", text)

    names = {connector.facts.name for connector in CONNECTORS.values()}
    assert set(re.split(r",\s| and\s", listed)) == names - {"Sandbox"}


RIVALS = ("Zernio", "Postiz", "Buffer", "Ayrshare", "Hootsuite", "Metricool", "Mixpost")


def test_every_statement_about_another_product_has_a_public_source() -> None:
    """In the comparison, which says when they were read, and is honest about each of them."""
    text = (CHECKOUT / "docs" / "comparison.md").read_text()
    behind, ahead = text.split("\n## ")[1:]
    rows = [row.strip("|").split("|") for row in re.findall(r"^\|(?! What |---).*\|$", text, re.MULTILINE)]

    assert re.search(r"read\non \d+ \w+ 20\d\d", text)
    assert len(rows) > 20
    for what, who, source in rows:
        named = [rival for rival in RIVALS if rival in who]
        assert named, (what, who)
        assert len(re.findall(r"\]\(https://[^)]+\)", source)) >= 1, (what, who)
    assert [rival for rival in RIVALS if rival not in behind] == []
    assert ahead.count("\n|") > 5
    prose = re.sub(r"^\|.*$", "", text, flags=re.MULTILINE)
    assert [rival for rival in RIVALS if rival in prose] == [], "what is said of one stands in a row, with its source"


def test_every_page_is_reachable_from_the_readme() -> None:
    reached, pending = set(), [CHECKOUT / "README.md"]
    while pending:
        page = pending.pop()
        if page in reached:
            continue
        reached.add(page)
        if page.is_dir():
            pending += page.glob("*.md")
        elif page.suffix == ".md":
            links = [urlsplit(link).path for link in _LINK.findall(prose(page)) if not urlsplit(link).scheme]
            pending += [file for link in links if link and (file := (page.parent / unquote(link)).resolve()).exists()]

    ours = {page for page in PAGES if page.parent != CHECKOUT}
    assert sorted(relative(page) for page in ours - reached) == []


def test_commands_in_the_docs_exist() -> None:
    program: Any = cli.app
    targets = set(re.findall(r"^([a-z][\w-]*):", (CHECKOUT / "Makefile").read_text(), re.MULTILINE))
    missing = []
    for page, written in commands():
        line = written.replace("runuser -u signalpost -- ", "")  # the user has the name of the program
        if found := re.match(r"make\b(.*)", line):
            words = shlex.split(found[1], comments=True)
            missing += [(page, word) for word in words if "=" not in word and word not in targets]
        if line.startswith("helm "):  # `signalpost` is the name of a release there
            continue
        if found := re.search(r"(?:^|bin/| )signalpost ([a-z-]+.*)", line):
            words = re.split(r"[|&;#<>]", found[1])[0].split()
            missing += [(page, name) for name in _unknown(program, words)]

    assert missing == []


def _unknown(command: Any, words: list[str]) -> Iterator[str]:
    """Yield the commands and options that the program does not have."""
    while words and hasattr(command, "commands") and not words[0].startswith("-"):
        name, *words = words
        if name not in command.commands:
            yield name
            return
        command = command.commands[name]
    options = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    for word in words:
        if word.startswith("--") and word.partition("=")[0] not in {*options, "--help"}:
            yield word


def test_requests_in_the_docs_exist() -> None:
    """Checks the paths after `/api/v1` or `$API` in commands, with any placeholder for an id."""
    patterns = [re.compile(re.sub(r"\{\w+\}", "[^/]+", path) + "$") for path in DOCUMENT["paths"]]
    wrong = []
    for page, line in commands():
        paths = re.findall(r"(?:/api/v1|\$API|\$\{API\})(/[\w./$%{}-]*)", line)
        wrong += [(page, path) for path in paths if not any(pattern.match(path) for pattern in patterns)]

    assert wrong == []


_PROGRAMS = "curl() { printf '%s\\n' \"$@\"; }; signalpost() { :; }; duckdb() { :; }"


@pytest.mark.parametrize("page", [page for page in PAGES if "curl " in page.read_text()], ids=relative)
def test_variables_of_requests_are_set_on_their_page_and_reach_the_service(page: Path, tmp_path: Path) -> None:
    """A reader comes to one page from a search. In single quotes a shell would send the name of the variable itself."""
    text = page.read_text()
    variables = dict.fromkeys(re.findall(r"\b([A-Z][A-Z_]*)=", text), "x")
    blocks = [block for block in _BLOCK.findall(text) if "curl " in block]
    (tmp_path / "cat.jpg").write_bytes(b"\xff\xd8")  # whose size and digest the guide on files computes
    for block in blocks:
        done = subprocess.run(
            ["bash", "-u", "-c", f"{_PROGRAMS}\n{block}"], capture_output=True, text=True, check=False,
            cwd=tmp_path, env=variables | {"PATH": "/usr/bin:/bin"},
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, ""), block
        assert "$" not in done.stdout, block


def test_settings_in_the_docs_exist() -> None:
    settings = {PREFIX + field.name.upper() for field in dataclasses.fields(Settings)}
    patterns = "|".join(Settings.OPEN_NAMES)
    wrong = []
    for page in PAGES:
        unknown = set(re.findall(rf"{PREFIX}[A-Z][A-Z0-9_]*\b", page.read_text())) - settings
        wrong += [(relative(page), name) for name in unknown if not re.fullmatch(patterns, name)]

    assert wrong == []
