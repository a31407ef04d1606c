"""The page a person sees when a platform sends them back. Everything in it is escaped, and it runs no script."""

from html import escape
from urllib.parse import urlencode, urlsplit, urlunsplit

from signalpost.accounts.schemas import CallbackResult

HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",  # the address of this page contains the code
}
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>{refresh}
<style>body{{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}}</style></head>
<body><h1>{title}</h1><p>{text}</p>{link}</body></html>
"""


def render(result: CallbackResult, platform: str, redirect_url: str | None) -> bytes:
    """Return the page for a result; with `redirect_url` the browser moves on there at once."""
    account = result.account
    if account is not None:
        title = "Connected"
        text = f"{account.display_name} (@{account.username}) is connected. You can close this page."
    else:
        title, text = "Not connected", result.error_description or result.error or "Please try again."
    refresh = link = ""
    if redirect_url is not None:
        target = escape(_with_result(redirect_url, result, platform))
        refresh = f'<meta http-equiv="refresh" content="0;url={target}">'
        link = f'<p><a href="{target}">Continue</a></p>'
    return _PAGE.format(title=escape(title), text=escape(text), refresh=refresh, link=link).encode("utf-8", "replace")


def _with_result(url: str, result: CallbackResult, platform: str) -> str:
    parts = urlsplit(url)
    account_id = result.account.id if result.account else ""
    parameters = {"status": result.status, "accountId": account_id, "platform": platform}
    if result.error:
        parameters["error"] = result.error
    query = "&".join(part for part in (parts.query, urlencode(parameters)) if part)
    return urlunsplit(parts._replace(query=query))
