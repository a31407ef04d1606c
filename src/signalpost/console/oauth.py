"""The addresses of OAuth for programs: metadata, tokens, revocation, registration, answered as its RFCs say."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

import msgspec

from signalpost.apps import tokens
from signalpost.apps.actions import exchange, register
from signalpost.apps.errors import INVALID_CLIENT, OauthError
from signalpost.console.site import Site
from signalpost.kit import problems
from signalpost.kit.tenant import across_workspaces
from signalpost.web.request import Request, address_bucket, client_address, media_type_of, read_body
from signalpost.web.response import Headers, Response
from signalpost.web.router import Route

AUTHORIZE: Final = "/oauth/authorize"
_TOKEN, _REVOKE, _REGISTER = "/oauth/token", "/oauth/revoke", "/oauth/register"
_SERVER: Final = "/.well-known/oauth-authorization-server"
_RESOURCE: Final = "/.well-known/oauth-protected-resource"
RESOURCE_OF_MCP: Final = f"{_RESOURCE}/mcp"
_RESOURCES: Final = {
    "/mcp": tokens.ASSISTANT_SCOPES,
    "/api/v1": tokens.APP_SCOPES,
}
"""What is served to apps -> the scopes that it has a use for."""
_BODY_BYTES_MAX: Final = 20_000
_FIELDS_MAX: Final = 30
_CALLS_PER_MINUTE: Final = 300
"""Of an address: an app on a server refreshes for all its people from there."""
_REGISTRATIONS: Final = 20
_REGISTRATION_SECONDS: Final = 3_600
_OPEN: Final[Headers] = [(b"access-control-allow-origin", b"*")]
"""No cookie counts at these addresses, so a page of any site may call them: some apps run in a browser."""

Respond = Callable[[Request], Awaitable[tuple[int, Any]]]


def routes(site: Site) -> list[Route]:
    """Return the routes of the addresses of OAuth for programs."""
    endpoints = _Endpoints(site)
    return [
        *site.routes([_SERVER], _served(endpoints.server)),
        *site.routes([_RESOURCE], _served(endpoints.resource("/api/v1"))),
        *(route for path in _RESOURCES for route in site.routes([_RESOURCE + path], _served(endpoints.resource(path)))),
        *site.routes([_TOKEN], _served(endpoints.token), method="POST", bucket=None),
        *site.routes([_REVOKE], _served(endpoints.revoke), method="POST", bucket=None),
        *site.routes([_REGISTER], _served(endpoints.register), method="POST", bucket=None),
    ]


def _served(respond_with: Respond) -> Callable[[Request], Awaitable[Response]]:
    """Return a handler that answers as JSON, also with what is refused."""

    async def respond(request: Request) -> Response:
        headers: Headers = []
        try:
            with across_workspaces():  # an app is of no workspace, or of another one than those that it acts for
                status, document = await respond_with(request)
        except OauthError as error:
            status, document = error.status, {"error": error.code, "error_description": error.description}
            if error.code == INVALID_CLIENT and "authorization" in request.headers:
                headers = [(b"www-authenticate", b'Basic realm="signalpost"')]
        except problems.Problem as problem:
            code = "temporarily_unavailable" if problem.status in (429, 503) else "invalid_request"
            status, document = problem.status, {"error": code, "error_description": problem.detail}
            headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in problem.headers.items()]
        return Response(status, msgspec.json.encode(document), [*_OPEN, *headers])

    return respond


class _Endpoints:
    def __init__(self, site: Site) -> None:
        self._web = site.web
        self._context = site.web.context

    async def server(self, _: Request) -> tuple[int, Any]:
        """Return the metadata of the authorization server (RFC 8414)."""
        issuer = self._web.base_url
        methods = ["none", "client_secret_basic", "client_secret_post"]
        return 200, {
            "issuer": issuer,
            "authorization_endpoint": issuer + AUTHORIZE,
            "token_endpoint": issuer + _TOKEN,
            "revocation_endpoint": issuer + _REVOKE,
            "registration_endpoint": issuer + _REGISTER,
            "scopes_supported": tokens.APP_SCOPES,
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": methods,
            "revocation_endpoint_auth_methods_supported": methods,
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            "service_documentation": f"{issuer}/docs/guides/apps",
        }

    def resource(self, path: str) -> Respond:
        """Return what answers with the metadata of a protected resource (RFC 9728)."""

        async def answer(_: Request) -> tuple[int, Any]:
            issuer = self._web.base_url
            return 200, {
                "resource": issuer + path,
                "authorization_servers": [issuer],
                "scopes_supported": _RESOURCES[path],
                "bearer_methods_supported": ["header"],
                "resource_name": "Signalpost",
            }

        return answer

    async def token(self, request: Request) -> tuple[int, Any]:
        """Give tokens for a code or a refresh token."""
        form = await self._form(request)
        async with self._context.database.connection() as db:
            credentials = exchange.credentials_of(form, request.headers.get("authorization", ""))
            app = await exchange.authenticated(self._context, db, credentials)
        match form.get("grant_type"):
            case "authorization_code":
                return 200, await exchange.redeem(self._context, app, form, self._web.base_url)
            case "refresh_token":
                return 200, await exchange.refresh(self._context, app, form)
            case _:
                raise OauthError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token")

    async def revoke(self, request: Request) -> tuple[int, Any]:
        """End the grant of a token (RFC 7009)."""
        form = await self._form(request)
        async with self._context.database.connection() as db:
            credentials = exchange.credentials_of(form, request.headers.get("authorization", ""))
            app = await exchange.authenticated(self._context, db, credentials)
        if not form.get("token"):
            raise OauthError("invalid_request", "token is missing")
        await exchange.revoke(self._context, app, form)
        return 200, {}

    async def register(self, request: Request) -> tuple[int, Any]:
        """Register an app that asks for it (RFC 7591)."""
        await self._web.limiter.admit(
            f"register-app:{self._address(request)}", "registrations", _REGISTRATIONS, _REGISTRATION_SECONDS
        )
        body = await read_body(request, _BODY_BYTES_MAX)
        async with self._context.database.transaction() as db:
            return 201, await register.register(self._context, db, body)

    def _address(self, request: Request) -> str:
        return address_bucket(client_address(request.scope, self._context.settings.trusted_proxies))

    async def _form(self, request: Request) -> Mapping[str, str]:
        """Return the parameters of a form, each of which may be sent once; empty ones count as left out (RFC 6749)."""
        self._web.limiter.check(f"oauth:{self._address(request)}", "address", _CALLS_PER_MINUTE)
        if media_type_of(request.headers) != "application/x-www-form-urlencoded":
            raise OauthError("invalid_request", "The body must be application/x-www-form-urlencoded.")
        body = await read_body(request, _BODY_BYTES_MAX)
        try:
            pairs = parse_qsl(body.decode("ascii"), max_num_fields=_FIELDS_MAX, errors="strict")
        except (UnicodeDecodeError, ValueError):
            raise OauthError("invalid_request", "The body is not a form.") from None
        form = dict(pairs)
        if len(form) != len(pairs):
            raise OauthError("invalid_request", "A parameter was sent twice.")
        return form


def challenge_of_mcp(base_url: str) -> bytes:
    """Return the `WWW-Authenticate` of `/mcp`: where an assistant reads how a person signs it in (RFC 9728)."""
    return f'Bearer resource_metadata="{base_url}{RESOURCE_OF_MCP}"'.encode()
