"""Who may ask: strangers, bad credentials, missing scopes. The same for every endpoint."""

import pytest
from tests.figures.record import Record, holds
from tests.helpers.api import Api
from tests.helpers.contract import ENDPOINTS, Sample, name_of

from signalpost.kit.problems import Problem
from signalpost.web.caller import PUBLIC, SIGNED_IN
from signalpost.web.routing import Endpoint

GUARDED = [endpoint for endpoint in ENDPOINTS if endpoint.scope != PUBLIC]
SCOPED = [endpoint for endpoint in GUARDED if endpoint.scope != SIGNED_IN]
_TAIL = "A" * 43 + "B" * 6


def _record(record: Record, differs: bool) -> None:
    record("S6", tried={"answers compared": 1}, measured={"answers that differ": int(differs)})


@holds("S6")
@pytest.mark.parametrize("endpoint", GUARDED, ids=name_of)
async def test_a_stranger_gets_401(api: Api, sample: Sample, record: Record, endpoint: Endpoint) -> None:
    answer = await sample.prepare(endpoint).send(api, key=None)

    _record(record, answer.status_code != 401)
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")
    assert answer.headers["www-authenticate"].startswith("Bearer")


@holds("S6")
@pytest.mark.parametrize("endpoint", GUARDED, ids=name_of)
async def test_a_credential_that_is_none_gets_401(
    api: Api, sample: Sample, dead_keys: list[str], record: Record, endpoint: Endpoint
) -> None:
    junk = [
        "junk",
        "eyJhbGciOiJub25lIn0.e30.",
        f"sp_live_{'A' * 12}_{_TAIL}",
        sample.owner.key + "x",
        sample.owner.key[:-1],
    ]
    for credential in [*junk, *dead_keys]:
        answer = await sample.prepare(endpoint).send(api, key=credential)

        _record(record, answer.status_code != 401)
        assert answer.status_code == 401, credential
        assert answer.json()["code"] in {"unauthenticated", "token_expired", "key_revoked"}


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "bearer\tx", "Bearer a b"])
async def test_another_scheme_gets_401(api: Api, header: str) -> None:
    answer = await api.get("/auth/me", headers={"Authorization": header})

    assert answer.status_code == 401


@holds("S6")
@pytest.mark.parametrize("endpoint", SCOPED, ids=name_of)
async def test_a_key_without_the_scope_gets_403(
    api: Api, sample: Sample, narrow_keys: dict[str, str], record: Record, endpoint: Endpoint
) -> None:
    answer = await sample.prepare(endpoint).send(api, key=narrow_keys[endpoint.scope])

    _record(record, answer.status_code != 403)
    assert (answer.status_code, answer.json()["code"]) == (403, "insufficient_scope")
    assert endpoint.scope in answer.json()["detail"]


def test_what_authentication_raises_is_known() -> None:
    """The reference names these at every operation that wants a credential."""
    of_notifications = {"invalid_signature"}  # its operations want no credential
    assert {code for code, kind in Problem.registry.items() if kind.status == 401} - of_notifications == {
        "unauthenticated", "invalid_credentials", "token_expired", "key_revoked", "second_factor_required",
    }  # fmt: skip
