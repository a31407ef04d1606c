"""From the row to what goes over the wire."""

from signalpost.context import MediaUse
from signalpost.kit import clock, ids
from signalpost.kit.crypto import KeyRing
from signalpost.media import links
from signalpost.media.queries import MediaRow
from signalpost.media.schemas import Media


def shown(row: MediaRow, use: MediaUse, keys: KeyRing, base_url: str) -> Media:
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
