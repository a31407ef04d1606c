"""What the commands of operators do."""

import json
import re
import secrets
from typing import Any
from uuid import UUID

from signalpost.accounts.actions import connect
from signalpost.accounts.schemas import AccountConnect
from signalpost.api_keys import secret_scanning
from signalpost.api_keys.actions import keys as api_keys
from signalpost.api_keys.actions import leaked
from signalpost.audit.actions import record as audit
from signalpost.audit.actions import seal
from signalpost.billing.actions import prices
from signalpost.billing.stripe import Stripe
from signalpost.context import AppContext
from signalpost.identity.actions import passwords, second_factor, sign_up, staff
from signalpost.identity.authenticate import authenticator
from signalpost.identity.queries import plan_in_force
from signalpost.kit import ids, problems
from signalpost.kit.db import Db
from signalpost.kit.machine_zone import machine_zone
from signalpost.mail import actions as outbox
from signalpost.mail.messages import read as read_message
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.plans import queries as plan_queries
from signalpost.web.fields import ProfileId
from signalpost.workspaces.actions import delete


def _checked_email(email: str) -> str:
    if not re.fullmatch(r"[^@\s]{1,64}@[^@\s.]+(\.[^@\s.]+)*", email) or len(email) > 254:
        raise problems.invalid("--email", "format", "Not a valid e-mail address.")
    return email


def _checked_name(option: str, name: str) -> str:
    if not 1 <= len(name.strip()) <= 100:
        raise problems.invalid(option, "too_long", "Must have 1 to 100 characters.")
    return name.strip()


async def find_workspace(db: Db, text: str) -> tuple[UUID, UUID]:
    """Return the ids of the workspace with this id, slug or name, and of its owner."""
    rows = await db.fetch(
        "select w.id, m.user_id from workspace w join member m on m.workspace_id = w.id and m.role = 'owner'"
        " and m.status = 'active' where w.deleted_at is null and (w.id = $1 or w.slug = $2 or w.name = $2) limit 2",
        ids.decode("wsp", text),
        text,
    )
    if len(rows) != 1:
        count = "Several workspaces are" if rows else "No workspace is"
        raise problems.NotFound(f"{count} called {text!r}. Use the id of the workspace (wsp_…).")
    return rows[0]["id"], rows[0]["user_id"]


async def create_owner(
    context: AppContext, email: str, password: str, workspace: str, timezone: str | None
) -> dict[str, Any]:
    """Create a user, a workspace, a profile and a live key with every scope."""
    name = _checked_name("--workspace", workspace)
    async with context.database.transaction() as db:
        owner = await sign_up.create_owner(
            context, db, email=_checked_email(email), password=password, workspace_name=name,
            timezone=timezone,
        )  # fmt: skip
        _, key = await api_keys.create_key_for(
            db, context.keys, user_id=owner.user_id, workspace_id=owner.workspace_id, name="First key"
        )
        await audit.command(db, "create-owner", workspace_id=owner.workspace_id)
    return {
        "userId": ids.encode("usr", owner.user_id),
        "workspaceId": ids.encode("wsp", owner.workspace_id),
        "profileId": ids.encode("prof", owner.profile_id),
        "timezone": timezone or "UTC",
        "apiKey": key,
    }


async def create_key(context: AppContext, workspace: str, name: str, mode: str) -> dict[str, Any]:
    """Create a key of the workspace's owner."""
    if mode not in ("live", "test"):
        raise problems.invalid("--mode", "not_allowed", "Must be live or test.")
    name = _checked_name("--name", name)
    async with context.database.transaction() as db:
        workspace_id, owner_id = await find_workspace(db, workspace)
        row, key = await api_keys.create_key_for(
            db, context.keys, user_id=owner_id, workspace_id=workspace_id, name=name,
            terms=api_keys.KeyTerms(mode="live" if mode == "live" else "test"),
        )  # fmt: skip
        await audit.command(db, "keys create", workspace_id=workspace_id, subject=ids.encode("key", row.id))
        warning = await _beyond_the_plan(context, db, workspace_id)
    result = {"id": ids.encode("key", row.id), "workspaceId": ids.encode("wsp", workspace_id), "apiKey": key}
    return result if warning is None else result | {"warning": warning}


async def _beyond_the_plan(context: AppContext, db: Db, workspace_id: UUID) -> str | None:
    """Return a sentence if the plan does not cover the newest key of the workspace, which is refused then."""
    row = await plan_queries.plan_of(db, workspace_id)
    plan = plan_in_force(context.settings, row[1]) if row else limits.SELF_HOSTED
    maximum = limits.API_KEYS.of(plan)
    if maximum is None or await plan_queries.count(db, workspace_id, limits.API_KEYS) <= maximum:
        return None
    return (
        f"The plan {plan} covers {maximum} API keys, and this one is beyond them: requests with it are refused with 401"
        " until older keys are revoked (`keys list`, `keys revoke`) or the plan is larger (`plans set`)."
    )


async def revoke_key(context: AppContext, key_id: str) -> list[str]:
    """Revoke a key and the keys that it created; return the ids of those that were valid until now."""
    decoded = ids.decode("key", key_id)
    async with context.database.transaction() as db:
        revoked = await api_keys.revoke_key(db, decoded) if decoded else []
    if not revoked:
        raise problems.NotFound(f"There is no valid key {key_id!r}. `keys list` shows their ids (key_...).")
    return [ids.encode("key", key) for key in revoked]


async def revoke_leaked(context: AppContext, text: str) -> dict[str, Any]:
    """Revoke every key of this instance that stands in a text, and mail its people."""
    keys = secret_scanning.find(text)
    result = await leaked.revoke_leaked(context, keys, source="The operator")
    return {"found": len(keys), "revoked": [ids.encode("key", key) for key in result.keys], "unknown": result.unknown}


_DEMO = """
select u.id as user_id, w.id as workspace_id, p.id as profile_id from app_user u
join member m on m.user_id = u.id and m.role = 'owner' and m.status = 'active'
join workspace w on w.id = m.workspace_id and w.deleted_at is null
join profile p on p.workspace_id = w.id and p.is_default and p.deleted_at is null
where u.email like 'demo-%@example.invalid' and u.password_hash is null
order by w.id desc limit 1
"""


async def _create_demo(context: AppContext, db: Db) -> tuple[UUID, UUID, UUID]:
    """Create the user, workspace and profile of the demo. No password: the first-run link waits for the first user."""
    suffix = secrets.token_hex(4)
    user_id = await sign_up.create_user(db, email=f"demo-{suffix}@example.invalid", password_hash=None)
    workspace_id, profile_id = await sign_up.create_workspace(
        context, db, user_id=user_id, name=f"Demo {suffix}", timezone=machine_zone()
    )
    return user_id, workspace_id, profile_id


async def demo(context: AppContext) -> dict[str, Any]:
    """Create a workspace with a sandbox account, or find the one that was made before; a new test key for it."""
    async with context.database.transaction() as db:
        row = await db.fetchrow(_DEMO)
        user_id, workspace_id, profile_id = row or await _create_demo(context, db)
        _, key = await api_keys.create_key_for(
            db, context.keys, user_id=user_id, workspace_id=workspace_id, name="Demo",
            terms=api_keys.KeyTerms(mode="test"),
        )  # fmt: skip
    caller = await authenticator(context)(key, None, "127.0.0.1")
    data = AccountConnect(profile_id=ProfileId(int=profile_id.int), fields={"username": "demo"})
    account = await connect.connect_account(context, caller, "sandbox", data)
    return {
        "workspaceId": ids.encode("wsp", workspace_id),
        "profileId": ids.encode("prof", profile_id),
        "accountId": account.id,
        "apiKey": key,
    }


def status_curl(base_url: str, workspace: dict[str, Any]) -> str:
    """Return the command that reads the status of a post."""
    return f"curl {base_url}/api/v1/posts/POST_ID/status -H 'Authorization: Bearer {workspace['apiKey']}'"


def demo_curl(base_url: str, workspace: dict[str, Any]) -> str:
    """Return the command that publishes a post to the sandbox."""
    body = {"profileId": workspace["profileId"], "text": "Hello from Signalpost", "platforms": ["sandbox"]}
    return (
        f"curl {base_url}/api/v1/posts -H 'Authorization: Bearer {workspace['apiKey']}'"
        f" -H 'Content-Type: application/json' -d '{json.dumps(body)}'"
    )


async def reset_password(context: AppContext, email: str, password: str) -> None:
    """Set a password and end the user's sessions."""
    async with context.database.transaction() as db:
        await passwords.reset_password(context, db, email=email, password=password)


async def reset_totp(context: AppContext, email: str) -> None:
    """End the second factor of a user."""
    async with context.database.transaction() as db:
        await second_factor.reset_second_factor(db, email)


async def add_staff(context: AppContext, email: str) -> None:
    """Make a user a member of the staff."""
    async with context.database.transaction() as db:
        await staff.make_staff(context, db, email)


async def set_plan(context: AppContext, workspace: str, plan: str) -> None:
    """Change the plan of a workspace."""
    if plan not in limits.PLANS:
        raise problems.invalid("--plan", "not_allowed", f"Must be one of {', '.join(limits.PLANS)}.")
    async with context.database.transaction() as db:
        workspace_id, _ = await find_workspace(db, workspace)
        await plans.change_plan(context, db, workspace_id, plan)
        await audit.command(db, "plans set", workspace_id=workspace_id, subject=plan)


async def synchronise_prices(context: AppContext) -> dict[str, str]:
    """Make products and prices at Stripe what the catalogue says."""
    done = await prices.synchronise(Stripe(context))
    async with context.database.transaction() as db:
        await audit.command(db, "billing sync")
    return done


_DELETED = "select id from workspace where deleted_at is not null and erased_at is null and (id = $1 or slug = $2)"


async def restore_workspace(context: AppContext, workspace: str, owner: str | None = None) -> None:
    """Give a deleted workspace back to its members; to another owner, if the one it had deleted their account, too."""
    async with context.database.transaction() as db:
        workspace_id = await db.fetchval(_DELETED, ids.decode("wsp", workspace), workspace)
        if workspace_id is None:
            raise problems.NotFound(f"There is no deleted workspace {workspace!r}. Use its id (wsp_...) or slug.")
        await delete.restore_workspace(context, db, workspace_id, owner=owner)
        await audit.command(db, "workspaces restore", workspace_id=workspace_id)


async def show_mail(context: AppContext, message_id: str) -> str:
    """Return a message that was not sent. This becomes history, since the message may contain a link that signs in."""
    decoded = UUID(message_id) if re.fullmatch("[0-9a-f]{32}", message_id) else None
    async with context.database.transaction() as db:
        message = await outbox.find(context, db, decoded) if decoded else None
        if message is None:
            raise problems.NotFound(f"There is no unsent message {message_id!r}. `mail list` shows them.")
        await audit.command(db, "mail show", subject=message_id)
    subject, text = read_message(message, context.keys, context.fixed_url)
    return f"To: {message.to}\nSubject: {subject}\n\n{text}"


async def verify_history(context: AppContext, workspace: str | None) -> dict[str, Any]:
    """Compare the history of one workspace, or of all and the installation, with its seals."""
    async with context.database.connection() as db:
        if workspace is None:
            chains = [audit.INSTALLATION, *await seal.workspaces(db)]
        else:
            chains = [(await find_workspace(db, workspace))[0]]
        results = {chain: await seal.verify(db, chain) for chain in chains}
    return {
        "installation" if chain == audit.INSTALLATION else ids.encode("wsp", chain): _verdict(verification)
        for chain, verification in results.items()
        if verification.sealed or verification.unsealed or workspace is not None
    }


def _verdict(verification: seal.Verification) -> str:
    sealed = f"{verification.sealed} {'entry' if verification.sealed == 1 else 'entries'} sealed"
    entries = f"{sealed}, {verification.unsealed} not yet; newest seal"
    head = f"{entries} {verification.last_seq}:{verification.head}" if verification.sealed else entries + " none"
    if verification.broken_id is None:
        return f"ok, {head}"
    entry, what = ids.encode("aud", verification.broken_id), "is missing" if verification.missing else "was changed"
    return f"PROBLEM: broken at {verification.broken_at}: entry {entry} {what}, or its seal was; {head}"
