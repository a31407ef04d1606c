from typing import Annotated

from msgspec import Meta

from signalpost.identity.schemas import AnyCode, AnyPassword
from signalpost.kit.wire import Input, Instant, Output


class SignInRedeem(Input):
    """Redeem the code of a finished sign-in."""

    code: Annotated[str, Meta(max_length=2_000, description="`code` of the address that the browser returned to.",
        examples=["spo_AQJtMQ…"])]  # fmt: skip
    code_verifier: Annotated[str, Meta(min_length=43, max_length=128,
        description="The verifier whose challenge began the sign-in (RFC 7636).",
        examples=["dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"])]  # fmt: skip


class OidcOption(Output):
    """The OpenID provider of this instance."""

    label: Annotated[str, Meta(description='What a button says after "Sign in with".', examples=["Acme ID"])]
    url: Annotated[str, Meta(description="Where a browser begins; see the guide of sign-in.",
        examples=["https://signalpost.example.com/sign-in/oidc"])]  # fmt: skip


class SignInOptions(Output):
    """How people sign in here."""

    password: Annotated[bool, Meta(description="Whether `POST /auth/login` takes passwords.")]
    oidc: Annotated[OidcOption | None, Meta(description="The OpenID provider; null without one.")]


class OidcLink(Output):
    """Whether the OpenID provider of this instance signs in as you."""

    linked: bool
    email: Annotated[
        str | None, Meta(description="As the provider stated it when it was linked.", examples=["ada@example.com"])
    ]
    linked_at: Instant | None
    last_used_at: Annotated[Instant | None, Meta(description="When you last signed in with it.")]


class OidcUnlink(Input):
    """Let the provider sign in as you no more."""

    password: AnyPassword
    code: Annotated[
        AnyCode | None,
        Meta(description="With a second factor: a code of the app, or a recovery code.", examples=["287082"]),
    ] = None
