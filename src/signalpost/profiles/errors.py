from signalpost.kit.problems import Problem


class LinkCycle(Problem, status=409):
    """These links would form a circle or too long a chain.

    A profile has one parent at most, nobody is their own ancestor, and a chain has at most three links. Remove a link
    first.
    """
