"""The media that a data names: by id, by storage path, or by an address to fetch them from first."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec

from signalpost.kit import ids
from signalpost.kit.db import Db
from signalpost.media import queries as media_queries
from signalpost.media.queries import MediaRow
from signalpost.posts.actions.issues import IssueCollector
from signalpost.posts.schemas.requests import MediaIn, PostCreate
from signalpost.posts.schemas.responses import MediaRef, UserTag
from signalpost.web.caller import Caller

_USABLE = ("ready", "deleted")
"""Deleted media come only with a post that has them already: their bytes stay for a while."""


class Files:
    """The media of one body, by what the body calls them."""

    def __init__(self) -> None:
        self.by_id: dict[str, MediaRow] = {}
        self._by_name: dict[str, MediaRow] = {}

    @classmethod
    async def read(
        cls,
        db: Db,
        caller: Caller,
        data: PostCreate,
        already_used: frozenset[UUID],
        fetched: Mapping[str, str],
        found: IssueCollector,
    ) -> "Files":
        """Read all of them, in at most three statements.

        `already_used` is what the post has already, whoever may see it now; `fetched` maps addresses to stored files.
        """
        files = cls()
        wished = list(named_media(data))
        if not wished:
            return files
        asked = {name: ids.decode("med", name) for _, media in wished for name in _ids(media)}
        known = {key for key in asked.values() if key is not None}
        rows = await media_queries.visible(db, caller, list(known - already_used))
        rows |= await media_queries.for_publishing(db, caller.workspace_id, list(known & already_used))
        paths = {m.media_url: fetched.get(m.media_url, m.media_url) for _, m in wished if m.media_url}
        stored = await media_queries.by_storage_paths(db, caller, list(paths.values()))
        files._by_name = {name: rows[key] for name, key in asked.items() if key in rows}
        files._by_name |= {name: stored[path] for name, path in paths.items() if path in stored}
        for path, media in wished:
            files._check(path, media, found)
        return files

    def _check(self, path: str, media: MediaIn, found: IssueCollector) -> None:
        name = media.media_id or media.media_url
        if name is None or (media.media_id and media.media_url):
            found.add(path, "required", "Name the file by mediaId or by mediaUrl.")
            return
        row = self._by_name.get(name)
        if row is None:
            found.add(path, "not_found", "There is no such media here.")
        elif row.status not in _USABLE:
            found.add(path, "not_allowed", f"This media is {row.status}; it can be used once it is ready.")
        else:
            self.by_id[ids.encode("med", row.id)] = row
        if media.thumbnail_media_id is not None and media.thumbnail_media_id not in self._by_name:
            found.add(f"{path}/thumbnailMediaId", "not_found", "There is no such media here.")

    def refs(self, wished: Sequence[MediaIn]) -> list[dict[str, Any]]:
        """Return the media as they are stored with the post; those that were not found are left out."""
        refs = []
        for media in wished:
            row = self._by_name.get(media.media_id or media.media_url or "")
            if row is not None:
                tags = [UserTag(tag.username, tag.x, tag.y) for tag in media.user_tags]
                thumbnail = media.thumbnail_media_id
                ref = MediaRef(ids.encode("med", row.id), media.alt_text, thumbnail, media.thumbnail_time_ms, tags)
                refs.append(msgspec.to_builtins(ref))
        return refs

    def ids(self) -> list[UUID]:
        """Return the id of every file, thumbnails included, each once."""
        return list({row.id: None for row in self._by_name.values()})


def own(data: PostCreate) -> list[MediaIn]:
    """Return the media of the post itself, whichever of the three ways named them."""
    return [media for _, media in _own(data)]


def named_media(data: PostCreate) -> Iterator[tuple[str, MediaIn]]:
    """Return every file that the data names, with its place in the body."""
    yield from _own(data)
    for index, part in enumerate(data.thread):
        yield from ((f"/thread/{index}/media/{n}", media) for n, media in enumerate(part.media))
    for index, target in enumerate(data.targets or ()):
        yield from ((f"/targets/{index}/media/{n}", media) for n, media in enumerate(target.media or ()))


def _own(data: PostCreate) -> Iterator[tuple[str, MediaIn]]:
    if data.media is not None:
        yield from ((f"/media/{index}", media) for index, media in enumerate(data.media))
    elif data.media_urls is not None:
        yield from ((f"/mediaUrls/{index}", MediaIn(media_url=url)) for index, url in enumerate(data.media_urls))
    elif data.media_url is not None:
        yield "/mediaUrl", MediaIn(media_url=data.media_url)


def _ids(media: MediaIn) -> list[str]:
    return [name for name in (media.media_id, media.thumbnail_media_id) if name is not None]
