"""Access tokens: what we did not sign, or signed for something else, opens nothing."""

import base64
import hmac
import json
import secrets
import time
from collections.abc import Callable
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey, RSAKey
from tests.helpers.api import Api
from tests.helpers.identity import code, register

from signalpost.identity import tokens
from signalpost.identity.errors import TokenExpired
from signalpost.kit import clock, ids
from signalpost.kit.crypto import KeyRing

RING = KeyRing({"new": secrets.token_bytes(32), "old": secrets.token_bytes(32)}, "new")
KEY = RING.derive("access-token")
HEADER = {"alg": "HS256", "typ": "JWT"}
ACCESS = tokens.Access(user_id=ids.new_id(), workspace_id=ids.new_id(), session_id=ids.new_id())


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def claims(**changed: Any) -> dict[str, Any]:
    now = int(time.time())
    return {
        "iss": "signalpost",
        "aud": "signalpost-api",
        "sub": ids.encode("usr", ACCESS.user_id),
        "wsp": ids.encode("wsp", ACCESS.workspace_id),
        "role": "owner",
        "sid": str(ACCESS.session_id),
        "iat": now,
        "exp": now + 900,
    } | changed


def signed(
    header: dict[str, Any] | bytes, payload: dict[str, Any] | bytes, key: bytes = KEY, digest: str = "sha256"
) -> str:
    """A token with a right HMAC over whatever stands in it."""
    parts = [b64(part if isinstance(part, bytes) else json.dumps(part).encode()) for part in (header, payload)]
    return ".".join([*parts, b64(hmac.digest(key, ".".join(parts).encode(), digest))])


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in claims().items() if key != name}


def other_algorithm(alg: str, key: Any) -> str:
    return jwt.encode({"alg": alg, "typ": "JWT"}, claims(), key, algorithms=[alg])


RSA = RSAKey.generate_key(2048)


def good() -> list[str]:
    """The parts of a token that is ours; of this moment, since the tests may run much later than they are collected."""
    return signed(HEADER, claims()).split(".")


ATTACKS: dict[str, Callable[[], str]] = {
    "alg none": lambda: f"{b64(json.dumps({'alg': 'none', 'typ': 'JWT'}).encode())}.{good()[1]}.",
    "alg none, signature kept": lambda: f"{b64(json.dumps({'alg': 'none'}).encode())}.{good()[1]}.{good()[2]}",
    "alg NoNe": lambda: f"{b64(json.dumps({'alg': 'NoNe', 'typ': 'JWT'}).encode())}.{good()[1]}.",
    "alg empty": lambda: f"{b64(json.dumps({'alg': '', 'typ': 'JWT'}).encode())}.{good()[1]}.",
    "alg missing": lambda: signed({"typ": "JWT"}, claims()),
    "alg null": lambda: signed({"alg": None, "typ": "JWT"}, claims()),
    "alg a list": lambda: signed({"alg": ["HS256"], "typ": "JWT"}, claims()),
    "no signature": lambda: f"{good()[0]}.{good()[1]}.",
    "HS384 with our key": lambda: signed({"alg": "HS384", "typ": "JWT"}, claims(), digest="sha384"),
    "HS512 with our key": lambda: other_algorithm("HS512", OctKey.import_key(KEY + KEY)),
    "RS256 of another's key": lambda: other_algorithm("RS256", RSA),
    "ES256 of another's key": lambda: other_algorithm("ES256", ECKey.generate_key("P-256")),
    "HS256 keyed by a public key": lambda: signed(HEADER, claims(), key=RSA.as_pem(private=False)),
    "HS256 keyed by nothing": lambda: signed(HEADER, claims(), key=b""),
    "HS256 keyed by zeros": lambda: signed(HEADER, claims(), key=bytes(32)),
    "kid of a file": lambda: signed(HEADER | {"kid": "/dev/null"}, claims(), key=b""),
    "kid of an older key": lambda: signed(HEADER | {"kid": "old"}, claims()),
    "kid with SQL": lambda: signed(HEADER | {"kid": "' or 1=1 --"}, claims()),
    "jwk in the header": lambda: signed(HEADER | {"jwk": {"kty": "oct", "k": "AAAA"}}, claims(), key=bytes(3)),
    "jku": lambda: signed(HEADER | {"jku": "https://evil.example/keys"}, claims()),
    "x5u": lambda: signed(HEADER | {"x5u": "https://evil.example/cert"}, claims()),
    "crit": lambda: signed(HEADER | {"crit": ["b64"], "b64": False}, claims()),
    "zip": lambda: signed(HEADER | {"zip": "DEF"}, claims()),
    "key of another purpose": lambda: signed(HEADER, claims(), key=RING.derive("api-key")),
    "another issuer": lambda: signed(HEADER, claims(iss="evil")),
    "another audience": lambda: signed(HEADER, claims(aud="other")),
    "a list of audiences": lambda: signed(HEADER, claims(aud=["signalpost-api", "other"])),
    "no expiry": lambda: signed(HEADER, without("exp")),
    "expiry as text": lambda: signed(HEADER, claims(exp="9999999999")),
    "expiry infinite": lambda: signed(HEADER, json.dumps(claims()).replace(str(claims()["exp"]), "1e400").encode()),
    "a year long": lambda: signed(HEADER, claims(exp=int(time.time()) + 31_536_000)),
    "from the future": lambda: signed(HEADER, claims(iat=int(time.time()) + 600, exp=int(time.time()) + 1200)),
    "no subject": lambda: signed(HEADER, without("sub")),
    "subject of another kind": lambda: signed(HEADER, claims(sub=ids.encode("key", ACCESS.user_id))),
    "session id no id": lambda: signed(HEADER, claims(sid="../../1")),
    "one claim more": lambda: signed(HEADER, claims(admin=True)),
    "payload no object": lambda: signed(HEADER, b'["a"]'),
    "payload no JSON": lambda: signed(HEADER, b"{"),
    "role raised, signature kept": lambda: f"{good()[0]}.{b64(json.dumps(claims(role='admin')).encode())}.{good()[2]}",
    "encrypted form": lambda: f"{good()[0]}.{good()[1]}.{good()[1]}.{good()[1]}.{good()[2]}",
    "huge": lambda: signed(HEADER, claims(role="x" * 1_000_000)),
    "dots": lambda: "." * 1_000,
    "empty parts": lambda: "..",
    "not base64": lambda: "é.ü.ñ",
    "lone surrogate": lambda: "\ud800.a.b",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_token_that_is_not_ours_is_not_read(attack: str) -> None:
    """Key and algorithm are ours to choose, never the token's."""
    assert tokens.read(RING, ATTACKS[attack]()) is None


def test_our_own_token_is_read() -> None:
    """The attacks above differ from this one in one thing each."""
    assert tokens.read(RING, ".".join(good())) == ACCESS
    assert tokens.read(RING, tokens.mint(RING, ACCESS, "owner")) == ACCESS


def test_a_token_under_the_former_master_key_still_works() -> None:
    """A change of the master key must not sign everybody out."""
    assert tokens.read(RING, signed(HEADER, claims(), key=RING.derive_each("access-token")[1])) == ACCESS


def test_an_expired_token_has_its_own_error() -> None:
    """The client knows then that refreshing helps."""
    with clock.at(clock.now() - clock.seconds(901)):
        old = tokens.mint(RING, ACCESS, "owner")
    with pytest.raises(TokenExpired):
        tokens.read(RING, old)


@pytest.mark.parametrize("attack", sorted(set(ATTACKS) - {"not base64", "lone surrogate", "huge"}))
async def test_over_the_api_it_is_a_401(api: Api, attack: str) -> None:
    """Nothing a bearer holds may lead to anything else."""
    assert await code(api, "/auth/me", ATTACKS[attack]()) == "unauthenticated"


async def test_a_valid_signature_needs_an_active_session(api: Api) -> None:
    """Even with a stolen signing key, a token for an unknown session or another user opens nothing."""
    made = await register(api)
    assert await code(api, "/auth/me", made["accessToken"]) == 200
    ours, theirs = made["accessToken"].split("."), (await register(api))["accessToken"].split(".")
    assert await code(api, "/auth/me", ".".join([ours[0], ours[1], theirs[2]])) == "unauthenticated"


def test_a_refresh_token_is_read_without_a_lookup() -> None:
    """Also one under the former master key; and number and session cannot be changed."""
    old = KeyRing({"old": RING._keys["old"]}, "old")
    for keys in (RING, old):
        text = tokens.refresh_token(keys, ACCESS.session_id, 7)
        assert tokens.read_refresh_token(RING, text) == (ACCESS.session_id, 7)
        assert len(text) == 74
    text = tokens.refresh_token(RING, ACCESS.session_id, 7)
    for place in range(4, len(text)):
        other = "A" if text[place] != "A" else "Q"
        assert tokens.read_refresh_token(RING, text[:place] + other + text[place + 1 :]) is None
    stranger = KeyRing({"a": secrets.token_bytes(32)}, "a")
    for wrong in (
        "",
        "spr_",
        text[4:],
        text + "A",
        text[:-1] + "é",
        tokens.refresh_token(stranger, ACCESS.session_id, 7),
    ):
        assert tokens.read_refresh_token(RING, wrong) is None
