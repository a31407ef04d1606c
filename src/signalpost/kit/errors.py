class OperatorError(Exception):
    """Something that the operator can correct. The command line prints it as a sentence, without a traceback."""
