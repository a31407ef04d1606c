"""Passwords, keys and tokens never reach the log, whatever goes wrong."""

import pytest
from tests.helpers.api import Api
from tests.helpers.identity import PASSWORD, login, register


async def test_a_whole_life_leaves_no_secret_behind(api: Api, capsys: pytest.CaptureFixture[str]) -> None:
    """Register, sign in, fail to, refresh, reuse, forget, make a key, use a wrong one."""
    made = await register(api)
    entered = await login(api, made["email"])
    await api.post("/auth/login", json={"email": made["email"], "password": "wrong horse battery"})
    await api.post("/auth/login", json={"email": made["email"], "password": ["wrong horse battery"]})
    await api.post("/auth/refresh", json={"refreshToken": entered["refreshToken"]})
    await api.post("/auth/password/forgot", json={"email": made["email"]})
    await api.post("/auth/password/reset", json={"token": "t0ken-of-a-link", "password": "another horse"})
    key = (await api.post("/api-keys", key=made["accessToken"], json={"name": "K"})).json()["key"]
    await api.get("/auth/me", key=key)
    await api.get("/auth/me", key=key[:-1] + "!")
    await api.get("/auth/me", key=made["accessToken"] + "x")

    written = capsys.readouterr().err
    assert len(written.splitlines()) >= 11
    secrets = [PASSWORD, "wrong horse", "another horse", "t0ken-of-a-link", key, key.split("_")[3][:43]]
    secrets += [made["accessToken"], made["refreshToken"], entered["accessToken"], entered["refreshToken"]]
    for secret in secrets:
        assert secret not in written
