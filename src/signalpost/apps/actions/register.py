"""Apps that register themselves (RFC 7591). Anyone may, so what is never used is forgotten, and there are not many."""

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from signalpost.apps import queries, redirects, tokens
from signalpost.apps.actions.manage import INSERT
from signalpost.apps.errors import OauthError
from signalpost.apps.queries import AppRow, AuthMethod
from signalpost.apps.schemas import REDIRECTS_MAX
from signalpost.context import AppContext
from signalpost.kit import batches, clock, foreign, ids, rows
from signalpost.kit.db import Db

UNUSED_MAX: Final = 10_000
NAME_LENGTH_MAX: Final = 100
_UNNAMED: Final = "App without a name"
PURGE: Final = (
    batches.delete(
        "app", "workspace_id is null and used_at is null and created_at < now() - interval '1 day'"
    ),
    # Nobody allows it anything any more: it registers itself again when it comes back.
    batches.delete(
        "app",
        "workspace_id is null and used_at < now() - interval '100 days' and not exists ("
        "select from app_grant g join api_key k on k.id = g.id where g.app_id = app.id and k.revoked_at is null"
        " and k.expires_at > now())",
    ),
)  # fmt: skip


class Metadata(Struct):
    """What an app says of itself. Members that are not read here are ignored, as the standard wants it."""

    redirect_uris: Annotated[list[str], Meta(min_length=1, max_length=REDIRECTS_MAX)]
    client_name: str | None = None
    client_uri: str | None = None
    token_endpoint_auth_method: str = "client_secret_basic"  # noqa: S105 - the default of the standard
    grant_types: list[str] | None = None
    response_types: list[str] | None = None


_read: Final = msgspec.json.Decoder(Metadata)
_METHODS: Final[dict[str, AuthMethod]] = {
    method: method for method in ("none", "client_secret_basic", "client_secret_post")
}


async def register(context: AppContext, db: Db, body: bytes) -> dict[str, Any]:
    """Register an app; return what it learns, the secret too.

    Raises:
        OauthError: a redirect address or another member cannot be as it is, or too many apps are waiting.
    """
    data = _metadata(body)
    if await queries.count_unused(db, UNUSED_MAX) >= UNUSED_MAX:
        raise OauthError("temporarily_unavailable", "Too many apps were registered. Try again in an hour.", status=503)
    now = clock.actual()
    method = _METHODS[data.token_endpoint_auth_method]
    secret = None if method == "none" else tokens.new_secret(context.keys)
    row = AppRow(
        id=ids.new_id(),
        workspace_id=None,
        name=foreign.line(data.client_name, NAME_LENGTH_MAX) or _UNNAMED,
        website_url=_website(data.client_uri),
        redirect_uris=[*dict.fromkeys(data.redirect_uris)],
        auth_method=method,
        secret_hmac=None if secret is None else tokens.hmacs(context.keys, secret)[0],
        created_by=None,
        created_at=now,
        updated_at=now,
    )
    await db.execute(INSERT, *rows.values(row))
    answer: dict[str, Any] = {
        "client_id": ids.encode("app", row.id),
        "client_id_issued_at": int(now.timestamp()),
        "client_name": row.name,
        "redirect_uris": row.redirect_uris,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": method,
    }
    if row.website_url is not None:
        answer["client_uri"] = row.website_url
    if secret is not None:
        answer |= {"client_secret": secret.text, "client_secret_expires_at": 0}
    return answer


def _metadata(body: bytes) -> Metadata:
    try:
        data = _read.decode(body)
    except msgspec.MsgspecError as error:
        raise OauthError("invalid_client_metadata", f"The body must be metadata of a client as JSON: {error}") from None
    for uri in data.redirect_uris:
        if (reason := redirects.why_refused(uri)) is not None:
            raise OauthError("invalid_redirect_uri", f"{uri[:100]!a}: {reason}")
    if data.token_endpoint_auth_method not in _METHODS:
        raise OauthError("invalid_client_metadata", f"token_endpoint_auth_method must be one of {', '.join(_METHODS)}")
    if data.grant_types is not None and "authorization_code" not in data.grant_types:
        raise OauthError("invalid_client_metadata", "grant_types must include authorization_code")
    if data.response_types is not None and "code" not in data.response_types:
        raise OauthError("invalid_client_metadata", "response_types must include code")
    return data


def _website(uri: str | None) -> str | None:
    is_shown = uri is not None and uri.startswith("https://") and redirects.why_refused(uri) is None
    return uri if is_shown else None
