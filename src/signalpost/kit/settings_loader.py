"""Settings from environment variables and a `.env` file, with every fault reported at once."""

import dataclasses
import re
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


class BadSettings(Exception):
    """Settings that cannot be used; the message lists every fault."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("These settings cannot be used:\n" + "\n".join(f"  {fault}" for fault in faults))
        self.faults = faults


def read_env_file(path: Path) -> dict[str, str]:
    """Read `NAME=value` lines; blank lines and lines starting with # are passed over. No file: nothing.

    Raises:
        BadSettings: it cannot be read.
    """
    if not path.is_file():
        return {}
    found = {}
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadSettings([f"{path}: cannot be read as UTF-8 text ({error})"]) from None
    for line in lines:
        name, equals, value = line.strip().partition("=")
        if equals and not name.startswith("#"):
            found[name.strip()] = value.strip().strip("\"'")
    return found


def load(kind: type[T], environment: Mapping[str, str], prefix: str) -> T:
    """Fill the dataclass `kind` from `<prefix><FIELD_NAME>` variables; an empty one counts as absent.

    Raises:
        BadSettings: a value does not fit its type, or a name with our prefix is unknown (a slip must not pass).
    """
    faults: list[str] = []
    values: dict[str, Any] = {}
    hints = typing.get_type_hints(kind)
    names = {prefix + field.name.upper(): field.name for field in dataclasses.fields(typing.cast("Any", kind))}
    open_names = getattr(kind, "OPEN_NAMES", ())
    faults += [
        f"{name}: there is no such setting"
        for name in sorted(environment)
        if name.startswith(prefix) and name not in names and not any(re.fullmatch(form, name) for form in open_names)
    ]
    for name, field_name in names.items():
        text = environment.get(name, "")
        if not text:
            continue
        try:
            values[field_name] = _convert(hints[field_name], text)
        except ValueError as error:
            faults.append(f"{name}: {error}")
    if faults:
        raise BadSettings(faults)
    return kind(**values)


def _convert(kind: Any, text: str) -> Any:
    options = [option for option in typing.get_args(kind) if option is not type(None)]
    if typing.get_origin(kind) is typing.Literal:
        if text not in options:
            raise ValueError(f"one of {', '.join(options)}, not {text!r}")
        return text
    if typing.get_origin(kind) is tuple:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    bare = options[0] if options else kind
    if bare is bool:
        if text.lower() not in ("true", "false", "1", "0", "yes", "no"):
            raise ValueError(f"true or false, not {text!r}")
        return text.lower() in ("true", "1", "yes")
    if bare is int:
        if not re.fullmatch(r"-?\d{1,12}", text):
            raise ValueError(f"a whole number, not {text!r}")
        return int(text)
    return Path(text) if bare is Path else text
