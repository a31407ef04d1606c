"""Tokens and secrets of apps that were found in public are revoked as API keys are."""

import pytest
from tests.helpers.api import Api
from tests.helpers.apps import App, person_of

from signalpost.api_keys import secret_scanning
from signalpost.context import AppContext
from signalpost.kit import crypto
from signalpost.main import operations


@pytest.mark.parametrize("name", ["access_token", "refresh_token"])
async def test_a_token_in_public_ends_what_its_app_was_allowed(context: AppContext, api: Api, name: str) -> None:
    person, app, other = await person_of(context, api), await App.registered(api), await App.registered(api)
    allowed, spared = await app.allowed(person), await other.allowed(person)

    done = await operations.revoke_leaked(context, f'"{name}": "{allowed[name]}",')
    again = await operations.revoke_leaked(context, allowed[name])

    assert (done["found"], len(done["revoked"]), done["unknown"]) == (1, 1, 0)
    assert (again["found"], again["revoked"], again["unknown"]) == (1, [], 1)
    assert (await api.get("/posts", key=allowed["access_token"])).status_code == 401
    assert (await app.refresh(allowed["refresh_token"])).json()["error"] == "invalid_grant"
    assert (await api.get("/posts", key=spared["access_token"])).status_code == 200
    async with context.database.connection() as db:
        [message] = await db.fetch(
            "select payload from job where kind = 'mail.send' and payload -> 'values' ->> 'what' = 'access of the app'"
            " and payload ->> 'to' = $1", person.account["user"]["email"],
        )  # fmt: skip
    assert message[0]["values"]["name"] == "Shop sync"


async def test_a_secret_in_public_works_no_more_and_its_workspace_learns_it(context: AppContext, api: Api) -> None:
    person = await person_of(context, api)
    body = {"name": "Shop", "redirectUris": ["https://shop.example.com/callback"], "type": "confidential"}
    created = (await api.post("/apps", json=body, key=person.key)).json()
    app = App(api, created["id"], created["secret"])
    allowed = await app.allowed(person)

    done = await operations.revoke_leaked(context, f"client_secret={created['secret']}")

    assert (done["found"], done["revoked"], done["unknown"]) == (1, [], 0)
    assert (await app.refresh(allowed["refresh_token"])).json()["error"] == "invalid_client"
    assert (await api.get("/posts", key=allowed["access_token"])).status_code == 200
    async with context.database.connection() as db:
        mailed = await db.fetchval(
            "select count(*) from job where kind = 'mail.send' and payload ->> 'template' = 'app_secret_leaked'"
            " and payload ->> 'to' = $1", person.account["user"]["email"],
        )  # fmt: skip
        recorded = await db.fetchval("select count(*) from audit where action = 'revoke_leaked_app_secret'"
            " and subject = $1", created["id"])  # fmt: skip
    assert (mailed, recorded) == (1, 1)
    replaced = await api.post(f"/apps/{created['id']}/secret", json={}, key=person.key)
    app.secret = replaced.json()["secret"]
    assert (await app.refresh(allowed["refresh_token"])).status_code == 200


async def test_tokens_that_are_not_of_this_instance_are_found_and_unknown(context: AppContext) -> None:
    strangers = [crypto.new_api_key("sp_oat").text, crypto.new_api_key("sp_ocs").text, "sp_ort_" + "A" * 70]
    noise = ["sp_ort_" + "A" * 69, "sp_ort_" + "A" * 71, "sp_oac_" + "A" * 70, strangers[0][:-1] + "-"]

    assert [key.text for key in secret_scanning.find(" ".join(strangers + noise))] == strangers
    done = await operations.revoke_leaked(context, " ".join(strangers))
    assert done == {"found": 3, "revoked": [], "unknown": 3}
