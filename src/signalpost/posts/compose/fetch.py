"""Fetching the files that a body names by address: before the transaction, which must not wait for other servers."""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import UNSET, UnsetType

from signalpost.context import AppContext
from signalpost.kit import problems
from signalpost.kit.problems import Issue
from signalpost.media.actions.fetch import fetch_file
from signalpost.media.schemas import MediaFetch
from signalpost.posts.schemas.files import MediaIn
from signalpost.posts.schemas.requests import PostCreate, PostUpdate
from signalpost.web.caller import Caller
from signalpost.web.inputs import Before

ADDRESSES_MAX: Final = 10
"""The maximum for one post: addresses are fetched one after the other while the caller waits."""
OF_REQUEST_MAX: Final = 100
AT_ONCE_MAX: Final = 4
SECONDS_MAX: Final = 60
"""The maxima for all posts of one request."""

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
        raise _too_many(list(places.values())[ADDRESSES_MAX], ADDRESSES_MAX, "a post")
    return {
        url: (await fetch_file(context, caller, MediaFetch(url=url), pointer=path)).storage_path
        for url, path in places.items()
    }


def names_addresses(data: PostCreate | PostUpdate) -> bool:
    """Whether the body names files by address."""
    return any(True for _ in _addresses(data))


BEFORE: Final = Before(names_addresses, fetch)


async def fetch_all(
    context: AppContext, caller: Caller, bodies: Mapping[int, PostCreate], most: int = OF_REQUEST_MAX
) -> tuple[dict[int, Fetched | problems.Problem], int]:
    """Fetch the addresses of several posts, each once, some at the same time, and `most` of them.

    Returns:
        By the key of each post that names any, its files, or why one of them could not be fetched; and how many more
        may be fetched for the same request.
    """
    places = {key: {url: path for path, url in reversed([*_addresses(data)])} for key, data in bodies.items()}
    urls = list(dict.fromkeys(url for of_post in places.values() for url in of_post))
    turns = asyncio.Semaphore(AT_ONCE_MAX)

    async def fetch_one(url: str) -> str | problems.Problem:
        try:
            async with turns, asyncio.timeout_at(stop_at):
                return (await fetch_file(context, caller, MediaFetch(url=url))).storage_path
        except problems.Problem as problem:
            return problem
        except TimeoutError:
            message = f"All files of a request are fetched within {SECONDS_MAX} seconds: upload this one first."
            return problems.invalid("", "not_allowed", message)

    stop_at = asyncio.get_running_loop().time() + SECONDS_MAX
    results = await asyncio.gather(*map(fetch_one, urls[:most]))
    fetched = dict(zip(urls, results, strict=False))
    files = {key: _fetched_for(of_post, fetched) for key, of_post in places.items() if of_post}
    return files, most - len(fetched)


def _fetched_for(
    places: Mapping[str, str], fetched: Mapping[str, str | problems.Problem]
) -> Fetched | problems.Problem:
    """Return the files of one post; `places`: its addresses, with their JSON pointers."""
    if len(places) > ADDRESSES_MAX:
        return _too_many(list(places.values())[ADDRESSES_MAX], ADDRESSES_MAX, "a post")
    files: dict[str, str] = {}
    for url, path in places.items():
        match fetched.get(url):
            case None:
                return _too_many(path, OF_REQUEST_MAX, "a request")
            case problems.Problem() as problem:
                errors = [Issue(path, issue.code, issue.message, issue.params) for issue in problem.errors[:1]]
                return type(problem)(problem.detail, errors=errors, **problem.members)
            case storage_path:
                files[url] = storage_path
    return files


def _too_many(path: str, maximum: int, whose: str) -> problems.ValidationFailed:
    message = f"At most {maximum} files of {whose} are fetched by address; upload the others first."
    return problems.invalid(path, "too_long", message, max=maximum)


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
