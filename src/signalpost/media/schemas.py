"""Media on the wire."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from signalpost.events import Actor
from signalpost.kit import issue_text
from signalpost.kit.wire import Input, Instant, Output
from signalpost.media import signed_urls
from signalpost.media.file_types import ContentType, MediaKind
from signalpost.media.states import MediaStatus
from signalpost.web.caller import Mode
from signalpost.web.fields import ProfileId, SignedQuery

AltText = Annotated[str, Meta(max_length=1500)]
Sha256 = Annotated[
    str, Meta(pattern="^[0-9a-fA-F]{64}$", extra={issue_text.FORMAT: "Must be a SHA-256 as 64 hexadecimal digits."})
]
PRESIGNED_MAX = 50

_ALT_TEXT = "Describes the file for people who cannot see it."
_ALT_TEXT_EXAMPLE = "A cat asleep on a keyboard"
_SIGNED = (
    "https://signalpost.example.com/api/v1/media/med_01M7Z0000000000000000000AB/content?expires=1795287600&signature="
)


class UploadFields(Input):
    """The fields of a form beside its `file`; an empty field counts as absent."""

    profile_id: Annotated[ProfileId | None, Meta(description="The profile that the file belongs to.")] = None
    alt_text: Annotated[AltText | None, Meta(description=_ALT_TEXT, examples=[_ALT_TEXT_EXAMPLE])] = None
    kind: Annotated[
        MediaKind | None,
        Meta(description="The kind you expect. A file of another kind is refused.", examples=["image"]),
    ] = None


class MediaUpload(UploadFields, kw_only=True):
    """A form with a file. It is documentation only: `multipart` reads forms as a stream."""

    file: Annotated[
        str, Meta(description="The file.", examples=["(the bytes of cat.jpg)"], extra_json_schema={"format": "binary"})
    ]


class MediaFetch(UploadFields, kw_only=True):
    """Have the service fetch a file."""

    url: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=2048,
            description="The public https address of the file itself.",
            examples=["https://example.com/cat.jpg"],
        ),
    ]
    file_name: Annotated[
        Annotated[str, Meta(max_length=255)] | None,
        Meta(description="The file name. Defaults to the last part of the address.", examples=["cat.jpg"]),
    ] = None


class UploadPresign(Input):
    """Announce a file that will be uploaded without a credential."""

    file_name: Annotated[
        Annotated[str, Meta(min_length=1, max_length=255)], Meta(description="The file name.", examples=["cat.jpg"])
    ]
    content_type: Annotated[
        ContentType,
        Meta(description="The type of the file. Content of another type is refused.", examples=["image/jpeg"]),
    ]
    size: Annotated[
        Annotated[int, Meta(ge=1, le=2**53)] | None,
        Meta(
            description="The exact number of bytes. Without it, the largest allowed size is reserved.",
            examples=[245_760],
        ),
    ] = None
    checksum_sha256: Annotated[
        Sha256 | None,
        Meta(
            description="The SHA-256 of the bytes. Other bytes are refused.",
            examples=["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
        ),
    ] = None
    profile_id: Annotated[ProfileId | None, Meta(description="The profile that the file belongs to.")] = None
    alt_text: Annotated[AltText | None, Meta(description=_ALT_TEXT, examples=[_ALT_TEXT_EXAMPLE])] = None


class UploadsPresign(Input):
    """Announce several files."""

    files: Annotated[
        Annotated[list[UploadPresign], Meta(min_length=1, max_length=PRESIGNED_MAX)],
        Meta(description="The files. If one of them is refused, all are."),
    ]


class PresignedUpload(Output):
    """Send the bytes with `method` and `headers` to `uploadUrl` before `expiresAt`; it needs no credential, works once.

    `maxSize` is the announced size, or the largest that is accepted.
    """

    media_id: Annotated[str, Meta(examples=["med_01M7Z0000000000000000000AB"])]
    upload_url: Annotated[
        str,
        Meta(
            examples=[
                "https://signalpost.example.com/api/v1/media/med_01M7Z0000000000000000000AB/upload?expires=1795287600&signature=kq3v8E0c5W1mB7tYx2ZpR9aLhUoJnD4s"
            ]
        ),
    ]
    method: Literal["PUT"]
    headers: Annotated[dict[str, str], Meta(examples=[{"Content-Type": "image/jpeg"}])]
    storage_path: Annotated[str, Meta(examples=["wsp_01M7Z0000000000000000000AB/med_01M7Z0000000000000000000AB.jpg"])]
    expires_at: Instant
    max_size: Annotated[int, Meta(examples=[245_760])]


class PresignedUploads(Output):
    """The uploads, in the order of the files."""

    uploads: list[PresignedUpload]
    expires_at: Instant


class UploadReceipt(Output):
    """Confirms that the bytes arrived and were accepted. Get the media with a credential for everything else."""

    id: Annotated[str, Meta(examples=["med_01M7Z0000000000000000000AB"])]
    status: Annotated[MediaStatus, Meta(examples=["ready"])]
    size: Annotated[int, Meta(description="Of the stored bytes, without metadata.", examples=[245_760])]
    checksum_sha256: Annotated[str, Meta(examples=["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"])]


class ResumableUpload(Output):
    """How far an upload is. Go on with `PATCH` at `offset`; the file is ready after the last byte."""

    media_id: Annotated[str, Meta(examples=["med_01M7Z0000000000000000000AB"])]
    offset: Annotated[int, Meta(description="How many bytes have arrived.", examples=[0])]
    length: Annotated[int, Meta(description="How many bytes the file has.", examples=[2_000_000_000])]
    status: Annotated[MediaStatus, Meta(examples=["pending"])]
    expires_at: Annotated[Instant | None, Meta(description="Until when the bytes have to arrive; null once they have.")]


class FocalPointIn(Input):
    """What of a picture must not be cut off."""

    x: Annotated[Annotated[float, Meta(ge=0, le=1)], Meta(description="From the left edge, 0 to 1.", examples=[0.25])]
    y: Annotated[Annotated[float, Meta(ge=0, le=1)], Meta(description="From the top edge, 0 to 1.", examples=[0.4])]


class MediaUpdate(Input):
    """Change a file; null clears a field."""

    alt_text: Annotated[AltText | UnsetType | None, Meta(description=_ALT_TEXT, examples=[_ALT_TEXT_EXAMPLE])] = UNSET
    focal_point: Annotated[
        FocalPointIn | UnsetType | None,
        Meta(
            description="What stays in view wherever the picture is cut, as it is seen upright. Default: its middle.",
            examples=[{"x": 0.25, "y": 0.4}],
        ),
    ] = UNSET


class MediaQuery(Input):
    """Which files to list."""

    profile_id: Annotated[ProfileId | None, Meta(description="List only files of this profile.")] = None
    kind: Annotated[MediaKind | None, Meta(description="List only files of this kind.", examples=["image"])] = None
    q: Annotated[
        Annotated[str, Meta(max_length=200)] | None,
        Meta(description="List only files whose name or alternative text contains this, in any case."),
    ] = None
    described: Annotated[
        bool | None, Meta(description="List only files with an alternative text, or only those without one.")
    ] = None


class MediaStatsQuery(Input):
    """A filter by profile."""

    profile_id: Annotated[ProfileId | None, Meta(description="Count only files of this profile.")] = None


class MediaStats(Output):
    """Figures of the files that the caller may see. Images include GIFs."""

    files: Annotated[int, Meta(examples=[5])]
    bytes: Annotated[int, Meta(description="The size of all of them together.", examples=[1_245_760])]
    images: Annotated[int, Meta(examples=[4])]
    images_described: Annotated[int, Meta(description="How many have an alternative text.", examples=[3])]


class ContentQuery(SignedQuery):
    """The query string of the signed URL of a file."""

    variant: Annotated[
        signed_urls.Variant, Meta(description="The file itself or its thumbnail.", examples=["original"])
    ] = "original"
    form: Annotated[
        str | None,
        Meta(
            description="A form of the file that was made for a network, instead of the file itself.",
            examples=["9f86d081884c7d65"],
        ),
    ] = None


class FocalPoint(Output):
    """What of a picture must not be cut off, from its left and its top, 0 to 1."""

    x: Annotated[float, Meta(examples=[0.25])]
    y: Annotated[float, Meta(examples=[0.4])]


class MediaVariant(Output):
    """A form of the file that was made for one network. `url` is as that of the file."""

    platform: Annotated[str, Meta(examples=["bluesky"])]
    purpose: Annotated[str, Meta(examples=["feed"])]
    mime_type: Annotated[str, Meta(examples=["image/jpeg"])]
    size: Annotated[int, Meta(examples=[245_760])]
    width: Annotated[int | None, Meta(examples=[1080])]
    height: Annotated[int | None, Meta(examples=[1080])]
    url: Annotated[str | None, Meta(examples=[f"{_SIGNED}kq3v8E0c5W1mB7tYx2ZpR9aLhUoJnD4s&form=9f86d081884c7d65"])]


class MediaError(Output):
    """Why a file could not be processed."""

    code: Annotated[str, Meta(examples=["format"])]
    message: Annotated[str, Meta(examples=["The file is damaged or incomplete."])]


class Media(Output):
    """A file. `url` and `thumbnailUrl` need no credential and expire after an hour; get the media for new ones.

    `url` is null until the bytes are stored. `expiresAt` is when the file is deleted unless a post uses it by then; it
    is null once a post uses the file. For a `pending` file it is until when the bytes have to arrive.
    """

    id: str
    mode: Annotated[Mode, Meta(description="That of the key that uploaded it.", examples=["live"])]
    profile_id: str | None
    kind: Annotated[MediaKind, Meta(examples=["image"])]
    file_name: Annotated[str, Meta(examples=["cat.jpg"])]
    mime_type: Annotated[str, Meta(examples=["image/jpeg"])]
    size: Annotated[int, Meta(examples=[245_760])]
    checksum_sha256: Annotated[
        str | None, Meta(examples=["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"])
    ]
    width: Annotated[int | None, Meta(examples=[1080])]
    height: Annotated[int | None, Meta(examples=[1080])]
    duration_ms: int | None
    fps: float | None
    video_codec: str | None
    audio_codec: str | None
    storage_path: Annotated[str, Meta(examples=["wsp_01M7Z0000000000000000000AB/med_01M7Z0000000000000000000AB.jpg"])]
    url: Annotated[str | None, Meta(examples=[f"{_SIGNED}kq3v8E0c5W1mB7tYx2ZpR9aLhUoJnD4s"])]
    thumbnail_url: Annotated[
        str | None, Meta(examples=[f"{_SIGNED}c5W1mB7tYx2ZpR9aLhUoJnD4skq3v8E0&variant=thumbnail"])
    ]
    alt_text: Annotated[str | None, Meta(examples=[_ALT_TEXT_EXAMPLE])]
    focal_point: Annotated[FocalPoint | None, Meta(description="Null: the middle.", examples=[{"x": 0.25, "y": 0.4}])]
    status: Annotated[MediaStatus, Meta(examples=["ready"])]
    error: MediaError | None
    variants: Annotated[list[MediaVariant], Meta(examples=[[]])]
    used_by_posts: Annotated[int, Meta(examples=[0])]
    created_by: Actor
    created_at: Instant
    expires_at: Annotated[Instant | None, Meta(examples=["2027-02-19T18:00:00.000Z"])]


class MediaDeletion(Output):
    """Confirms that a file was deleted. Its bytes are removed at `bytesKeptUntil`: now, if no post ever used it."""

    id: str
    deleted: Literal[True]
    bytes_kept_until: Instant
