"""The command line: `signalpost serve`, and the commands of operators.

Each command imports what it needs by itself: `--help` and `--version` would otherwise take four times as long.
"""

import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from signalpost.kit import log
from signalpost.kit.machine_zone import machine_zone
from signalpost.kit.program import command_line
from signalpost.main import cli_files, cli_networks, cli_webhooks
from signalpost.main.cli_support import (
    ask_password,
    data_dir_option,
    fail,
    json_option,
    load_settings,
    password_option,
    print_result,
    print_rows,
    require_folder,
    run,
    with_context,
)
from signalpost.main.interruption import interruptible
from signalpost.main.listening import running_service
from signalpost.settings import Settings

if TYPE_CHECKING:
    from signalpost.context import AppContext

_PORT = click.IntRange(1, 65535)
_TEXT_MAX = 20_000_000
_KEEP = "\nKeep the API key: it is not shown again.\n"


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(package_name="signalpost", message="signalpost %(version)s", help="Print the version.")
def app() -> None:
    """Self-hosted social publishing."""


def _group(name: str, about: str) -> click.Group:
    group = click.Group(name, help=about)
    app.add_command(group)
    return group


users = _group("users", "Manage users.")
workspaces = _group("workspaces", "List, restore, export and import workspaces.")
keys = _group("keys", "Manage API keys.")
accounts = _group("accounts", "List connected accounts.")
posts = _group("posts", "List and show posts.")
webhooks = _group("webhooks", "List webhooks, and receive events here.")
staff = _group("staff", "Manage the staff of this instance.")
plans = _group("plans", "Manage the plans of workspaces.")
mail = _group("mail", "Read mail that was not sent.")
billing = _group("billing", "Set up payments with Stripe.")
feedback = _group("feedback", "Read feedback about plans and prices.")
status = _group("status", "List and end subscriptions to the service status.")
audit = _group("audit", "Verify the audit log.")
networks = _group("networks", "Check connectors of networks.")
master_key = _group("master-key", "Change the key that encrypts all secrets.")

for command in (cli_files.backup, cli_files.verify, cli_files.restore, cli_files.resume):
    app.add_command(command)
networks.add_command(cli_networks.check)
for command in (cli_webhooks.listen, cli_webhooks.trigger, cli_webhooks.resend):
    webhooks.add_command(command)
for command in (cli_files.workspaces_export, cli_files.workspaces_import, cli_files.workspaces_restore):
    workspaces.add_command(command)


@app.command()
@click.option("--host", help="Address to listen on (default: 127.0.0.1).")
@click.option("--port", type=_PORT, help="Port to listen on (default: 8000).")
@data_dir_option
@click.option("--worker/--no-worker", default=True, show_default=True, help="Also run the engine in this process.")
def serve(host: str | None, port: int | None, data_dir: Path | None, *, worker: bool) -> None:
    """Run the service: database, API and engine."""
    from signalpost.main import serve as running  # noqa: PLC0415 - see above

    run(running.serve(load_settings(data_dir), host, port, worker=worker))


@app.command(short_help="Run only the engine.")
@data_dir_option
@click.option("--metrics-port", type=_PORT, help="Also serve /metrics, on this port.")
@click.option("--metrics-host", default="127.0.0.1", show_default=True, help="Address to serve /metrics on.")
def worker(data_dir: Path | None, metrics_port: int | None, metrics_host: str) -> None:
    """Run only the engine: in a second process, or on another machine with the same database."""
    from signalpost.main import serve as running  # noqa: PLC0415 - see above

    run(running.work(require_folder(load_settings(data_dir)), metrics_host, metrics_port))


@app.command()
@data_dir_option
def migrate(data_dir: Path | None) -> None:
    """Migrate the database to the newest revision."""
    from signalpost.main.database import database_of  # noqa: PLC0415 - see above

    async def main(settings: Settings) -> None:
        with interruptible():
            async with database_of(settings):
                pass
            sys.stdout.write("The database is up to date.\n")

    run(main(require_folder(load_settings(data_dir))))


@app.command("create-owner", short_help="Create a user, a workspace and an API key.")
@click.option("--email", required=True)
@click.option("--workspace", required=True, help="Name of the new workspace.")
@password_option
@click.option("--timezone", help="Such as Europe/Berlin (default: that of this machine).")
@data_dir_option
@json_option
def create_owner(
    email: str, workspace: str, password: str, timezone: str | None, data_dir: Path | None, *, as_json: bool
) -> None:
    """Create a user with a workspace, a profile and an API key, which is shown only once."""
    from signalpost.main import operations  # noqa: PLC0415 - see above

    settings, secret, zone = load_settings(data_dir), ask_password(password), timezone or machine_zone()
    owner = with_context(settings, lambda context: operations.create_owner(context, email, secret, workspace, zone))
    print_result(owner, as_json=as_json)
    if not as_json:
        sys.stdout.write(_KEEP)
        if timezone is None:
            sys.stdout.write(f"Times without an offset mean {zone or 'UTC'}; --timezone chooses another zone.\n")


users.add_command(create_owner)


@app.command(short_help="Create a workspace to try the API with.")
@data_dir_option
@click.option("--base-url", help="Address of the service (default: the running one).")
@json_option
def demo(data_dir: Path | None, base_url: str | None, *, as_json: bool) -> None:
    """Create a demo workspace with a sandbox account and a test key, and print a curl command that publishes a post."""
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


@keys.command("create", short_help="Create an API key.")
@click.option("--workspace", required=True, help="Id, slug or name of the workspace.")
@click.option("--name", required=True, help="What the key is for.")
@click.option("--mode", default="live", show_default=True, help="live or test.")
@data_dir_option
@json_option
def keys_create(workspace: str, name: str, mode: str, data_dir: Path | None, *, as_json: bool) -> None:
    """Create an API key of the workspace's owner; it is shown only once."""
    from signalpost.main import operations  # noqa: PLC0415 - see above

    settings = load_settings(data_dir)
    key = with_context(settings, lambda context: operations.create_key(context, workspace, name, mode))
    print_result(key, as_json=as_json)
    if not as_json:
        sys.stdout.write(_KEEP)


@keys.command("revoke", short_help="Revoke an API key.")
@click.argument("key_id")
@data_dir_option
def keys_revoke(key_id: str, data_dir: Path | None) -> None:
    """Revoke an API key (key_..., see `keys list`) immediately, with all keys that it created."""
    from signalpost.main import operations  # noqa: PLC0415 - see above

    revoked = with_context(load_settings(data_dir), lambda context: operations.revoke_key(context, key_id))
    sys.stdout.write(f"Revoked: {', '.join(revoked)}.\n")


@keys.command("revoke-leaked", short_help="Revoke all API keys found in a file.")
@click.argument("file", type=click.File(errors="replace"))
@data_dir_option
@json_option
def keys_revoke_leaked(file: TextIO, data_dir: Path | None, *, as_json: bool) -> None:
    """Revoke every API key found anywhere in FILE (- reads standard input), and notify the owners by mail."""
    from signalpost.main import operations  # noqa: PLC0415 - see above

    text = file.read(_TEXT_MAX)
    if file.read(1):
        fail(f"The file has more than {_TEXT_MAX:,} characters. Split it at a line break.")
    result = with_context(load_settings(data_dir), lambda context: operations.revoke_leaked(context, text))
    print_result(result, as_json=as_json)


def _add_list(group: click.Group, name: str) -> None:
    """Add the command `list` to a group."""

    @group.command("list", help=f"List {name}, the newest first.")
    @click.option("--workspace", help="Only those of this workspace: id, slug or name.")
    @click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="How many at most.")
    @data_dir_option
    @json_option
    def show(workspace: str | None, limit: int, data_dir: Path | None, *, as_json: bool) -> None:
        from signalpost.main import records  # noqa: PLC0415 - see above

        settings = load_settings(data_dir)
        rows = run(records.with_connection(settings, lambda db: records.listing(settings, db, name, workspace, limit)))
        print_rows(rows, records.NONE[name], as_json=as_json)


for group in (users, workspaces, keys, accounts, posts, webhooks, mail, feedback):
    _add_list(group, str(group.name))


@status.command("subscribers", short_help="List who is subscribed to the service status.")
@click.option("--end", "ended", metavar="SUBSCRIPTION", help="End this subscription (sub_...) instead.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="How many at most.")
@data_dir_option
@json_option
def status_subscribers(ended: str | None, limit: int, data_dir: Path | None, *, as_json: bool) -> None:
    """List who is subscribed to the service status, the newest first; with --end, end a subscription."""
    from signalpost.main import records  # noqa: PLC0415 - see above

    settings = load_settings(data_dir)
    if ended is not None:
        print_result(
            run(records.with_connection(settings, lambda db: records.end_subscriber(db, ended))), as_json=as_json
        )
        return
    rows = run(records.with_connection(settings, lambda db: records.subscribers(db, limit)))
    print_rows(rows, "Nobody is subscribed.\n", as_json=as_json)


@posts.command("show", short_help="Show a post with its targets.")
@click.argument("post_id")
@data_dir_option
@json_option
def posts_show(post_id: str, data_dir: Path | None, *, as_json: bool) -> None:
    """Show a post (pst_...) with its targets."""
    from signalpost.main import records  # noqa: PLC0415 - see above

    settings = load_settings(data_dir)
    post = run(records.with_connection(settings, lambda db: records.post(db, post_id)))
    if as_json:
        print_result(post, as_json=True)
        return
    targets = post.pop("targets")
    print_result({name: value for name, value in post.items() if value is not None}, as_json=False)
    sys.stdout.write("\n" + (records.table(targets) if targets else "It has no targets.\n"))


@mail.command("show", short_help="Show a message that was not sent.")
@click.argument("message")
@data_dir_option
def mail_show(message: str, data_dir: Path | None) -> None:
    """Show a message that was not sent. Keep it private: its links work for whoever opens them."""
    from signalpost.main import operations  # noqa: PLC0415 - see above

    sys.stdout.write(with_context(load_settings(data_dir), lambda context: operations.show_mail(context, message)))


@users.command("reset-password")
@click.option("--email", required=True)
@password_option
@data_dir_option
def users_reset_password(email: str, password: str, data_dir: Path | None) -> None:
    """Set the password of a user and end all of their sessions."""
    from signalpost.main import operations  # noqa: PLC0415 - see above

    secret = ask_password(password)
    with_context(load_settings(data_dir), lambda context: operations.reset_password(context, email, secret))
    sys.stdout.write("The password is changed, and all sessions of the user have ended.\n")


@users.command("reset-totp", short_help="Turn off the second factor of a user.")
@click.option("--email", required=True)
@data_dir_option
def users_reset_totp(email: str, data_dir: Path | None) -> None:
    """Turn off the second factor of a user who lost the device and the recovery codes."""
    from signalpost.main import operations  # noqa: PLC0415 - see above

    with_context(load_settings(data_dir), lambda context: operations.reset_totp(context, email))
    sys.stdout.write("The second factor is off: the user signs in without a code.\n")


@staff.command("add")
@click.option("--email", required=True)
@data_dir_option
def staff_add(email: str, data_dir: Path | None) -> None:
    """Make a user a member of the staff of this instance."""
    from signalpost.main import operations  # noqa: PLC0415 - see above

    with_context(load_settings(data_dir), lambda context: operations.add_staff(context, email))
    sys.stdout.write(f"{email} is now a member of the staff.\n")


@plans.command("set", short_help="Change the plan of a workspace.")
@click.option("--workspace", required=True, help="Id, slug or name of the workspace.")
@click.option("--plan", required=True, help="free, starter, pro, max or self_hosted.")
@data_dir_option
def plans_set(workspace: str, plan: str, data_dir: Path | None) -> None:
    """Change the plan of a workspace. This has an effect only while billing is enabled."""
    from signalpost.main import operations  # noqa: PLC0415 - see above

    with_context(load_settings(data_dir), lambda context: operations.set_plan(context, workspace, plan))
    sys.stdout.write(f"{workspace} is now on the plan {plan}.\n")


@billing.command("sync", short_help="Create or update products and prices at Stripe.")
@data_dir_option
@json_option
def billing_sync(data_dir: Path | None, *, as_json: bool) -> None:
    """Create or correct the products and prices of all plans at Stripe. Safe to repeat.

    A price that changed is replaced; those who subscribed at the old one keep it.
    """
    from signalpost.main import operations  # noqa: PLC0415 - see above

    print_result(with_context(load_settings(data_dir), operations.synchronise_prices), as_json=as_json)


@audit.command("verify", short_help="Verify the audit log.")
@click.option("--workspace", help="Id, slug or name of a workspace (default: all).")
@data_dir_option
@json_option
def audit_verify(workspace: str | None, data_dir: Path | None, *, as_json: bool) -> None:
    """Verify that no entry of the audit log was changed or removed; otherwise name the first one and exit with 1.

    Keep the number and hash of the newest seal elsewhere: they prove later that no entries were cut off at the end.
    """
    from signalpost.main import operations  # noqa: PLC0415 - see above

    chains = with_context(load_settings(data_dir), lambda context: operations.verify_history(context, workspace))
    print_result(chains, as_json=as_json)
    if any(str(value).startswith("PROBLEM") for value in chains.values()):
        sys.exit(1)


@master_key.command("rewrap", short_help="Encrypt all secrets with the newest master key.")
@data_dir_option
@json_option
def master_key_rewrap(data_dir: Path | None, *, as_json: bool) -> None:
    """Encrypt all secrets with the first of several master keys. The service may be running; it can be repeated.

    Exit with 1 if something cannot be decrypted with any of the keys.
    """
    from signalpost.main import master_key as rewrapping  # noqa: PLC0415 - see above

    async def main(context: "AppContext") -> dict[str, object]:
        with click.progressbar(length=await rewrapping.values(context), file=sys.stderr) as bar:
            return await rewrapping.rewrap(context, bar.update)

    result = with_context(load_settings(data_dir), main)
    print_result(result, as_json=as_json)
    if result["unreadable"]:
        sys.exit(1)


@app.command(short_help="Check that everything works.")
@data_dir_option
@json_option
def doctor(data_dir: Path | None, *, as_json: bool) -> None:
    """Check files, disk, keys, database, engine, service, storage, base URL, mail and messengers.

    It changes and creates nothing, and exits with 1 if something is wrong.
    """
    from signalpost.main import checks as results  # noqa: PLC0415 - see above
    from signalpost.main import doctor as examination  # noqa: PLC0415 - see above

    settings = load_settings(data_dir)
    log.set_up(level="error")  # what is wrong stands in the list
    checks = run(examination.examine(settings, metadata.version("signalpost")))
    sys.stdout.write(results.as_json(checks) if as_json else results.as_text(checks))
    if not all(check.ok for check in checks):
        sys.exit(1)
