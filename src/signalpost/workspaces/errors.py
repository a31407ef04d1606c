from signalpost.kit import problems


class OwnsWorkspaces(problems.Problem, status=409):
    """You own workspaces, which cannot be without an owner.

    `workspaces` lists them. Give each to another member with `POST /team/transfer`, or name it in `deleteWorkspaces`.
    """


class LastAdministrator(problems.Problem, status=409):
    """You are the only administrator of this installation.

    Make another user one first, on the server: `signalpost staff add --email <address>`.
    """
