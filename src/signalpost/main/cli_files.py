"""Commands that bring things back: backups of the instance, exports of a workspace, and deleted workspaces."""

import sys
from pathlib import Path

import click

from signalpost.kit.program import command_line
from signalpost.main.cli_support import (
    data_dir_option,
    json_option,
    load_settings,
    print_result,
    require_folder,
    run,
    with_context,
)


@click.command(short_help="Save everything in one file.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--key/--no-key", default=True, show_default=True, help="Include master.key.")
@click.option("--media/--no-media", default=True, show_default=True, help="Include the media.")
@data_dir_option
@json_option
def backup(file: Path, data_dir: Path | None, *, key: bool, media: bool, as_json: bool) -> None:
    """Save the database, the media and the master key in one file. The service may be running.

    Whoever has the file can publish on every account: keep it as safe as the instance itself.
    """
    from signalpost.main.backup import commands  # noqa: PLC0415 - see above

    settings = require_folder(load_settings(data_dir))
    result = run(commands.backup(settings, file, with_key=key, with_media=media))
    if result["notRecorded"]:
        sys.stderr.write(
            "The backup is good, but could not be recorded, so doctor and the console do not know of it:"
            f" {result['notRecorded']}\n"
        )
    elif not as_json:
        del result["notRecorded"]
    print_result(result, as_json=as_json)


@click.command(short_help="Verify a backup.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@data_dir_option
@json_option
def verify(file: Path, data_dir: Path | None, *, as_json: bool) -> None:
    """Verify that a backup is complete and that the master key fits; exit with 1 if not.

    This changes nothing but the record of the backup, if the database that was saved is running.
    """
    from signalpost.main.backup import commands  # noqa: PLC0415 - see above

    settings = load_settings(data_dir)
    print_result(run(commands.verify(settings, file)), as_json=as_json)


@click.command(short_help="Restore a backup into an empty instance.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@data_dir_option
@json_option
def restore(file: Path, data_dir: Path | None, *, as_json: bool) -> None:
    """Restore a backup into an instance without users. Nothing is published or delivered before `resume`."""
    from signalpost.main.backup import commands  # noqa: PLC0415 - see above

    settings = load_settings(data_dir)
    print_result(run(commands.restore(settings, file)), as_json=as_json)
    if not as_json:
        sys.stdout.write(
            "\nNothing is published or delivered yet. Start the service and look around; when the instance that was\n"
            f"saved is stopped for good: {command_line('resume', settings.data_dir)}\n"
        )


@click.command(short_help="Let a restored instance publish again.")
@data_dir_option
@json_option
def resume(data_dir: Path | None, *, as_json: bool) -> None:
    """Let a restored instance publish again. Posts that are due are first looked up at their networks, so that none
    goes out twice.
    """
    from signalpost.main.backup import commands  # noqa: PLC0415 - see above

    print_result(with_context(load_settings(data_dir), commands.resume), as_json=as_json)


@click.command("export", short_help="Export a workspace to one file.")
@click.argument("workspace")
@click.option("--to", "file", required=True, type=click.Path(path_type=Path), help="The file to write.")
@data_dir_option
@json_option
def workspaces_export(workspace: str, file: Path, data_dir: Path | None, *, as_json: bool) -> None:
    """Export a workspace (id, slug or name) to one file: rows as JSON, media files unchanged.

    It contains no secrets: no tokens of accounts, no API keys.
    """
    from signalpost.main import portability  # noqa: PLC0415 - see above

    settings = load_settings(data_dir)
    print_result(
        with_context(settings, lambda context: portability.export_workspace(context, workspace, file)), as_json=as_json
    )


@click.command("import", short_help="Create a workspace from an export.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--owner", required=True, help="E-mail address of the user who will own it.")
@click.option("--name", help="Another name for the workspace.")
@data_dir_option
@json_option
def workspaces_import(file: Path, owner: str, name: str | None, data_dir: Path | None, *, as_json: bool) -> None:
    """Create a workspace from an export. Nothing is published: waiting posts become drafts, and accounts have to be
    connected again.
    """
    from signalpost.main import portability  # noqa: PLC0415 - see above

    settings = load_settings(data_dir)
    imported = with_context(settings, lambda context: portability.import_workspace(context, file, owner, name))
    print_result(imported, as_json=as_json)


@click.command("restore", short_help="Restore a deleted workspace.")
@click.option("--workspace", required=True, help="Id or slug of the workspace.")
@click.option("--owner", help="E-mail address of who owns it from now on, if its owner deleted their account, too.")
@data_dir_option
def workspaces_restore(workspace: str, owner: str | None, data_dir: Path | None) -> None:
    """Restore a workspace that was deleted less than 30 days ago, with everything it had."""
    from signalpost.main import operations  # noqa: PLC0415 - as the other commands do

    with_context(load_settings(data_dir), lambda context: operations.restore_workspace(context, workspace, owner))
    sys.stdout.write(f"{workspace} is restored: its members and keys work again.\n")
