"""Requests to copy from the API reference: curl, Python and TypeScript, and JSON as it is shown."""

import json
import re
from collections.abc import Iterator
from html import escape
from typing import Any

from markupsafe import Markup
from msgspec import Struct

from signalpost.web.components import Document

KEY = "KEY"
"""What stands for the reader's API key."""
FILE = "cat.jpg"
_ONE_LINE_MAX = 60  # characters of an example body that is shown on one line


class Sample(Struct, frozen=True):
    """A text to copy."""

    title: str
    text: Markup


class SampleRequest(Struct, frozen=True, kw_only=True):
    """The example request of an operation."""

    method: str
    url: str
    signed_in: bool
    body: Any = None
    has_body: bool = False
    sends_file: bool = False


def sample_request(server: str, method: str, path: str, operation: Document) -> SampleRequest:
    """Return the request that the examples of the document make."""
    parameters = operation["parameters"]
    schemas = {parameter["name"]: parameter["schema"] for parameter in parameters if parameter["in"] == "path"}
    filled = re.sub(r"\{(\w+)\}", lambda name: str(schemas[name[1]]["examples"][0]), path)
    required = [item["name"] for item in parameters if item["in"] == "query" and item["required"]]
    query = "&".join(f"{name}={name.upper()}" for name in required)
    content = operation.get("requestBody", {}).get("content", {})
    bodies = example_bodies(content.get("application/json", {}))
    return SampleRequest(
        method=method,
        url=server + filled + (f"?{query}" if query else ""),
        signed_in=operation.get("security") != [],
        body=bodies[0] if bodies else None,
        has_body=bool(bodies),
        sends_file=not bodies and "multipart/form-data" in content,
    )


def example_bodies(content: Document) -> list[Any]:
    """Return the examples of a body, the simplest first; none of a body that is not JSON."""
    named = [example["value"] for example in content.get("examples", {}).values()]
    return named or ([content["example"]] if "example" in content else [])


def samples(request: SampleRequest) -> Iterator[Sample]:
    """Yield the request in each language."""
    yield Sample("curl", Markup("{}").format(curl(request)))
    yield Sample("Python", Markup("{}").format(python(request)))
    yield Sample("TypeScript", Markup("{}").format(typescript(request)))


def curl(request: SampleRequest) -> str:
    """Return a curl command."""
    method = request.method
    option = (
        "" if method == "GET" or (method == "POST" and (request.has_body or request.sends_file)) else f"-X {method} "
    )
    parts = [f"curl {option}" + (f"'{request.url}'" if "?" in request.url else request.url)]
    if request.signed_in:
        parts.append(f"-H 'Authorization: Bearer {KEY}'")
    if request.has_body:
        parts.append("-H 'Content-Type: application/json'")
        parts.append("-d '" + _json(request.body).replace("'", "'\\''") + "'")
    elif request.sends_file:
        parts.append(f"-F file=@{FILE}")
    return " \\\n  ".join(parts)


def python(request: SampleRequest) -> str:
    """Return a program for Python with `requests`."""
    arguments = [json.dumps(request.url)]
    if request.signed_in:
        arguments.append(f'headers={{"Authorization": "Bearer {KEY}"}}')
    if request.has_body:
        arguments.append(f"json={_python_literal(request.body)}")
    elif request.sends_file:
        arguments.append(f'files={{"file": open("{FILE}", "rb")}}')
    inner = "".join(f"    {argument},\n" for argument in arguments)
    output = "print(response.status_code, response.text)"
    return f"import requests\n\nresponse = requests.{request.method.lower()}(\n{inner})\n{output}"


def typescript(request: SampleRequest) -> str:
    """Return a program for TypeScript and JavaScript with `fetch`."""
    lines, headers = [], []
    if request.signed_in:
        headers.append(f'Authorization: "Bearer {KEY}"')
    if request.has_body:
        headers.append('"Content-Type": "application/json"')
    if request.method != "GET":
        lines.append(f'method: "{request.method}",')
    if headers:
        lines.append(f"headers: {{ {', '.join(headers)} }},")
    before = ""
    if request.has_body:
        lines.append(f"body: JSON.stringify({_json(request.body)}),".replace("\n", "\n  "))
    elif request.sends_file:
        before = (
            'import { openAsBlob } from "node:fs";\n\nconst form = new FormData();\n'
            f'form.set("file", await openAsBlob("{FILE}"), "{FILE}");\n'
        )
        lines.append("body: form,")
    options = "".join(f"  {line}\n" for line in lines)
    call = f'"{request.url}", {{\n{options}}}' if options else f'"{request.url}"'
    return f"{before}const response = await fetch({call});\nconsole.log(response.status, await response.text());"


def _json(value: Any) -> str:
    one_line = json.dumps(value, ensure_ascii=False)
    return one_line if len(one_line) <= _ONE_LINE_MAX else json.dumps(value, ensure_ascii=False, indent=2)


def _python_literal(value: Any) -> str:
    """Return JSON as Python writes it: with its names of true, false and null."""
    literals = {"true": "True", "false": "False", "null": "None"}
    text = re.sub(
        r'"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b', lambda match: literals.get(match[0], match[0]), _json(value)
    )
    return text.replace("\n", "\n    ")


def highlighted(value: Any) -> Markup:
    """Return indented JSON with its keys in bold."""
    text = escape(json.dumps(value, indent=2, ensure_ascii=False), quote=False)
    return Markup(re.sub(r'^( *)("[^"]*"):', r"\1<b>\2</b>:", text, flags=re.MULTILINE))  # noqa: S704 - escaped above
