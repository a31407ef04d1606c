from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from signalpost.apps.redirects import URI_LENGTH_MAX
from signalpost.identity.schemas import Name, ProfileIds, Scopes
from signalpost.kit import ids
from signalpost.kit.wire import Input, Instant, Output

REDIRECTS_MAX = 10
WebsiteUrl = Annotated[str, Meta(max_length=URI_LENGTH_MAX, pattern="^https://[^/]")]
RedirectUris = Annotated[
    list[Annotated[str, Meta(min_length=1, max_length=URI_LENGTH_MAX)]], Meta(min_length=1, max_length=REDIRECTS_MAX)
]
_REDIRECTS = (
    "Where the browser may be sent with a code, character for character. `https`; `http` for an address of the person's"
    " own machine, whose port may then be another; or the scheme of an installed app."
)


class Person(Output):
    type: Literal["user"]
    id: Annotated[str, Meta(examples=[ids.example("usr")])]
    name: Annotated[str | None, Meta(examples=["Ada Lovelace"])]


class App(Output):
    """An app of this workspace, which people of any workspace here may allow to act for them."""

    id: Annotated[str, Meta(description="Also its `client_id`.", examples=[ids.example("app")])]
    name: Annotated[str, Meta(examples=["Shop sync"])]
    website_url: Annotated[str | None, Meta(examples=["https://shop.example.com"])]
    redirect_uris: Annotated[list[str], Meta(examples=[["https://shop.example.com/callback"]])]
    type: Annotated[
        Literal["confidential", "public"],
        Meta(description="A `confidential` app has a secret.", examples=["confidential"]),
    ]
    created_by: Annotated[Person, Meta(description="Who registered it.")]
    created_at: Instant
    updated_at: Instant


class AppWithSecret(App):
    """The only response that contains the secret."""

    secret: Annotated[
        str | None,
        Meta(description="The `client_secret`; null for a public app.", examples=["sp_ocs_AbCdEfGhIjKl_…"]),
    ]


class AppCreate(Input):
    """Register an app."""

    name: Annotated[Name, Meta(description="What people read when it asks them.", examples=["Shop sync"])]
    redirect_uris: Annotated[
        RedirectUris, Meta(description=_REDIRECTS, examples=[["https://shop.example.com/callback"]])
    ]
    type: Annotated[
        Literal["confidential", "public"],
        Meta(
            description="`confidential`: it runs on a server, which keeps a secret. `public`: on people's machines.",
            examples=["confidential"],
        ),
    ] = "confidential"
    website_url: Annotated[
        WebsiteUrl | None, Meta(description="About the app.", examples=["https://shop.example.com"])
    ] = None


class AppUpdate(Input):
    """Change an app. Members that are left out stay as they are."""

    name: Annotated[
        Name | UnsetType, Meta(description="What people read when it asks them.", examples=["Shop sync"])
    ] = UNSET
    redirect_uris: Annotated[
        RedirectUris | UnsetType, Meta(description=_REDIRECTS, examples=[["https://shop.example.com/callback"]])
    ] = UNSET
    website_url: Annotated[
        WebsiteUrl | UnsetType | None, Meta(description="About the app.", examples=["https://shop.example.com"])
    ] = UNSET


class AppDeleted(Output):
    id: Annotated[str, Meta(examples=[ids.example("app")])]
    deleted: Literal[True]


class AppOfGrant(Output):
    id: Annotated[str, Meta(description="Its `client_id`.", examples=[ids.example("app")])]
    name: Annotated[str, Meta(description="As it was when it was allowed.", examples=["Shop sync"])]
    redirect_host: Annotated[
        str, Meta(description="Where the browser was sent back to.", examples=["shop.example.com"])
    ]


class AppGrant(Output):
    """What a person allowed an app for this workspace."""

    id: Annotated[str, Meta(examples=[ids.example("agr")])]
    key_id: Annotated[
        str,
        Meta(
            description="The API key by which the app acts. History, posts and events name it, with the app's name.",
            examples=[ids.example("key")],
        ),
    ]
    app: AppOfGrant
    granted_by: Annotated[Person, Meta(description="The user whose rights limit the app.")]
    scopes: Scopes
    profile_ids: ProfileIds
    created_at: Instant
    last_used_at: Annotated[Instant | None, Meta(examples=["2026-11-21T18:00:00.000Z"])]
    expires_at: Annotated[
        Instant, Meta(description="It ends then, unless the app comes before.", examples=["2027-02-19T18:00:00.000Z"])
    ]


class AppGrantRevocation(Output):
    id: Annotated[str, Meta(examples=[ids.example("agr")])]
    status: Literal["revoked"]
    revoked_at: Instant
