from signalpost.identity.members import MemberRow
from signalpost.kit import clock, ids
from signalpost.team.schemas import InvitedMember, Inviter, Member
from signalpost.web.caller import Caller


def member(caller: Caller | None, row: MemberRow) -> Member:
    """Return a member; of its profiles, those that the caller sees. Without a caller: the member's own view."""
    profile_ids = row.profile_ids
    if profile_ids is not None and caller is not None:
        profile_ids = [profile_id for profile_id in profile_ids if caller.may_see_profile(profile_id)]
    return Member(
        id=ids.encode("mem", row.id),
        user_id=ids.encode_or_none("usr", row.user_id),
        email=row.email,
        name=row.name,
        avatar_url=row.avatar_url,
        role=row.role,
        profile_ids=None if profile_ids is None else [ids.encode("prof", profile_id) for profile_id in profile_ids],
        status=row.status,
        over_limit=row.over_limit,
        invited_by=None
        if row.invited_by is None
        else Inviter(id=ids.encode("usr", row.invited_by), name=row.inviter_name or ""),
        invited_at=clock.wire(row.invited_at),
        joined_at=clock.wire_or_none(row.joined_at),
        expires_at=clock.wire_or_none(row.expires_at),
        last_active_at=clock.wire_or_none(row.last_active_at),
    )


def invited_member(caller: Caller, row: MemberRow, *, invite_url: str, emailed: bool) -> InvitedMember:
    """Return the response that shows the link, which happens once for each request."""
    view = member(caller, row)
    values = {name: getattr(view, name) for name in view.__struct_fields__}
    return InvitedMember(**values, invite_url=invite_url, emailed=emailed)
