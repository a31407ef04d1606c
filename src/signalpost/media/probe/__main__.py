"""`python -m signalpost.media.probe FILE MIME_TYPE THUMBNAIL`: describes the file in one line of JSON.

The limits are set first. The files are opened and every module is imported, then the process gives up its rights, and
only then the first untrusted byte is read. Exceeding a limit ends the process, which the parent treats as a rejection
of the file.
"""

import json
import os
import resource
import signal
import sys
from collections.abc import Callable
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
_THUMBNAIL_BYTES_MAX = 4 * 1024 * 1024


def _set_limits() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(WALL_SECONDS)  # also ends a process whose parent has died


def _import(file_type: FileType) -> Callable[[IO[bytes], FileType, IO[bytes]], dict[str, Any]]:
    """Import what this kind needs, after the limits are set; return the function that opens it."""
    if file_type.kind == "document":
        return _document
    from signalpost.media.probe import images  # noqa: PLC0415 - after the limits are set

    images.prepare(file_type)
    if file_type.kind != "video":
        return images.examine
    from signalpost.media.probe import videos  # noqa: PLC0415 - after the limits are set

    return videos.examine


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
    """Examine and print. An invalid file is a result, not a failure of the process."""
    _set_limits()
    path, mime_type, thumbnail_path = sys.argv[1:]
    file_type = file_types.ALLOWED[mime_type]
    examine = _import(file_type)
    output: dict[str, Any]
    if file_type.kind == "document":
        thumbnail_path = os.devnull
    with Path(path).open("r+b") as file, Path(thumbnail_path).open("wb") as thumbnail:
        confine(max(os.fstat(file.fileno()).st_size, _THUMBNAIL_BYTES_MAX))
        sys.meta_path.insert(0, _NoMoreImports())
        try:
            output = {"result": examine(file, file_type, thumbnail)}
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
