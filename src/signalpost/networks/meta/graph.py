"""Calls to the Graph API with an account's token."""

import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from msgspec import Struct

from signalpost.kit.http import BadResponse
from signalpost.kit.http import Part as FormPart
from signalpost.networks.contract import ApiError, NetworkSession, OAuthApp, Response, Server
from signalpost.networks.meta.errors import PUBLISHES
from signalpost.networks.responses import members, string, texts

GRAPH_VERSION: Final = "v25.0"
GRAPH_SUNSET_ON: Final = "2028-07-29"
PAGES_MAX: Final = 10
"""Of a list that is read to its end."""
TOO_MANY: Final = "The account has published too many posts since then to find this one."


class Graph(Struct, frozen=True):
    """One host of the Graph API, with a token. `app`: for the proof that the token is used by the app it was made for.

    The token stands in the query or in the form, as the documentation of all three networks has it.
    """

    server: Server
    token: str
    app: OAuthApp | None = None
    version: str = GRAPH_VERSION

    @property
    def credentials(self) -> dict[str, str]:
        """The parameters that say who calls."""
        if self.app is None:
            return {"access_token": self.token}
        proof = hmac.new(self.app.client_secret.encode(), self.token.encode(), hashlib.sha256).hexdigest()
        return {"access_token": self.token, "appsecret_proof": proof}

    async def get(self, path: str, **params: str) -> Mapping[str, Any]:
        """Read an object or an edge: `get("me", fields="id,name")`."""
        response = await self.server.call("GET", self._path(path), params={**params, **self.credentials})
        return members(response)

    async def page(self, path: str, params: Mapping[str, str], *, bytes_max: int) -> Mapping[str, Any]:
        """Read a page of an edge that may be larger than other answers."""
        query = {**params, **self.credentials}
        return members(await self.server.call("GET", self._path(path), params=query, bytes_max=bytes_max))

    async def items(self, path: str, **params: str) -> AsyncIterator[Mapping[str, Any]]:
        """Yield the objects of an edge, over its pages."""
        async for body in self.pages(path, **params):
            data = body.get("data")
            for item in data if isinstance(data, list) else ():
                if isinstance(item, dict):
                    yield item

    async def pages(self, path: str, **params: str) -> AsyncIterator[Mapping[str, Any]]:
        """Yield `PAGES_MAX` pages of an edge at most: `cursor` says of the last one whether there are more."""
        for _ in range(PAGES_MAX):
            body = await self.get(path, **params)
            yield body
            after = cursor(body)
            if after is None:
                return
            params["after"] = after

    async def post(self, path: str, form: Mapping[str, Any], *, publishes: bool = False) -> Response:
        """Write something; lists and mappings in `form` are sent as JSON, None is left out.

        `publishes`: the call makes a post public, so an unclear error does not mean that there is none.
        """
        values = {name: encoded(value) for name, value in form.items() if value is not None}
        try:
            return await self.server.call("POST", self._path(path), data={**values, **self.credentials})
        except ApiError as error:
            raise ApiError(error.response, error.call + PUBLISHES) if publishes else error from None

    async def comment(self, remote_id: str, text: str) -> str:
        """Comment on a post, and return the id of the comment."""
        return texts(await self.post(f"{remote_id}/comments", {"message": text}), "id")[0]

    async def upload(self, path: str, form: Mapping[str, str], file: FormPart, *, timeout_seconds: float) -> Response:
        """Send a form with a file."""
        fields = [FormPart(name, value) for name, value in {**form, **self.credentials}.items()]
        return await self.server.call("POST", self._path(path), data=[*fields, file], timeout_seconds=timeout_seconds)

    async def delete(self, path: str) -> None:
        """Delete an object."""
        await self.server.call("DELETE", self._path(path), params=self.credentials)

    def _path(self, path: str) -> str:
        return f"/{self.version}/{path}" if self.version else f"/{path}"


def of_session(session: NetworkSession, token: str, *, host: str = "") -> Graph:
    """Return the Graph API as an account sees it, with the proof of the operator's app."""
    return Graph(session.server.at(host), token, session.app)


def encoded(value: Any) -> str:
    """Return a parameter as the API reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value)


def objects_of(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the objects of a page.

    Raises:
        BadResponse: it has no list, which is not an empty one: nothing follows from it.
    """
    data = body.get("data")
    if not isinstance(data, list):
        raise BadResponse("the response is not a list of objects")
    return [item for item in data if isinstance(item, dict)]


def cursor(body: Mapping[str, Any]) -> str | None:
    """Return where the next page of a list begins; None after the last one."""
    paging = body.get("paging")
    cursors = paging.get("cursors") if isinstance(paging, dict) and paging.get("next") else None
    return string(cursors.get("after")) if isinstance(cursors, dict) else None
