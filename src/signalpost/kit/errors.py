class OperatorError(Exception):
    """An error that the operator can correct. The command line prints its message without a traceback."""
