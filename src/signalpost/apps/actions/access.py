"""What an access token stands for: the key by which its app acts."""

from uuid import UUID

from signalpost.apps import queries, tokens
from signalpost.context import AppContext
from signalpost.identity.errors import KeyRevoked, TokenExpired
from signalpost.kit import clock, crypto
from signalpost.kit.db import Db

_CHALLENGE = {"WWW-Authenticate": 'Bearer error="invalid_token"'}


async def key_of_app(context: AppContext, db: Db, bearer: str) -> UUID | None:
    """Return the id of the key that acts for this access token; None: it is not one of ours.

    Whether the key still works, and what its person may do now, `identity` asks as for any key.

    Raises:
        TokenExpired: the app has to get another one by its refresh token.
        KeyRevoked: the app was deleted.
    """
    parts = crypto.parse_api_key(bearer)
    if parts is None or parts.prefix != tokens.ACCESS_PREFIX:
        return None
    grant = await queries.find_grant_of_key(db, parts.key_id)
    current = tokens.is_stored(context.keys, parts, None if grant is None else grant.access_hmac)
    former = tokens.is_stored(context.keys, parts, None if grant is None else grant.former_hmac)
    if grant is None or not (current or former):
        return None
    if grant.app_ended:
        raise KeyRevoked("The app of this access token was deleted.", headers=_CHALLENGE)
    expires_at = grant.access_expires_at if current else grant.former_expires_at
    if expires_at is None or expires_at <= clock.actual():
        raise TokenExpired(
            "This access token has expired.", headers=_CHALLENGE, remediation="Use the refresh token to get another."
        )
    return grant.id
