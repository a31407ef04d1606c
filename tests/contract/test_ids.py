"""Ids in paths: what is not there, not an id, or not yours is the same 404."""

import pytest
from tests.helpers.api import Api
from tests.helpers.contract import ENDPOINTS, Sample, name_of, prefix_of

from signalpost.kit import ids
from signalpost.web.caller import PUBLIC
from signalpost.web.routing import Endpoint

NAMED = [endpoint for endpoint in ENDPOINTS if any(prefix_of(path_input) for path_input in endpoint.path_inputs)]
OF_ALL = (PUBLIC, "instance:admin")
"""Scopes of what belongs to no workspace, or to staff, who see those of all."""
MINE = [endpoint for endpoint in NAMED if endpoint.scope not in OF_ALL]
"""What staff change belongs to the installation, not to a workspace."""

SPOILT = (
    "x", "{prefix}_", "{prefix}_1", "{prefix}_ZZZZZZZZZZZZZZZZZZZZZZZZZZ", "{prefix}_0000000000000000000000000U",
    "{prefix}-{tail}", "xyz_{tail}", "{tail}", "{prefix}_{tail}0", "{prefix}_%00{tail}", "%F0%9F%98%80", "0", "-1",
    "null", "00000000-0000-0000-0000-000000000000", "{prefix}_{tail}%20", "%27%20or%201=1--", "a" * 3000,
)  # fmt: skip


def _prefix(endpoint: Endpoint) -> str:
    return next(prefix for path_input in endpoint.path_inputs if (prefix := prefix_of(path_input)))


OF_A_PROFILE = [endpoint for endpoint in MINE if _prefix(endpoint) not in ("app", "key", "mem", "tkt", "wsp", "whk")]
"""The others hang on the workspace; what a limited member sees of those is shown in their rooms."""


@pytest.mark.parametrize("endpoint", MINE, ids=name_of)
async def test_what_belongs_to_others_is_not_there(
    api: Api, sample: Sample, foreign: Sample, endpoint: Endpoint
) -> None:
    """404, never 403: the answer must not tell that such a thing exists."""
    theirs = await foreign.prepare(endpoint).send(api, key=sample.owner.key)
    nobodys = sample.prepare(endpoint)
    prefix = _prefix(endpoint)
    unknown = ids.encode(prefix, ids.new_id())
    nobody = await nobodys.send(api, path=nobodys.path.replace(sample.ids[prefix], unknown))

    assert (theirs.status_code, theirs.json()["code"]) == (404, "not_found")
    assert (nobody.status_code, nobody.json()["code"]) == (404, "not_found")
    assert theirs.json()["detail"].replace(foreign.ids[prefix], unknown) == nobody.json()["detail"]


@pytest.mark.parametrize("endpoint", NAMED, ids=name_of)
async def test_what_is_no_id_is_not_there(api: Api, sample: Sample, endpoint: Endpoint) -> None:
    request = sample.prepare(endpoint)
    prefix = _prefix(endpoint)
    tail = sample.ids[prefix].partition("_")[2]
    for form in SPOILT:
        spoilt = form.format(prefix=prefix, tail=tail)
        answer = await request.send(api, path=request.path.replace(sample.ids[prefix], spoilt))

        assert answer.status_code == 404, spoilt


@pytest.mark.parametrize("endpoint", OF_A_PROFILE, ids=name_of)
async def test_a_profile_outside_the_members_reach_is_not_there(
    api: Api, sample: Sample, outsider: str, endpoint: Endpoint
) -> None:
    """An admin who is limited to another profile of the workspace."""
    answer = await sample.prepare(endpoint).send(api, key=outsider)

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


LISTS = [e for e in ENDPOINTS if e.has("page") and not e.path_inputs and e.scope not in OF_ALL]
ABOUT_MINE = [endpoint for endpoint in LISTS if endpoint.name != "list_requests"]
"""Lists without the one that shows what its own tenant asked for: here, ids of others."""


async def test_lists_show_nothing_of_others(api: Api, sample: Sample, foreign: Sample) -> None:
    for endpoint in ABOUT_MINE:
        answer = await sample.prepare(endpoint).send(api)

        assert answer.status_code == 200
        assert not [text for text in foreign.ids.values() if text in answer.text], endpoint.path
