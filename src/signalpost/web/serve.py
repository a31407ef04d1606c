"""Serve one endpoint: resolve the caller, fill the inputs, run the handler in its transaction, commit, respond."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec

from signalpost.context import AppContext
from signalpost.kit import clock, db, problems
from signalpost.kit.patience import patience
from signalpost.kit.tenant import Tenant, across, tenant, work_for
from signalpost.kit.worker_threads import in_thread
from signalpost.web import bounds, credentials, idempotency, limits, operations, session_cookie, validation
from signalpost.web.arguments import path_values, query_inputs
from signalpost.web.cache import ResponseCache
from signalpost.web.caller import PUBLIC, SIGNED_IN, Caller
from signalpost.web.conditional import read_if_match
from signalpost.web.inputs import Before
from signalpost.web.render import render, respond
from signalpost.web.request import (
    Call,
    address_bucket,
    check_encoding,
    check_media_types,
    read_body,
    test_now,
)
from signalpost.web.response import Response, problem_response
from signalpost.web.routing import Endpoint
from signalpost.web.served import Report

Authenticate = Callable[[str, str | None, str], Awaitable[Caller]]
"""(bearer, X-Workspace-Id or None, client address) -> Caller; what it raises goes to the client."""

ATTEMPTS_MAX = 3  # of a transaction that ended in a deadlock, or waited five seconds for a row


@dataclass(kw_only=True)
class Web:
    """What all endpoints share."""

    context: AppContext
    authenticate: Authenticate
    page_key: bytes
    limiter: limits.Limiter
    record: operations.Record
    report: Report | None = None
    cache: ResponseCache = field(default_factory=ResponseCache)

    @property
    def base_url(self) -> str:
        """The address under which the current client reaches the service."""
        return self.context.base_url


async def _identify(web: Web, endpoint: Endpoint, call: Call) -> None:
    """Resolve the caller, take a token of its rate limit and check its scope."""
    if endpoint.scope == PUBLIC:
        if not endpoint.unlimited:
            name = address_bucket(call.address)
            tenant.set(Tenant(name))
            if endpoint.bucket == "login":
                call.headers = await web.limiter.admit(
                    f"{endpoint.path}:{name}", "login", limits.LOGINS_PER_ADDRESS, limits.LOGIN_SECONDS
                )
            else:
                call.headers = await web.limiter.admit(f"address:{name}", "address", limits.PER_ADDRESS)
        return
    tenant.set(Tenant(address_bucket(call.address)))
    try:
        caller = await _authenticate(web, call)
    except problems.Problem as problem:
        name = f"address:{address_bucket(call.address)}"
        if problem.status < 500:  # a wrong credential, perhaps a guess; an outage of ours is not the client's fault
            call.headers = await web.limiter.admit(name, "address", limits.PER_ADDRESS)
        else:
            call.headers = web.limiter.check(f"{name}:outage", "address", web.context.settings.requests_per_minute)
        raise
    call.caller = caller
    work_for(caller.tenant)
    writes = endpoint.writes
    call.headers = await web.limiter.admit(
        caller.credential + (":w" if writes else ""),
        "writes" if writes else "requests",
        caller.writes_per_minute if writes else caller.requests_per_minute,
    )
    _check_rights(endpoint, caller)


async def _authenticate(web: Web, call: Call) -> Caller:
    headers = call.request.headers
    scheme, _, bearer = headers.get("authorization", "").partition(" ")
    if not scheme and (cookie := session_cookie.read_cookie(web.context, call.request)):
        return await _browser(web, call, cookie)
    if scheme.lower() != "bearer" or not bearer.strip():
        detail = credentials.why_none(call.request)
        raise problems.Unauthenticated(detail, headers={"WWW-Authenticate": "Bearer"})
    return await web.authenticate(bearer.strip(), headers.get("x-workspace-id"), call.address)


async def _browser(web: Web, call: Call, cookie: str) -> Caller:
    user_id, workspace = session_cookie.user_of_page(call.request), call.request.headers.get("x-workspace-id")
    try:
        caller = await web.authenticate(cookie, workspace, call.address)
    except problems.NotFound:
        if user_id is not None:  # it may be a workspace of the user who was signed in before
            session_cookie.require_user_of_page(await web.authenticate(cookie, None, call.address), user_id)
        raise
    session_cookie.require_user_of_page(caller, user_id)
    return caller


async def _recheck(web: Web, endpoint: Endpoint, call: Call) -> Caller:
    caller = await _authenticate(web, call)
    _check_rights(endpoint, caller)
    return caller


def _check_rights(endpoint: Endpoint, caller: Caller) -> None:
    if caller.needs_second_factor and not endpoint.before_second_factor:
        raise problems.SecondFactorMissing("This workspace requires a second factor of you, and you have none.")
    if endpoint.scope != SIGNED_IN and endpoint.scope not in caller.scopes:
        if caller.auth == "api_key":
            raise problems.InsufficientScope(f"This API key lacks the scope {endpoint.scope}.")
        raise problems.Forbidden(f"The role {caller.role} does not include {endpoint.scope}.")


def _plain_inputs(web: Web, endpoint: Endpoint, call: Call) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for argument, kind in endpoint.arguments.items():
        match kind:
            case "caller":
                values[argument] = call.caller
            case "context":
                values[argument] = web.context
            case "database":
                values[argument] = web.context.database
            case "request":
                values[argument] = call.request
            case "recheck":
                values[argument] = partial(_recheck, web, endpoint, call)
            case "address":
                values[argument] = address_bucket(call.address)
            case "keep":
                values[argument] = None  # but see `_respond_keeping`
            case "if_match":
                values[argument] = read_if_match(call.request.headers.get("if-match", "").strip())
    return values


async def _run(web: Web, endpoint: Endpoint, call: Call, values: dict[str, Any], body: bytes) -> Response:
    """Run the handler in its transaction, under the Idempotency-Key if there is one."""
    key = call.request.headers.get("idempotency-key") if endpoint.method == "POST" else None
    if key is not None:
        idempotency.read_key(key)
    database = web.context.database
    if endpoint.before is not None:
        values = values | await _before(web, endpoint.before, call, values["data"], key)
    if endpoint.needs_connection:
        return await _run_connected(web, endpoint, call, values, body, key)
    if endpoint.needs_row:
        async with database.connection() as connection:
            values |= await path_values(endpoint, call, connection)
    elif endpoint.path_inputs:
        values |= await path_values(endpoint, call, None)
    if key is None:
        return await _respond_alone(web, endpoint, call, values)
    return await _respond_claimed(web, endpoint, call, values, body, key)


async def _run_connected(
    web: Web, endpoint: Endpoint, call: Call, values: dict[str, Any], body: bytes, key: str | None
) -> Response:
    """Run the handler with a connection, in a transaction if it writes; again if that ended in a deadlock."""
    database = web.context.database
    for attempt in range(ATTEMPTS_MAX):
        try:
            if key is not None:
                return await _respond_once(web, endpoint, call, values, body, key)
            if endpoint.writes and not endpoint.transaction:
                return await _respond(web, endpoint, call, values, None)
            async with database.transaction() if endpoint.writes else database.connection() as connection:
                return await _respond(web, endpoint, call, values, connection)
        except (*db.RETRYABLE, idempotency.Taken):
            if attempt == ATTEMPTS_MAX - 1:
                raise problems.Unavailable(
                    "Too many concurrent changes to the same data.", headers={"Retry-After": "1"}
                ) from None
    raise AssertionError("the last attempt raises")


async def _before(web: Web, step: tuple[str, Before], call: Call, data: Any, key: str | None) -> dict[str, Any]:
    """Run what must happen before the transaction, unless a response is stored under the key already."""
    argument, before = step
    if not before.needed(data):
        return {argument: None}
    if key is not None:
        async with web.context.database.connection() as connection:
            if await idempotency.has_response(connection, _credential(call), key):
                return {argument: None}
    return {argument: await before.run(web.context, call.caller, data)}


async def _respond(
    web: Web, endpoint: Endpoint, call: Call, values: dict[str, Any], connection: db.Db | None
) -> Response:
    if endpoint.path_inputs:
        values = values | await path_values(endpoint, call, connection)
    operation = operations.begin(endpoint, call.caller, call.request.path_params, values)
    value = await endpoint.handler(**values, db=connection)
    if operation is not None and connection is not None:
        await web.record(connection, operation, value)
    return render(endpoint, call, value)


async def _respond_alone(web: Web, endpoint: Endpoint, call: Call, values: dict[str, Any]) -> Response:
    """Run a handler that has no connection: it calls other servers, and commits what it does by itself."""
    operation = operations.begin(endpoint, call.caller, call.request.path_params, values)
    value = await endpoint.handler(**values)
    if operation is not None:
        async with web.context.database.transaction() as connection:
            await web.record(connection, operation, value)
    return render(endpoint, call, value)


def _credential(call: Call) -> str:
    """Return whose Idempotency-Keys these are. A session has some of its own in each workspace."""
    caller = call.caller
    if caller is None:
        return f"address:{call.address}"
    return caller.credential if caller.key_id else f"{caller.credential}@{caller.workspace_id.hex}"


def _replay(call: Call, stored: idempotency.StoredResponse) -> Response:
    stored.headers["idempotent-replayed"] = "true"
    media_type = stored.headers.pop("content-type", "application/json")
    return respond(call, stored.status, stored.body, stored.headers, media_type.encode())


async def _respond_once(
    web: Web, endpoint: Endpoint, call: Call, values: dict[str, Any], body: bytes, key: str
) -> Response:
    """Respond once under the key: the effect and the stored response are committed together."""
    credential, keys, database = _credential(call), web.context.keys, web.context.database
    request_hash = idempotency.fingerprint(endpoint.method, call.request, body)
    keeping = partial(idempotency.key_row, keys, credential, key, request_hash)
    if endpoint.keep and (response := await _respond_keeping(endpoint, call, values, endpoint.keep, keeping)):
        return response
    is_mine = False
    try:
        async with database.transaction() as connection:
            if stored := await idempotency.look(connection, keys, credential, key, request_hash):
                return _replay(call, stored)
            is_mine = True
            response = await _respond(web, endpoint, call, values, connection)
            await idempotency.keep(connection, keeping(response))
            return response
    except problems.Problem as problem:  # the effect is rolled back; the refusal is stored
        if not is_mine or not _is_kept(problem):
            raise
        response = problem_response(problem, call.request.shown_path, web.base_url, call.headers)
    async with database.transaction() as connection:
        if stored := await idempotency.look(connection, keys, credential, key, request_hash):
            return _replay(call, stored)
        await idempotency.keep(connection, keeping(response))
    return response


async def _respond_keeping(
    endpoint: Endpoint,
    call: Call,
    values: dict[str, Any],
    argument: str,
    keeping: Callable[[Response], idempotency.KeyRow],
) -> Response | None:
    """Respond by a handler that writes its effect and the response at once; None: it could not, and did nothing."""
    responses: list[Response] = []

    def keep(value: Any) -> idempotency.KeyRow:
        responses.append(render(endpoint, call, value))
        return keeping(responses[-1])

    try:
        await endpoint.handler(**values | {argument: keep}, db=None)
    except idempotency.NotKept:
        return None
    except problems.Problem as problem:
        if not _is_kept(problem):
            raise
        return None
    return responses[-1]


def _is_kept(problem: problems.Problem) -> bool:
    """Whether a repeated request is refused the same way without being run again."""
    return problem.status != 429 and problem.status < 500


async def _respond_claimed(
    web: Web, endpoint: Endpoint, call: Call, values: dict[str, Any], body: bytes, key: str
) -> Response:
    """Respond where the work does not fit into one transaction (it calls other servers): the key is claimed first."""
    request_hash = idempotency.fingerprint(endpoint.method, call.request, body)
    async with web.context.database.transaction() as connection:
        stored = await idempotency.claim(connection, web.context.keys, _credential(call), key, request_hash)
    if stored:
        return _replay(call, stored)
    completed = False
    try:
        try:
            response = await _respond_alone(web, endpoint, call, values)
        except problems.Problem as problem:
            if not _is_kept(problem):
                raise
            response = problem_response(problem, call.request.shown_path, web.base_url, call.headers)
        row = idempotency.key_row(web.context.keys, _credential(call), key, request_hash, response)
        async with web.context.database.transaction() as connection:
            await idempotency.store(connection, row)
        completed = True
        return response
    finally:
        if not completed:
            if (mine := patience.get()) is not None:
                mine.allow_end()
            async with web.context.database.transaction() as connection:
                await idempotency.release(connection, _credential(call), key)


async def _decode(decoder: "msgspec.json.Decoder[Any]", body: bytes) -> Any:
    if len(body) > bounds.INLINE_MAX and await bounds.is_heavy(body):
        return await in_thread(validation.decode_body, decoder, body)
    return validation.decode_body(decoder, body)


async def serve(web: Web, endpoint: Endpoint, call: Call) -> Response:
    await _identify(web, endpoint, call)
    if endpoint.across_workspaces is True or (endpoint.across_workspaces and call.caller and call.caller.is_staff):
        across.set(True)
    streams = endpoint.reads_body_itself
    if endpoint.writes:
        check_encoding(call.request.headers)
    body = b"" if streams or not endpoint.writes else await read_body(call.request, endpoint.body_bytes_max)
    if not endpoint.negotiates_itself:
        check_media_types(endpoint.request_types, endpoint.documented_response or (), call.request.headers, body)
    values = query_inputs(web.page_key, endpoint, call)
    if endpoint.cached_seconds and (cached := web.cache.fresh(endpoint.name, endpoint.cached_seconds)):
        return cached
    values.update(_plain_inputs(web, endpoint, call))
    if endpoint.decoder is not None:
        if body or not endpoint.body_optional:
            values["data"] = await _decode(endpoint.decoder, body)
    elif body.strip() not in (b"", b"{}", b"null") and not streams:
        raise problems.invalid("", "not_allowed", "This operation does not accept a body.")
    if endpoint.cached_seconds:
        return await web.cache.make(endpoint.name, lambda: _run(web, endpoint, call, values, b""))
    if (instant := test_now(call)) is not None:
        with clock.at(instant):
            return await _run(web, endpoint, call, values, body)
    return await _run(web, endpoint, call, values, body)
