"""Whatever the product seals, hashes as a password or issues as a token is a canary: no test leaves one in the open.

Watched are the log lines of each test at debug level, every problem that its client was given, and the logs of the
services that it starts; at the end of a test process, every text in its database (audit, events, deliveries, jobs, the
request log and all else). A secret is found plain, in hex and in base64, alone or inside of a longer text.
"""

import base64
import functools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import asyncpg
import msgspec
import pytest

from signalpost.identity import tokens
from signalpost.kit import crypto, log
from signalpost.kit.crypto import KeyRing
from signalpost.status import tokens as status_tokens

_PIECE = 16
"""Characters by which a secret is recognised: too many to be met by chance, too few for what is public in a token."""
_WORD = re.compile(r"[0-9A-Za-z_-]{16,}")
_BASE64_WORD = re.compile(r"[0-9A-Za-z]{16,}")
_LITERAL_MIN = 8
_VARIETY_MIN = 5
"""Different characters of a piece: fewer stand in any test that repeats one, as in the path of a long link."""
_NAMES = re.compile(r"token|secret|password|jwt|seed|verifier|link|(^|[a-z])key$", re.IGNORECASE)
"""Members of what is sealed that are secret; others stand beside them, such as names and addresses."""
_NOT_SECRET = ("idempotency|", "messenger", "mail", "instance")
"""Sealed as well, but as a whole that holds what is public: stored responses, messages, mails."""
_SHOWN = "Captured stdout"
"""Where the command line prints a new key on purpose."""


class Canaries:
    """The secrets of one test process, and what was said where everybody may read it."""

    def __init__(self) -> None:
        self.test = ""
        """The id of the running test, for messages."""
        self._tests: dict[str, str] = {}
        self._pieces: dict[str, str] = {}
        self._literals: dict[str, str] = {}
        self._clean: set[str] = set()
        self._said: list[str] = []

    def add(self, secret: str) -> None:
        """From now on this may stand nowhere."""
        if secret in self._tests or len(set(secret)) < _LITERAL_MIN:  # a test of lengths
            return
        self._tests[secret] = self.test
        pieces = [piece for piece in _pieces(secret) if len(set(piece)) >= _VARIETY_MIN]
        if pieces and not all(piece in self._pieces for piece in pieces):
            self._pieces |= dict.fromkeys(pieces, secret)
            self._clean.clear()
        elif not _WORD.search(secret) and len(secret) >= _LITERAL_MIN:
            self._literals[secret] = secret

    def says(self, text: str) -> None:
        """This was told to somebody who may not see secrets; it is looked at when the test is over."""
        self._said.append(text)

    def heard(self) -> str:
        """Return what was told since the last time."""
        text = "\n".join(self._said)
        self._said.clear()
        return text

    def found_in(self, text: str) -> list[str]:
        """Return a line for each secret that stands in the text: where, and the test that it belongs to."""
        found = {}
        words = set(_WORD.findall(text)) - self._clean
        for word in words:
            for start in range(len(word) - _PIECE + 1):
                if secret := self._pieces.get(word[start : start + _PIECE]):
                    found[secret] = word
        found |= {secret: secret for secret in self._literals if secret in text}
        self._clean |= words - set(found.values())
        return [f"{_around(text, word)}: {secret!r} of {self._tests[secret]}" for secret, word in found.items()]


def _pieces(secret: str) -> Iterator[str]:
    """Yield the end of each form in which the secret may slip through: tokens begin with what is public."""
    plain = secret.encode(errors="surrogatepass")
    if words := _WORD.findall(secret):
        yield words[-1][-_PIECE:]
    if len(plain) >= _PIECE:
        yield plain.hex()[-_PIECE:]
        for shift in range(3):
            encoded = base64.b64encode(bytes(shift) + plain).decode()[4:-4]
            if words := _BASE64_WORD.findall(encoded):
                yield words[-1][-_PIECE:]


def _around(text: str, word: str) -> str:
    at = text.index(word)
    return text[max(0, at - 200) : at + len(word) + 40].rpartition("\n")[2]


CANARIES = Canaries()


def watch() -> None:
    """Learn every secret of this process from the functions that make or keep them; log at debug level."""
    log.set_up(level="debug", human=False)
    _after(KeyRing, "seal", lambda made, _ring, plain, *, context: _sealed(plain, context))
    for name in ("hash_password", "verify_password"):
        _after(crypto, name, lambda made, *given: (given[-1],))
    _after(crypto, "random_token", lambda made, *_given, **_options: (made,))
    _after(crypto, "master_key_file", lambda made, *_given: (made.decode(errors="replace").strip(),))
    _after(crypto, "new_api_key", lambda made, *_given, **_options: (made.text,))
    for room in (tokens, status_tokens):
        for name in ("mint", "refresh_token", "cookie_token", "invite_token", "issue"):
            if hasattr(room, name):
                _after(room, name, lambda made, *_given, **_options: (made,))


def _after(owner: Any, name: str, secrets_of: Callable[..., Iterable[str]]) -> None:
    function = getattr(owner, name)

    @functools.wraps(function)
    def watched(*given: Any, **options: Any) -> Any:
        made = function(*given, **options)
        for secret in secrets_of(made, *given, **options):
            CANARIES.add(secret)
        return made

    setattr(owner, name, watched)


def _sealed(plain: bytes, context: str) -> Iterator[str]:
    if context != "mail-secrets" and context.startswith(_NOT_SECRET):
        return
    if context.startswith("totp|"):
        yield base64.b32encode(plain).decode().rstrip("=")
        return
    try:
        value = (msgspec.msgpack if context.startswith("oidc.") else msgspec.json).decode(plain)
    except (msgspec.DecodeError, UnicodeDecodeError):
        value = plain.decode(errors="replace")
    yield from secrets_of(value)


def secrets_of(value: Any) -> Iterator[str]:
    """Yield what is secret in a document, such as credentials or the response that shows a key; or the text itself."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, member in value.items():
            if not isinstance(member, str) or _NAMES.search(name):
                yield from secrets_of(member)


class Watch:
    """A plugin of pytest: a test that leaves a secret in the open fails."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        CANARIES.test = item.nodeid
        if not log.get("tests").writes("debug"):  # the test before chose another level
            log.set_up(level="debug", human=False)
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        report: pytest.TestReport = yield
        if report.when == "teardown":
            logged = [text for name, text in report.sections if not name.startswith(_SHOWN)]
            if (found := CANARIES.found_in("\n".join([*logged, CANARIES.heard()]))) and report.passed:
                report.outcome, report.longrepr = "failed", "Secrets in the open:\n" + "\n".join(found)
        if report.passed and hasattr(item.config, "workerinput"):
            report.sections = []  # else the controlling process receives, and keeps, every line of every test
        return report


async def search_database(dsn: str) -> list[str]:
    """Return a line for each secret in a text of any table; what is stored as bytes is sealed or hashed."""
    connection = await asyncpg.connect(dsn)
    try:
        tables = await connection.fetch(
            "select attrelid::regclass::text as name, string_agg(quote_ident(attname) || '::text', ', ') as columns"
            " from pg_attribute join pg_class on pg_class.oid = attrelid"
            " where relkind = 'r' and relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped"
            " and atttypid in ('text'::regtype, 'jsonb'::regtype, 'json'::regtype, 'text[]'::regtype) group by 1"
        )
        found = []
        for table in tables:
            rows = await connection.fetch(f"select distinct concat_ws(' ', {table['columns']}) from {table['name']}")
            found += [f"{table['name']}: {line}" for line in CANARIES.found_in("\n".join(row[0] for row in rows))]
    finally:
        await connection.close()
    return found
