"""Rows of media as API structs."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from signalpost.context import AppContext, MediaUse
from signalpost.kit import clock, ids
from signalpost.media import signed_urls
from signalpost.media.actions.presign import Presigned
from signalpost.media.queries import MediaRow, VariantDocument
from signalpost.media.schemas import (
    FocalPoint,
    Media,
    MediaDeletion,
    MediaError,
    MediaVariant,
    PresignedUpload,
    PresignedUploads,
    ResumableUpload,
    UploadReceipt,
)


def media(context: AppContext, row: MediaRow, uses: Mapping[UUID, MediaUse]) -> Media:
    """Return a file; `uses` are what `count_media_uses` returned for it."""
    use = uses.get(row.id, MediaUse())
    keys, base_url = context.keys, context.base_url
    return Media(
        id=ids.encode("med", row.id),
        mode=row.mode,
        profile_id=ids.encode_or_none("prof", row.profile_id),
        kind=row.kind,
        file_name=row.file_name,
        mime_type=row.mime_type,
        size=row.size_bytes,
        checksum_sha256=row.sha256.hex() or None,
        width=row.width,
        height=row.height,
        duration_ms=row.duration_ms,
        fps=row.fps,
        video_codec=row.video_codec,
        audio_codec=row.audio_codec,
        storage_path=row.storage_path,
        url=signed_urls.create(keys, base_url, row.id) if row.status == "ready" else None,
        thumbnail_url=signed_urls.create(keys, base_url, row.id, "thumbnail") if row.thumbnail_path else None,
        alt_text=row.alt_text,
        focal_point=FocalPoint(x=row.focal_point.x, y=row.focal_point.y) if row.focal_point else None,
        status=row.status,
        error=MediaError(code=row.error.code, message=row.error.message) if row.error else None,
        variants=[_variant(context, row, variant) for variant in row.variants],
        used_by_posts=use.posts,
        created_by=row.created_by,
        created_at=clock.wire(row.created_at),
        expires_at=None if use.posts else clock.wire_or_none(row.expires_at),
    )


def _variant(context: AppContext, row: MediaRow, variant: VariantDocument) -> MediaVariant:
    is_there = row.status == "ready"
    return MediaVariant(
        platform=variant.platform,
        purpose=variant.purpose,
        mime_type=variant.mime_type,
        size=variant.size_bytes,
        width=variant.width,
        height=variant.height,
        url=signed_urls.create_form(context.keys, context.base_url, row.id, variant.key) if is_there else None,
    )


def media_deletion(row: MediaRow) -> MediaDeletion:
    return MediaDeletion(
        id=ids.encode("med", row.id), deleted=True, bytes_kept_until=clock.wire(row.expires_at or clock.now())
    )


def presigned_upload(presigned: Presigned) -> PresignedUpload:
    row = presigned.row
    return PresignedUpload(
        media_id=ids.encode("med", row.id),
        upload_url=presigned.url,
        method="PUT",
        headers=presigned.headers,
        storage_path=row.storage_path,
        expires_at=clock.wire(presigned.expires_at),
        max_size=row.size_bytes,
    )


def presigned_uploads(uploads: Sequence[Presigned]) -> PresignedUploads:
    return PresignedUploads(
        uploads=[presigned_upload(upload) for upload in uploads], expires_at=clock.wire(uploads[0].expires_at)
    )


def upload_receipt(row: MediaRow) -> UploadReceipt:
    return UploadReceipt(
        id=ids.encode("med", row.id), status=row.status, size=row.size_bytes, checksum_sha256=row.sha256.hex()
    )


def resumable_upload(row: MediaRow, offset: int) -> ResumableUpload:
    return ResumableUpload(
        media_id=ids.encode("med", row.id),
        offset=offset,
        length=row.upload_bytes or 0,
        status=row.status,
        expires_at=clock.wire_or_none(row.expires_at) if row.status == "pending" else None,
    )
