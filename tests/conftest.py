"""Fixtures of all tests: a real PostgreSQL, the whole application, and clients of it.

- `dsn`: address of this test process's own copy of the template database. `fresh_dsn`: a copy for one test alone.
- `database`: a `kit.db.Database` on it; `context`: the process context; `settings`.
- `api`: calls the application: `await api.get("/posts", key=owner.key)`, `await api.post(path, json={...}, key=...)`.
  Paths without prefix get /api/v1. Every response is checked to be well formed.
- `make`: creates rows through real actions: `owner = await make.owner()` (key, test_key, workspace_id, profile_id ...),
  `await make.member(owner, role="viewer", profile_ids=[...])` -> a Login with a key of that role.

Tests do not clean up: each creates its own workspace.

`--quick` leaves out what starts browsers, servers and other programs, kills processes or is marked as slow;
`--room` runs a room and its part of the contract.
"""

import asyncio
import contextlib
import dataclasses
import gc
import os
import secrets
import shutil
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import argon2
import asyncpg
import hypothesis
import pytest
from hypothesis.internal.conjecture import providers
from tests.figures.record import record
from tests.helpers import canaries
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.run_folder import run_folder
from tests.helpers.steps import Steps
from tests.helpers.word_checks import add_word_checks

from signalpost import settings as settings_module
from signalpost.context import AppContext
from signalpost.embedded_postgres.start import start_postgres
from signalpost.kit import loop_watch
from signalpost.kit.crypto import passwords
from signalpost.kit.db import Database
from signalpost.kit.tenant import across
from signalpost.migrations.runner import migrate
from signalpost.settings import Settings

if TYPE_CHECKING:
    from playwright.async_api import Browser
    from tests.counterparts import ReferencePds, WordPressSite
    from tests.helpers.distribution import Distribution
    from xdist.remote import Producer

# How long an example takes says what else the machine does, so neither deadlines nor slow inputs are failures.
hypothesis.settings.register_profile(
    "signalpost", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("signalpost")
# It would also draw from the constants of whatever modules are imported already: a test alone would meet other inputs
# than in a run, and each process would read all of the source first.
pytest.MonkeyPatch().setattr(providers, "is_local_module_file", lambda path: False)

__all__ = ["record"]

FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "400"}
_REAL_ARGON2 = passwords._ARGON2
_ADDRESS = "SIGNALPOST_TEST_CLUSTER"
_ID_MAX = 200
NOT_QUICK = (
    "accounts/test_real_servers.py",
    "console/test_pages_in_browser.py",
    "contract/test_floors.py",
    "contract/test_roles.py",
    "contract/test_schemathesis.py",
    "counterparts",
    "e2e",
    "embedded_postgres",
    "engine/test_faults.py",
    "engine/test_limits.py",
    "engine/test_loop.py",
    "faults",
    "kit/test_http.py",
    "main/test_command_line.py",
    "main/test_operator_errors.py",
    "main/test_wheel.py",
    "media/test_hostile.py",
    "media/test_presigned_objects.py",
    "media/test_probing.py",
    "media/test_upload.py",
    "networks/test_bluesky_server.py",
    "networks/test_ghost_server.py",
    "networks/test_mastodon_server.py",
    "networks/test_matrix_server.py",
    "networks/test_nostr_relay.py",
    "networks/test_no_double_posts.py",
    "networks/test_wordpress_server.py",
    "test_secrets_stay_secret.py",
    "webhooks/test_deliveries.py",
    "webhooks/test_faults.py",
)
"""Paths below `tests` that `--quick` leaves out, besides tests marked as slow: they start programs or wait."""
PROGRAMS = {
    "bluesky-server", "browser", "browser-days", "browser-pages", "browser-posts", "browser-services", "clients",
    "ghost-server", "mastodon-server", "matrix-server", "nostr-relay", "wheel",
}  # fmt: skip
"""Groups of tests that share a browser, a server or a package; `--quick` leaves them out wherever they stand.

One process runs all of a group, so no group may be longer than a third of a run. Tests in a browser are five: those
that look at the same filled workspaces, whole days of people, others with a service of their own, those about posts,
and the rest. Of the last two each shares one service.
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out tests that start other programs or are slow")
    parser.addoption("--room", help="only the tests of this room, and those that the contract asks of its operations")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import what `--quick` and `--room` leave out."""
    below = _below_tests(collection_path)
    room = config.getoption("--room")
    outside = room and below not in ("", ".") and below.partition("/")[0] not in (room, "contract", "conftest.py")
    return True if outside or (config.getoption("--quick") and below in NOT_QUICK) else None


def pytest_make_parametrize_id(val: object) -> str | None:
    """Long texts and bytes have a short name: some have a million characters, which each report would repeat."""
    if not isinstance(val, str | bytes) or len(val) <= _ID_MAX:
        return None
    text = val if isinstance(val, str) else val[:_ID_MAX].decode("latin-1")
    return f"{text[:_ID_MAX].encode('unicode_escape').decode()}... ({len(val)})"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for garbage neither while thousands of tests are collected nor, later, among what belongs to them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--quick"):
        _leave(config, items, _is_quick)
    if room := config.getoption("--room"):
        _leave(config, items, lambda item: _is_about(item, room))


def _leave(config: pytest.Config, items: list[pytest.Item], chosen: Callable[[pytest.Item], bool]) -> None:
    config.hook.pytest_deselected(items=[item for item in items if not chosen(item)])
    items[:] = [item for item in items if chosen(item)]


def _is_quick(item: pytest.Item) -> bool:
    groups = {mark.args[0] for mark in item.iter_markers("xdist_group")}
    return item.get_closest_marker("slow") is None and not groups & PROGRAMS


def _is_about(item: pytest.Item, room: str) -> bool:
    """Whether it is a test of the room, or one of the contract that is given one of its operations."""
    if _below_tests(item.path).startswith(f"{room}/"):
        return True
    endpoint = getattr(item, "callspec", None) and item.callspec.params.get("endpoint")  # type: ignore[attr-defined]
    return endpoint is not None and endpoint.handler.__module__ == f"signalpost.{room}.routes"


def _below_tests(path: Path) -> str:
    return path.relative_to(Path(__file__).parent).as_posix()


def pytest_configure(config: pytest.Config) -> None:
    """Start one PostgreSQL for the whole run, in the controlling process, and migrate the template."""
    # A background job of a shell and `nohup` ignore these, which the programs that tests start would inherit.
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)
    canaries.watch()
    config.pluginmanager.register(canaries.Watch())
    across.set(True)  # tests look at all rows; the requests that they make begin anew, as any
    if hasattr(config, "workerinput") or os.environ.get(_ADDRESS):
        return
    running = contextlib.ExitStack()
    config.add_cleanup(running.close)
    cluster = start_postgres(running.enter_context(run_folder()), settings=FAST)
    running.callback(cluster.stop)
    os.environ[_ADDRESS] = cluster.dsn()
    asyncio.run(migrate(cluster.dsn()))
    asyncio.run(add_word_checks(cluster.dsn()))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: "Producer") -> "Distribution | None":
    from tests.helpers.distribution import Distribution

    return Distribution(config, log) if config.getoption("dist") == "loadgroup" else None


@contextlib.asynccontextmanager
async def _copy() -> AsyncIterator[str]:
    """The address of a new copy of the template database, which is dropped at the end."""
    template, name = os.environ[_ADDRESS], f"copy_{secrets.token_hex(6)}"

    async def administrate(statement: str) -> None:
        admin = await asyncpg.connect(template, database="postgres")
        try:
            await admin.execute(statement)
        finally:
            await admin.close()

    await administrate(f"create database {name} template signalpost strategy file_copy")
    yield template.replace("/signalpost?", f"/{name}?")
    while True:
        try:
            await administrate(f"drop database if exists {name} with (force)")
        except (asyncpg.InsufficientPrivilegeError, asyncpg.ObjectInUseError):
            # The server's own maintenance is in it for a moment, or somebody's session takes long to end.
            await asyncio.sleep(0.05)
        else:
            break


@pytest.fixture(scope="session")
async def dsn() -> AsyncIterator[str]:
    async with _copy() as address:
        yield address
        if found := await canaries.search_database(address):
            pytest.fail("Secrets in the open:\n" + "\n".join(found))


@pytest.fixture
async def fresh_dsn() -> AsyncIterator[str]:
    async with _copy() as address:
        yield address


@pytest.fixture
async def unused_dsn() -> AsyncIterator[str]:
    """Of a second installation."""
    async with _copy() as address:
        yield address


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords() -> Iterator[None]:
    """Thousands of tests make a user whose password nobody guesses; hashing them was a fifth of the time of a run."""
    passwords._ARGON2 = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    passwords._dummy_hash.cache_clear()
    yield
    passwords._ARGON2 = _REAL_ARGON2


@pytest.fixture
def real_passwords(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Hash them as the service does."""
    monkeypatch.setattr(passwords, "_ARGON2", _REAL_ARGON2)
    passwords._dummy_hash.cache_clear()
    yield
    passwords._dummy_hash.cache_clear()


@pytest.fixture(scope="session")
def data_dir() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="signalpost-data-"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def settings(data_dir: Path) -> Settings:
    return settings_module.load(
        {
            "SIGNALPOST_DATA_DIR": str(data_dir),
            "SIGNALPOST_BASE_URL": "http://signalpost.test",
            "SIGNALPOST_QUEUE_SECRET": "queue-secret-of-the-tests",
            "SIGNALPOST_ALLOWED_PRIVATE_HOSTS": "127.0.0.1,localhost",
            "SIGNALPOST_ALLOW_PRIVATE_WEBHOOKS": "true",
            "SIGNALPOST_REGISTRATION": "open",
            "SIGNALPOST_TRUSTED_PROXIES": "1",
            "SIGNALPOST_WHATSAPP_PHONE_NUMBER_ID": "106540352242922",
            "SIGNALPOST_WHATSAPP_PHONE_NUMBER": "+49 30 12345670",
            "SIGNALPOST_WHATSAPP_ACCESS_TOKEN": "whatsapp-token-of-the-tests",
            "SIGNALPOST_WHATSAPP_APP_SECRET": "whatsapp-secret-of-the-tests",
            "SIGNALPOST_WHATSAPP_VERIFY_TOKEN": "verify-token-of-the-tests",
            "SIGNALPOST_WHATSAPP_BASE_URL": "http://127.0.0.1:9",
        }
    )


@pytest.fixture(scope="session")
async def context(settings: Settings, dsn: str) -> AsyncIterator[AppContext]:
    from signalpost.main.app import open_context
    from signalpost.posts.change import removals

    async with open_context(settings, dsn) as opened:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(removals, "ANSWER_SECONDS", 0.0)  # no engine runs beside most tests
            yield opened
        assert opened.engine is not None
        await opened.engine.stop(0)  # a test that processed the queue has registered it


@pytest.fixture(scope="session")
async def database(dsn: str) -> AsyncIterator[Database]:
    opened = await Database.open(dsn, connections_max=20)
    yield opened
    await opened.close()


@pytest.fixture(scope="session")
async def api(context: AppContext) -> AsyncIterator[Api]:
    from signalpost.main import app

    async with Api(app.create(context)) as opened:
        yield opened


@pytest.fixture(scope="session")
async def pds() -> "AsyncIterator[ReferencePds]":
    """Bluesky's own server; the tests that use it are of the group `bluesky-server`."""
    from tests.counterparts import reference_pds

    async with reference_pds() as server:
        yield server


@pytest.fixture(scope="session")
async def wordpress() -> "AsyncIterator[WordPressSite]":
    """A real WordPress; the tests that use it are of the group `wordpress-site`."""
    from tests.counterparts import wordpress_site

    async with wordpress_site() as site:
        yield site


@pytest.fixture(scope="session")
async def browser() -> "AsyncIterator[Browser]":
    from playwright.async_api import async_playwright
    from tests.counterparts import tools

    async with async_playwright() as playwright:
        # Nothing here draws on a graphics card, which would only be imitated; a site keeps its process, and what it has
        # compiled, from one page to the next.
        options = ["--no-sandbox", "--disable-gpu", "--process-per-site"]
        started = await playwright.chromium.launch(executable_path=tools.browser(), args=options)
        yield started
        await started.close()


@pytest.fixture(scope="session")
async def sold(context: AppContext) -> AsyncIterator[AppContext]:
    """The context of an installation that sells plans, with its engine, on the same database."""
    from signalpost.main import wiring

    settings = dataclasses.replace(context.settings, billing_enabled=True)
    opened = dataclasses.replace(context, settings=settings, states={})
    opened.engine = wiring.engine(opened)
    yield opened
    await opened.engine.stop(0)


@pytest.fixture(scope="session")
async def shop(sold: AppContext) -> AsyncIterator[Api]:
    """A client of an installation that sells plans."""
    from signalpost.main import app

    async with Api(app.create(sold)) as opened:
        yield opened


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[Steps]:
    """The steps of requests and items with more than 20 ms of processor time; no garbage is collected meanwhile."""
    gc.disable()
    found = Steps()
    monkeypatch.setattr(loop_watch, "perf_counter", time.thread_time)
    monkeypatch.setattr(loop_watch, "held", found.add)
    yield found
    gc.enable()


@pytest.fixture
def make(context: AppContext, api: Api) -> Make:
    return Make(context, api)
