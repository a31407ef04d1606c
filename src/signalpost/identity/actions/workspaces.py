"""A workspace's name, time zone, redirect addresses and plan."""

import ipaddress
from urllib.parse import urlsplit
from uuid import UUID

from signalpost.context import AppContext
from signalpost.identity import roles
from signalpost.identity.caller_cache import CallerCache
from signalpost.identity.queries import WorkspaceRow
from signalpost.kit import problems
from signalpost.kit.db import Db
from signalpost.web.caller import Caller


def require_second_factor(caller: Caller, row: WorkspaceRow) -> None:
    """Ensure that the caller has what this workspace requires: it may be another than that of the request.

    Raises:
        SecondFactorMissing: it requires a second factor, which the caller does not have.
    """
    if not caller.has_second_factor and roles.needs_second_factor(row.role, row.second_factor):
        raise problems.SecondFactorMissing("That workspace requires a second factor of you, and you have none.")


_SET_PLAN = "update workspace set plan = $2, updated_at = now() where id = $1"


async def set_plan(context: AppContext, db: Db, workspace_id: UUID, plan: str) -> None:
    """Move a workspace to another plan. The caller has checked that there is such a plan."""
    await db.execute(_SET_PLAN, workspace_id, plan)
    context.state(CallerCache).invalidate(workspace_id)


def may_redirect_to(url: str) -> bool:
    """Whether a browser may be sent there at the end of an authorization flow."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    if not host or not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        return False
    if parts.fragment or url.endswith("#") or "@" in parts.netloc:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(host))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
