"""Make another form of a file, for a network that would refuse it as it is or for a watermark; or find it again."""

import hashlib
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.kit.frames import FrameLimits
from signalpost.media import file_types, probe_process, receiver, storage_paths
from signalpost.media.probe_process import DeriveSpec, Rejection
from signalpost.media.queries import MediaRow, VariantDocument

VARIANTS_MAX: Final = 30
"""Of one file. Servers differ, so there can be several; nobody has accounts on so many that all differ."""

_ADD = """
update media set variants = variants || $3, updated_at = now()
where id = $1 and workspace_id = $2 and not variants @> jsonb_build_array(jsonb_build_object('key', $4::text))
"""


class Derivation(Struct, frozen=True):
    """What a network needs of a file; `watermark`: an image to put on it."""

    platform: str
    mime_types: tuple[str, ...]
    bytes_max: int
    frame: FrameLimits
    watermark: MediaRow | None = None
    encodes_video: bool = False

    @property
    def purpose(self) -> str:
        if self.watermark is not None:
            return "watermark"
        return "feed" if self.frame.crop is None else "crop"

    @property
    def key(self) -> str:
        """What makes two forms of one file the same."""
        return self._key(self.frame.focal)

    @property
    def key_without_focal(self) -> str:
        """What makes them the same, wherever the focal point of the file was when they were made."""
        return self._key(None)

    def _key(self, focal: Sequence[float] | None) -> str:
        mark = "" if self.watermark is None else ids.encode("med", self.watermark.id)
        parts = [*self.mime_types, str(self.bytes_max), str(self.frame.pixels_max), mark]
        if self.frame.side_short_max is not None or self.frame.side_long_max is not None:
            parts.append(f"{self.frame.side_short_max}x{self.frame.side_long_max}")
        if self.frame.reshape is not None:
            parts.append(f"{self.frame.reshape} {self.frame.ratio_min}-{self.frame.ratio_max}")
        if self.frame.crop is not None:
            parts.append("crop " + _decimals(self.frame.crop))
        if focal is not None:
            parts.append("focal " + _decimals(focal))
        if self.encodes_video:
            parts.append("encoded")
        return hashlib.sha256("|".join(parts).encode()).hexdigest()[:16]


def _decimals(shares: Sequence[float]) -> str:
    return " ".join(f"{share:.6f}" for share in shares)


class CannotBeDerived(Exception):
    """The file cannot become what the network needs; the text is for the user."""


def existing(row: MediaRow, derivation: Derivation) -> VariantDocument | None:
    """Return the form that was made before."""
    return next((variant for variant in row.variants if variant.key == derivation.key), None)


def existing_wherever(row: MediaRow, derivation: Derivation) -> VariantDocument | None:
    """Return the form that was made before, or else the newest with another focal point: someone moved it since."""
    key = derivation.key_without_focal
    moved = (variant for variant in reversed(row.variants) if key in (variant.key, variant.key_without_focal))
    return existing(row, derivation) or next(moved, None)


async def derive_variant(
    context: AppContext, row: MediaRow, derivation: Derivation, *, tenant: Hashable
) -> VariantDocument:
    """Return the form of the file; make it, store it and remember it, if it is not there yet.

    Making it twice does no harm: both come to the same path.

    Raises:
        CannotBeDerived: an image cannot be made small enough, a video not copied, or there are too many forms of it.
        Missing, StorageFailure: the store does not have it, or does not respond.
    """
    if (variant := existing(row, derivation)) is not None:
        return variant
    if len(row.variants) >= VARIANTS_MAX:
        raise CannotBeDerived(f"This file has {VARIANTS_MAX} other forms already. Upload it again.")
    async with receiver.temporary_folder(context.settings.data_dir) as folder:
        variant = await _make(context, folder, row, derivation, tenant)
    async with context.database.transaction() as db:
        await db.execute(_ADD, row.id, row.workspace_id, [variant], variant.key)
    return variant


async def _make(
    context: AppContext, folder: Path, row: MediaRow, derivation: Derivation, tenant: Hashable
) -> VariantDocument:
    mark = derivation.watermark
    original, output = folder / "original", folder / "output"
    await context.storage.fetch(row.storage_path, original)
    if mark is not None:
        await context.storage.fetch(mark.storage_path, folder / "watermark")
    spec = DeriveSpec(
        mime_types=derivation.mime_types,
        bytes_max=derivation.bytes_max,
        frame=derivation.frame,
        watermark_type=None if mark is None else mark.mime_type,
        encodes_video=derivation.encodes_video,
    )
    file_type = file_types.ALLOWED[row.mime_type]
    derived = await probe_process.derive(
        original, file_type, output, spec, None if mark is None else folder / "watermark", tenant=tenant
    )
    if isinstance(derived, Rejection):
        raise CannotBeDerived(derived.message)
    path = storage_paths.of_variant(row.workspace_id, row.id, derivation.key, file_types.ALLOWED[derived.mime_type])
    size, sha256 = output.stat().st_size, await receiver.sha256(output)
    await context.storage.move(output, path)
    return VariantDocument(
        key=derivation.key,
        key_without_focal=derivation.key_without_focal,
        platform=derivation.platform,
        purpose=derivation.purpose,
        storage_path=path,
        mime_type=derived.mime_type,
        size_bytes=size,
        sha256=sha256.hex(),
        width=derived.width,
        height=derived.height,
        video_codec=derived.video_codec,
        audio_codec=derived.audio_codec,
    )
