"""Signing in, checking a channel, and the numbers of its videos."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from signalpost.kit.http import BadResponse
from signalpost.networks import oauth2
from signalpost.networks.connectors.youtube.calls import ANALYTICS_SCOPE, OAUTH, call, reason_of, refresh
from signalpost.networks.contract import (
    ApiError,
    AuthorizationCode,
    BadCredentials,
    Choice,
    Health,
    Identity,
    Metrics,
    NetworkSession,
    OAuthApp,
    Response,
    Server,
)
from signalpost.networks.responses import members, string

_CHANNEL: Final = "/youtube/v3/channels?part=snippet,statistics,contentDetails,status&mine=true"
_NO_CHANNEL: Final = "This Google account has no YouTube channel. Create one at youtube.com, then connect again."
_CATEGORIES: Final = "/youtube/v3/videoCategories?part=snippet&regionCode=US"
"""Their numbers are the same everywhere; a region leaves some out, and the United States none that a video can have."""
_PAGE_LENGTH, _PLAYLISTS_MAX = 50, 500
_FIRST_DAY: Final = "2005-02-14"


async def exchange(server: Server, app: OAuthApp, code: AuthorizationCode) -> Identity:
    """Redeem the code and read which channel was chosen on Google's page."""
    tokens = await oauth2.redeem_code(OAUTH, server, app, code)
    try:
        response = await server.call(
            "GET", _CHANNEL, headers={"Authorization": f"Bearer {tokens.secrets['accessToken']}"}
        )
    except ApiError as error:
        if reason_of(error.response) == "youtubeSignupRequired":
            raise BadCredentials(_NO_CHANNEL) from None
        raise
    channel = _channel(response)
    if channel is None:
        raise BadCredentials(_NO_CHANNEL)
    snippet, channel_id = _object(channel.get("snippet")), string(channel.get("id"))
    if channel_id is None:
        raise BadResponse("the channel has no id", status=response.status)
    title = string(snippet.get("title")) or channel_id
    handle = (string(snippet.get("customUrl")) or "").removeprefix("@")
    uploads = _object(_object(channel.get("contentDetails")).get("relatedPlaylists")).get("uploads")
    return Identity(
        remote_id=channel_id,
        username=handle or title,
        display_name=title,
        secrets=tokens.secrets,
        kind="channel",
        avatar_url=_picture(snippet),
        profile_url=f"https://www.youtube.com/channel/{channel_id}",
        scopes=tokens.scopes,
        token_expires_at=tokens.token_expires_at,
        refreshable=tokens.refreshable,
        followers=_count(_object(channel.get("statistics")).get("subscriberCount")),
        facts={
            "uploads": string(uploads) or "",
            "longUploads": _object(channel.get("status")).get("longUploadsStatus") in {"allowed", "eligible", None},
            "analytics": ANALYTICS_SCOPE in tokens.scopes,
        },
    )


async def check(session: NetworkSession) -> Health:
    """Ask whether the tokens still open the channel."""
    channel = _channel(await call(session, "GET", _CHANNEL))
    if channel is None or channel.get("id") != session.remote_id:
        return Health(valid=False, can_post=False, message="Google no longer gives access to this channel.")
    snippet = _object(channel.get("snippet"))
    return Health(
        followers=_count(_object(channel.get("statistics")).get("subscriberCount")),
        posts=_count(_object(channel.get("statistics")).get("videoCount")),
        display_name=string(snippet.get("title")),
        avatar_url=_picture(snippet),
    )


async def choices(session: NetworkSession, options: Sequence[str], _of: str | None) -> Mapping[str, Sequence[Choice]]:
    """List the playlists of the channel, and the categories that a video can have."""
    listed: dict[str, Sequence[Choice]] = {}
    if "playlistId" in options:
        listed["playlistId"] = await _playlists(session)
    if "categoryId" in options:
        items, _ = _items(await call(session, "GET", _CATEGORIES))
        assignable = [item for item in items if _object(item.get("snippet")).get("assignable") is True]
        listed["categoryId"] = [*_named(assignable)]
    return listed


async def _playlists(session: NetworkSession) -> Sequence[Choice]:
    listed: list[Choice] = []
    query = {"part": "snippet", "mine": "true", "maxResults": str(_PAGE_LENGTH)}
    while len(listed) < _PLAYLISTS_MAX:
        items, token = _items(await call(session, "GET", f"/youtube/v3/playlists?{urlencode(query)}"))
        listed += _named(items)
        if token is None or not items:
            break
        query["pageToken"] = token
    return listed[:_PLAYLISTS_MAX]


def _items(response: Response) -> tuple[Sequence[Mapping[str, Any]], str | None]:
    page = members(response)
    items = page.get("items")
    if not isinstance(items, list):
        raise BadResponse("the response is not a list", status=response.status)
    return [item for item in items if isinstance(item, dict)], string(page.get("nextPageToken"))


def _named(items: Sequence[Mapping[str, Any]]) -> Iterator[Choice]:
    for item in items:
        item_id = string(item.get("id"))
        if item_id is not None:
            yield Choice(value=item_id, label=string(_object(item.get("snippet")).get("title")) or item_id)


async def metrics(session: NetworkSession, remote_ids: Sequence[str]) -> Mapping[str, Metrics | None]:
    """Read the counters of videos; shares and watch time come two or three days late, with their own permission."""
    query = urlencode({"part": "statistics", "id": ",".join(remote_ids)})
    response = await call(session, "GET", f"/youtube/v3/videos?{query}")
    counts = {item.get("id"): _object(item.get("statistics")) for item in _items(response)[0]}
    late = await _analytics(session, remote_ids) if session.facts.get("analytics") else {}
    return {video_id: _metrics(counts.get(video_id), late.get(video_id, {})) for video_id in remote_ids}


def _metrics(counts: Mapping[str, Any] | None, late: Mapping[str, int]) -> Metrics | None:
    if counts is None:
        return None  # the list leaves out videos that do not exist any more
    return Metrics(
        views=_count(counts.get("viewCount")),
        likes=_count(counts.get("likeCount")),
        comments=_count(counts.get("commentCount")),
        shares=late.get("shares"),
        watch_time_seconds=late.get("seconds"),
    )


async def _analytics(session: NetworkSession, video_ids: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
    """Return shares and seconds watched by video; empty if the app may not ask."""
    query = {
        "ids": "channel==MINE",
        "startDate": _FIRST_DAY,
        "endDate": session.now().date().isoformat(),
        "metrics": "shares,estimatedMinutesWatched",
        "dimensions": "video",
        "filters": f"video=={','.join(video_ids)}",
    }

    async def send(token: str) -> Response:
        server = session.server.at("analytics")
        return await server.call("GET", "/v2/reports", params=query, headers={"Authorization": f"Bearer {token}"})

    try:
        response = await oauth2.call_with_token(session, refresh, send)
    except ApiError as error:
        if error.response.status != 403:
            raise
        return {}
    rows = members(response).get("rows")
    result = {}
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, list) and len(row) == 3 and isinstance(row[0], str):
            numbers = [_count(value) for value in row[1:]]
            shares, minutes = numbers
            if shares is not None and minutes is not None:
                result[row[0]] = {"shares": shares, "seconds": 60 * minutes}
    return result


def _channel(response: Response) -> Mapping[str, Any] | None:
    items = members(response).get("items")
    return items[0] if isinstance(items, list) and items and isinstance(items[0], dict) else None


def _picture(snippet: Mapping[str, Any]) -> str | None:
    pictures = _object(snippet.get("thumbnails"))
    sizes = [_object(pictures.get(size)).get("url") for size in ("high", "medium", "default")]
    return next((url for value in sizes if (url := string(value))), None)


def _count(value: Any) -> int | None:
    """Read a counter, which YouTube writes as text."""
    if isinstance(value, str) and len(value) <= 15 and value.isascii() and value.isdigit():
        return int(value)
    return value if type(value) is int and value >= 0 else None


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
