"""Test keys: for them nothing live exists, whatever the operation, and whatever time they simulate.

The cases are the route table, so that a new operation is among them: by id it must answer 404, otherwise it must name
nothing live that the request did not name, and none of them may change a live row. Live keys see both modes.
"""

import json

import pytest
from tests.figures.record import holds
from tests.helpers.api import Api
from tests.helpers.contract import ENDPOINTS, Sample, create_sample, name_of, prefix_of
from tests.helpers.factories import Make

from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.web.caller import PUBLIC
from signalpost.web.routing import Endpoint

GUARDED = [endpoint for endpoint in ENDPOINTS if endpoint.scope != PUBLIC]
BOTH_MODES = {"mem", "wsp", "inc", "sub", "job", "pau", "dif"}
"""What live and test mode share: workspace, members, incidents, and what staff see. A test key changes none of them."""
PAST = {"X-Test-Now": "2000-01-01T00:00:00Z"}
_LIVE_ROWS = """
select json_build_object(
    'profile', (select json_agg(p order by id) from profile p where id = $2),
    'link', (select json_agg(l order by id) from profile_link l where workspace_id = $1),
    'account', (select json_agg(a order by id) from account a where workspace_id = $1 and platform <> 'sandbox'),
    'media', (select json_agg(m order by id) from media m where workspace_id = $1 and mode = 'live'),
    'post', (select json_agg(p order by id) from post p where workspace_id = $1 and mode = 'live'),
    'target', (select json_agg(t order by t.id) from target t join post p on p.id = t.post_id
        where t.workspace_id = $1 and p.mode = 'live'),
    'webhook', (select json_agg(w order by id) from webhook w where workspace_id = $1 and mode = 'live'),
    'delivery', (select json_agg(d order by d.id) from delivery d join webhook w on w.id = d.webhook_id
        where d.workspace_id = $1 and w.mode = 'live'),
    'member', (select json_agg((m.id, m.role, m.status, m.profile_ids) order by id) from member m
        where workspace_id = $1),
    'ticket', (select json_agg(t order by id) from ticket t where workspace_id = $1),
    'key', (select json_agg((k.id, k.name, k.scopes, k.expires_at, k.revoked_at) order by id) from api_key k
        where workspace_id = $1 and mode = 'live'))::text
"""


async def live_sample(context: AppContext, api: Api) -> Sample:
    """A sample of which everything is live."""
    sample = await create_sample(api, Make(context, api))
    async with context.database.transaction() as db:
        await db.execute("update account set platform = 'mastodon' where id = $1", ids.decode("acc", sample.ids["acc"]))
        # Other tests run workers, which must not change these rows meanwhile.
        await db.execute(
            "update delivery set next_attempt_at = null where id = $1", ids.decode("dlv", sample.ids["dlv"])
        )
    return sample


@pytest.fixture(scope="session")
async def live(context: AppContext, api: Api) -> Sample:
    """The live sample of requests that make nothing."""
    return await live_sample(context, api)


async def live_rows(sample: Sample) -> dict[str, object]:
    async with sample.make.context.database.connection() as db:
        text = await db.fetchval(_LIVE_ROWS, sample.owner.workspace_id, ids.decode("prof", sample.ids["prof"]))
    rows: dict[str, object] = json.loads(text)
    assert None not in rows.values(), "the sample lacks something live"
    return rows


@holds("S6")
@pytest.mark.parametrize("endpoint", GUARDED, ids=name_of)
async def test_nothing_live_exists_for_a_test_key(
    api: Api, context: AppContext, live: Sample, endpoint: Endpoint
) -> None:
    prefixes = {prefix for path_input in endpoint.path_inputs if (prefix := prefix_of(path_input))}
    if endpoint.writes and not prefixes:  # it may make something of test mode, which names its profile
        live = await live_sample(context, api)
    request = live.prepare(endpoint, key=live.owner.test_key)
    request.headers |= PAST
    before = await live_rows(live)

    answer = await request.send(api)

    if prefixes - BOTH_MODES:
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    sent = json.dumps([request.path, request.params, request.body])
    unknown = {value for prefix, value in live.ids.items() if prefix not in BOTH_MODES and value not in sent}
    assert not [value for value in unknown if value in answer.text]
    assert await live_rows(live) == before


FILTERS = [
    (endpoint, name, prefix)
    for endpoint in GUARDED
    for name, prefix in (("profileId", "prof"), ("accountId", "acc"))
    if endpoint.query is not None
    and name in endpoint.query.__struct_encode_fields__
    and not any(prefix_of(path_input) for path_input in endpoint.path_inputs)
]


@pytest.mark.parametrize(("endpoint", "name", "prefix"), FILTERS, ids=lambda value: getattr(value, "path", str(value)))
async def test_a_filter_finds_nothing_live(api: Api, live: Sample, endpoint: Endpoint, name: str, prefix: str) -> None:
    """Naming a live profile or account shows nothing else that is live."""
    request = live.prepare(endpoint, key=live.owner.test_key)

    answer = await request.send(api, params=request.params | {name: live.ids[prefix]})

    others = [value for kind, value in live.ids.items() if kind not in BOTH_MODES | {prefix}]
    assert not [value for value in others if value in answer.text]
