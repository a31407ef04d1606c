import asyncio
from typing import Annotated

from signalpost.api_keys import queries, secret_scanning, views
from signalpost.api_keys.actions import device_logins, keys, leaked
from signalpost.api_keys.errors import AccessDenied, AuthorizationPending, ExpiredToken, SlowDown
from signalpost.api_keys.queries import ApiKeyRow
from signalpost.api_keys.schemas import (
    ApiKey,
    ApiKeyCreate,
    ApiKeyQuery,
    ApiKeyRevocation,
    ApiKeyWithSecret,
    DeviceLogin,
    DeviceLoginApprove,
    DeviceLoginCodes,
    DeviceLoginCreate,
    DeviceLoginKey,
    DeviceLoginRedeem,
    DeviceLoginReject,
    DeviceLoginResolve,
    LeakedKeysReport,
)
from signalpost.context import AppContext
from signalpost.identity.errors import PlanLimitReached
from signalpost.kit.db import Db
from signalpost.kit.problems import (
    Forbidden,
    InsufficientScope,
    InvalidSignature,
    MalformedRequest,
    NotFound,
    PayloadTooLarge,
)
from signalpost.kit.wire import Listing
from signalpost.web.caller import PUBLIC, SIGNED_IN, Caller
from signalpost.web.fields import ApiKeyId
from signalpost.web.inputs import Mine
from signalpost.web.paging import LIST_ALL, Page
from signalpost.web.request import ClientAddress, Request, read_body
from signalpost.web.routing import Routes

routes = Routes("Identity")

MyKey = Annotated[ApiKeyRow, Mine(ApiKeyId, queries.find_my_key)]

_REPORT = {
    "application/json": {
        "schema": {
            "type": "array",
            "maxItems": secret_scanning.TOKENS_MAX,
            "description": "Tokens, as GitHub reports them.",
            "items": {
                "type": "object",
                "properties": {"token": {"type": "string"}, "type": {"type": "string"}, "url": {"type": "string"}},
                "required": ["token"],
                "additionalProperties": True,
            },
        },
        "example": [
            {"token": "sp_live_…", "type": "signalpost_api_key", "url": "https://github.com/acme/app/blob/1/a.py"}
        ],
    }
}


@routes.post("/api-keys", scope="keys:write", raises=(Forbidden, InsufficientScope, PlanLimitReached))
async def create_api_key(db: Db, caller: Caller, context: AppContext, data: ApiKeyCreate) -> ApiKeyWithSecret:
    """Create an API key. Only this response contains `key`.

    The key never has more rights than its creator: rights that the creator loses later, the key loses at once. A key
    that a key creates ends with it.
    """
    return await keys.create_api_key(context, db, caller, data)


@routes.post(
    "/api-keys/leaked",
    scope=PUBLIC,
    status=200,
    unlimited=True,
    across_workspaces=True,
    history="action",
    raises=(InvalidSignature, MalformedRequest, PayloadTooLarge),
    documented_request_body=_REPORT,
    documented_headers={
        "Github-Public-Key-Identifier": "Which key signed the body.",
        "Github-Public-Key-Signature": "The ECDSA signature of the body, over SHA-256, as DER in base64.",
    },
)
async def report_leaked_keys(context: AppContext, request: Request) -> LeakedKeysReport:
    """Receive tokens that secret scanning found in public, signed by GitHub. Those that are keys here are revoked.

    Their workspaces find it in their history; owners and creators get a mail.
    """
    identifier = request.headers.get("github-public-key-identifier", "")
    signature = request.headers.get("github-public-key-signature", "")
    secret_scanning.require_headers(context.settings.secret_scanning_keys, identifier, signature)
    body = await read_body(request, secret_scanning.BODY_BYTES_MAX)
    await asyncio.to_thread(secret_scanning.verify, context.settings.secret_scanning_keys, identifier, signature, body)
    result = await leaked.revoke_leaked(context, secret_scanning.read(body), source="GitHub")
    return LeakedKeysReport(revoked=len(result.keys), unknown=result.unknown)


@routes.get("/api-keys", scope="keys:write", limit_default=LIST_ALL)
async def list_api_keys(db: Db, caller: Caller, query: ApiKeyQuery, page: Page) -> Listing[ApiKey]:
    """List API keys, newest first: owners and admins see all, editors their own.

    Revoked keys stay in the list for 30 days. A test key sees test keys only.
    """
    return page.of(await queries.keys_page(db, caller, page, mine=query.mine), views.api_key)


@routes.delete("/api-keys/{id}", scope=SIGNED_IN, raises=(Forbidden, InsufficientScope))
async def revoke_api_key(key: MyKey, context: AppContext, db: Db, caller: Caller) -> ApiKeyRevocation:
    """Revoke an API key at once, with all keys that it issued. Repeating the request changes nothing.

    With a key, this needs the scope `keys:write`, unless the key revokes itself.
    """
    return await keys.revoke_api_key(context, db, caller, key)


@routes.post("/device-logins", scope=PUBLIC, bucket="login", across_workspaces=True, history="nothing")
async def create_device_login(context: AppContext, data: DeviceLoginCreate, address: ClientAddress) -> DeviceLoginCodes:
    """Ask for an API key for a program without a browser, such as `sp login`: device authorization (RFC 8628).

    The program shows the person `userCode` and `verificationUri`, and asks `POST /device-logins/token` what came of it.
    It works for ten minutes.
    """
    return await device_logins.create_device_login(context, data, address)


@routes.post(
    "/device-logins/token",
    scope=PUBLIC,
    status=200,
    across_workspaces=True,
    history="nothing",
    raises=(AuthorizationPending, SlowDown, AccessDenied, ExpiredToken),
)
async def take_device_login(context: AppContext, data: DeviceLoginRedeem) -> DeviceLoginKey:
    """Take the API key, once a person has granted it. Until then the problem is `authorization_pending`.

    Ask every `intervalSeconds`. Only one response contains the key.
    """
    return await device_logins.take_key(context, data.device_code)


@routes.post(
    "/device-logins/lookup",
    scope=SIGNED_IN,
    status=200,
    across_workspaces=True,
    history="nothing",
    raises=(Forbidden, NotFound),
)
async def find_device_login(context: AppContext, caller: Caller, data: DeviceLoginResolve) -> DeviceLogin:
    """Return the device that shows a code. Only a person who is signed in can ask.

    Wrong codes are counted: ten in 15 minutes of a person.
    """
    return await device_logins.find_device_login(context, caller, data.user_code)


@routes.post(
    "/device-logins/approve",
    scope=SIGNED_IN,
    status=200,
    across_workspaces=True,
    raises=(Forbidden, InsufficientScope, NotFound, PlanLimitReached),
)
async def approve_device_login(context: AppContext, caller: Caller, data: DeviceLoginApprove) -> ApiKey:
    """Grant a device an API key of yours, in the workspace of the request. Only a person who is signed in can.

    Approve only what you started yourself: whoever has the device has the key.
    """
    return await device_logins.approve(context, caller, data)


@routes.post("/device-logins/refuse", scope=SIGNED_IN, status=204, across_workspaces=True, raises=(Forbidden, NotFound))
async def refuse_device_login(context: AppContext, caller: Caller, data: DeviceLoginReject) -> None:
    """Refuse a device its key. Only a person who is signed in can."""
    await device_logins.refuse(context, caller, data.user_code)
