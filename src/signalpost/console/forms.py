"""Forms as browsers send them, and what the address of a page says."""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl

from signalpost.kit import problems
from signalpost.web.request import Request, query_values, read_body

FORM_BYTES_MAX = 10_000
_TOKEN_LENGTH_MAX = 200
_SECRETS = ("password",)
_CONSOLE_PAGE = re.compile(r"/console(?:/[\w\-./]*)?(?:\?[\w\-.~%&=+:,]*)?", re.ASCII)


def token_of(request: Request) -> str:
    """Return the token of a one-time link; empty without one."""
    return query_values(request).get("token", "")[:_TOKEN_LENGTH_MAX]


def next_page(request: Request) -> str:
    """Return where the person wants to go after signing in: a page of the console, never another site.

    Or the page on which they allow an app something, which knows by itself what the app asked for.
    """
    target = query_values(request).get("next", "")[:500]
    if target == "/oauth/authorize":
        return target
    return target if _CONSOLE_PAGE.fullmatch(target) and ".." not in target else "/console"


async def read_form(request: Request, names: Sequence[str]) -> dict[str, str]:
    """Return these fields as text: missing ones are empty, and only passwords keep the spaces around them.

    Raises:
        UnsupportedMediaType: the body is not a form.
        MalformedRequest: the form is malformed.
        PayloadTooLarge: the form is larger than FORM_BYTES_MAX.
    """
    if not request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        raise problems.UnsupportedMediaType(
            "This page only accepts its own form.", remediation="Open the page in a browser and submit the form there."
        )
    body = await read_body(request, FORM_BYTES_MAX)
    try:
        pairs: dict[str, Any] = dict(
            parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=20, errors="strict")
        )
    except (UnicodeDecodeError, ValueError) as error:
        raise problems.MalformedRequest(
            "The form is malformed.", remediation="Open the page in a browser and submit the form there."
        ) from error
    values = {name: str(pairs.get(name, "")) for name in names}
    return {name: value if name in _SECRETS else value.strip() for name, value in values.items()}
