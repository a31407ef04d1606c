"""The command line: `signalpost serve`, and the commands of operators.

Each command imports what it needs by itself: `--help` and `--version` would otherwise take four times as long.
"""

import json
import sys
from importlib import metadata
from typing import Annotated

import typer

from signalpost.kit.machine_zone import machine_zone
from signalpost.kit.program import command_line
from signalpost.main.cli_support import (
    DataDir,
    Json,
    Password,
    ask_password,
    load_settings,
    print_result,
    require_folder,
    run,
    with_context,
)
from signalpost.main.interruption import interruptible
from signalpost.main.listening import running_service
from signalpost.main.operator import (
    STDIN,
)
from signalpost.settings import Settings

app = typer.Typer(
    name="signalpost", help="Self-hosted social publishing.", no_args_is_help=True, add_completion=False,
    pretty_exceptions_enable=False, rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
keys_app = typer.Typer(help="Manage API keys.", no_args_is_help=True)
users_app = typer.Typer(help="Manage users.", no_args_is_help=True)
staff_app = typer.Typer(help="Manage the staff of this instance.", no_args_is_help=True)
audit_app = typer.Typer(help="Verify the audit log.", no_args_is_help=True)
plans_app = typer.Typer(help="Manage the plans of workspaces.", no_args_is_help=True)
workspaces_app = typer.Typer(help="Look at workspaces.", no_args_is_help=True)
accounts_app = typer.Typer(help="Look at connected accounts.", no_args_is_help=True)
posts_app = typer.Typer(help="Look at posts.", no_args_is_help=True)
webhooks_app = typer.Typer(help="Look at webhooks.", no_args_is_help=True)
for name, group in (
    ("users", users_app), ("workspaces", workspaces_app), ("keys", keys_app), ("accounts", accounts_app),
    ("posts", posts_app), ("webhooks", webhooks_app), ("staff", staff_app), ("plans", plans_app),
    ("audit", audit_app),
):  # fmt: skip
    app.add_typer(group, name=name)


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


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=1, max=65535)] = 8000,
    data_dir: DataDir = None,
    *,
    worker: Annotated[bool, typer.Option("--worker/--no-worker", help="Also run the engine in this process.")] = True,
) -> None:
    """Run the service: database, API and engine."""
    from signalpost.main import serve as running  # noqa: PLC0415 - see above

    run(running.serve(load_settings(data_dir), host, port, worker=worker))


@app.command()
def worker(
    data_dir: DataDir = None,
    metrics_port: Annotated[
        int | None, typer.Option(help="Serve /metrics on this port of 127.0.0.1.", min=1, max=65535)
    ] = None,
) -> None:
    """Run only the engine, in a second process or on another machine, with the same database."""
    from signalpost.main import serve as running  # noqa: PLC0415 - see above

    run(running.work(require_folder(load_settings(data_dir)), metrics_port))


@app.command()
def migrate(data_dir: DataDir = None) -> None:
    """Migrate the database to the newest revision."""
    from signalpost.main.database import database_of  # noqa: PLC0415 - see above

    async def main(settings: Settings) -> None:
        with interruptible():
            async with database_of(settings):
                pass
            sys.stdout.write("The database is up to date.\n")

    run(main(require_folder(load_settings(data_dir))))


@users_app.command("create-owner")
@app.command("create-owner")
def create_owner(
    email: Annotated[str, typer.Option()],
    workspace: Annotated[str, typer.Option(help="Name of the new workspace.")],
    password: Password = STDIN,
    timezone: Annotated[str | None, typer.Option(help="Such as Europe/Berlin (default: that of this machine).")] = None,
    data_dir: DataDir = None,
    *,
    as_json: Json = False,
) -> None:
    """Create a user with a workspace, a profile and an API key, which is shown only once."""
    from signalpost.main import operations  # noqa: PLC0415 - see above

    settings, secret, zone = load_settings(data_dir), ask_password(password), timezone or machine_zone()
    owner = with_context(settings, lambda context: operations.create_owner(context, email, secret, workspace, zone))
    print_result(owner, as_json=as_json)
    if not as_json:
        sys.stdout.write("\nKeep the API key: it is not shown again.\n")
        if timezone is None:
            sys.stdout.write(f"Times without an offset mean {zone or 'UTC'}; --timezone chooses another zone.\n")


@app.command()
def demo(
    data_dir: DataDir = None,
    base_url: Annotated[str | None, typer.Option(help="Address of the service (default: the running one).")] = None,
    *,
    as_json: Json = False,
) -> None:
    """Create a demo workspace with a sandbox account and a test key; print a curl command that publishes a post."""
    from signalpost.main import operations  # noqa: PLC0415 - see above

    settings = load_settings(data_dir)
    workspace = with_context(settings, operations.demo)
    running = running_service(settings.data_dir)
    address = base_url or settings.base_url or running or "http://127.0.0.1:8000"
    command = operations.demo_curl(address, workspace)
    if as_json:
        print_result(workspace | {"curl": command}, as_json=True)
        return
    status = operations.status_curl(address, workspace)
    sys.stdout.write(f"The demo workspace is ready. Publish a post to the sandbox:\n\n{command}\n\n")
    sys.stdout.write(f"Then read its status, with the id from the response:\n\n{status}\n")
    if running is None and settings.database_url is None:
        start = command_line("serve", settings.data_dir)
        sys.stdout.write(f"\nNo service is running on {settings.data_dir}. Start it first: {start}\n")


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
    from signalpost.main import operations  # noqa: PLC0415 - see above

    settings = load_settings(data_dir)
    print_result(
        with_context(settings, lambda context: operations.create_key(context, workspace, name, mode)), as_json=as_json
    )


@keys_app.command("revoke")
def keys_revoke(
    key_id: Annotated[str, typer.Argument(help="Id of the key (key_...), as `keys list` shows it.")],
    data_dir: DataDir = None,
) -> None:
    """Revoke an API key at once, with the keys that it created."""
    from signalpost.main import operations  # noqa: PLC0415 - see above

    revoked = with_context(load_settings(data_dir), lambda context: operations.revoke_key(context, key_id))
    sys.stdout.write(f"Revoked: {', '.join(revoked)}.\n")


def _add_list(group: typer.Typer, name: str) -> None:
    """Add the command `list` to a group."""

    def show(
        workspace: Annotated[str | None, typer.Option(help="Only those of this workspace: id, slug or name.")] = None,
        limit: Annotated[int, typer.Option(help="How many at most.", min=1, max=10_000)] = 50,
        data_dir: DataDir = None,
        *,
        as_json: Json = False,
    ) -> None:
        from signalpost.main import records  # noqa: PLC0415 - see above

        settings = load_settings(data_dir)
        rows = run(records.with_connection(settings, lambda db: records.listing(db, name, workspace, limit)))
        if as_json:
            sys.stdout.write(json.dumps({"data": rows}) + "\n")
        else:
            sys.stdout.write(records.table(rows) if rows else f"There are no {name}.\n")

    group.command("list", help=f"List {name}, the newest first.")(show)


for name, group in (
    ("users", users_app), ("workspaces", workspaces_app), ("keys", keys_app), ("accounts", accounts_app),
    ("posts", posts_app), ("webhooks", webhooks_app),
):  # fmt: skip
    _add_list(group, name)


@posts_app.command("show")
def posts_show(
    post_id: Annotated[str, typer.Argument(help="Id of the post (pst_...).")],
    data_dir: DataDir = None,
    *,
    as_json: Json = False,
) -> None:
    """Show a post with its targets."""
    from signalpost.main import records  # noqa: PLC0415 - see above

    settings = load_settings(data_dir)
    post = run(records.with_connection(settings, lambda db: records.post(db, post_id)))
    if as_json:
        print_result(post, as_json=True)
        return
    targets = post.pop("targets")
    print_result({name: value for name, value in post.items() if value is not None}, as_json=False)
    sys.stdout.write("\n" + (records.table(targets) if targets else "It has no targets.\n"))


@users_app.command("reset-password")
def users_reset_password(
    email: Annotated[str, typer.Option()],
    password: Password = STDIN,
    data_dir: DataDir = None,
) -> None:
    """Set the password of a user and end all of their sessions."""
    from signalpost.main import operations  # noqa: PLC0415 - see above

    secret = ask_password(password)
    with_context(load_settings(data_dir), lambda context: operations.reset_password(context, email, secret))
    sys.stdout.write("The password is changed, and all sessions of the user have ended.\n")


@staff_app.command("add")
def staff_add(email: Annotated[str, typer.Option()], data_dir: DataDir = None) -> None:
    """Make a user a member of the staff of this instance."""
    from signalpost.main import operations  # noqa: PLC0415 - see above

    with_context(load_settings(data_dir), lambda context: operations.add_staff(context, email))
    sys.stdout.write(f"{email} is now a member of the staff.\n")


@plans_app.command("set")
def plans_set(
    workspace: Annotated[str, typer.Option(help="Id, slug or name of the workspace.")],
    plan: Annotated[str, typer.Option(help="free, starter, pro, max or self_hosted.")],
    data_dir: DataDir = None,
) -> None:
    """Change the plan of a workspace; it has an effect only while billing is enabled."""
    from signalpost.main import operations  # noqa: PLC0415 - see above

    with_context(load_settings(data_dir), lambda context: operations.set_plan(context, workspace, plan))
    sys.stdout.write(f"{workspace} is now on the plan {plan}.\n")


@audit_app.command("verify")
def audit_verify(
    workspace: Annotated[str | None, typer.Option(help="Id, slug or name of a workspace; all without it.")] = None,
    data_dir: DataDir = None,
    *,
    as_json: Json = False,
) -> None:
    """Verify that no entry of the audit log was changed or removed; exit with code 1 and name the first one that was.

    Keep the number and hash of the newest seal elsewhere: they show later that no newest entries were cut off.
    """
    from signalpost.main import operations  # noqa: PLC0415 - see above

    chains = with_context(load_settings(data_dir), lambda context: operations.verify_history(context, workspace))
    print_result(chains, as_json=as_json)
    if any(str(value).startswith("PROBLEM") for value in chains.values()):
        raise typer.Exit(1)


@app.command()
def doctor(data_dir: DataDir = None, *, as_json: Json = False) -> None:
    """Check files, disk, keys, database, engine, service, storage, base URL and mail; exit with 1 if one is wrong.

    It changes and creates nothing.
    """
    from signalpost.main import doctor as examination  # noqa: PLC0415 - see above

    checks = run(examination.examine(load_settings(data_dir), metadata.version("signalpost")))
    sys.stdout.write(examination.as_json(checks) if as_json else examination.as_text(checks))
    if not all(check.ok for check in checks):
        raise typer.Exit(1)
