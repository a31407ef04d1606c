from signalpost.kit.problems import Problem


class PlatformNotConfigured(Problem, status=409):
    """This installation cannot connect that platform.

    `GET /platforms` tells which ones it can. An operator sets SIGNALPOST_<PLATFORM>_CLIENT_ID and _CLIENT_SECRET.
    """


class AccountInUse(Problem, status=409):
    """Posts are waiting for this account.

    Cancel or wait for them, then try again.
    """


class OauthStateInvalid(Problem, status=400):
    """This authorization cannot be continued.

    Its state is unknown, used or older than ten minutes. Start again with a new address from auth-url.
    """


class PlatformError(Problem, status=502, retryable=True):
    """The platform did not answer as it should.

    Try again in a while; `detail` says what came.
    """


class PlatformTimeout(Problem, status=504, retryable=True):
    """The platform did not answer in time.

    Try again in a while.
    """
