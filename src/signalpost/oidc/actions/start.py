"""The beginning: whoever wants a session sends a browser here, and this sends it to the provider."""

import re
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from signalpost.context import AppContext
from signalpost.identity.actions import workspaces
from signalpost.kit import problems
from signalpost.kit.problems import Issue
from signalpost.oidc import flow, provider
from signalpost.oidc.errors import SignInNotConfigured
from signalpost.oidc.flow import Client
from signalpost.oidc.provider import Provider
from signalpost.settings import Settings

START_PATH: Final = "/sign-in/oidc"
CALLBACK_PATH: Final = "/sign-in/oidc/callback"
_TEXT_MAX: Final = 500
_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_LOOPBACK: Final = ("127.0.0.1", "localhost")


class Started(NamedTuple):
    """Where the browser goes, and the cookie by which it is known when it comes back."""

    url: str
    cookie: str


def is_on(settings: Settings) -> bool:
    """Whether there is a provider, and this room is not switched off."""
    return settings.oidc_issuer is not None and "oidc" not in settings.extensions_off


async def start(context: AppContext, client: Client) -> Started:
    """Begin a sign-in for the browser itself, or for a client that waits elsewhere.

    Raises:
        SignInNotConfigured: there is no provider.
        ValidationFailed: the address is neither of this service nor of the person's own machine, or the challenge is
            not one of S256.
        ProviderUnavailable: the provider cannot be reached.
    """
    if not is_on(context.settings):
        raise SignInNotConfigured("This instance has no OpenID provider.")
    if client.console_page is None and (issues := _issues(context, client)):
        raise problems.ValidationFailed(errors=issues)
    metadata = await context.state(Provider).metadata(context)
    begun = flow.begin(context.keys, client)
    parameters = {
        "response_type": "code",
        "client_id": context.settings.oidc_client_id or "",
        "redirect_uri": callback_url(context),
        "scope": provider.SCOPE,
        "state": begun.state,
        "nonce": begun.nonce,
        "code_challenge": flow.challenge_of(begun.verifier),
        "code_challenge_method": "S256",
    }
    return Started(provider.authorization_url(metadata, parameters), flow.seal(context.keys, begun))


def callback_url(context: AppContext) -> str:
    """Return the address that is registered at the provider."""
    return context.fixed_url + CALLBACK_PATH


def _issues(context: AppContext, client: Client) -> list[Issue]:
    redirect_url, code_challenge, state = client.redirect_url, client.code_challenge, client.state
    issues = []
    if len(redirect_url) > _TEXT_MAX or not _may_return_to(context, redirect_url):
        message = "Must be an address of this service, or http on the loopback of the person's own machine."
        issues.append(Issue("redirectUrl", "not_allowed" if redirect_url else "required", message))
    if not _CHALLENGE.fullmatch(code_challenge):
        message = "Must be the S256 challenge of RFC 7636: 43 characters of base64url."
        issues.append(Issue("codeChallenge", "format" if code_challenge else "required", message))
    if state is not None and (len(state) > _TEXT_MAX or not state.isprintable()):
        issues.append(Issue("state", "too_long", f"Must be printable and have at most {_TEXT_MAX} characters."))
    return issues


def _may_return_to(context: AppContext, url: str) -> bool:
    if not workspaces.may_redirect_to(url):
        return False
    parts, ours = urlsplit(url), urlsplit(context.fixed_url)
    return parts.hostname in _LOOPBACK or (parts.scheme, parts.netloc) == (ours.scheme, ours.netloc)
