from signalpost.context import AppContext
from signalpost.identity import queries, views
from signalpost.identity.actions import notifications, passwords, person, second_factor, sessions, sign_in, sign_up
from signalpost.identity.errors import (
    InvalidCredentials,
    LoginThrottled,
    RegistrationClosed,
    SecondFactorRequired,
    TokenExpired,
)
from signalpost.identity.schemas import (
    Accepted,
    Login,
    Me,
    MeUpdate,
    Notifications,
    NotificationsUpdate,
    PasswordChange,
    PasswordForgot,
    PasswordReset,
    RecoveryCodes,
    Registration,
    Session,
    SessionRefresh,
    SessionsEnded,
    Tokens,
    TotpConfirm,
    TotpDisable,
    TotpEnrol,
    TotpEnrolment,
    UserLogin,
    UserRegister,
)
from signalpost.kit.db import Db
from signalpost.kit.problems import AlreadyExists, Forbidden, InvalidState, NotFound, Unauthenticated
from signalpost.kit.wire import Listing
from signalpost.web.caller import PUBLIC, SIGNED_IN, Caller
from signalpost.web.fields import SessionId
from signalpost.web.paging import LIST_ALL, Page
from signalpost.web.request import ClientAddress
from signalpost.web.routing import Routes

routes = Routes("Identity")


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
    return await sign_up.register(context, data, address)


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
    return await sign_in.login(context, data, address)


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
    return await sign_in.refresh(context, data.refresh_token)


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
    await sign_in.logout(context, db, caller)


@routes.post(
    "/auth/password",
    scope=SIGNED_IN,
    across_workspaces=True,
    status=204,
    history="action",
    raises=(Forbidden, InvalidCredentials, LoginThrottled, SecondFactorRequired),
)
async def change_password(context: AppContext, caller: Caller, data: PasswordChange) -> None:
    """Change your password. All other sessions end, and so does what a changed password ends."""
    await passwords.change_password(context, caller, data)


@routes.get("/auth/sessions", scope=SIGNED_IN, across_workspaces=True, limit_default=LIST_ALL)
async def list_sessions(db: Db, caller: Caller, page: Page) -> Listing[Session]:
    """List where you are signed in, the latest sign-in first. Sessions that have ended are not included."""
    return await sessions.list_sessions(db, caller, page)


@routes.delete("/auth/sessions", scope=SIGNED_IN, across_workspaces=True, history="action", raises=(Forbidden,))
async def end_other_sessions(context: AppContext, db: Db, caller: Caller) -> SessionsEnded:
    """Sign out everywhere else: end all your sessions but this one."""
    return await sessions.end_others(context, db, caller)


@routes.delete(
    "/auth/sessions/{id}",
    scope=SIGNED_IN,
    across_workspaces=True,
    status=204,
    history="action",
    raises=(NotFound,),
)
async def end_session(session_id: SessionId, context: AppContext, db: Db, caller: Caller) -> None:
    """End one of your sessions: its access and refresh tokens stop working."""
    await sessions.end_one(context, db, caller, session_id)


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
    return await second_factor.enrol(context, caller, data)


@routes.post(
    "/auth/totp/confirm",
    scope=SIGNED_IN,
    across_workspaces=True,
    before_second_factor=True,
    status=200,
    raises=(Forbidden, InvalidState, InvalidCredentials, LoginThrottled),
)
async def confirm_totp(context: AppContext, db: Db, caller: Caller, data: TotpConfirm) -> RecoveryCodes:
    """Confirm the app with its first code. From now on `POST /auth/login` requires `code`.

    The response contains ten recovery codes: keep them where the device is not.
    """
    return await second_factor.confirm(context, db, caller, data)


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
    await second_factor.disable(context, caller, data)


@routes.post(
    "/auth/password/forgot", scope=PUBLIC, bucket="login", status=202, across_workspaces=True, history="action"
)
async def forgot_password(db: Db, context: AppContext, data: PasswordForgot, address: ClientAddress) -> Accepted:
    """Send a link to choose a new password, if the user exists. The response does not tell whether it does.

    Whoever asked before: a link of the last minutes works, or another is sent.
    """
    await passwords.forgot_password(db, context.settings, data, address)
    return Accepted(message=passwords.forgotten_password_message(context.settings))


@routes.post(
    "/auth/password/reset", scope=PUBLIC, bucket="login", status=204, history="action", raises=(InvalidCredentials,)
)
async def reset_password(context: AppContext, data: PasswordReset) -> None:
    """Choose a new password with the token of a mailed link. All sessions of the user end."""
    await passwords.reset_with_token(context, data)


@routes.get("/auth/me", scope=SIGNED_IN, across_workspaces=True, before_second_factor=True)
async def get_me(db: Db, caller: Caller, context: AppContext) -> Me:
    """Return the caller: user, workspace, role, and how the request was authenticated."""
    return await _me(db, caller, context)


@routes.patch("/auth/me", scope=SIGNED_IN, across_workspaces=True, history="action", raises=(Forbidden,))
async def update_me(db: Db, caller: Caller, context: AppContext, data: MeUpdate) -> Me:
    """Change your name, language or time zone. Only a person who is signed in can."""
    await person.update_me(db, caller, data)
    return await _me(db, caller, context)


@routes.get("/auth/notifications", scope=SIGNED_IN)
async def get_notifications(db: Db, caller: Caller) -> Notifications:
    """Return what you are mailed about and notified of, and your quiet hours.

    What concerns how you sign in, leaks, payment, and what you order is always mailed.
    """
    return await notifications.read(db, caller)


@routes.patch("/auth/notifications", scope=SIGNED_IN, across_workspaces=True, history="action", raises=(Forbidden,))
async def update_notifications(db: Db, caller: Caller, data: NotificationsUpdate) -> Notifications:
    """Choose what you are mailed about and notified of, and hours in which both wait. Only a person signed in can.

    What waits in quiet hours comes at their end. This counts for what happens from now on, in all your workspaces.
    """
    await notifications.update(db, caller, data)
    return await notifications.read(db, caller)


async def _me(db: Db, caller: Caller, context: AppContext) -> Me:
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
