"""What the parts of Stripe's API need of the whole."""

from typing import TYPE_CHECKING, Any

from simulator.messages import Fail, Request, Response
from simulator.network import Network

if TYPE_CHECKING:
    from simulator.stripe.events import Outbox
    from simulator.stripe.lifecycle import Lifecycle

Object = dict[str, Any]


class Part(Network):
    """Some calls of the API; `Stripe` is made of these."""

    if TYPE_CHECKING:
        objects: dict[str, Object]
        outbox: Outbox
        life: Lifecycle

        def refuse_with(self, status: int, message: str, **values: Any) -> Fail: ...
        def missing(self, what: str, object_id: str, param: str = "id") -> Fail: ...
        def parameters(self, request: Request, *allowed: str) -> Object: ...
        def page(self, found: list[Object], given: Object, url: str) -> Response: ...
        def shown(self, found: Object, given: Object | None = None) -> Response: ...
        def make_id(self, prefix: str) -> str: ...
        def keep(self, made: Object) -> Object: ...
        def of_kind(self, kind: str) -> list[Object]: ...
        def find(self, kind: str, object_id: str, param: str = "id") -> Object: ...
        def card_of(self, customer: Object, method_id: str) -> Object: ...
        def happened(self, kind: str, about: Object) -> None: ...

    def flag(self, given: Object, name: str, *, default: bool = False) -> bool:
        """Return a parameter that is `true` or `false`."""
        value = given.get(name)
        if value is None:
            return default
        if value not in ("true", "false"):
            raise self.refuse_with(400, f"Invalid boolean: {value}", param=name)
        return bool(value == "true")

    def required(self, given: Object, name: str) -> Any:
        if given.get(name) in (None, ""):
            raise self.refuse_with(400, f"Missing required param: {name}.", code="parameter_missing", param=name)
        return given[name]
