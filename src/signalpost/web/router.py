"""From method and path to the handler: a tree with one level per segment, in which a literal wins over a parameter."""

import re
from collections.abc import Awaitable, Callable, Sequence

from msgspec import Struct

from signalpost.kit import problems
from signalpost.kit.nearest import nearest
from signalpost.web.request import Request
from signalpost.web.response import Response

API_PREFIX = "/api/v1"
_SHOWN_MAX = 12
_NAMED_MAX = 2
_VERSION = re.compile(r"^(/api)?(/v\d{1,3})?(?=/)")

Handler = Callable[[Request], Awaitable[Response]]


class Route(Struct, frozen=True):
    """One operation: `path` names its parameters in braces."""

    method: str
    path: str
    handler: Handler
    options_headers: tuple[tuple[bytes, bytes], ...] = ()
    """Of the response to OPTIONS, besides the methods."""


class _Node:
    """What follows after some segments of a path, and the routes that end here, by method."""

    __slots__ = ("children", "parameter", "routes")

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.parameter: _Node | None = None
        self.routes: dict[str, tuple[Route, tuple[str, ...]]] = {}


class Router:
    """All routes. GET routes serve HEAD too, and every path serves OPTIONS."""

    def __init__(self, routes: Sequence[Route], *, reference: Callable[[], str]) -> None:
        self._root = _Node()
        self._reference = reference
        self._by_name: dict[str, list[str]] = {}
        """Operations of the API by the last word of their path."""
        self.routes = tuple(routes)
        for route in routes:
            self._add(route)

    def _add(self, route: Route) -> None:
        node, names = self._root, []
        for segment in route.path.split("/"):
            if segment.startswith("{"):
                names.append(segment[1:-1])
                node.parameter = node = node.parameter or _Node()
            else:
                node = node.children.setdefault(segment, _Node())
        for method in ("GET", "HEAD") if route.method == "GET" else (route.method,):
            if method in node.routes:
                raise ValueError(f"two routes of {method} {route.path}")
            node.routes[method] = route, tuple(names)
        if route.path.startswith(API_PREFIX):
            name = next(part for part in reversed(route.path.split("/")) if not part.startswith("{"))
            self._by_name.setdefault(name, []).append(f"{route.method} {route.path}")

    def match(self, request: Request) -> Route:
        """Return the route, and fill in the path parameters of the request.

        Raises:
            NotFound: no route has this path.
            MethodNotAllowed: its routes have other methods.
        """
        node, values = self._root, []
        for segment in request.path.split("/"):
            following = node.children.get(segment)
            if following is None:
                following = node.parameter
                values.append(segment)
            if following is None:
                raise self._not_found(request)
            node = following
        if (served := node.routes.get(request.scope["method"])) is None:
            return self._other_method(request, node)
        route, names = served
        if names:
            request.path_params = dict(zip(names, values, strict=True))
        return route

    def _not_found(self, request: Request) -> problems.NotFound:
        path = request.path[:200]
        with_prefix = _VERSION.sub(API_PREFIX, path, count=1)
        hint = ""
        if (node := self._find(with_prefix)) is not None and node.routes:
            hint = f" Did you mean {with_prefix}?"
        elif node is not None or path != with_prefix[len(API_PREFIX) :]:  # else it may be a page
            hint = self._below(with_prefix, request.scope["method"])
        return problems.NotFound(
            f"No operation at {path}.{hint}", remediation=f"The API reference is at {self._reference()}."
        )

    def _below(self, path: str, method: str) -> str:
        """Return what there is where the path leaves what is served, as a sentence; what has this method first."""
        node, passed = self._root, ""
        for segment in path.split("/"):
            if (following := node.children.get(segment) or node.parameter) is None:
                break
            node, passed = following, f"{passed}/{segment}" if segment else passed
        segment, _, rest = path.removeprefix(passed).lstrip("/").partition("/")
        names = sorted(node.children)
        similar = names[0] if len(names) == 1 else nearest(segment, tuple(names))
        if similar is not None:
            whole = self._find(f"{passed}/{similar}/{rest}") if rest else None
            return f" Did you mean {passed}/{similar}{f'/{rest}' if whole and whole.routes else ''}?"
        name = nearest(segment, tuple(self._by_name)) if segment else None
        if name is not None:  # such as /posts/{id}/cancel, /upload or /accounts
            meant = sorted(self._by_name[name], key=lambda operation: not operation.startswith(f"{method} "))
            return f" Did you mean {' or '.join(meant[:_NAMED_MAX])}?"
        if not names:
            return ""
        return f" Below {passed} there are: {', '.join(names[:_SHOWN_MAX])}{', …' if len(names) > _SHOWN_MAX else ''}."

    def _find(self, path: str) -> _Node | None:
        node: _Node | None = self._root
        for segment in path.split("/"):
            node = node and (node.children.get(segment) or node.parameter)
        return node

    def _other_method(self, request: Request, node: _Node) -> Route:
        if not node.routes:
            raise self._not_found(request)
        allow = ", ".join(sorted({*node.routes, "OPTIONS"}))
        if request.scope["method"] != "OPTIONS":
            supported = ", ".join(name for name in sorted(node.routes) if name != "HEAD")
            raise problems.MethodNotAllowed(
                f"{request.path[:200]} does not support {request.scope['method'][:20]}; it supports {supported}.",
                headers={"Allow": allow},
            )

        more = {header: None for route, _ in node.routes.values() for header in route.options_headers}

        async def tell(_: Request) -> Response:
            return Response(204, b"", [(b"allow", allow.encode()), *more])

        return Route("OPTIONS", request.path, tell)
