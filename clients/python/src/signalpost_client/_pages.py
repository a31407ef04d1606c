"""Lists: every item of all pages, or page by page. A page is requested when it is needed."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from signalpost_client.errors import UnexpectedResponse

T = TypeVar("T")
Page = Mapping[str, Any]


def next_cursor(page: Page, seen: set[str]) -> str | None:
    """Return the cursor of the next page; None: this is the last one.

    Raises:
        UnexpectedResponse: it leads back, so that the list would never end.
    """
    if not page.get("hasMore") or not (cursor := page.get("nextCursor")):
        return None
    if cursor in seen:
        raise UnexpectedResponse("The list leads back to a page that was there already.", status=200)
    seen.add(cursor)
    return str(cursor)


class Pages(Generic[T]):
    """A list: `for post in client.list_posts()`. Each loop begins again."""

    def __init__(self, get: Callable[[str | None], Page], cursor: str | None = None) -> None:
        self._get = get
        self._cursor = cursor

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page["data"]

    def pages(self) -> Iterator[Page]:
        """Yield `{data, nextCursor, hasMore}` as the API answers it."""
        seen: set[str] = set()
        cursor = self._cursor
        while True:
            page = self._get(cursor)
            yield page
            if (cursor := next_cursor(page, seen)) is None:
                return

    def after(self, cursor: str | None) -> "Pages[T]":
        """Return the list from the page of a `nextCursor` on."""
        return Pages(self._get, cursor)

    def first(self) -> T | None:
        """Return the first item, if there is one."""
        return next(iter(self), None)


class AsyncPages(Generic[T]):
    """A list: `async for post in client.list_posts()`. Each loop begins again."""

    def __init__(self, get: Callable[[str | None], Awaitable[Page]], cursor: str | None = None) -> None:
        self._get = get
        self._cursor = cursor

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page["data"]:
                yield item

    async def pages(self) -> AsyncIterator[Page]:
        """Yield `{data, nextCursor, hasMore}` as the API answers it."""
        seen: set[str] = set()
        cursor = self._cursor
        while True:
            page = await self._get(cursor)
            yield page
            if (cursor := next_cursor(page, seen)) is None:
                return

    def after(self, cursor: str | None) -> "AsyncPages[T]":
        """Return the list from the page of a `nextCursor` on."""
        return AsyncPages(self._get, cursor)

    async def first(self) -> T | None:
        """Return the first item, if there is one."""
        async for item in self:
            return item
        return None
