"""Requests that are signed as OAuth 1 has it (RFC 5849, HMAC-SHA1): by programs that a network has had for long."""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from urllib.parse import quote, unquote

from simulator.messages import Request


def parameters(request: Request) -> Mapping[str, str]:
    """Return what the header says of who signed it; empty if it is of another kind."""
    scheme, _, rest = request.headers.get("authorization", "").partition(" ")
    if scheme != "OAuth":
        return {}
    pairs = [entry.strip().partition("=") for entry in rest.split(",")]
    return {unquote(name): unquote(value.strip('"')) for name, _, value in pairs}


def is_signed(request: Request, consumer_secret: str, token_secret: str) -> bool:
    """Return whether a request is signed with these secrets. Bodies that are no form are not part of what is signed."""
    given = dict(parameters(request))
    signature = given.pop("oauth_signature", "")
    signed = sorted((_written(name), _written(value)) for name, value in [*given.items(), *request.pairs])
    address = f"http://{request.headers.get('host', '')}{request.path}"
    joined = "&".join(f"{name}={value}" for name, value in signed)
    base = "&".join(_written(part) for part in (request.method, address, joined))
    key = f"{_written(consumer_secret)}&{_written(token_secret)}"
    wanted = base64.b64encode(hmac.digest(key.encode(), base.encode(), hashlib.sha1)).decode()
    return given.get("oauth_signature_method") == "HMAC-SHA1" and hmac.compare_digest(signature, wanted)


def _written(text: str) -> str:
    return quote(text, safe="~")
