"""What servers may say during an authorization at Bluesky, and what is believed of it."""

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from tests.figures.record import Record, holds
from tests.helpers.sign_in_servers import DidDirectory

from signalpost.conformance.harness import Clock, FakeResponse, MemoryJournal, json_response, outgoing, session
from signalpost.kit.http import BadResponse, Client, UnsafeUrl
from signalpost.networks import CONNECTORS
from signalpost.networks.connectors.bluesky import dpop, oauth
from signalpost.networks.connectors.bluesky.account import exchange
from signalpost.networks.contract import (
    ApiError,
    AuthorizationCode,
    AuthorizationRequest,
    BadCredentials,
    Installation,
    InvalidField,
    NetworkSession,
    OAuthApp,
    Published,
    Server,
    TryLater,
)

ENTRY, DIRECTORY, PDS, ISSUER = (
    "https://bsky.social",
    "https://plc.example",
    "https://pds.example",
    "https://as.example",
)
DID, OTHER = "did:plc:" + "a" * 24, "did:plc:" + "b" * 24
HOSTED = Installation(
    base_url="https://social.example.org", metadata_url="https://social.example.org/oauth-client-metadata.json",
    redirect_uri="https://social.example.org/api/v1/platforms/bluesky/callback", public=True, name="Service",
    keys=(b"k" * 32, b"o" * 32),
)  # fmt: skip


@dataclass
class Network:
    """Several hosts, by the address of each call; `said` replaces what one of them answers."""

    said: dict[str, Any] = field(default_factory=dict)
    calls: list[tuple[str, str, Mapping[str, str], Any]] = field(default_factory=list)
    nonce: str | None = None
    refusals: int = 0
    """How often a proof is refused although its nonce is right."""
    records: list[str] = field(default_factory=list)

    async def request(self, method: str, url: str, **rest: Any) -> FakeResponse:
        address = url.partition("?")[0]
        headers, form = rest.get("headers") or {}, rest.get("data")
        self.calls.append((method, address, headers, form))
        if (proof := headers.get("DPoP")) is not None and (
            refusal := self._refusal(method, address, proof)
        ) is not None:
            return refusal
        answer = self.said.get(address, self._usual(address))
        if address.endswith("createRecord"):
            self.records.append(rest["json"]["rkey"])
        return answer if isinstance(answer, FakeResponse) else json_response(200 if answer else 404, answer)

    def _refusal(self, method: str, address: str, proof: str) -> FakeResponse | None:
        claims = verified(proof)
        assert (claims["htm"], claims["htu"]) == (method, address)
        if self.nonce is None or (claims.get("nonce") == self.nonce and not self.refusals):
            return None
        self.refusals = max(0, self.refusals - 1)
        return json_response(
            401 if "/xrpc/" in address else 400, {"error": "use_dpop_nonce"}, **{"DPoP-Nonce": self.nonce}
        )

    def _usual(self, address: str) -> Any:
        document = {
            "id": DID, "alsoKnownAs": ["at://alice.example"],
            "service": [{"id": "#atproto_pds", "serviceEndpoint": PDS}],
        }  # fmt: skip
        names = ("authorization", "pushed_authorization_request", "token", "revocation")
        return {
            f"{ENTRY}/xrpc/com.atproto.identity.resolveHandle": {"did": DID},
            f"{DIRECTORY}/{DID}": document,
            f"{DIRECTORY}/{OTHER}": {**document, "id": OTHER},
            f"{PDS}/.well-known/oauth-protected-resource": {"authorization_servers": [ISSUER]},
            f"{ISSUER}/.well-known/oauth-authorization-server": {
                "issuer": ISSUER,
                **{f"{name}_endpoint": f"{ISSUER}/oauth/{name}" for name in names},
            },
            f"{ISSUER}/oauth/pushed_authorization_request": {"request_uri": "urn:request", "expires_in": 300},
            f"{ISSUER}/oauth/token": tokens(),
            f"{ISSUER}/oauth/revocation": {"done": True},
            f"{PDS}/xrpc/com.atproto.server.getSession": {"did": DID, "handle": "alice.example"},
            f"{PDS}/xrpc/com.atproto.repo.createRecord": {"uri": f"at://{DID}/app.bsky.feed.post/1", "cid": "c"},
        }.get(address)

    @property
    def server(self) -> Server:
        return Server(base_url=ENTRY, trusted=False, http=self, directory_url=DIRECTORY)


@pytest.fixture(autouse=True)
def no_nonces() -> None:
    """Servers of the same name in other tests have other nonces."""
    for origin in (PDS, ISSUER):
        dpop._nonces.pop(origin)


def tokens(**other: Any) -> dict[str, Any]:
    usual = {
        "access_token": "access-1", "refresh_token": "refresh-2", "token_type": "DPoP", "expires_in": 900, "sub": DID,
        "scope": "atproto transition:generic",
    }  # fmt: skip
    return usual | other


def verified(token: str, key: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the claims of a token whose signature holds: by the key it names itself, or by another."""
    head, body, signature = (base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)) for part in token.split("."))
    jwk = key or json.loads(head)["jwk"]
    x, y = (int.from_bytes(base64.urlsafe_b64decode(jwk[name] + "=")) for name in ("x", "y"))
    raw = encode_dss_signature(int.from_bytes(signature[:32]), int.from_bytes(signature[32:]))
    public = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
    public.verify(raw, token.rpartition(".")[0].encode(), ec.ECDSA(SHA256()))
    return dict(json.loads(body))


def app() -> OAuthApp:
    client = oauth.client(HOSTED)
    assert client is not None
    return client


def request(hint: str = "alice.example") -> AuthorizationRequest:
    return AuthorizationRequest(
        redirect_uri=HOSTED.redirect_uri, state="state", code_challenge="challenge", login_hint=hint, seed="seed"
    )


def code(did: str = DID) -> AuthorizationCode:
    notes = {"seed": "seed", "did": did, "issuer": ISSUER, "redeem": f"{ISSUER}/oauth/token", "revoke": ""}
    return AuthorizationCode(code="code", redirect_uri=HOSTED.redirect_uri, code_verifier="verifier", notes=notes)


async def opened(network: Network, **rest: Any) -> NetworkSession:
    """A session of an account that was just connected."""
    identity = await exchange(network.server, app(), code())
    network.calls.clear()
    server = replace(network.server, base_url=PDS)
    return session(network, Clock(), server=server, secrets=identity.secrets, remote_id=DID, **rest)


async def test_the_request_is_pushed_to_the_issuer_of_the_account_with_all_proofs() -> None:
    network = Network(nonce="n-1")

    pushed = await oauth.push(network.server, app(), request())

    (_, _, _, first), (_, address, _, form) = network.calls[-2:]  # the first had no nonce yet
    assert address == f"{ISSUER}/oauth/pushed_authorization_request"
    assert {name: form[name] for name in ("code_challenge", "code_challenge_method", "login_hint", "state")} == {
        "code_challenge": "challenge", "code_challenge_method": "S256", "login_hint": "alice.example", "state": "state",
    }  # fmt: skip
    published = oauth.describe(HOSTED)["jwks"]["keys"]
    claims = verified(form["client_assertion"], published[0])
    assert (claims["iss"], claims["sub"], claims["aud"]) == (HOSTED.metadata_url, HOSTED.metadata_url, ISSUER)
    assert claims["jti"] != verified(first["client_assertion"], published[0])["jti"]
    assert len(published) == 2, "sessions that began with a replaced master key stay"
    address = urlsplit(pushed.authorize_url)
    assert f"{address.scheme}://{address.netloc}" == ISSUER
    assert dict(parse_qsl(address.query)) == {"client_id": HOSTED.metadata_url, "request_uri": "urn:request"}
    assert (pushed.issuer, pushed.notes["did"]) == (ISSUER, DID)


METADATA = f"{ISSUER}/.well-known/oauth-authorization-server"
RESOURCE = f"{PDS}/.well-known/oauth-protected-resource"
LIES_BEFORE: dict[str, tuple[str, Any, type[Exception]]] = {
    "the handle is nobody's": (
        f"{ENTRY}/xrpc/com.atproto.identity.resolveHandle", json_response(400, {"error": "InvalidRequest"}),
        BadCredentials,
    ),
    "the handle leads to no DID": (
        f"{ENTRY}/xrpc/com.atproto.identity.resolveHandle", {"did": "did:key:x"}, BadCredentials
    ),
    "the document is about someone else": (f"{DIRECTORY}/{DID}", {"id": OTHER}, BadCredentials),
    "the document names no server": (f"{DIRECTORY}/{DID}", {"id": DID, "service": []}, BadCredentials),
    "the document names a server without TLS": (
        f"{DIRECTORY}/{DID}", {"id": DID, "service": [{"id": "#atproto_pds", "serviceEndpoint": "http://pds.example"}]},
        BadCredentials,
    ),
    "two issuers": (RESOURCE, {"authorization_servers": [ISSUER, "https://two.example"]}, InvalidField),
    "no issuer": (RESOURCE, {"authorization_servers": []}, InvalidField),
    "an issuer with a path": (RESOURCE, {"authorization_servers": [f"{ISSUER}/tenant"]}, InvalidField),
    "an issuer that is no address": (RESOURCE, {"authorization_servers": ["javascript:alert(1)"]}, InvalidField),
    "metadata of another issuer": (METADATA, {"issuer": "https://other.example"}, InvalidField),
    "addresses elsewhere": (
        METADATA,
        {"issuer": ISSUER, **dict.fromkeys(
            ("authorization_endpoint", "pushed_authorization_request_endpoint", "token_endpoint",
             "revocation_endpoint"), f"{ISSUER}.evil.example/x")},
        InvalidField,
    ),
    "no metadata": (METADATA, None, InvalidField),
    "an issuer that is down": (METADATA, json_response(503), ApiError),
    "a request that is refused": (
        f"{ISSUER}/oauth/pushed_authorization_request", json_response(400, {"error": "invalid_scope"}), ApiError
    ),
    "an accepted request without its address": (
        f"{ISSUER}/oauth/pushed_authorization_request", {"expires_in": 300}, BadResponse
    ),
}  # fmt: skip


@contextmanager
def counted(record: Record) -> Iterator[None]:
    """Count a lie, and whether it was believed: then what stands inside fails, for nothing was raised."""
    accepted = 1
    try:
        yield
        accepted = 0
    finally:
        record("S22", tried={"hostile cases": 1}, measured={"accepted": accepted})


@holds("S22")
@pytest.mark.parametrize("lie", LIES_BEFORE)
async def test_a_flow_does_not_begin_by(lie: str, record: Record) -> None:
    address, answer, refused = LIES_BEFORE[lie]

    with counted(record), pytest.raises(refused):
        await oauth.push(Network(said={address: answer}).server, app(), request())


TOKEN = f"{ISSUER}/oauth/token"
LIES_AFTER: dict[str, tuple[str, Any, type[Exception]]] = {
    "a used code": (TOKEN, json_response(400, {"error": "invalid_grant"}), BadCredentials),
    "another account than was named": (TOKEN, tokens(sub=OTHER), BadCredentials),
    "tokens of nobody": (TOKEN, tokens(sub="alice.example"), BadResponse),
    "tokens without a proof": (TOKEN, tokens(token_type="Bearer"), BadResponse),
    "tokens of another protocol": (TOKEN, tokens(scope="openid"), BadResponse),
    "no refresh token": (TOKEN, tokens(refresh_token=""), BadResponse),
    "an account at a server of another issuer": (
        RESOURCE, {"authorization_servers": ["https://victim.example"]}, InvalidField
    ),
    "an account at a server that is its own issuer": (RESOURCE, None, InvalidField),
    "tokens that open another account": (
        f"{PDS}/xrpc/com.atproto.server.getSession", {"did": OTHER, "handle": "bob.example"}, BadCredentials
    ),
}  # fmt: skip


@holds("S22")
@pytest.mark.parametrize("lie", LIES_AFTER)
async def test_an_account_is_not_connected_with(lie: str, record: Record) -> None:
    address, answer, refused = LIES_AFTER[lie]

    with counted(record), pytest.raises(refused):
        await exchange(Network(said={address: answer}).server, app(), code())


async def test_an_issuer_speaks_only_for_accounts_whose_servers_name_it() -> None:
    """It claims the DID of an account at another issuer, which nobody named before."""
    other = "https://honest.example"
    said = {
        RESOURCE: {"authorization_servers": [other]},
        f"{other}/.well-known/oauth-authorization-server": {
            "issuer": other,
            **{
                f"{name}_endpoint": f"{other}/{name}"
                for name in ("authorization", "pushed_authorization_request", "token", "revocation")
            },
        },
    }

    with pytest.raises(BadCredentials, match="does not speak for"):
        await exchange(Network(said=said).server, app(), code(did=""))


async def test_a_handle_that_the_document_does_not_confirm_is_not_shown() -> None:
    said = {f"{PDS}/xrpc/com.atproto.server.getSession": {"did": DID, "handle": "president.example"}}

    assert (await exchange(Network(said=said).server, app(), code())).username == DID


@pytest.mark.parametrize("place", ["https://127.0.0.1:1", "https://169.254.169.254", "https://localhost"])
async def test_the_server_in_a_document_may_not_be_a_private_address(place: str) -> None:
    directory = DidDirectory()
    did = directory.add("alice.example", place)
    async with directory.serve() as url, Client() as http:
        server = Server(base_url=ENTRY, trusted=False, http=http, directory_url=url)
        with pytest.raises(UnsafeUrl):
            await oauth.push(server, app(), request(did))


async def test_new_tokens_are_stored_before_they_are_used_and_only_if_they_are_the_accounts() -> None:
    network, stored = Network(), []

    async def save(secrets: Any, _: Any) -> None:
        stored.append((secrets["refreshToken"], len(network.calls)))

    account = await opened(network, save_tokens=save)
    network.said[TOKEN] = tokens(access_token="access-2", refresh_token="refresh-3")
    await oauth.refresh(account)
    network.said[TOKEN] = tokens(sub=OTHER, refresh_token="refresh-of-bob")
    with pytest.raises(BadResponse):
        await oauth.refresh(account)

    assert stored == [("refresh-3", 1)]
    assert account.secrets["accessToken"] == "access-2"
    assert [form["refresh_token"] for *_, form in network.calls] == ["refresh-2", "refresh-3"]


@pytest.mark.parametrize(("refusals", "outcome", "records"), [(0, Published, 1), (1, Published, 1), (2, TryLater, 0)])
async def test_a_proof_with_another_nonce_creates_nothing(refusals: int, outcome: type, records: int) -> None:
    """The server may want a new nonce once; a post that it did not take is tried later, and is not unknown."""
    network = Network()
    account = await opened(network)
    network.nonce, network.refusals = "n-7", refusals
    dpop._nonces[PDS] = "n-7"

    result = await CONNECTORS["bluesky"].publish(account, outgoing("text"), MemoryJournal())

    assert isinstance(result, outcome), result
    assert len(network.records) == records


INSTALLATIONS: dict[str, tuple[dict[str, Any], Callable[[str], bool] | None]] = {
    "a public address": ({}, lambda client_id: client_id == HOSTED.metadata_url),
    "an address of this machine": (
        {"base_url": "http://127.0.0.1:8080", "public": False}, lambda client_id: client_id.startswith("http://localhost?")
    ),
    "IPv6": ({"base_url": "http://[::1]:80", "public": False}, lambda client_id: client_id.startswith("http://localhost?")),
    "an address that only we can reach": ({"public": False}, None),
    "no TLS": ({"base_url": "http://social.example.org", "public": False}, None),
    "a name of this machine": ({"base_url": "http://localhost:8080", "public": False}, None),
}  # fmt: skip


@pytest.mark.parametrize("where", INSTALLATIONS)
def test_which_client_an_installation_is(where: str) -> None:
    values, expected = INSTALLATIONS[where]
    client = oauth.client(replace(HOSTED, **values))

    assert (client is not None and expected is not None and expected(client.client_id)) or client is expected is None
