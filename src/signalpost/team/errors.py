from signalpost.kit import problems


class LastOwner(problems.Problem, status=409):
    """A workspace always has one owner.

    Give the ownership to another member with `POST /team/transfer` first.
    """
