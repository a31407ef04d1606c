from typing import Annotated, Any

from litestar import Request

from signalpost.accounts import actions, callback_page, platforms, queries
from signalpost.accounts.errors import (
    AccountInUse,
    OauthStateInvalid,
    PlatformError,
    PlatformNotConfigured,
    PlatformTimeout,
)
from signalpost.accounts.queries import AccountRow
from signalpost.accounts.schemas import (
    AccountConnect,
    AccountHealth,
    AccountQuery,
    AccountUpdate,
    AllAccountsQuery,
    Authorization,
    AuthUrlQuery,
    CallbackQuery,
    CallbackResult,
    Disconnection,
    HealthQuery,
    Platform,
    PlatformAccount,
)
from signalpost.context import AppContext
from signalpost.identity.errors import PlanLimitReached, TestModeOnlySandbox
from signalpost.kit.db import Db
from signalpost.kit.problems import AlreadyExists, Forbidden, InvalidState, UnsafeAddress
from signalpost.kit.wire import Listing
from signalpost.web.caller import PUBLIC, Caller
from signalpost.web.fields import AccountId
from signalpost.web.inputs import Mine, Segment
from signalpost.web.paging import LIST_ALL, Page
from signalpost.web.routing import RawResponse, Routes

routes = Routes("Platform accounts")

MyAccount = Annotated[AccountRow, Mine(AccountId, queries.find_mine)]
PlatformSlug = Annotated[str, Segment("platform")]
CONNECTING = (
    PlatformNotConfigured,
    PlatformError,
    PlatformTimeout,
    PlanLimitReached,
    TestModeOnlySandbox,
    UnsafeAddress,
)


@routes.get("/platforms", scope="accounts:read")
async def list_platforms(context: AppContext) -> Listing[Platform]:
    """List every platform: whether it can be connected here, how, and its rules and limits."""
    return Listing(data=platforms.every(context.settings, context.base_url))


@routes.get("/platforms/accounts", scope="accounts:read", limit_default=LIST_ALL)
async def list_accounts(db: Db, caller: Caller, query: AccountQuery, page: Page) -> Listing[PlatformAccount]:
    """List the accounts of a profile, or of all profiles; disconnected ones only on request."""
    profile_id = await queries.profile_filter(db, caller, query.profile_id)
    return await queries.listing(
        db, caller, page, profile_id=profile_id, include_disconnected=query.include_disconnected
    )


@routes.get("/platforms/accounts/all", scope="accounts:read", limit_default=LIST_ALL)
async def list_all_accounts(db: Db, caller: Caller, query: AllAccountsQuery, page: Page) -> Listing[PlatformAccount]:
    """List the accounts of all profiles; disconnected ones only on request."""
    return await queries.listing(db, caller, page, profile_id=None, include_disconnected=query.include_disconnected)


@routes.get("/platforms/accounts/{accountId}/health", scope="accounts:read")
async def get_account_health(account: MyAccount, context: AppContext, query: HealthQuery) -> AccountHealth:
    """Tell how an account is. The platform is asked when the last answer is older than five minutes, or on request."""
    return await actions.account_health(context, account, refresh=query.refresh)


@routes.patch(
    "/platforms/accounts/{accountId}",
    scope="accounts:write",
    raises=(InvalidState, AccountInUse, AlreadyExists, Forbidden, PlanLimitReached),
)
async def update_account(
    account: MyAccount, context: AppContext, db: Db, caller: Caller, data: AccountUpdate
) -> PlatformAccount:
    """Pause an account (`status: paused`), resume it (`status: active`), or move it to another profile (`profileId`).

    Posts of a paused account wait. Owners and admins move accounts, while no post waits for them.
    """
    return await actions.update_account(context, db, caller, account, data)


@routes.delete("/platforms/accounts/{accountId}", scope="accounts:write", raises=(Forbidden,))
async def disconnect_account(account: MyAccount, context: AppContext, caller: Caller) -> Disconnection:
    """Disconnect an account: its tokens are wiped here and given back at the platform, its waiting posts fail.

    The same platform account connected again returns with its id. Repeating this changes nothing.
    """
    return await actions.disconnect_account(context, caller, account)


@routes.post("/platforms/{platform}/connect", scope="accounts:write", raises=CONNECTING)
async def connect_account(
    platform: PlatformSlug, context: AppContext, caller: Caller, data: AccountConnect
) -> PlatformAccount:
    """Connect an account by a form of credentials; `GET /platforms` names the fields of each platform.

    The sandbox wants nothing but a `username`. An account that was connected before keeps its id.
    """
    return await actions.connect_account(context, caller, platform, data)


@routes.get("/platforms/{platform}/auth-url", scope="accounts:write", raises=CONNECTING)
async def get_auth_url(
    platform: PlatformSlug, context: AppContext, caller: Caller, query: AuthUrlQuery
) -> Authorization:
    """Begin to connect an account: returns the address to send the person to, good for ten minutes and one return.

    `redirectUrl` must be on the workspace's list, letter by letter. `accountId` connects that account again.
    Platforms that take credentials answer `mode: credentials` with the fields for `connect`.
    """
    return await actions.start(context, caller, platform, query)


@routes.get(
    "/platforms/{platform}/callback",
    scope=PUBLIC,
    raises=(OauthStateInvalid,),
    documented_response={"text/html": {"schema": {"type": "string", "description": "A page, for a browser."}}},
)
async def finish_authorization(
    platform: PlatformSlug, context: AppContext, query: CallbackQuery, request: Request[Any, Any, Any]
) -> CallbackResult | RawResponse:
    """Take a person back from a platform. Answers JSON, or a small page to a browser, which moves on to `redirectUrl`.

    The state works once. A refusal at the platform, or an account that cannot be stored, is told as `status: failed`.
    """
    result, redirect_url = await actions.finish(context, platform, query)
    if "text/html" not in request.headers.get("accept", ""):
        return result
    return RawResponse(
        callback_page.callback_page(result, platform, redirect_url),
        "text/html; charset=utf-8",
        headers=dict(callback_page.HEADERS),
    )
