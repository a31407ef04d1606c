"""A real WordPress of Debian, with a MariaDB and PHP's web server, and one user of each role."""

import contextlib
import json
import os
import pwd
import tempfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.counterparts import tools
from tests.counterparts.process import running

_HERE = tools.HERE / "wordpress"
ROLES = ("editor", "author", "contributor", "subscriber")
_DATABASE = ("--no-defaults", "--skip-grant-tables", "--skip-networking", "--skip-name-resolve",
             "--innodb-log-file-size=4M", "--innodb-buffer-pool-size=32M", "--innodb-flush-log-at-trx-commit=0",
             "--innodb-use-native-aio=0")  # fmt: skip


@dataclass(frozen=True)
class WordPressUser:
    id: int
    login: str
    password: str
    """It signs in at the site, and is none for programs."""
    app_password: str


class WordPressSite:
    """A running site; what is stored in it is read without its REST API."""

    title = "Corner Bakery"

    def __init__(self, port: int, folder: Path, environment: Mapping[str, str]) -> None:
        self.port, self.url = port, environment["WORDPRESS_URL"]
        self._folder, self._environment = folder, dict(environment)
        self.users: Mapping[str, WordPressUser] = {}
        """By role."""

    async def install(self) -> None:
        users = await self._do("install", json.dumps({"title": self.title, "roles": ROLES}))
        self.users = {role: WordPressUser(**user) for role, user in zip(ROLES, users, strict=True)}

    async def posts(self) -> list[dict[str, Any]]:
        """Every post as it is stored, in the order they were made; also those in the trash."""
        posts: list[dict[str, Any]] = await self._do("posts")
        return posts

    async def permalinks(self, structure: str) -> None:
        """Give posts these addresses; "" is a site whose REST API is at `?rest_route=`."""
        await self._do("permalinks", structure)

    async def _do(self, *command: str) -> Any:
        words = (_php(), _HERE / "site.php", _program_folder(), *command)
        async with running(*words, folder=self._folder, environment=self._environment) as program:
            return (await program.json_line())["answer"]


def _program_folder() -> Path:
    return tools.folder("wordpress", _HERE / "packages.sha256") / "usr" / "share" / "wordpress"


def _php() -> str:
    return tools.program("php")


@contextlib.asynccontextmanager
async def wordpress_site(url: str | None = None) -> AsyncIterator[WordPressSite]:
    """Start one with an empty database (three seconds: one for many tests).

    Args:
        url: what it takes for its address, if there is a proxy before its port.
    """
    program, port = _program_folder(), tools.free_port()
    with tempfile.TemporaryDirectory(prefix="wordpress-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        for each in ("data", "content/uploads"):
            (folder / each).mkdir(parents=True)
        (folder / "content" / "themes").symlink_to(program / "wp-content" / "themes")
        environment = {
            "WORDPRESS_CONFIG": str(_HERE / "wp-config.php"), "WORDPRESS_SOCKET": str(folder / "database"),
            "WORDPRESS_URL": url or f"http://127.0.0.1:{port}", "WORDPRESS_CONTENT": str(folder / "content"),
            "PHP_CLI_SERVER_WORKERS": "4",
        }  # fmt: skip
        database = (
            tools.program("mariadbd"), *_DATABASE, f"--user={pwd.getpwuid(os.getuid()).pw_name}",
            f"--datadir={folder / 'data'}", f"--socket={folder / 'database'}", f"--pid-file={folder / 'pid'}",
        )  # fmt: skip
        settings = ("-d", "upload_max_filesize=1M", "-d", "post_max_size=2M", "-d", "display_errors=0")
        web = (_php(), *settings, "-S", f"127.0.0.1:{port}", "-t", program, _HERE / "router.php")
        async with running(*database, folder=folder):
            site = WordPressSite(port, folder, environment)
            await site.install()
            async with running(*web, folder=folder, environment=environment) as server:
                await server.wait_for_port(port)
                yield site
