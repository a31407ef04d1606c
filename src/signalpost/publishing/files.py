"""The files of an attempt as its network takes them: another form where it would refuse an image as it is."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import Any, Final
from uuid import UUID

from signalpost.accounts.platforms import fetch_url
from signalpost.context import AppContext
from signalpost.kit.tenant import tenant
from signalpost.media import signed_urls
from signalpost.media.actions.derive import CannotBeDerived, Derivation, derive_variant, existing, existing_wherever
from signalpost.media.actions.encode import encoded, request_encoding
from signalpost.media.queries import MediaRow, VariantDocument
from signalpost.networks import fitting, preflight
from signalpost.networks.contract import Connector, OutgoingMedia, Pending, Refused
from signalpost.posts import content
from signalpost.publishing.attempt import Attempt

_ENCODING: Final[Mapping[str, Any]] = {"encoding": True}
"""The state of a target that waits for a video of ours."""


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
        fps=row.fps,
        video_codec=row.video_codec,
        audio_codec=row.audio_codec,
        alt_text=row.alt_text,
        file_name=row.file_name,
        focal=row.focal,
        read=partial(context.storage.read, row.storage_path),
        url=None if base_url is None else partial(signed_urls.create, context.keys, base_url, row.id),
    )


def is_encoding(attempt: Attempt) -> bool:
    """Whether the target waits for a video that is encoded here; the network has not been asked yet."""
    state = attempt.snapshot.pending_state
    return attempt.kind == "poll" and state is not None and state.state == _ENCODING


async def as_taken(context: AppContext, attempt: Attempt) -> dict[UUID, OutgoingMedia] | Refused | Pending:
    """Return the files of an attempt by their ids, in the forms that the network takes; `Pending` while one is encoded.

    Forms are made when the post is published; to look for it again, those that were made then are used.

    Raises:
        Missing, StorageFailure: a file cannot be read.
    """
    files: dict[UUID, OutgoingMedia] = {}
    watermark_id = attempt.due.circumstances.watermark_media_id
    watermark = next((row for row in attempt.files if row.id == watermark_id and row.kind == "image"), None)
    sent = content.for_target(attempt.due.post, attempt.due.target)
    media_ids, crops = set(sent.media_ids()), sent.crops(attempt.due.target.platform)
    waits = False
    for row in attempt.files:
        file = replace(as_uploaded(context, row, attempt.connector), crop=crops.get(row.id))
        mark = watermark if watermark is not row and row.id in media_ids else None
        derivation = _derivation(attempt, file, mark, is_thumbnail=row.id not in media_ids and row.id != watermark_id)
        if derivation is not None:
            try:
                variant = await _variant(context, attempt, row, derivation)
            except CannotBeDerived as error:
                return Refused(code="media_processing_failed", message=str(error))
            if variant is not None:
                file = _as_derived(context, row, variant, attempt.connector)
            elif derivation.encodes_video and _publishes(attempt):
                waits = True
        files[row.id] = replace(file, crop=None, focal=None)
    return Pending(state=_ENCODING) if waits else files


def _derivation(
    attempt: Attempt, file: OutgoingMedia, watermark: MediaRow | None, *, is_thumbnail: bool
) -> Derivation | None:
    """Return what has to be made of a file; None: it is sent as it is."""
    facts = preflight.for_account(attempt.connector.facts, attempt.due.account.facts)
    if is_thumbnail and facts.thumbnail is not None:
        facts = replace(facts, media={"image": facts.thumbnail})
    options = content.for_target(attempt.due.post, attempt.due.target).options
    needed = fitting.fit(facts, file, options, auto=attempt.due.post.auto_fit)
    if needed is None and watermark is not None:
        needed = fitting.encodable(facts, file, options)
    if needed is None:
        return None
    if needed.encodes_video:
        return Derivation(facts.key, needed.mime_types, needed.bytes_max, needed.frame, encodes_video=True)
    return Derivation(facts.key, needed.mime_types, needed.bytes_max, needed.frame, watermark)


def _publishes(attempt: Attempt) -> bool:
    return attempt.kind == "publish" or is_encoding(attempt)


async def _variant(
    context: AppContext, attempt: Attempt, row: MediaRow, derivation: Derivation
) -> VariantDocument | None:
    if not _publishes(attempt):
        return existing_wherever(row, derivation)
    variant = existing(row, derivation)
    if variant is not None:
        return variant
    if derivation.encodes_video and is_encoding(attempt):
        return await encoded(context, row, derivation)
    if derivation.encodes_video:
        await request_encoding(context, row, derivation)
        return None
    working = tenant.get()
    return await derive_variant(context, row, derivation, tenant=working and working.id)


def _as_derived(context: AppContext, row: MediaRow, variant: VariantDocument, connector: Connector) -> OutgoingMedia:
    base_url = fetch_url(context, connector)
    extension = PurePosixPath(variant.storage_path).suffix
    is_animation = row.kind == "gif" and variant.mime_type.startswith("video/")
    return OutgoingMedia(
        kind="video" if is_animation else row.kind,
        is_animation=is_animation,
        mime_type=variant.mime_type,
        size_bytes=variant.size_bytes,
        sha256=bytes.fromhex(variant.sha256),
        width=variant.width,
        height=variant.height,
        duration_ms=row.duration_ms,
        fps=row.fps,
        video_codec=variant.video_codec or row.video_codec,
        audio_codec=variant.audio_codec or row.audio_codec,
        alt_text=row.alt_text,
        file_name=PurePosixPath(row.file_name).stem + extension,
        read=partial(context.storage.read, variant.storage_path),
        url=None if base_url is None else partial(signed_urls.create_form, context.keys, base_url, row.id, variant.key),
    )
