"""The command line: `signalpost serve`, and the commands of operators."""

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
    name="signalpost", help="Self-hosted social publishing.", no_args_is_help=True, add_completion=False,
    pretty_exceptions_enable=False,
)  # fmt: skip
keys_app = typer.Typer(help="Manage API keys.", no_args_is_help=True)
users_app = typer.Typer(help="Manage users.", no_args_is_help=True)
staff_app = typer.Typer(help="Manage the staff of this instance.", no_args_is_help=True)
plans_app = typer.Typer(help="Manage the plans of workspaces.", no_args_is_help=True)
for name, group in (("keys", keys_app), ("users", users_app), ("staff", staff_app), ("plans", plans_app)):
    app.add_typer(group, name=name)

T = TypeVar("T")
STDIN = "-"
DataDir = Annotated[Path | None, typer.Option("--data-dir", help="Data folder (default: ./data).")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object to standard output.")]


def _show_version(requested: bool) -> None:  # noqa: FBT001 - typer's callback
    if requested:
        sys.stdout.write(f"signalpost {metadata.version('signalpost')}\n")
        raise typer.Exit


@app.callback()
def options(
    *,
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Self-hosted social publishing."""


def fail(message: str, code: int = 1) -> NoReturn:
    """Print a message to standard error and exit."""
    sys.stderr.write(message + "\n")
    raise typer.Exit(code)


def load_settings(data_dir: Path | None) -> Settings:
    """Read the settings and configure logging; exit with code 2 if they are invalid."""
    try:
        settings = load(data_dir=data_dir)
    except BadSettings as error:
        fail(str(error), 2)
    log.set_up(level=settings.log_level, human={"auto": None, "json": False, "text": True}[settings.log_format])
    return settings


def run(work: Awaitable[T]) -> T:
    """Run to completion; print errors that the operator can correct without a traceback, and exit with 1 or 2."""
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
        fail(f"The database reports an error: {error}. Check SIGNALPOST_DATABASE_URL.")
    except TimeoutError:
        fail("The database does not respond. Check SIGNALPOST_DATABASE_URL.")
    except OSError as error:
        if error.filename:
            fail(f"{error.filename}: {error.strerror}.")
        fail(f"The database or the network cannot be reached: {error}")


def with_context(settings: Settings, work: "Callable[[Any], Awaitable[T]]") -> T:
    """Run `work(context)` on the database, which is started if necessary."""
    from signalpost.main.app import open_context  # noqa: PLC0415
    from signalpost.main.database import database_of  # noqa: PLC0415

    async def main() -> T:
        async with database_of(settings) as (dsn, _), open_context(settings, dsn, name="signalpost-cli") as context:
            return await work(context)

    return run(main())


def print_result(result: dict[str, Any], *, as_json: bool) -> None:
    """Print the members of `result`, one per line or as one JSON object."""
    if as_json:
        sys.stdout.write(json.dumps(result) + "\n")
    else:
        width = max(map(len, result))
        sys.stdout.write("".join(f"{key:<{width}}  {value}\n" for key, value in result.items()))


def read_secret(option: str) -> str:
    """Return the option, or for `-` a line of standard input, which keeps the secret out of the process list."""
    return sys.stdin.readline().rstrip("\n") if option == STDIN else option


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=1, max=65535)] = 8000,
    data_dir: DataDir = None,
    *,
    worker: Annotated[bool, typer.Option("--worker/--no-worker", help="Also run the engine in this process.")] = True,
) -> None:
    """Run the service: database, API and engine."""
    from signalpost.main import serve as running  # noqa: PLC0415

    run(running.serve(load_settings(data_dir), host, port, worker=worker))


@app.command()
def worker(
    data_dir: DataDir = None,
    metrics_port: Annotated[
        int | None, typer.Option(help="Serve /metrics on this port of 127.0.0.1.", min=1, max=65535)
    ] = None,
) -> None:
    """Run only the engine, in a second process or on another machine, with the same database."""
    from signalpost.main import serve as running  # noqa: PLC0415

    run(running.work(load_settings(data_dir), metrics_port))


@app.command()
def migrate(data_dir: DataDir = None) -> None:
    """Migrate the database to the newest revision."""
    from signalpost.main.database import database_of  # noqa: PLC0415

    async def main(settings: Settings) -> None:
        async with database_of(settings):
            sys.stdout.write("The database is up to date.\n")

    run(main(load_settings(data_dir)))


@app.command("create-owner")
def create_owner(
    email: Annotated[str, typer.Option()],
    password: Annotated[str, typer.Option(help="10 to 200 characters; - reads a line from standard input.")],
    workspace: Annotated[str, typer.Option(help="Name of the new workspace.")],
    data_dir: DataDir = None,
    *,
    as_json: Json = False,
) -> None:
    """Create a user with a workspace, a profile and an API key."""
    from signalpost.main import operations  # noqa: PLC0415

    settings, secret = load_settings(data_dir), read_secret(password)
    print_result(
        with_context(settings, lambda context: operations.create_owner(context, email, secret, workspace)),
        as_json=as_json,
    )


@app.command()
def demo(
    data_dir: DataDir = None,
    base_url: Annotated[str, typer.Option(help="Address of the running service.")] = "http://127.0.0.1:8000",
    *,
    as_json: Json = False,
) -> None:
    """Create a demo workspace with a sandbox account and a test key; print a curl command that publishes a post."""
    from signalpost.main import operations  # noqa: PLC0415

    settings = load_settings(data_dir)
    workspace = with_context(settings, operations.demo)
    command = operations.demo_curl(settings.base_url or base_url, workspace)
    if as_json:
        print_result(workspace | {"curl": command}, as_json=True)
    else:
        status = operations.status_curl(settings.base_url or base_url, workspace)
        sys.stdout.write(f"The demo workspace is ready. Publish a post to the sandbox:\n\n{command}\n\n")
        sys.stdout.write(f"Then read its status, with the id from the response:\n\n{status}\n")


@keys_app.command("create")
def keys_create(
    workspace: Annotated[str, typer.Option(help="Id, slug or name of the workspace.")],
    name: Annotated[str, typer.Option(help="What the key is for.")],
    mode: Annotated[str, typer.Option(help="live or test.")] = "live",
    data_dir: DataDir = None,
    *,
    as_json: Json = False,
) -> None:
    """Create an API key of the workspace's owner; it is shown only once."""
    from signalpost.main import operations  # noqa: PLC0415

    settings = load_settings(data_dir)
    print_result(
        with_context(settings, lambda context: operations.create_key(context, workspace, name, mode)), as_json=as_json
    )


@users_app.command("reset-password")
def users_reset_password(
    email: Annotated[str, typer.Option()],
    password: Annotated[str, typer.Option(help="10 to 200 characters; - reads a line from standard input.")],
    data_dir: DataDir = None,
) -> None:
    """Set the password of a user and end all of their sessions."""
    from signalpost.main import operations  # noqa: PLC0415

    secret = read_secret(password)
    with_context(load_settings(data_dir), lambda context: operations.reset_password(context, email, secret))
    sys.stdout.write("The password is changed, and all sessions of the user have ended.\n")


@staff_app.command("add")
def staff_add(email: Annotated[str, typer.Option()], data_dir: DataDir = None) -> None:
    """Make a user a member of the staff of this instance."""
    from signalpost.main import operations  # noqa: PLC0415

    with_context(load_settings(data_dir), lambda context: operations.add_staff(context, email))
    sys.stdout.write(f"{email} is now a member of the staff.\n")


@plans_app.command("set")
def plans_set(
    workspace: Annotated[str, typer.Option(help="Id, slug or name of the workspace.")],
    plan: Annotated[str, typer.Option(help="free, starter, pro, max or self_hosted.")],
    data_dir: DataDir = None,
) -> None:
    """Change the plan of a workspace; it has an effect only while billing is enabled."""
    from signalpost.main import operations  # noqa: PLC0415

    with_context(load_settings(data_dir), lambda context: operations.set_plan(context, workspace, plan))
    sys.stdout.write(f"{workspace} is now on the plan {plan}.\n")


@app.command()
def doctor(data_dir: DataDir = None, *, as_json: Json = False) -> None:
    """Check the database, its schema, the engine and settings; exit with code 1 if there is a problem."""
    from signalpost.main import operations  # noqa: PLC0415

    checks = with_context(load_settings(data_dir), operations.check_health)
    print_result(checks, as_json=as_json)
    if any(str(value).startswith("PROBLEM") for value in checks.values()):
        raise typer.Exit(1)
