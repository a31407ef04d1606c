"""Cuts what the simulator is asked out of the specifications of X and Pinterest: `scripts/cut-specifications`.

Their files are under terms of their own, or too large. The clients that are generated from them are under the MIT
License, so it is their code that is read, without running it: `requirements/specifications.txt`, installed by
`scripts/install-test-tools specifications`. Names, types and limits are kept, and no sentence.
"""

import ast
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from pathlib import Path
from typing import Any

from simulator.networks.pinterest import Pinterest
from simulator.networks.x import X
from simulator.specification import FOLDER, shape
from tests.counterparts import tools

Schema = dict[str, Any]
_TYPES = {
    **dict.fromkeys(("str", "StrictStr", "date", "datetime"), "string"),
    **dict.fromkeys(("int", "StrictInt"), "integer"),
    **dict.fromkeys(("float", "StrictFloat"), "number"),
    **dict.fromkeys(("bool", "StrictBool"), "boolean"),
}
_LIMITS = {"ge": "minimum", "le": "maximum"}
_VERBS = ("get", "post", "put", "patch", "delete")


class Module:
    """One file of a client, and what its names mean."""

    def __init__(self, client: "GeneratedClient", path: Path) -> None:
        self.client = client
        tree = ast.parse(path.read_text())
        self.classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        self.aliases = {
            node.targets[0].id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        self.imports = {
            name.name: (node.module or "").rpartition(".")[2]
            for node in tree.body
            if isinstance(node, ast.ImportFrom)
            for name in node.names
        }

    def schema(self, node: ast.expr) -> Schema:
        """Return the schema of a type."""
        if isinstance(node, ast.Constant):
            return self.schema(ast.parse(node.value, mode="eval").body)
        if isinstance(node, ast.Subscript):
            return self._composed(ast.unparse(node.value), node.slice)
        if isinstance(node, ast.Attribute):  # of another file
            return self.client.named(
                self.client.module(self.client.package / f"{ast.unparse(node.value)}.py"), node.attr
            )
        name = ast.unparse(node)
        if name in _TYPES:
            return {"type": _TYPES[name]}
        return {} if name == "Any" else self.client.named(self, name)

    def _composed(self, name: str, inner: ast.expr) -> Schema:
        parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        made: dict[str, Callable[[], Schema]] = {
            "Annotated": lambda: _limited(self.schema(parts[0]), parts[1:]),
            "Optional": lambda: self.schema(inner),
            "List": lambda: {"type": "array", "items": self.schema(inner)},
            "Literal": lambda: {"enum": [ast.literal_eval(part) for part in parts]},
            "Union": lambda: {"anyOf": [self.schema(part) for part in parts]},
            "Dict": dict,
        }
        return made[name]()

    def described(self, node: ast.ClassDef) -> Schema:
        """Return the schema of a class: an enumeration, one of several classes, or an object."""
        if any(isinstance(base, ast.Name) and base.id == "Enum" for base in node.bases):
            return {"enum": [ast.literal_eval(one.value) for one in node.body if isinstance(one, ast.Assign)]}
        members = [one for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
        several = [one for one in members if re.match(r"(one|any)of_schema_\d+_validator$", ast.unparse(one.target))]
        if several:
            return {"anyOf": [self.schema(one.annotation) for one in several]}
        properties: Schema = {}
        required = []
        for member in members:
            if ast.unparse(member.annotation).startswith("ClassVar"):
                continue
            name = _keyword(member.value, "alias") or ast.unparse(member.target)
            properties[name] = self.schema(member.annotation)
            if not ast.unparse(member.annotation).startswith("Optional"):
                required.append(name)
        for name, limit in _validated(node):
            properties[name] |= limit
        made = {"type": "object", "properties": properties, "additionalProperties": False}
        return made | ({"required": sorted(required)} if required else {})


class GeneratedClient:
    """The code of a client that a generator made of a specification."""

    def __init__(self, package: Path, module_of: Callable[[Module, str], str | None]) -> None:
        self.package, self.module_of = package, module_of
        self.definitions: dict[str, Schema] = {}
        self._modules: dict[Path, Module] = {}

    def module(self, path: Path) -> Module:
        if path not in self._modules:
            self._modules[path] = Module(self, path)
        return self._modules[path]

    def named(self, asking: Module, name: str) -> Schema:
        """Return a reference to a class, which is described once."""
        place = self.module_of(asking, name)
        module = asking if place is None else self.module(self.package / place)
        if name in module.aliases:
            return module.schema(module.aliases[name])
        if name not in self.definitions:
            self.definitions[name] = {}  # before its members, which may name it again
            self.definitions[name] = module.described(module.classes[name])
        return {"$ref": f"#/$defs/{name}"}


def _limited(schema: Schema, notes: list[ast.expr]) -> Schema:
    is_list = schema.get("type") == "array"
    names = _LIMITS | {"min_length": "minItems" if is_list else "minLength"}
    names |= {"max_length": "maxItems" if is_list else "maxLength"}
    given = [keyword for note in notes if isinstance(note, ast.Call) for keyword in note.keywords]
    return schema | {names[one.arg]: ast.literal_eval(one.value) for one in given if one.arg in names}


def _keyword(call: ast.expr | None, name: str) -> Any:
    keywords = call.keywords if isinstance(call, ast.Call) else []
    return next((ast.literal_eval(one.value) for one in keywords if one.arg == name), None)


def _validated(node: ast.ClassDef) -> Iterator[tuple[str, Schema]]:
    """Yield what the validators of a class check: the values of a member, or its pattern."""
    for function in node.body:
        decorators = function.decorator_list if isinstance(function, ast.FunctionDef) else []
        if not decorators or not isinstance(decorators[0], ast.Call):
            continue
        name = ast.literal_eval(decorators[0].args[0])
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "set":
                yield name, {"enum": ast.literal_eval(call.args[0])}
            elif isinstance(call, ast.Call) and ast.unparse(call.func) == "re.match":
                yield name, {"pattern": ast.literal_eval(call.args[0])}


def _operation(module: Module, function: ast.FunctionDef, wire: Mapping[str, str], body: str | None) -> Schema:
    """Describe a call: `wire` names its parameters of the query as they are sent."""
    arguments, defaults = function.args.args, function.args.defaults
    optional = {argument.arg for argument in arguments[len(arguments) - len(defaults) :]}
    types = {argument.arg: argument.annotation for argument in arguments if argument.annotation is not None}
    query = {sent: module.schema(types[name]) for name, sent in wire.items()}
    made: Schema = {"query": {"type": "object", "properties": query, "additionalProperties": False}}
    if needed := sorted(sent for name, sent in wire.items() if name not in optional):
        made["query"]["required"] = needed
    return made if body is None else made | {"body": module.schema(types[body])}


def _naming(asked: Iterable[str], paths: Iterable[Path]) -> list[Path]:
    """Return the files that name a path of the calls."""
    wanted = [call.partition(" ")[2] for call in asked]
    return [path for path in sorted(paths) if any(one in shape(path.read_text()) for one in wanted)]


def of_x(site: Path, asked: Set[str]) -> tuple[GeneratedClient, dict[str, Schema]]:
    """Read the operations of the XDK, X's own client."""
    client = GeneratedClient(site / "xdk", _place_in_xdk)
    found = {}
    for path in _naming(asked, (site / "xdk").glob("*/client.py")):
        module = client.module(path)
        models = client.module(path.with_name("models.py"))
        for owner in module.classes.values():
            for function in owner.body:
                if isinstance(function, ast.FunctionDef) and (call := _call_in_xdk(function)) in asked:
                    found[call] = _xdk_operation(models, function)
    return client, found


def _place_in_xdk(asking: Module, name: str) -> str | None:
    return None if name in asking.aliases or name in asking.classes else "schemas.py"


def _call_in_xdk(function: ast.FunctionDef) -> str:
    text = ast.unparse(function)
    path = re.search(r"url = self\.client\.base_url \+ '([^']+)'", text)
    verb = re.search(rf"self\.client\.session\.({'|'.join(_VERBS)})\(", text)
    return shape(f"{verb[1].upper()} {path[1]}") if path and verb else ""


def _xdk_operation(models: Module, function: ast.FunctionDef) -> Schema:
    text = ast.unparse(function)
    sent = dict(re.findall(r"if (\w+) is not None:\s+(?:page_)?params\['([\w.]+)'\]", text))
    names = [argument.arg for argument in function.args.args if argument.arg not in {"self", "body"}]
    path = set(re.findall(r"url\.replace\('\{(\w+)\}'", text))
    wire = {name: sent.get(name, name) for name in names if name not in path}
    body = "body" if any(argument.arg == "body" for argument in function.args.args) else None
    return _operation(models, function, wire, body)


def of_pinterest(site: Path, asked: Set[str]) -> tuple[GeneratedClient, dict[str, Schema]]:
    """Read the operations of pinterestsdk, which OpenAPI Generator made of Pinterest's description."""
    client = GeneratedClient(site / "pinterestsdk", lambda asking, name: f"models/{asking.imports[name]}.py")
    found = {}
    for path in _naming(
        {call.replace(" /v5", " ") for call in asked}, (site / "pinterestsdk" / "api").glob("*_api.py")
    ):
        module = client.module(path)
        for owner in module.classes.values():
            functions = {one.name: one for one in owner.body if isinstance(one, ast.FunctionDef)}
            for name, function in functions.items():
                text = ast.unparse(function) if name.endswith("_serialize") else ""
                place = re.search(r"method='(\w+)', resource_path='([^']+)'", text)
                call = shape(f"{place[1]} /v5{place[2]}") if place else ""
                if call in asked:
                    called = functions[name.removeprefix("_").removesuffix("_serialize")]
                    found[call] = _pinterest_operation(module, called, text)
    return client, found


def _pinterest_operation(module: Module, function: ast.FunctionDef, text: str) -> Schema:
    names = {argument.arg for argument in function.args.args}
    wire = {}
    for sent, value in re.findall(r"_query_params\.append\(\('([\w.]+)', ([\w.]+)", text):
        wire[value.partition(".")[0]] = sent
    body = re.search(r"_body_params = (\w+)", text)
    made = _operation(module, function, wire, body[1] if body and body[1] in names else None)
    fields = re.findall(r"_form_params\.append\(\('(\w+)', (\w+)", text)
    if fields:
        form = _operation(module, function, {value: sent for sent, value in fields}, None)["query"]
        made["body"] = form
    return made


def cut(site: Path, read: Callable[[Path, Set[str]], tuple[GeneratedClient, dict[str, Schema]]], network: Any) -> str:
    """Return the part of a specification that the routes of a simulated network need, as JSON."""
    client, operations = read(site, {*map(shape, network.described()), f"POST {network.oauth_rules.token}"})
    content = {"operations": operations, "$defs": client.definitions}
    return f"{json.dumps(content, indent=1, sort_keys=True)}\n"


READERS = {"x": (of_x, X), "pinterest": (of_pinterest, Pinterest)}


def site() -> Path:
    """Return where the clients are installed."""
    place = tools.folder("specifications", tools.CHECKOUT / "requirements" / "specifications.txt")
    return next(place.glob("lib/python*/site-packages"))


if __name__ == "__main__":
    for key, (reader, network) in READERS.items():
        (FOLDER / f"{key}.json").write_text(cut(site(), reader, network))
