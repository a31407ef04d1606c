"""Connecting, checking and renewing. Threads has no call that takes permissions back."""

from collections.abc import Mapping
from typing import Any, Final

from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.threads.facts import FACTS
from signalpost.networks.contract import (
    AuthorizationCode,
    Health,
    Identity,
    NetworkSession,
    OAuthApp,
    OAuthFacts,
    Server,
)
from signalpost.networks.meta.graph import Graph
from signalpost.networks.meta.tokens import LIFE_SECONDS, TokenCalls
from signalpost.networks.responses import string

OAUTH_FACTS: Final = OAuthFacts(
    authorize="/oauth/authorize",
    authorize_host="web",
    scope_separator=",",
    pkce=False,
    access_seconds=LIFE_SECONDS,
    scopes=(
        "threads_basic",
        "threads_content_publish",
        "threads_manage_replies",
        "threads_read_replies",
        "threads_manage_insights",
        "threads_delete",
    ),
)
TOKENS: Final = TokenCalls(name=FACTS.name, prefix="th")
_ME: Final = "id,username,name,threads_profile_picture_url"


def graph_of(session: NetworkSession) -> Graph:
    """Return the API with the account's token."""
    return Graph(session.server, session.secrets["accessToken"], version=str(FACTS.api_version))


async def exchange(server: Server, app: OAuthApp, code: AuthorizationCode) -> Identity:
    """Exchange the code for a token of 60 days, and read the profile that it opens."""
    granted = await TOKENS.exchange(server, app, code)
    me = await Graph(server, granted.token, version=str(FACTS.api_version)).get("me", fields=_ME)
    remote_id, username = string(me.get("id")), string(me.get("username"))
    if remote_id is None or username is None:
        raise BadResponse("the response names no profile")
    return Identity(
        remote_id=remote_id,
        username=username,
        display_name=string(me.get("name")) or username,
        secrets={"accessToken": granted.token},
        avatar_url=string(me.get("threads_profile_picture_url")),
        profile_url=f"https://www.threads.com/@{username}",
        scopes=granted.scopes or app.scopes or OAUTH_FACTS.scopes,
        token_expires_at=granted.expires_at,
        refreshable=True,
    )


async def check(session: NetworkSession) -> Health:
    """Read the profile."""
    graph = graph_of(session)
    me: Mapping[str, Any] = await graph.get("me", fields=_ME)
    return Health(
        username=string(me.get("username")),
        display_name=string(me.get("name")),
        avatar_url=string(me.get("threads_profile_picture_url")),
    )


async def refresh(session: NetworkSession) -> None:
    """Renew the token."""
    await TOKENS.refresh(session)
