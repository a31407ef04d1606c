"""The second factor of a user: enrol an authenticator app, confirm it, ask for its codes, and end that."""

from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.identity import passwords, queries, totp
from signalpost.identity.caller_cache import CallerCache
from signalpost.identity.errors import InvalidCredentials, LoginThrottled, SecondFactorRequired
from signalpost.identity.schemas import RecoveryCodes, TotpConfirm, TotpDisable, TotpEnrol, TotpEnrolment
from signalpost.kit import clock, crypto, ids, problems
from signalpost.kit.crypto import KeyRing, SealedColumn
from signalpost.kit.db import Database, Db
from signalpost.kit.rows import columns, reader
from signalpost.web import shared_buckets
from signalpost.web.caller import Caller
from signalpost.web.shared_buckets import Want

RECOVERY_CODES: Final = 10
ATTEMPTS_MAX: Final = 10
WINDOW_SECONDS: Final = 900
_ISSUER: Final = "Signalpost"


class CodeThrottle:
    """Attempts at the codes of each user, counted for all processes: `context.state(CodeThrottle)`.

    Whoever gets this far has the password or a session, so others cannot lock a user out.
    """

    async def count_attempt(self, database: Database, user_id: UUID) -> None:
        """Count an attempt before it is looked at.

        Raises:
            LoginThrottled: there were too many.
            Unavailable: the database cannot be reached.
        """
        refused = await shared_buckets.take_each(database, [Want(f"codes {user_id}", ATTEMPTS_MAX)], WINDOW_SECONDS)
        if refused is not None:
            seconds = refused[1].seconds_to_next
            raise LoginThrottled(
                f"Too many codes or passwords were wrong; the next may be tried in {seconds} seconds.",
                headers={"Retry-After": str(seconds)},
            )

    async def forgive(self, database: Database, user_id: UUID) -> None:
        """Forget the attempts of a user who knew the code."""
        await shared_buckets.forget(database, [f"codes {user_id}"])


class _FactorRow(Struct):
    id: UUID
    email: str
    password_hash: str | None
    totp_secret: bytes | None
    confirmed: bool
    totp_last_step: int | None
    recovery_hashes: list[bytes]


_COLUMNS: Final = columns(_FactorRow, confirmed="totp_confirmed_at is not null")
_PLAIN: Final = f"select {_COLUMNS} from app_user where id = $1"  # noqa: S608 - columns of a struct
_LOCK: Final = _PLAIN + " for update"
_row: Final = reader(_FactorRow)
_ENROL: Final = """
update app_user set totp_secret = $2, totp_last_step = null, recovery_hashes = '{}'
where id = $1 and totp_confirmed_at is null returning true
"""
_CONFIRM: Final = """
update app_user set totp_confirmed_at = now(), totp_last_step = $2, recovery_hashes = $3 where id = $1
"""
_USE_STEP: Final = "update app_user set totp_last_step = $2 where id = $1"
_USE_RECOVERY: Final = "update app_user set recovery_hashes = array_remove(recovery_hashes, $2) where id = $1"
_END: Final = """
update app_user set totp_secret = null, totp_confirmed_at = null, totp_last_step = null, recovery_hashes = '{}'
"""


async def enrol(context: AppContext, caller: Caller, data: TotpEnrol) -> TotpEnrolment:
    """Make a secret for an app; sign-in asks for codes only when one was confirmed.

    Raises:
        Forbidden: the caller is an API key.
        InvalidCredentials, LoginThrottled: the password is wrong.
        AlreadyExists: the user has an app already.
    """
    row = await _check_password(context, caller, data.password)
    if row.confirmed:
        raise _has_an_app()
    secret = totp.new_secret()
    async with context.database.transaction() as db:
        if not await db.fetchval(_ENROL, row.id, context.keys.seal(secret, context=_sealed_as(row.id))):
            raise _has_an_app()  # confirmed while the password was checked
    return TotpEnrolment(secret=totp.shown_secret(secret), uri=totp.uri(secret, row.email, _ISSUER))


async def confirm(context: AppContext, db: Db, caller: Caller, data: TotpConfirm) -> RecoveryCodes:
    """Have sign-in ask for codes from now on, after the first one was right.

    Raises:
        Forbidden: the caller is an API key.
        InvalidState: there is no app that waits for this.
        InvalidCredentials, LoginThrottled: the code is wrong.
    """
    _require_session(caller)
    row = await _read(db, _LOCK, caller.user_id)
    if row.totp_secret is None or row.confirmed:
        raise problems.InvalidState(
            "No authenticator app waits for its first code.", remediation="Begin with `POST /auth/totp`."
        )
    await context.state(CodeThrottle).count_attempt(context.database, row.id)
    step = totp.matching_step(_open(context.keys, row), totp.normalised(data.code), clock.actual(), None)
    if step is None:
        raise _wrong_code()
    await context.state(CodeThrottle).forgive(context.database, row.id)
    codes = [totp.new_recovery_code() for _ in range(RECOVERY_CODES)]
    await db.execute(_CONFIRM, row.id, step, [_hashes(context.keys, code)[0] for code in codes])
    context.state(CallerCache).invalidate(row.id)  # the workspace may require it
    return RecoveryCodes(recovery_codes=codes)


async def disable(context: AppContext, caller: Caller, data: TotpDisable) -> None:
    """Have sign-in ask for the password only.

    Raises:
        Forbidden: the caller is an API key.
        InvalidCredentials, LoginThrottled: the password or the code is wrong.
    """
    row = await _check_password(context, caller, data.password)
    if row.confirmed:
        await check_code(context, row.id, data.code)
    async with context.database.transaction() as db:
        await db.execute(_END + "where id = $1", row.id)
        context.state(CallerCache).invalidate(row.id)


async def check_code(context: AppContext, user_id: UUID, code: str | None) -> None:
    """Ensure that this is a code of the user's app, or one of their recovery codes; it works once.

    Raises:
        SecondFactorRequired: there is no code.
        InvalidCredentials, LoginThrottled: it is wrong, or was used before.
    """
    if code is None or not code.strip():
        raise SecondFactorRequired("This user signs in with a code of an authenticator app, too.")
    await context.state(CodeThrottle).count_attempt(context.database, user_id)
    text = totp.normalised(code)
    async with context.database.transaction() as db:
        row = await _read(db, _LOCK, user_id)
        if row.totp_secret is None or not row.confirmed:  # ended meanwhile
            return
        step = totp.matching_step(_open(context.keys, row), text, clock.actual(), row.totp_last_step)
        recovery = next((hashed for hashed in _hashes(context.keys, text) if hashed in row.recovery_hashes), None)
        if step is not None:
            await db.execute(_USE_STEP, row.id, step)
        elif recovery is not None:
            await db.execute(_USE_RECOVERY, row.id, recovery)
        else:
            raise _wrong_code()
    await context.state(CodeThrottle).forgive(context.database, user_id)


async def reset_second_factor(db: Db, email: str) -> None:
    """End the second factor of a user who lost it, for the operator.

    Raises:
        NotFound: there is no such user.
    """
    user_id: UUID | None = await db.fetchval(_END + "where email_key = lower($1) returning id", email)
    if user_id is None:
        raise problems.NotFound(f"There is no user {email}.")
    subject = ids.encode("usr", user_id)
    for workspace in await queries.workspaces_of(db, user_id):
        await audit.command(db, "users reset-totp", workspace_id=workspace.id, subject=subject)
    await audit.command(db, "users reset-totp", subject=subject)


async def check_password_and_code(context: AppContext, caller: Caller, password: str, code: str | None) -> str:
    """Ensure that a person who is signed in knows their password, and has their second factor; return the hash.

    Raises:
        Forbidden: the caller is an API key.
        SecondFactorRequired: the code is missing.
        InvalidCredentials, LoginThrottled: the password or the code is wrong.
    """
    row = await _check_password(context, caller, password)
    if row.confirmed:
        await check_code(context, row.id, code)
    assert row.password_hash is not None  # noqa: S101 - the password was right
    return row.password_hash


async def _check_password(context: AppContext, caller: Caller, password: str) -> _FactorRow:
    _require_session(caller)
    await context.state(CodeThrottle).count_attempt(context.database, caller.user_id)
    async with context.database.connection() as db:
        row = await _read(db, _PLAIN, caller.user_id)
    if not await passwords.verify_password(row.password_hash, password):
        raise InvalidCredentials("The password is wrong.", remediation="Repeat the request with your password.")
    if not row.confirmed:  # else only a code forgives: who knows the password would guess codes without end
        await context.state(CodeThrottle).forgive(context.database, row.id)
    return row


def _require_session(caller: Caller) -> None:
    if caller.auth != "session":
        raise problems.Forbidden(
            "An API key has no second factor.", remediation="Sign in with `POST /auth/login` and send its access token."
        )


async def _read(db: Db, statement: str, user_id: UUID) -> _FactorRow:
    record = await db.fetchrow(statement, user_id)
    assert record is not None  # noqa: S101 - users are never deleted
    return _row(record)


def _open(keys: KeyRing, row: _FactorRow) -> bytes:
    assert row.totp_secret is not None  # noqa: S101 - checked by the callers
    return keys.open(row.totp_secret, context=_sealed_as(row.id))


def _sealed_as(user_id: UUID) -> str:
    return f"totp|{user_id}"


def _hashes(keys: KeyRing, code: str) -> list[bytes]:
    text = totp.normalised(code).encode("utf-8", "surrogatepass")
    return [crypto.hmac_sha256(key, text) for key in keys.derive_each("recovery-code")]


def _has_an_app() -> problems.AlreadyExists:
    return problems.AlreadyExists(
        "You have an authenticator app already.", remediation="`POST /auth/totp/disable` ends that first."
    )


def _wrong_code() -> InvalidCredentials:
    return InvalidCredentials(
        "The code is wrong, or was used before.",
        remediation=(
            "Wait for the next code of the app, or use a recovery code. The operator can end the second factor with"
            " `signalpost users reset-totp --email <address>`."
        ),
    )


SEALED: Final = SealedColumn("app_user", {"id": "uuid"}, "totp_secret", lambda row: _sealed_as(row["id"]))
