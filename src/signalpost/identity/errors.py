from signalpost.kit import problems


class InvalidCredentials(problems.Problem, status=401):
    """These credentials do not fit.

    Check both; `POST /auth/password/forgot` sends a link to choose a new password.
    """


class TokenExpired(problems.Problem, status=401):
    """This credential has expired.

    Get a new access token by `POST /auth/refresh`, sign in again, or create a new API key.
    """


class KeyRevoked(problems.Problem, status=401):
    """This API key does not work any more.

    It was revoked, or whoever issued it left the workspace. Create a new key.
    """


class RegistrationClosed(problems.Problem, status=403):
    """This service does not take registrations.

    Ask for an invitation to a workspace; an operator can change SIGNALPOST_REGISTRATION.
    """


class LoginThrottled(problems.Problem, status=429, retryable=True):
    """Too many failed sign-ins for this e-mail address.

    Wait for the seconds in `Retry-After`, or choose a new password.
    """


class PlanLimitReached(problems.Problem, status=402):
    """A limit of the workspace's plan is reached.

    `limit` names it; remove something, wait for the next month, or choose a larger plan.
    """


class TestModeOnlySandbox(problems.Problem, status=403):
    """A test key sees only accounts on the sandbox.

    Use a live key for live networks.
    """

    __test__ = False  # not a test class, whatever pytest thinks of its name
