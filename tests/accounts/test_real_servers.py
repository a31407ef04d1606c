"""The same flows against servers that we did not write."""

import pytest
from tests.counterparts import ReferencePds, mastodon_mock
from tests.helpers.authorization import Browser
from tests.helpers.factories import Make
from tests.helpers.sign_in_servers import api_of, context_with

from signalpost.accounts import queries, token_store
from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.networks.connectors.bluesky.calls import call, refresh


@pytest.mark.slow
@pytest.mark.xdist_group("bluesky-server")
async def test_a_bluesky_account_lives_through_connect_renewal_and_end(
    context: AppContext, make: Make, pds: ReferencePds
) -> None:
    async with api_of(operated := context_with(context, BLUESKY_BASE_URL=pds.url)) as api:
        owner, person = await make.owner(), pds.accounts[0]
        fields = {"identifier": person.handle, "appPassword": person.app_password}
        body = {"profileId": owner.profile, "fields": fields}
        made = await api.post("/platforms/bluesky/connect", json=body, key=owner.key)
        assert made.status_code == 201, made.text
        assert made.json()["platformAccountId"] == person.did
        account_id = ids.decode("acc", made.json()["id"])
        assert account_id is not None
        async with context.database.connection() as db:
            row = await queries.by_id(db, account_id)
        assert row is not None
        session = await token_store.open_session(operated, row)
        before = session.secrets["refreshJwt"]
        await session.renew(refresh)
        assert session.secrets["refreshJwt"] != before
        await call(session, "GET", "com.atproto.server.getSession")

        path = f"/platforms/accounts/{made.json()['id']}"
        health = (await api.get(f"{path}/health?refresh=true", key=owner.key)).json()
        assert (health["status"], health["live"]) == ("healthy", True)
        ended = (await api.delete(path, key=owner.key)).json()
        assert ended["revokedAtPlatform"] is True


@pytest.mark.slow
async def test_a_mastodon_account_is_connected_by_token(context: AppContext, make: Make) -> None:
    async with mastodon_mock() as mock, api_of(context_with(context, MASTODON_BASE_URL=mock.url)) as api:
        owner = await make.owner()
        body = {"profileId": owner.profile, "fields": {"instanceUrl": mock.url, "accessToken": mock.access_token}}
        made = await api.post("/platforms/mastodon/connect", json=body, key=owner.key)
        assert made.status_code == 201, made.text
        begun = await api.get(f"/platforms/mastodon/auth-url?profileId={owner.profile}", key=owner.key)
        assert begun.status_code == 200, begun.text
        browser = Browser(api, context.base_url)
        left = await browser.post(begun.json()["url"])
        await browser.client.aclose()
        assert left.headers["location"].startswith(mock.url + "/oauth/authorize?")
