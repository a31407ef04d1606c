"""`python -m signalpost.media.probe FILE MIME_TYPE THUMBNAIL`: describes the file in one line of JSON.

The limits are set before any module that reads untrusted bytes is imported. Exceeding a limit ends the process, which
the parent treats as a rejection of the file.
"""

import json
import resource
import signal
import sys
from pathlib import Path
from typing import Any

from signalpost.media import file_types
from signalpost.media.probe.errors import InvalidFile, damaged, too_large

MEMORY_BYTES = 512 * 1024 * 1024
CPU_SECONDS = 10
WALL_SECONDS = 20


def _set_limits() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
    signal.alarm(WALL_SECONDS)  # also ends a process whose parent has died


def _examine(path: Path, mime_type: str, thumbnail: Path) -> dict[str, Any]:
    file_type = file_types.ALLOWED[mime_type]
    if file_type.kind == "document":
        return _document(path)
    # Imported after the limits are set, and only what this kind needs.
    if file_type.kind == "video":
        from signalpost.media.probe import videos  # noqa: PLC0415

        return videos.examine(path, file_type, thumbnail)
    from signalpost.media.probe import images  # noqa: PLC0415

    return images.examine(path, file_type, thumbnail)


def _document(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 2048))
        if b"%%EOF" not in file.read():
            raise damaged()
    return {"changed": False}


def main() -> None:
    """Examine and print. An invalid file is a result, not a failure of the process."""
    _set_limits()
    path, mime_type, thumbnail = sys.argv[1:]
    output: dict[str, Any]
    try:
        output = {"result": _examine(Path(path), mime_type, Path(thumbnail))}
    except InvalidFile as error:
        output = _rejection(error)
    except MemoryError:
        output = _rejection(too_large("Opening this file needs more memory than is allowed."))
    except Exception:  # noqa: BLE001 - whatever a parser raises, the file is to blame
        output = _rejection(damaged())
    sys.stdout.write(json.dumps(output))


def _rejection(error: InvalidFile) -> dict[str, Any]:
    return {"rejection": {"code": error.code, "message": error.message}}


if __name__ == "__main__":
    main()
