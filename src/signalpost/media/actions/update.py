"""Change what is known about a file."""

from msgspec import UNSET

from signalpost.kit.db import Db
from signalpost.media.queries import MEDIA_COLUMNS, MediaRow, read_media
from signalpost.media.schemas import MediaUpdate
from signalpost.web.fields import MediaId
from signalpost.web.inputs import deleted_meanwhile

_UPDATE = f"""
update media set alt_text = $3, updated_at = now() where id = $1 and workspace_id = $2 and deleted_at is null
returning {MEDIA_COLUMNS}
"""  # noqa: S608 - constants only


async def update_media(db: Db, media: MediaRow, data: MediaUpdate) -> MediaRow:
    """Change the fields that the body names. Posts that already use the file keep their own alternative text.

    Raises:
        NotFound: the file was deleted meanwhile.
    """
    if data.alt_text is UNSET:
        return media
    record = await db.fetchrow(_UPDATE, media.id, media.workspace_id, data.alt_text)
    if record is None:
        raise deleted_meanwhile(MediaId, media.id)
    return read_media(record)
