"""The guide's three ways to verify run as they stand there, against a delivery signed by us."""

import os
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.counterparts import tools

from signalpost.webhooks import signing

GUIDE = (Path(__file__).parents[2] / "docs/guides/webhooks.md").read_text()
BODY = '{"id":"dlv_1","type":"x","createdAt":"2026-11-21T18:00:00.000Z","data":{"name":"Grüße"}}'.encode()


def block(language: str, containing: str) -> str:
    found = [code for code in re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL) if containing in code]
    assert len(found) == 1
    return str(found[0])


def signed(secrets: list[str], *, at: int | None = None) -> dict[str, str]:
    headers = signing.headers(
        brand="Service", event_type="x", delivery_id="dlv_1", attempt_number=1, timestamp=at or int(time.time()),
        secrets=secrets, body=BODY,
    )  # fmt: skip
    return {name.lower(): value for name, value in headers.items()}


def test_openssl(tmp_path: Path) -> None:
    secret = signing.new_secret()
    (tmp_path / "body.json").write_bytes(BODY)

    answer = subprocess.run(
        ["sh", "-c", block("sh", "openssl")],
        cwd=tmp_path, env=os.environ | {"SECRET": secret}, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert answer.stdout.strip() == signed([secret])["x-service-signature"]


def in_python(secret: str, headers: dict[str, str], body: bytes) -> bool:
    names: dict[str, Callable[..., bool]] = {}
    exec(block("python", "def verified"), names)  # noqa: S102 - our own guide
    return names["verified"](secret, headers, body)


def in_typescript(secret: str, headers: dict[str, str], body: bytes) -> bool:
    import json

    call = f"verified({json.dumps(secret)}, {json.dumps(headers)}, Buffer.from({json.dumps(body.decode())}))"
    program = block("typescript", "verified").replace("export ", "") + f"\nconsole.log({call});\n"
    command = [str(tools.node()), "--experimental-strip-types", "--no-warnings", "--input-type=module-typescript"]
    answer = subprocess.run(command, input=program, capture_output=True, text=True, check=True)
    return answer.stdout.strip() == "true"


@pytest.mark.parametrize("verified", [in_python, in_typescript])
def test_code(verified: Callable[[str, dict[str, str], bytes], bool]) -> None:
    old, new = signing.new_secret(), signing.new_secret()

    assert verified(old, signed([old]), BODY)
    assert verified(old, signed([new, old]), BODY)
    assert not verified(old, signed([new]), BODY)
    assert not verified(old, signed([old]), BODY + b" ")
    assert not verified(old, signed([old], at=int(time.time()) - 400), BODY)
