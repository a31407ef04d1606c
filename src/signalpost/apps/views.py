"""How apps and grants look on the wire."""

from msgspec import structs

from signalpost.apps.queries import AppRow, GrantRow
from signalpost.apps.schemas import App, AppGrant, AppOfGrant, AppWithSecret, Person
from signalpost.identity.views import profile_ids
from signalpost.kit import clock, ids


def app(row: AppRow) -> App:
    """Return an app that a workspace registered."""
    maker = row.created_by
    assert maker is not None  # noqa: S101 - only what registered itself has none, and that is in no workspace
    return App(
        id=ids.encode("app", row.id),
        name=row.name,
        website_url=row.website_url,
        redirect_uris=row.redirect_uris,
        type="public" if row.auth_method == "none" else "confidential",
        created_by=Person(type="user", id=maker.id or "", name=maker.name),
        created_at=clock.wire(row.created_at),
        updated_at=clock.wire(row.updated_at),
    )


def app_with_secret(row: AppRow, secret: str | None) -> AppWithSecret:
    """Return the response that shows the secret, which happens once."""
    return AppWithSecret(**structs.asdict(app(row)), secret=secret)


def grant(row: GrantRow) -> AppGrant:
    """Return a grant without what is stored of its tokens."""
    return AppGrant(
        id=ids.encode("agr", row.id),
        key_id=ids.encode("key", row.id),
        app=AppOfGrant(id=ids.encode("app", row.app_id), name=row.app_name, redirect_host=row.redirect_host),
        granted_by=Person(type="user", id=ids.encode("usr", row.user_id), name=row.user_name),
        scopes=row.scopes,
        profile_ids=profile_ids(row.profile_ids),
        created_at=clock.wire(row.created_at),
        last_used_at=clock.wire_or_none(row.last_used_at),
        expires_at=clock.wire(row.expires_at or row.created_at),
    )
