"""Connecting by OAuth 2, the boards of an account, and checking."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from signalpost.kit.http import BadResponse
from signalpost.networks import oauth2
from signalpost.networks.connectors.pinterest.calls import OAUTH, call
from signalpost.networks.contract import (
    ApiError,
    AuthorizationCode,
    BadCredentials,
    Choice,
    Destination,
    Health,
    Identity,
    NetworkSession,
    OAuthApp,
    Response,
    Server,
)
from signalpost.networks.responses import members, number, string, texts

BOARDS_MAX, PAGE_LENGTH = 500, 250
_ACCOUNT = "/v5/user_account"


async def exchange(server: Server, app: OAuthApp, code: AuthorizationCode) -> Identity:
    """Redeem the code, and read whose account its tokens open."""
    try:
        tokens = await oauth2.redeem_code(OAUTH, server, app, code)
    except ApiError as error:
        if error.response.status == 400 and members(error.response):  # 401 is about the app
            raise BadCredentials("Pinterest no longer accepts this code; start again.") from None
        raise
    response = await server.call(
        "GET", _ACCOUNT, headers={"Authorization": f"Bearer {tokens.secrets['accessToken']}"}
    )  # fmt: skip
    remote_id, username = texts(response, "id", "username")
    profile = members(response)
    return Identity(
        remote_id=remote_id,
        username=username,
        display_name=string(profile.get("business_name")) or username,
        secrets=tokens.secrets,
        kind="business" if profile.get("account_type") == "BUSINESS" else "personal",
        avatar_url=string(profile.get("profile_image")),
        profile_url=f"https://www.pinterest.com/{username}/",
        scopes=tokens.scopes,
        token_expires_at=tokens.token_expires_at,
        refreshable=tokens.refreshable,
        followers=number(profile.get("follower_count")),
        facts={"username": username},
    )


async def destinations(session: NetworkSession) -> Sequence[Destination]:
    """List the account itself, whose posts name their board, and its boards."""
    own = Identity(
        remote_id=session.remote_id, username=session.username, display_name=session.username, secrets={},
        profile_url=f"https://www.pinterest.com/{session.username}/", facts=session.facts,
    )  # fmt: skip
    boards = [identity async for board in _listed(session, "/v5/boards") if (identity := _board(session, board))]
    return [Destination(identity=own), *[Destination(identity=board) for board in boards]][:BOARDS_MAX]


async def choices(session: NetworkSession, options: Sequence[str], of: str | None) -> Mapping[str, Sequence[Choice]]:
    """List the boards of the account, or the sections of a board."""
    path = f"/v5/boards/{quote(of or '', safe='')}/sections" if "boardSectionId" in options else "/v5/boards"
    listed = [
        Choice(value=item_id, label=string(entry.get("name")) or item_id)
        async for entry in _listed(session, path)
        if (item_id := _id(entry)) is not None
    ]
    return dict.fromkeys(options, listed[:BOARDS_MAX])


async def _listed(session: NetworkSession, path: str) -> AsyncIterator[Any]:
    """Read a list page by page, as far as anybody wants to see it."""
    query, count = {"page_size": str(PAGE_LENGTH)}, 0
    while count < BOARDS_MAX:
        items, bookmark = _page(await call(session, "GET", path, params=query))
        for item in items:
            yield item
        count += len(items)
        if bookmark is None or not items:
            return
        query["bookmark"] = bookmark


def _page(response: Response) -> tuple[list[Any], str | None]:
    page = members(response)
    items = page.get("items")
    if not isinstance(items, list):
        raise BadResponse("the response is not a list", status=response.status)
    return items, string(page.get("bookmark"))


def _board(session: NetworkSession, board: Any) -> Identity | None:
    board_id = _id(board)
    if board_id is None:
        return None
    name = string(board.get("name")) or board_id
    facts: Mapping[str, Any] = {**session.facts, "boardId": board_id}
    return Identity(
        remote_id=board_id, username=f"{session.username}/{name}", display_name=name, secrets={}, kind="board",
        profile_url=f"https://www.pinterest.com/{session.username}/", facts=facts,
    )  # fmt: skip


def _id(entry: Any) -> str | None:
    item_id = string(entry.get("id")) if isinstance(entry, dict) else None
    return item_id if item_id is not None and item_id.isdigit() else None


async def check(session: NetworkSession) -> Health:
    """Ask Pinterest whether the token still opens the account."""
    profile = members(await call(session, "GET", _ACCOUNT))
    return Health(followers=number(profile.get("follower_count")) if "boardId" not in session.facts else None)
