"""Types commands of `sp`, that come line by line as JSON, in one process: none pays for a start."""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout

from signalpost_client import _call
from signalpost_client.cli._run import run

_call.WAITS_SECONDS = (0.01,)  # type: ignore[misc] # nobody else is served meanwhile


def main() -> None:
    """Answer each `[arguments, text]` with `[code, out, problems]`."""
    typed, answers = sys.stdin, sys.stdout
    for line in typed:
        arguments, text = json.loads(line)
        out, problems, sys.stdin = io.StringIO(), io.StringIO(), io.StringIO(text)
        with redirect_stdout(out), redirect_stderr(problems):
            code = run(arguments)
        answers.write(json.dumps([code, out.getvalue(), problems.getvalue()]) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
