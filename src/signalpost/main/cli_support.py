"""What the commands of the command line share: settings, the database, errors without a traceback, output."""

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click
import uvloop

from signalpost.kit import log
from signalpost.kit.errors import OperatorError
from signalpost.kit.problems import NotFound, Problem, is_disk_full
from signalpost.kit.settings_loader import BadSettings, did_you_mean
from signalpost.main.interruption import Interrupted, interruptible
from signalpost.main.operator import (
    STDIN,
    ForeignFolder,
    hint_at_unread_file,
    read_password,
    require_own_folder,
    warn_of_open_file,
)
from signalpost.settings import NETWORK_SETTINGS, OF_PUSHING, PREFIX, Settings, data_folder, load

T = TypeVar("T")
password_option = click.option(
    "--password",
    default=STDIN,
    help="10 to 200 characters. Left out: a terminal asks for it, a script writes it to standard input.",
)
data_dir_option = click.option(
    "--data-dir", type=click.Path(path_type=Path, readable=False), help="Data folder (default: ./data)."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object to standard output.")


def fail(message: str, code: int = 1) -> NoReturn:
    """Print a message to standard error and exit."""
    sys.stderr.write(message + "\n")
    sys.exit(code)


def load_settings(data_dir: Path | None) -> Settings:
    """Read the settings and configure logging; exit with code 2 if they are invalid, or belong to another user."""
    folder = data_folder(data_dir=data_dir)
    try:
        require_own_folder(folder)
        hint_at_unread_file(folder)
        warn_of_open_file(folder)
        settings = load(data_dir=data_dir)
        if settings.networks:
            require_known_networks(settings)
    except (BadSettings, ForeignFolder) as error:
        fail(str(error), 2)
    log.set_up(level=settings.log_level, human={"auto": None, "json": False, "text": True}[settings.log_format])
    return settings


def require_known_networks(settings: Settings) -> None:
    """Verify the names of networks in settings such as SIGNALPOST_BLUESKY_BASE_URL.

    Raises:
        BadSettings: one of them is not a network.
    """
    from signalpost.networks import PLATFORMS, get  # noqa: PLC0415 - few instances have such settings

    slugs = (*PLATFORMS, *settings.networks_extra)
    silent = [slug for slug in PLATFORMS if (connector := get(slug)) is None or connector.push is None]
    possible = [
        f"{platform.upper()}_{setting}"
        for platform in slugs
        for setting in NETWORK_SETTINGS
        if setting not in OF_PUSHING or platform not in silent
    ]
    if unknown := sorted(set(settings.networks) - set(possible)):
        names = [PREFIX + name for name in possible]
        raise BadSettings([f"{PREFIX}{name}: unknown setting{did_you_mean(PREFIX + name, names)}" for name in unknown])


def run(work: Awaitable[T]) -> T:
    """Run to completion; print errors that the operator can correct without a traceback, and exit with 1 or 2."""
    import asyncpg  # noqa: PLC0415 - keeps `--help` quick

    async def main() -> T:
        return await work

    try:
        return uvloop.run(main())
    except Interrupted as interrupted:
        sys.exit(interrupted.status)
    except Problem as problem:
        fail(_sentences(problem))
    except BadSettings as error:
        fail(str(error), 2)
    except OperatorError as error:
        fail(str(error))
    except asyncpg.DiskFullError as error:
        fail(f"The disk of the database is full: {error}. Free some space, and try again.")
    except (asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        fail(f"The database reports an error: {error}. Check SIGNALPOST_DATABASE_URL.")
    except TimeoutError:
        fail("The database does not respond. Check SIGNALPOST_DATABASE_URL.")
    except OSError as error:
        fail(_system_error(error))


def _system_error(error: OSError) -> str:
    """Return which file or connection it is about, and what to do."""
    if is_disk_full(error):
        where = f" (at {error.filename})" if error.filename else ""
        return f"The disk is full{where}. Free some space, and try again."
    if not error.filename:
        return f"The database or the network cannot be reached: {error}. Check SIGNALPOST_DATABASE_URL."
    owner = " Run this command as its owner, or choose another path." if isinstance(error, PermissionError) else ""
    return f"{error.filename}: {error.strerror}.{owner}"


def _sentences(problem: Problem) -> str:
    """Return what is wrong with which value, or else what happened; and what to do, unless the values say it all."""
    lines = [f"{issue.path.lstrip('/')}: {issue.message}" for issue in problem.errors] or [problem.detail]
    is_usual = problem.remediation == type(problem).remediation
    if problem.remediation and not (is_usual and (problem.errors or isinstance(problem, NotFound))):
        lines.append(problem.remediation)
    return "\n".join(lines)


def require_folder(settings: Settings) -> Settings:
    """Exit if the data folder is missing: only `serve` creates it, so that a typo is not another, empty instance."""
    if not settings.data_dir.is_dir() and (settings.database_url is None or settings.master_key is None):
        fail(
            f"The data folder {settings.data_dir} does not exist. Correct --data-dir, or start"
            " `signalpost serve` once, which creates it."
        )
    return settings


def with_context(settings: Settings, work: "Callable[[Any], Awaitable[T]]") -> T:
    """Run `work(context)` on the database, which is started if necessary."""
    from signalpost.main.app import open_context  # noqa: PLC0415 - keeps `--help` quick
    from signalpost.main.database import database_of  # noqa: PLC0415 - keeps `--help` quick

    require_folder(settings)

    async def main() -> T:
        with interruptible():
            async with database_of(settings) as (dsn, _), open_context(settings, dsn, name="signalpost-cli") as context:
                return await work(context)

    return run(main())


def print_result(result: dict[str, Any], *, as_json: bool) -> None:
    """Print the members of `result`, one per line or as one JSON object."""
    if as_json:
        sys.stdout.write(json.dumps(result) + "\n")
    else:
        width = max(map(len, result))
        cells = {key: ("no", "yes")[value] if isinstance(value, bool) else value for key, value in result.items()}
        sys.stdout.write("".join(f"{key:<{width}}  {value}\n" for key, value in cells.items()))


def print_rows(rows: list[dict[str, Any]], nothing: str, *, as_json: bool) -> None:
    """Print a list as a table or as one JSON object; `nothing` says that it is empty."""
    from signalpost.main import records  # noqa: PLC0415 - only lists need it

    if as_json:
        sys.stdout.write(json.dumps({"data": rows}) + "\n")
    else:
        sys.stdout.write(records.table(rows) if rows else nothing)


def ask_password(option: str) -> str:
    """Return the password that the operator types; exit if there is none."""
    try:
        return read_password(option)
    except OperatorError as error:
        fail(str(error))
    except (KeyboardInterrupt, EOFError):
        sys.stderr.write("\n")
        sys.exit(130)
