from typing import Annotated

from msgspec import Meta

from signalpost.kit import ids
from signalpost.kit.wire import Input, Instant, Output

ENDPOINT_MAX = 2_000
_POINT_EXAMPLE = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"


class PushKeys(Input):
    """The keys of a browser: `toJSON().keys` of its subscription."""

    p256dh: Annotated[
        Annotated[str, Meta(min_length=1, max_length=200)],
        Meta(description="Its public key on P-256, as base64.", examples=[_POINT_EXAMPLE]),
    ]
    auth: Annotated[
        Annotated[str, Meta(min_length=1, max_length=64)],
        Meta(description="Its secret of 16 bytes, as base64.", examples=["BTBZMqHH6r4Tts7J_aSIgg"]),
    ]


class PushDeviceCreate(Input):
    """The subscription of a browser (`PushSubscription`), made with `publicKey` as its `applicationServerKey`."""

    endpoint: Annotated[
        Annotated[str, Meta(min_length=1, max_length=ENDPOINT_MAX)],
        Meta(
            description="Its address at the push service of the browser.",
            examples=["https://updates.push.services.mozilla.com/wpush/v2/gAAAAABn"],
        ),
    ]
    keys: Annotated[PushKeys, Meta(description="What notifications are encrypted for.")]


class PushDevice(Output):
    """A device on which a person gets notifications: a browser, for as long as its session."""

    id: Annotated[str, Meta(examples=[ids.example("psh")])]
    current: Annotated[bool, Meta(description="Whether it is that of the session which asks.")]
    user_agent: Annotated[str | None, Meta(description="What its browser calls itself.", examples=["Mozilla/5.0"])]
    service: Annotated[
        str, Meta(description="The push service of its browser.", examples=["updates.push.services.mozilla.com"])
    ]
    created_at: Instant
    sent_at: Annotated[
        Instant | None, Meta(description="When the push service took the last notification.", examples=[None])
    ]
    error: Annotated[str | None, Meta(description="Why it did not take the last one; null: it did.", examples=[None])]


class PushDevices(Output):
    """What browsers subscribe with, and your devices."""

    public_key: Annotated[
        str,
        Meta(
            description="The key by which push services know this installation (VAPID, RFC 8292).",
            examples=[_POINT_EXAMPLE],
        ),
    ]
    devices: list[PushDevice]
