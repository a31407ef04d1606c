"""The command line: `signalpost serve`, and what an operator does without a browser."""

import json
import sys
from collections.abc import Awaitable, Callable
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

import typer
import uvloop

from signalpost.kit import log
from signalpost.kit.errors import OperatorError
from signalpost.kit.problems import Problem
from signalpost.kit.settings_loader import BadSettings
from signalpost.settings import Settings, load

app = typer.Typer(
    name="signalpost", help="Social publishing, self-hosted.", no_args_is_help=True, add_completion=False,
    pretty_exceptions_enable=False,
)  # fmt: skip
keys_app = typer.Typer(help="API keys.", no_args_is_help=True)
users_app = typer.Typer(help="Users.", no_args_is_help=True)
staff_app = typer.Typer(help="Staff of this instance.", no_args_is_help=True)
plans_app = typer.Typer(help="Plans of workspaces.", no_args_is_help=True)
for name, part in (("keys", keys_app), ("users", users_app), ("staff", staff_app), ("plans", plans_app)):
    app.add_typer(part, name=name)

T = TypeVar("T")
STDIN = "-"
DataDir = Annotated[Path | None, typer.Option("--data-dir", help="Data folder (default: ./data).")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]


def _show_version(wanted: bool) -> None:  # noqa: FBT001 - typer's callback
    if wanted:
        sys.stdout.write(f"signalpost {metadata.version('signalpost')}\n")
        raise typer.Exit


@app.callback()
def options(
    *,
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Social publishing, self-hosted."""


def fail(message: str, code: int = 1) -> NoReturn:
    """Say what is wrong on standard error, and end."""
    sys.stderr.write(message + "\n")
    raise typer.Exit(code)


def settings_of(data_dir: Path | None) -> Settings:
    """Read the settings and set logging up; ends the program when they cannot be used."""
    try:
        settings = load(data_dir=data_dir)
    except BadSettings as error:
        fail(str(error), 2)
    log.set_up(level=settings.log_level, human={"auto": None, "json": False, "text": True}[settings.log_format])
    return settings


def run(work: Awaitable[T]) -> T:
    """Run to the end; what a person can mend is said in a sentence, not in a traceback."""
    import asyncpg  # noqa: PLC0415 - keeps `--help` quick

    async def main() -> T:
        return await work

    try:
        return uvloop.run(main())
    except Problem as problem:
        fail("\n".join(f"{issue.path}: {issue.message}" for issue in problem.errors) or problem.detail)
    except BadSettings as error:
        fail(str(error), 2)
    except OperatorError as error:
        fail(str(error))
    except (asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        fail(f"The database refuses: {error}. See SIGNALPOST_DATABASE_URL.")
    except TimeoutError:
        fail("The database does not answer. See SIGNALPOST_DATABASE_URL.")
    except OSError as error:
        if error.filename:
            fail(f"{error.filename}: {error.strerror}.")
        fail(f"The database or the network cannot be reached: {error}")


def with_context(settings: Settings, work: "Callable[[Any], Awaitable[T]]") -> T:
    """Run `work(context)` against the database, which is started if need be."""
    from signalpost.main.app import open_context  # noqa: PLC0415
    from signalpost.main.database import database_of  # noqa: PLC0415

    async def main() -> T:
        async with database_of(settings) as (dsn, _), open_context(settings, dsn, name="signalpost-cli") as context:
            return await work(context)

    return run(main())


def say(found: dict[str, Any], *, as_json: bool) -> None:
    """Print the result."""
    if as_json:
        sys.stdout.write(json.dumps(found) + "\n")
    else:
        width = max(map(len, found))
        sys.stdout.write("".join(f"{key:<{width}}  {value}\n" for key, value in found.items()))


def secret_of(option: str) -> str:
    """Return the option, or a line of standard input for `-`: so that it stands in no list of processes."""
    return sys.stdin.readline().rstrip("\n") if option == STDIN else option


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=1, max=65535)] = 8000,
    data_dir: DataDir = None,
    *,
    worker: Annotated[bool, typer.Option("--worker/--no-worker", help="Run the engine in this process.")] = True,
) -> None:
    """Run everything: database, API, engine."""
    from signalpost.main import serve as running  # noqa: PLC0415

    run(running.serve(settings_of(data_dir), host, port, worker=worker))


@app.command()
def worker(
    data_dir: DataDir = None,
    metrics_port: Annotated[
        int | None, typer.Option(help="Serve /metrics on this port of 127.0.0.1.", min=1, max=65535)
    ] = None,
) -> None:
    """Run only the engine: a second process, or another machine, on the same database."""
    from signalpost.main import serve as running  # noqa: PLC0415

    run(running.work(settings_of(data_dir), metrics_port))


@app.command()
def migrate(data_dir: DataDir = None) -> None:
    """Bring the database to the newest revision."""
    from signalpost.main.database import database_of  # noqa: PLC0415

    async def main(settings: Settings) -> None:
        async with database_of(settings):
            sys.stdout.write("The database is up to date.\n")

    run(main(settings_of(data_dir)))


@app.command("create-owner")
def create_owner(
    email: Annotated[str, typer.Option()],
    password: Annotated[str, typer.Option(help="10 to 200 characters; - reads it from standard input.")],
    workspace: Annotated[str, typer.Option(help="Name of the new workspace.")],
    data_dir: DataDir = None,
    *,
    as_json: Json = False,
) -> None:
    """Make a user with a workspace, a profile and an API key."""
    from signalpost.main import operations  # noqa: PLC0415

    settings, secret = settings_of(data_dir), secret_of(password)
    say(
        with_context(settings, lambda context: operations.create_owner(context, email, secret, workspace)),
        as_json=as_json,
    )


@app.command()
def demo(
    data_dir: DataDir = None,
    base_url: Annotated[str, typer.Option(help="Where the service runs.")] = "http://127.0.0.1:8000",
    *,
    as_json: Json = False,
) -> None:
    """Make a demo workspace with a sandbox account and a test key, and print a curl line that publishes a post."""
    from signalpost.main import operations  # noqa: PLC0415

    settings = settings_of(data_dir)
    found = with_context(settings, operations.demo)
    command = operations.demo_curl(settings.base_url or base_url, found)
    if as_json:
        say(found | {"curl": command}, as_json=True)
    else:
        status = operations.status_curl(settings.base_url or base_url, found)
        sys.stdout.write(f"A demo workspace is ready. Publish to the sandbox:\n\n{command}\n\n")
        sys.stdout.write(f"Then ask what became of it, with the id of the answer:\n\n{status}\n")


@keys_app.command("create")
def keys_create(
    workspace: Annotated[str, typer.Option(help="Id, slug or name of the workspace.")],
    name: Annotated[str, typer.Option(help="What the key is for.")],
    mode: Annotated[str, typer.Option(help="live or test.")] = "live",
    data_dir: DataDir = None,
    *,
    as_json: Json = False,
) -> None:
    """Make an API key of the workspace's owner; it is shown once."""
    from signalpost.main import operations  # noqa: PLC0415

    settings = settings_of(data_dir)
    say(with_context(settings, lambda context: operations.create_key(context, workspace, name, mode)), as_json=as_json)


@users_app.command("reset-password")
def users_reset_password(
    email: Annotated[str, typer.Option()],
    password: Annotated[str, typer.Option(help="10 to 200 characters; - reads it from standard input.")],
    data_dir: DataDir = None,
) -> None:
    """Set a user's password and end all of their sessions."""
    from signalpost.main import operations  # noqa: PLC0415

    secret = secret_of(password)
    with_context(settings_of(data_dir), lambda context: operations.reset_password(context, email, secret))
    sys.stdout.write("The password is set; every session of that user is ended.\n")


@staff_app.command("add")
def staff_add(email: Annotated[str, typer.Option()], data_dir: DataDir = None) -> None:
    """Make a user staff of this instance."""
    from signalpost.main import operations  # noqa: PLC0415

    with_context(settings_of(data_dir), lambda context: operations.add_staff(context, email))
    sys.stdout.write(f"{email} is staff now.\n")


@plans_app.command("set")
def plans_set(
    workspace: Annotated[str, typer.Option(help="Id, slug or name of the workspace.")],
    plan: Annotated[str, typer.Option(help="free, starter, pro, max or self_hosted.")],
    data_dir: DataDir = None,
) -> None:
    """Put a workspace on a plan; it counts only while billing is enabled."""
    from signalpost.main import operations  # noqa: PLC0415

    with_context(settings_of(data_dir), lambda context: operations.set_plan(context, workspace, plan))
    sys.stdout.write(f"{workspace} is on {plan} now.\n")


@app.command()
def doctor(data_dir: DataDir = None, *, as_json: Json = False) -> None:
    """Look at settings, database, storage and engine, and say what is wrong. Exit code 1 when something is."""
    from signalpost.main import operations  # noqa: PLC0415

    found = with_context(settings_of(data_dir), operations.examine)
    say(found, as_json=as_json)
    if any(str(value).startswith("PROBLEM") for value in found.values()):
        raise typer.Exit(1)
