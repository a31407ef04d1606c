"""The connector contract holds nothing that nobody reads: with twenty networks it would be believed twenty times."""

import ast
import dataclasses
from pathlib import Path

import msgspec

import signalpost
from signalpost.networks import contract

SRC = Path(signalpost.__file__).parent
CONNECTORS = SRC / "networks" / "connectors"
FOR_CONNECTORS = {
    "AuthorizationRequest",
    "Installation",
    "NetworkSession",
    "OAuthApp",
    "Outgoing",
    "OutgoingMedia",
    "Part",
    "Server",
}
"""What the service hands to connectors. Everything else comes from a connector and must be read outside."""


def _members() -> list[tuple[str, str]]:
    structs = {name: getattr(contract, name) for name in contract.__all__}
    members = []
    for name, struct in structs.items():
        if dataclasses.is_dataclass(struct):
            members += [(name, field.name) for field in dataclasses.fields(struct)]
        elif isinstance(struct, type) and issubclass(struct, msgspec.Struct):
            members += [(name, field) for field in struct.__struct_fields__]
    return members


def _reads(paths: list[Path]) -> set[tuple[str, str]]:
    """Return the attributes read in the files, each with the name in front of it: `facts.media.get` reads two."""
    reads = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                owner = node.value
                name = owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")
                reads.add((name, node.attr))
    return reads


WHOLE = {"Metrics"}
"""What is read as a whole."""


def test_every_member_of_the_contract_is_read() -> None:
    files = [path for path in SRC.rglob("*.py") if "networks" in path.read_text()]
    reads_of_service = _reads([path for path in files if CONNECTORS not in path.parents])
    reads_of_all = reads_of_service | _reads([path for path in files if CONNECTORS in path.parents])
    unread = []
    for struct, member in _members():
        if struct in WHOLE:
            continue
        reads = reads_of_all if struct in FOR_CONNECTORS else reads_of_service
        owners = {owner for owner, name in reads if name == member}
        if struct == "Facts":  # its members have common names, and the house always calls it `facts`
            owners &= {"facts"}
        if not owners:
            unread.append(f"{struct}.{member}")
    assert not unread
