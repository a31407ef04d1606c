from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from signalpost.kit import issue_text, value_issues
from signalpost.kit.wire import Input, Instant, Output
from signalpost.web.caller import Role
from signalpost.web.fields import TimeOfDay, TimeZone

# The pattern of HTML's e-mail field. `$` alone would let a line end pass in Python.
Email = Annotated[
    str,
    Meta(
        max_length=254,
        pattern=r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
        r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$(?!\n)",
        extra={issue_text.FORMAT: "Must be an e-mail address."},
        description="The user's e-mail address.",
        extra_json_schema={"format": "email"},
        examples=["ada@example.com"],
    ),
]
AnyEmail = Annotated[
    str, Meta(max_length=254, description="The user's e-mail address, in any case.", examples=["ada@example.com"])
]
Password = Annotated[
    str, Meta(min_length=10, max_length=200, description="The new password.", examples=["correct horse battery"])
]
AnyPassword = Annotated[
    str, Meta(max_length=200, description="The user's password.", examples=["correct horse battery"])
]
Name = Annotated[
    str,
    Meta(
        min_length=1, max_length=100, pattern=r"\S", extra={issue_text.FORMAT: issue_text.NOT_BLANK}, examples=["Acme"]
    ),
]
Zone = Annotated[
    str,
    Meta(max_length=64, extra={value_issues.ZONE: True}, description="An IANA time zone.", examples=["Europe/Berlin"]),
]
Mode = Annotated[Literal["live", "test"], Meta(examples=["live"])]
Permission = Annotated[Literal["read", "read_write"], Meta(examples=["read_write"])]
Scopes = Annotated[list[str], Meta(examples=[["posts:read", "posts:write"]])]
ProfileIds = Annotated[list[str] | None, Meta(examples=[["prof_01M7Z0000000000000000000AB"]])]
AccessToken = Annotated[str, Meta(examples=["eyJhbGciOi…"])]
RefreshToken = Annotated[str, Meta(examples=["spr_AZH_qgk…"])]
SecondFactor = Annotated[
    Literal["optional", "admins", "everyone"],
    Meta(
        description=(
            "Of whom the workspace requires a second factor. `admins`: the owner and admins. Who has none can only set"
            " one up."
        ),
        examples=["admins"],
    ),
]
Seconds = Annotated[int, Meta(description="How many seconds the access token is valid.", examples=[900])]


class User(Output):
    id: str
    email: Annotated[str, Meta(examples=["ada@example.com"])]
    name: Annotated[str | None, Meta(examples=["Ada Lovelace"])]
    avatar_url: Annotated[str | None, Meta(examples=["https://example.com/ada.jpg"])]
    timezone: Annotated[str, Meta(examples=["Europe/Berlin"])]
    locale: Annotated[
        str | None,
        Meta(
            description="The language; null: they never chose one, and pages follow the browser.",
            examples=["en"],
        ),
    ]
    is_staff: bool
    totp_enabled: Annotated[bool, Meta(description="Whether signing in needs a code of an authenticator app.")]
    created_at: Instant


class WorkspaceSummary(Output):
    id: str
    name: Annotated[str, Meta(examples=["Acme"])]
    slug: Annotated[str, Meta(examples=["acme"])]
    plan: Annotated[str, Meta(examples=["self_hosted"])]
    timezone: Annotated[str, Meta(examples=["Europe/Berlin"])]
    timezone_chosen: Annotated[
        bool, Meta(description="Whether someone chose the time zone; else it is UTC.", examples=[True])
    ]
    created_at: Instant


class Workspace(WorkspaceSummary):
    """A workspace as one of its members sees it."""

    role: Annotated[Role, Meta(examples=["owner"])]
    redirect_urls: Annotated[list[str], Meta(examples=[["https://app.example.com/connected"]])]
    second_factor: SecondFactor


class UserRegister(Input):
    """Create a user and a workspace. Without a name, the workspace is named after the user."""

    email: Email
    password: Annotated[Password, Meta(description="The password; at least 10 characters.")]
    name: Annotated[Name | None, Meta(description="The user's name.", examples=["Ada Lovelace"])] = None
    workspace_name: Annotated[Name | None, Meta(description="The workspace's name.", examples=["Acme"])] = None
    timezone: Annotated[
        Zone | None,
        Meta(
            description=(
                "The IANA time zone of user, workspace and profile, such as a browser's"
                " `Intl.DateTimeFormat().resolvedOptions().timeZone`. Without it: UTC, and local times are warned of."
            ),
            examples=["Europe/Berlin"],
        ),
    ] = None


class Registration(Output):
    user: User
    workspace: WorkspaceSummary
    profile_id: str | None
    access_token: AccessToken
    refresh_token: RefreshToken
    expires_in: Seconds


AnyCode = Annotated[str, Meta(max_length=100, examples=["287082"])]


class UserLogin(Input):
    email: AnyEmail
    password: AnyPassword
    code: Annotated[
        AnyCode | None,
        Meta(description="Of a user with a second factor: a code of the app, or a recovery code.", examples=["287082"]),
    ] = None


class TotpEnrol(Input):
    password: AnyPassword


class TotpEnrolment(Output):
    """What an authenticator app needs. Only this response contains it."""

    secret: Annotated[str, Meta(description="For typing, in base32.", examples=["GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"])]
    uri: Annotated[
        str,
        Meta(
            description="For a QR code.",
            examples=["otpauth://totp/Signalpost:ada%40example.com?secret=GEZDGNBVGY3TQOJQ&issuer=Signalpost"],
        ),
    ]


class TotpConfirm(Input):
    code: Annotated[AnyCode, Meta(description="The code that the app shows.")]


class RecoveryCodes(Output):
    """Codes for who loses the device; each works once. Only this response contains them."""

    recovery_codes: Annotated[list[str], Meta(examples=[["k3zq-7m2p-x4ah-9wtd"]])]


class TotpDisable(Input):
    password: AnyPassword
    code: Annotated[AnyCode | None, Meta(description="A code of the app, or a recovery code.", examples=["287082"])] = (
        None
    )


class Login(Output):
    """The access token is for the first of the workspaces; `X-Workspace-Id` selects another."""

    user: User
    workspaces: list[Workspace]
    access_token: AccessToken
    refresh_token: RefreshToken
    expires_in: Seconds


class SessionRefresh(Input):
    refresh_token: Annotated[
        str, Meta(max_length=200, description="The latest refresh token of the session.", examples=["spr_AZH_qgk…"])
    ]


class Tokens(Output):
    access_token: AccessToken
    refresh_token: RefreshToken
    expires_in: Seconds


class PasswordChange(Input):
    """The password that counts now, and the one that shall. All other sessions of the user end."""

    current_password: AnyPassword
    password: Password
    code: Annotated[
        AnyCode | None,
        Meta(description="Of a user with a second factor: a code of the app, or a recovery code.", examples=["287082"]),
    ] = None


class Session(Output):
    """Where the user is signed in."""

    id: str
    current: Annotated[bool, Meta(description="Whether it is the session of this request.", examples=[True])]
    user_agent: Annotated[
        str | None,
        Meta(
            description="What the browser or program called itself; null: unknown.",
            examples=["Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"],
        ),
    ]
    address: Annotated[
        str | None, Meta(description="From where it was opened; of IPv6 the network.", examples=["203.0.113.7"])
    ]
    created_at: Instant
    last_used_at: Annotated[Instant, Meta(description="The last use, to the minute.")]
    expires_at: Annotated[Instant, Meta(description="When it ends unless it is used.")]


class SessionsEnded(Output):
    """How many sessions were ended."""

    ended: Annotated[int, Meta(examples=[2])]


class PasswordForgot(Input):
    email: AnyEmail


class Accepted(Output):
    """The same response whether the user exists or not."""

    message: Annotated[
        str,
        Meta(
            description="What happens next.",
            examples=[
                "If a user has this e-mail address, a link to choose a new password is on its way, or there already."
            ],
        ),
    ]
    status: Literal["accepted"] = "accepted"


class PasswordReset(Input):
    token: Annotated[
        str, Meta(max_length=200, description="The token in the link that was mailed.", examples=["3fb0…"])
    ]
    password: Password


class MeUpdate(Input):
    """Any subset of the fields. Times are shown in the time zone; `UTC`: in that of the workspace."""

    name: Annotated[
        Name | UnsetType | None, Meta(description="What others see; null: the address.", examples=["Ada Lovelace"])
    ] = UNSET
    locale: Annotated[
        Annotated[str, Meta(max_length=35, pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$(?!\n)",
            extra={issue_text.FORMAT: "Must be a language, such as en or de-AT."})]
        | UnsetType,
        Meta(description="The language, as BCP 47 writes it.", examples=["de"]),
    ] = UNSET  # fmt: skip
    timezone: Annotated[
        Zone | UnsetType,
        Meta(
            description="The time zone in which times are shown; `UTC`: that of the workspace.",
            examples=["Europe/Berlin"],
        ),
    ] = UNSET


class NotificationTopics(Output):
    """Which topics a person wants. What is not here, such as sign-in, leaks and payment, is always mailed."""

    approvals: Annotated[
        bool, Meta(description="Posts that wait for your decision, with a reminder a day before their time.")
    ]
    decisions: Annotated[bool, Meta(description="What was decided about posts that you wrote.")]
    discussions: Annotated[
        bool, Meta(description="Messages about posts: those that mention you, and those of guests about your posts.")
    ]
    failures: Annotated[bool, Meta(description="Posts of yours that failed.")]
    accounts: Annotated[bool, Meta(description="Accounts of your workspaces that have to be connected again.")]
    feeds: Annotated[bool, Meta(description="Feeds of yours that were held.")]
    webhooks: Annotated[bool, Meta(description="Webhooks of your workspaces that were disabled.")]
    usage: Annotated[bool, Meta(description="What your workspaces have used of their plans.")]
    support: Annotated[bool, Meta(description="Answers to your tickets.")]
    tickets: Annotated[bool, Meta(description="What users write to support. Only staff get these.")]


class NotificationTopicsUpdate(Input):
    """Any subset of the topics."""

    approvals: Annotated[
        bool | UnsetType,
        Meta(
            description="Posts that wait for your decision, with a reminder a day before their time.", examples=[False]
        ),
    ] = UNSET
    decisions: Annotated[
        bool | UnsetType, Meta(description="What was decided about posts that you wrote.", examples=[False])
    ] = UNSET
    discussions: Annotated[
        bool | UnsetType,
        Meta(
            description="Messages about posts: those that mention you, and those of guests about your posts.",
            examples=[False],
        ),
    ] = UNSET
    failures: Annotated[bool | UnsetType, Meta(description="Posts of yours that failed.", examples=[False])] = UNSET
    accounts: Annotated[
        bool | UnsetType,
        Meta(description="Accounts of your workspaces that have to be connected again.", examples=[False]),
    ] = UNSET
    feeds: Annotated[bool | UnsetType, Meta(description="Feeds of yours that were held.", examples=[False])] = UNSET
    webhooks: Annotated[
        bool | UnsetType, Meta(description="Webhooks of your workspaces that were disabled.", examples=[False])
    ] = UNSET
    usage: Annotated[
        bool | UnsetType, Meta(description="What your workspaces have used of their plans.", examples=[False])
    ] = UNSET
    support: Annotated[bool | UnsetType, Meta(description="Answers to your tickets.", examples=[False])] = UNSET
    tickets: Annotated[
        bool | UnsetType, Meta(description="What users write to support. Only staff get these.", examples=[False])
    ] = UNSET


class QuietHours(Output):
    """Hours of each day in which nothing of a topic comes: from an evening to a morning if the end is the earlier."""

    start: Annotated[str, Meta(examples=["22:00"])]
    end: Annotated[str, Meta(examples=["07:00"])]
    timezone: Annotated[str, Meta(examples=["Europe/Berlin"])]


class QuietHoursIn(Input):
    """Hours of each day in which what is of a topic waits; what waited comes at their end."""

    start: Annotated[TimeOfDay, Meta(description="When they begin.", examples=["22:00"])]
    end: Annotated[
        TimeOfDay, Meta(description="When they end: if that is the earlier time, on the next day.", examples=["07:00"])
    ]
    timezone: Annotated[TimeZone, Meta(description="The IANA time zone of both.", examples=["Europe/Berlin"])]


class Notifications(Output):
    """What a person is mailed about and notified of on their devices, and when."""

    mail: NotificationTopics
    push: Annotated[NotificationTopics, Meta(description="On the devices of `GET /auth/push`.")]
    quiet_hours: Annotated[QuietHours | None, Meta(description="Null: both come at any hour.")]


class NotificationsUpdate(Input):
    """Any subset of the fields."""

    mail: Annotated[
        NotificationTopicsUpdate | UnsetType,
        Meta(description="The topics to change of mails.", examples=[{"decisions": False}]),
    ] = UNSET
    push: Annotated[
        NotificationTopicsUpdate | UnsetType,
        Meta(description="The topics to change of what comes to your devices.", examples=[{"usage": False}]),
    ] = UNSET
    quiet_hours: Annotated[
        QuietHoursIn | UnsetType | None,
        Meta(
            description="Null: both come at any hour.",
            examples=[{"start": "22:00", "end": "07:00", "timezone": "Europe/Berlin"}],
        ),
    ] = UNSET


class Authentication(Output):
    """How the request was authenticated. For a session, `expiresAt` is when it ends unless it is refreshed."""

    type: Annotated[Literal["session", "api_key"], Meta(examples=["api_key"])]
    key_id: Annotated[str | None, Meta(examples=["key_01M7Z0000000000000000000AB"])]
    mode: Mode
    scopes: Scopes
    expires_at: Instant | None
    needs_second_factor: Annotated[
        bool, Meta(description="Whether you have to set up a second factor first, since the workspace requires it.")
    ]


class Me(Output):
    user: User
    workspace: WorkspaceSummary
    role: Annotated[Role, Meta(examples=["owner"])]
    profile_ids: Annotated[ProfileIds, Meta(description="The only visible profiles; null: all of the workspace.")]
    auth: Authentication
