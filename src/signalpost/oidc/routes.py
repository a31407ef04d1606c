from signalpost.context import AppContext
from signalpost.identity.errors import InvalidCredentials, LoginThrottled, SecondFactorRequired
from signalpost.identity.schemas import Login
from signalpost.kit.db import Db
from signalpost.kit.problems import Forbidden
from signalpost.oidc.actions import finish, start, unlink
from signalpost.oidc.schemas import OidcLink, OidcOption, OidcUnlink, SignInOptions, SignInRedeem
from signalpost.web.caller import PUBLIC, SIGNED_IN, Caller
from signalpost.web.request import ClientAddress
from signalpost.web.routing import Routes

routes = Routes("Identity")


@routes.get("/auth/options", scope=PUBLIC)
async def get_sign_in_options(context: AppContext) -> SignInOptions:
    """Return how people sign in here: with a password, or with the OpenID provider of this instance."""
    settings = context.settings
    oidc = OidcOption(label=settings.oidc_label, url=context.base_url + start.START_PATH)
    return SignInOptions(password=True, oidc=oidc if start.is_on(settings) else None)


@routes.post(
    "/auth/oidc/token",
    scope=PUBLIC,
    bucket="login",
    status=200,
    across_workspaces=True,
    history="action",
    raises=(InvalidCredentials, Forbidden),
)
async def redeem_sign_in_code(context: AppContext, data: SignInRedeem, address: ClientAddress) -> Login:
    """Redeem the code with which a browser returned from a sign-in with the OpenID provider.

    It works once, within a minute, and only with the verifier whose challenge began the sign-in.
    """
    return await finish.redeem(context, data, address)


@routes.get("/auth/oidc", scope=SIGNED_IN, across_workspaces=True)
async def get_oidc_link(context: AppContext, db: Db, caller: Caller) -> OidcLink:
    """Return whether the OpenID provider signs in as you, and since when."""
    return await unlink.read_link(context, db, caller)


@routes.post(
    "/auth/oidc/unlink",
    scope=SIGNED_IN,
    across_workspaces=True,
    status=204,
    history="action",
    raises=(Forbidden, InvalidCredentials, LoginThrottled, SecondFactorRequired),
)
async def unlink_oidc(context: AppContext, caller: Caller, data: OidcUnlink) -> None:
    """Let the OpenID provider sign in as you no more, until you confirm it again with your password.

    It needs the password, and with a second factor a code. Who has no password chooses one first:
    `POST /auth/password/forgot`. Repeating this request changes nothing.
    """
    await unlink.unlink(context, caller, data)
