"""Media on the wire."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from signalpost.kit import clock, ids
from signalpost.kit.crypto import KeyRing
from signalpost.kit.wire import Body, Instant, Shape
from signalpost.media import links
from signalpost.media.formats import Kind
from signalpost.media.queries import MediaRow
from signalpost.media.uses import Use

Status = Literal["pending", "uploaded", "processing", "ready", "failed", "deleted"]
ProfileId = Annotated[str, Meta(max_length=40, examples=["prof_01JD8ZK3T5X7Q9V2B4N6M8R0AC"])]
AltText = Annotated[str, Meta(max_length=1500, description="What the file shows, for those who cannot see it.")]


class UploadFields(Body):
    """The fields of a form beside its `file`; an empty one counts as absent."""

    profile_id: ProfileId | None = None
    alt_text: AltText | None = None
    kind: Kind | None = None


class FetchMedia(UploadFields, kw_only=True):
    """A file that the service shall fetch itself."""

    url: Annotated[str, Meta(min_length=1, max_length=2048, description="A public https address of the file itself.")]
    file_name: Annotated[str, Meta(max_length=255)] | None = None


class UpdateMedia(Body):
    """What can be changed of a file; null clears."""

    alt_text: AltText | UnsetType | None = UNSET


class MediaFilter(Body):
    """Which media to list."""

    profile_id: ProfileId | None = None
    kind: Kind | None = None


class ContentAddress(Body):
    """The parts of a signed address."""

    expires: Annotated[int, Meta(ge=0, le=2**53)]
    signature: Annotated[str, Meta(max_length=64)]
    variant: links.Variant = "original"


class MediaVariant(Shape):
    """A form of the file made for one network."""

    platform: str
    purpose: str
    mime_type: str
    size: int
    width: int | None
    height: int | None


class Media(Shape):
    """A stored file. `url` and `thumbnailUrl` need no credential and work for an hour; read it for new ones."""

    id: str
    profile_id: str | None
    kind: Kind
    file_name: str
    mime_type: str
    size: int
    checksum_sha256: str
    width: int | None
    height: int | None
    duration_ms: int | None
    fps: float | None
    video_codec: str | None
    audio_codec: str | None
    storage_path: str
    url: str
    thumbnail_url: str | None
    alt_text: str | None
    status: Status
    error: dict[str, Any] | None
    variants: list[MediaVariant]
    used_by_posts: int
    created_at: Instant
    expires_at: Instant | None


class MediaDeleted(Shape):
    """A deleted file. Its bytes are removed at `bytesKeptUntil`: at once when no post ever used it."""

    id: str
    deleted: bool
    bytes_kept_until: Instant


def shown(row: MediaRow, use: Use, keys: KeyRing, base_url: str) -> Media:
    """Return the row as its readers see it. `expiresAt` is when it goes if nobody uses it until then."""
    return Media(
        id=ids.encode("med", row.id),
        profile_id=ids.encode("prof", row.profile_id) if row.profile_id else None,
        kind=row.kind,  # type: ignore[arg-type]  # the column's check holds the same words
        file_name=row.file_name,
        mime_type=row.mime_type,
        size=row.size_bytes,
        checksum_sha256=row.sha256.hex(),
        width=row.width,
        height=row.height,
        duration_ms=row.duration_ms,
        fps=row.fps,
        video_codec=row.video_codec,
        audio_codec=row.audio_codec,
        storage_path=row.storage_path,
        url=links.address(keys, base_url, row.id),
        thumbnail_url=links.address(keys, base_url, row.id, "thumbnail") if row.thumbnail_path else None,
        alt_text=row.alt_text,
        status=row.status,  # type: ignore[arg-type]
        error=row.error,
        variants=[],  # conversion makes them
        used_by_posts=use.posts,
        created_at=clock.wire(row.created_at),
        expires_at=None if use.posts else clock.wire_or_none(row.expires_at),
    )
