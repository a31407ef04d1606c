"""A second factor: codes of an app at sign-in, each once; recovery codes; and no way around it."""

import asyncio
import base64
import hashlib
from typing import Any

import pytest
from httpx import Response
from tests.figures.record import Record, holds
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.identity import PASSWORD, login, register

from signalpost.context import AppContext
from signalpost.identity import totp
from signalpost.identity.actions.second_factor import ATTEMPTS_MAX, CodeThrottle
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Database
from signalpost.main import operations

SHA1_SEED = b"12345678901234567890"


@pytest.mark.parametrize(
    ("seconds", "code"),
    [(59, "287082"), (1111111109, "081804"), (1111111111, "050471"), (1234567890, "005924"), (2000000000, "279037"),
     (20000000000, "353130")],
)  # fmt: skip
def test_codes_are_those_of_the_standard(seconds: int, code: str) -> None:
    """The last six digits of the table in RFC 6238, appendix B."""
    assert totp.code_at(SHA1_SEED, seconds // 30) == code


class User:
    """A user with a confirmed app. A code works once, so `code` takes another step for each sign-in."""

    def __init__(self, made: dict[str, Any], secret: bytes, recovery_codes: list[str]) -> None:
        self.made, self.secret, self.recovery_codes = made, secret, recovery_codes
        self.email, self.token = made["email"], made["accessToken"]

    def code(self, steps: int = 0) -> str:
        return totp.code_at(self.secret, totp.step_of(clock.now()) + steps)


async def enrol(api: Api, made: dict[str, Any]) -> bytes:
    answer = await api.post("/auth/totp", json={"password": PASSWORD}, key=made["accessToken"])
    assert answer.status_code == 201, answer.text
    body = answer.json()
    assert f"secret={body['secret']}&issuer=Signalpost" in body["uri"]
    return base64.b32decode(body["secret"])


@pytest.fixture
async def user(api: Api, context: AppContext, database: Database) -> User:
    """Confirmed two steps ago, so that all codes around now are unused."""
    made = await register(api)
    secret = await enrol(api, made)
    code = totp.code_at(secret, totp.step_of(clock.now()))
    confirmed = await api.post("/auth/totp/confirm", json={"code": code}, key=made["accessToken"])
    assert confirmed.status_code == 200, confirmed.text
    await database.pool.execute(
        "update app_user set totp_last_step = totp_last_step - 2 where id = $1", ids.decode("usr", made["user"]["id"])
    )
    return User(made, secret, confirmed.json()["recoveryCodes"])


async def sign_in(api: Api, user: User, code: str | None, password: str = PASSWORD) -> Response:
    return await api.post("/auth/login", json={"email": user.email, "password": password, "code": code})


def code_of(answer: Response) -> str | int:
    return answer.status_code if answer.status_code < 400 else str(answer.json()["code"])


async def test_sign_in_needs_a_code_that_works_once(api: Api, user: User) -> None:
    assert code_of(await sign_in(api, user, None)) == "second_factor_required"
    assert code_of(await sign_in(api, user, user.code(), "not the password")) == "invalid_credentials"
    code = user.code()
    assert code_of(await sign_in(api, user, f" {code[:3]} {code[3:]}")) == 200
    assert code_of(await sign_in(api, user, code)) == "invalid_credentials"
    assert code_of(await sign_in(api, user, user.code(-1))) == "invalid_credentials"  # older than the last one
    assert code_of(await sign_in(api, user, user.code(1))) == 200
    me = (await api.get("/auth/me", key=user.token)).json()["user"]
    assert me["totpEnabled"] is True


@holds("S16")
@pytest.mark.parametrize("steps", [-3, 3, 100])
async def test_a_code_of_another_time_is_wrong(api: Api, user: User, steps: int, record: Record) -> None:
    answer = await sign_in(api, user, user.code(steps))
    record("S16", tried={"forged answers": 1}, measured={"believed": int(answer.status_code < 400)})
    assert code_of(answer) == "invalid_credentials"


@holds("S16")
@pytest.mark.parametrize("code", ["000000", "", " ", "x" * 100, "\uff11\uff12", "-"])
async def test_what_is_no_code_is_refused(api: Api, user: User, code: str, record: Record) -> None:
    answer = await sign_in(api, user, code)
    record("S16", tried={"forged answers": 1}, measured={"believed": int(answer.status_code < 400)})
    assert code_of(answer) in {"invalid_credentials", "second_factor_required"}


async def test_a_code_is_used_by_one_of_two_who_send_it_at_once(api: Api, user: User) -> None:
    code = user.code()
    answers = await asyncio.gather(*(sign_in(api, user, code) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 401, 401, 401]


@holds("S22")
async def test_each_recovery_code_works_once(api: Api, user: User, database: Database, record: Record) -> None:
    assert len(set(user.recovery_codes)) == 10
    first, second, *_ = user.recovery_codes
    assert code_of(await sign_in(api, user, first.upper().replace("-", " "))) == 200
    for code in (first, first[::-1], first[:-1], f"{first}0", "-".join(("a" * 5,) * 2)):
        answer = await sign_in(api, user, code)
        record("S22", tried={"hostile cases": 1}, measured={"accepted": int(answer.status_code < 400)})
        assert code_of(answer) == "invalid_credentials"
    assert code_of(await sign_in(api, user, second)) == 200
    stored = await database.pool.fetchval("select recovery_hashes from app_user where email = $1", user.email)
    plain = {hashlib.sha256(totp.normalised(code).encode()).digest() for code in user.recovery_codes}
    assert (len(stored), plain & set(stored)) == (8, set())


async def test_guesses_are_bounded_whoever_knows_the_password(api: Api, user: User) -> None:
    """From many addresses, and with a sign-in without a code in between, which forgives nothing."""
    wrong = f"{(int(user.code()) + 5) % 1_000_000:06}"
    answers = []
    for _ in range(ATTEMPTS_MAX):
        await sign_in(api, user, None)
        answers.append(code_of(await sign_in(api, user, wrong)))
    assert set(answers) == {"invalid_credentials"}
    assert code_of(await sign_in(api, user, user.code())) == "login_throttled"
    entries = (await api.get("/audit?action=login_failed", key=user.token)).json()["data"]
    assert len(entries) == ATTEMPTS_MAX
    other = await register(api)
    await login(api, other["email"])


async def test_it_begins_with_the_first_code_and_the_password(api: Api, make: Make, context: AppContext) -> None:
    made = await register(api)
    token = made["accessToken"]

    async def post(path: str, data: Any, key: str = token) -> str | int:
        return code_of(await api.post(f"/auth/totp{path}", json=data, key=key))

    assert await post("/confirm", {"code": "000000"}) == "invalid_state"
    assert await post("", {"password": "not the password"}) == "invalid_credentials"
    first = await enrol(api, made)
    secret = await enrol(api, made)
    now = totp.step_of(clock.now())
    assert await post("/confirm", {"code": totp.code_at(first, now)}) == "invalid_credentials"
    await login(api, made["email"])  # nothing is asked for yet
    assert await post("/confirm", {"code": totp.code_at(secret, now)}) == 200
    assert await post("/confirm", {"code": totp.code_at(secret, now + 1)}) == "invalid_state"
    assert await post("", {"password": PASSWORD}) == "already_exists"
    owner = await make.owner()
    for path, data in (("", {"password": PASSWORD}), ("/confirm", {"code": "0"}), ("/disable", {"password": PASSWORD})):
        assert await post(path, data, owner.key) == "forbidden"


async def test_it_ends_with_password_and_code_or_by_the_operator(api: Api, user: User, context: AppContext) -> None:
    async def disable(password: str, code: str | None) -> str | int:
        data = {"password": password, "code": code}
        return code_of(await api.post("/auth/totp/disable", json=data, key=user.token))

    assert await disable(PASSWORD, None) == "second_factor_required"
    assert await disable(PASSWORD, "000000") == "invalid_credentials"
    assert await disable("not the password", user.code()) == "invalid_credentials"
    await operations.reset_totp(context, user.email.upper())
    assert code_of(await sign_in(api, user, None)) == 200
    assert await disable(PASSWORD, None) == 204  # nothing left to end
    with pytest.raises(problems.NotFound):
        await operations.reset_totp(context, "nobody@example.test")
    entries = (await api.get("/audit?actorType=system", key=user.token)).json()["data"]
    assert [entry["action"] for entry in entries] == ["users reset-totp"]


async def test_who_ends_or_enrols_with_the_password_guesses_no_more_codes(api: Api, user: User) -> None:
    """The right password forgives nothing as long as the code is missing."""
    answers = []
    for _ in range(ATTEMPTS_MAX):
        await api.post("/auth/totp", json={"password": PASSWORD}, key=user.token)
        data = {"password": PASSWORD, "code": user.code(100)}
        answers.append(code_of(await api.post("/auth/totp/disable", json=data, key=user.token)))
    assert set(answers) == {"invalid_credentials", "login_throttled"}
    assert code_of(await sign_in(api, user, user.code())) == "login_throttled"


async def test_a_password_that_was_reset_does_not_replace_it(api: Api, user: User, context: AppContext) -> None:
    await operations.reset_password(context, user.email, "another horse battery")
    assert code_of(await sign_in(api, user, None, "another horse battery")) == "second_factor_required"


async def test_an_invitation_is_no_way_around_it(api: Api, make: Make, user: User) -> None:
    owner = await make.owner()
    data = {"email": user.email, "role": "viewer"}
    url = (await api.post("/team/invite", json=data, key=owner.key)).json()["inviteUrl"]
    path = f"/team/invites/{url.rpartition('/')[2]}/accept"
    assert code_of(await api.post(path, json={"password": PASSWORD})) == "second_factor_required"
    assert code_of(await api.post(path, json={"password": PASSWORD, "code": "000000"})) == "invalid_credentials"
    assert code_of(await api.post(path, json={"password": PASSWORD, "code": user.code()})) == 200


async def test_secrets_are_sealed_and_leave_no_history(api: Api, user: User, database: Database) -> None:
    stored = await database.pool.fetchval("select totp_secret from app_user where email = $1", user.email)
    assert user.secret not in stored
    log = await api.get("/audit?limit=100", key=user.token)
    actions = {entry["action"] for entry in log.json()["data"]}
    assert {"enrol_totp", "confirm_totp"} <= actions
    for secret in (PASSWORD, base64.b32encode(user.secret).decode(), *user.recovery_codes):
        assert secret not in log.text


async def test_attempts_are_counted_by_user(context: AppContext) -> None:
    """Those of one user are not those of another."""
    database = context.database
    throttle, one, other = CodeThrottle(), ids.new_id(), ids.new_id()
    for _ in range(ATTEMPTS_MAX):
        await throttle.count_attempt(database, one)
    with pytest.raises(problems.Problem, match="Too many"):
        await throttle.count_attempt(database, one)
    await throttle.count_attempt(database, other)
    await throttle.forgive(database, one)
    await throttle.count_attempt(database, one)
