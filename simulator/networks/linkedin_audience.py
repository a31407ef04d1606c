"""Who a post of an organization is shown to: `distribution.targetEntities` of LinkedIn's Posts API.

Source: learn.microsoft.com, Share targeting. A follower is of the audience who has any of the values of each facet; 300
have to be, of LinkedIn's test organizations one. `details["followers"]` of an organization are its followers, as the
number of those who are alike and what they have: `[(500, {"seniorities": ["urn:li:seniority:6"]})]`. Without them, all
audiences are large enough. Not documented, and so chosen here: status and words of the refusals.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from simulator.world import Destination

MINIMUM = 300
TEST_ORGANIZATIONS = frozenset({"2414183", "6177438"})
_KINDS: Mapping[str, str] = {
    "degrees": "degree", "fieldsOfStudy": "fieldOfStudy", "geoLocations": "geo", "industries": "industry",
    "jobFunctions": "function", "organizations": "organization", "seniorities": "seniority",
}  # fmt: skip
_SIZES = frozenset(
    {"SIZE_1", "SIZE_2_TO_10", "SIZE_11_TO_50", "SIZE_51_TO_200", "SIZE_201_TO_500", "SIZE_501_TO_1000",
     "SIZE_1001_TO_5000", "SIZE_5001_TO_10000", "SIZE_10001_OR_MORE"}
)  # fmt: skip
_PLACE = "/distribution/targetEntities"


def problem(entities: Any, author: Destination | None) -> str | None:
    """Return why LinkedIn takes no post with this audience. `author`: the organization; None for a person."""
    if not isinstance(entities, list):
        return f"{_PLACE} is not an array"
    if not entities:
        return None
    if author is None:
        return f"{_PLACE}: only posts of organizations can be targeted"
    wrong = next(filter(None, (_entity(entity, f"{_PLACE}/{index}") for index, entity in enumerate(entities))), None)
    if wrong is not None:
        return wrong
    minimum = 1 if author.id in TEST_ORGANIZATIONS else MINIMUM
    too_small = any(_reached(author, entity) < minimum for entity in entities)
    return f"{_PLACE}: the targeted audience has fewer than {minimum} members" if too_small else None


def _entity(entity: Any, place: str) -> str | None:
    if not isinstance(entity, dict) or not entity:
        return f"{place} is not an object with facets"
    wrong = ((facet, _facet(facet, values)) for facet, values in entity.items())
    return next((f"{place}/{facet}: {words}" for facet, words in wrong if words), None)


def _facet(facet: str, values: Any) -> str | None:
    """Return what is wrong with the values of a facet, as URNs of its kind, codes or locales."""
    if not isinstance(values, list) or not values:
        return "has to be an array with values"
    rules: Mapping[str, Callable[[Any], bool]] = {"staffCountRanges": _is_size, "interfaceLocales": _is_locale}
    if facet in rules:
        return None if all(map(rules[facet], values)) else "has a value that does not exist"
    if facet not in _KINDS:
        return "there is no such facet"
    urn = re.compile(rf"urn:li:{_KINDS[facet]}:\d+")
    wrong = [value for value in values if not isinstance(value, str) or not urn.fullmatch(value)]
    return f"{wrong[0]} is no URN of the type {_KINDS[facet]}" if wrong else None


def _is_size(value: Any) -> bool:
    return isinstance(value, str) and value in _SIZES


def _is_locale(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"language", "country"}
        and re.fullmatch("[a-z]{2} [A-Z]{2}", f"{value['language']} {value['country']}") is not None
    )


def _reached(author: Destination, entity: Mapping[str, list[Any]]) -> int:
    followers = author.details.get("followers", [(MINIMUM, entity)])
    return sum(
        count
        for count, has in followers
        if all(any(value in has.get(facet, ()) for value in values) for facet, values in entity.items())
    )
