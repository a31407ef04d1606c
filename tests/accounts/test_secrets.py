import pytest
from tests.helpers.factories import Make
from tests.helpers.sign_in_servers import FakeMastodon, api_of, context_with

from signalpost.accounts import token_store
from signalpost.accounts.token_store import NoCredentials
from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.kit.crypto import KeyRing
from signalpost.kit.db import Database


def test_a_value_opens_only_in_its_own_row() -> None:
    """1,000 values swapped between rows: none opens. Neither a row nor a workspace can use the secrets of another."""
    ring = KeyRing({"k": bytes(range(32))}, "k")
    rows = [(ids.new_id(), ids.new_id()) for _ in range(1_000)]
    blobs = [token_store.seal(ring, *row, {"token": str(number)}) for number, row in enumerate(rows)]

    for number, (workspace_id, account_id) in enumerate(rows):
        assert token_store.unseal(ring, workspace_id, account_id, blobs[number]) == {"token": str(number)}
        with pytest.raises(NoCredentials):
            token_store.unseal(ring, workspace_id, account_id, blobs[number - 1])
        with pytest.raises(NoCredentials):
            token_store.unseal(ring, rows[number - 1][0], account_id, blobs[number])


async def test_secrets_leave_no_trace(
    context: AppContext, make: Make, database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    """The token is in no response, no log line and no table."""
    network = FakeMastodon()
    canary = "canary-7f3a91-token"
    network.tokens.add(canary)
    owner = await make.owner()
    async with network.serve() as url, api_of(context_with(context, MASTODON_BASE_URL=url)) as api:
        body = {"profileId": owner.profile, "fields": {"instanceUrl": url, "accessToken": canary}}
        made = await api.post("/platforms/mastodon/connect", json=body, key=owner.key)
        assert made.status_code == 201, made.text
        path = f"/platforms/accounts/{made.json()['id']}"
        texts = [made.text]
        for suffix in ("/health?refresh=true", "/health"):
            texts.append((await api.get(path + suffix, key=owner.key)).text)  # noqa: PERF401 - one after the other
        texts.append((await api.get("/platforms/accounts/all", key=owner.key)).text)
        texts.append((await api.delete(path, key=owner.key)).text)
    logged = capsys.readouterr()
    texts += [logged.out, logged.err]
    for table in ("account", "job", "event", "delivery", "idempotency"):
        exists = await database.pool.fetchval("select to_regclass($1)", table)
        if exists:
            texts.append(str(await database.pool.fetchval(f"select json_agg(t)::text from {table} t")))

    assert canary not in "".join(texts)
    assert made.json()["platformAccountId"].startswith("42@")


async def test_another_rows_secrets_cannot_be_used(context: AppContext, make: Make, database: Database) -> None:
    """Someone with write access to the database copies a victim's secrets into an account of their own."""
    owner, thief = await make.owner(), await make.owner()
    for login in (owner, thief):
        await make.account(login, username="x")
    await database.pool.execute(
        "update account set secrets = (select secrets from account where workspace_id = $2) where workspace_id = $1",
        thief.workspace_id, owner.workspace_id,
    )  # fmt: skip
    accounts = await make.api.get("/platforms/accounts/all", key=thief.key)
    path = f"/platforms/accounts/{accounts.json()['data'][0]['id']}/health?refresh=true"
    health = (await make.api.get(path, key=thief.key)).json()

    assert (health["status"], health["accountStatus"]) == ("error", "needs_reauth")
