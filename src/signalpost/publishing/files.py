"""The files of an attempt as its network takes them: another form where it would refuse an image as it is."""

from functools import partial
from pathlib import PurePosixPath
from uuid import UUID

from signalpost.accounts.platforms import fetch_url
from signalpost.context import AppContext
from signalpost.kit.tenant import tenant
from signalpost.media import signed_urls
from signalpost.media.actions.derive import CannotBeDerived, Derivation, derive_variant, existing
from signalpost.media.queries import MediaRow, VariantDocument
from signalpost.networks import fitting, preflight
from signalpost.networks.contract import Connector, OutgoingMedia, Refused
from signalpost.publishing.attempt import Attempt


def as_uploaded(context: AppContext, row: MediaRow, connector: Connector) -> OutgoingMedia:
    """Return a file as it was uploaded."""
    base_url = fetch_url(context, connector)
    return OutgoingMedia(
        kind=row.kind,
        mime_type=row.mime_type,
        size_bytes=row.size_bytes,
        sha256=row.sha256,
        width=row.width,
        height=row.height,
        duration_ms=row.duration_ms,
        video_codec=row.video_codec,
        audio_codec=row.audio_codec,
        alt_text=row.alt_text,
        file_name=row.file_name,
        read=partial(context.storage.read, row.storage_path),
        url=None if base_url is None else partial(signed_urls.create, context.keys, base_url, row.id),
    )


async def as_taken(context: AppContext, attempt: Attempt) -> dict[UUID, OutgoingMedia] | Refused:
    """Return the files of an attempt by their ids, in the forms that the network takes.

    Forms are made when the post is published; to look for it again, those that were made then are used.

    Raises:
        Missing, StorageFailure: a file cannot be read.
    """
    files: dict[UUID, OutgoingMedia] = {}
    watermark_id = attempt.due.circumstances.watermark_media_id
    watermark = next((row for row in attempt.files if row.id == watermark_id and row.kind == "image"), None)
    for row in attempt.files:
        file = as_uploaded(context, row, attempt.connector)
        derivation = _derivation(attempt, file, None if watermark is row else watermark)
        if derivation is not None:
            try:
                variant = await _variant(context, attempt, row, derivation)
            except CannotBeDerived as error:
                return Refused(code="media_processing_failed", message=str(error))
            if variant is not None:
                file = _as_derived(context, row, variant, attempt.connector)
        files[row.id] = file
    return files


def _derivation(attempt: Attempt, file: OutgoingMedia, watermark: MediaRow | None) -> Derivation | None:
    """Return what has to be made of a file; None: it is sent as it is."""
    facts = preflight.for_account(attempt.connector.facts, attempt.due.account.facts)
    needed = fitting.fit(facts, file) if attempt.due.post.auto_fit else None
    if needed is None and watermark is not None:
        needed = fitting.encodable(facts, file)
    if needed is None:
        return None
    return Derivation(facts.key, needed.mime_types, needed.bytes_max, needed.pixels_max, watermark)


async def _variant(
    context: AppContext, attempt: Attempt, row: MediaRow, derivation: Derivation
) -> VariantDocument | None:
    if attempt.kind != "publish":
        return existing(row, derivation)
    working = tenant.get()
    return await derive_variant(context, row, derivation, tenant=working and working.id)


def _as_derived(context: AppContext, row: MediaRow, variant: VariantDocument, connector: Connector) -> OutgoingMedia:
    base_url = fetch_url(context, connector)
    extension = PurePosixPath(variant.storage_path).suffix
    return OutgoingMedia(
        kind=row.kind,
        mime_type=variant.mime_type,
        size_bytes=variant.size_bytes,
        sha256=bytes.fromhex(variant.sha256),
        width=variant.width,
        height=variant.height,
        duration_ms=row.duration_ms,
        video_codec=row.video_codec,
        audio_codec=row.audio_codec,
        alt_text=row.alt_text,
        file_name=PurePosixPath(row.file_name).stem + extension,
        read=partial(context.storage.read, variant.storage_path),
        url=None if base_url is None else partial(signed_urls.create_form, context.keys, base_url, row.id, variant.key),
    )
