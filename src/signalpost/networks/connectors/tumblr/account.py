"""Connecting by OAuth 2, the blogs of a person, and checking."""

from collections.abc import Mapping, Sequence
from typing import Any

from signalpost.kit.http import BadResponse
from signalpost.networks import oauth2
from signalpost.networks.connectors.tumblr.calls import OAUTH, answer_of, call
from signalpost.networks.contract import (
    ApiError,
    AuthorizationCode,
    BadCredentials,
    Destination,
    Health,
    Identity,
    NetworkSession,
    OAuthApp,
    Response,
    Server,
)
from signalpost.networks.responses import members, number, string

BLOGS_MAX = 500
_ME = "/v2/user/info"
_GONE = "The person may no longer post to this blog."


async def exchange(server: Server, app: OAuthApp, code: AuthorizationCode) -> Identity:
    """Redeem the code, and read whose account its tokens open: it goes by the name of the primary blog."""
    try:
        tokens = await oauth2.redeem_code(OAUTH, server, app, code)
    except ApiError as error:
        if error.response.status in {400, 401} and members(error.response) and not oauth2.refuses_app(error):
            raise BadCredentials("Tumblr no longer accepts this code; start again.") from None
        raise
    headers = {"Authorization": f"Bearer {tokens.secrets['accessToken']}"}
    blogs = _blogs(await server.call("GET", _ME, headers=headers))
    if not blogs:
        raise BadCredentials("This person has no blog at Tumblr to post to.")
    primary = next((blog for blog in blogs if blog.get("primary") is True), blogs[0])
    granted = tokens.scopes
    return _identity(
        primary,
        secrets=tokens.secrets,
        # who may write may read, and Tumblr does not always say so
        scopes=("basic", *granted) if "write" in granted and "basic" not in granted else granted,
        token_expires_at=tokens.token_expires_at,
        refreshable=tokens.refreshable,
    )


async def destinations(session: NetworkSession) -> Sequence[Destination]:
    """List the blogs that the person may post to, the primary one first."""
    blogs = sorted(_blogs(await call(session, "GET", _ME)), key=lambda blog: blog.get("primary") is not True)
    return [Destination(identity=_identity(blog, secrets={})) for blog in blogs[:BLOGS_MAX]]


async def check(session: NetworkSession) -> Health:
    """Ask Tumblr whether the token still opens the person's account, and whether the blog is among theirs."""
    blogs = {_id(blog): blog for blog in _blogs(await call(session, "GET", _ME))}
    blog = blogs.get(session.remote_id)
    if blog is None:
        return Health(can_post=False, message=_GONE)
    return Health(
        followers=number(blog.get("followers")),
        posts=number(blog.get("posts")),
        username=string(blog.get("name")),
        display_name=string(blog.get("title")),
        avatar_url=_avatar(blog),
    )


def _blogs(response: Response) -> list[Mapping[str, Any]]:
    user = answer_of(response).get("user")
    blogs = user.get("blogs") if isinstance(user, dict) else None
    if not isinstance(blogs, list):
        raise BadResponse("the response names no blogs", status=response.status)
    return [blog for blog in blogs if isinstance(blog, dict) and _id(blog) and string(blog.get("name"))]


def _id(blog: Mapping[str, Any]) -> str | None:
    """Return what names a blog for ever; its name can be changed."""
    return string(blog.get("uuid")) or string(blog.get("name"))


def _identity(blog: Mapping[str, Any], **values: Any) -> Identity:
    name = str(blog["name"])
    return Identity(
        remote_id=str(_id(blog)), username=name, display_name=string(blog.get("title")) or name, kind="blog",
        avatar_url=_avatar(blog), profile_url=f"https://www.tumblr.com/{name}",
        followers=number(blog.get("followers")), **values,
    )  # fmt: skip


def _avatar(blog: Mapping[str, Any]) -> str | None:
    sizes = blog.get("avatar")
    first = sizes[0] if isinstance(sizes, list) and sizes else None
    return string(first.get("url")) if isinstance(first, dict) else None
