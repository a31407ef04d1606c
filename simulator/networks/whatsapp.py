"""WhatsApp Business Cloud: signed webhooks with messages and reports, files by id, replies, and the window of 24 hours.

Source: Meta's OpenAPI document of the API (v23.0), and developers.facebook.com on webhooks and user ids (2026). Not
certain at the real network, and so chosen here: `from_user_id` as the name of the user id in a message; a file's
address is on the same host as the API. A person whose `details["hides_phone"]` is set writes without a phone number.
"""

import base64
import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from simulator.ledger import Entry
from simulator.messages import Fail, Request, Response
from simulator.network import route
from simulator.networks.graph import GraphNetwork
from simulator.networks.graph_push import VERIFY_TOKEN, Webhook, post, sign
from simulator.oauth import Grant
from simulator.world import App, Person, World

WINDOW = timedelta(hours=24)
ADDRESS_SECONDS = 300
TEXT_MAX, BUTTON_TEXT_MAX = 4096, 1024


@dataclass
class StoredFile:
    """A file that a person sent."""

    id: str
    content: bytes
    mime_type: str


class WhatsApp(GraphNetwork):
    key = "whatsapp"
    ids_from = 106_540_352_000_000

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.phone_number_id = "106540352242922"
        self.phone_number = "493012345670"
        self.files: dict[str, StoredFile] = {}
        self.addresses: dict[str, tuple[str, datetime]] = {}
        self.last_message_at: dict[str, datetime] = {}
        self.templates: dict[tuple[str, str], int] = {("post_result", "en"): 1}
        """Name and language -> parameters of the body."""

    # --- who calls ----------------------------------------------------------------------------------------------------

    def token(self, app: App) -> str:
        """Return the token of the app's system user, which does not expire."""
        return f"EAA{hashlib.sha256(app.client_id.encode()).hexdigest()}"

    def grant_of(self, token: str) -> Grant | None:
        for app in self.world.apps:
            if app.network == self.key and token == self.token(app):
                return Grant(app, Person(self.key, "0", "system", "system"), frozenset(), self.world.clock())
        return None

    def authenticate(self, request: Request) -> Grant | None:
        return self.grant_of(self.bearer(request))

    def bearer(self, request: Request) -> str:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        return token if scheme.lower() == "bearer" else ""

    def business_error(self, code: int, title: str, details: str, status: int = 400) -> Fail:
        """Return what to raise for an error of this API, which says more in `error_data`."""
        response = self.error(status, code, f"(#{code}) {title}")
        response.json["error"]["error_data"] = {"messaging_product": "whatsapp", "details": details}
        return Fail(response)

    # --- what people do -----------------------------------------------------------------------------------------------

    def phone(self, person: Person) -> str | None:
        """Return a person's number, unless they hide it."""
        return None if person.details.get("hides_phone") else str(person.details.get("phone", f"4915{person.id[-8:]}"))

    def user_id(self, person: Person) -> str:
        """Return the id that this business knows a person by."""
        return str(person.details.get("user_id", f"DE.{person.id}"))

    def add_file(self, content: bytes, mime_type: str) -> StoredFile:
        """Store what a person is about to send."""
        file = StoredFile(self.new_id(), content, mime_type)
        self.files[file.id] = file
        return file

    def message(self, person: Person, kind: str, content: Any = None, **more: Any) -> dict[str, Any]:
        """Return a message of a person, as webhooks have it, and note that they wrote."""
        now = self.world.clock()
        self.last_message_at[person.id] = max(now, self.last_message_at.get(person.id, now))
        phone = self.phone(person)
        message = {
            "id": self.message_id(), "timestamp": str(int(now.timestamp())), "type": kind,
            "from_user_id": self.user_id(person),
        }  # fmt: skip
        if phone is not None:
            message["from"] = phone
        return message | ({} if content is None else {kind: content}) | more

    def text(self, person: Person, body: str) -> dict[str, Any]:
        return self.message(person, "text", {"body": body})

    def tap(self, person: Person, button_id: str, title: str = "", *, kind: str = "button_reply") -> dict[str, Any]:
        """Return a tap on a button, or on a row of a list (`list_reply`), of the newest message to the person."""
        sent = self.sent_to(person)
        context = {"from": self.phone_number, "id": sent[-1].remote_id if sent else self.message_id()}
        content = {"type": kind, kind: {"id": button_id, "title": title}}
        return self.message(person, "interactive", content, context=context)

    def attachment(self, person: Person, kind: str, file: StoredFile, caption: str = "") -> dict[str, Any]:
        """Return a message with a file."""
        digest = base64.b64encode(hashlib.sha256(file.content).digest()).decode()
        content = {"id": file.id, "mime_type": file.mime_type, "sha256": digest}
        return self.message(person, kind, content | ({"caption": caption} if caption else {}))

    def message_id(self) -> str:
        """Return an id that no simulator made before: a service remembers those that it has seen."""
        return "wamid." + base64.b64encode(f"HBg{secrets.token_hex(12)}FQIAEhgU".encode()).decode()

    # --- webhooks -----------------------------------------------------------------------------------------------------

    def settings(self, app: App) -> dict[str, str]:
        """Return the settings of a service that uses this number, but for the address."""
        return {
            "PHONE_NUMBER_ID": self.phone_number_id,
            "PHONE_NUMBER": f"+{self.phone_number}",
            "ACCESS_TOKEN": self.token(app),
            "APP_SECRET": app.client_secret,
            "VERIFY_TOKEN": VERIFY_TOKEN,
            "TEMPLATE": "post_result",
        }

    def webhooks(
        self,
        app: App,
        people: Sequence[Person],
        messages: Sequence[Mapping[str, Any]] = (),
        statuses: Sequence[Mapping[str, Any]] = (),
        *,
        together: bool = True,
        times: int = 1,
        backwards: bool = False,
    ) -> list[Webhook]:
        """Return the calls of the webhook that deliver these: in one or each in its own, repeated, in both orders."""
        parts = [([*messages], [*statuses])] if together else [([item], []) for item in messages]
        parts += [] if together else [([], [item]) for item in statuses]
        calls = [self.webhook(app, people, *part) for part in parts for _ in range(times)]
        return calls[::-1] if backwards else calls

    def webhook(
        self,
        app: App,
        people: Sequence[Person],
        messages: Sequence[Mapping[str, Any]] = (),
        statuses: Sequence[Mapping[str, Any]] = (),
    ) -> Webhook:
        """Return one call of the webhook, signed with the secret of the app."""
        number = {"display_phone_number": self.phone_number, "phone_number_id": self.phone_number_id}
        value: dict[str, Any] = {"messaging_product": "whatsapp", "metadata": number}
        value["contacts"] = [self._contact(person) for person in people]
        if messages:
            value["messages"] = list(messages)
        if statuses:
            value["statuses"] = list(statuses)
        entry = {"id": "102290129340398", "changes": [{"field": "messages", "value": value}]}
        return sign(app, json.dumps({"object": "whatsapp_business_account", "entry": [entry]}).encode())

    def _contact(self, person: Person) -> dict[str, Any]:
        contact = {"profile": {"name": person.name}, "user_id": self.user_id(person)}
        phone = self.phone(person)
        return contact if phone is None else contact | {"wa_id": phone}

    def status(self, remote_id: str, person: Person, status: str, code: int | None = None) -> dict[str, Any]:
        """Return a report on something that was sent to a person."""
        report: dict[str, Any] = {
            "id": remote_id, "status": status, "timestamp": str(int(self.world.clock().timestamp())),
            "recipient_user_id": self.user_id(person),
        }  # fmt: skip
        if (phone := self.phone(person)) is not None:
            report["recipient_id"] = phone
        if code is not None:
            report["errors"] = [{"code": code, "title": "Message failed", "message": "Message failed"}]
        return report

    def deliver(self, values: Mapping[str, Any]) -> list[int]:
        """Have a person send something to the webhook at `url`; return the statuses of its answers.

        One of `text`, `tap` (the id of a button) or `file` (base64, with `mime_type` and `caption`); `times`: repeated.
        """
        person, app = self.world.person(self.key, values["username"]), self.world.app(self.key, values["client_id"])
        if app is None:
            raise ValueError("no such app")
        if "file" in values:
            file = self.add_file(base64.b64decode(values["file"]), values["mime_type"])
            kind = file.mime_type.partition("/")[0]
            message = self.attachment(person, kind, file, values.get("caption", ""))
        else:
            message = self.tap(person, values["tap"]) if "tap" in values else self.text(person, values["text"])
        hooks = self.webhooks(app, [person], [message], times=int(values.get("times", 1)))
        return [post(values["url"], hook) for hook in hooks]

    # --- files --------------------------------------------------------------------------------------------------------

    @route("GET /{version}/{id}")
    def node(self, request: Request) -> Response:
        if request.args["id"] == self.phone_number_id:
            number = {"id": self.phone_number_id, "display_phone_number": self.phone_number, "verified_name": "Acme"}
            return Response(200, number)
        file = self.files.get(request.args["id"])
        if file is None:
            raise self.missing(request.args["id"])
        self.only(request.query, "phone_number_id")
        token = hashlib.sha256(f"{file.id}{len(self.addresses)}".encode()).hexdigest()[:24]
        self.addresses[token] = (file.id, self.world.clock() + timedelta(seconds=ADDRESS_SECONDS))
        return Response(200, {
            "messaging_product": "whatsapp", "url": f"{self.url}/whatsapp_business/attachments/{token}",
            "mime_type": file.mime_type, "sha256": hashlib.sha256(file.content).hexdigest(),
            "file_size": len(file.content), "id": file.id,
        })  # fmt: skip

    @route("GET /whatsapp_business/attachments/{token}")
    def content(self, request: Request) -> Response:
        file_id, until = self.addresses.get(request.args["token"], ("", self.world.clock()))
        if self.world.clock() >= until:
            return Response(404, body=b"")
        file = self.files[file_id]
        return Response(200, body=file.content, headers={"Content-Type": file.mime_type})

    # --- replies ------------------------------------------------------------------------------------------------------

    @route("POST /{version}/{number}/messages")
    def send(self, request: Request) -> Response:
        body = request.json
        if request.args["number"] != self.phone_number_id:
            raise self.missing(request.args["number"])
        if body.get("messaging_product") != "whatsapp":
            raise self._wrong("messaging_product must be whatsapp")
        if body.get("status") == "read":
            return Response(200, {"success": True})
        person = self._recipient(body)
        kind = body.get("type", "text")
        self.only(body, "messaging_product", "recipient_type", "to", "recipient", "type", "context", kind,
                  "biz_opaque_callback_data")  # fmt: skip
        content = body.get(kind)
        if not isinstance(content, dict):
            raise self._wrong(f"{kind} is required")
        if (check := _CHECKS.get(kind)) is None:
            raise self.business_error(131051, "Message type unknown", f"{kind} is not known here")
        text = check(self, content)
        last = self.last_message_at.get(person.id)
        if kind != "template" and (last is None or self.world.clock() - last > WINDOW):
            details = "Message failed to send because more than 24 hours have passed since the customer last replied."
            raise self.business_error(131047, "Re-engagement message", details)
        entry = self.publish(request, kind, text, account_id=person.id, remote_id=self.message_id(), details=body)
        contact = {"input": body.get("to") or body.get("recipient")}
        known = self.phone(person)
        contact |= {"user_id": self.user_id(person)} if known is None else {"wa_id": known}
        return Response(200, {
            "messaging_product": "whatsapp", "contacts": [contact], "messages": [{"id": entry.remote_id}],
        })  # fmt: skip

    def _recipient(self, body: Mapping[str, Any]) -> Person:
        to = "".join(char for char in str(body.get("to") or "") if char.isdigit())
        user_id = body.get("recipient")
        if bool(to) == bool(user_id):
            raise self._wrong("exactly one of to and recipient is required")
        for person in self.world.people:
            if person.network == self.key and ((to and self.phone(person) == to) or self.user_id(person) == user_id):
                return person
        raise self.business_error(131026, "Message undeliverable", "The recipient is not a WhatsApp user.")

    def _wrong(self, details: str) -> Fail:
        return self.business_error(131009, "Parameter value is not valid", details)

    def check_text(self, content: Mapping[str, Any]) -> str:
        self.only(content, "body", "preview_url")
        return self._bounded(content.get("body"), TEXT_MAX)

    def check_interactive(self, content: Mapping[str, Any]) -> str:
        text = self._bounded(_at(content, "body", "text"), BUTTON_TEXT_MAX)
        action = content.get("action") or {}
        if content.get("type") == "button":
            self._check_options([button.get("reply") or {} for button in action.get("buttons") or ()], 3, 20, 256)
        elif content.get("type") == "list":
            self._bounded(action.get("button"), 20)
            rows = [row for section in action.get("sections") or () for row in section.get("rows") or ()]
            self._check_options(rows, 10, 24, 200)
        else:
            raise self._wrong("interactive.type must be button or list")
        return text

    def _check_options(self, options: Sequence[Mapping[str, Any]], most: int, title_max: int, id_max: int) -> None:
        if not 1 <= len(options) <= most or len({option.get("id") for option in options}) < len(options):
            raise self._wrong(f"between 1 and {most} options with different ids are required")
        for option in options:
            self._bounded(option.get("title"), title_max)
            self._bounded(option.get("id"), id_max)

    def check_template(self, content: Mapping[str, Any]) -> str:
        name, language = content.get("name"), _at(content, "language", "code")
        expected = self.templates.get((str(name), str(language)))
        if expected is None:
            raise self.business_error(132001, "Template does not exist", f"{name} ({language})", status=404)
        parameters = [
            parameter
            for component in content.get("components") or () if component.get("type") == "body"
            for parameter in component.get("parameters") or ()
        ]  # fmt: skip
        if len(parameters) != expected:
            raise self.business_error(132000, "Number of parameters does not match", f"expected {expected}")
        texts = [self._bounded(parameter.get("text"), BUTTON_TEXT_MAX) for parameter in parameters]
        if any(char in text for text in texts for char in "\n\t") or any("    " in text for text in texts):
            raise self.business_error(132012, "Parameter format does not match", "no line breaks or tabs")
        return " ".join(texts)

    def _bounded(self, text: Any, most: int) -> str:
        if not isinstance(text, str) or not 1 <= len(text) <= most:
            raise self._wrong(f"a text of 1 to {most} characters is required")
        return text

    def sent_to(self, person: Person) -> list[Entry]:
        """Return what was sent to a person, oldest first."""
        return self.world.ledger.of(self.key, person.id)


def options_of(entry: Entry) -> dict[str, str]:
    """Return the buttons or rows of something that was sent: title -> id."""
    action = _at(entry.details, "interactive", "action") or {}
    rows: Iterable[Any] = [row for section in action.get("sections", ()) for row in section["rows"]]
    return {option["title"]: option["id"] for option in (*(b["reply"] for b in action.get("buttons", ())), *rows)}


def _at(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


_CHECKS = {
    "text": WhatsApp.check_text, "interactive": WhatsApp.check_interactive, "template": WhatsApp.check_template,
}  # fmt: skip
NETWORK: type[WhatsApp] = WhatsApp
