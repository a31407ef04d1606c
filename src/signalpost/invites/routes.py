from typing import Annotated, Any

from signalpost.accounts.errors import PlatformError, PlatformNotConfigured, PlatformTimeout
from signalpost.context import AppContext
from signalpost.identity.errors import InviteExpired, InviteRevoked, InviteUsed, PlanLimitReached, TestModeOnlySandbox
from signalpost.invites import queries, views
from signalpost.invites.actions import guest, manage
from signalpost.invites.queries import InviteRow
from signalpost.invites.schemas import (
    ConnectQuery,
    CreatedPlatformInvite,
    InviteAuthorization,
    InviteListQuery,
    InviteValidation,
    PlatformInvite,
    PlatformInviteCreate,
)
from signalpost.kit.db import Db
from signalpost.kit.problems import HostNotFound, NotFound, UnsafeAddress
from signalpost.kit.wire import Listing
from signalpost.plans.errors import PlanFeatureUnavailable
from signalpost.profiles.errors import ProfileArchived
from signalpost.web.caller import PUBLIC, Caller
from signalpost.web.fields import PlatformInviteId
from signalpost.web.inputs import Mine, Segment, require_profile
from signalpost.web.paging import Page
from signalpost.web.request import Request, accepts_html
from signalpost.web.routing import RawResponse, Routes

routes = Routes("Platform invites")

MyInvite = Annotated[InviteRow, Mine(PlatformInviteId, queries.find_mine)]
PathToken = Annotated[str, Segment("token", "The token of the invitation.", "q7Jx2mV0dC9pXn4bR8sT1w")]
HTML = "text/html; charset=utf-8"
PAGE: dict[str, Any] = {"text/html": {"schema": {"type": "string", "description": "A page, for a browser."}}}


@routes.post(
    "/platform-invites",
    scope="invites:write",
    raises=(PlatformNotConfigured, PlanLimitReached, PlanFeatureUnavailable, ProfileArchived, TestModeOnlySandbox),
)
async def create_platform_invite(
    context: AppContext, db: Db, caller: Caller, data: PlatformInviteCreate
) -> CreatedPlatformInvite:
    """Invite someone to connect their accounts. Send them `url`; they need no account here and see nothing else.

    The link and its token are in this response only.
    """
    return await manage.create_invite(context, db, caller, data)


@routes.get("/platform-invites", scope="invites:write")
async def list_platform_invites(
    context: AppContext, db: Db, caller: Caller, query: InviteListQuery, page: Page
) -> Listing[PlatformInvite]:
    """List invitations, newest first, ended ones included."""
    rows = await queries.visible(db, caller, query.profile_id, page)
    if not rows:
        await require_profile(context, db, caller, query.profile_id)
    return page.of(rows, views.invite)


@routes.delete("/platform-invites/{id}", scope="invites:write", status=204)
async def revoke_platform_invite(invite: MyInvite, db: Db) -> None:
    """Withdraw an invitation. Accounts that were connected by it stay. Repeating this request changes nothing."""
    await manage.revoke_invite(db, invite)


@routes.get("/platform-invites/{token}/validate", scope=PUBLIC, raises=(NotFound,))
async def validate_platform_invite(token: PathToken, context: AppContext) -> InviteValidation:
    """Say what an invitation is about, and whether it still works. This never uses it up."""
    return views.validation(context, await guest.find(context, token))


@routes.get(
    "/platform-invites/{token}/connect",
    scope=PUBLIC,
    raises=(
        NotFound,
        InviteExpired,
        InviteRevoked,
        InviteUsed,
        PlatformNotConfigured,
        PlatformError,
        PlatformTimeout,
        HostNotFound,
        UnsafeAddress,
    ),
    documented_response=PAGE,
)
async def connect_platform_invite(
    token: PathToken, context: AppContext, query: ConnectQuery, request: Request
) -> InviteAuthorization | RawResponse:
    """Begin to connect one of the invited accounts. Send the guest to `authUrl`, which works for ten minutes.

    Repeating this is harmless: the invitation counts accounts, not visits. A browser gets the invitation's page.
    """
    if accepts_html(request):
        row = await guest.find(context, token)
        title, url = f"Connect accounts to {row.profile_name}", views.page_url(context, token)
        page = await context.hooks.render_page(context, title=title, text=row.message or "", continue_url=url)
        return RawResponse(page.body, HTML, headers=page.headers)
    return await guest.begin(context, token, query)
