"""The code of the guide to verifying runs as it stands there, against deliveries signed by us and forged ones."""

import base64
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.counterparts import tools

from signalpost.webhooks import signing

GUIDE = (Path(__file__).parents[2] / "docs/guides/verify-webhooks.md").read_text()
BODY = '{"id":"dlv_1","type":"x","createdAt":"2026-11-21T18:00:00.000Z","data":{"name":"Grüße"}}'.encode()
NAMES = ("webhook-id", "webhook-timestamp", "webhook-signature")
ABSENT = "-"
OLD, NEW, OTHER = (signing.new_secret() for _ in range(3))


class Case(NamedTuple):
    secret: str
    headers: dict[str, str]
    body: bytes
    verified: bool

    @property
    def line(self) -> str:
        """As the programs below read it: base64 of secret, headers and body; a header may be absent."""
        values = [self.secret, *(self.headers.get(name, ABSENT) for name in NAMES)]
        fields = [value.encode() for value in values] + [self.body]
        return " ".join(ABSENT if field == ABSENT.encode() else base64.b64encode(field).decode() for field in fields)


def block(language: str, containing: str = "") -> str:
    found = [code for code in re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL) if containing in code]
    assert len(found) == 1
    return str(found[0])


def signed(secrets: list[str], *, age: int = 0) -> dict[str, str]:
    headers = signing.headers(
        brand="Service", event_type="x", delivery_id="dlv_1", attempt_number=1, timestamp=int(time.time()) - age,
        secrets=secrets, body=BODY,
    )  # fmt: skip
    return {name.lower(): value for name, value in headers.items()}


def cases() -> list[Case]:
    good = signed([OLD])
    one_before = str(int(good["webhook-timestamp"]) - 1)
    forged: list[dict[str, str]] = [
        {name: value for name, value in good.items() if name != missing} for missing in NAMES
    ]
    forged += [good | {"webhook-timestamp": at} for at in ("", "now", "1e9", "-1", "9" * 40, one_before)]
    forged += [
        good | {"webhook-signature": signature}
        for signature in ("", "v1,", "v1", " ", good["webhook-signature"][:-1], good["webhook-signature"].lower(),
                          "v2" + good["webhook-signature"][2:], "v1,ü", good["webhook-signature"] + "=")
    ]  # fmt: skip
    forged.append(good | {"webhook-id": "dlv_2"})
    return [
        Case(OLD, good, BODY, verified=True),
        Case(OLD, signed([NEW, OLD]), BODY, verified=True),
        Case(NEW, signed([NEW, OLD]), BODY, verified=True),
        Case(OLD, good | {"webhook-signature": f"v1a,x v1,y {good['webhook-signature']}"}, BODY, verified=True),
        Case(OTHER, signed([NEW, OLD]), BODY, verified=False),
        Case(OLD, good, BODY + b" ", verified=False),
        Case(OLD, good, BODY.replace("ü".encode(), b"u"), verified=False),
        Case(OLD, signed([OLD], age=400), BODY, verified=False),
        Case(OLD, signed([OLD], age=-400), BODY, verified=False),
        *(Case(OLD, headers, BODY, verified=False) for headers in forged),
    ]


def in_python(table: list[Case]) -> str:
    names: dict[str, Callable[..., bool]] = {}
    exec(block("python"), names)  # noqa: S102 - our own guide
    return "".join(str(int(names["verified"](case.secret, case.headers, case.body))) for case in table)


def run(command: list[str], table: list[Case], program: str | None = None) -> str:
    """Return what a program prints for the table: a digit for each case. `program`: its text, if it reads no file."""
    lines = "".join(case.line + "\n" for case in table)
    done = subprocess.run(
        command, input=program if program is not None else lines, env=os.environ | {"TABLE": lines},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def in_typescript(table: list[Case]) -> str:
    program = (
        block("typescript").replace("export ", "")
        + """
for (const line of process.env.TABLE.trimEnd().split("\\n")) {
  const [secret, id, at, signature, body] = line.split(" ").map((field) =>
    field === "-" ? undefined : Buffer.from(field, "base64"));
  const headers = { "webhook-id": id?.toString(), "webhook-timestamp": at?.toString(),
    "webhook-signature": signature?.toString() };
  process.stdout.write(verified(secret.toString(), headers, body) ? "1" : "0");
}
"""
    )
    flags = ["--experimental-strip-types", "--no-warnings", "--input-type=module-typescript"]
    return run([str(tools.node()), *flags], table, program)


def in_php(table: list[Case]) -> str:
    program = (
        block("php")
        + """
foreach (file('php://stdin', FILE_IGNORE_NEW_LINES) as $line) {
    $fields = array_map(fn ($field) => $field === '-' ? null : base64_decode($field), explode(' ', $line));
    $names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    $headers = array_filter(array_combine($names, array_slice($fields, 1, 3)), fn ($value) => $value !== null);
    echo verified($fields[0], $headers, $fields[4]) ? '1' : '0';
}
"""
    )
    return run(["php", "-d", "error_reporting=-1", "-d", "display_errors=stderr", "-r", program], table)


def in_ruby(table: list[Case]) -> str:
    program = (
        block("ruby")
        + """
STDIN.each_line do |line|
  secret, id, at, signature, body = line.chomp.split(/ /, -1).map { |field| field == "-" ? nil : field.unpack1("m") }
  headers = { "webhook-id" => id, "webhook-timestamp" => at, "webhook-signature" => signature }
  print verified(secret, headers, body) ? "1" : "0"
end
"""
    )
    return run(["ruby", "-e", program], table)


def in_java(table: list[Case]) -> str:
    code = block("java").replace("final class Webhooks {", "final class Webhooks {\n" + _JAVA_MAIN)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "Webhooks.java")
        file.write_text(code)
        return run(["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", str(file)], table)


_JAVA_MAIN = """
    public static void main(String[] arguments) throws Exception {
        for (String line : new String(System.in.readAllBytes(), UTF_8).split("\\n")) {
            String[] fields = line.split(" ");
            String[] names = {"webhook-id", "webhook-timestamp", "webhook-signature"};
            Map<String, String> headers = new java.util.HashMap<>();
            for (int i = 0; i < 3; i++) {
                if (!fields[i + 1].equals("-")) {
                    headers.put(names[i], new String(Base64.getDecoder().decode(fields[i + 1]), UTF_8));
                }
            }
            String secret = new String(Base64.getDecoder().decode(fields[0]), UTF_8);
            System.out.print(verified(secret, headers, Base64.getDecoder().decode(fields[4])) ? "1" : "0");
        }
    }
"""


def in_perl(table: list[Case]) -> str:
    program = (
        "use strict; use warnings FATAL => 'all';\n"
        + block("perl")
        + """
while (my $line = <STDIN>) {
    chomp $line;
    my ($secret, $id, $at, $signature, $body) = map { $_ eq '-' ? undef : decode_base64($_) } split / /, $line;
    my %headers = ('webhook-id' => $id, 'webhook-timestamp' => $at, 'webhook-signature' => $signature);
    print verified($secret, \\%headers, $body) ? '1' : '0';
}
"""
    )
    return run(["perl", "-e", program], table)


LANGUAGES = {
    "Python": in_python, "TypeScript": in_typescript, "PHP": in_php, "Ruby": in_ruby, "Java": in_java, "Perl": in_perl,
}  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_code(language: str) -> None:
    """It accepts what we sign, and refuses everything else without an error."""
    table = cases()
    assert LANGUAGES[language](table) == "".join(str(int(case.verified)) for case in table)


def test_every_language_of_the_guide_is_run() -> None:
    assert re.findall(r"^## (.*)$", GUIDE, re.MULTILINE) == [*LANGUAGES, "Shell"]


@pytest.mark.parametrize(
    ("containing", "header"), [("sha256=", "x-service-signature"), ("macopt", "webhook-signature")]
)
def test_shell(tmp_path: Path, containing: str, header: str) -> None:
    headers = signed([OLD])
    (tmp_path / "body.json").write_bytes(BODY)
    values = {"WEBHOOK_ID": headers["webhook-id"], "WEBHOOK_TIMESTAMP": headers["webhook-timestamp"], "SECRET": OLD}

    answer = subprocess.run(
        ["sh", "-c", block("sh", containing)],
        cwd=tmp_path, env=os.environ | values, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert answer.stdout.strip() == headers[header]
