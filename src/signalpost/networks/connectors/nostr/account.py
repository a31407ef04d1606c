"""Opening an account by its key: its profile, its relays and their limits, and where its files go."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from signalpost.kit.http import HttpFailure, UnsafeUrl, parse_url
from signalpost.networks.connectors.nostr.bech32 import decoded, encoded
from signalpost.networks.connectors.nostr.events import PROFILE, RELAY_LIST, SERVER_LIST, is_id, public_key, values
from signalpost.networks.connectors.nostr.facts import EVENT_BYTES_MAX, FACTS, INDEXES, MEDIA, RELAYS_MAX
from signalpost.networks.connectors.nostr.relays import ask, decisive, host_of, http_address, relays_of, said_by
from signalpost.networks.contract import ApiError, Health, Identity, InvalidField, NetworkSession, Server
from signalpost.networks.responses import members, number, string

CONNECT_SECONDS: Final = 10.0
_KEY: Final = "Copy the private key again: it begins with nsec1. It is not the public key, which begins with npub1."
_RELAY: Final = "Enter addresses of relays, such as wss://relay.example.org, with spaces between them."
_WSS: Final = "Relays must have addresses that begin with wss://: without encryption others could read or change them."
_NO_LIST: Final = "No list of relays was found for this key. Enter the relays that the notes shall go to."
_SERVER: Final = "Enter the address of a Blossom server, such as https://blossom.example.org."


async def connect(server: Server, fields: Mapping[str, str]) -> Identity:
    """Open the account of a private key at the relays that are named, or at those of its own list."""
    private_key = _private_key(fields.get("privateKey", ""))
    pubkey = public_key(private_key)
    if pubkey is None:
        raise InvalidField("privateKey", _KEY)
    named = [_relay_at(server, text) for text in fields.get("relays", "").replace(",", " ").split()]
    own_server = _media_server(server, fields.get("mediaServer", ""))
    sources = list(dict.fromkeys(named or [_wss(server.hosts[name]) for name in INDEXES]))
    latest = await _latest(server, sources, pubkey)
    candidates = list(dict.fromkeys(named or _of_list(server, latest.get(RELAY_LIST))))[:RELAYS_MAX]
    limitations = {relay: await _limitation(server, relay) for relay in candidates}
    relays = [relay for relay, limitation in limitations.items() if limitation is not None]
    if not relays:
        raise InvalidField("relays", _NO_LIST)
    listed = [_https(server, server_tag[0]) for server_tag in values(latest.get(SERVER_LIST), "server")]
    profile, npub = _profile(latest.get(PROFILE)), encoded("npub", bytes.fromhex(pubkey))
    return Identity(
        remote_id=pubkey,
        username=npub,
        display_name=_name(profile) or npub,
        secrets={"privateKey": private_key},
        base_url=http_address(relays[0]).rstrip("/"),
        avatar_url=string(profile.get("picture")),
        profile_url=f"https://njump.me/{npub}",
        facts={
            "relays": relays, "mediaServer": own_server or next(filter(None, listed), server.hosts[MEDIA]),
            **_limits([limitation for limitation in limitations.values() if limitation is not None]),
        },
    )  # fmt: skip


def _private_key(text: str) -> str:
    value = text.strip()
    prefix, content = decoded(value) or ("", b"")
    key = content.hex() if prefix == "nsec" else value.lower()
    if not is_id(key):
        raise InvalidField("privateKey", _KEY)
    return key


# --- addresses -------------------------------------------------------------------------------------------------------


def _relay_at(server: Server, text: str) -> str:
    """Return the address of a relay in one spelling.

    Raises:
        InvalidField: it is none, or it has no encryption.
    """
    scheme, separator, rest = text.partition("://")
    if separator and scheme not in {"wss", "ws", "https", "http"}:
        raise InvalidField("relays", _RELAY)
    address = f"{'http' if scheme in {'ws', 'http'} else 'https'}://{rest if separator else text}"
    try:
        base_url = parse_url(address).base_url
    except UnsafeUrl:
        raise InvalidField("relays", _RELAY) from None
    if not base_url.startswith("https://") and not _is_operators(server, base_url):
        raise InvalidField("relays", _WSS)
    return _wss(base_url + urlsplit(address).path)


def _wss(address: str) -> str:
    path = urlsplit(address).path
    return f"ws{address.removeprefix('http')}" + ("" if path else "/")


def _is_operators(server: Server, base_url: str) -> bool:
    return server.trusted and server.has(base_url)


def _of_list(server: Server, event: Mapping[str, Any] | None) -> Iterable[str]:
    """Yield the relays that an account writes to (NIP-65); one that cannot be called is left out."""
    for address, *marker in values(event, "r"):
        if marker[:1] in ([], [""], ["write"]):
            try:
                yield _relay_at(server, address[:500])
            except InvalidField:
                continue


def _media_server(server: Server, text: str) -> str | None:
    if not text.strip():
        return None
    base_url = _https(server, text.strip())
    if base_url is None:
        raise InvalidField("mediaServer", _SERVER)
    return base_url


def _https(server: Server, text: str) -> str | None:
    """Return the address of a Blossom server, which is always at the root of its host; None if it is none."""
    try:
        base_url = parse_url(text if "://" in text else f"https://{text}").base_url
    except UnsafeUrl:
        return None
    return base_url if base_url.startswith("https://") or _is_operators(server, base_url) else None


# --- what relays know ------------------------------------------------------------------------------------------------


async def _latest(server: Server, relays: Sequence[str], pubkey: str) -> Mapping[int, Mapping[str, Any]]:
    """Return the newest profile and lists of a key, by kind.

    Raises:
        InvalidField: an address may not be called, or no relay answers.
    """
    latest: dict[int, Mapping[str, Any]] = {}
    failures: dict[str, ApiError | HttpFailure] = {}
    for relay in relays:
        try:
            events = await ask(server, relay, pubkey, kinds=[PROFILE, RELAY_LIST, SERVER_LIST], limit=10)
        except UnsafeUrl as failure:
            raise InvalidField("relays", f"{host_of(relay)}: {failure.detail}") from None
        except (ApiError, HttpFailure) as failure:
            failures[host_of(relay)] = failure
            continue
        for event in events:
            if event["created_at"] > latest.get(event["kind"], {"created_at": -1})["created_at"]:
                latest[event["kind"]] = event
    if len(failures) == len({host_of(relay) for relay in relays}):
        reasons = "; ".join(f"{host}: {said_by(failure)}" for host, failure in failures.items())
        raise InvalidField("relays", f"None of the relays answers. {reasons}"[:900])
    return latest


def _profile(event: Mapping[str, Any] | None) -> Mapping[str, Any]:
    try:
        value = msgspec.json.decode(event["content"]) if event is not None else None
    except (msgspec.DecodeError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _name(profile: Mapping[str, Any]) -> str | None:
    return string(profile.get("display_name")) or string(profile.get("name"))


def _limits(documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return how long a note may be: the highest limit, since one relay is enough; nothing if one names none."""
    lengths = [number(document.get("max_content_length")) for document in documents]
    sizes = [number(document.get("max_message_length")) for document in documents]
    length, size = _highest(lengths), _highest(sizes)
    text = {"text": {"max_length": min(length, FACTS.text.max_length)}} if length else {}
    return {"limits": text, **({"messageBytesMax": min(size, EVENT_BYTES_MAX)} if size else {})}


def _highest(limits: Sequence[int | None]) -> int | None:
    return max([limit or 0 for limit in limits]) if all(limits) else None


async def _limitation(server: Server, relay: str) -> Mapping[str, Any] | None:
    """Return what a relay says of its limits (NIP-11); None if its address, as from a list, may not be called."""
    headers = {"Accept": "application/nostr+json"}
    try:
        response = await server.call("GET", http_address(relay), headers=headers, timeout_seconds=CONNECT_SECONDS)
    except UnsafeUrl:
        return None
    except (ApiError, HttpFailure):
        return {}
    limitation = members(response).get("limitation")
    return limitation if isinstance(limitation, dict) else {}


async def check(session: NetworkSession) -> Health:
    """Ask the relays for the profile; the account can post while one of them answers."""
    failures: dict[str, ApiError | HttpFailure] = {}
    for relay in relays_of(session):
        try:
            events = await ask(session.server, relay, session.remote_id, kinds=[PROFILE], limit=1)
        except (ApiError, HttpFailure) as failure:
            failures[host_of(relay)] = failure
            continue
        profile = _profile(events[0] if events else None)
        return Health(display_name=_name(profile), avatar_url=string(profile.get("picture")))
    raise decisive(list(failures.values()), {host: said_by(failure) for host, failure in failures.items()})
