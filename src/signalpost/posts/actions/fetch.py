"""Addresses in a wish become files, before the transaction of the post: no other server is waited for inside one."""

from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from signalpost.kit import ids, problems
from signalpost.media import actions as media_actions
from signalpost.posts.schemas import CreatePost, MediaWish, TargetWish, ThreadWish, UpdatePost
from signalpost.web.caller import Caller
from signalpost.web.inputs import Tools

W = TypeVar("W", CreatePost, UpdatePost)
ADDRESSES_MAX: Final = 10
"""Most addresses fetched for one post: they are fetched one after the other while the caller waits."""


def names_addresses(wish: CreatePost | UpdatePost) -> bool:
    """Whether there is something to fetch."""
    return any(_is_address(url) for url in _urls(wish))


async def fetch(tools: Tools, caller: Caller, wish: W) -> W:
    """Return the wish with each address replaced by the file found there; one that stands there twice is fetched once.

    Files of a post that is refused afterwards stay unused, and go away by themselves.

    Raises:
        what `media.actions.fetch` raises, with the place of the address.
    """
    if len({url for url in _urls(wish) if _is_address(url)}) > ADDRESSES_MAX:
        message = f"At most {ADDRESSES_MAX} files of a post are fetched by address; upload the others first."
        raise problems.invalid("/media", "too_long", message, max=ADDRESSES_MAX)
    fetcher = _Fetcher(tools, caller)
    changed: dict[str, Any] = {}
    if _given(wish.media):
        changed["media"] = await fetcher.all(wish.media, "/media")
    if _given(wish.media_urls):
        urls = [MediaWish(media_url=url) for url in wish.media_urls]
        changed |= {"media": await fetcher.all(urls, "/mediaUrls"), "media_urls": _nothing(wish)}
    if _given(wish.media_url):
        one = await fetcher.one(MediaWish(media_url=wish.media_url), "/mediaUrl")
        changed |= {"media": [one], "media_url": _nothing(wish)}
    if _given(wish.thread):
        changed["thread"] = [
            ThreadWish(text=part.text, media=await fetcher.all(part.media, f"/thread/{index}/media"))
            for index, part in enumerate(wish.thread)
        ]
    if _given(wish.targets):
        changed["targets"] = [
            await _target(fetcher, target, f"/targets/{index}/media") for index, target in enumerate(wish.targets)
        ]
    return msgspec.structs.replace(wish, **changed)
