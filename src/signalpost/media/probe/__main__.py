"""`python -m signalpost.media.probe FILE MIME_TYPE THUMBNAIL`: one line of JSON says what the file is.

The limits are set before anything that reads foreign bytes is imported. A limit that is hit ends the process, and the
parent takes that as an answer.
"""

import json
import resource
import signal
import sys
from pathlib import Path
from typing import Any

from signalpost.media import file_types
from signalpost.media.probe.errors import Rejected, damaged, too_big

MEMORY_BYTES = 512 * 1024 * 1024
CPU_SECONDS = 10
WALL_SECONDS = 20


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
    signal.alarm(WALL_SECONDS)  # also when the parent is gone and nobody else ends it


def _examine(file: Path, mime_type: str, thumbnail: Path) -> dict[str, Any]:
    found = file_types.ALLOWED[mime_type]
    if found.kind == "document":
        return _document(file)
    # Imported after the limits are set, and only what this kind needs.
    if found.kind == "video":
        from signalpost.media.probe import videos  # noqa: PLC0415

        return videos.examine(file, found, thumbnail)
    from signalpost.media.probe import images  # noqa: PLC0415

    return images.examine(file, found, thumbnail)


def _document(file: Path) -> dict[str, Any]:
    with file.open("rb") as opened:
        opened.seek(max(0, file.stat().st_size - 2048))
        if b"%%EOF" not in opened.read():
            raise damaged()
    return {"changed": False}


def main() -> None:
    """Examine and print; a finding about the file is an answer, not a failure."""
    _limit()
    file, mime_type, thumbnail = sys.argv[1:]
    answer: dict[str, Any]
    try:
        answer = {"found": _examine(Path(file), mime_type, Path(thumbnail))}
    except Rejected as refused:
        answer = {"refused": {"code": refused.code, "message": refused.message}}
    except MemoryError:
        too_much = too_big("Opening this file needs more memory than is allowed.")
        answer = {"refused": {"code": too_much.code, "message": too_much.message}}
    except Exception:  # noqa: BLE001 - whatever a parser trips over, the file is at fault
        fault = damaged()
        answer = {"refused": {"code": fault.code, "message": fault.message}}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
