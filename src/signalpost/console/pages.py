"""Pages rendered on the server. They work without scripts, fetch nothing from elsewhere, and show no token."""

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from signalpost.console.first_run import FirstRunPages
from signalpost.console.site import Fixed, PageRequest, Site, Work
from signalpost.identity import first_run
from signalpost.kit import problems
from signalpost.kit.problems import Problem
from signalpost.web.components import Document
from signalpost.web.reply import Reply
from signalpost.web.serve import Web

_PREFIXES = ("", "/api/v1", "/v1")


def handlers(web: Web, openapi_document: Callable[[], Document]) -> list[Any]:
    """Return the handlers of every page. What `openapi_document` gives is made when somebody first asks for it."""
    site = Site(web, openapi_document)
    first_run_pages = FirstRunPages(site)

    async def index(_: PageRequest) -> Reply:
        async with web.context.database.connection() as db:
            return site.page("index", empty=await first_run.nobody_is_registered(db))

    async def every_problem(_: PageRequest) -> Reply:
        kinds = sorted(Problem.registry.values(), key=lambda kind: (kind.status, kind.code))
        return site.page("problems", kinds=kinds)

    async def problem(request: PageRequest) -> Reply:
        return _problem_page(site, request)

    def fixed(what: Callable[[], Fixed]) -> Work:
        async def answer(request: PageRequest) -> Reply:
            made = await asyncio.to_thread(what)  # the first time it takes a while
            return made.reply(request)

        return answer

    return [
        site.route(["/"], index),
        site.route(["/docs"], fixed(lambda: site.docs)),
        site.route([f"{prefix}/openapi.json" for prefix in _PREFIXES], fixed(lambda: site.openapi)),
        site.route([site.common["sheet"].removeprefix(site.common["root"])], fixed(lambda: site.sheet), bucket=None),
        site.route(
            [site.common["icon"].removeprefix(site.common["root"]), "/favicon.ico"],
            fixed(lambda: site.icon),
            bucket=None,
        ),
        site.route(["/problems"], every_problem),
        site.route([f"{prefix}/problems/{{code:str}}" for prefix in _PREFIXES], problem),
        site.route(["/first-run"], first_run_pages.show),
        site.route(["/first-run"], first_run_pages.redeem, method="POST", bucket="login"),
    ]


def _problem_page(site: Site, request: PageRequest) -> Reply:
    """Show what a code means: to a person as a page, to a program that asks below the API as JSON."""
    kind = Problem.registry.get(str(request.path_params["code"]))
    if kind is None:
        raise problems.NotFound("There is no error with this code.")
    accept = request.headers.get("accept", "")
    if "text/html" not in accept and ("json" in accept or request.scope["path"].startswith(("/api/v1/", "/v1/"))):
        about = {
            "type": f"{site.web.base_url}/problems/{kind.code}",
            "code": kind.code,
            "status": kind.status,
            "title": kind.title,
            "remediation": kind.remediation,
            "retryable": kind.retryable,
        }
        return Reply(200, msgspec.json.encode(about), [(b"vary", b"accept")])
    places = site.where.get(kind.code, [])
    return site.page("problem", kind=kind, operations=places, headers=[(b"vary", b"accept")])
