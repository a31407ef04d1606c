from signalpost.kit import problems


class BillingDisabled(problems.Problem, status=409):
    """This installation sells no plans.

    Every workspace has all features. An operator can sell plans with SIGNALPOST_BILLING_ENABLED.
    """


class BillingNotConfigured(problems.Problem, status=409):
    """Payments are not set up, or not completely.

    Ask the operator; `detail` says what is missing.
    """


class SubscriptionPastDue(problems.Problem, status=402):
    """A payment for the subscription failed.

    Pay the open invoice or change the card with `POST /billing/portal`, then try again.
    """


class PaymentFailed(problems.Problem, status=402):
    """The payment for this change failed, so nothing was changed.

    Change the card with `POST /billing/portal`, then try again.
    """
