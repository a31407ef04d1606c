from signalpost.kit import problems


class ApprovalLinkExpired(problems.Problem, status=410):
    """This link for approval has expired.

    Ask whoever sent it for another one.
    """


class ApprovalLinkRevoked(problems.Problem, status=410):
    """This link for approval was withdrawn.

    Ask whoever sent it for another one, or whoever made it may no longer approve posts.
    """


class ApprovalCodeRequired(problems.Problem, status=403):
    """This link needs a code that is mailed to its receiver.

    `POST /approvals/{token}/code` mails one; send it in `X-Approval-Code`. After five wrong ones, request another.
    """
