"""The OAuth 2 server of a network, by its rules. Networks with steps of their own use the parts of it."""

import base64
import binascii
import hashlib
import hmac
import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal, Protocol
from urllib.parse import unquote, urlencode

from simulator.messages import FORM, Request, Response
from simulator.world import App, Person, World


class AuthorizingNetwork(Protocol):
    """What the OAuth server asks of the network that it belongs to."""

    key: Any
    strict: Any
    world: World

    def denied(self) -> dict[str, str]: ...
    def callback_extras(self, scopes: frozenset[str]) -> dict[str, str]: ...


@dataclass(frozen=True, kw_only=True)
class OAuthRules:
    authorize: str  # path of the page that people see
    token: str  # path
    revoke: str | None = None  # path
    scopes: frozenset[str]  # all that the network has
    separator: str = " "  # of scopes
    pkce: Literal["required", "optional", "none"] = "none"
    client: Literal["basic", "form", "either"] = "form"  # where the app's secret stands in calls
    id_name: str = "client_id"
    code_seconds: float = 600
    access_seconds: float | None = None  # None: access tokens do not expire
    refresh_seconds: float | None = None  # None: there are no refresh tokens
    refresh_scope: str | None = None  # without it there is no refresh token
    rotates: bool = False  # each refresh gives another refresh token
    reuse_kills: bool = False  # using a spent refresh token ends the grant
    authorize_extras: frozenset[str] = frozenset()  # further parameters of the page


@dataclass
class Grant:
    """What a person allowed an app."""

    app: App
    person: Person
    scopes: frozenset[str]
    created_at: datetime
    access_token: str = ""
    access_expires_at: datetime | None = None
    refresh_token: str | None = None
    refresh_expires_at: datetime | None = None
    revoked: bool = False
    old_tokens: set[str] = field(default_factory=set)
    """Refresh tokens that were replaced."""
    details: dict[str, Any] = field(default_factory=dict)


@dataclass
class _Code:
    grant: Grant
    redirect_uri: str
    challenge: str | None
    method: str
    expires_at: datetime
    used: bool = False


class OAuthError(Exception):
    """The standard's `error` and `error_description`; the network says in which shape they are answered."""

    def __init__(self, error: str, description: str, status: int = 400) -> None:
        super().__init__(f"{error}: {description}")
        self.error = error
        self.description = description
        self.status = status


class OAuthServer:
    def __init__(self, network: AuthorizingNetwork, rules: OAuthRules) -> None:
        self.network = network
        self.rules = rules
        self.grants: list[Grant] = []
        self._codes: dict[str, _Code] = {}
        self._by_token: dict[str, Grant] = {}

    # --- the page of the network -----------------------------------------------------------------------------------

    def app_of_page(self, query: Mapping[str, str]) -> App:
        """Check what a page may not redirect for: the app and the address to return to.

        Raises:
            OAuthError: one of them is wrong, so the page shows an error and nobody is sent anywhere.
        """
        app = self.network.world.app(self.network.key, query.get(self.rules.id_name, ""))
        if app is None:
            raise OAuthError("invalid_client", f"no app has this {self.rules.id_name}")
        if query.get("redirect_uri") not in app.redirect_uris:
            raise OAuthError("invalid_request", "the redirect_uri is not registered for this app")
        return app

    def page_error(self, app: App, query: Mapping[str, str]) -> OAuthError | None:
        """Return what is wrong with the rest of the parameters."""
        known = {"response_type", self.rules.id_name, "redirect_uri", "scope", "state"} | self.rules.authorize_extras
        if self.rules.pkce != "none":
            known |= {"code_challenge", "code_challenge_method"}
        unknown = sorted(set(query) - known) if self.network.strict else []
        asked = self.scopes_of(query.get("scope", ""))
        allowed = self.rules.scopes if app.scopes is None else app.scopes
        method = query.get("code_challenge_method", "plain")
        if query.get("response_type") != "code":
            return OAuthError("unsupported_response_type", "response_type is not code")
        if unknown:
            return OAuthError("invalid_request", f"unknown parameters: {', '.join(unknown)}")
        if not asked <= allowed:
            return OAuthError("invalid_scope", f"unknown scopes: {', '.join(sorted(asked - allowed))}")
        if self.rules.pkce == "required" and not query.get("code_challenge"):
            return OAuthError("invalid_request", "code_challenge is missing")
        if "code_challenge" in query and method not in {"S256", "plain"}:
            return OAuthError("invalid_request", "unknown code_challenge_method")
        return None

    def scopes_of(self, text: str) -> frozenset[str]:
        return frozenset(filter(None, text.split(self.rules.separator)))

    def page(self, request: Request) -> Response:
        """GET: who is asked for what; POST: the answer, with `person` and `decision` in the form."""
        query = request.query
        try:
            app = self.app_of_page(query)
        except OAuthError as error:
            return Response(400, body=_html(f"<p>{html.escape(str(error))}</p>"), headers=_HTML)
        if request.method == "GET" and self.page_error(app, query) is None:
            people = [one for one in self.network.world.people if one.network == self.network.key]
            return Response(200, body=_html(_form(app, query, people)), headers=_HTML)
        decided = request.form if request.method == "POST" else {}
        return Response(302, headers={"Location": self.decide(query, **decided)})

    def decide(self, query: Mapping[str, str], person: str = "", decision: str = "deny", scope: str = "") -> str:
        """Return where the browser goes after a person decided; `scope` grants less than was asked.

        Raises:
            OAuthError: of `app_of_page`.
        """
        app = self.app_of_page(query)
        error = self.page_error(app, query)
        back: dict[str, str] = {}
        if error is not None:
            back = {"error": error.error, "error_description": error.description}
        elif decision != "approve":
            back = self.network.denied()
        else:
            owner = self.network.world.person(self.network.key, person)
            scopes = self.scopes_of(scope) or self.scopes_of(query.get("scope", ""))
            back = {"code": self.code(app, owner, scopes, query)} | self.network.callback_extras(scopes)
        if "state" in query:
            back["state"] = query["state"]
        separator = "&" if "?" in query["redirect_uri"] else "?"
        return f"{query['redirect_uri']}{separator}{urlencode(back)}"

    def code(self, app: App, person: Person, scopes: frozenset[str], query: Mapping[str, str]) -> str:
        world = self.network.world
        code = world.secret("code")
        self._codes[code] = _Code(
            grant=Grant(app, person, scopes, world.clock()),
            redirect_uri=query["redirect_uri"],
            challenge=None if self.rules.pkce == "none" else query.get("code_challenge"),
            method=query.get("code_challenge_method", "plain"),
            expires_at=world.clock() + timedelta(seconds=self.rules.code_seconds),
        )
        return code

    # --- tokens ----------------------------------------------------------------------------------------------------

    def client(self, request: Request, form: Mapping[str, Any]) -> App:
        """Return the app that authenticates itself in a call, in the place where the network wants it.

        Raises:
            OAuthError: it does not.
        """
        basic = _basic(request.headers.get("authorization", ""))
        if self.rules.client == "basic" and basic is None:
            raise OAuthError("unauthorized_client", "Missing valid authorization header", 401)
        if self.rules.client == "form" and basic is not None:
            raise OAuthError("invalid_request", "the secret belongs into the form")
        given_id, secret = basic or (str(form.get(self.rules.id_name, "")), str(form.get("client_secret", "")))
        app = self.network.world.app(self.network.key, given_id)
        if app is None or not hmac.compare_digest(app.client_secret, secret):
            raise OAuthError("invalid_client", "the app or its secret is wrong", 401)
        return app

    def token(self, request: Request) -> Grant:
        """Serve the token endpoint: a code or a refresh token against new tokens.

        Raises:
            OAuthError: the network answers with it.
        """
        if request.content_type != FORM:
            raise OAuthError("invalid_request", f"the content type has to be {FORM}")
        form = request.form
        app = self.client(request, form)
        if form.get("grant_type") == "authorization_code":
            verifier = form.get("code_verifier")
            return self.redeem(app, form.get("code", ""), form.get("redirect_uri", ""), verifier)
        if form.get("grant_type") == "refresh_token" and self.rules.refresh_seconds is not None:
            return self.refresh(app, form.get("refresh_token", ""))
        raise OAuthError("unsupported_grant_type", "unknown grant_type")

    def redeem(self, app: App, code: str, redirect_uri: str, verifier: str | None) -> Grant:
        """Exchange a code, once, in its short life, with the redirect address and the verifier that belong to it."""
        known = self._codes.get(code)
        if known is None or known.grant.app != app or known.expires_at <= self.network.world.clock():
            raise OAuthError("invalid_grant", "Value passed for the authorization code was invalid.")
        if known.used:
            self.end(known.grant)
            raise OAuthError("invalid_grant", "Value passed for the authorization code was invalid.")
        if redirect_uri != known.redirect_uri:
            raise OAuthError("invalid_grant", "redirect_uri is not the one of the authorization")
        if known.challenge is not None and not _verifies(verifier or "", known.challenge, known.method):
            raise OAuthError("invalid_grant", "Value passed for the code verifier did not match the code challenge.")
        known.used = True
        return self.issue(known.grant)

    def grant(self, app: App, person: Person, scopes: frozenset[str] | None = None) -> Grant:
        """Return a grant as if the person had agreed; None grants every scope."""
        return self.issue(
            Grant(app, person, self.rules.scopes if scopes is None else scopes, self.network.world.clock())
        )

    def issue(self, grant: Grant) -> Grant:
        """Give a grant new tokens."""
        world, rules = self.network.world, self.rules
        grant.access_token = world.secret("access")
        grant.access_expires_at = _after(world.clock(), rules.access_seconds)
        has_refresh = rules.refresh_seconds is not None and rules.refresh_scope in {None, *grant.scopes}
        if has_refresh and (grant.refresh_token is None or rules.rotates):
            if grant.refresh_token is not None:
                grant.old_tokens.add(grant.refresh_token)
            grant.refresh_token = world.secret("refresh")
            grant.refresh_expires_at = _after(world.clock(), rules.refresh_seconds)
            self._by_token[grant.refresh_token] = grant
        if grant not in self.grants:
            self.grants.append(grant)
        self._by_token[grant.access_token] = grant
        return grant

    def refresh(self, app: App, token: str) -> Grant:
        grant = self._by_token.get(token)
        if grant is None or grant.app != app or grant.revoked:
            raise OAuthError("invalid_grant", "Value passed for the token was invalid.")
        if token in grant.old_tokens:
            if self.rules.reuse_kills:
                self.end(grant)
            raise OAuthError("invalid_grant", "Value passed for the token was invalid.")
        expired = grant.refresh_expires_at is not None and grant.refresh_expires_at <= self.network.world.clock()
        if token != grant.refresh_token or expired:
            raise OAuthError("invalid_grant", "Value passed for the token was invalid.")
        return self.issue(grant)

    def find(self, access_token: str) -> Grant | None:
        """Return the grant that an access token opens now."""
        grant = self._by_token.get(access_token)
        if grant is None or grant.revoked or grant.access_token != access_token:
            return None
        expired = grant.access_expires_at is not None and grant.access_expires_at <= self.network.world.clock()
        return None if expired else grant

    def revoke(self, request: Request) -> None:
        """Serve the revocation endpoint; an unknown token is no error (RFC 7009)."""
        app = self.client(request, request.form)
        grant = self._by_token.get(request.form.get("token", ""))
        if grant is not None and grant.app == app:
            self.end(grant)

    def end(self, grant: Grant) -> None:
        grant.revoked = True


def _after(now: datetime, seconds: float | None) -> datetime | None:
    return None if seconds is None else now + timedelta(seconds=seconds)


def _basic(header: str) -> tuple[str, str] | None:
    scheme, _, value = header.partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        name, separator, secret = base64.b64decode(value, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return (unquote(name), unquote(secret)) if separator else None


def _verifies(verifier: str, challenge: str, method: str) -> bool:
    if method == "plain":
        return hmac.compare_digest(verifier, challenge)
    digest = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    return hmac.compare_digest(digest, challenge)


_HTML = {"Content-Type": "text/html; charset=utf-8"}


def _html(body: str) -> bytes:
    return f"<!doctype html><title>Authorize</title>{body}".encode()


def _form(app: App, query: Mapping[str, str], people: list[Person]) -> str:
    names = "".join(f"<option>{html.escape(person.username)}</option>" for person in people)
    return (
        f"<h1>{html.escape(app.client_id)} asks for {html.escape(query.get('scope', 'nothing'))}</h1>"
        f"<form method=post><label>As <select name=person>{names}</select></label>"
        "<button name=decision value=approve>Approve</button><button name=decision value=deny>Deny</button></form>"
    )
