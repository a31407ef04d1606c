"""Writes: invite, change, suspend and remove members; pass on the ownership. Changes of a team happen one by one."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from msgspec import UNSET

from signalpost import mail
from signalpost.billing.actions import ownership
from signalpost.context import AppContext
from signalpost.identity import members, queries, roles, tokens
from signalpost.identity.actions import sign_up
from signalpost.identity.errors import TestModeOnlySandbox
from signalpost.identity.members import MemberRow, NewInvite
from signalpost.kit import problems
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.profiles import queries as profile_queries
from signalpost.team import states, views
from signalpost.team.errors import LastOwner
from signalpost.team.schemas import InvitedMember, Member, MemberInvite, RoleUpdate
from signalpost.web.caller import Caller, Role
from signalpost.web.fields import MemberId, ProfileId
from signalpost.web.inputs import deleted_meanwhile

OPEN_INVITES_MAX: Final = 500
INVITES_PER_HOUR: Final = 100
MAILS_PER_HOUR: Final = 3
"""To one mailbox: renewing an invitation is not a way to flood it."""
NEW_OWNER_MAILS_PER_DAY: Final = 5
"""To people who share no workspace with an owner that registered lately and pays nothing."""
_UNPAID: Final = frozenset({"free", "self_hosted"})
_TEMPLATE: Final = "team_invite"


async def invite_member(context: AppContext, db: Db, caller: Caller, data: MemberInvite) -> InvitedMember:
    """Write an invitation, or renew the one that waits, and mail its link.

    Raises:
        Forbidden, InsufficientScope: the caller may not give this role, or not these profiles.
        ValidationFailed: unknown profiles.
        AlreadyExists: the address belongs to a member.
        PlanLimitReached, TooManyItems, RateLimited: one more is too many.
    """
    _require_live(caller)
    _require_grantable(caller, data.role)
    await _require_profiles(db, caller, data.profile_ids)
    await members.lock(db, caller.workspace_id)
    existing = await members.find_by_email(db, caller.workspace_id, data.email)
    if existing is not None and existing.status in ("active", "suspended"):
        raise problems.AlreadyExists(
            f"{data.email} is a member of this workspace already.",
            errors=[Issue("/email", "not_unique", "Belongs to a member of this workspace.")],
            remediation="Change the role with `PATCH /team/{id}`.",
        )
    if existing is not None:
        _require_manageable(caller, existing)
    if existing is None or existing.status == "expired":
        await plans.require_capacity(db, caller, limits.MEMBERS)
    await _require_moderation(db, caller.workspace_id)
    new = NewInvite(
        email=data.email,
        role=data.role,
        profile_ids=_unique(data.profile_ids),
        message=data.message or None,
        invited_by=caller.user_id,
        key_id=caller.key_id,
    )
    member_id = await members.write_invite(db, caller.workspace_id, new)
    row = await members.find(db, caller, member_id)
    assert row is not None  # noqa: S101 - written above
    emailed = data.send_email and context.settings.smtp_url is not None
    if data.send_email:
        emailed = await _mail_invite(context, db, caller, row) and emailed
    url = f"{context.base_url}/invites/{tokens.invite_token(context.keys, row.id)}"
    return views.invited_member(caller, row, invite_url=url, emailed=emailed)


async def _mail_invite(context: AppContext, db: Db, caller: Caller, row: MemberRow) -> bool:
    """Mail the link. It is another one than the inviter sees: who opens it has read the mailbox."""
    if await mail.count_lately(db, caller.workspace_id, row.email, _TEMPLATE) >= MAILS_PER_HOUR:
        return False
    workspace = await queries.find_my_workspace(db, caller, caller.workspace_id)
    link = f"{context.fixed_url}/invites/{tokens.invite_token(context.keys, row.id, mailed=True)}"
    values = {
        "workspace": workspace.name if workspace else "",
        "inviter": caller.user_name,
        "role": row.role,
        "days": members.INVITE_LIFETIME.days,
        "lines": (row.message or "").splitlines(),
    }
    message = mail.Message(
        to=row.email, template=_TEMPLATE, values=values, secrets=mail.seal(context.keys, {"link": link})
    )
    owner_id = await members.owner_of(db, caller.workspace_id)
    is_new = context.settings.registration == "open" and caller.plan in _UNPAID and await members.is_new(db, owner_id)
    per_day = NEW_OWNER_MAILS_PER_DAY if is_new else None
    return await mail.enqueue(
        db,
        message,
        workspace_id=caller.workspace_id,
        owner_id=owner_id,
        per_day=per_day,
        sender_id=caller.user_id,
    )


async def update_member(context: AppContext, db: Db, caller: Caller, seen: MemberRow, data: RoleUpdate) -> Member:
    """Change role, profiles or status of a member.

    Raises:
        LastOwner: it is the owner.
        Forbidden, InsufficientScope: the member has an equal or higher role, or would get one; or a key would give
            rights that it lacks.
        InvalidState: an invitation can be neither suspended nor accepted for someone.
        ValidationFailed: unknown profiles.
    """
    row = await _lock_manageable(db, caller, seen)
    if data.role is not UNSET:
        row.role = data.role
    if data.role is not UNSET or data.profile_ids is not UNSET or data.status == "active":
        _require_grantable(caller, row.role)
    if data.profile_ids is not UNSET:
        await _require_profiles(db, caller, data.profile_ids)
        row.profile_ids = _unique(data.profile_ids)
    if data.status is not UNSET and data.status != row.status:
        if row.status == "invited" or not states.may_move(row.status, data.status):
            raise problems.InvalidState(
                f"This is an invitation, which cannot become {data.status}.",
                remediation="The invited person accepts it; `DELETE /team/{id}` takes it back.",
            )
        row.status = data.status
    await members.update(context, db, row)
    return views.member(caller, row)


async def remove_member(context: AppContext, db: Db, caller: Caller, seen: MemberRow) -> None:
    """Remove a member with their API keys, or take an invitation back. What the member made stays.

    Raises:
        LastOwner: it is the owner.
        Forbidden: the member has an equal or higher role.
    """
    await members.remove(context, db, await _lock_manageable(db, caller, seen))
    await fit(context, db, caller.workspace_id)


async def leave_team(context: AppContext, db: Db, caller: Caller) -> None:
    """End the caller's own membership.

    Raises:
        Forbidden: the caller is an API key.
        LastOwner: the caller owns the workspace.
    """
    await members.lock(db, caller.workspace_id)
    await members.remove(context, db, await _own_membership(db, caller, "leave a workspace", owner=False))
    await fit(context, db, caller.workspace_id)


async def transfer_ownership(context: AppContext, db: Db, caller: Caller, member_id: UUID) -> Member:
    """Make another member the owner, and the caller an admin.

    Raises:
        Forbidden: the caller does not own the workspace, or is an API key.
        ValidationFailed: there is no such member.
        InvalidState: the member is not active.
        FreeWorkspacesReached: the plan is free, and the successor owns as many of these as one may.
        BillingActive: a card would be charged for someone else's workspace.
    """
    await ownership.lock(db, caller.workspace_id)  # billing, then members: everyone locks in this order
    await members.lock(db, caller.workspace_id)
    mine = await _own_membership(db, caller, "transfer the ownership", owner=True)
    row = await members.find(db, caller, member_id)
    if row is None:
        raise problems.ValidationFailed(errors=[MemberId.not_found("/memberId")])
    if row.id == mine.id or row.status != "active" or row.user_id is None:
        raise problems.InvalidState(
            "Only another active member can become the owner.", remediation="`GET /team` shows who is active."
        )
    await ownership.require_movable(db, caller.workspace_id)
    if (await queries.workspace_terms(context.settings, db, caller.workspace_id)).plan == "free":
        await sign_up.require_free_place(context, db, row.user_id)
    await members.transfer(context, db, mine, row)
    await ownership.moved(context, db, mine, row)
    return views.member(caller, row)


async def fit(context: AppContext, db: Db, workspace_id: UUID) -> None:
    """Have the newest members beyond what the plan covers act as viewers; the owner is the last to be one."""
    plan = (await queries.workspace_terms(context.settings, db, workspace_id)).plan
    await members.fit(context, db, workspace_id, limits.MEMBERS.of(plan))


async def _own_membership(db: Db, caller: Caller, what: str, *, owner: bool) -> MemberRow:
    """Return the caller's membership as it is now, if it is (or is not) that of the owner."""
    if caller.auth != "session":
        raise problems.Forbidden(
            f"An API key cannot {what}.", remediation="Sign in with `POST /auth/login` and send its access token."
        )
    row = await members.find_of_user(db, caller.workspace_id, caller.user_id)
    if row is None or row.status != "active":
        raise problems.Forbidden("You are no longer a member of this workspace.")
    if owner and row.role != "owner":
        raise problems.Forbidden(f"Only the owner can {what}.")
    if not owner and row.role == "owner":
        raise _last_owner()
    return row


async def _lock_manageable(db: Db, caller: Caller, seen: MemberRow) -> MemberRow:
    """Return the row as it is now, if the caller may change it; it stays so until the transaction ends."""
    _require_live(caller)
    await members.lock(db, caller.workspace_id)
    row = await members.find(db, caller, seen.id)
    if row is None:
        raise deleted_meanwhile(MemberId, seen.id)
    _require_manageable(caller, row)
    return row


def _require_manageable(caller: Caller, row: MemberRow) -> None:
    if row.role == "owner" and row.user_id == caller.user_id:
        raise _last_owner()
    if not roles.outranks(caller.role, row.role):
        raise problems.Forbidden(
            f"The role {caller.role} cannot change a member with the role {row.role}.",
            remediation="Members with a higher role can. `POST /team/leave` ends your own membership.",
        )
    if not _covers(caller, row.profile_ids):
        raise problems.Forbidden("The member sees more profiles than you.")


def _require_grantable(caller: Caller, role: Role) -> None:
    """Refuse to give more than the caller has: a key that could would be a way around its scopes."""
    if not roles.outranks(caller.role, role):
        raise problems.Forbidden(f"The role {caller.role} cannot give the role {role}; it must be below your own.")
    if caller.auth == "api_key" and (missing := sorted(roles.SCOPES_OF[role] - caller.scopes)):
        raise problems.InsufficientScope(f"This API key cannot give a role that includes {missing[0]}, which it lacks.")


async def _require_profiles(db: Db, caller: Caller, profile_ids: Sequence[UUID] | None) -> None:
    """Refuse profiles that the caller does not see, and all of them if the caller sees only some."""
    if profile_ids is None:
        if caller.profile_ids is not None:
            raise problems.Forbidden("You see only some profiles, so name those that the member will see.")
        return
    existing = await profile_queries.existing_profiles(db, caller, profile_ids)
    issues = [
        ProfileId.not_found(f"/profileIds/{index}")
        for index, profile_id in enumerate(profile_ids)
        if profile_id not in existing
    ]
    if issues:
        raise problems.ValidationFailed(errors=issues)


def _unique(profile_ids: Sequence[UUID] | None) -> list[UUID] | None:
    return None if profile_ids is None else [*dict.fromkeys(profile_ids)]


def _covers(caller: Caller, profile_ids: Sequence[UUID] | None) -> bool:
    if caller.profile_ids is None:
        return True
    return profile_ids is not None and caller.profile_ids.issuperset(profile_ids)


async def _require_moderation(db: Db, workspace_id: UUID) -> None:
    lately, waiting = await members.count_invites(db, workspace_id)
    if lately >= INVITES_PER_HOUR:
        raise problems.RateLimited(
            f"A workspace can invite {INVITES_PER_HOUR} people in an hour.", headers={"Retry-After": "3600"}
        )
    if waiting >= OPEN_INVITES_MAX:
        raise problems.TooManyItems(
            f"A workspace can have {OPEN_INVITES_MAX} open invitations.", remediation="Take some back first."
        )


def _require_live(caller: Caller) -> None:
    if caller.mode != "live":
        raise TestModeOnlySandbox("A test key cannot change the team.", remediation="Use a live key.")


def _last_owner() -> LastOwner:
    return LastOwner("You own this workspace, which cannot be without an owner.")
