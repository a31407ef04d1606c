from signalpost.kit import problems
from signalpost.settings import Settings


class InvalidCredentials(problems.Problem, status=401):
    """The credentials are invalid.

    Check them; `POST /auth/password/forgot` sends a link to choose a new password.
    """


class SecondFactorRequired(problems.Problem, status=401):
    """The sign-in needs a second factor.

    Repeat it with `code`: one of the authenticator app, or a recovery code.
    """


class TokenExpired(problems.Problem, status=401):
    """The credential has expired.

    Get a new access token with `POST /auth/refresh`, sign in again, or create a new API key.
    """


class KeyRevoked(problems.Problem, status=401):
    """This API key no longer works.

    It was revoked, or its issuer left the workspace. Create a new key.
    """


class RegistrationClosed(problems.Problem, status=403):
    """Registration is closed.

    Ask for an invitation to a workspace; an operator can open registration with SIGNALPOST_REGISTRATION.
    """


class LoginThrottled(problems.Problem, status=429, retryable=True):
    """Too many failed sign-ins for this e-mail address.

    Wait for the number of seconds in `Retry-After`, sign in where you did within 30 days, or choose a new password.
    """


class PlanLimitReached(problems.Problem, status=402):
    """The workspace has reached a limit of its plan.

    `limit` names it; remove something, wait for the next month, or choose a larger plan.
    """

    # Raised by `plans`; it is here because API keys are limited too, and `identity` is below `plans`.


class FreeWorkspacesReached(problems.Problem, status=402):
    """This user owns as many workspaces with the free plan as one user may.

    Buy a plan for one of them with `POST /billing/checkout`, or delete one; paid workspaces are not counted.
    """


class InviteExpired(problems.Problem, status=410):
    """This invitation has expired.

    Ask whoever sent it for another one.
    """


class InviteRevoked(problems.Problem, status=410):
    """This invitation was withdrawn.

    Ask whoever sent it for another one.
    """


class InviteUsed(problems.Problem, status=410):
    """This invitation has been used.

    Ask whoever sent it for another one, if you need it.
    """


class TestModeOnlySandbox(problems.Problem, status=403):
    """A test key can use only the sandbox.

    Use a live key for other networks, and to change what live posts, files, webhooks or keys depend on.
    """

    __test__ = False  # not a test class, whatever pytest makes of its name


def password_help(settings: Settings) -> str:
    """Return how a user who does not know the password gets another one here."""
    if settings.smtp_url is None:
        return (
            "This instance sends no mail: its operator sets a new password with"
            " `signalpost users reset-password --email <address>`."
        )
    return "`POST /auth/password/forgot` sends a link to choose a new password."
