"""Media on the wire."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from signalpost.kit.wire import Input, Instant, Output
from signalpost.media import links
from signalpost.media.file_types import Kind

Status = Literal["pending", "uploaded", "processing", "ready", "failed", "deleted"]
ProfileId = Annotated[str, Meta(max_length=40, examples=["prof_01JD8ZK3T5X7Q9V2B4N6M8R0AC"])]
AltText = Annotated[str, Meta(max_length=1500, description="What the file shows, for those who cannot see it.")]


class UploadFields(Input):
    """The fields of a form beside its `file`; an empty one counts as absent."""

    profile_id: ProfileId | None = None
    alt_text: AltText | None = None
    kind: Kind | None = None


class MediaFetch(UploadFields, kw_only=True):
    """A file that the service shall fetch itself."""

    url: Annotated[str, Meta(min_length=1, max_length=2048, description="A public https address of the file itself.")]
    file_name: Annotated[str, Meta(max_length=255)] | None = None


class MediaUpdate(Input):
    """What can be changed of a file; null clears."""

    alt_text: AltText | UnsetType | None = UNSET


class MediaQuery(Input):
    """Which media to list."""

    profile_id: ProfileId | None = None
    kind: Kind | None = None


class ContentQuery(Input):
    """The parts of a signed address."""

    expires: Annotated[int, Meta(ge=0, le=2**53)]
    signature: Annotated[str, Meta(max_length=64)]
    variant: links.Variant = "original"


class MediaVariant(Output):
    """A form of the file made for one network."""

    platform: str
    purpose: str
    mime_type: str
    size: int
    width: int | None
    height: int | None


class Media(Output):
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


class MediaDeleted(Output):
    """A deleted file. Its bytes are removed at `bytesKeptUntil`: at once when no post ever used it."""

    id: str
    deleted: bool
    bytes_kept_until: Instant
