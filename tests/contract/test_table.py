"""The table of endpoints against the specification, and against itself."""

import csv
import inspect
import re
from collections import Counter
from pathlib import Path

import pytest
from tests.helpers.contract import DOCUMENT, ENDPOINTS, name_of

from signalpost.kit.problems import Problem
from signalpost.main import wiring
from signalpost.web.caller import PUBLIC
from signalpost.web.routing import Endpoint

HERE = Path(__file__).parent
WITHOUT_CREDENTIALS = """
    GET /healthz/api
    GET /healthz/datastore
    GET /status/components
    GET /status/incidents/active
    GET /status/incidents/recent
    GET /status/uptime/{componentId}
    POST /status/subscribe
    POST /status/subscriptions/confirm
    POST /status/subscriptions/unsubscribe
    GET /platforms/{platform}/callback
    GET /platforms/{platform}/callback/{server}
    GET /platform-invites/{token}/validate
    GET /platform-invites/{token}/connect
    GET /approvals/{token}
    POST /approvals/{token}/code
    POST /approvals/{token}/posts/{postId}
    GET /calendar/{token}
    GET /reports/{token}
    GET /billing/plans
    POST /billing/webhook
    GET /wa/webhook
    POST /wa/webhook
    GET /platforms/{platform}/webhook
    POST /platforms/{platform}/webhook
    POST /queue/process
    POST /admin/sync-metrics-cron
    POST /auth/register
    POST /api-keys/leaked
    POST /device-logins
    POST /device-logins/token
    POST /auth/login
    POST /auth/refresh
    POST /auth/password/forgot
    POST /auth/password/reset
    GET /auth/options
    POST /auth/oidc/token
    POST /team/invites/{token}/accept
    POST /team/invites/{token}/decline
    GET /media/{id}/content
    PUT /media/{id}/upload
    GET /workspaces/{id}/export/content
"""
"""Contract C1, the signed addresses of files (C8), and invitations, subscriptions
and devices that wait for a key, whose token or code is the right."""


def specified() -> dict[str, int]:
    """What the specification lists: name -> success status."""
    with (HERE / "endpoints.tsv").open() as file:
        rows = csv.DictReader(file, delimiter="\t")
        return {f"{row['method']} {row['path'].removeprefix('/api/v1')}": int(row["success"]) for row in rows}


def not_built() -> list[str]:
    """What the repository says is not built yet."""
    lines = (HERE / "not_built.txt").read_text().splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def shape_of(name: str) -> str:
    """The path with its parameters made alike: their names are not part of the interface."""
    return re.sub(r"\{\w+\}", "{}", name)


def test_what_is_specified_is_built_or_on_the_list_of_what_is_not() -> None:
    built = {shape_of(name_of(endpoint)) for endpoint in wiring.endpoints()}
    missing = {name for name in specified() if shape_of(name) not in built}
    # `facebook` stands for the one network with pages: it may be served by `{platform}` as well.
    missing = {name for name in missing if shape_of(name.replace("/facebook/", "/{platform}/")) not in built}

    assert sorted(not_built()) == sorted(missing)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=name_of)
def test_the_success_status_is_the_specified_one(endpoint: Endpoint) -> None:
    wanted = {shape_of(name): status for name, status in specified().items()}

    assert endpoint.status == wanted.get(shape_of(name_of(endpoint)), endpoint.status)


def test_only_these_need_no_credential() -> None:
    found = {name_of(endpoint) for endpoint in wiring.endpoints() if endpoint.scope == PUBLIC}

    assert found <= {line.strip() for line in WITHOUT_CREDENTIALS.strip().splitlines()}


def test_no_operation_is_there_twice() -> None:
    served = Counter((name_of(endpoint), endpoint.variant) for endpoint in wiring.endpoints())
    doubled = [name for (name, _), count in served.items() if count > 1]
    same_id = [name for name, count in Counter(endpoint.name for endpoint in ENDPOINTS).items() if count > 1]

    assert doubled == []
    assert same_id == []


def test_bodies_of_another_type_need_the_same_rights() -> None:
    """What serves them is not in the table, so nothing else here looks at it."""
    operations = {name_of(endpoint): endpoint for endpoint in ENDPOINTS}
    for variant in (endpoint for endpoint in wiring.endpoints() if endpoint.variant is not None):
        operation = operations[name_of(variant)]
        assert (variant.scope, variant.status, variant.history) == (
            operation.scope,
            operation.status,
            operation.history,
        )
        assert variant.hidden
        assert variant.variant in operation.request_types


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=name_of)
def test_every_refusal_is_in_the_reference(endpoint: Endpoint) -> None:
    """A class is a code is a page: declared in `raises`, shown at the operation, and explained."""
    responses = DOCUMENT["paths"][endpoint.path][endpoint.method.lower()]["responses"]

    for kind in endpoint.raises:
        assert kind.code in responses[str(kind.status)]["content"]["application/problem+json"]["examples"]


@pytest.mark.parametrize("kind", sorted(Problem.registry.values(), key=lambda kind: kind.code), ids=lambda k: k.code)
def test_every_code_says_what_it_means_and_what_to_do(kind: type[Problem]) -> None:
    title, _, rest = (inspect.getdoc(kind) or "").partition("\n")

    assert title.strip()
    assert rest.strip(), "the docstring goes on with what to do"
    assert kind.title == title.strip().rstrip(".")
    assert kind.remediation
