"""Pages rendered on the server. They need no scripts, load nothing from other sites and never show a token."""

import msgspec

from signalpost.accounts.platforms import CLIENT_METADATA_PATH
from signalpost.console import (
    app_pages,
    authorize,
    choose,
    connect,
    docs_pages,
    invites,
    link_pages,
    mail_choices,
    oauth,
    oidc,
    register,
    reports,
    reset_password,
    reviews,
    sign_in,
    status_pages,
    team_invites,
)
from signalpost.console.first_run import CREATE_OWNER, FirstRunPages
from signalpost.console.markdown_reference import problem_as_markdown, problems_as_markdown
from signalpost.console.site import SECURITY_HEADERS, Site, cached
from signalpost.identity.actions import first_run
from signalpost.kit import problems
from signalpost.kit.problems import Issue, Problem, problem_document
from signalpost.kit.tenant import across_workspaces
from signalpost.networks import PLATFORMS
from signalpost.web.request import Request
from signalpost.web.response import Response
from signalpost.web.router import Route

_PREFIXES = ("", "/api/v1", "/v1")


def handlers(site: Site) -> list[Route]:
    """Return the routes of all pages."""
    web = site.web
    first_run_pages = FirstRunPages(site)
    sign_in_pages = sign_in.SignInPages(site)
    register_pages = register.RegisterPages(site)
    reset_pages = reset_password.ResetPages(site)
    team_pages = team_invites.TeamInvitePages(site)
    connect_pages = connect.ConnectPages(site)
    oidc_pages = oidc.OidcPages(site)
    choose_pages = choose.ChoosePages(site)
    invite_pages = invites.InvitePages(site)
    review_pages = reviews.ReviewPages(site)

    async def index(request: Request) -> Response:
        with across_workspaces():  # users are of the installation
            async with web.context.database.connection() as db:
                no_users = await first_run.has_no_users(db)
        command = site.command(CREATE_OWNER if no_users else "demo", request)
        return site.page("index", no_users=no_users, command=command)

    async def problem_list(request: Request) -> Response:
        if request.path.endswith(".md"):
            return _markdown(problems_as_markdown(all_problems(), site.common["root"]))
        return site.page("problems", kinds=all_problems())

    async def problem(request: Request) -> Response:
        return _problem_page(site, request)

    icon = site.common["icon"].removeprefix(site.common["root"])
    return [
        *site.routes(["/"], index),
        *docs_pages.routes(site),
        *site.routes([f"{prefix}/openapi.json" for prefix in _PREFIXES], cached(lambda: site.addressed(site.openapi))),
        *site.routes([site.common["sheet"].removeprefix(site.common["root"])], cached(lambda: site.sheet), bucket=None),
        *site.routes([icon, "/favicon.ico"], cached(lambda: site.icon), bucket=None),
        *_of_mails(site),
        *site.routes(["/problems", "/problems.md"], problem_list),
        *site.routes([f"{prefix}/problems/{{code}}" for prefix in _PREFIXES], problem),
        *site.routes(["/first-run"], first_run_pages.show),
        *site.routes(["/first-run"], first_run_pages.redeem, method="POST", bucket="login"),
        *app_pages.routes(site),
        *site.routes([sign_in.PATH], sign_in_pages.show),
        *site.routes([sign_in.PATH], sign_in_pages.sign_in, method="POST", bucket="login"),
        *site.routes([sign_in.OUT_PATH], sign_in_pages.sign_out, method="POST"),
        *site.routes([register.PATH], register_pages.show),
        *site.routes([register.PATH], register_pages.register, method="POST", bucket="login"),
        *site.routes([reset_password.FORGOT_PATH], reset_pages.ask),
        *site.routes([reset_password.FORGOT_PATH], reset_pages.send, method="POST", bucket="login"),
        *site.routes([reset_password.PATH], reset_pages.show),
        *site.routes([reset_password.PATH], reset_pages.choose, method="POST", bucket="login"),
        *site.routes([team_invites.PATH], team_pages.show),
        *site.routes([team_invites.PATH], team_pages.respond, method="POST", bucket="login"),
        *site.routes([oidc.START], oidc_pages.start),
        *site.routes([oidc.CALLBACK], oidc_pages.finish),
        *site.routes([oidc.ANSWER], oidc_pages.show),
        *site.routes([oidc.ANSWER], oidc_pages.answer, method="POST", bucket="login"),
        *_of_reports(site),
        *_of_links(site),
        *_of_apps(site),
        *site.routes([connect.PATH], connect_pages.show),
        *site.routes([connect.PATH], connect_pages.start, method="POST"),
        *site.routes([CLIENT_METADATA_PATH], connect_pages.describe_client),
        *site.routes([choose.PATH], choose_pages.show),
        *site.routes([choose.PATH], choose_pages.choose, method="POST"),
        *site.routes([invites.PATH], invite_pages.show),
        *site.routes([invites.PATH], invite_pages.choose, method="POST"),
        *site.routes([reviews.PATH], review_pages.show, bucket="console"),
        *site.routes([reviews.PATH], review_pages.send, method="POST", bucket="console"),
    ]


def _of_mails(site: Site) -> list[Route]:
    """Return the routes that mails lead to without signing in, and those of the status page."""
    return [*status_pages.routes(site), *mail_choices.routes(site)]


def _of_reports(site: Site) -> list[Route]:
    """Return the routes of reports by link, unless that extension is off."""
    if "report_links" in site.web.context.settings.extensions_off:
        return []
    return reports.ReportPages(site).routes()


def _of_links(site: Site) -> list[Route]:
    """Return the routes of link pages, unless that extension is off."""
    if "link_pages" in site.web.context.settings.extensions_off:
        return []
    return link_pages.LinkPages(site).routes()


def _of_apps(site: Site) -> list[Route]:
    """Return the routes by which apps of others are allowed to act, unless that extension is off."""
    if "apps" in site.web.context.settings.extensions_off:
        return []
    pages = authorize.AuthorizePages(site)
    return [
        *site.routes([oauth.AUTHORIZE], pages.show, bucket="console"),
        *site.routes([oauth.AUTHORIZE], pages.decide, method="POST", bucket="console"),
        *oauth.routes(site),
    ]


def _problem_page(site: Site, request: Request) -> Response:
    """Explain an error code: as a page, or as JSON to a program that asks below `/api/v1`."""
    code = request.path_params["code"]
    kind = Problem.registry.get(code.removesuffix(".md"))
    if kind is None:
        raise problems.NotFound("No error has this code.", remediation="/problems lists them all.")
    operations = site.operations_by_code.get(kind.code, [])
    if code.endswith(".md"):
        return _markdown(problem_as_markdown(kind, operations, site.common["root"]))
    accept = request.headers.get("accept", "")
    if "text/html" not in accept and ("json" in accept or request.path.startswith(("/api/v1/", "/v1/"))):
        explanation = {
            "type": f"{site.web.base_url}/problems/{kind.code}",
            "code": kind.code,
            "status": kind.status,
            "title": kind.title,
            "remediation": kind.remediation,
            "retryable": kind.retryable,
        }
        return Response(200, msgspec.json.encode(explanation), [(b"vary", b"accept")])
    example = validation_example(site.web.base_url) if kind is problems.ValidationFailed else None
    return site.page("problem", kind=kind, operations=operations, example=example, headers=[(b"vary", b"accept")])


def _markdown(text: str) -> Response:
    return Response(200, text.encode(), list(SECURITY_HEADERS), docs_pages.MARKDOWN)


def all_problems() -> list[type[Problem]]:
    """Return every error, by status and code."""
    return sorted(Problem.registry.values(), key=lambda kind: (kind.status, kind.code))


def validation_example(base_url: str) -> str:
    """Return the response to a post with two mistakes, as it is sent, but on several lines."""
    nearest = "Did you mean bluesky?"
    issues = [
        Issue("/platforms/0", "not_allowed", f"Must be one of {', '.join(PLATFORMS)}, not 'blusky'. {nearest}"),
        Issue("/message", "unknown_field", "Unknown field. Did you mean text?"),
    ]
    document = problem_document(problems.ValidationFailed(errors=issues), "/api/v1/posts", base_url)
    return msgspec.json.format(msgspec.json.encode(document)).decode()
