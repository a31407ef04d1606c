"""Stripe's forms: `items[0][price]=x` is `{"items": [{"price": "x"}]}`."""

import re
from collections.abc import Iterable
from typing import Any

_TOKENS = re.compile(r"\[([^\[\]]*)\]")


def nested(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the object that a form describes; lists have numbers or nothing as their keys."""
    tree: dict[str, Any] = {}
    for name, value in pairs:
        head, _, _ = name.partition("[")
        path = [head, *_TOKENS.findall(name[len(head) :])]
        node = tree
        for token in path[:-1]:
            node = node.setdefault(token or str(len(node)), {})
        node[path[-1] or str(len(node))] = value
    return {name: _lists(value) for name, value in tree.items()}


def _lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    inner = {name: _lists(item) for name, item in value.items()}
    if inner and all(name.isdigit() for name in inner):
        return [inner[name] for name in sorted(inner, key=int)]
    return inner
