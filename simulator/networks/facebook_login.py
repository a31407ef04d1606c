"""Facebook Login: a code, a token of hours, one of 60 days, and tokens of Pages that last as long as the grant.

Networks that people sign in to with Facebook build on it: Facebook itself, and Instagram for accounts of Pages. A Page
whose `details["business"]` is `{"id", "name", "kind": "owned" | "client"}` belongs to a business portfolio, and is not
among those that the person ticked in the dialog unless it says `ticked`.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from simulator.messages import Request, Response
from simulator.network import route
from simulator.networks.graph import LONG_LIVED_SECONDS
from simulator.networks.graph_push import Pushing
from simulator.oauth import Grant, OAuthError
from simulator.world import Destination, World


class FacebookLogin(Pushing):
    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.page_tokens: dict[str, tuple[Grant, str]] = {}

    def denied(self) -> dict[str, str]:
        return {
            "error": "access_denied",
            "error_code": "200",
            "error_description": "Permissions error",
            "error_reason": "user_denied",
        }

    @route("GET /{version}/oauth/access_token", auth=False)
    def access_token(self, request: Request) -> Response:
        query, oauth = request.query, self.oauth
        assert oauth is not None  # noqa: S101 - this network has it
        app = self.world.app(self.key, query.get("client_id", ""))
        if app is None or app.client_secret != query.get("client_secret"):
            raise self.fail(101, "Error validating client secret.")
        if query.get("grant_type") == "fb_exchange_token":
            grant = oauth.find(query.get("fb_exchange_token", ""))
            if grant is None or grant.app != app:
                raise self.fail(190, "Error validating access token.", 463, 401)
            oauth.issue(grant)
            grant.access_expires_at = self.world.clock() + timedelta(seconds=LONG_LIVED_SECONDS)
            grant.details["long_lived"] = True
        else:
            try:
                code, redirect_uri = query.get("code", ""), query.get("redirect_uri", "")
                grant = oauth.redeem(app, code, redirect_uri, query.get("code_verifier"))
            except OAuthError as error:
                subcode = 36008 if "redirect" in error.description else 36009
                raise self.fail(100, f"This authorization code is invalid: {error.description}", subcode) from None
        assert grant.access_expires_at is not None  # noqa: S101 - both kinds expire
        seconds = int((grant.access_expires_at - self.world.clock()).total_seconds())
        answer = {"access_token": grant.access_token, "token_type": "bearer", "expires_in": seconds}
        return Response(200, answer)

    def page_token(self, grant: Grant, page: Destination) -> str:
        """Return the token of a Page, which lives as long as the person's grant."""
        for token, (owner, page_id) in self.page_tokens.items():
            if owner is grant and page_id == page.id:
                return token
        token = self.world.secret("page")
        self.page_tokens[token] = (grant, page.id)
        return token

    def grant_of(self, token: str) -> Grant | None:
        if token in self.page_tokens:
            grant, _ = self.page_tokens[token]
            return None if grant.revoked else grant
        return super().grant_of(token)

    @route("GET /{version}/me/accounts", scopes=("pages_show_list",))
    def accounts(self, request: Request) -> Response:
        pages = [page for page in request.person.destinations if page.kind == "page" and _is_ticked(page)]
        return self._pages(request, pages)

    def _pages(self, request: Request, pages: Iterable[Destination]) -> Response:
        fields, default = request.query.get("fields", ""), ("name", "access_token", "tasks")
        return self.listed_page(
            request, [self.shown(self.page_fields(request, page), fields, *default) for page in pages]
        )

    @route("GET /{version}/me/businesses", scopes=("business_management",))
    def businesses(self, request: Request) -> Response:
        found = {page.details["business"]["id"]: page.details["business"]["name"]
                 for page in request.person.destinations if "business" in page.details}  # fmt: skip
        return self.listed_page(request, [{"id": one, "name": name} for one, name in found.items()])

    @route("GET /{version}/{business}/owned_pages", scopes=("business_management",))
    def owned_pages(self, request: Request) -> Response:
        return self._pages(request, self._of_business(request, "owned"))

    @route("GET /{version}/{business}/client_pages", scopes=("business_management",))
    def client_pages(self, request: Request) -> Response:
        return self._pages(request, self._of_business(request, "client"))

    def _of_business(self, request: Request, kind: str) -> list[Destination]:
        businesses = [(page, page.details.get("business")) for page in request.person.destinations]
        wanted = (request.args["business"], kind)
        return [page for page, business in businesses if business and (business["id"], business["kind"]) == wanted]

    def page_fields(self, request: Request, page: Destination) -> dict[str, Any]:
        """Return a Page as the API shows it."""
        instagram = page.details.get("instagram")
        return {
            "id": page.id,
            "name": page.name,
            "username": page.details.get("username"),
            "access_token": self.page_token(request.grant, page),
            "tasks": page.details.get("tasks", ["CREATE_CONTENT", "MODERATE", "ANALYZE", "MANAGE"]),
            "category": page.details.get("category", "Bakery"),
            "picture": {"data": {"url": f"https://scontent.example/{page.id}.jpg"}},
            "link": f"https://www.facebook.com/{page.id}",
            "followers_count": page.details.get("followers", 12),
            "instagram_business_account": instagram,
        }

    @route("GET /{version}/me/permissions")
    def permissions(self, request: Request) -> Response:
        granted = [{"permission": scope, "status": "granted"} for scope in sorted(request.grant.scopes)]
        return self.listed_page(request, granted)

    @route("DELETE /{version}/me/permissions")
    def revoke_permissions(self, request: Request) -> Response:
        assert self.oauth is not None  # noqa: S101 - this network has it
        self.oauth.end(request.grant)
        return Response(200, {"success": True})

    def debug(self, request: Request) -> Response:
        """Say what a token is worth."""
        grant = self.grant_of(request.query.get("input_token", ""))
        if grant is None:
            return Response(200, {"data": {"is_valid": False, "scopes": []}})
        data = {"is_valid": True, "app_id": grant.app.client_id, "expires_at": 0, "scopes": sorted(grant.scopes)}
        return Response(200, {"data": data})


def _is_ticked(page: Destination) -> bool:
    return "business" not in page.details or page.details["business"].get("ticked", False)
