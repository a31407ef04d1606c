"""Rows of media as API structs."""

from collections.abc import Mapping
from uuid import UUID

from signalpost.context import AppContext, MediaUse
from signalpost.kit import clock, ids
from signalpost.media import signed_urls
from signalpost.media.queries import MediaRow
from signalpost.media.schemas import Media, MediaDeletion, MediaError


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
        checksum_sha256=row.sha256.hex(),
        width=row.width,
        height=row.height,
        duration_ms=row.duration_ms,
        fps=row.fps,
        video_codec=row.video_codec,
        audio_codec=row.audio_codec,
        storage_path=row.storage_path,
        url=signed_urls.create(keys, base_url, row.id),
        thumbnail_url=signed_urls.create(keys, base_url, row.id, "thumbnail") if row.thumbnail_path else None,
        alt_text=row.alt_text,
        status=row.status,
        error=MediaError(code=row.error.code, message=row.error.message) if row.error else None,
        variants=[],  # nothing converts files yet
        used_by_posts=use.posts,
        created_at=clock.wire(row.created_at),
        expires_at=None if use.posts else clock.wire_or_none(row.expires_at),
    )


def media_deletion(row: MediaRow) -> MediaDeletion:
    return MediaDeletion(
        id=ids.encode("med", row.id),
        deleted=True,
        bytes_kept_until=clock.wire(row.expires_at or clock.now()),
    )
