"""Stripe's API over our own HTTP client: forms in, JSON out, every call bounded. Source: docs.stripe.com/api

Not its library: decision 0200.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from signalpost.billing.errors import BillingDisabled, BillingNotConfigured, ConfirmationNeeded, PaymentFailed
from signalpost.context import AppContext
from signalpost.kit import foreign, log, problems
from signalpost.kit.http import BadResponse, HttpFailure, Response

API_VERSION: Final = "2026-10-28.endive"
"""Stripe sends what this version documents, whatever the account's default is."""
TIMEOUT_SECONDS: Final = 15.0
RESPONSE_BYTES_MAX: Final = 200_000
MESSAGE_MAX: Final = 300
_ACTION_NEEDED: Final = (
    "authentication_required",
    "invoice_payment_intent_requires_action",
    "subscription_payment_intent_requires_action",
)
_RETRY_AFTER: Final = {"Retry-After": "10"}
_log = log.get("billing")

Parameters = Mapping[str, Any]


class Refused(Exception):
    """Stripe refused a call; `code` is its machine-readable reason, such as `resource_missing`."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


def encode(parameters: Parameters, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield the fields of a form as Stripe nests them: `items[0][price]`. None is left out."""
    for name, value in parameters.items():
        yield from _field(f"{prefix}[{name}]" if prefix else name, value)


def _field(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        yield from encode(value, name)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for index, item in enumerate(value):
            yield from _field(f"{name}[{index}]", item)
    elif isinstance(value, bool):
        yield name, "true" if value else "false"
    elif value is not None:
        yield name, str(value)


def require_enabled(context: AppContext) -> None:
    """Ensure that plans are sold here, by Stripe.

    Raises:
        BillingDisabled: they are not sold.
        BillingNotConfigured: there is no key.
    """
    if not context.settings.billing_enabled:
        raise BillingDisabled("Plans are not sold here: this workspace has everything already.")
    if not context.settings.stripe_secret_key:
        raise BillingNotConfigured("There is no provider of payments: SIGNALPOST_STRIPE_SECRET_KEY is not set.")


class Stripe:
    """The API of the account that the settings name. What a call returns is foreign and not yet checked."""

    def __init__(self, context: AppContext) -> None:
        """Raises what `require_enabled` raises."""
        require_enabled(context)
        self._http = context.http.payments
        self._base_url = context.settings.stripe_base_url
        self._key = context.settings.stripe_secret_key

    async def get(self, path: str, parameters: Parameters | None = None) -> dict[str, Any]:
        """Read."""
        return await self._call("GET", path, parameters or {})

    async def post(
        self, path: str, parameters: Parameters | None = None, *, idempotency_key: str | None = None
    ) -> dict[str, Any]:
        """Create or change. Calls with one `idempotency_key` have one effect, for a day."""
        return await self._call("POST", path, parameters or {}, idempotency_key)

    async def delete(self, path: str) -> dict[str, Any]:
        """Delete or end."""
        return await self._call("DELETE", path, {})

    async def _call(
        self,
        method: Literal["GET", "POST", "DELETE"],
        path: str,
        parameters: Parameters,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Call once.

        Raises:
            Refused: Stripe says that the request is wrong.
            PaymentFailed: the card was declined.
            ConfirmationNeeded: its bank wants the holder to confirm the payment; nothing was changed.
            BillingNotConfigured: the key is wrong or may not do this.
            Unavailable: there is no usable response; whether it had an effect is not known.
        """
        headers = {"Authorization": f"Bearer {self._key}", "Stripe-Version": API_VERSION}
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        fields = dict(encode(parameters))
        try:
            response = await self._http.request(
                method,
                f"{self._base_url}/v1/{path}",
                headers=headers,
                params=fields if method == "GET" else None,
                data=fields if method == "POST" else None,
                timeout_seconds=TIMEOUT_SECONDS,
                bytes_max=RESPONSE_BYTES_MAX,
                trusted=True,  # the operator chose the address
            )
            return _result(method, path, response)
        except HttpFailure as failure:
            _log.warning("stripe.unreachable", call=f"{method} {path}", reason=failure.detail)
            raise problems.Unavailable(
                "The provider of payments could not be reached. Nothing was changed here.", headers=_RETRY_AFTER
            ) from None


def _result(method: str, path: str, response: Response) -> dict[str, Any]:
    content = response.json()
    if not isinstance(content, dict):
        raise BadResponse("the response is not an object", status=response.status)
    if response.status == 200:
        return content
    error = content.get("error")
    details = error if isinstance(error, dict) else {}
    code, message = foreign.line(details.get("code"), 100), foreign.line(details.get("message"), MESSAGE_MAX)
    if response.status != 404:  # looking for what is not there is no fault
        _log.warning("stripe.refused", call=f"{method} {path}", status=response.status, code=code, reason=message)
    match response.status:
        case 401 | 403:
            raise BillingNotConfigured("The provider of payments does not accept the key of this installation.")
        case 402 if code in _ACTION_NEEDED:
            raise ConfirmationNeeded("The bank of the card asks for a confirmation. Nothing was changed.")
        case 402:
            raise PaymentFailed(f"The payment failed: {message}" if message else None)
        case 400 | 404 | 409:
            raise Refused(response.status, code, message)
    raise problems.Unavailable("The provider of payments has a problem. Nothing was changed.", headers=_RETRY_AFTER)


def not_possible(refused: Refused) -> BillingNotConfigured:
    """Return the problem of a call that Stripe refuses although we mean it: its account lacks something."""
    return BillingNotConfigured(f"The provider of payments refused: {refused.message or 'it gave no reason.'}")
