from signalpost.kit.problems import Problem


class ConfirmationRequired(Problem, status=422):
    """Publishing needs a confirmation token for exactly these contents.

    Call the tool `validate_post` with the same contents and the same key, and send the token that it gives within 30
    minutes. After any change, validate again.
    """
