from collections.abc import Sequence
from typing import Annotated, Any

from signalpost import networks
from signalpost.accounts import callback_page, queries, views
from signalpost.accounts.actions import (
    authorize,
    callback,
    connect,
    disconnect,
    health,
    option_choices,
    pages,
    people,
    update,
)
from signalpost.accounts.actions.oauth_flows import cookie_name
from signalpost.accounts.errors import (
    AccountInUse,
    OauthStateInvalid,
    PlatformError,
    PlatformNotConfigured,
    PlatformTimeout,
)
from signalpost.accounts.platform_schemas import ChoicesQuery, MentionablePerson, OptionChoices, PeopleQuery, Platform
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
    DestinationPage,
    Disconnection,
    HealthQuery,
    PagesQuery,
    PageSwitch,
    PlatformAccount,
)
from signalpost.context import AppContext
from signalpost.identity.errors import InviteExpired, InviteRevoked, InviteUsed, PlanLimitReached, TestModeOnlySandbox
from signalpost.kit import ids
from signalpost.kit.db import Db
from signalpost.kit.problems import AlreadyExists, Forbidden, InvalidState, UnsafeAddress
from signalpost.kit.wire import Listing
from signalpost.profiles.errors import ProfileArchived
from signalpost.web.caller import PUBLIC, Caller
from signalpost.web.fields import AccountId
from signalpost.web.inputs import Mine, Segment, require_profile
from signalpost.web.paging import LIST_ALL, Page
from signalpost.web.request import Request, accepts_html, cookie_value
from signalpost.web.routing import RawResponse, Routes

routes = Routes("Platform accounts")

MyAccount = Annotated[AccountRow, Mine(AccountId, queries.find_mine)]
PathServer = Annotated[
    str, Segment("server", "What `redirectUri` of auth-url ends with.", "5f2c1d0b8e7a49368f0a1b2c3d4e5f60")
]
PathPlatform = Annotated[str, Segment("platform", "The network; `GET /platforms` lists them.", "bluesky")]
CONNECTING = (
    PlatformNotConfigured,
    PlatformError,
    PlatformTimeout,
    PlanLimitReached,
    ProfileArchived,
    TestModeOnlySandbox,
    UnsafeAddress,
)


@routes.get("/platforms", scope="accounts:read")
async def list_platforms(context: AppContext) -> Listing[Platform]:
    """List every platform: whether and how it can be connected here, and its rules and limits."""
    return Listing(data=[views.platform(context, slug) for slug in networks.PLATFORMS])


@routes.get("/platforms/accounts", scope="accounts:read", limit_default=LIST_ALL)
async def list_accounts(
    db: Db, context: AppContext, caller: Caller, query: AccountQuery, page: Page
) -> Listing[PlatformAccount]:
    """List the accounts of one profile or of all profiles; disconnected ones only on request."""
    rows = await queries.visible(
        db, caller, page, profile_id=query.profile_id, include_disconnected=query.include_disconnected
    )
    if not rows:
        await require_profile(context, db, caller, query.profile_id)
    return await _listing(db, page, rows)


@routes.get("/platforms/accounts/all", scope="accounts:read", limit_default=LIST_ALL)
async def list_all_accounts(db: Db, caller: Caller, query: AllAccountsQuery, page: Page) -> Listing[PlatformAccount]:
    """List the accounts of all profiles; disconnected ones only on request."""
    rows = await queries.visible(db, caller, page, profile_id=None, include_disconnected=query.include_disconnected)
    return await _listing(db, page, rows)


async def _listing(db: Db, page: Page, rows: Sequence[AccountRow]) -> Listing[PlatformAccount]:
    posts_today = await queries.posts_today(db, [row.id for row in page.trim(rows)])
    return page.of(rows, lambda row: views.account(row, posts_today=posts_today.get(row.id, 0)))


@routes.get("/platforms/accounts/{accountId}/health", scope="accounts:read")
async def get_account_health(account: MyAccount, context: AppContext, query: HealthQuery) -> AccountHealth:
    """Report the health of an account. The platform is asked if the last check is older than five minutes."""
    return await health.get_account_health(context, account, refresh=query.refresh)


@routes.get(
    "/platforms/accounts/{accountId}/choices",
    scope="accounts:read",
    raises=(InvalidState, PlatformError, PlatformTimeout, UnsafeAddress),
)
async def list_account_choices(account: MyAccount, context: AppContext, query: ChoicesQuery) -> Listing[OptionChoices]:
    """List what an account can choose now for options of its platform: boards, playlists, who may see a post.

    These are the options with a `source` in `GET /platforms`. The platform is asked each time; show the list again
    rather than asking for every post. What is not in the list may still be accepted, and is checked by publishing.
    """
    return Listing(data=await option_choices.list_choices(context, account, query))


@routes.get(
    "/platforms/accounts/{accountId}/people",
    scope="accounts:read",
    raises=(InvalidState, PlatformError, PlatformTimeout, UnsafeAddress),
)
async def find_people_to_mention(
    account: MyAccount, context: AppContext, query: PeopleQuery
) -> Listing[MentionablePerson]:
    """Find people whom a post of an account can mention, by the first letters of their names.

    Accounts with `capabilities.mentions` can; others find nobody. The platform is asked as the account, and its answer
    is kept for a minute. A workspace can ask 120 times a minute.
    """
    return Listing(data=await people.find_people(context, account, query))


@routes.patch(
    "/platforms/accounts/{accountId}",
    scope="accounts:write",
    raises=(
        InvalidState,
        AccountInUse,
        AlreadyExists,
        Forbidden,
        PlanLimitReached,
        ProfileArchived,
        TestModeOnlySandbox,
    ),
)
async def update_account(
    account: MyAccount, context: AppContext, db: Db, caller: Caller, data: AccountUpdate
) -> PlatformAccount:
    """Pause, resume or move an account, or set the language of its posts.

    `status: paused` makes the account's posts wait, `status: active` resumes it, and `profileId` moves it to another
    profile. Only owners and admins move accounts, and only while no post waits for them. `language` holds from the next
    attempt on, also for posts that wait, unless their options name another; null makes it that of the profile.
    """
    return await update.update_account(context, db, caller, account, data)


@routes.delete("/platforms/accounts/{accountId}", scope="accounts:write", raises=(Forbidden, TestModeOnlySandbox))
async def disconnect_account(account: MyAccount, context: AppContext, caller: Caller) -> Disconnection:
    """Disconnect an account. Its tokens are deleted here and revoked at the platform, and its waiting posts fail.

    Connecting the same platform account again restores it with its id. Repeating this request changes nothing.
    """
    return await disconnect.disconnect_account(context, caller, account)


@routes.post(
    "/platforms/{platform}/connect",
    scope="accounts:write",
    raises=(*CONNECTING, Forbidden),
    example={"profileId": ids.example("prof"), "fields": {"username": "bakery"}},
)
async def connect_account(
    platform: PathPlatform, context: AppContext, caller: Caller, data: AccountConnect
) -> PlatformAccount:
    """Connect an account by a credential form. `GET /platforms` lists the fields of each platform.

    The sandbox needs only a `username`. An account that was connected before keeps its id; only owners and admins
    connect it at another server than before.
    """
    return await connect.connect_account(context, caller, platform, data)


@routes.get("/platforms/{platform}/auth-url", scope="accounts:write", raises=CONNECTING)
async def get_auth_url(
    platform: PathPlatform, context: AppContext, caller: Caller, query: AuthUrlQuery
) -> Authorization:
    """Begin to connect an account. Send the person to `url`, which works in one browser within ten minutes.

    It is a page of this service that says who asks for what; one click there leads on to the platform.
    `redirectUrl` must match an entry of the workspace's list exactly. `accountId` connects that account again.
    Platforms that take credentials answer `mode: credentials` with the fields for `connect`. Bluesky takes
    both: `mode: oauth` with the fields, or `mode: credentials` where this service has no public https address.
    """
    return await authorize.start_authorization(context, caller, platform, query)


async def _returned(
    context: AppContext, request: Request, platform: str, server_key: str | None, query: CallbackQuery
) -> CallbackResult | RawResponse:
    browser = cookie_value(request, cookie_name(context, query.state))
    returned = callback.Return(platform=platform, server_key=server_key, browser=browser, query=query)
    finished = await callback.finish_authorization(context, returned)
    result = finished.result
    if accepts_html(request):
        return await callback_page.render(context, result, platform, finished.redirect_url)
    if finished.guest:
        result.account = None
    return result


PAGES = (*CONNECTING, InvalidState)


@routes.get("/platforms/{platform}/pages", scope="accounts:write", raises=PAGES)
async def list_pages(
    platform: PathPlatform, context: AppContext, caller: Caller, query: PagesQuery
) -> Listing[DestinationPage]:
    """List what grants can post to, as the platform says now: pages, boards, organizations, channels.

    For facebook, linkedin, google_business, pinterest and others whose grants cover several. Without a grant the list
    is empty: connect an account by `auth-url` first.
    """
    return Listing(data=await pages.list_pages(context, caller, platform, query.profile_id))


@routes.post("/platforms/{platform}/switch-page", scope="accounts:write", raises=(*PAGES, Forbidden, OauthStateInvalid))
async def switch_page(platform: PathPlatform, context: AppContext, caller: Caller, data: PageSwitch) -> PlatformAccount:
    """Connect one more of the places that a grant can post to. Others stay connected.

    Accounts of one grant share its tokens, and name one of them as `parentAccountId`. With `selectionToken` this
    completes a callback that ended with `selection_required`.
    """
    return await pages.switch_page(context, caller, platform, data)


CALLBACK: dict[str, Any] = {
    "scope": PUBLIC,
    "raises": (OauthStateInvalid, InviteExpired, InviteRevoked, InviteUsed),
    "documented_response": {"text/html": {"schema": {"type": "string", "description": "A page, for a browser."}}},
    "problem_page": callback_page.render_problem,
}


@routes.get("/platforms/{platform}/callback", **CALLBACK)
async def finish_authorization(
    platform: PathPlatform, context: AppContext, query: CallbackQuery, request: Request
) -> CallbackResult | RawResponse:
    """Complete an authorization. A browser gets a small page, which moves on to `redirectUrl`; others get JSON.

    The state works once, and only together with the cookie of the browser in which the person agreed on the page of
    `url`. If the user or the platform refuses, or the account cannot be stored, `status` is `failed`.
    """
    return await _returned(context, request, platform, None, query)


@routes.get("/platforms/{platform}/callback/{server}", **CALLBACK)
async def finish_authorization_at_server(
    platform: PathPlatform, server: PathServer, context: AppContext, query: CallbackQuery, request: Request
) -> CallbackResult | RawResponse:
    """Complete an authorization on a network where each account has its own server, as `callback` does.

    Each server has an address of its own, so that no server can pass off another one's response as its own.
    """
    return await _returned(context, request, platform, server, query)
