from signalpost.kit.problems import Problem


class VerificationFailed(Problem, status=403):
    """The webhook could not be verified.

    Enter the value of SIGNALPOST_WHATSAPP_VERIFY_TOKEN as the verify token at Meta.
    """
