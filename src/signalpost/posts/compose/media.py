"""The media that a body names: by id, by storage path, or by an address that they were fetched from before."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost import networks
from signalpost.kit.db import Db
from signalpost.kit.problems import pointer
from signalpost.media import queries as media_queries
from signalpost.media.queries import MediaRow
from signalpost.posts.compose.issues import IssueCollector
from signalpost.posts.documents import Crop, MediaRef, ThreadPart, UserTag
from signalpost.posts.schemas.files import MediaIn
from signalpost.posts.schemas.requests import PostCreate
from signalpost.web.caller import Caller
from signalpost.web.fields import MediaId

_USABLE = ("ready", "deleted")
"""Deleted media are only found for a post that uses them already: their bytes stay for a while."""
_ROUNDING: Final = 1e-6
"""By so much a part may end beyond the edge: shares of pixels are not exact."""


class PostMedia(Struct):
    """The media of one body, as they are stored with the post; what was not found is left out."""

    post: list[MediaRef]
    thread: list[ThreadPart]
    targets: list[list[MediaRef] | None]  # by position in `targets` of the body
    files: dict[UUID, MediaRow]  # without thumbnails
    ids: list[UUID]  # every file, thumbnails included, each once


class MediaRows(Struct):
    """The files that one or several bodies name, by their ids, and by the addresses and paths that name them."""

    by_id: dict[UUID, MediaRow]
    by_url: dict[str, MediaRow]

    def of(self, media: MediaIn) -> MediaRow | None:
        """Return the file that this means, if there is one."""
        if media.media_id is not None:
            return self.by_id.get(media.media_id)
        return self.by_url.get(media.media_url or "")

    def restricted_to(self, named: Sequence[tuple[str, MediaIn]]) -> "MediaRows":
        """Return those that one body names."""
        ids, urls = _ids_of(named), {media.media_url for _, media in named}
        return MediaRows(
            {media_id: row for media_id, row in self.by_id.items() if media_id in ids},
            {url: row for url, row in self.by_url.items() if url in urls},
        )


NO_MEDIA: Final = MediaRows({}, {})


async def resolve_media(
    db: Db | None,
    caller: Caller,
    data: PostCreate,
    already_used: frozenset[UUID],
    fetched: Mapping[str, str],
    issues: IssueCollector,
    rows: MediaRows | None = None,
) -> PostMedia:
    """Read the media that the body names, in at most three statements, and collect what is wrong with them.

    `db`: None if nothing is to be read. `already_used`: files that the post has already, whether or not the caller may
    see them now. `fetched`: address -> storage path of the file that was fetched from it. `rows`: what `read_media`
    said of this body and others.
    """
    named = _named(data)
    if not named:
        own: list[list[MediaRef] | None] = [None if target.media is None else [] for target in data.targets or ()]
        return PostMedia([], [ThreadPart(part.text) for part in data.thread], own, {}, [])
    if rows is None:
        assert db is not None  # noqa: S101 - see above
        rows = await _read(db, caller, named, already_used, fetched)
    else:
        rows = rows.restricted_to(named)
    for path, media in named:
        _check(path, media, rows, issues)
        _check_crops(path, media, rows.of(media), issues)
    _check_same_crops(data, rows, issues)
    return PostMedia(
        post=_refs([media for _, media in _of_post(data)], rows),
        thread=[ThreadPart(part.text, _refs(part.media, rows)) for part in data.thread],
        targets=[None if target.media is None else _refs(target.media, rows) for target in data.targets or ()],
        files={row.id: row for _, media in named if (row := rows.of(media)) is not None and row.status in _USABLE},
        ids=list({row.id: None for row in (*rows.by_id.values(), *rows.by_url.values())}),
    )


def names_media(data: PostCreate) -> bool:
    """Whether the body names any file."""
    return bool(_named(data))


async def read_media(db: Db, caller: Caller, bodies: Iterable[tuple[PostCreate, Mapping[str, str]]]) -> MediaRows:
    """Return the files that new posts name, in at most two statements; each body comes with what was fetched for it."""
    named: list[tuple[str, MediaIn]] = []
    fetched: dict[str, str] = {}
    for data, of_body in bodies:
        named += _named(data)
        fetched |= of_body
    return await _read(db, caller, named, frozenset(), fetched) if named else NO_MEDIA


def _ids_of(named: Iterable[tuple[str, MediaIn]]) -> set[UUID]:
    return {key for _, media in named for key in (media.media_id, media.thumbnail_media_id) if key}


async def _read(
    db: Db,
    caller: Caller,
    named: Sequence[tuple[str, MediaIn]],
    already_used: frozenset[UUID],
    fetched: Mapping[str, str],
) -> MediaRows:
    ids = _ids_of(named)
    rows = await media_queries.visible(db, caller, list(ids - already_used))
    rows |= await media_queries.for_publishing(db, caller.workspace_id, list(ids & already_used))
    paths = {media.media_url: fetched.get(media.media_url, media.media_url) for _, media in named if media.media_url}
    stored = await media_queries.by_storage_paths(db, caller, list(paths.values()))
    return MediaRows(rows, {url: stored[path] for url, path in paths.items() if path in stored})


def _check(path: str, media: MediaIn, rows: MediaRows, issues: IssueCollector) -> None:
    if (media.media_id is None) == (media.media_url is None):
        issues.add(path, "required", "Name the file by mediaId or by mediaUrl, and not by both.")
        return
    row = rows.of(media)
    if row is None and media.media_id is not None:
        issues.append(MediaId.not_found(f"{path}/mediaId"))
    elif row is None:
        issues.add(path, "not_found", "No file has this storagePath. Send that of an upload, or an https address.")
    elif row.status not in _USABLE:
        issues.add(path, "not_allowed", f"This media is {row.status}; it can be used once it is ready.")
    if media.thumbnail_media_id is not None and media.thumbnail_media_id not in rows.by_id:
        issues.append(MediaId.not_found(f"{path}/thumbnailMediaId"))


def _check_crops(path: str, media: MediaIn, row: MediaRow | None, issues: IssueCollector) -> None:
    if media.crops and row is not None and row.kind != "image":
        message = f"Only images can be cut; this file is of kind {row.kind}. It is sent as it is."
        issues.add(f"{path}/crops", "not_allowed", message)
    if len(media.crops) > len(networks.PLATFORMS):
        most = len(networks.PLATFORMS)
        issues.add(f"{path}/crops", "too_long", f"There are {most} networks; this names more.", max=most)
        return
    for platform, crop in media.crops.items():
        place = path + pointer("crops", platform)
        if networks.get(platform) is None:
            issues.add(place, "not_found", f"There is no network {platform!r}; `GET /platforms` lists them.")
        for side, start, share in (("width", crop.x, crop.width), ("height", crop.y, crop.height)):
            if start + share > 1 + _ROUNDING:
                message = f"This part ends beyond the edge of the picture: at {start + share:g} of its {side}."
                issues.add(f"{place}/{side}", "out_of_range", message)


def _check_same_crops(data: PostCreate, rows: MediaRows, issues: IssueCollector) -> None:
    """A network gets one form of a file, so one that an account gets twice is cut in one way."""
    named = _named(data)
    targets = range(len(data.targets or ()))
    for start in ("/media", *(f"/targets/{index}/media" for index in targets)):
        first: dict[UUID, MediaIn] = {}
        for path, media in named:
            if not path.startswith((f"{start}/", "/thread/")):
                continue
            row = rows.of(media)
            if row is not None and first.setdefault(row.id, media).crops != media.crops:
                issues.add(f"{path}/crops", "not_allowed", "The post has this file twice: cut both in the same way.")


def _refs(inputs: Sequence[MediaIn], rows: MediaRows) -> list[MediaRef]:
    refs = []
    for media in inputs:
        if (row := rows.of(media)) is not None:
            tags = [UserTag(tag.username, tag.x, tag.y) for tag in media.user_tags]
            crops = {name: Crop(crop.x, crop.y, crop.width, crop.height) for name, crop in media.crops.items()}
            ref = MediaRef(row.id, media.alt_text, media.thumbnail_media_id, media.thumbnail_time_ms, tags, crops)
            refs.append(ref)
    return refs


def _named(data: PostCreate) -> list[tuple[str, MediaIn]]:
    """Return every file that the body names, with its place there."""
    named = list(_of_post(data))
    for index, part in enumerate(data.thread):
        if part.media:
            named += ((f"/thread/{index}/media/{n}", media) for n, media in enumerate(part.media))
    for index, target in enumerate(data.targets or ()):
        if target.media:
            named += ((f"/targets/{index}/media/{n}", media) for n, media in enumerate(target.media))
    return named


def _of_post(data: PostCreate) -> Iterator[tuple[str, MediaIn]]:
    """Return the files of the post itself, whichever of the three ways names them."""
    if data.media is not None:
        yield from ((f"/media/{index}", media) for index, media in enumerate(data.media))
    elif data.media_urls is not None:
        yield from ((f"/mediaUrls/{index}", MediaIn(media_url=url)) for index, url in enumerate(data.media_urls))
    elif data.media_url is not None:
        yield "/mediaUrl", MediaIn(media_url=data.media_url)
