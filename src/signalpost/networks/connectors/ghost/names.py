"""What a post names is at the site: its authors, whom Ghost would replace by the owner, and its newsletter."""

from typing import Final
from urllib.parse import quote

from signalpost.networks.connectors.ghost.calls import answers_as_ghost, call_api
from signalpost.networks.contract import ApiError, NetworkSession, Outgoing, Refused
from signalpost.networks.responses import members

_AUTHOR: Final = "Enter the address with which the person signs in at the site, or leave the author out."
_NEWSLETTER: Final = (
    "Enter the slug of an active newsletter (Settings, Newsletters in Ghost), such as `default-newsletter`."
)


async def missing_name(session: NetworkSession, outgoing: Outgoing) -> Refused | None:
    """Return the refusal of the first author or newsletter that the site does not have."""
    for author in outgoing.options.get("authors") or ():
        if not await _has_author(session, author):
            message = f"Nobody with the address {author} works on the site. Ghost would name its owner instead."
            return Refused(code="content_rejected", message=message, remediation=_AUTHOR)
    newsletter = outgoing.options.get("newsletter")
    if newsletter and not await _has_newsletter(session, newsletter):
        message = f"The site has no active newsletter with the slug {newsletter}."
        return Refused(code="content_rejected", message=message, remediation=_NEWSLETTER)
    return None


async def _has_author(session: NetworkSession, email: str) -> bool:
    try:
        await call_api(session, f"GET /users/email/{quote(email, safe='')}/", params={"fields": "email"})
    except ApiError as error:
        if error.response.status in {404, 422} and answers_as_ghost(error.response):
            return False
        raise
    return True


async def _has_newsletter(session: NetworkSession, slug: str) -> bool:
    params = {"filter": f"slug:{slug}+status:active", "fields": "slug", "limit": "1"}
    return bool(members(await call_api(session, "GET /newsletters/", params=params)).get("newsletters"))
