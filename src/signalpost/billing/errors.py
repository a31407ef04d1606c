from signalpost.kit import problems


class BillingDisabled(problems.Problem, status=409):
    """This installation sells no plans.

    Every workspace has all features. An operator can sell plans with SIGNALPOST_BILLING_ENABLED.
    """


class BillingNotConfigured(problems.Problem, status=409):
    """Payments are not set up, or not completely.

    Ask the operator; `detail` says what is missing.
    """


class BillingActive(problems.Problem, status=409):
    """A card is charged for this workspace, so it cannot go to someone else.

    End the subscription with its period (`PATCH /billing/subscription` with `cancelAtPeriodEnd`), or offer the payments
    with the ownership (`POST /billing/handover`): it moves when the successor has entered a card.
    """


class AnotherPayer(problems.Problem, status=409):
    """The card of another person pays for this workspace.

    Enter a card of your own with `POST /billing/payer`; that of the other person is removed then.
    """


class SubscriptionPastDue(problems.Problem, status=402):
    """A payment for the subscription failed.

    Pay the open invoice or change the card with `POST /billing/portal`, then try again.
    """


class ConfirmationNeeded(problems.Problem, status=409):
    """The payment has to be confirmed at the bank of the card (3-D Secure), and a planned change stands in the way.

    Drop the planned change first: name the current plan with `PATCH /billing/subscription`. Then ask for the larger
    plan again; `confirmation` in the response leads to the page where the payment is confirmed.
    """


class PaymentFailed(problems.Problem, status=402):
    """The payment for this change failed, so nothing was changed.

    Change the card with `POST /billing/portal`, then try again.
    """
