from signalpost.kit.problems import Problem


class LinkCycle(Problem, status=409):
    """The links would form a cycle or too long a chain.

    A profile has at most one parent and cannot be its own ancestor, and a chain has at most three links. Remove a link
    first.
    """
