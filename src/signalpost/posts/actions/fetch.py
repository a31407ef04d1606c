"""Fetching the files that a body names by address: before the transaction, which must not wait for other servers."""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import UNSET, UnsetType

from signalpost.context import AppContext
from signalpost.kit import problems
from signalpost.media.actions.fetch import fetch_file
from signalpost.media.schemas import MediaFetch
from signalpost.posts.schemas.requests import MediaIn, PostCreate, PostUpdate
from signalpost.web.caller import Caller
from signalpost.web.inputs import Before

ADDRESSES_MAX: Final = 10
"""The maximum for one post: addresses are fetched one after the other while the caller waits."""

Fetched = Mapping[str, str]
"""Address -> storage path of the file that was fetched from it."""


async def fetch(context: AppContext, caller: Caller, data: PostCreate | PostUpdate) -> Fetched:
    """Fetch every address in the body, each once.

    Files of a post that is refused afterwards stay unused and expire.

    Raises:
        what `fetch_file` raises, with the place of the address; ValidationFailed: there are too many.
    """
    places: dict[str, str] = {}
    for path, url in _addresses(data):
        places.setdefault(url, path)
    if len(places) > ADDRESSES_MAX:
        message = f"At most {ADDRESSES_MAX} files of a post are fetched by address; upload the others first."
        raise problems.invalid(list(places.values())[ADDRESSES_MAX], "too_long", message, max=ADDRESSES_MAX)
    return {
        url: (await fetch_file(context, caller, MediaFetch(url=url), pointer=path)).storage_path
        for url, path in places.items()
    }


def _needed(data: PostCreate | PostUpdate) -> bool:
    return any(True for _ in _addresses(data))


BEFORE: Final = Before(_needed, fetch)


def _addresses(data: PostCreate | PostUpdate) -> Iterator[tuple[str, str]]:
    for path, url in _urls(data):
        if url is not None and "://" in url:
            yield path, url


def _urls(data: PostCreate | PostUpdate) -> Iterator[tuple[str, str | None]]:
    """Return every mediaUrl of the body with its JSON pointer."""
    if isinstance(data.media_url, str):
        yield "/mediaUrl", data.media_url
    yield from ((f"/mediaUrls/{index}", url) for index, url in enumerate(data.media_urls or ()))
    yield from _of("/media", data.media)
    for index, part in enumerate(data.thread or ()):
        yield from _of(f"/thread/{index}/media", part.media)
    for index, target in enumerate(data.targets or ()):
        yield from _of(f"/targets/{index}/media", target.media)


def _of(path: str, media: list[MediaIn] | UnsetType | None) -> Iterator[tuple[str, str | None]]:
    if media is not None and media is not UNSET:
        yield from ((f"{path}/{index}/mediaUrl", entry.media_url) for index, entry in enumerate(media))
