from typing import Annotated

from signalpost.billing.errors import BillingActive
from signalpost.context import AppContext
from signalpost.identity import members
from signalpost.identity.errors import (
    FreeWorkspacesReached,
    InvalidCredentials,
    InviteExpired,
    InviteRevoked,
    InviteUsed,
    KeyRevoked,
    LoginThrottled,
    PlanLimitReached,
    RegistrationClosed,
    SecondFactorRequired,
    TestModeOnlySandbox,
    TokenExpired,
)
from signalpost.identity.members import MemberRow
from signalpost.kit.db import Db
from signalpost.kit.problems import (
    AlreadyExists,
    Forbidden,
    InsufficientScope,
    InvalidState,
    NotFound,
    TooManyItems,
    Unauthenticated,
)
from signalpost.kit.wire import Listing
from signalpost.plans.errors import PlanFeatureUnavailable
from signalpost.team import actions, invites, views
from signalpost.team.errors import LastOwner
from signalpost.team.schemas import (
    AcceptedInvite,
    InviteAccept,
    InvitedMember,
    Member,
    MemberInvite,
    OwnershipTransfer,
    RoleUpdate,
)
from signalpost.web.caller import PUBLIC, SIGNED_IN, Caller
from signalpost.web.fields import MemberId
from signalpost.web.inputs import Mine, Segment
from signalpost.web.paging import LIST_ALL, Page
from signalpost.web.request import ClientAddress, Request
from signalpost.web.routing import Routes

routes = Routes("Team")

MyMember = Annotated[MemberRow, Mine(MemberId, members.find)]
Token = Annotated[str, Segment("token", "The token at the end of `inviteUrl`.", "AZ2kq7d0cK-7v1fEo3mZkw…")]
_ENDED = (NotFound, InviteExpired, InviteRevoked, InviteUsed)


@routes.get("/team", scope="team:read", limit_default=LIST_ALL)
async def list_team(db: Db, caller: Caller, page: Page) -> Listing[Member]:
    """List members, suspended members and open invitations: the owner first, then the newest."""
    rows = await members.page_of(db, caller, page)
    return page.of(rows, lambda row: views.member(caller, row), position=lambda row: (row.listed_at, row.id))


@routes.post(
    "/team/invite",
    scope="team:write",
    raises=(
        AlreadyExists, Forbidden, InsufficientScope, PlanLimitReached, PlanFeatureUnavailable, TestModeOnlySandbox,
        TooManyItems,
    ),
)  # fmt: skip
async def invite_member(db: Db, caller: Caller, context: AppContext, data: MemberInvite) -> InvitedMember:
    """Invite someone to the workspace, by mail and by a link to pass on. It expires after seven days.

    Inviting the same address again renews the invitation, with the new role; its link stays the same. Nobody gives a
    role that is not below their own, or profiles that they do not see.
    """
    return await actions.invite_member(context, db, caller, data)


@routes.patch(
    "/team/{id}",
    scope="team:write",
    raises=(Forbidden, InsufficientScope, InvalidState, LastOwner, TestModeOnlySandbox),
)
async def update_member(member: MyMember, db: Db, caller: Caller, context: AppContext, data: RoleUpdate) -> Member:
    """Change the role, profiles or status of a member, or role and profiles of an invitation.

    Sessions and API keys of the member have the new rights at once. Nobody changes a member with an equal or higher
    role.
    """
    return await actions.update_member(context, db, caller, member, data)


@routes.delete("/team/{id}", scope="team:write", status=204, raises=(Forbidden, LastOwner, TestModeOnlySandbox))
async def remove_member(member: MyMember, db: Db, caller: Caller, context: AppContext) -> None:
    """Remove a member, or take an invitation back.

    The member's API keys in this workspace are revoked; what the member made stays.
    """
    await actions.remove_member(context, db, caller, member)


@routes.post("/team/leave", scope=SIGNED_IN, status=204, before_second_factor=True, raises=(Forbidden, LastOwner))
async def leave_team(db: Db, caller: Caller, context: AppContext) -> None:
    """End your own membership in this workspace, with your API keys. The owner transfers the ownership first.

    API keys cannot do this.
    """
    await actions.leave_team(context, db, caller)


@routes.post(
    "/team/transfer",
    scope=SIGNED_IN,
    status=200,
    across_workspaces=True,
    raises=(BillingActive, Forbidden, FreeWorkspacesReached, InvalidState),
)
async def transfer_ownership(db: Db, caller: Caller, context: AppContext, data: OwnershipTransfer) -> Member:
    """Make another active member the owner of this workspace. You become an admin. API keys cannot do this.

    While a subscription renews, this is refused: your card would pay for someone else's workspace. End it with its
    period, or offer the payments too, with `POST /billing/handover`. Both of you get a mail when the ownership moved.
    """
    return await actions.transfer_ownership(context, db, caller, data.member_id)


@routes.post(
    "/team/invites/{token}/accept",
    scope=PUBLIC,
    bucket="login",
    status=200,
    across_workspaces=True,
    history="action",
    raises=(
        *_ENDED, AlreadyExists, Forbidden, InvalidCredentials, KeyRevoked, LoginThrottled, RegistrationClosed,
        SecondFactorRequired, TokenExpired, Unauthenticated,
    ),
)  # fmt: skip
async def accept_team_invite(
    token: Token, context: AppContext, request: Request, address: ClientAddress, data: InviteAccept
) -> AcceptedInvite:
    """Accept an invitation: with `{}` and an access token of the invited user, or with a password.

    Without an access token, the password is that of the user with the invited address; if there is none yet, one is
    created with `name` and `password`. The response then contains tokens.
    """
    scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
    signed_in = bearer.strip() if scheme.lower() == "bearer" else None
    return await invites.accept(context, token, data, bearer=signed_in or None, address=address)


@routes.post(
    "/team/invites/{token}/decline",
    scope=PUBLIC,
    bucket="login",
    status=204,
    across_workspaces=True,
    history="action",
    raises=_ENDED,
)
async def decline_team_invite(token: Token, db: Db, context: AppContext) -> None:
    """Decline an invitation. It can no longer be accepted; another one may follow."""
    await invites.decline(context, db, token)
