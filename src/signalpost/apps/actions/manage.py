"""Apps that a workspace registers: create, change, give another secret, delete."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from msgspec import UNSET, structs

from signalpost.apps import queries, redirects, tokens, views
from signalpost.apps.queries import AppRow
from signalpost.apps.schemas import App, AppCreate, AppDeleted, AppUpdate, AppWithSecret
from signalpost.context import AppContext
from signalpost.events import Actor
from signalpost.identity import roles
from signalpost.kit import clock, ids, problems, rows
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.web.caller import Caller

OWN_MAX: Final = 100
"""Apps that a workspace has registered."""
INSERT: Final = rows.insert("app", AppRow)
_UPDATE: Final = """
update app set name = $3, website_url = $4, redirect_uris = $5, updated_at = $6 where workspace_id = $1 and id = $2
"""
_REPLACE: Final = "update app set secret_hmac = $3, updated_at = now() where workspace_id = $1 and id = $2"
_DELETE: Final = """
update app set deleted_at = now(), secret_hmac = null where workspace_id = $1 and id = $2 and deleted_at is null
"""
_LOCK: Final = "select pg_advisory_xact_lock(hashtextextended('apps:' || $1::text, 0))"


def require_managing(caller: Caller) -> None:
    """Ensure that the caller may register and change apps of the workspace.

    Raises:
        Forbidden: the role may not.
        InsufficientScope: it is a test key; apps act for real.
    """
    if not roles.may_manage_workspace(caller.role):
        raise problems.Forbidden("Only the owner and admins of a workspace manage its apps.")
    if caller.mode == "test":
        raise problems.InsufficientScope("A test key cannot manage apps: they act for real.")


def _require_valid_addresses(uris: Sequence[str], website_url: str | None) -> None:
    """Ensure that a browser may be sent to the redirect addresses with a code, and that a page may show the other one.

    Raises:
        ValidationFailed: not to all of them.
    """
    issues = [
        Issue(f"/redirectUris/{index}", "not_allowed", reason)
        for index, uri in enumerate(uris)
        if (reason := redirects.why_refused(uri)) is not None
    ]
    if website_url is not None and (reason := redirects.why_refused(website_url)) is not None:
        issues.append(Issue("/websiteUrl", "format", reason))
    if issues:
        raise problems.ValidationFailed(errors=issues)


async def create_app(context: AppContext, db: Db, caller: Caller, data: AppCreate) -> AppWithSecret:
    """Register an app.

    Raises:
        Forbidden, InsufficientScope: the caller may not.
        ValidationFailed: an address cannot be one.
        TooManyItems: the workspace has as many as it can have.
    """
    require_managing(caller)
    _require_valid_addresses(data.redirect_uris, data.website_url)
    await _lock(db, caller.workspace_id)
    if await queries.count_own(db, caller.workspace_id) >= OWN_MAX:
        raise problems.TooManyItems(
            f"This workspace has {OWN_MAX} apps.", remediation="Delete some that are no longer needed."
        )
    now = clock.actual()
    secret = tokens.new_secret(context.keys) if data.type == "confidential" else None
    row = AppRow(
        id=ids.new_id(),
        workspace_id=caller.workspace_id,
        name=data.name,
        website_url=data.website_url,
        redirect_uris=[*dict.fromkeys(data.redirect_uris)],
        auth_method="none" if secret is None else "client_secret_basic",
        secret_hmac=None if secret is None else tokens.hmacs(context.keys, secret)[0],
        created_by=Actor(type="user", id=ids.encode("usr", caller.user_id), name=caller.user_name),
        created_at=now,
        updated_at=now,
    )
    await db.execute(INSERT, *rows.values(row))
    return views.app_with_secret(row, None if secret is None else secret.text)


async def update_app(db: Db, caller: Caller, row: AppRow, data: AppUpdate) -> App:
    """Change an app. What was allowed before goes on.

    Raises:
        Forbidden, InsufficientScope: the caller may not.
        ValidationFailed: an address cannot be one.
    """
    require_managing(caller)
    changes = {name: value for name, value in structs.asdict(data).items() if value is not UNSET}
    _require_valid_addresses(changes.get("redirect_uris", ()), changes.get("website_url"))
    row = structs.replace(row, **changes, updated_at=clock.actual())
    await db.execute(
        _UPDATE, row.workspace_id, row.id, row.name, row.website_url, row.redirect_uris, row.updated_at
    )  # fmt: skip
    return views.app(row)


async def replace_secret(context: AppContext, db: Db, caller: Caller, row: AppRow) -> AppWithSecret:
    """Give an app another secret; the one before stops working.

    Raises:
        Forbidden, InsufficientScope: the caller may not.
        InvalidState: a public app has none.
    """
    require_managing(caller)
    if row.auth_method == "none":
        raise problems.InvalidState("A public app has no secret.", remediation="Register a confidential app instead.")
    secret = tokens.new_secret(context.keys)
    await db.execute(_REPLACE, row.workspace_id, row.id, tokens.hmacs(context.keys, secret)[0])
    return views.app_with_secret(structs.replace(row, updated_at=clock.actual()), secret.text)


async def delete_app(db: Db, caller: Caller, row: AppRow) -> AppDeleted:
    """Delete an app: no token of it works from now on, in any workspace.

    Raises:
        Forbidden, InsufficientScope: the caller may not.
    """
    require_managing(caller)
    await db.execute(_DELETE, row.workspace_id, row.id)
    return AppDeleted(id=ids.encode("app", row.id), deleted=True)


async def _lock(db: Db, workspace_id: UUID) -> None:
    """Let apps of a workspace be registered one after the other, so that no two are the last."""
    await db.execute(_LOCK, str(workspace_id))
