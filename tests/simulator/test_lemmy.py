"""Lemmy in the simulator: Lemmy's own client works unmodified, and its types take each call of the connector."""

import asyncio
import json
from pathlib import Path
from typing import Any

from simulator import Simulator
from simulator.networks.lemmy import LANGUAGES, Lemmy
from tests.counterparts import tools

from signalpost.conformance.harness import PNG, MemoryJournal, image, outgoing, server_at, session
from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS
from signalpost.networks.connectors.lemmy.account import connect
from signalpost.networks.contract import OutcomeUnknown, Published

TYPES = {
    "POST /user/login": "Login", "GET /community": "GetCommunity", "POST /post": "CreatePost",
    "POST /comment": "CreateComment", "GET /user": "GetPersonDetails", "GET /modlog": "GetModlog",
    "GET /post": "GetPost", "POST /post/delete": "DeletePost",
}  # fmt: skip
"""The type of what each call sends, in Lemmy's client. Others send nothing, or a form."""
PLAIN = {"GET /site", "POST /user/logout"}


async def run(*command: Any) -> bytes:
    program = await asyncio.create_subprocess_exec(*map(str, command), stdout=asyncio.subprocess.PIPE)
    output, _ = await program.communicate()
    assert program.returncode == 0, output.decode()
    return output


def opened(simulator: Simulator) -> tuple[Lemmy, dict[str, str]]:
    network = simulator.world.networks["lemmy"]
    assert isinstance(network, Lemmy)
    return network, network.open_account(simulator.world.add_person("lemmy", "baker"))


async def test_the_client_publishes_deletes_and_is_refused(simulator: Simulator, tmp_path: Path) -> None:
    network, form = opened(simulator)
    (tmp_path / "dot.png").write_bytes(PNG)

    said = json.loads(
        await run(
            tools.node(), tools.node_script("lemmy"), simulator.url("lemmy"), form["username"], form["password"],
            tmp_path / "dot.png",
        )
    )  # fmt: skip

    post, comment = simulator.world.ledger.of("lemmy", deleted=True)
    assert (said["version"], said["name"], said["follows"]) == ([network.version, None], "baker", ["bread"])
    assert (said["id"], said["listed"], said["image"]) == (int(post.remote_id), [said["id"]], "ok")
    assert (said["post"], said["comment"]) == (["Rye", True, LANGUAGES["de"]], comment.text)
    assert (said["upvotes"], said["removed"]) == (1, 0)
    assert said["refused"] == {
        "wrong": "incorrect_login", "missing": "couldnt_find_community", "short": "invalid_post_title",
        "again": "couldnt_update_post", "ended": "not_logged_in",
    }  # fmt: skip
    assert (post.text, post.details["alt_texts"], len(post.media)) == ("Fresh & warm", ["A dot"], 1)
    assert post.deleted_at is not None


class Recorded(Client):
    """A client that keeps what each call sends."""

    def __init__(self, **rest: Any) -> None:
        super().__init__(**rest)
        self.sent: list[tuple[str, dict[str, Any]]] = []

    async def request(self, method: str, url: str, **rest: Any) -> Any:
        path = url.partition("/api/v3")[2]
        if path:
            params = {
                name: int(value) if value.isdecimal() else value for name, value in (rest["params"] or {}).items()
            }
            self.sent.append((f"{method} {path}", rest["json"] or params))
        return await super().request(method, url, **rest)


async def test_the_types_of_the_client_take_each_call_of_the_connector(simulator: Simulator, tmp_path: Path) -> None:
    _, form = opened(simulator)
    lemmy, clock = CONNECTORS["lemmy"], simulator.world.clock
    assert lemmy.delete is not None
    assert lemmy.metrics is not None
    assert lemmy.revoke is not None
    async with Recorded() as http:
        server = server_at(http, simulator.url("lemmy"), trusted=True)
        identity = await connect(server, form | {"code": "123456"})
        account = session(
            http, clock, server=server, secrets=identity.secrets, remote_id=identity.remote_id, facts=identity.facts
        )
        options = {"community": "bread", "language": "de", "nsfw": True, "thumbnailUrl": "https://example.com/a.png"}
        simulator.world.add_fault("lemmy", "dropped", "POST /api/v3/post")
        for post in (
            outgoing("x", title="Rye", link="https://example.com", first_comment="More", options=options),
            outgoing("x", title="Wheat", media=(image(), image()), options={"community": "bread"}),
        ):
            journal, outcome = MemoryJournal(), None
            while not isinstance(outcome, Published):
                outcome = await lemmy.publish(account, post, journal)
                assert isinstance(outcome, OutcomeUnknown | Published)
                clock.advance(200)
            await lemmy.metrics(account, [outcome.remote_id])
            await lemmy.delete(account, outcome.remote_id, ())
        await lemmy.revoke(account)

    assert {call for call, _ in http.sent} == {*TYPES, *PLAIN}
    typed = [(TYPES[call], value) for call, value in http.sent if call in TYPES]
    check(typed, tmp_path)
    await compiled(tmp_path)


def check(typed: list[tuple[str, dict[str, Any]]], folder: Path) -> None:
    """Write what was sent as values of its types, and one with a member that they do not have, which is refused."""
    lines = [f"import type {{ {', '.join(sorted(set(TYPES.values())))} }} from 'lemmy-js-client';"]
    lines += [f"export const sent{number}: {name} = {json.dumps(value)};" for number, (name, value) in enumerate(typed)]
    lines += ["// @ts-expect-error", 'export const wrong: GetPost = { id: 7, community: "bread" };']
    (folder / "sent.ts").write_text("\n".join(lines))


async def compiled(folder: Path) -> None:
    packages = tools.node_packages("lemmy") / "node_modules"
    (folder / "node_modules").symlink_to(packages)
    (folder / "package.json").write_text("{}")
    flags = ("--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "node16")
    await run(tools.node(), packages / "typescript" / "bin" / "tsc", *flags, folder / "sent.ts")
