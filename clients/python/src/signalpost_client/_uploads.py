"""Uploads of files: by a form, to a presigned address, or resumable by tus 1.0.0 (https://tus.io)."""

import base64
import hashlib
import io
import mimetypes
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal

from signalpost_client._call import Call, Config, quote
from signalpost_client._steps import Response, Steps, Wait
from signalpost_client.errors import (
    ConfigurationError,
    Problem,
    SignalpostError,
    UnexpectedResponse,
    Unreachable,
    UploadFailed,
    UploadInterrupted,
)

Method = Literal["auto", "form", "presigned", "resumable"]
Progress = Callable[[int, int], None]
"""Called with the bytes that were sent, and all bytes."""
Source = str | os.PathLike[str] | bytes | BinaryIO
FORM_BYTES_MAX: Final = 8_000_000
"""Larger files are resumable, unless a method is named."""
PIECE_BYTES: Final = 4 * 1024 * 1024
READ_BYTES: Final = 64 * 1024
FAILURES_MAX: Final = 6
"""Without a byte of progress between them."""
TUS: Final = {"Tus-Resumable": "1.0.0"}
_IN_WORK: Final = ("pending", "uploaded", "processing")
_WORK_POLLS_MAX: Final = 240


class File:
    """Bytes to upload, wherever they are."""

    def __init__(self, source: Source, name: str | None, content_type: str | None) -> None:
        self._owns = not hasattr(source, "read")
        label: str | None = None
        if isinstance(source, bytes | bytearray):
            self._file: BinaryIO = io.BytesIO(source)
        elif isinstance(source, str | os.PathLike):
            try:
                self._file = Path(source).open("rb")  # noqa: SIM115 - closed by `close`
            except OSError as error:
                raise ConfigurationError(f"{os.fspath(source)} cannot be read: {error.strerror}.") from None
            label = Path(source).name
        else:
            self._file = source
            opened = getattr(source, "name", None)  # a number, if it was opened by its descriptor
            label = Path(opened).name if isinstance(opened, str) else None
        if not self._file.seekable():
            raise ConfigurationError("The file cannot be read twice, as retries need. Pass its path or its bytes.")
        self.name = name or label or "file"
        self.content_type = content_type or mimetypes.guess_type(self.name)[0] or "application/octet-stream"
        self.size = self._file.seek(0, io.SEEK_END)

    def read_at(self, offset: int, length: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(length)

    def pieces(self, progress: Progress | None) -> Iterator[bytes]:
        """Yield all bytes, and say how far they are."""
        offset = 0
        while piece := self.read_at(offset, READ_BYTES):
            offset += len(piece)
            yield piece
            if progress is not None:
                progress(offset, self.size)

    def close(self) -> None:
        if self._owns:
            self._file.close()


@dataclass(frozen=True)
class Upload:
    """What to upload, and how."""

    source: Source
    method: Method = "auto"
    name: str | None = None
    content_type: str | None = None
    alt_text: str | None = None
    profile_id: str | None = None
    resume: str | None = None
    on_progress: Progress | None = None
    on_started: Callable[[str], None] | None = None
    idempotency_key: str | None = None

    def steps(self, config: Config) -> Steps[Mapping[str, Any]]:
        """Upload, and return the media when it can be used.

        Raises:
            UploadInterrupted: a resumable upload broke off.
            UploadFailed: the file cannot be used.
        """
        if isinstance(self.source, str) and self.source.startswith(("https://", "http://")):
            media = (yield self._call(config, "/media/upload", body={**self._fields, "url": self.source})).value
            return (yield from _ready(config, media))
        file = File(self.source, self.name, self.content_type)
        try:
            method = self.method
            if self.resume is not None:
                method = "resumable"
            elif method == "auto":
                method = "form" if file.size <= FORM_BYTES_MAX else "resumable"
            way = {"form": self._form, "presigned": self._presigned, "resumable": self._resumable}[method]
            media = yield from way(config, file)
        finally:
            file.close()
        return (yield from _ready(config, media))

    @property
    def _fields(self) -> dict[str, str]:
        fields = {"profileId": self.profile_id, "altText": self.alt_text}
        return {name: value for name, value in fields.items() if value is not None}

    def _call(self, config: Config, path: str, **options: Any) -> Call:
        return Call(config, "POST", path, idempotency_key=self.idempotency_key, **options)

    def _form(self, config: Config, file: File) -> Steps[Mapping[str, Any]]:
        def content() -> Mapping[str, Any]:
            part = _Part(file, self.on_progress)
            return {"files": {"file": (file.name, part, file.content_type)}, "data": self._fields}

        answer: Response = yield self._call(config, "/media/upload", content=content)
        return answer.value  # type: ignore[no-any-return] # JSON

    def _presigned(self, config: Config, file: File) -> Steps[Mapping[str, Any]]:
        digest = hashlib.sha256()
        for piece in file.pieces(None):
            digest.update(piece)
        body = {
            **self._fields, "fileName": file.name, "contentType": file.content_type, "size": file.size,
            "checksumSha256": digest.hexdigest(),
        }  # fmt: skip
        upload = (yield self._call(config, "/media/presign-upload", body=body)).value
        headers = {**upload["headers"], "Content-Length": str(file.size)}

        def content() -> Mapping[str, Any]:
            return {"content": FileStream(file, self.on_progress)}

        call = Call(
            config, upload["method"], upload["uploadUrl"], content=content, headers=headers, raw=True, anonymous=True
        )
        try:
            yield call
        except Problem as error:
            if not (call.unanswered and error.code == "invalid_state"):
                raise  # else the attempt without an answer brought the bytes
        return (yield Call(config, "GET", f"/media/{quote(upload['mediaId'])}")).value  # type: ignore[no-any-return]

    def _resumable(self, config: Config, file: File) -> Steps[Mapping[str, Any]]:
        if self.resume is None:
            fields = {"filename": file.name, "filetype": file.content_type, **self._fields}
            metadata = ",".join(f"{name} {base64.b64encode(text.encode()).decode()}" for name, text in fields.items())
            headers = {**TUS, "Upload-Length": str(file.size), "Upload-Metadata": metadata}
            upload = (yield self._call(config, "/media/uploads", headers=headers)).value
        else:
            upload = (yield Call(config, "GET", f"/media/uploads/{quote(self.resume)}")).value
            if upload["length"] != file.size:
                raise ConfigurationError(
                    f"{self.resume} is an upload of {upload['length']} bytes, and the file has {file.size}."
                )
        media_id = str(upload["mediaId"])
        if self.on_started is not None:
            self.on_started(media_id)
        yield from self._send(config, file, upload)
        return (yield Call(config, "GET", f"/media/{quote(media_id)}")).value  # type: ignore[no-any-return] # JSON

    def _send(self, config: Config, file: File, upload: Mapping[str, Any]) -> Steps[None]:
        """Send what is missing. After each failure the service says what has arrived."""
        media_id, path = str(upload["mediaId"]), f"/media/uploads/{quote(upload['mediaId'])}"
        offset, failures = int(upload["offset"]), 0
        while upload["status"] == "pending" and offset < file.size:
            piece = file.read_at(offset, PIECE_BYTES)
            headers = {**TUS, "Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"}
            call = Call(
                config,
                "PATCH",
                path,
                content=partial(dict, content=piece),
                headers=headers,
                raw=True,
                once=True,
            )
            try:
                answer: Response = yield call
                arrived = int(answer.headers["upload-offset"])
            except (Unreachable, UnexpectedResponse, Problem) as error:
                failures += 1
                upload = yield from self._continued(config, media_id, error, failures)
                arrived = int(upload["offset"])
            if arrived > offset:
                offset, failures = arrived, 0
                if self.on_progress is not None:
                    self.on_progress(offset, file.size)
            else:
                offset = arrived

    def _continued(
        self, config: Config, media_id: str, error: SignalpostError, failures: int
    ) -> Steps[Mapping[str, Any]]:
        """Return how far an upload is after a failure.

        Raises:
            UploadInterrupted: there were too many in a row, or the service is away.
            Problem: going on is useless.
        """
        if isinstance(error, Problem) and not error.retryable:
            raise error
        message = f"The upload {media_id} broke off: {error} What arrived is kept for 24 hours."
        if failures >= FAILURES_MAX:
            raise UploadInterrupted(message, media_id) from error
        waiting = error.retry_after_seconds if isinstance(error, Problem) else None
        yield Wait(min(waiting if waiting is not None else 0.25 * 2**failures, 30.0))
        try:
            upload = (yield Call(config, "GET", f"/media/uploads/{quote(media_id)}")).value
        except (Unreachable, UnexpectedResponse) as away:
            raise UploadInterrupted(message, media_id) from away
        return upload  # type: ignore[no-any-return] # JSON


def _ready(config: Config, media: Mapping[str, Any]) -> Steps[Mapping[str, Any]]:
    for number in range(_WORK_POLLS_MAX):
        if media["status"] not in _IN_WORK:
            break
        yield Wait(min(0.1 * 1.5**number, 2.0))
        media = (yield Call(config, "GET", f"/media/{quote(media['id'])}")).value
    if media["status"] != "ready":
        reason = (media.get("error") or {}).get("message") or f"it is {media['status']}"
        raise UploadFailed(f"{media['fileName']} cannot be used: {reason}.", media)
    return media


class _Part(io.RawIOBase):
    """A file as part of a form, which says how far it is."""

    def __init__(self, file: File, progress: Progress | None) -> None:
        self._file = file
        self._progress = progress
        self._offset = 0

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._offset = {io.SEEK_SET: 0, io.SEEK_CUR: self._offset, io.SEEK_END: self._file.size}[whence] + offset
        return self._offset

    def tell(self) -> int:
        return self._offset

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read_at(self._offset, self._file.size if size < 0 else size)
        self._offset += len(piece)
        if piece and self._progress is not None:
            self._progress(self._offset, self._file.size)
        return piece


class FileStream:
    """A file as the body of a request."""

    def __init__(self, file: File, progress: Progress | None) -> None:
        self._file = file
        self._progress = progress

    def __iter__(self) -> Iterator[bytes]:
        return self._file.pieces(self._progress)

    async def awaited(self) -> AsyncIterator[bytes]:
        """Yield the same for asyncio."""
        for piece in self:
            yield piece
