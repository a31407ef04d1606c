"""From method and path to the handler: a tree with one level per segment, in which a literal wins over a parameter."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from signalpost.kit import problems
from signalpost.kit.nearest import nearest
from signalpost.web.request import Request
from signalpost.web.response import Response

API_PREFIX = "/api/v1"
_SHOWN_MAX = 12

Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Route:
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
        with_prefix = f"{API_PREFIX}/{path.removeprefix('/api').lstrip('/')}"
        hint = f" Did you mean {with_prefix}?" if self._is_served(with_prefix) else self._below(path)
        return problems.NotFound(
            f"No operation at {path}.{hint}", remediation=f"The API reference is at {self._reference()}."
        )

    def _below(self, path: str) -> str:
        """Return what there is where the path leaves what is served, as a sentence; nothing outside of the API."""
        node, passed = self._root, ""
        for segment in path.split("/"):
            if (following := node.children.get(segment) or node.parameter) is None:
                break
            node, passed = following, f"{passed}/{segment}" if segment else passed
        if not passed.startswith(API_PREFIX.rpartition("/")[0]) or not node.children:
            return ""
        segment = path.removeprefix(passed).lstrip("/").partition("/")[0]
        names = sorted(node.children)
        similar = names[0] if len(names) == 1 else nearest(segment, tuple(names))
        if similar is not None:
            return f" Did you mean {passed}/{similar}?"
        return f" Below {passed} there are: {', '.join(names[:_SHOWN_MAX])}{', …' if len(names) > _SHOWN_MAX else ''}."

    def _is_served(self, path: str) -> bool:
        node: _Node | None = self._root
        for segment in path.split("/"):
            node = node and (node.children.get(segment) or node.parameter)
        return node is not None and bool(node.routes)

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
