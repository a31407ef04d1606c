"""What `sp` keeps, readable by its user only: keys of servers, and what an interrupted command has begun."""

import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from signalpost_client.errors import ConfigurationError

BEGUN_SECONDS: Final = 23 * 3600
"""The service keeps keys and uploads for 24 hours."""
BEGUN_MAX: Final = 200


def config_folder() -> Path:
    """Return where keys are kept: SP_CONFIG_DIR, or the folder that the system has for settings."""
    if chosen := os.environ.get("SP_CONFIG_DIR"):
        return Path(chosen)
    base = os.environ.get("APPDATA") if os.name == "nt" else os.environ.get("XDG_CONFIG_HOME")
    return Path(base or Path.home() / ".config") / "signalpost"


def state_folder() -> Path:
    """Return where interrupted commands are noted."""
    return config_folder() / "state"


def private_file(path: Path, text: str) -> None:
    """Write a file that only its user can read, as a whole or not at all."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    draft.replace(path)


@dataclass(frozen=True)
class Server:
    """A server, its key, and the profile to post from. `granted`: the key was made for this terminal alone."""

    url: str
    key: str
    profile: str | None = None
    granted: bool = False


@dataclass(frozen=True)
class Servers:
    """The servers by name, and the one that is used if none is named."""

    by_name: Mapping[str, Server]
    default: str | None

    @classmethod
    def load(cls) -> "Servers":
        """Read the servers that were kept.

        Raises:
            ConfigurationError: the file is not one that `sp` wrote.
        """
        path = config_folder() / "servers.json"
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            by_name = {name: Server(**fields) for name, fields in document["servers"].items()}
        except FileNotFoundError:
            return cls({}, None)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            message = f"{path} cannot be read: {error}. Remove it, and run `sp login` again."
            raise ConfigurationError(message) from None
        return cls(by_name, document.get("default"))

    def save(self) -> None:
        document = {
            "default": self.default,
            "servers": {name: asdict(server) for name, server in self.by_name.items()},
        }
        private_file(config_folder() / "servers.json", json.dumps(document, indent=2) + "\n")

    def find(self, name: str | None) -> Server | None:
        """Return the server of a name, else that of the environment, else the default one.

        Raises:
            ConfigurationError: there is none of this name.
        """
        if name is not None:
            if name not in self.by_name:
                names = ", ".join(self.by_name) or "none"
                raise ConfigurationError(f"There is no server {name!r} ({names}). Run `sp login --name {name}`.")
            return self.by_name[name]
        if key := os.environ.get("SIGNALPOST_API_KEY"):
            return Server(os.environ.get("SIGNALPOST_API_URL", ""), key, os.environ.get("SP_PROFILE"))
        return self.by_name.get(self.default or "")


class Begun:
    """What was begun and may not have ended, by what it is about: a second run goes on with the same value.

    One file for each, so that commands beside each other do not disturb one another.
    """

    def __init__(self, kind: str, *about: Any) -> None:
        self.folder = state_folder() / kind
        self.path = self.folder / sha256(json.dumps(about, sort_keys=True, default=str).encode()).hexdigest()[:32]

    def value(self) -> str | None:
        """Return the value of the earlier run."""
        try:
            if time.time() - self.path.stat().st_mtime > BEGUN_SECONDS:
                return None
            return self.path.read_text(encoding="utf-8") or None
        except OSError:
            return None

    def begin(self, value: str) -> None:
        private_file(self.path, value)
        old = sorted(self.folder.iterdir(), key=lambda path: path.stat().st_mtime)[:-BEGUN_MAX]
        for path in old:
            path.unlink(missing_ok=True)

    def end(self) -> None:
        self.path.unlink(missing_ok=True)
