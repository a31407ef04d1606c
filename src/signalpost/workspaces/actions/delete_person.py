"""A person deletes their account: they leave all teams, nothing lets them in any more, and no row has their name."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from signalpost import mail
from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.identity import members, queries
from signalpost.identity.actions import person_deletion
from signalpost.identity.actions.confirm import confirm_person
from signalpost.identity.actions.person_deletion import MembershipRow, PersonRow
from signalpost.identity.errors import InvalidCredentials
from signalpost.identity.login_throttle import LoginThrottle
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.mail.languages.texts import language_of
from signalpost.team import actions as team
from signalpost.web.caller import Caller
from signalpost.web.fields import WorkspaceId
from signalpost.workspaces.actions import delete
from signalpost.workspaces.errors import LastAdministrator, OwnsWorkspaces
from signalpost.workspaces.schemas import MeDelete

ERASE_JOB: Final = "workspaces.erase_people"
NAMED_MAX: Final = 50
"""So many of the workspaces that stand in the way are named at once."""


async def delete_me(context: AppContext, caller: Caller, data: MeDelete) -> None:
    """Delete the account of a person who is signed in; what they made for teams stays there without their name.

    Raises:
        Forbidden: the caller is an API key; or has no password, and signed in more than 15 minutes ago.
        SecondFactorMissing: a workspace that is to be deleted requires a second factor, which the caller does not have.
        ValidationFailed: it is not their e-mail address, or they do not own such a workspace.
        InvalidCredentials, SecondFactorRequired, LoginThrottled: the password or the code is wrong or missing.
        OwnsWorkspaces, LastAdministrator: others would be left without an owner or administrator.
        InvalidState: a subscription would be charged for one of the workspaces; or a team changed meanwhile.
    """
    stored = await confirm_person(context, caller, data.password, data.code)
    async with context.database.transaction() as db:
        _, email = await queries.read_person(db, caller.user_id)
        if data.email.lower() != email.lower():
            raise problems.invalid("email", "not_allowed", "Enter the e-mail address of your account.")
        memberships = await _end_ownership(context, db, caller, data.delete_workspaces)
        person = await person_deletion.lock_person(db, caller.user_id, stored)
        if person is None:
            raise InvalidCredentials("The password was changed meanwhile.")
        if person.is_last_staff:
            raise LastAdministrator("Nobody else administers this installation.")
        if await person_deletion.memberships_of(db, caller.user_id) != memberships:
            raise problems.InvalidState(
                "You have become a member of another workspace meanwhile.", remediation="Repeat the request."
            )
        for membership in memberships:
            if not membership.is_owner:  # else it is a deleted workspace, which keeps its owner until it is erased
                await _leave(context, db, caller, membership)
        await person_deletion.end_person(context, db, person)
        await _mail(context, db, person)
        run_at = clock.actual() + timedelta(seconds=person_deletion.ERASE_AFTER_SECONDS + 1)
        await jobs.enqueue(db, ERASE_JOB, {}, unique_key=ERASE_JOB, run_at=run_at)
    await context.state(LoginThrottle).reset(context.database, person.email)


async def _end_ownership(
    context: AppContext, db: Db, caller: Caller, to_delete: Sequence[WorkspaceId]
) -> list[MembershipRow]:
    """Delete these workspaces; return where the person is a member, which stays so until the transaction ends.

    Teams are locked before people, as by all that changes both.
    """
    owned = {
        row.workspace_id: row
        for row in await person_deletion.memberships_of(db, caller.user_id)
        if row.is_owner and not row.workspace_deleted
    }
    unknown = [
        WorkspaceId.not_found(f"/deleteWorkspaces/{index}")
        for index, workspace_id in enumerate(to_delete)
        if workspace_id not in owned
    ]
    if unknown:
        raise problems.ValidationFailed(errors=unknown)
    if left := [row for workspace_id, row in owned.items() if workspace_id not in to_delete]:
        raise _owns(left)
    for workspace_id in owned:
        await _delete_workspace(context, db, caller, workspace_id)
    for row in await person_deletion.memberships_of(db, caller.user_id):
        await members.lock(db, row.workspace_id)
    memberships = await person_deletion.memberships_of(db, caller.user_id)  # as they are now that all are locked
    if left := [row for row in memberships if row.is_owner and not row.workspace_deleted]:
        raise _owns(left)
    return memberships


def _owns(rows: Sequence[MembershipRow]) -> OwnsWorkspaces:
    named = rows[:NAMED_MAX]
    names = ", ".join(row.workspace_name for row in named)
    return OwnsWorkspaces(
        f"You own {names}." if len(rows) <= NAMED_MAX else f"You own {names}, and others.",
        workspaces=[{"id": ids.encode("wsp", row.workspace_id), "name": row.workspace_name} for row in named],
    )


async def _delete_workspace(context: AppContext, db: Db, caller: Caller, workspace_id: UUID) -> None:
    row = await queries.find_workspace_of(db, caller.user_id, workspace_id)
    if row is None:
        raise problems.InvalidState("A workspace was changed meanwhile.", remediation="Repeat the request.")
    await delete.delete_workspace(context, db, caller, row, row.name)
    subject = ids.encode("wsp", workspace_id)
    actor = audit.user(caller.user_id, None)
    await audit.record(
        db, audit.Entry(workspace_id=workspace_id, action="delete_workspace", actor=actor, subject=subject)
    )


async def _leave(context: AppContext, db: Db, caller: Caller, membership: MembershipRow) -> None:
    """End a membership with all that acts for it, as when someone leaves a team; history says why."""
    subject = ids.encode("usr", caller.user_id)
    actor = audit.user(caller.user_id, None)
    entry = audit.Entry(workspace_id=membership.workspace_id, action="delete_me", actor=actor, subject=subject)
    await audit.record(db, entry)
    row = await members.find_of_user(db, membership.workspace_id, caller.user_id)
    assert row is not None  # noqa: S101 - locked
    await members.remove(context, db, row)
    await team.fit(context, db, membership.workspace_id)


async def _mail(context: AppContext, db: Db, person: PersonRow) -> None:
    """Confirm it to the address that the account had: whoever did not do it learns of it."""
    if context.settings.smtp_url is None:
        return
    values = {"email": person.email, "link": context.fixed_url, "language": language_of(person.locale)}
    await mail.enqueue(db, mail.Message(to=person.email, template="person_deleted", values=values))
