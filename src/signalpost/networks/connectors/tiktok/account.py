"""Signing in, checking an account, and the numbers of its posts."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

from signalpost.kit.http import BadResponse
from signalpost.networks import oauth2
from signalpost.networks.connectors.tiktok.calls import OAUTH, call, code_of, refresh
from signalpost.networks.connectors.tiktok.facts import Level
from signalpost.networks.contract import (
    ApiError,
    AuthorizationCode,
    Choice,
    Health,
    Identity,
    Metrics,
    NetworkSession,
    OAuthApp,
    Response,
    Server,
)
from signalpost.networks.responses import members, number, string

_BASIC: Final = ("open_id", "avatar_url", "display_name")
_FIELDS: Final = {"user.info.basic": _BASIC, "user.info.profile": ("username",), "user.info.stats": ("follower_count",)}
_UNKNOWN_POST: Final = frozenset({"invalid_publish_id", "token_not_authorized_for_specified_publish_id"})


async def exchange(server: Server, app: OAuthApp, code: AuthorizationCode) -> Identity:
    """Redeem the code and read whose account it is; people may have allowed less than was asked for."""
    tokens = await oauth2.redeem_code(OAUTH, server, app, code)
    user = _user(await _read(server, tokens.secrets["accessToken"], tokens.scopes))
    open_id = string(user.get("open_id")) or string(tokens.body.get("open_id"))
    if open_id is None:
        raise BadResponse("the account has no id", status=200)
    name = string(user.get("display_name")) or open_id
    username = string(user.get("username")) or ""
    return Identity(
        remote_id=open_id,
        username=username or name,
        display_name=name,
        secrets=tokens.secrets,
        avatar_url=string(user.get("avatar_url")),
        profile_url=f"https://www.tiktok.com/@{username}" if username else None,
        scopes=tokens.scopes,
        token_expires_at=tokens.token_expires_at,
        refreshable=tokens.refreshable,
        followers=number(user.get("follower_count")),
        facts={"scopes": list(tokens.scopes)},
    )


async def _read(server: Server, token: str, scopes: Sequence[str]) -> Response:
    fields = [field for scope, names in _FIELDS.items() if scope in scopes for field in names] or list(_BASIC)
    path = f"/v2/user/info/?fields={','.join(fields)}"
    response = await server.call("GET", path, headers={"Authorization": f"Bearer {token}"})
    if code_of(response) not in {"ok", ""}:
        raise ApiError(response, "GET /v2/user/info/")
    return response


def _user(response: Response) -> Mapping[str, Any]:
    data = members(response).get("data")
    user = data.get("user") if isinstance(data, dict) else None
    return user if isinstance(user, dict) else {}


_INTERACTIONS: Final = {
    "allowComment": ("Comments", "comment_disabled", "The creator has turned off comments at TikTok."),
    "allowDuet": ("Duets", "duet_disabled", "The creator has turned off duets at TikTok."),
    "allowStitch": ("Stitches", "stitch_disabled", "The creator has turned off stitches at TikTok."),
}


async def choices(session: NetworkSession, options: Sequence[str], _of: str | None) -> Mapping[str, Sequence[Choice]]:
    """Ask who may see this creator's posts, and what others may do with them."""
    creator = await call(session, "/v2/post/publish/creator_info/query/")
    allowed = creator.get("privacy_level_options")
    if not isinstance(allowed, list):
        raise BadResponse("the response names no privacy levels", status=200)
    not_allowed = "TikTok does not allow this creator this level."
    listed = {
        "privacyLevel": [
            Choice(value=level, label=level, reason=None if level in allowed else not_allowed)
            for level in get_args(Level)
        ]
    }
    for option, (label, name, off) in _INTERACTIONS.items():
        listed[option] = [Choice(value="true", label=label, reason=off if creator.get(name) is True else None)]
    return {option: listed[option] for option in options}


async def check(session: NetworkSession) -> Health:
    """Ask whether the tokens still open the account."""
    scopes = session.facts.get("scopes") or ()

    async def send(token: str) -> Response:
        return await _read(session.server, token, scopes)

    user = _user(await oauth2.call_with_token(session, refresh, send))
    return Health(
        followers=number(user.get("follower_count")),
        username=string(user.get("username")),
        display_name=string(user.get("display_name")),
        avatar_url=string(user.get("avatar_url")),
        granted=tuple(scopes),
    )


async def revoke(session: NetworkSession) -> None:
    """Revoke the token, and with it the grant."""
    app = oauth2.app_of(session)
    await oauth2.post_form(OAUTH, session.server, app, OAUTH.revoke, {"token": session.secrets["accessToken"]})


async def metrics(session: NetworkSession, remote_ids: Sequence[str]) -> Mapping[str, Metrics | None]:
    """Read the numbers of public posts. Of one whose id was not there yet when it was published, look that up first."""
    post_ids: dict[str, str] = {}
    for remote_id in remote_ids:
        post = remote_id if remote_id.isdecimal() else await _post_id(session, remote_id)
        if post is not None:
            post_ids[post] = remote_id
    if not post_ids:
        return {}
    fields = "id,view_count,like_count,comment_count,share_count"
    data = await call(session, f"/v2/video/query/?fields={fields}", {"filters": {"video_ids": list(post_ids)}})
    result: dict[str, Metrics | None] = {}
    videos = data.get("videos")
    for video in videos if isinstance(videos, list) else ():
        if isinstance(video, dict) and (own_id := post_ids.get(str(video.get("id")))) is not None:
            result[own_id] = Metrics(
                views=video.get("view_count"),
                likes=video.get("like_count"),
                comments=video.get("comment_count"),
                shares=video.get("share_count"),
            )
    return result  # what is missing may be private, or still looked at by moderators


async def _post_id(session: NetworkSession, publish_id: str) -> str | None:
    try:
        data = await call(session, "/v2/post/publish/status/fetch/", {"publish_id": publish_id})
    except ApiError as error:
        if code_of(error.response) in _UNKNOWN_POST:
            return None  # TikTok does not keep publish ids forever
        raise
    ids = data.get("publicaly_available_post_id")
    return str(ids[0]) if isinstance(ids, list) and ids else None
