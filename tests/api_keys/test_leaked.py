"""Keys that were found in public are revoked at once, whoever else the report names; nobody forges a report."""

import asyncio
import base64
import dataclasses
import json
import re
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tests.counterparts.tools import CHECKOUT
from tests.figures.record import Record, holds
from tests.helpers.api import Api
from tests.helpers.factories import Make

from signalpost.api_keys import secret_scanning
from signalpost.context import AppContext
from signalpost.kit import clock, crypto, ids
from signalpost.kit.db import Database
from signalpost.main import app, operations

OURS, THEIRS = generate_private_key(SECP256R1()), generate_private_key(SECP256R1())


@pytest.fixture
def keys_file(tmp_path: Path) -> Path:
    """What GitHub publishes."""
    pem = OURS.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    file = tmp_path / "keys.json"
    entries = [{"key_identifier": "old", "key": "no key", "is_current": False}, {"key_identifier": "k1", "key": pem}]
    file.write_text(json.dumps({"public_keys": entries}))
    return file


@pytest.fixture
async def partner(context: AppContext, keys_file: Path) -> AsyncIterator[Api]:
    """The same installation, which takes reports."""
    settings = dataclasses.replace(context.settings, secret_scanning_keys=str(keys_file))
    async with Api(app.create(dataclasses.replace(context, settings=settings))) as api:
        yield api


async def report(api: Api, tokens: list[Any], *, key: Any = OURS, name: str = "k1", **changed: Any) -> httpx.Response:
    entries = [entry if isinstance(entry, dict) else {"token": entry, "type": "t"} for entry in tokens]
    body = json.dumps(entries).encode()
    signature = base64.b64encode(key.sign(body, ECDSA(SHA256()))).decode()
    headers = {"Github-Public-Key-Identifier": name, "Github-Public-Key-Signature": signature}
    headers |= changed.pop("headers", {})
    return await api.post(
        "/api-keys/leaked",
        content=changed.pop("content", body),
        headers={"Content-Type": "application/json"} | headers,
    )


async def test_a_leaked_key_ends_at_once_with_what_it_issued_and_its_people_learn_it(
    partner: Api, make: Make, database: Database, capfd: pytest.CaptureFixture[str]
) -> None:
    owner, neighbour = await make.owner(), await make.owner()
    child = (await partner.post("/api-keys", json={"name": "Child"}, key=owner.key)).json()["key"]
    await make.account(owner)
    await make.post(owner, scheduledAt=clock.wire(clock.actual() + timedelta(days=3)))
    unknown = crypto.new_api_key("sp_live").text
    same_id = owner.test_key.split("_")
    forged = crypto.new_api_key("sp_test").text.split("_")
    known_id = f"sp_test_{same_id[2]}_{forged[3][:43]}"  # the id of a key, which is no secret, with another secret
    known_id += crypto.crc32_base62(known_id)
    where = {"token": owner.key, "type": "sp", "url": "https://github.com/acme/app/blob/main/a.py\r\nX: y"}

    first = await report(partner, [where, unknown, known_id, owner.key, "sp_live_junk", "ghp_" + "x" * 36])
    again = await report(partner, [where])

    assert (first.status_code, first.json()) == (200, {"revoked": 2, "unknown": 2})
    assert again.json() == {"revoked": 0, "unknown": 1}
    for key, expected in ((owner.key, 401), (child, 401), (owner.test_key, 200), (neighbour.key, 200)):
        assert (await partner.get("/profiles", key=key)).status_code == expected
    async with database.connection() as db:
        mailed = await db.fetch(
            "select payload from job where kind = 'mail.send' and payload ->> 'to' = $1", owner.email
        )
        history = await db.fetch(
            "select subject, actor ->> 'name' as source from audit where workspace_id = $1 and action = $2",
            owner.workspace_id, "revoke_leaked_key",
        )  # fmt: skip
    [message] = mailed
    assert message[0]["values"]["url"] == "https://github.com/acme/app/blob/main/a.py X: y"
    assert message[0]["values"]["posts"] == 1, "it goes out as planned, so its people look at it"
    assert [row["source"] for row in history] == ["GitHub"]
    assert ids.decode("key", history[0]["subject"])
    assert owner.key[10:] not in str(message[0]) + capfd.readouterr().err


@holds("S15")
async def test_a_report_that_the_partner_did_not_sign_changes_nothing(
    partner: Api, api: Api, make: Make, keys_file: Path, record: Record
) -> None:
    owner = await make.owner()
    body = json.dumps([{"token": owner.key}]).encode()
    answers = {
        "no file": await report(api, [owner.key]),
        "another's key": await report(partner, [owner.key], key=THEIRS),
        "unknown key": await report(partner, [owner.key], name="k2"),
        "a key that is none": await report(partner, [owner.key], name="old"),
        "another body": await report(partner, ["x"], content=body),
        "no signature": await report(partner, [owner.key], headers={"Github-Public-Key-Signature": ""}),
        "no base64": await report(partner, [owner.key], headers={"Github-Public-Key-Signature": "#" * 90}),
        "long": await report(partner, [owner.key], headers={"Github-Public-Key-Signature": "A" * 600}),
    }
    await asyncio.to_thread(keys_file.write_text, "{")
    answers["broken file"] = await report(partner, [owner.key])

    codes = {name: (answer.status_code, answer.json()["code"]) for name, answer in answers.items()}
    believed = sum(status < 400 for status, _ in codes.values())
    record("S15", tried={"forged calls": len(codes)}, measured={"believed": believed})
    assert codes == dict.fromkeys(answers, (401, "invalid_signature"))
    assert (await partner.get("/profiles", key=owner.key)).status_code == 200


async def test_what_is_signed_and_yet_no_report_is_refused(partner: Api) -> None:
    signed: dict[str, tuple[list[Any], int]] = {
        "numbers": ([{"token": 5}], 400),
        "too many": (["x"] * 1_001, 413),
        "large": (["x" * 600_000], 413),
        "empty": ([], 200),
    }
    assert {name: (await report(partner, tokens)).status_code for name, (tokens, _) in signed.items()} == {
        name: status for name, (_, status) in signed.items()
    }


async def test_the_operator_hands_in_a_text_of_any_kind(context: AppContext, make: Make, api: Api) -> None:
    owner, other = await make.owner(), await make.owner()
    text = f'curl -H "Authorization: Bearer {owner.key}" # {owner.key}\n{other.key[:-1]}\nx{other.key} {other.key}y'

    done = await operations.revoke_leaked(context, text)

    assert (done["found"], len(done["revoked"]), done["unknown"]) == (1, 1, 0)
    assert (await api.get("/profiles", key=owner.key)).status_code == 401
    assert (await api.get("/profiles", key=other.key)).status_code == 200


def test_keys_are_found_and_noise_is_not() -> None:
    """By our own look and by the expression of the guide: keys with the name of a cell, and without."""
    names = ("0", "b7", "abcdefgh", "z9")
    keys = [crypto.new_api_key(f"sp_{mode}", cell=names[n % 4]).text for mode in ("live", "test") for n in range(500)]
    text = "\n".join(f"a = '{key}';" for key in keys)
    damaged = "\n".join(key[:30] + ("a" if key[30] != "a" else "b") + key[31:] for key in keys)

    assert [key.text for key in secret_scanning.find(text)] == keys
    [expression] = re.findall(
        r"^(\\bsp_\(live.*)$", (CHECKOUT / "docs/guides/leaked-keys.md").read_text(), re.MULTILINE
    )
    assert [match[0] for match in re.finditer(expression, text)] == keys
    assert secret_scanning.find(damaged) == []
