"""Where the bytes of a file are in the store. Paths are made of ids, never of what users say."""

from uuid import UUID

from signalpost.kit import ids
from signalpost.media.file_types import FileType


def of_file(workspace_id: UUID, media_id: UUID, file_type: FileType) -> str:
    """Return the path of the file itself."""
    return f"{_base(workspace_id, media_id)}.{file_type.extensions[0]}"


def of_thumbnail(workspace_id: UUID, media_id: UUID) -> str:
    """Return the path of its thumbnail."""
    return f"{_base(workspace_id, media_id)}.thumbnail.webp"


def of_upload(workspace_id: UUID, media_id: UUID) -> str:
    """Return the path to which clients send its bytes, which nothing else reads before they are verified."""
    return f"{_base(workspace_id, media_id)}.upload"


def of_variant(workspace_id: UUID, media_id: UUID, key: str, file_type: FileType) -> str:
    """Return the path of another form of the file."""
    return f"{_base(workspace_id, media_id)}.{key}.{file_type.extensions[0]}"


def _base(workspace_id: UUID, media_id: UUID) -> str:
    return f"{ids.encode('wsp', workspace_id)}/{ids.encode('med', media_id)}"
