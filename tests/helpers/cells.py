"""What a cell hands out, how it comes back, and the expressions of the guide by which a router reads it."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

from tests.counterparts.tools import CHECKOUT

from signalpost.accounts.actions.oauth_flows import FlowSecrets
from signalpost.apps import tokens as app_tokens
from signalpost.identity import tokens, work
from signalpost.kit import crypto, ids
from signalpost.kit.crypto import KeyRing
from signalpost.mail import choices
from signalpost.media import signed_urls
from signalpost.oidc import flow
from signalpost.status import tokens as status_tokens
from signalpost.workspaces import links

CELL = "b7"
GUIDE = (CHECKOUT / "docs/guides/cells.md").read_text()
_BLOCK = re.search(r"```\n(header .*?)```", GUIDE, re.DOTALL)
assert _BLOCK
PATTERNS = dict(re.findall(r"^(\w+) +(\S.*)$", _BLOCK[1], re.MULTILINE))
"""Place -> the expression by which a router reads the name of a cell there."""
ROW, AT = UUID(int=0x0190_0000_0000_7000_8000_0000_0000_0001), datetime(2026, 12, 1, tzinfo=UTC)
RING = KeyRing({"k": b"k" * 32}, "k", cell=CELL)
SINGLE = KeyRing({"k": b"k" * 32}, "k")
ACCESS = tokens.Access(user_id=ROW, workspace_id=ROW, session_id=ROW)
AUTHORIZATION = app_tokens.Authorization(
    id=ROW, app_id=ROW, user_id=ROW, session_id=ROW, workspace_id=ROW, scopes=(), profile_ids=None,
    redirect_uri="https://app.example", challenge="c" * 43, expires=9e9,
)  # fmt: skip


class Handed(NamedTuple):
    """Something that is made from keys alone: where it comes back, how it looks there, and whether it is accepted."""

    place: str
    shown: str
    make: Callable[[KeyRing], str]
    accepts: Callable[[KeyRing, str], bool] | None = None
    """None: it is stored as a hash of the whole text, so that nothing is taken off before it is looked up."""


def _signed(valid: Callable[[KeyRing, int, str], bool]) -> Callable[[KeyRing, str], bool]:
    def accepts(keys: KeyRing, url: str) -> bool:
        query = dict(parse_qsl(urlsplit(url).query))
        return valid(keys, int(query["expires"]), query["signature"])

    return accepts


def _key(_: KeyRing, text: str) -> bool:
    return crypto.parse_api_key(text) is not None


HANDED: dict[str, Handed] = {
    "access token of an app": Handed(
        "header", "Bearer {}", lambda keys: app_tokens.new_access_token(keys, "A" * 12).text, _key
    ),
    "secret of an app": Handed("body", "client_secret={}", lambda keys: app_tokens.new_secret(keys).text, _key),
    "code of an app": Handed(
        "body", "code={}", lambda keys: app_tokens.code_of(keys, AUTHORIZATION),
        lambda keys, text: app_tokens.read_code(keys, text) == AUTHORIZATION,
    ),
    "refresh token of an app": Handed(
        "body", "grant_type=refresh_token&refresh_token={}", lambda keys: app_tokens.refresh_token(keys, ROW, 7),
        lambda keys, text: app_tokens.read_refresh_token(keys, text) == (ROW, 7),
    ),
    "refresh token": Handed(
        "body", '{{"refreshToken": "{}"}}', lambda keys: tokens.refresh_token(keys, ROW, 7),
        lambda keys, text: tokens.read_refresh_token(keys, text) == (ROW, 7),
    ),
    "session cookie": Handed(
        "cookie", "approval_name=x.y; __Host-session={}", lambda keys: tokens.cookie_token(keys, ACCESS),
        lambda keys, text: tokens.read_cookie_token(keys, text) == ACCESS,
    ),
    "team invitation": Handed(
        "path", "/invites/{}", lambda keys: tokens.invite_token(keys, ROW),
        lambda keys, text: tokens.read_invite_token(keys, text) == (ROW, False),
    ),
    "team invitation by mail": Handed(
        "path", "/api/v1/team/invites/{}/accept", lambda keys: tokens.invite_token(keys, ROW, mailed=True),
        lambda keys, text: tokens.read_invite_token(keys, text) == (ROW, True),
    ),
    "new password": Handed("query", "/reset-password?token={}", lambda keys: work.reset_token(keys, ROW)),
    "state of an authorization": Handed(
        "query", "/api/v1/platforms/x/callback?code=4/0Ab.cd&state={}", lambda keys: FlowSecrets.new(keys.cell).state
    ),
    "start of an authorization": Handed("path", "/connect/{}/choose", lambda keys: FlowSecrets.new(keys.cell).state),
    "state of a sign-in": Handed(
        "query", "/sign-in/oidc/callback?state={}&code=ab.cd", lambda keys: flow.begin(keys, flow.Client()).state
    ),
    "cookie of a sign-in": Handed(
        "cookie", "signalpost_oidc_question={}", lambda keys: flow.seal(keys, flow.begin(keys, flow.Client())),
        lambda keys, text: flow.unseal(keys, flow.Flow, text) is not None,
    ),
    "code of a sign-in": Handed(
        "body", '{{"code":"{}","codeVerifier":"x"}}',
        lambda keys: flow.CODE_PREFIX + flow.seal(keys, flow.Grant(ROW, "c" * 43, 9e9)),
        lambda keys, text: flow.unseal(keys, flow.Grant, text.removeprefix(flow.CODE_PREFIX)) is not None,
    ),
    "file": Handed(
        "query", "{}", lambda keys: signed_urls.create(keys, "", ROW, "thumbnail"),
        _signed(lambda keys, expires, mac: signed_urls.is_valid(keys, ROW, "thumbnail", expires, mac)),
    ),
    "form of a file": Handed(
        "query", "{}", lambda keys: signed_urls.create_form(keys, "", ROW, "ab"),
        _signed(lambda keys, expires, mac: signed_urls.is_valid(keys, ROW, "original", expires, mac, "ab")),
    ),
    "upload": Handed(
        "query", "{}", lambda keys: signed_urls.create_upload(keys, "", ROW, 9_000_000_000),
        _signed(lambda keys, expires, mac: signed_urls.is_valid_upload(keys, ROW, expires, mac)),
    ),
    "export": Handed(
        "query", "{}", lambda keys: links.create(keys, "", ROW, AT),
        _signed(lambda keys, expires, mac: links.is_valid(keys, ROW, AT, expires, mac)),
    ),
    "status: the confirmation": Handed(
        "body", '{{"token":"{}"}}', lambda keys: status_tokens.issue(keys, "confirm", ROW, AT),
        lambda keys, text: _is_of_subscriber(keys, "confirm", text),
    ),
    "status: no more news": Handed(
        "query", "/status/unsubscribe?token={}", lambda keys: status_tokens.issue(keys, "unsubscribe", ROW, AT),
        lambda keys, text: _is_of_subscriber(keys, "unsubscribe", text),
    ),
    "no more mails of a topic": Handed(
        "query", "/mails/unsubscribe?token={}", lambda keys: choices.issue(keys, ids.encode("usr", ROW), "feeds"),
        lambda keys, text: choices.read(keys, text) == (ROW, "feeds"),
    ),
}  # fmt: skip


def _is_of_subscriber(keys: KeyRing, purpose: status_tokens.Purpose, text: str) -> bool:
    return status_tokens.subscriber_of(text) == ROW and status_tokens.is_valid(keys, text, purpose, ROW, AT)


def cell_in(place: str, text: str) -> str | None:
    """What a router reads."""
    match = re.search(PATTERNS[place], text)
    return match[1] if match else None


def older(text: str) -> str:
    """The same as it was made before cells had names."""
    bare = text.replace(f"{CELL}.", "", 1)
    if re.match(r"sp_(live|test|oat|ocs)_", bare):
        bare = bare[:-6] + crypto.crc32_base62(bare[:-6])
    assert bare != text
    return bare
