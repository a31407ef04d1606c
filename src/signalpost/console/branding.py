"""What a workspace may change in the look of a page: one colour, and pictures of one host."""

import base64
import hashlib
from urllib.parse import urlsplit

from signalpost.console.site import SECURITY_HEADERS
from signalpost.web.response import Headers


def rule_of(color: str | None) -> str:
    """Return the one rule that is the workspace's; its colour has the form `#1f6feb`."""
    return f".top{{border-top:6px solid {color}}}" if color else ""


def headers_of(rule: str, logo_url: str | None, *, videos: bool = False) -> Headers:
    """Allow exactly this rule, and pictures of the logo's host; `videos`: those of the service too."""
    policy = next(value for name, value in SECURITY_HEADERS if name == b"content-security-policy").decode()
    if rule:
        digest = base64.b64encode(hashlib.sha256(rule.encode()).digest()).decode()
        policy = policy.replace("style-src 'self'", f"style-src 'self' 'sha256-{digest}'")
    if logo_url:
        policy = policy.replace("img-src 'self'", f"img-src 'self' https://{urlsplit(logo_url).netloc}")
    if videos:
        policy += "; media-src 'self'"
    return [(b"content-security-policy", policy.encode())]
