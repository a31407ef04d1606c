"""Connecting by Instagram Login or, for accounts that belong to a Facebook Page, by Facebook Login."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.instagram.facts import FACEBOOK_LOGIN, FACTS
from signalpost.networks.contract import (
    ApiError,
    AuthorizationCode,
    Choice,
    Destination,
    Health,
    Identity,
    NetworkSession,
    OAuthApp,
    OAuthFacts,
    Server,
)
from signalpost.networks.meta import login
from signalpost.networks.meta.graph import Graph
from signalpost.networks.meta.pages import pages
from signalpost.networks.meta.tokens import LIFE_SECONDS, TokenCalls
from signalpost.networks.responses import number, string

OAUTH_FACTS: Final = OAuthFacts(
    authorize="/oauth/authorize",
    authorize_host="web",
    scope_separator=",",
    pkce=False,
    access_seconds=LIFE_SECONDS,
    scopes=(
        "instagram_business_basic",
        "instagram_business_content_publish",
        "instagram_business_manage_comments",
        "instagram_business_manage_insights",
    ),
)
FACEBOOK_FACTS: Final = OAuthFacts(
    **{**login.LOGIN, "authorize_host": "facebook"},
    scopes=(
        "instagram_basic",
        "instagram_content_publish",
        "instagram_manage_comments",
        "instagram_manage_insights",
        "instagram_manage_contents",
        "pages_show_list",
        "pages_read_engagement",
        "business_management",
    ),
)
TOKENS: Final = TokenCalls(name=FACTS.name, prefix="ig", code_host="api")
_GRAPH: Final = "graph"
_ME: Final = "id,user_id,username,name,account_type,profile_picture_url,followers_count"
_LINKED: Final = "id,username,name,profile_picture_url,followers_count"


def is_facebook(session: NetworkSession) -> bool:
    """Return whether the account was connected through a Facebook Page."""
    return session.facts.get("login") == FACEBOOK_LOGIN


def graph_of(session: NetworkSession) -> Graph:
    """Return the API of an account: that of its Page, or its own."""
    if is_facebook(session):
        token = session.secrets.get("pageToken") or session.secrets["accessToken"]
        return Graph(session.server.at(_GRAPH), token, session.app)
    return Graph(session.server, session.secrets["accessToken"])


async def exchange(server: Server, app: OAuthApp, code: AuthorizationCode) -> Identity:
    """Exchange the code by the login that the operator's app is for; see `OAuth.facts_for`."""
    if app.scopes and set(app.scopes) <= set(FACEBOOK_FACTS.scopes):
        user = await login.user_of_code(server, app, code, graph_host=_GRAPH)
        return Identity(
            remote_id=user.id, username=user.name, display_name=user.name, secrets={"accessToken": user.token},
            scopes=user.scopes or app.scopes, facts={"login": FACEBOOK_LOGIN},
        )  # fmt: skip
    granted = await TOKENS.exchange(server, app, code)
    me = await Graph(server, granted.token).get("me", fields=_ME)
    return _identity(
        me, string(me.get("user_id")), scopes=granted.scopes or app.scopes or OAUTH_FACTS.scopes, login="instagram",
        secrets={"accessToken": granted.token}, token_expires_at=granted.expires_at, refreshable=True,
    )  # fmt: skip


def _identity(account: Mapping[str, Any], remote_id: str | None, *, login: str, **values: Any) -> Identity:
    username = string(account.get("username"))
    if remote_id is None or username is None:
        raise BadResponse("the response names no account")
    return Identity(
        remote_id=remote_id,
        username=username,
        display_name=string(account.get("name")) or username,
        kind="business",
        avatar_url=string(account.get("profile_picture_url")),
        profile_url=f"https://www.instagram.com/{username}/",
        followers=number(account.get("followers_count")),
        facts={"login": login},
        **values,
    )


async def destinations(session: NetworkSession) -> Sequence[Destination]:
    """Return the account itself, or those that belong to the Pages of the person."""
    if not is_facebook(session):
        me = await graph_of(session).get("me", fields=_ME)
        return [Destination(identity=_identity(me, session.remote_id, login="instagram", secrets={}))]
    graph = Graph(session.server.at(_GRAPH), session.secrets["accessToken"], session.app)
    linked = []
    fields = f"id,name,access_token,tasks,category,instagram_business_account{{{_LINKED}}}"
    async for page in pages(graph, fields):
        account, token = page.get("instagram_business_account"), string(page.get("access_token"))
        if isinstance(account, dict) and token is not None:
            identity = _identity(account, string(account.get("id")), login=FACEBOOK_LOGIN, secrets={"pageToken": token})
            linked.append(Destination(identity=identity, category=string(page.get("category"))))
    return linked


async def choices(session: NetworkSession, options: Sequence[str], _of: str | None) -> Mapping[str, Sequence[Choice]]:
    """List the music that is popular now, as far as Instagram allows it to apps; Instagram Login has none."""
    if not is_facebook(session):
        return dict.fromkeys(options, ())
    graph = Graph(session.server.at(_GRAPH), session.secrets["accessToken"], session.app)
    listed = (await graph.get("ig_audio", audio_type="music", user_id=session.remote_id)).get("audio")
    if not isinstance(listed, list):
        raise BadResponse("the response is not a list of music")
    music = []
    for item in listed:
        audio_id = string(item.get("audio_id")) if isinstance(item, dict) else None
        if audio_id is not None:
            named = [name for name in map(string, (item.get("title"), item.get("display_artist"))) if name]
            music.append(Choice(value=audio_id, label=", ".join(named)))
    return dict.fromkeys(options, music)


async def check(session: NetworkSession) -> Health:
    """Read the account, and the permissions of its token where Facebook says them."""
    graph = graph_of(session)
    if is_facebook(session):
        account = await graph.get(session.remote_id, fields=_LINKED)
        granted = await login.permissions(session, graph.token, graph_host=_GRAPH)
        missing = login.missing_scopes(session, granted, FACEBOOK_FACTS)
    else:
        account, granted, missing = await graph.get("me", fields=_ME), (), ()
    can_post = "instagram_content_publish" not in missing
    return Health(
        can_post=can_post,
        message=None if can_post else "The permission instagram_content_publish is missing.",
        granted=granted,
        missing=missing,
        followers=number(account.get("followers_count")),
        username=string(account.get("username")),
        display_name=string(account.get("name")),
        avatar_url=string(account.get("profile_picture_url")),
    )


async def refresh(session: NetworkSession) -> None:
    """Renew a token of Instagram Login; those of Pages do not expire."""
    if not is_facebook(session):
        await TOKENS.refresh(session)


async def revoke(session: NetworkSession) -> None:
    """Take the permissions back. Instagram Login has no call for that: the person removes the app in their settings.

    Raises:
        ApiError: the token still works.
    """
    if is_facebook(session):
        await login.revoke(session, graph_host=_GRAPH)
        return
    graph = graph_of(session)
    path = f"/{graph.version}/me"
    response = await graph.server.call("GET", path, params={"fields": "id", **graph.credentials}, expect=None)
    if response.status == 200:
        raise ApiError(response, "revoke")
