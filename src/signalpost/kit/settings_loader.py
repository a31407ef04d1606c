"""Settings from environment variables and a `.env` file, with all errors reported at once."""

import dataclasses
import re
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from signalpost.kit.nearest import nearest

T = TypeVar("T")


class BadSettings(Exception):
    """The settings are invalid; the message lists every error."""

    def __init__(self, errors: list[str]) -> None:
        super().__init__("Invalid settings:\n" + "\n".join(f"  {error}" for error in errors))
        self.errors = errors


_ENV_LINE = re.compile(
    r"""(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*=\s*
    (?:'(?P<literal>[^']*)'|"(?P<escaped>(?:[^"\\]|\\.)*)"|(?P<bare>[^'"\s#](?:.*?)|))
    (?:\s*|\s+\#.*)""",
    re.VERBOSE,
)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def read_env_file(path: Path) -> dict[str, str]:
    """Read `NAME=value` lines by the usual rules; a missing file is empty.

    A line may begin with `export`. A value may stand in single quotes, where every character counts as it is, or in
    double quotes, where a backslash escapes the next one. ` #` after a value begins a comment.

    Raises:
        BadSettings: the file is unreadable, or a line is not of this form; no message quotes a value.
    """
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise BadSettings([f"{path} cannot be read: {error.strerror}"]) from None
    except UnicodeDecodeError:
        raise BadSettings([f"{path} is not UTF-8 text"]) from None
    values, errors = {}, []
    for number, line in enumerate(map(str.strip, lines), 1):
        if not line or line.startswith("#"):
            continue
        if match := _ENV_LINE.fullmatch(line):
            values[match["name"]] = _env_value(match)
        else:
            errors.append(f'{path}, line {number}: write NAME=value, or NAME="value" if it contains quotes or " #"')
    if errors:
        raise BadSettings(errors)
    return values


def _env_value(match: re.Match[str]) -> str:
    if (literal := match["literal"]) is not None:
        return literal
    if (escaped := match["escaped"]) is not None:
        return re.sub(r"\\(.)", lambda pair: _ESCAPES.get(pair[1], pair[1]), escaped)
    return match["bare"]


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
    options = getattr(kind, "OPTIONS", {})
    errors += [
        f"{name}: unknown setting{options.get(name) or did_you_mean(name, fields)}"
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


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return `; did you mean ...?` with the nearest name, or nothing if none is similar."""
    similar = nearest(name, tuple(names))
    return f"; did you mean {similar}?" if similar else ""


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
