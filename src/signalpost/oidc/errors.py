from signalpost.kit.problems import Problem


class SignInNotConfigured(Problem, status=404):
    """This instance has no OpenID provider.

    Sign in with an e-mail address and a password. An operator sets SIGNALPOST_OIDC_ISSUER.
    """


class SignInRefused(Problem, status=403):
    """The OpenID provider's answer signs nobody in here.

    Start again from the sign-in page. If it happens again, ask the operator of this instance.
    """


class ProviderUnavailable(Problem, status=503, retryable=True):
    """The OpenID provider cannot be reached, or answers nonsense.

    Try again in a minute, or sign in with a password.
    """
