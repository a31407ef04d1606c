"""The link to a messenger over HTTP: the webhook that the messenger calls, and what users do with their link."""

from signalpost.accounts.errors import PlatformNotConfigured
from signalpost.context import AppContext
from signalpost.kit.db import Db
from signalpost.kit.problems import Forbidden, InsufficientScope, InvalidSignature, PayloadTooLarge, VerificationFailed
from signalpost.messenger import queries, views, whatsapp
from signalpost.messenger.actions import link, receive
from signalpost.messenger.messengers import MESSENGERS
from signalpost.messenger.schemas import LinkCode, LinkCodeCreate, LinkStatus, MessagesReceived, Unlinked
from signalpost.plans.errors import PlanFeatureUnavailable
from signalpost.web import hub
from signalpost.web.caller import PUBLIC, SIGNED_IN, Caller
from signalpost.web.hub import Handshake
from signalpost.web.request import Request
from signalpost.web.routing import RawResponse, Routes

routes = Routes("Messaging-app link")

DEFAULT = LinkCodeCreate()
_CALL = {
    "application/json": {
        "schema": {
            "type": "object",
            "description": "A notification, as Meta documents it.",
            "additionalProperties": True,
        },
        "example": {"object": "whatsapp_business_account", "entry": []},
    }
}


@routes.get(
    "/wa/webhook",
    scope=PUBLIC,
    has_cell_path=True,
    raises=(VerificationFailed,),
    documented_response=hub.CHALLENGE,
)
async def verify_messenger_webhook(context: AppContext, query: Handshake) -> RawResponse:
    """Verify the address of the webhook: Meta calls this once, when it is registered there."""
    challenge = hub.shake_hands(context.settings.whatsapp_verify_token, query)
    return RawResponse(challenge.encode(), "text/plain; charset=utf-8")


@routes.post(
    "/wa/webhook",
    scope=PUBLIC,
    has_cell_path=True,
    status=200,
    unlimited=True,
    across_workspaces=True,
    history="nothing",
    raises=(InvalidSignature, PayloadTooLarge),
    documented_request_body=_CALL,
    documented_headers=hub.SIGNATURE,
)
async def receive_messages(context: AppContext, request: Request) -> MessagesReceived:
    """Receive messages and reports of the messenger, signed by it. They are handled after the response.

    A message that was received before is not handled again.
    """
    secret = context.settings.whatsapp_app_secret
    body = await hub.read_call(context, request, () if secret is None else (secret,))
    number = context.settings.whatsapp_phone_number_id or ""
    await receive.receive(context, MESSENGERS["whatsapp"], body, lambda call: whatsapp.read_update(call, number))
    return MessagesReceived()


@routes.post(
    "/wa/link-code",
    scope=SIGNED_IN,
    raises=(PlatformNotConfigured, PlanFeatureUnavailable, Forbidden, InsufficientScope),
)
async def create_messenger_link_code(
    context: AppContext, db: Db, caller: Caller, data: LinkCodeCreate = DEFAULT
) -> LinkCode:
    """Get a code that links the number or account that sends it within ten minutes. An older code ends.

    What you link may do what this credential may do, as far as you still may, and only as long as it works. It replaces
    what you linked before. A key needs `keys:write`, has no `ipAllowList`, and replaces nothing that another credential
    has linked.
    """
    return await link.create_code(context, db, caller, data)


@routes.get("/wa/status", scope=SIGNED_IN)
async def get_messenger_status(context: AppContext, db: Db, caller: Caller) -> LinkStatus:
    """Return your link to the messenger in this workspace."""
    row = await queries.find_mine(db, caller)
    reply = None if row is None else await queries.last_reply(db, row.id)
    return views.status(context, row, await queries.find_my_code(db, caller), reply)


@routes.delete("/wa/link", scope=SIGNED_IN, raises=(Forbidden,))
async def delete_messenger_link(db: Db, caller: Caller) -> Unlinked:
    """Unlink your number, and end a code that was not sent yet. Repeating this request changes nothing.

    A key ends only what it has made itself.
    """
    await link.unlink(db, caller)
    return Unlinked()
