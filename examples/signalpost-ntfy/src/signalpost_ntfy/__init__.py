"""ntfy (https://ntfy.sh): an account is a topic, which keeps its messages for 12 hours."""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from signalpost.kit.http import BadResponse
from signalpost.networks.contract import (
    ApiError, BadCredentials, Connector, CredentialField, Facts, Identity, InvalidField, Journal, NeedsReconnect,
    NetworkSession, Option, Outcome, OutcomeUnknown, Outgoing, Published, Reconciled, Refused, Server, TextRule, TryLater,
)
from signalpost.networks.outcome_mapping import map_errors
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import members, redacted, response_text, texts, wait_seconds
from signalpost.networks.threads import PublicPart, ThreadPart, publish_parts, reconcile_parts

FACTS = Facts(
    key="ntfy", name="ntfy", source="https://docs.ntfy.sh/publish/ and its OpenAPI file", verified_on="2026-11-27",
    base_url="https://ntfy.sh",
    text=TextRule(max_length=4096, unit="code_point", bytes_max=4096, required=True),
    credential_fields=(
        CredentialField(name="topic", label="Topic"),
        CredentialField(name="token", label="Access token (tk_…), from the account page", secret=True),
    ),
    options={"priority": Option(type=int, description="How urgent it is, from 1 to 5 (default 3).")},
)


async def _call(server: Server, secrets: Mapping[str, str], method: str, path: str, **rest: Any) -> Any:
    return await server.call(method, path, headers={"Authorization": f"Bearer {secrets['token']}"}, **rest)


async def connect(server: Server, fields: Mapping[str, str]) -> Identity:
    """Verify that the token may read the topic."""
    topic, secrets = fields["topic"].strip(), {"token": fields["token"].strip()}
    if not re.fullmatch(r"[-_A-Za-z0-9]{1,64}", topic):
        raise InvalidField("topic", "A topic has 1 to 64 letters, digits, - and _.")
    try:
        await _call(server, secrets, "GET", f"/{topic}/json", params={"poll": "1", "since": "1m"})
    except ApiError as error:
        if error.response.status in {401, 403}:
            raise BadCredentials("The token does not open this topic. Create one on the account page.") from None
        raise
    return Identity(remote_id=topic, username=topic, display_name=topic, secrets=secrets, kind="channel")


def explain(error: ApiError) -> Outcome:
    response, status = error.response, error.response.status
    message = redacted(str(members(response).get("error") or f"status {status}"))
    details: Any = {"message": f"ntfy: {message}", "http_status": status, "response": response_text(response)}
    if status == 429:
        return TryLater(code="rate_limited", after_seconds=wait_seconds(response), **details)
    if status in {401, 403}:
        return NeedsReconnect(**details)
    if 400 <= status < 500:
        return Refused(code="text_too_long" if status == 413 else "content_rejected", **details)
    return OutcomeUnknown(**details) if error.call == "POST /" else TryLater(**details)


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    session = part.session
    message = {"topic": session.remote_id, "message": text_of_part(FACTS, part.outgoing, part.index)}
    await part.intend({"at": session.now().isoformat()})
    response = await _call(session.server, session.secrets, "POST", "/", json={**message, **part.outgoing.options})
    return {"id": texts(response, "id")[0]}


async def _find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    since = int(datetime.fromisoformat(intended["at"]).timestamp()) - 30
    if (part.session.now().timestamp() - since) > 11 * 3600:
        return OutcomeUnknown(message="ntfy keeps messages for 12 hours; look whether it was sent.")
    path, query = f"/{part.session.remote_id}/json", {"poll": "1", "since": str(since)}
    response = await _call(part.session.server, part.session.secrets, "GET", path, params=query)
    try:
        messages = [json.loads(line) for line in response.body.splitlines()]
        text = text_of_part(FACTS, part.outgoing, part.index)
        found = [item["id"] for item in messages if item.get("message") == text]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        raise BadResponse("the topic is not a list of messages") from None
    return {"id": found[0]} if found else None


def _published(_session: NetworkSession, _outgoing: Outgoing, posted: Any) -> Published:
    return Published(remote_id=posted[0]["id"], url=None)


@map_errors(explain)
async def publish(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
    return await publish_parts(session, outgoing, journal, find=_find, create=_create, published=_published)


async def reconcile(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Reconciled:
    return await reconcile_parts(session, outgoing, journal, find=_find, published=_published)


CONNECTOR = Connector(
    facts=FACTS, contract="1.0", connect=connect, publish=publish, explain=explain, reconcile=reconcile
)
