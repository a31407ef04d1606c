"""What each role may do, against a table that was read by people: `roles.tsv`, from C2 of the contract.

The table is about things that somebody else made: `no` is 403, `hidden` 404. To write it again: leave only its
first line, run this file with `SIGNALPOST_TEST_WRITE_ROLES=1` in one process, and read the difference against
the contract before committing it.
"""

import csv
import os
from pathlib import Path

import pytest
from tests.contract.conftest import CreateSample
from tests.contract.test_success import PREPARED
from tests.helpers.api import Api
from tests.helpers.contract import ENDPOINTS, name_of

from signalpost.web.caller import PUBLIC
from signalpost.web.routing import Endpoint

TABLE = Path(__file__).parent / "roles.tsv"
ROLES = ("owner", "admin", "editor", "contributor", "approver", "viewer")
GUARDED = [endpoint for endpoint in ENDPOINTS if endpoint.scope != PUBLIC]
BY_SESSION = {"POST /auth/logout", "POST /workspaces", "PATCH /workspaces/{id}"}
"""What no API key may do, whatever its role: tests/identity shows these."""


def table() -> dict[str, dict[str, str]]:
    with TABLE.open() as file:
        return {row["endpoint"]: row for row in csv.DictReader(file, delimiter="\t")}


def test_the_table_has_a_line_for_every_endpoint() -> None:
    assert sorted(table()) == sorted(name_of(endpoint) for endpoint in GUARDED if name_of(endpoint) not in BY_SESSION)


@pytest.mark.parametrize("endpoint", [e for e in GUARDED if name_of(e) not in BY_SESSION], ids=name_of)
async def test_each_role_may_do_what_the_table_says(api: Api, fresh_sample: CreateSample, endpoint: Endpoint) -> None:
    name = name_of(endpoint)
    found = {}
    sample = await fresh_sample(endpoint)
    for role in reversed(ROLES):
        login = await sample.make.member(sample.owner, role=role) if role != "owner" else sample.owner
        request = sample.prepare(endpoint)
        if prepare := PREPARED.get(name):
            await prepare(sample, request)
        answer = await request.send(api, key=login.key)
        found[role] = {endpoint.status: "yes", 403: "no", 404: "hidden"}[answer.status_code]
        if endpoint.writes and found[role] == "yes":
            sample = await fresh_sample(endpoint)  # this one is used up

    if os.environ.get("SIGNALPOST_TEST_WRITE_ROLES"):
        with TABLE.open("a") as file:
            file.write("\t".join([name, *(found[role] for role in ROLES)]) + "\n")
    else:
        assert found == {role: table()[name][role] for role in ROLES}
