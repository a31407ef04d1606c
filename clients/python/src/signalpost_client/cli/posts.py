"""Posts."""

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

import click

from signalpost_client.cli import _screen
from signalpost_client.cli._shell import WAIT_SECONDS, Shell, reads, writes

if TYPE_CHECKING:
    from signalpost_client import models


def _moment(row: _screen.Row) -> str:
    return next((_screen.when(name)(row) for name in ("scheduledAt", "publishedAt", "createdAt") if row.get(name)), "")


COLUMNS: list[_screen.Column] = [
    ("Id", "id"), ("Status", "status"), ("When", _moment), ("To", "platforms"),
    ("Text", lambda row: (row["title"] or row["text"] or "")[:80]),
]  # fmt: skip
DETAILS: list[_screen.Column] = [
    ("Post", "id"), ("Status", "status"), ("Waits for", "heldMessage"), ("Planned", _screen.when("scheduledAt")),
    ("Published", _screen.when("publishedAt")), ("Profile", "profileId"), ("Title", "title"), ("Text", "text"),
    ("Link", "link"), ("Tags", "tags"),
]  # fmt: skip
TARGETS: list[_screen.Column] = [
    ("Network", "platform"), ("Account", "username"), ("Status", "status"), ("Address", "url"),
    ("Why", lambda row: row["error"] and row["error"]["userMessage"]),
    ("What to do", lambda row: row["error"] and row["error"]["remediation"]),
]  # fmt: skip


@click.group()
def post() -> None:
    """Create, schedule, check and follow posts."""


def content_options(command: Any) -> Any:
    """Give a command what a post consists of."""
    for option in reversed(
        (
            click.argument("text", required=False),
            click.option(
                "--to", "to", multiple=True, metavar="WHERE", help="A network, or an account (acc_…); repeat it."
            ),
            click.option("--profile", metavar="PROF", help="The profile to post from."),
            click.option("--at", metavar="TIME", help="When: 2026-12-24T18:00, or with an offset or Z (default: now)."),
            click.option("--timezone", metavar="ZONE", help="Of a time without offset: Europe/Berlin."),
            click.option("--slot", is_flag=True, help="At the next free slot."),
            click.option("--draft", is_flag=True, help="Keep it for later."),
            click.option(
                "--media", multiple=True, metavar="FILE", help="A file, its address, or a med_… id; repeat it."
            ),
            click.option("--alt", multiple=True, metavar="TEXT", help="Describes the file of the same place."),
            click.option("--title", help="For networks that have one."),
            click.option("--link", metavar="ADDRESS", help="What the post is about."),
            click.option("--first-comment", metavar="TEXT", help="A comment to publish below it."),
            click.option("--tag", "tags", multiple=True, help="A label of your own; repeat it."),
            click.option("--external-id", metavar="ID", help="Your own id: a post of this id is created once."),
            click.option("--allow-duplicate", is_flag=True, help="Also if the same went there within 24 hours."),
        )
    ):
        command = option(command)
    return command


wait_option: Callable[[Any], Any] = click.option("--wait", is_flag=True, help="Wait until it is published everywhere.")
timeout_option: Callable[[Any], Any] = click.option(
    "--timeout", default=WAIT_SECONDS, show_default=True, help="Seconds to wait at most."
)


@post.command()
@content_options
@wait_option
@timeout_option
@writes
def create(shell: Shell, *, wait: bool, timeout: float, **content: Any) -> None:
    """Create a post: sp post create "Soup of the day" --to bluesky --to mastodon.

    Without TEXT, or with -, it is read from standard input; in a terminal your editor opens. --dry-run checks the post
    as `validate` does, and creates nothing.
    """
    if shell.dry_run:
        _validated(shell, _body(shell, content, upload=False))
        return
    created = shell.client.create_post(_body(shell, content, upload=True))
    for warning in created.get("warnings") or ():
        _screen.remark(f"Note: {warning['message']}")
    _finish(shell, created, wait=wait, timeout=timeout)


@post.command()
@content_options
@reads
def validate(shell: Shell, **content: Any) -> None:
    """Check a post without creating it: what each network would refuse."""
    _validated(shell, _body(shell, content, upload=False))


@post.command()
@click.argument("post_id", metavar="POST")
@click.option("--at", metavar="TIME", help="When (default: its own time, else now).")
@wait_option
@timeout_option
@writes
def schedule(shell: Shell, post_id: str, at: str | None, timeout: float, *, wait: bool) -> None:
    """Put a draft on the queue, or give a waiting post another time."""
    current = shell.client.get_post(post_id)
    if at is not None and current["status"] in ("scheduled", "draft"):
        changed = shell.client.update_post(post_id, {"scheduledAt": at}, if_match=current["version"])
        _finish(shell, changed, wait=wait, timeout=timeout)
        return
    shell.client.submit_post(post_id, {"scheduledAt": at})
    _finish(shell, shell.client.get_post(post_id), wait=wait, timeout=timeout)


@post.command("list")
@click.option("--status", help="draft, scheduled, queued, publishing, published, partial or failed.")
@click.option("--platform", help="A network.")
@click.option("--profile", metavar="PROF", help="A profile.")
@click.option("--tag", help="A label of your own.")
@click.option("--search", metavar="TEXT", help="What title or text contain.")
@click.option("--since", metavar="TIME", help="From this time on.")
@click.option("--until", metavar="TIME", help="Before this time.")
@click.option("--limit", default=30, show_default=True, help="How many at most; 0: all.")
@reads
def list_posts(shell: Shell, limit: int, **filters: str | None) -> None:
    """List posts, newest first."""
    from itertools import islice

    query: dict[str, Any] = {
        "status": filters["status"], "platform": filters["platform"], "profile_id": filters["profile"],
        "tag": filters["tag"], "q": filters["search"], "from_": filters["since"], "to": filters["until"],
        "limit": min(limit, 100) or 100,
    }  # fmt: skip
    shell.rows(islice(shell.client.list_posts(**query), limit or None), COLUMNS, empty="No posts.")


@post.command()
@click.argument("post_id", metavar="POST")
@reads
def show(shell: Shell, post_id: str) -> None:
    """Show a post, and what came of it at each network."""
    _show(shell, shell.client.get_post(post_id))


@post.command()
@click.argument("post_id", metavar="POST")
@timeout_option
@reads
def wait(shell: Shell, post_id: str, timeout: float) -> None:
    """Wait until a post is published everywhere."""
    _wait(shell, post_id, timeout)


@post.command()
@click.argument("post_id", metavar="POST")
@click.option("--text", help="The new text; - reads it from standard input (default: in your editor).")
@click.option("--title", help="The new title.")
@click.option("--link", help="The new link.")
@writes
def edit(shell: Shell, post_id: str, text: str | None, title: str | None, link: str | None) -> None:
    """Change a post. If someone else changed it meanwhile, nothing happens."""
    current = shell.client.get_post(post_id)
    changes: dict[str, Any] = {name: value for name, value in (("title", title), ("link", link)) if value is not None}
    if text is not None or not changes:
        changes["text"] = _text(text, current["text"] or "")
    if changes.get("text") == current["text"]:
        del changes["text"]
    if not changes:
        shell.done(current, "Nothing changed.")
        return
    changed = shell.client.update_post(post_id, cast("models.PostUpdate", changes), if_match=current["version"])
    shell.done(changed, f"{post_id} is changed.")


@post.command()
@click.argument("post_id", metavar="POST")
@wait_option
@timeout_option
@writes
def retry(shell: Shell, post_id: str, timeout: float, *, wait: bool) -> None:
    """Publish again where it failed."""
    shell.client.retry_post(post_id)
    _finish(shell, shell.client.get_post(post_id), wait=wait, timeout=timeout)


@post.command()
@click.argument("post_id", metavar="POST")
@click.option("--permanent", is_flag=True, help="For good, instead of into the trash.")
@click.option("--cascade", is_flag=True, help="Remove it at the networks too.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@writes
def delete(shell: Shell, post_id: str, *, permanent: bool, cascade: bool, yes: bool) -> None:
    """Put a post into the trash."""
    if permanent or cascade:
        shell.sure(f"Delete {post_id}{' at the networks' * cascade}{' for good' * permanent}?", yes=yes)
    deleted = shell.client.delete_post(post_id, permanent=permanent or None, cascade=cascade or None)
    for warning in deleted.get("warnings") or ():
        _screen.remark(f"Note: {warning['message']}")
    shell.done(deleted, f"{post_id} is {'deleted' if permanent else 'in the trash'}.")


def _text(text: str | None, before: str = "") -> str:
    if text is not None and text != "-":
        return text
    if text == "-" or not sys.stdin.isatty():
        return sys.stdin.read().rstrip("\n")
    edited = click.edit(before)
    if edited is None and not before:
        raise click.UsageError("There is no text: write one, save and close the editor, or pass it.")
    return (edited if edited is not None else before).rstrip("\n")


def _body(shell: Shell, content: Mapping[str, Any], *, upload: bool) -> "models.PostCreate":
    to: tuple[str, ...] = content["to"]
    accounts = [name for name in to if name.startswith("acc_")]
    networks = [name for name in to if not name.startswith("acc_")]
    if accounts and networks:
        raise click.UsageError("--to names networks, or accounts (acc_…), not both.")
    if not to and not content["draft"]:
        raise click.UsageError("Where to? Say --to NETWORK or --to acc_…, or --draft.")
    if content["at"] and (content["slot"] or content["draft"]):
        raise click.UsageError("--at, --slot and --draft exclude one another.")
    body: dict[str, Any] = {"profileId": shell.profile(content["profile"]), "text": _text(content["text"])}
    members = {
        "platforms": networks, "targets": [{"accountId": account} for account in accounts],
        "scheduledAt": content["at"],
        "timezone": content["timezone"], "publishMode": "slot" if content["slot"] else None, "draft": content["draft"],
        "title": content["title"], "link": content["link"], "firstComment": content["first_comment"],
        "tags": list(content["tags"]), "externalId": content["external_id"],
        "allowDuplicate": content["allow_duplicate"],
    }  # fmt: skip
    body |= {name: value for name, value in members.items() if value}
    if content["media"]:
        body["media"] = _media(shell, content["media"], content["alt"], upload=upload)
    return cast("models.PostCreate", body)


def _media(shell: Shell, sources: tuple[str, ...], alts: tuple[str, ...], *, upload: bool) -> list[dict[str, str]]:
    from signalpost_client.cli.media import upload_file

    items = []
    for place, source in enumerate(sources):
        if source.startswith("med_"):
            item = {"mediaId": source}
        elif source.startswith(("https://", "http://")):
            item = {"mediaUrl": source}
        elif upload:
            item = {"mediaId": upload_file(shell, source)["id"]}
        else:
            raise click.UsageError(f"To check it, upload {source} first: `sp media upload`, and pass its med_… id.")
        items.append({**item, "altText": alts[place]} if place < len(alts) else item)
    return items


def _validated(shell: Shell, body: "models.PostCreate") -> None:
    outcome = shell.client.validate_post(body)
    if shell.as_json:
        _screen.as_json(outcome)
    else:
        rows = [{**issue, "kind": "refused"} for issue in outcome["errors"]]
        rows += [{**warning, "kind": "note"} for warning in outcome["warnings"]]
        columns: list[_screen.Column] = [("", "kind"), ("Where", "path"), ("What", "message")]
        _screen.table(rows, columns, empty="It can be published.")
    if not outcome["valid"]:
        click.get_current_context().exit(7)


def _finish(shell: Shell, created: Any, *, wait: bool, timeout: float) -> None:
    if wait:
        _screen.remark(f"{created['id']} is {created['status']}.")
        _wait(shell, created["id"], timeout)
    else:
        shell.done(created, f"{created['id']} is {created['status']}." + _planned(created))


def _planned(created: _screen.Row) -> str:
    return f" Planned for {_screen.when('scheduledAt')(created)}." if created.get("scheduledAt") else ""


def _wait(shell: Shell, post_id: str, timeout: float) -> None:
    from signalpost_client import NotPublished

    try:
        shell.client.wait_until_published(post_id, timeout_seconds=timeout)
    except NotPublished:
        _show(shell, shell.client.get_post(post_id))
        raise
    _show(shell, shell.client.get_post(post_id))


def _show(shell: Shell, document: Any) -> None:
    shell.result(document, DETAILS)
    if not shell.as_json:
        sys.stdout.write("\n")
        _screen.table(document["targets"], TARGETS, empty="No accounts.")
