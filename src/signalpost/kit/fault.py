class Fault(Exception):
    """Something an operator can mend; the message is a sentence that says what is wrong, and what to do."""
