from signalpost.kit.problems import Problem


class PlatformNotConfigured(Problem, status=409):
    """This installation cannot connect that platform.

    `GET /platforms` lists the platforms that can be connected. An operator configures one by setting
    SIGNALPOST_<PLATFORM>_CLIENT_ID and _CLIENT_SECRET.
    """


class AccountInUse(Problem, status=409):
    """Posts are waiting for this account.

    Cancel them or wait until they are published, then try again.
    """


OVER = "This authorization is over, or it never began: its state is unknown, used or too old."
UNREADABLE = "This authorization was begun with a master key that this instance no longer has."


class OauthStateInvalid(Problem, status=400):
    """This authorization cannot be continued.

    Its state is unknown, used, or older than ten minutes. Start again with a new URL from auth-url.
    """


class PlatformError(Problem, status=502, retryable=True):
    """The platform returned an unexpected response.

    Try again later; `detail` describes the response.
    """


class PlatformTimeout(Problem, status=504, retryable=True):
    """The platform did not respond in time.

    Try again later.
    """
