"""Fetch a file from a public address and store it."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from uuid import UUID

from signalpost.context import AppContext
from signalpost.kit import http, problems
from signalpost.kit.problems import Issue
from signalpost.media import file_types, receiver
from signalpost.media.actions.limits import over_storage_limit, size_limits
from signalpost.media.actions.store import store_file
from signalpost.media.errors import MediaFetchFailed
from signalpost.media.queries import MediaRow
from signalpost.media.receiver import Announced, FileReceiver, PlanStorageExceeded, SizeLimits
from signalpost.media.schemas import MediaFetch
from signalpost.web.caller import Caller

FETCH_SECONDS = 300.0
FETCH_REDIRECTS_MAX = 3
FETCH_BYTES_PER_SECOND_MIN = 10_000
"""A server that sends less would hold a connection for long; nobody has a file there that is worth it."""


class Messaged(NamedTuple):
    """How a file that came with a message is fetched: by the messenger's own client, with its headers.

    `bytes_max`: no more than that. `media_id`: the id that the file gets, chosen before so that a retry knows it.
    """

    headers: Mapping[str, str]
    trusted: bool
    bytes_max: int
    announced: Announced
    media_id: UUID


async def fetch_file(
    context: AppContext, caller: Caller, data: MediaFetch, *, pointer: str = "/url", messaged: Messaged | None = None
) -> MediaRow:
    """Fetch the file at a public address and store it.

    Args:
        context: settings, storage and the guarded client.
        caller: whose workspace pays for the storage.
        data: the address, which is checked again at every redirect, and the fields of the file. The caller must be
            allowed to see the profile; that is not checked here.
        pointer: the place of the address in the request, for issues.
        messaged: if it came with a message.

    Raises:
        UnsafeAddress, HostNotFound, MediaFetchFailed: the address is forbidden, unknown, or does not return a file.
        PayloadTooLarge, PlanLimitReached, ValidationFailed: the file is too large, or its type is not accepted.
        Unavailable: the disk is full, or the object store does not respond.
    """
    limits = await size_limits(context, caller)
    async with receiver.temporary_folder(context.settings.data_dir) as folder:
        file_receiver = FileReceiver(folder, limits, pointer, None if messaged is None else messaged.announced)
        client = context.http.pages if messaged is None else context.http.messenger
        try:
            await client.download(
                data.url,
                file_receiver.write,
                bytes_max=_bytes_max(limits, messaged),
                timeout_seconds=FETCH_SECONDS,
                redirects_max=FETCH_REDIRECTS_MAX if messaged is None else 0,
                bytes_per_second_min=FETCH_BYTES_PER_SECOND_MIN,
                headers=None if messaged is None else messaged.headers,
                trusted=messaged is not None and messaged.trusted,
            )
            file = await file_receiver.finish()
        except http.HttpFailure as failure:
            raise _problem_of(failure, pointer) from None
        except PlanStorageExceeded:
            raise await over_storage_limit(context, caller, limits) from None
        return await store_file(
            context,
            caller,
            file,
            data,
            file_name=data.file_name or _last_segment(data.url),
            pointer=pointer,
            source_url=http.redact_url(data.url) if messaged is None else None,
            media_id=None if messaged is None else messaged.media_id,
        )


def _bytes_max(limits: SizeLimits, messaged: Messaged | None) -> int:
    largest = max(limits.file_bytes, file_types.DOCUMENT_BYTES_MAX)
    return largest if messaged is None else min(largest, messaged.bytes_max)


def _last_segment(url: str) -> str | None:
    with suppress(ValueError):
        return unquote(PurePosixPath(urlsplit(url).path).name, errors="replace")
    return None


def _problem_of(failure: http.HttpFailure, pointer: str) -> problems.Problem:
    match failure:
        case http.NotSent(stage="lookup", ours=False):
            message = f"The host of the address is unknown: {failure.detail}."
            return problems.HostNotFound(message, errors=[Issue(pointer, "host_not_found", message)])
        case http.UnsafeUrl():
            return problems.UnsafeAddress(
                f"This address cannot be fetched: {failure.detail}.",
                errors=[Issue(pointer, "unsafe_url", f"This address cannot be fetched: {failure.detail}.")],
            )
        case http.TooLarge():
            return problems.PayloadTooLarge(f"The file is too large: {failure.detail}.")
        case http.NotSent(ours=True):
            return problems.Unavailable("Files cannot be fetched right now.", headers={"Retry-After": "5"})
    message = f"The file could not be fetched: {failure.detail}."
    return MediaFetchFailed(message, errors=[Issue(pointer, "not_found", message)])
