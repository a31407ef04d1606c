"""Settings from environment variables and a `.env` file, with all errors reported at once."""

import dataclasses
import re
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


class BadSettings(Exception):
    """The settings are invalid; the message lists every error."""

    def __init__(self, errors: list[str]) -> None:
        super().__init__("Invalid settings:\n" + "\n".join(f"  {error}" for error in errors))
        self.errors = errors


def read_env_file(path: Path) -> dict[str, str]:
    """Read `NAME=value` lines; skip blank lines and lines that start with #. A missing file is empty.

    Raises:
        BadSettings: the file is unreadable.
    """
    if not path.is_file():
        return {}
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadSettings([f"{path} cannot be read as UTF-8 text ({error})"]) from None
    values = {}
    for line in lines:
        name, equals, value = line.strip().partition("=")
        if equals and not name.startswith("#"):
            values[name.strip()] = value.strip().strip("\"'")
    return values


def load(kind: type[T], environment: Mapping[str, str], prefix: str) -> T:
    """Fill the dataclass `kind` from `<prefix><FIELD_NAME>` variables; an empty variable counts as absent.

    Raises:
        BadSettings: a value does not fit its type, or a name with our prefix is unknown (it may be a typo).
    """
    errors: list[str] = []
    values: dict[str, Any] = {}
    types = typing.get_type_hints(kind)
    fields = {prefix + field.name.upper(): field.name for field in dataclasses.fields(typing.cast("Any", kind))}
    open_names = getattr(kind, "OPEN_NAMES", ())
    errors += [
        f"{name}: unknown setting"
        for name in sorted(environment)
        if name.startswith(prefix)
        and name not in fields
        and not any(re.fullmatch(pattern, name) for pattern in open_names)
    ]
    for name, field in fields.items():
        if text := environment.get(name):
            try:
                values[field] = _convert(types[field], text)
            except ValueError as error:
                errors.append(f"{name}: {error}")
    if errors:
        raise BadSettings(errors)
    return kind(**values)


def _convert(kind: Any, text: str) -> Any:
    options = [option for option in typing.get_args(kind) if option is not type(None)]
    if typing.get_origin(kind) is typing.Literal:
        if text not in options:
            raise ValueError(f"must be one of {', '.join(options)}, not {text!r}")
        return text
    if typing.get_origin(kind) is tuple:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    bare = options[0] if options else kind
    if bare is bool:
        if text.lower() not in ("true", "false", "1", "0", "yes", "no"):
            raise ValueError(f"must be true or false, not {text!r}")
        return text.lower() in ("true", "1", "yes")
    if bare is int:
        if not re.fullmatch(r"-?\d{1,12}", text):
            raise ValueError(f"must be a whole number, not {text!r}")
        return int(text)
    return Path(text) if bare is Path else text
