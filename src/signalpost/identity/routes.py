from typing import Annotated

from signalpost.context import AppContext
from signalpost.identity import actions, queries, views
from signalpost.identity.errors import (
    InvalidCredentials,
    LoginThrottled,
    PlanLimitReached,
    RegistrationClosed,
    TokenExpired,
)
from signalpost.identity.queries import KeyRow, WorkspaceRow
from signalpost.identity.schemas import (
    Accepted,
    ApiKey,
    ApiKeyRevocation,
    CreateApiKey,
    CreateWorkspace,
    ForgotPassword,
    LoggedIn,
    Login,
    Me,
    NewApiKey,
    Refresh,
    Refreshed,
    Register,
    Registered,
    ResetPassword,
    UpdateWorkspace,
    Workspace,
)
from signalpost.kit.db import Db
from signalpost.kit.problems import AlreadyExists, Forbidden, InsufficientScope, InvalidState, TooManyItems
from signalpost.kit.wire import Listing
from signalpost.web.caller import PUBLIC, SIGNED_IN, Caller
from signalpost.web.fields import ApiKeyId, WorkspaceId
from signalpost.web.inputs import Mine
from signalpost.web.paging import LIST_ALL, Page
from signalpost.web.routing import Routes

routes = Routes("Identity")

MyKey = Annotated[KeyRow, Mine(ApiKeyId, queries.find_my_key)]
MyWorkspace = Annotated[WorkspaceRow, Mine(WorkspaceId, queries.find_my_workspace)]


@routes.post("/auth/register", scope=PUBLIC, bucket="login", raises=(RegistrationClosed, AlreadyExists))
async def register(context: AppContext, data: Register) -> Registered:
    """Make a user, a workspace with a default profile, and sign in.

    Refused unless the operator set SIGNALPOST_REGISTRATION to `open`.
    """
    return await actions.register(context, data)


@routes.post(
    "/auth/login", scope=PUBLIC, bucket="login", status=200, raises=(InvalidCredentials, LoginThrottled, Forbidden)
)
async def login(context: AppContext, data: Login) -> LoggedIn:
    """Sign in with e-mail and password."""
    return await actions.login(context, data)


@routes.post("/auth/refresh", scope=PUBLIC, status=200, raises=(InvalidCredentials, TokenExpired, Forbidden))
async def refresh(context: AppContext, data: Refresh) -> Refreshed:
    """Exchange a refresh token for an access token and the next refresh token.

    Every refresh token works once. Using one again ends the session, since then two parties hold it; only a repeat
    within 30 seconds, by a client that lost the answer, gets the same refresh token again.
    """
    return await actions.refresh(context, data.refresh_token)


@routes.post("/auth/logout", scope=SIGNED_IN, status=204, raises=(InvalidState,))
async def logout(context: AppContext, db: Db, caller: Caller) -> None:
    """End the session: its access and refresh tokens stop working."""
    await actions.logout(context, db, caller)


@routes.post("/auth/password/forgot", scope=PUBLIC, bucket="login", status=202)
async def forgot_password(db: Db, context: AppContext, data: ForgotPassword) -> Accepted:
    """Have a link to choose a new password sent, if there is such a user. The answer does not tell."""
    await actions.forgot_password(db, context.settings, data)
    return Accepted()


@routes.post("/auth/password/reset", scope=PUBLIC, bucket="login", status=204, raises=(InvalidCredentials,))
async def reset_password(context: AppContext, data: ResetPassword) -> None:
    """Choose a new password with the token of a link; every session of the user ends."""
    await actions.reset_with_token(context, data)


@routes.get("/auth/me", scope=SIGNED_IN)
async def get_me(db: Db, caller: Caller, context: AppContext) -> Me:
    """Return who is calling: user, workspace, role, and how the request was authenticated."""
    return await views.me(db, caller, context.settings)


@routes.get("/workspaces", scope=SIGNED_IN, limit_default=LIST_ALL)
async def list_workspaces(db: Db, caller: Caller, page: Page, context: AppContext) -> Listing[Workspace]:
    """List the workspaces you are a member of, newest first. An API key sees its own one."""
    rows = await queries.workspaces_page(db, caller, page)
    return page.listing([row.shown(context.settings) for row in rows], [(row.created_at, row.id) for row in rows])


@routes.post("/workspaces", scope=SIGNED_IN, raises=(Forbidden, TooManyItems))
async def create_workspace(db: Db, caller: Caller, context: AppContext, data: CreateWorkspace) -> Workspace:
    """Create another workspace, with a default profile; you own it. API keys cannot."""
    return await actions.add_workspace(context, db, caller, data)


@routes.patch("/workspaces/{id}", scope=SIGNED_IN, raises=(Forbidden,))
async def update_workspace(
    workspace: MyWorkspace, db: Db, caller: Caller, context: AppContext, data: UpdateWorkspace
) -> Workspace:
    """Change name, time zone or allowed redirect addresses of a workspace you own or administer. API keys cannot."""
    return (await actions.update_workspace(context, db, caller, workspace, data)).shown(context.settings)


@routes.post("/api-keys", scope=SIGNED_IN, raises=(Forbidden, InsufficientScope, PlanLimitReached))
async def create_api_key(db: Db, caller: Caller, context: AppContext, data: CreateApiKey) -> NewApiKey:
    """Create an API key. `key` is shown in this answer only.

    The key has what is asked for and no more than its creator: rights lost later are lost to the key at once.
    """
    return await actions.issue(context, db, caller, data)


@routes.get("/api-keys", scope=SIGNED_IN, limit_default=LIST_ALL, raises=(Forbidden,))
async def list_api_keys(db: Db, caller: Caller, page: Page) -> Listing[ApiKey]:
    """List API keys, newest first: owners and admins see all, editors their own. Revoked ones stay for 30 days."""
    rows = await views.keys(db, caller, page)
    return page.listing([row.shown() for row in rows], [(row.created_at, row.id) for row in rows])


@routes.delete("/api-keys/{id}", scope=SIGNED_IN, raises=(Forbidden, InsufficientScope))
async def revoke_api_key(key: MyKey, context: AppContext, db: Db, caller: Caller) -> ApiKeyRevocation:
    """Revoke an API key at once. A key may revoke itself; repeating it changes nothing."""
    return await actions.revoke(context, db, caller, key)
