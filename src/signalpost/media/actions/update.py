"""Change what is known about a file."""

from typing import Final

from msgspec import UNSET

from signalpost.kit import problems
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.media.queries import MEDIA_COLUMNS, FocalPoint, MediaRow, read_media
from signalpost.media.schemas import MediaUpdate
from signalpost.web.fields import MediaId
from signalpost.web.inputs import deleted_meanwhile

_PICTURES: Final = ("image", "gif", "video")
_UPDATE = f"""
update media set alt_text = case when $3 then $4 else alt_text end,
    focal_point = case when $5 then $6::jsonb else focal_point end, updated_at = now()
where id = $1 and workspace_id = $2 and deleted_at is null
returning {MEDIA_COLUMNS}
"""  # noqa: S608 - constants only


async def update_media(db: Db, media: MediaRow, data: MediaUpdate) -> MediaRow:
    """Change the fields that the body names. Posts that already use the file keep their own alternative text.

    Raises:
        NotFound: the file was deleted meanwhile.
        ValidationFailed: a focal point of what is not a picture.
    """
    alt_text, point = data.alt_text, data.focal_point
    if alt_text is UNSET and point is UNSET:
        return media
    if point and media.kind not in _PICTURES:
        message = f"This file is of kind {media.kind}: there is no picture to cut."
        raise problems.ValidationFailed(errors=[Issue("/focalPoint", "not_allowed", message)])
    record = await db.fetchrow(
        _UPDATE,
        media.id,
        media.workspace_id,
        alt_text is not UNSET,
        None if alt_text is UNSET else alt_text,
        point is not UNSET,
        FocalPoint(point.x, point.y) if point else None,
    )
    if record is None:
        raise deleted_meanwhile(MediaId, media.id)
    return read_media(record)
