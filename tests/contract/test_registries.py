"""What a list is made of is written down: nothing gets into one because a module happened to be imported."""

import inspect
import re
from pathlib import Path
from typing import Any

import signalpost
from signalpost.events import public
from signalpost.plans import limits

PACKAGE = Path(signalpost.__file__).parent
BY_IMPORT = {
    "kit/ids.py": "refuses a second type of id with the same prefix, where the second one is defined",
    "web/examples.py": "examples of ids: all types are imported when it is asked",
}
"""File that asks which classes there are -> why nothing depends on the order of imports there."""


def test_no_list_is_made_of_what_was_imported() -> None:
    asks = re.compile(r"\bglobals\(\)|\.__subclasses__\(\)")
    files = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if asks.search(path.read_text(encoding="utf-8"))
    }
    assert files == BY_IMPORT.keys()


def test_every_public_event_is_listed() -> None:
    kinds = [kind for _, kind in inspect.getmembers(public, inspect.isclass) if issubclass(kind, public.PublicEvent)]
    assert {kind for kind in kinds if kind is not public.PublicEvent} == set(public.PUBLIC_EVENTS.values())


def test_every_limit_and_feature_is_listed() -> None:
    defined: list[Any] = [value for value in vars(limits).values() if isinstance(value, limits.Limit | limits.Feature)]
    assert [*limits.LIMITS, *limits.FEATURES] == defined
