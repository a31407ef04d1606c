"""`python -m signalpost.media.probe FILE MIME_TYPE THUMBNAIL`: describes the file in one line of JSON.
With `FILE MIME_TYPE OUTPUT SPEC WATERMARK` it writes another form of an image or a video; an empty WATERMARK is none.

The limits are set first. The files are opened and every module is imported, then the process gives up its rights, and
only then the first untrusted byte is read. Exceeding a limit ends the process, which the parent treats as a rejection
of the file.
"""

import ctypes
import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import IO, Any

from signalpost.media import file_types
from signalpost.media.file_types import FileType
from signalpost.media.probe.confinement import confine
from signalpost.media.probe.errors import InvalidFile, damaged, too_large

MEMORY_BYTES = 512 * 1024 * 1024
CPU_SECONDS = 10
WALL_SECONDS = 20
ENCODE_CPU_SECONDS = 200
ENCODE_WALL_SECONDS = 220
_ENCODE_NICENESS = 10  # whoever waits for a response comes first
_SET_PARENT_DEATH_SIGNAL = 1
_THUMBNAIL_BYTES_MAX = 4 * 1024 * 1024


def _set_limits(*, encodes_video: bool) -> None:
    cpu_seconds, wall_seconds = CPU_SECONDS, WALL_SECONDS
    if encodes_video:
        cpu_seconds, wall_seconds = ENCODE_CPU_SECONDS, ENCODE_WALL_SECONDS
        os.nice(_ENCODE_NICENESS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(wall_seconds)


def _end_with_parent() -> None:
    """Have the kernel end this process with the one that started it. A change of user would take that back."""
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def _import(file_type: FileType) -> Callable[..., dict[str, Any]]:
    """Import what this kind needs, after the limits are set; return the function that opens it."""
    if file_type.kind == "document":
        return _document
    from signalpost.media.probe import images  # noqa: PLC0415 - after the limits are set

    images.prepare(file_type)
    if file_type.kind != "video":
        return images.examine
    from signalpost.media.probe import videos  # noqa: PLC0415 - after the limits are set

    return videos.examine


def _import_derive(file_type: FileType, spec: dict[str, Any]) -> Callable[..., dict[str, Any]]:
    if spec["encodes_video"]:
        from signalpost.media.probe import encode  # noqa: PLC0415 - after the limits are set

        return encode.encode
    if file_type.kind == "video":
        from signalpost.media.probe import repackage  # noqa: PLC0415

        return repackage.repackage
    from signalpost.media.probe import derive, images  # noqa: PLC0415

    for opened in {file_type, file_types.ALLOWED[spec["watermark_type"]] if spec["watermark_type"] else file_type}:
        images.prepare(opened)
    return derive.derive


class _NoMoreImports(MetaPathFinder):
    """Tells a module that was not imported in time from a damaged file: without it, both are files that do not open."""

    def find_spec(self, fullname: str, *_: object) -> None:
        raise ImportError(f"{fullname} has to be imported before the process gives up its rights")


def _document(file: IO[bytes], _file_type: FileType, _thumbnail: IO[bytes]) -> dict[str, Any]:
    file.seek(max(0, file.seek(0, os.SEEK_END) - 2048))
    if b"%%EOF" not in file.read():
        raise damaged()
    return {"changed": False}


def main() -> None:
    """Examine or derive, and print. An invalid file is a result, not a failure of the process."""
    path, mime_type, output_path, *derivation = sys.argv[1:]
    spec, watermark_path = (json.loads(derivation[0]), derivation[1]) if derivation else (None, "")
    _set_limits(encodes_video=spec is not None and spec["encodes_video"])
    file_type = file_types.ALLOWED[mime_type]
    work = _import(file_type) if spec is None else _import_derive(file_type, spec)
    output: dict[str, Any]
    if file_type.kind == "document":
        output_path = os.devnull
    with ExitStack() as stack:
        file = stack.enter_context(Path(path).open("r+b" if spec is None else "rb"))
        written = stack.enter_context(Path(output_path).open("wb"))
        watermark = stack.enter_context(Path(watermark_path).open("rb")) if watermark_path else None
        confine(max(os.fstat(file.fileno()).st_size, _THUMBNAIL_BYTES_MAX, 0 if spec is None else spec["bytes_max"]))
        _end_with_parent()
        sys.meta_path.insert(0, _NoMoreImports())
        try:
            result = work(file, file_type, written) if spec is None else work(file, file_type, written, spec, watermark)
            output = {"result": result}
        except InvalidFile as error:
            output = _rejection(error)
        except MemoryError:
            output = _rejection(too_large("Opening this file needs more memory than is allowed."))
        except ImportError:
            raise  # our fault, so it is logged
        except Exception:  # noqa: BLE001 - whatever a parser raises, the file is to blame
            output = _rejection(damaged())
    sys.stdout.write(json.dumps(output))


def _rejection(error: InvalidFile) -> dict[str, Any]:
    return {"rejection": {"code": error.code, "message": error.message}}


if __name__ == "__main__":
    main()
