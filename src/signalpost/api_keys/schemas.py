from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta

from signalpost.identity.schemas import Mode, Name, Permission, ProfileIds, Scopes
from signalpost.kit import ids
from signalpost.kit.wire import Input, Instant, Output
from signalpost.web.caller import SCOPES, Scope
from signalpost.web.fields import ProfileId

IpNetwork = Annotated[str, Meta(max_length=64, examples=["203.0.113.0/24"])]


class Actor(Output):
    type: Literal["user"]
    id: Annotated[str, Meta(examples=[ids.example("usr")])]
    name: Annotated[str, Meta(examples=["Ada Lovelace"])]


class KeyIssuer(Output):
    """Who created a key: a person, or a key with the scope `keys:write`."""

    type: Annotated[Literal["user", "api_key"], Meta(examples=["api_key"])]
    id: Annotated[str, Meta(examples=[ids.example("key")])]
    name: Annotated[str, Meta(examples=["Provisioning"])]


class ApiKeyQuery(Input):
    """Which keys."""

    mine: Annotated[bool, Meta(description="Only keys whose rights are yours.", examples=[True])] = False


class ApiKey(Output):
    id: str
    name: Annotated[str, Meta(examples=["CMS"])]
    prefix: Annotated[str, Meta(description="The public beginning of the key.", examples=["sp_live_AbCdEfGhIjKl"])]
    mode: Mode
    permission: Permission
    scopes: Scopes
    profile_ids: ProfileIds
    ip_allow_list: Annotated[list[str] | None, Meta(examples=[["203.0.113.0/24"]])]
    expires_at: Annotated[Instant | None, Meta(examples=["2027-11-21T18:00:00.000Z"])]
    last_used_at: Annotated[Instant | None, Meta(examples=["2026-11-21T18:00:00.000Z"])]
    last_used_ip: Annotated[str | None, Meta(examples=["203.0.113.7"])]
    created_by: Annotated[Actor, Meta(description="The user whose rights limit the key.")]
    issued_by: Annotated[
        KeyIssuer,
        Meta(description="The user or API key that created it. A key is revoked together with the key that issued it."),
    ]
    created_at: Instant
    revoked_at: Instant | None
    status: Annotated[Literal["active", "expired", "revoked"], Meta(examples=["active"])]


class ApiKeyWithSecret(ApiKey):
    """The only response that contains the key itself."""

    key: Annotated[str, Meta(examples=["sp_live_AbCdEfGhIjKl_…"])]


KeyScopes = Annotated[
    Annotated[list[Scope], Meta(min_length=1, max_length=len(SCOPES))] | None,
    Meta(
        description="What the key may do. Default: all that you may do, except `instance:admin`.",
        examples=[["posts:read", "posts:write", "posts:publish"]],
    ),
]
KeyProfiles = Annotated[
    Annotated[list[ProfileId], Meta(min_length=1, max_length=500)] | None,
    Meta(
        description="The only profiles that the key sees. Default: all that you see.",
        examples=[["prof_01M7Z0000000000000000000AB"]],
    ),
]


class ApiKeyCreate(Input):
    """Create a key. It never has more rights than its creator, and works no longer than a key that creates it."""

    name: Annotated[Name, Meta(description="The key's name, for people.", examples=["CMS"])]
    mode: Annotated[Mode, Meta(description="A `test` key sees only the sandbox.")] = "live"
    permission: Annotated[
        Permission, Meta(description="A `read` key has only those of its scopes that end with `:read`.")
    ] = "read_write"
    scopes: KeyScopes = None
    profile_ids: KeyProfiles = None
    expires_at: Annotated[
        Annotated[datetime, Meta(tz=True)] | None,
        Meta(
            description="When the key stops working, at most ten years ahead. Default: never.",
            examples=["2027-11-21T18:00:00.000Z"],
        ),
    ] = None
    ip_allow_list: Annotated[
        Annotated[list[IpNetwork], Meta(max_length=50)] | None,
        Meta(
            description="The only addresses and networks from which the key works. Default: all.",
            examples=[["203.0.113.0/24"]],
        ),
    ] = None


class ApiKeyRevocation(Output):
    id: str
    status: Literal["revoked"]
    revoked_at: Instant
    also_revoked: Annotated[
        list[str],
        Meta(
            description="The keys that were revoked with it: those that it issued, and those that they issued.",
            examples=[["key_01M7Z0000000000000000000AC"]],
        ),
    ]


class LeakedKeysReport(Output):
    """What a report led to. Reporting the same keys again revokes nothing more."""

    revoked: Annotated[int, Meta(description="Keys revoked by it, with those that they issued.", examples=[1])]
    unknown: Annotated[int, Meta(description="Tokens of the right form that are no valid key here.", examples=[0])]


class DeviceLoginCreate(Input):
    """Ask for a key for a program without a browser."""

    device_name: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=80,
            description="Where the program runs, for the person who decides. It becomes the key's name.",
            examples=["ada-laptop"],
        ),
    ]


class DeviceLoginCodes(Output):
    """The codes of a sign-in. The program keeps `deviceCode`, and shows the person the others."""

    device_code: Annotated[str, Meta(examples=["GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS0s"])]
    user_code: Annotated[
        str, Meta(description="Eight letters, in any case, with or without the hyphen.", examples=["WDJB-MJHT"])
    ]
    verification_uri: Annotated[str, Meta(examples=["https://social.example.com/console/device"])]
    verification_uri_complete: Annotated[
        str, Meta(examples=["https://social.example.com/console/device?code=WDJB-MJHT"])
    ]
    expires_at: Annotated[Instant, Meta(examples=["2026-11-21T18:10:00.000Z"])]
    interval_seconds: Annotated[int, Meta(description="How long to wait between two questions.", examples=[5])]


class DeviceLoginRedeem(Input):
    """Ask what came of a sign-in."""

    device_code: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=64,
            description="The `deviceCode` of the sign-in.",
            examples=["GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS0s"],
        ),
    ]


class DeviceLoginKey(Output):
    """The key that a person granted. Only this response contains it."""

    id: Annotated[str, Meta(examples=[ids.example("key")])]
    key: Annotated[str, Meta(examples=["sp_live_AbCdEfGhIjKl_…"])]


UserCode = Annotated[
    str, Meta(min_length=1, max_length=32, description="The code that the device shows.", examples=["WDJB-MJHT"])
]


class DeviceLoginResolve(Input):
    """Ask which device shows a code."""

    user_code: UserCode


class DeviceLogin(Output):
    """A device that asks for a key. Its name is what it says of itself; the address is where the request came from."""

    device_name: Annotated[str, Meta(examples=["ada-laptop"])]
    address: Annotated[str, Meta(examples=["203.0.113.7"])]
    created_at: Instant
    expires_at: Instant


class DeviceLoginReject(Input):
    """Refuse a device its key."""

    user_code: UserCode


class DeviceLoginApprove(Input):
    """Grant a key to the device, in the workspace of the request. It never has more rights than you."""

    user_code: UserCode
    mode: Annotated[Mode, Meta(description="A `test` key sees only the sandbox.")] = "live"
    scopes: KeyScopes = None
    profile_ids: KeyProfiles = None
