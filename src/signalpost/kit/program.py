"""How the operator calls this program, for messages and pages that name a command."""

import shlex
import shutil
import sys
from pathlib import Path


def command_line(arguments: str, data_dir: Path) -> str:
    """Return a command that can be pasted into the terminal in which this process was started.

    It names the data folder unless that is the one which the program would choose itself.
    """
    folder = "" if data_dir == Path.cwd() / "data" else f" --data-dir {shlex.quote(str(data_dir))}"
    return f"{_name()} {arguments}{folder}"


def _name() -> str:
    called = Path(sys.argv[0])
    if called.name != "signalpost":  # `python -m signalpost`, or a test
        return "python -m signalpost"
    on_path = shutil.which("signalpost")
    return "signalpost" if on_path and Path(on_path).samefile(called) else shlex.quote(sys.argv[0])
