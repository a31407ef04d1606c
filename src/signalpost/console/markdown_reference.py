"""The API reference and the pages of errors as Markdown: for programs that read the documentation."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import unescape

from markupsafe import Markup

from signalpost.console.markdown import markdown_address
from signalpost.console.reference import Group, NamedSchema, Operation
from signalpost.console.samples import Sample
from signalpost.console.schema_words import Field
from signalpost.kit.problems import Problem


def group_as_markdown(group: Group, common_errors: Mapping[str, str], root: str) -> str:
    """Return a page of the reference; links to errors begin with `root`."""
    lines = [f"# {group.name}", "", group.text, ""]
    if group.is_events:
        lines += ["## Headers", "", *_fields(group.operations[0].parameters), ""]
    else:
        codes = ", ".join(f"[`{code}`]({_problem(root, code)})" for code in common_errors)
        lines += [f"Errors that most operations share are not repeated below: {codes}.", ""]
    for operation in group.operations:
        lines += _operation(operation, root)
    if group.objects:
        lines += [
            "## Objects",
            "",
            "A response always has every field of its object; fields without a value are null.",
            "",
        ]
    for schema in group.objects:
        lines += _object(schema)
    return _joined(lines)


def problem_as_markdown(kind: type[Problem], operations: Iterable[tuple[str, str, str]], root: str) -> str:
    """Return the page of an error. `operations`: method, path and address of those that can answer with it."""
    retry = "The same request can be sent again later." if kind.retryable else "Do not send the same request again."
    lines = [f"# {kind.code}", "", f"Status {kind.status}. {kind.title}", "", kind.remediation or "", "", retry, ""]
    places = [f"- [`{method} {path}`]({markdown_address(root + address)})" for method, path, address in operations]
    if places:
        lines += ["## Operations that can return it", "", *places, ""]
    return _joined([*lines, f"[All errors]({root}/problems.md)"])


def problems_as_markdown(kinds: Iterable[type[Problem]], root: str) -> str:
    """Return the list of all errors."""
    lines = ["# Errors", "", "| Code | Status | Meaning |", "|---|---|---|"]
    lines += [f"| [`{kind.code}`]({_problem(root, kind.code)}) | {kind.status} | {kind.title} |" for kind in kinds]
    return _joined(lines)


def _problem(root: str, code: str) -> str:
    return f"{root}/problems/{code}.md"


def _operation(operation: Operation, root: str) -> Iterator[str]:
    yield from (f'<a id="{operation.anchor}"></a>', "", f"## {operation.summary}", "")
    yield from (f"`{operation.method} {operation.path}`", "", operation.text, "")
    if operation.parameters and operation.method != "EVENT":
        yield from ("### Parameters", "", *_fields(operation.parameters), "")
    if operation.body is not None:
        yield from ("### Body", "", _words(operation.body), "", *_fields(operation.fields), "")
    if operation.responses:
        yield from ("### Response", "", *(f"- {status}: {_words(type_)}" for status, type_ in operation.responses), "")
    if operation.errors:
        yield from ("### Errors", "")
        yield from (
            f"- {status} [`{code}`]({_problem(root, code)})" for status, codes in operation.errors for code in codes
        )
        yield ""
    for sample in operation.samples[:1]:  # programs need the request once
        yield from _block("Request", sample, "sh")
    for sample in (*operation.bodies, *operation.examples):
        yield from _block(sample.title, sample, "json")


def _object(schema: NamedSchema) -> Iterator[str]:
    yield from (f'<a id="object-{schema.name}"></a>', "", f"### {schema.name}", "", schema.text, "")
    yield from (*_fields(schema.fields), "")


def _block(title: str, sample: Sample, language: str) -> Iterator[str]:
    yield from (f"### {title}", "", f"```{language}", _text(sample.text), "```", "")


def _fields(fields: Sequence[Field], indent: str = "") -> Iterator[str]:
    for field in fields:
        notes = [_words(field.type), *([f"in {field.location}"] if field.location else [])]
        notes += ["required"] if field.required and not field.members else []
        text = f": {' '.join(field.text.split())}" if field.text else ""
        yield f"{indent}- `{field.name}` ({', '.join(notes)}){text}"
        yield from _fields(field.members, f"{indent}  ")


def _words(markup: Markup) -> str:
    """Return the words of a type, with its values as code."""
    return _text(Markup(re.sub("</?code>", "`", str(markup))))  # noqa: S704 - only its text is used


def _text(markup: Markup) -> str:
    return unescape(re.sub(r"</?\w[^<>]*>", "", str(markup)))


def _joined(lines: Iterable[str]) -> str:
    """Join lines; where a part is empty, one blank line stays."""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"
