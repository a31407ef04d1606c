"""WhatsApp as a messenger of this room: calls with the token of the operator's app."""

from typing import Final
from urllib.parse import quote, urlsplit

from signalpost.context import AppContext
from signalpost.kit import foreign, http
from signalpost.kit.db import Db
from signalpost.kit.http import Client
from signalpost.media.errors import MediaFetchFailed
from signalpost.messenger import texts, whatsapp
from signalpost.messenger.contract import (
    Fails,
    Invitation,
    Located,
    MessageFile,
    Reply,
    Sender,
    SendResult,
    Unusable,
    Works,
)
from signalpost.messenger.names import Name
from signalpost.settings import WHATSAPP_SETTINGS, Settings

_SEND_SECONDS: Final = 15.0
_NAME_SECONDS: Final = 10.0


class WhatsApp:
    """See `contract.Messenger`."""

    name: Name = "whatsapp"
    kind_of_address = "WhatsApp number"
    window_seconds: float | None = whatsapp.WINDOW_SECONDS

    def is_configured(self, settings: Settings) -> bool:
        return all(getattr(settings, name) is not None for name in WHATSAPP_SETTINGS)

    def has_template(self, settings: Settings) -> bool:
        return settings.whatsapp_template is not None

    async def examine(self, client: Client, settings: Settings) -> Works | Fails:
        """Ask for the number, which proves the token and the id; the secret of the app is proved by no call."""
        response = await client.request(
            "GET", whatsapp.url(settings.whatsapp_base_url, settings.whatsapp_phone_number_id or ""),
            headers={"Authorization": f"Bearer {settings.whatsapp_access_token}"}, trusted=True,
            params={"fields": "display_phone_number"}, timeout_seconds=_NAME_SECONDS,
        )  # fmt: skip
        number = whatsapp.number_of(response)
        if number is None:
            fix = (
                "Generate a token of the system user that has the number, and correct SIGNALPOST_WHATSAPP_ACCESS_TOKEN"
            )
            return Fails(whatsapp.why(response), f"{fix} and SIGNALPOST_WHATSAPP_PHONE_NUMBER_ID.")
        return Works(number)

    async def invitation(self, _db: Db, settings: Settings, code: str) -> Invitation:
        number = settings.whatsapp_phone_number or ""
        digits = "".join(char for char in number if char.isdigit())
        return Invitation(number, f"https://wa.me/{digits}?text={quote(code)}", phone_number=number)

    def masked(self, sender: Sender) -> str | None:
        """Return a number of which only the beginning and the end can be read."""
        return None if sender.phone is None else f"+{sender.phone[:2]} *** ** {sender.phone[-2:]}"

    async def send(self, context: AppContext, recipient: Sender, reply: Reply, *, as_template: bool) -> SendResult:
        settings = context.settings
        body = whatsapp.message_body(recipient, reply)
        if as_template:
            name, language = settings.whatsapp_template or "", settings.whatsapp_template_language
            body = whatsapp.template_body(recipient, reply.text, name=name, language=language)
        response = await context.http.messenger.request(
            "POST", whatsapp.url(settings.whatsapp_base_url, f"{settings.whatsapp_phone_number_id}/messages"),
            headers=_authorization(context), json=body, trusted=True, timeout_seconds=_SEND_SECONDS,
        )  # fmt: skip
        return whatsapp.send_result(response)

    async def locate(self, context: AppContext, file: MessageFile) -> Located:
        """Ask for the address of a file, which works for five minutes."""
        bytes_max = whatsapp.BYTES_MAX[file.kind]
        address = await _address(context, file, bytes_max)
        ours = urlsplit(address).netloc == urlsplit(context.settings.whatsapp_base_url).netloc
        if not ours and not _may_see_token(address):
            raise MediaFetchFailed("The messenger named an address that is not its own.")
        return Located(address, _authorization(context), ours, bytes_max)


async def _address(context: AppContext, file: MessageFile, bytes_max: int) -> str:
    settings = context.settings
    try:
        response = await context.http.messenger.request(
            "GET", whatsapp.url(settings.whatsapp_base_url, file.id), headers=_authorization(context), trusted=True,
            params={"phone_number_id": settings.whatsapp_phone_number_id or ""}, timeout_seconds=_NAME_SECONDS,
        )  # fmt: skip
        body = response.json()
    except http.HttpFailure as failure:
        raise MediaFetchFailed(f"The messenger did not say where the file is: {failure.detail}.") from None
    if response.status >= 500 or response.status == 429:
        raise MediaFetchFailed(f"The messenger did not say where the file is: status {response.status}.")
    address = foreign.url(body.get("url")) if isinstance(body, dict) else None
    if response.status != 200 or address is None:
        raise Unusable(texts.NO_FILE)
    size = body.get("file_size")
    if isinstance(size, int | str) and str(size).isdigit() and len(str(size)) < 20 and int(size) > bytes_max:
        raise Unusable(texts.too_large(file.kind, bytes_max))
    return address


def _authorization(context: AppContext) -> dict[str, str]:
    return {"Authorization": f"Bearer {context.settings.whatsapp_access_token}"}


def _may_see_token(address: str) -> bool:
    """Whether the address is one of the messenger's own hosts, over https."""
    parts = urlsplit(address)
    host = (parts.hostname or "").lower()
    return parts.scheme == "https" and any(host == name or host.endswith(f".{name}") for name in whatsapp.TOKEN_HOSTS)
