"""The page a person sees when a platform sends them back. Everything in it is escaped, and it runs no script."""

from urllib.parse import urlencode, urlsplit, urlunsplit

from signalpost.accounts.platforms import start_url
from signalpost.accounts.schemas import CallbackResult
from signalpost.context import AppContext
from signalpost.kit.problems import Problem
from signalpost.web.routing import RawResponse

HTML = "text/html; charset=utf-8"


async def render(context: AppContext, result: CallbackResult, platform: str, redirect_url: str | None) -> RawResponse:
    """Return the page for a result; with `redirect_url` the browser moves on there at once."""
    account = result.account
    if result.selection_token is not None:
        choice = f"{start_url(context, result.selection_token)}/choose"
        page = await context.hooks.render_page(
            context, title="Almost connected", text="Choose what to connect.", continue_url=choice
        )
        return RawResponse(page.body, HTML, headers=page.headers)
    if account is not None:
        title = "Connected"
        text = f"{account.display_name} (@{account.username}) is connected. You can close this page."
    else:
        title, text = "Not connected", result.error_description or result.error or "Please try again."
    url = None if redirect_url is None else _with_result(redirect_url, result, platform)
    page = await context.hooks.render_page(context, title=title, text=text, continue_url=url)
    return RawResponse(page.body, HTML, headers=page.headers)


async def render_problem(context: AppContext, problem: Problem) -> RawResponse:
    """Return the page for a return that is refused: it leads nowhere, whatever its address says."""
    text = f"{problem.detail} Nothing was connected. Ask for another link and open it in this browser."
    page = await context.hooks.render_page(context, title="Not connected", text=text)
    return RawResponse(page.body, HTML, status=problem.status, headers=page.headers | problem.headers)


def _with_result(url: str, result: CallbackResult, platform: str) -> str:
    parts = urlsplit(url)
    account_id = result.account.id if result.account else ""
    parameters = {"status": result.status, "accountId": account_id, "platform": platform}
    if result.error:
        parameters["error"] = result.error
    query = "&".join(part for part in (parts.query, urlencode(parameters)) if part)
    return urlunsplit(parts._replace(query=query))
