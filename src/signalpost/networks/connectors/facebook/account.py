"""Connecting by Facebook Login, listing the Pages of a person, checking a Page and revoking the permissions."""

from collections.abc import Mapping, Sequence
from typing import Any

from signalpost.networks.contract import (
    ApiError,
    AuthorizationCode,
    Destination,
    Health,
    Identity,
    LinkedInstagram,
    NetworkSession,
    OAuthApp,
    OAuthFacts,
    Server,
)
from signalpost.networks.meta.graph import Graph, of_session
from signalpost.networks.meta.login import LOGIN, missing_scopes, permissions, user_of_code
from signalpost.networks.meta.pages import pages
from signalpost.networks.responses import number, string

OAUTH_FACTS = OAuthFacts(
    **LOGIN,
    scopes=(
        "pages_show_list",
        "business_management",
        "pages_manage_posts",
        "pages_read_engagement",
        "pages_manage_engagement",
        "pages_read_user_content",
        "read_insights",
    ),
    push_scopes=("pages_manage_metadata",),
)
_PAGE = "id,name,username,access_token,tasks,category,picture{url},link,followers_count"
_POSTING_TASKS = frozenset({"CREATE_CONTENT", "MANAGE", "PROFILE_PLUS_CREATE_CONTENT", "PROFILE_PLUS_FULL_CONTROL"})


async def exchange(server: Server, app: OAuthApp, code: AuthorizationCode) -> Identity:
    """Exchange the code for a token of 60 days, and return the person; the Pages are read from it."""
    user = await user_of_code(server, app, code)
    return Identity(
        remote_id=user.id,
        username=user.name,
        display_name=user.name,
        secrets={"accessToken": user.token},
        scopes=user.scopes or app.scopes or OAUTH_FACTS.scopes,
        token_expires_at=None,  # the tokens of Pages, which post, do not expire
    )


async def destinations(session: NetworkSession) -> Sequence[Destination]:
    """Return the Pages of the person, those of their business portfolios included, with a token for each."""
    graph = of_session(session, session.secrets["accessToken"])
    try:
        listed = await _pages(graph, f"{_PAGE},instagram_business_account{{id,username}}")
    except ApiError as error:
        if error.response.status != 400:
            raise
        listed = await _pages(graph, _PAGE)  # without permissions for Instagram, its fields are refused
    return [_destination(page) for page in listed if string(page.get("access_token"))]


async def _pages(graph: Graph, fields: str) -> list[Mapping[str, Any]]:
    return [page async for page in pages(graph, fields)]


def _destination(page: Mapping[str, Any]) -> Destination:
    tasks = page.get("tasks")
    tasks = tuple(filter(None, map(string, tasks[:50]))) if isinstance(tasks, list) else ()
    instagram = page.get("instagram_business_account")
    page_id, name = string(page.get("id")) or "", string(page.get("name")) or ""
    return Destination(
        identity=Identity(
            remote_id=page_id,
            username=string(page.get("username")) or name,
            display_name=name,
            secrets={"pageToken": page["access_token"]},
            kind="page",
            avatar_url=_picture(page),
            profile_url=string(page.get("link")) or f"https://www.facebook.com/{page_id}",
            followers=number(page.get("followers_count")),
        ),
        category=string(page.get("category")),
        tasks=tasks,
        can_post=not tasks or not _POSTING_TASKS.isdisjoint(tasks),
        linked_instagram=_linked(instagram) if isinstance(instagram, dict) else None,
    )


def _linked(instagram: Mapping[str, Any]) -> LinkedInstagram | None:
    instagram_id = string(instagram.get("id"))
    if instagram_id is None:
        return None
    return LinkedInstagram(id=instagram_id, username=string(instagram.get("username")) or instagram_id)


def _picture(page: Mapping[str, Any]) -> str | None:
    picture = page.get("picture")
    data = picture.get("data") if isinstance(picture, dict) else None
    return string(data.get("url")) if isinstance(data, dict) else None


def page_graph(session: NetworkSession, *, host: str = "") -> Graph:
    """Return the API with the Page's token."""
    return of_session(session, session.secrets.get("pageToken") or session.secrets["accessToken"], host=host)


async def check(session: NetworkSession) -> Health:
    """Read the Page, and the permissions that its token still has."""
    graph = page_graph(session)
    page = await graph.get(session.remote_id, fields="id,name,username,picture{url},followers_count")
    granted = await permissions(session, graph.token)
    missing = missing_scopes(session, granted, OAUTH_FACTS)
    can_post = not granted or "pages_manage_posts" in granted
    return Health(
        can_post=can_post,
        message=None if can_post else "The permission pages_manage_posts is missing.",
        granted=granted,
        missing=missing,
        followers=number(page.get("followers_count")),
        username=string(page.get("username")),
        display_name=string(page.get("name")),
        avatar_url=_picture(page),
    )
