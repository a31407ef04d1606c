import asyncio
from functools import partial
from typing import Annotated

from signalpost.context import AppContext
from signalpost.identity import actions, api_key_queries, queries, secret_scanning, views
from signalpost.identity.api_key_queries import ApiKeyRow
from signalpost.identity.errors import (
    FreeWorkspacesReached,
    InvalidCredentials,
    LoginThrottled,
    PlanLimitReached,
    RegistrationClosed,
    SecondFactorRequired,
    TokenExpired,
)
from signalpost.identity.queries import WorkspaceRow
from signalpost.identity.schemas import (
    Accepted,
    ApiKey,
    ApiKeyCreate,
    ApiKeyRevocation,
    ApiKeyWithSecret,
    LeakedKeysReport,
    Login,
    Me,
    PasswordForgot,
    PasswordReset,
    RecoveryCodes,
    Registration,
    SessionRefresh,
    Tokens,
    TotpCode,
    TotpDisable,
    TotpEnrol,
    TotpEnrolment,
    UserLogin,
    UserRegister,
    Workspace,
    WorkspaceCreate,
    WorkspaceUpdate,
)
from signalpost.kit.db import Db
from signalpost.kit.problems import (
    AlreadyExists,
    Forbidden,
    InsufficientScope,
    InvalidSignature,
    InvalidState,
    MalformedRequest,
    PayloadTooLarge,
    TooManyItems,
    Unauthenticated,
)
from signalpost.kit.wire import Listing
from signalpost.web.caller import PUBLIC, SIGNED_IN, Caller
from signalpost.web.fields import ApiKeyId, WorkspaceId
from signalpost.web.inputs import Mine
from signalpost.web.paging import LIST_ALL, Page
from signalpost.web.request import ClientAddress, Request, read_body
from signalpost.web.routing import Routes

routes = Routes("Identity")

_REPORT = {
    "application/json": {
        "schema": {
            "type": "array",
            "maxItems": secret_scanning.TOKENS_MAX,
            "description": "Tokens, as GitHub reports them.",
            "items": {
                "type": "object",
                "properties": {"token": {"type": "string"}, "type": {"type": "string"}, "url": {"type": "string"}},
                "required": ["token"],
                "additionalProperties": True,
            },
        },
        "example": [
            {"token": "sp_live_…", "type": "signalpost_api_key", "url": "https://github.com/acme/app/blob/1/a.py"}
        ],
    }
}

MyKey = Annotated[ApiKeyRow, Mine(ApiKeyId, api_key_queries.find_my_key)]
MyWorkspace = Annotated[WorkspaceRow, Mine(WorkspaceId, queries.find_my_workspace)]


@routes.post(
    "/auth/register",
    scope=PUBLIC,
    bucket="login",
    across_workspaces=True,
    history="action",
    raises=(RegistrationClosed, AlreadyExists),
)
async def register(context: AppContext, data: UserRegister, address: ClientAddress) -> Registration:
    """Create a user and a workspace with a default profile, and sign in.

    The operator must have set SIGNALPOST_REGISTRATION to `open`.
    """
    return await actions.register(context, data, address)


@routes.post(
    "/auth/login",
    scope=PUBLIC,
    bucket="login",
    status=200,
    across_workspaces=True,
    history="action",
    raises=(InvalidCredentials, SecondFactorRequired, LoginThrottled, Forbidden),
)
async def login(context: AppContext, data: UserLogin, address: ClientAddress) -> Login:
    """Sign in with an e-mail address and password, and a code if the user has a second factor."""
    return await actions.login(context, data, address)


@routes.post(
    "/auth/refresh",
    scope=PUBLIC,
    status=200,
    across_workspaces=True,
    history="action",
    raises=(InvalidCredentials, TokenExpired, Forbidden),
)
async def refresh(context: AppContext, data: SessionRefresh) -> Tokens:
    """Exchange a refresh token for an access token and the next refresh token.

    Every refresh token works once. Using it again ends the session, because two parties have the token. A client that
    did not receive the response can repeat the request within 30 seconds and gets the same refresh token.
    """
    return await actions.refresh(context, data.refresh_token)


@routes.post(
    "/auth/logout",
    scope=SIGNED_IN,
    status=204,
    across_workspaces=True,
    before_second_factor=True,
    raises=(InvalidState,),
)
async def logout(context: AppContext, db: Db, caller: Caller) -> None:
    """End the session: its access and refresh tokens stop working."""
    await actions.logout(context, db, caller)


@routes.post(
    "/auth/totp",
    scope=SIGNED_IN,
    across_workspaces=True,
    before_second_factor=True,
    raises=(Forbidden, AlreadyExists, InvalidCredentials, LoginThrottled),
)
async def enrol_totp(context: AppContext, caller: Caller, data: TotpEnrol) -> TotpEnrolment:
    """Begin to use an authenticator app as a second factor. Repeating this makes another secret.

    Signing in asks for codes only after `POST /auth/totp/confirm`. API keys are not affected.
    """
    return await actions.enrol(context, caller, data)


@routes.post(
    "/auth/totp/confirm",
    scope=SIGNED_IN,
    across_workspaces=True,
    before_second_factor=True,
    status=200,
    raises=(Forbidden, InvalidState, InvalidCredentials, LoginThrottled),
)
async def confirm_totp(context: AppContext, db: Db, caller: Caller, data: TotpCode) -> RecoveryCodes:
    """Confirm the app with its first code. From now on `POST /auth/login` requires `code`.

    The response contains ten recovery codes: keep them where the device is not.
    """
    return await actions.confirm(context, db, caller, data)


@routes.post(
    "/auth/totp/disable",
    scope=SIGNED_IN,
    across_workspaces=True,
    before_second_factor=True,
    status=204,
    raises=(Forbidden, InvalidCredentials, LoginThrottled, SecondFactorRequired),
)
async def disable_totp(context: AppContext, caller: Caller, data: TotpDisable) -> None:
    """End the second factor, with the password and a code. It may be set up again."""
    await actions.disable(context, caller, data)


@routes.post(
    "/auth/password/forgot", scope=PUBLIC, bucket="login", status=202, across_workspaces=True, history="action"
)
async def forgot_password(db: Db, context: AppContext, data: PasswordForgot, address: ClientAddress) -> Accepted:
    """Send a link to choose a new password, if the user exists. The response does not tell whether it does.

    Whoever asked before: a link of the last minutes works, or another is sent.
    """
    await actions.forgot_password(db, context.settings, data, address)
    return Accepted(message=actions.forgotten_password_message(context.settings))


@routes.post(
    "/auth/password/reset",
    scope=PUBLIC,
    bucket="login",
    status=204,
    history="action",
    raises=(InvalidCredentials,),
)
async def reset_password(context: AppContext, data: PasswordReset) -> None:
    """Choose a new password with the token of a mailed link. All sessions of the user end."""
    await actions.reset_with_token(context, data)


@routes.get("/auth/me", scope=SIGNED_IN, across_workspaces=True, before_second_factor=True)
async def get_me(db: Db, caller: Caller, context: AppContext) -> Me:
    """Return the caller: user, workspace, role, and how the request was authenticated."""
    workspace = await queries.find_my_workspace(db, caller, caller.workspace_id)
    if workspace is None:  # the membership ended since the credential was checked
        raise Unauthenticated("You are no longer a member of this workspace.")
    return views.me(
        context.settings,
        caller,
        user_row=await queries.read_user(db, caller.user_id),
        workspace_row=workspace,
        expires_at=await queries.credential_expires_at(db, caller),
    )


@routes.get("/workspaces", scope=SIGNED_IN, across_workspaces=True, before_second_factor=True, limit_default=LIST_ALL)
async def list_workspaces(db: Db, caller: Caller, page: Page, context: AppContext) -> Listing[Workspace]:
    """List the workspaces you are a member of, newest first. An API key sees only its own."""
    return page.of(await queries.workspaces_page(db, caller, page), partial(views.workspace, context.settings))


@routes.post(
    "/workspaces", scope=SIGNED_IN, across_workspaces=True, raises=(Forbidden, FreeWorkspacesReached, TooManyItems)
)
async def create_workspace(db: Db, caller: Caller, context: AppContext, data: WorkspaceCreate) -> Workspace:
    """Create another workspace with a default profile. You become its owner. API keys cannot do this.

    Where plans are sold, one user owns at most three with the plan `free` (SIGNALPOST_FREE_WORKSPACES_PER_OWNER).
    """
    return await actions.add_workspace(context, db, caller, data)


@routes.patch("/workspaces/{id}", scope=SIGNED_IN, across_workspaces=True, raises=(Forbidden, InvalidState))
async def update_workspace(
    workspace: MyWorkspace, db: Db, caller: Caller, context: AppContext, data: WorkspaceUpdate
) -> Workspace:
    """Change the name, time zone, redirect addresses or second factor of a workspace that you own or administer.

    API keys cannot do this.
    """
    return views.workspace(context.settings, await actions.update_workspace(context, db, caller, workspace, data))


@routes.post("/api-keys", scope="keys:write", raises=(Forbidden, InsufficientScope, PlanLimitReached))
async def create_api_key(db: Db, caller: Caller, context: AppContext, data: ApiKeyCreate) -> ApiKeyWithSecret:
    """Create an API key. Only this response contains `key`.

    The key never has more rights than its creator: rights that the creator loses later, the key loses at once. A key
    that a key creates ends with it.
    """
    return await actions.create_api_key(context, db, caller, data)


@routes.post(
    "/api-keys/leaked",
    scope=PUBLIC,
    status=200,
    unlimited=True,
    across_workspaces=True,
    history="action",
    raises=(InvalidSignature, MalformedRequest, PayloadTooLarge),
    documented_request_body=_REPORT,
    documented_headers={
        "Github-Public-Key-Identifier": "Which key signed the body.",
        "Github-Public-Key-Signature": "The ECDSA signature of the body, over SHA-256, as DER in base64.",
    },
)
async def report_leaked_keys(context: AppContext, request: Request) -> LeakedKeysReport:
    """Receive tokens that secret scanning found in public, signed by GitHub. Those that are keys here are revoked.

    Their workspaces find it in their history; owners and creators get a mail.
    """
    identifier = request.headers.get("github-public-key-identifier", "")
    signature = request.headers.get("github-public-key-signature", "")
    secret_scanning.require_headers(context.settings.secret_scanning_keys, identifier, signature)
    body = await read_body(request, secret_scanning.BODY_BYTES_MAX)
    await asyncio.to_thread(secret_scanning.verify, context.settings.secret_scanning_keys, identifier, signature, body)
    result = await actions.revoke_leaked(context, secret_scanning.read(body), source="GitHub")
    return LeakedKeysReport(revoked=len(result.keys), unknown=result.unknown)


@routes.get("/api-keys", scope="keys:write", limit_default=LIST_ALL)
async def list_api_keys(db: Db, caller: Caller, page: Page) -> Listing[ApiKey]:
    """List API keys, newest first: owners and admins see all, editors their own.

    Revoked keys stay in the list for 30 days. A test key sees test keys only.
    """
    return page.of(await api_key_queries.keys_page(db, caller, page), views.api_key)


@routes.delete("/api-keys/{id}", scope=SIGNED_IN, raises=(Forbidden, InsufficientScope))
async def revoke_api_key(key: MyKey, context: AppContext, db: Db, caller: Caller) -> ApiKeyRevocation:
    """Revoke an API key at once, with all keys that it issued. Repeating the request changes nothing.

    With a key, this needs the scope `keys:write`, unless the key revokes itself.
    """
    return await actions.revoke_api_key(context, db, caller, key)
