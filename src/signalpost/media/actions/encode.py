"""Encode a video again, in a job: it takes minutes, and other posts of the account go out meanwhile."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.jobs import RunAgain
from signalpost.kit import ids, log
from signalpost.kit.frames import FrameLimits
from signalpost.kit.shares import Busy
from signalpost.kit.tenant import tenant
from signalpost.media import probe_process
from signalpost.media.actions.derive import CannotBeDerived, Derivation, derive_variant, existing
from signalpost.media.queries import MEDIA_COLUMNS, MediaRow, VariantDocument, read_media

ENCODE_JOB: Final = "media.encode"
_AGAIN_SECONDS: Final = 1.0
_FIND = f"select {MEDIA_COLUMNS} from media where id = $1 and workspace_id = $2 and status = 'ready'"  # noqa: S608 - constants
_logger = log.get("media")


async def request_encoding(context: AppContext, row: MediaRow, derivation: Derivation) -> None:
    """Have a job encode the video; once, however often this is asked for before it has ended."""
    payload = {
        "media": ids.encode("med", row.id),
        "workspace": ids.encode("wsp", row.workspace_id),
        "platform": derivation.platform,
        "mimeTypes": list(derivation.mime_types),
        "bytesMax": derivation.bytes_max,
        "pixelsMax": derivation.frame.pixels_max,
    }
    async with context.database.transaction() as db:
        await jobs.enqueue(db, ENCODE_JOB, payload, unique_key=_key(row, derivation), workspace_id=row.workspace_id)


async def encoded(context: AppContext, row: MediaRow, derivation: Derivation) -> VariantDocument | None:
    """Return the video that was asked for; None while it is being made.

    Raises:
        CannotBeDerived: it was not made, and nobody is making it.
    """
    async with context.database.connection() as db:
        is_open = await jobs.open_keys(db, [_key(row, derivation)])
        record = await db.fetchrow(_FIND, row.id, row.workspace_id)  # after the job is known to have ended
    variant = None if record is None else existing(read_media(record), derivation)
    if variant is None and not is_open:
        raise CannotBeDerived(
            "The video could not be converted into what the network takes. Upload a smaller MP4 file."
        )
    return variant


async def encode_variant(context: AppContext, payload: Mapping[str, Any]) -> RunAgain | None:
    """Encode a video as it was asked for. What cannot be encoded is not tried again."""
    media_id, workspace_id = ids.decode("med", payload["media"]), ids.decode("wsp", payload["workspace"])
    row = await _find(context, media_id, workspace_id)
    if row is None:
        return None
    frame = FrameLimits(payload["pixelsMax"])
    derivation = Derivation(
        payload["platform"], tuple(payload["mimeTypes"]), payload["bytesMax"], frame, encodes_video=True
    )
    working = tenant.get()
    try:
        async with probe_process.encoding_turn(working and working.id):
            await derive_variant(context, row, derivation, tenant=working and working.id)
    except Busy:
        return RunAgain(_AGAIN_SECONDS)
    except CannotBeDerived as error:
        _logger.info("media.not_encoded", media=payload["media"], platform=derivation.platform, reason=str(error))
    return None


async def _find(context: AppContext, media_id: UUID | None, workspace_id: UUID | None) -> MediaRow | None:
    async with context.database.connection() as db:
        record = await db.fetchrow(_FIND, media_id, workspace_id)
    return None if record is None else read_media(record)


def _key(row: MediaRow, derivation: Derivation) -> str:
    return f"{ENCODE_JOB}/{ids.encode('med', row.id)}/{derivation.key}"
