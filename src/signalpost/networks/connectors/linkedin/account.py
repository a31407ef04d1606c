"""Signing in, the organizations a member can post for, and checking an account."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from signalpost.kit.http import BadResponse
from signalpost.networks import oauth2
from signalpost.networks.connectors.linkedin.calls import OAUTH, call, encoded
from signalpost.networks.contract import (
    ApiError,
    AuthorizationCode,
    Choice,
    Destination,
    Health,
    Identity,
    NetworkSession,
    OAuthApp,
    Server,
)
from signalpost.networks.responses import members, string, texts

_MEMBER: Final = "urn:li:person:"
_ORGANIZATION: Final = "urn:li:organization:"
_POSTING: Final = frozenset({"ADMINISTRATOR", "CONTENT_ADMINISTRATOR", "DIRECT_SPONSORED_CONTENT_POSTER"})
_OF_MEMBERS: Final = "w_member_social"
_OF_ORGANIZATIONS: Final = "w_organization_social"
_ORGANIZATIONS_MAX: Final = 100
_DENIED: Final = frozenset({400, 403, 404})


async def exchange(server: Server, app: OAuthApp, code: AuthorizationCode) -> Identity:
    """Redeem the code and read whose account it is."""
    tokens = await oauth2.redeem_code(OAUTH, server, app, code)
    headers = {"Authorization": f"Bearer {tokens.secrets['accessToken']}"}
    response = await server.call("GET", "/v2/userinfo", headers=headers)
    (sub,) = texts(response, "sub")
    profile = members(response)
    name = string(profile.get("name")) or sub
    urn = f"{_MEMBER}{sub}"
    return Identity(
        remote_id=urn,
        username=name,
        display_name=name,
        secrets=tokens.secrets,
        avatar_url=string(profile.get("picture")),
        scopes=tokens.scopes,
        token_expires_at=tokens.token_expires_at,
        refreshable=tokens.refreshable,
        facts={
            "author": urn,
            "member": _OF_MEMBERS in tokens.scopes,
            "organizations": _OF_ORGANIZATIONS in tokens.scopes,
        },
    )


async def destinations(session: NetworkSession) -> Sequence[Destination]:
    """List the member and the organizations that they can post for; without LinkedIn's permission, the member alone."""
    member = Identity(
        remote_id=session.remote_id, username=session.username, display_name=session.username, secrets={},
        facts={"author": session.remote_id},
    )  # fmt: skip
    result = [Destination(identity=member, category="Member", can_post=session.facts.get("member") is not False)]
    if not session.facts.get("organizations"):
        return result
    for urn, roles in (await _roles(session)).items():
        result.append(await _organization(session, urn, roles))
    return result


async def choices(session: NetworkSession, options: Sequence[str], _of: str | None) -> Mapping[str, Sequence[Choice]]:
    """List in whose names the account can post: its own, and those of organizations."""
    listed = [Choice(value=session.remote_id, label=session.username)]
    if session.facts.get("organizations") is not False:
        for urn, roles in (await _roles(session)).items():
            if urn != session.remote_id:
                organization = await _organization(session, urn, roles)
                reason = (
                    None if organization.can_post else "The member's role at this organization does not allow posts."
                )
                listed.append(Choice(value=urn, label=organization.identity.display_name, reason=reason))
    return dict.fromkeys(options, listed)


async def _roles(session: NetworkSession) -> Mapping[str, tuple[str, ...]]:
    """Return the approved roles of the member by organization."""
    path = f"/rest/organizationAcls?q=roleAssignee&state=APPROVED&count={_ORGANIZATIONS_MAX}"
    response = await call(session, "GET", path, headers={"X-RestLi-Method": "FINDER"})
    elements = members(response).get("elements")
    if not isinstance(elements, list):
        raise BadResponse("the response is not a list of roles", status=response.status)
    roles: dict[str, tuple[str, ...]] = {}
    for element in elements[:_ORGANIZATIONS_MAX]:
        item: Mapping[str, Any] = element if isinstance(element, dict) else {}
        urn, role = string(item.get("organization")), string(item.get("role"))
        if urn and role and urn.startswith(_ORGANIZATION) and item.get("state", "APPROVED") == "APPROVED":
            roles[urn] = (*roles.get(urn, ()), role)
    return roles


async def _organization(session: NetworkSession, urn: str, roles: tuple[str, ...]) -> Destination:
    number = urn.removeprefix(_ORGANIZATION)
    try:
        profile = members(await call(session, "GET", f"/rest/organizations/{encoded(number)}"))
    except ApiError as error:
        if error.response.status not in _DENIED:
            raise
        profile = {}
    name = string(profile.get("localizedName")) or f"Organization {number}"
    vanity = string(profile.get("vanityName")) or number
    identity = Identity(
        remote_id=urn,
        username=vanity,
        display_name=name,
        secrets={},
        kind="page",
        profile_url=f"https://www.linkedin.com/company/{vanity}",
        facts={"author": urn},
    )
    return Destination(identity=identity, category="Organization", tasks=roles, can_post=not _POSTING.isdisjoint(roles))


async def check(session: NetworkSession) -> Health:
    """Ask whether the token still opens the account, and of an organization whether the member may still post."""
    profile = members(await call(session, "GET", "/v2/userinfo"))
    if not session.remote_id.startswith(_ORGANIZATION):
        return Health(display_name=string(profile.get("name")), avatar_url=string(profile.get("picture")))
    roles = (await _roles(session)).get(session.remote_id, ())
    can_post = not _POSTING.isdisjoint(roles)
    message = None if can_post else "The member no longer has a role that may post for this organization."
    return Health(can_post=can_post, message=message, granted=roles)


async def revoke(session: NetworkSession) -> None:
    """Revoke the token."""
    app = oauth2.app_of(session)
    await oauth2.post_form(OAUTH, session.server, app, OAUTH.revoke, {"token": session.secrets["accessToken"]})
