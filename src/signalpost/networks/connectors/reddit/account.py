"""Connecting by OAuth 2, the subreddits of an account and their flairs, checking, and disconnecting."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final

from signalpost.kit.http import BadResponse
from signalpost.networks import oauth2
from signalpost.networks.connectors.reddit.calls import OAUTH, call, introduced, listed, of
from signalpost.networks.connectors.reddit.rules import reason_against
from signalpost.networks.contract import (
    ApiError,
    AuthorizationCode,
    Choice,
    Health,
    Identity,
    NetworkSession,
    OAuthApp,
    Response,
    Server,
)
from signalpost.networks.responses import members, number, string, texts

CHOICES_MAX, PAGE_LENGTH, PAGE_BYTES_MAX = 500, 100, 5_000_000
_ME: Final = "/api/v1/me"
_SUSPENDED: Final = "Reddit has suspended the account."
_MODERATORS_ONLY: Final = "Only moderators of the subreddit can choose this flair."


async def exchange(server: Server, app: OAuthApp, code: AuthorizationCode) -> Identity:
    """Redeem the code, and read whose account its tokens open."""
    server = introduced(server, app)
    tokens = await oauth2.redeem_code(OAUTH, server, app, code)
    headers = {"Authorization": f"Bearer {tokens.secrets['accessToken']}"}
    response = await server.call("GET", _ME, headers=headers, params={"raw_json": "1"})
    remote_id, username = texts(response, "id", "name")
    profile = members(response)
    return Identity(
        remote_id=remote_id,
        username=username,
        display_name=username,
        secrets=tokens.secrets,
        avatar_url=(string(profile.get("icon_img")) or "").partition("?")[0] or None,
        profile_url=f"https://www.reddit.com/user/{username}/",
        scopes=tokens.scopes,
        token_expires_at=tokens.token_expires_at,
        refreshable=tokens.refreshable,
        followers=_followers(profile),
    )


async def check(session: NetworkSession) -> Health:
    """Ask Reddit whether the token still opens the account, and whether that may post."""
    profile = members(await call(session, "GET", _ME))
    suspended = profile.get("is_suspended") is True
    return Health(
        can_post=not suspended,
        restricted=suspended,
        message=_SUSPENDED if suspended else None,
        followers=_followers(profile),
    )


async def revoke(session: NetworkSession) -> None:
    """Revoke the refresh token, and the access tokens with it."""
    try:
        await oauth2.revoke_by(OAUTH)(of(session))
    except ApiError as error:
        if error.response.status != 204:  # which is what Reddit says when it has done so
            raise


def _followers(profile: Mapping[str, Any]) -> int | None:
    own = profile.get("subreddit")
    return number(own.get("subscribers")) if isinstance(own, dict) else None


# --- what can be chosen --------------------------------------------------------------------------------------------


async def choices(
    session: NetworkSession, options: Sequence[str], parent: str | None
) -> Mapping[str, Sequence[Choice]]:
    """List the account's subreddits, those that it moderates first, and its profile; or the flairs of a subreddit."""
    if "flairId" in options:
        return {"flairId": [_flair(flair) for flair in await flairs(session, parent or "")][:CHOICES_MAX]}
    entries: dict[str, Choice] = {}
    for where in ("moderator", "subscriber"):
        async for subreddit in _subreddits(session, where):
            name = string(subreddit.get("display_name"))
            if name is not None and name not in entries:
                label = string(subreddit.get("display_name_prefixed")) or f"r/{name}"
                entries[name] = Choice(value=name, label=label, reason=reason_against(subreddit))
    profile = Choice(value=f"u_{session.username}", label=f"u/{session.username}")
    return {"subreddit": [*[*entries.values()][: CHOICES_MAX - 1], profile]}


async def flairs(session: NetworkSession, subreddit: str) -> Sequence[Mapping[str, Any]]:
    """Return the flairs for posts in a subreddit; none where it has switched them off."""
    path = f"/r/{subreddit}/api/link_flair_v2"
    response = await call(session, "GET", path, expect=(200, 403, 404), bytes_max=PAGE_BYTES_MAX)
    return [] if response.status != 200 else _entries(response)


def _entries(response: Response) -> Sequence[Mapping[str, Any]]:
    entries = response.json()
    if not isinstance(entries, list):
        raise BadResponse("the response is not a list of flairs", status=response.status)
    return [entry for entry in entries if isinstance(entry, dict) and string(entry.get("id"))]


def _flair(flair: Mapping[str, Any]) -> Choice:
    reason = _MODERATORS_ONLY if flair.get("mod_only") is True else None
    return Choice(value=flair["id"], label=string(flair.get("text")) or flair["id"], reason=reason)


async def _subreddits(session: NetworkSession, where: str) -> AsyncIterator[Mapping[str, Any]]:
    """Read a list of the account's subreddits page by page, as far as anybody wants to see it."""
    query, count = {"limit": str(PAGE_LENGTH)}, 0
    while count < CHOICES_MAX:
        path = f"/subreddits/mine/{where}"
        things, after = listed(await call(session, "GET", path, params=query, bytes_max=PAGE_BYTES_MAX))
        for thing in things:
            yield thing
        count += len(things)
        if after is None or not things:
            return
        query["after"] = after
