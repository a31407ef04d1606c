from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from signalpost.identity.schemas import AccessToken, AnyCode, AnyPassword, Email, Name, RefreshToken, WorkspaceSummary
from signalpost.kit import ids
from signalpost.kit.wire import Input, Instant, Output
from signalpost.web.caller import Role
from signalpost.web.fields import MemberId, ProfileId

GrantedRole = Literal["admin", "editor", "contributor", "approver", "viewer"]
"""Roles that can be given to someone; the owner's passes on with `POST /team/transfer`."""
ProfileLimit = Annotated[list[ProfileId], Meta(min_length=1, max_length=500)]


class Inviter(Output):
    """The user who invited the member."""

    id: Annotated[str, Meta(examples=[ids.example("usr")])]
    name: Annotated[str, Meta(examples=["Ada Lovelace"])]


class Member(Output):
    """A member of the workspace, or an open invitation."""

    id: Annotated[str, Meta(examples=[ids.example("mem")])]
    user_id: Annotated[str | None, Meta(description="Null until the invitation is accepted.")]
    email: Annotated[str, Meta(examples=["grace@example.com"])]
    name: Annotated[str | None, Meta(examples=["Grace Hopper"])]
    avatar_url: Annotated[str | None, Meta(examples=["https://example.com/grace.jpg"])]
    role: Annotated[Role, Meta(examples=["editor"])]
    profile_ids: Annotated[
        list[str] | None,
        Meta(
            description="The only profiles that the member sees, as far as you see them; null: all of the workspace.",
            examples=[[ids.example("prof")]],
        ),
    ]
    status: Annotated[
        Literal["invited", "active", "suspended", "declined", "expired", "removed"], Meta(examples=["active"])
    ]
    over_limit: Annotated[
        bool, Meta(description="Whether this is one more than the plan covers: such a member may do what a viewer may.")
    ]
    invited_by: Inviter | None
    invited_at: Instant
    joined_at: Instant | None
    expires_at: Annotated[Instant | None, Meta(description="When an open invitation expires.")]
    last_active_at: Annotated[Instant | None, Meta(description="When the member was last signed in, to the minute.")]


class InvitedMember(Member):
    """An invitation with its link, which only this response contains."""

    invite_url: Annotated[
        str,
        Meta(
            description="The link that the invited person opens. Whoever has it can accept the invitation.",
            examples=["https://social.example.com/invites/AZ2k…"],
        ),
    ]
    emailed: Annotated[
        bool,
        Meta(
            description=(
                "Whether a mail is on its way. If not, pass the link on yourself: `sendEmail` is false, this instance"
                " sends no mail, or the mailbox received too many."
            ),
            examples=[True],
        ),
    ]


class MemberInvite(Input):
    """Invite someone. An open invitation to the same address is renewed."""

    email: Annotated[Email, Meta(description="Whom to invite.", examples=["grace@example.com"])]
    role: Annotated[
        GrantedRole, Meta(description="What the member may do. It must be below your own role.", examples=["editor"])
    ]
    profile_ids: Annotated[
        ProfileLimit | None,
        Meta(
            description="The only profiles that the member will see. Default: all.",
            examples=[["prof_01M7Z0000000000000000000AB"]],
        ),
    ] = None
    message: Annotated[
        Annotated[str, Meta(max_length=500)] | None,
        Meta(description="A text for the invited person.", examples=["Welcome to the team!"]),
    ] = None
    send_email: Annotated[bool, Meta(description="Whether to mail the link.", examples=[True])] = True


class RoleUpdate(Input):
    """Any subset of the fields."""

    role: Annotated[
        GrantedRole | UnsetType, Meta(description="The new role; it must be below your own.", examples=["editor"])
    ] = UNSET
    profile_ids: Annotated[
        ProfileLimit | UnsetType | None,
        Meta(
            description="The only profiles that the member sees; null: all.",
            examples=[["prof_01M7Z0000000000000000000AB"]],
        ),
    ] = UNSET
    status: Annotated[
        Literal["active", "suspended"] | UnsetType,
        Meta(
            description="A suspended member can do nothing here, nor can their API keys, until they are active again.",
            examples=["active"],
        ),
    ] = UNSET


class OwnershipTransfer(Input):
    member_id: Annotated[
        MemberId,
        Meta(description="An active member, who becomes the owner.", examples=["mem_01M7Z0000000000000000000AB"]),
    ]


class InviteAccept(Input):
    """Who accepts: empty with the access token of the invited user; else name and password."""

    name: Annotated[Name | None, Meta(description="The name of a new user.", examples=["Grace Hopper"])] = None
    password: Annotated[
        AnyPassword | None,
        Meta(
            description="The password of the user with this address, or that of a new user (10 to 200 characters).",
            examples=["correct horse battery"],
        ),
    ] = None
    code: Annotated[
        AnyCode | None,
        Meta(description="Of a user with a second factor: a code of the app, or a recovery code.", examples=["287082"]),
    ] = None


class AcceptedInvite(Output):
    """The membership. Without an access token in the request, the user is signed in."""

    member: Member
    workspace: WorkspaceSummary
    access_token: AccessToken | None
    refresh_token: RefreshToken | None
    expires_in: Annotated[int | None, Meta(examples=[900])]
