"""Who may do what, against a table that was read by people: `roles.tsv`, from C2 of the contract.

Its columns are credentials. Of one workspace: a key with every scope of each role, the owner's session, a key of theirs
that only reads, their test key, the key of an admin who is limited to another profile (`outsider`), that of another
workspace's owner, and that of an admin who is limited to the profile of what they ask for (`insider`; where the column
is empty, it is as that of the admin).
What they ask for is live and was made by the owner. `no` is 403 (409 for what only a session has), `hidden` 404, or 422
that knows an id in the body as little.

To write the table again: leave only its first line, run this file with `SIGNALPOST_TEST_WRITE_ROLES=1` in one process,
and read the difference against the contract before committing it.
"""

import csv
import os
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest
from httpx import Response
from tests.contract.conftest import CreateSample
from tests.contract.test_success import PREPARED
from tests.figures.record import Record, holds
from tests.helpers.api import Api
from tests.helpers.contract import ENDPOINTS, Sample, create_sample, name_of, session_of
from tests.helpers.factories import Make

from signalpost.context import AppContext
from signalpost.web.caller import PUBLIC
from signalpost.web.routing import Endpoint

TABLE = Path(__file__).parent / "roles.tsv"
ROLES = ("owner", "admin", "editor", "contributor", "approver", "viewer")
CREDENTIALS = (*ROLES, "session", "reader", "test", "outsider", "stranger", "insider")
GUARDED = [endpoint for endpoint in ENDPOINTS if endpoint.scope != PUBLIC]
BY_SESSION = {
    "POST /auth/logout", "POST /team/leave", "POST /workspaces", "PATCH /workspaces/{id}",
    "DELETE /workspaces/{id}", "POST /workspaces/{id}/export", "GET /workspaces/{id}/export",
}  # fmt: skip
"""What no API key may do, whatever its role."""

NOT_SOLD = {
    "POST /billing/checkout", "POST /billing/portal", "PATCH /billing/subscription", "POST /billing/handover",
    "DELETE /billing/handover", "POST /billing/payer", "POST /billing/refresh",
}  # fmt: skip
"""What an installation that sells nothing answers with 409, to those who may do it."""

ONCE = {
    "POST /profiles", "POST /posts", "POST /posts/fanout", "POST /queues", "PATCH /queues/{id}", "POST /wa/link-code",
    "POST /feeds",
}  # fmt: skip
"""What is refused the second time: names and contents are unique, and a key replaces no code of a session."""

UNREACHABLE = {"POST /feeds/preview"}
"""What needs another server, of which there is none here; those who may do it are told so with 422."""

_keys: dict[str, dict[str, str]] = defaultdict(dict)
"""Workspace -> credential -> bearer: the people of a sample are the same for all cases."""


async def bearer_of(sample: Sample, credential: str) -> str:
    people = _keys[sample.ids["wsp"]]
    if credential not in people:
        people[credential] = await _new_bearer(sample, credential)
    return people[credential]


async def _new_bearer(sample: Sample, credential: str) -> str:
    make, owner = sample.make, sample.owner
    if credential == "session":
        return (await session_of(sample, owner)).access_token
    if credential == "reader":
        answer = await sample.api.post("/api-keys", json={"name": "r", "permission": "read"}, key=owner.key)
        return str(answer.json()["key"])
    if credential == "insider":
        return (await make.member(owner, role="admin", profile_ids=[owner.profile])).key
    if credential == "outsider":
        other = await make.profile(owner)
        return (await make.member(owner, role="admin", profile_ids=[other["id"]])).key
    own = {"owner": owner.key, "test": owner.test_key}
    if credential in own:
        return own[credential]
    return (await (make.owner() if credential == "stranger" else make.member(owner, role=credential))).key


@pytest.fixture(scope="session")
async def shared(context: AppContext, api: Api) -> Sample:
    """The sample of all cases that use nothing up; they may change it."""
    return await create_sample(api, Make(context, api))


@cache
def table() -> dict[str, dict[str, str]]:
    with TABLE.open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return {row["endpoint"]: row | {"insider": row["insider"] or row["admin"]} for row in rows}


def uses_up(endpoint: Endpoint) -> bool:
    """Whether a success changes what the next credential asks for; what only adds something does not."""
    if name_of(endpoint) in PREPARED.keys() | ONCE or endpoint.method == "DELETE":
        return True
    return endpoint.method == "POST" and bool(endpoint.path_inputs)


def result_of(answer: Response, endpoint: Endpoint) -> str:
    results = {endpoint.status: "yes", 403: "no", 404: "hidden"}
    if name_of(endpoint) in BY_SESSION:
        results[409] = "no"
    if name_of(endpoint) in NOT_SOLD:
        results[409] = "yes"
    if name_of(endpoint) in UNREACHABLE and answer.status_code == 422:
        assert answer.json()["code"] == "feed_unreadable", answer.text
        return "yes"
    if answer.status_code == 422:
        assert {issue["code"] for issue in answer.json()["errors"]} == {"not_found"}, answer.text
        results[422] = "hidden"
    return results[answer.status_code]


def test_the_table_has_a_line_for_every_endpoint() -> None:
    assert sorted(table()) == sorted(name_of(endpoint) for endpoint in GUARDED)


@holds("S6")
@pytest.mark.parametrize("endpoint", GUARDED, ids=name_of)
async def test_each_credential_may_do_what_the_table_says(
    api: Api, shared: Sample, fresh_sample: CreateSample, record: Record, endpoint: Endpoint
) -> None:
    name = name_of(endpoint)
    found = {}
    sample = await fresh_sample(endpoint) if uses_up(endpoint) else shared
    if name == "GET /workspaces/{id}/export":  # else there is none, which looks like what is hidden
        assert (
            await api.post(f"/workspaces/{sample.ids['wsp']}/export", key=await bearer_of(sample, "session"))
        ).is_success
    for credential in reversed(CREDENTIALS):
        bearer = await bearer_of(sample, credential)
        request = sample.prepare(endpoint)
        if name not in BY_SESSION and (prepare := PREPARED.get(name)):
            await prepare(sample, request)
        found[credential] = result_of(await request.send(api, key=bearer), endpoint)
        if found[credential] == "yes" and uses_up(endpoint):
            sample = await fresh_sample(endpoint)

    if os.environ.get("SIGNALPOST_TEST_WRITE_ROLES"):
        with TABLE.open("a") as file:
            if found["insider"] == found["admin"]:
                del found["insider"]
            file.write("\t".join([name, *(found[each] for each in CREDENTIALS if each in found)]) + "\n")
    else:
        wanted = {credential: table()[name][credential] for credential in CREDENTIALS}
        differ = sum(found[credential] != wanted[credential] for credential in CREDENTIALS)
        tried = {"operations": 1, "answers compared": len(CREDENTIALS)}
        record("S6", tried=tried, measured={"answers that differ": differ})
        assert found == wanted
