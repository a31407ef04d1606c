from datetime import datetime
from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from signalpost.kit.wire import Input, Instant, Output

# The pattern of HTML's e-mail field. `$` alone would let a line end pass in Python.
Email = Annotated[
    str,
    Meta(
        max_length=254,
        pattern=r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
        r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$(?!\n)",
        extra_json_schema={"format": "email"},
        examples=["ada@example.com"],
    ),
]
AnyEmail = Annotated[str, Meta(max_length=254, examples=["ada@example.com"])]
Password = Annotated[str, Meta(min_length=10, max_length=200, examples=["correct horse battery"])]
AnyPassword = Annotated[str, Meta(max_length=200, examples=["correct horse battery"])]
Token = Annotated[str, Meta(max_length=200, examples=["spr_AZH_qgk…"])]
Name = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"\S", examples=["Acme"])]
Zone = Annotated[str, Meta(max_length=64, description="IANA time zone", examples=["Europe/Berlin"])]
RedirectUrl = Annotated[str, Meta(max_length=2048, examples=["https://app.example.com/connected"])]
Role = Literal["owner", "admin", "editor", "contributor", "approver", "viewer"]
Scope = Literal[
    "profiles:read", "profiles:write", "accounts:read", "accounts:write", "posts:read", "posts:write", "posts:publish",
    "media:write", "analytics:read", "webhooks:read", "webhooks:write", "team:read", "team:write", "billing:read",
    "invites:write", "support:write", "instance:admin",
]  # fmt: skip
Mode = Literal["live", "test"]
Permission = Literal["read", "read_write"]


class User(Output):
    id: str
    email: str
    name: str | None
    avatar_url: str | None
    timezone: str
    locale: str
    is_staff: bool
    created_at: Instant


class WorkspaceSummary(Output):
    id: str
    name: str
    slug: str
    plan: str
    timezone: str
    created_at: Instant


class Workspace(WorkspaceSummary):
    """A workspace as one of its members sees it."""

    role: Role
    redirect_urls: list[str]


class Register(Input):
    """A new user and their workspace; it is named after the user when no name is given."""

    email: Email
    password: Password
    name: Name | None = None
    workspace_name: Name | None = None


class Registered(Output):
    user: User
    workspace: WorkspaceSummary
    profile_id: str | None
    access_token: str
    refresh_token: str
    expires_in: int  # seconds of the access token


class Login(Input):
    email: AnyEmail
    password: AnyPassword


class LoggedIn(Output):
    """The access token is for the first of the workspaces; `X-Workspace-Id` picks another."""

    user: User
    workspaces: list[Workspace]
    access_token: str
    refresh_token: str
    expires_in: int


class Refresh(Input):
    refresh_token: Token


class Refreshed(Output):
    access_token: str
    refresh_token: str
    expires_in: int


class ForgotPassword(Input):
    email: AnyEmail


class Accepted(Output):
    """The same answer whether there is such a user or not."""

    status: Literal["accepted"] = "accepted"


class ResetPassword(Input):
    token: Token
    password: Password


class Authentication(Output):
    """How the request was authenticated. Of a session, `expiresAt` tells when it ends unless it is refreshed."""

    type: Literal["session", "api_key"]
    key_id: str | None
    mode: Mode
    scopes: list[str]
    expires_at: Instant | None


class Me(Output):
    user: User
    workspace: WorkspaceSummary
    role: Role
    profile_ids: list[str] | None  # null: all of the workspace
    auth: Authentication


class CreateWorkspace(Input):
    name: Name
    timezone: Zone = "UTC"


class UpdateWorkspace(Input):
    """Any subset of the fields. `redirectUrls` are where authorization flows may end: https, or http on loopback."""

    name: Name | UnsetType = UNSET
    timezone: Zone | UnsetType = UNSET
    redirect_urls: Annotated[list[RedirectUrl], Meta(max_length=20)] | UnsetType = UNSET


class Actor(Output):
    type: Literal["user"]
    id: str
    name: str


class ApiKey(Output):
    id: str
    name: str
    prefix: str
    mode: Mode
    permission: Permission
    scopes: list[str]
    profile_ids: list[str] | None
    ip_allow_list: list[str] | None
    expires_at: Instant | None
    last_used_at: Instant | None
    last_used_ip: str | None
    created_by: Actor
    created_at: Instant
    revoked_at: Instant | None
    status: Literal["active", "expired", "revoked"]


class NewApiKey(ApiKey):
    """The only answer that holds the key itself."""

    key: str


class CreateApiKey(Input):
    """A key never has more rights than whoever creates it; left out, `scopes` are all that they have."""

    name: Name
    mode: Mode = "live"
    permission: Permission = "read_write"
    scopes: Annotated[list[Scope], Meta(min_length=1, max_length=17)] | None = None
    profile_ids: Annotated[list[Annotated[str, Meta(max_length=40)]], Meta(min_length=1, max_length=500)] | None = None
    expires_at: Annotated[datetime, Meta(tz=True)] | None = None
    ip_allow_list: (
        Annotated[list[Annotated[str, Meta(max_length=64, examples=["203.0.113.0/24"])]], Meta(max_length=50)] | None
    ) = None


class ApiKeyRevocation(Output):
    id: str
    status: Literal["revoked"]
    revoked_at: Instant
