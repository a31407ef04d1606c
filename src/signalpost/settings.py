"""The only reader of the environment. A field is `SIGNALPOST_<NAME>`; its docstring is its page in the reference."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Final, Literal

from signalpost.kit import settings_loader
from signalpost.kit.addresses import AllowList
from signalpost.kit.crypto import KeyRing

PREFIX = "SIGNALPOST_"
BRAND_KEY = "sp"
"""First part of API keys (`sp_live_…`): one constant, so a fork changes it in one place."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What an operator can set."""

    OPEN_NAMES: ClassVar[tuple[str, ...]] = (
        r"SIGNALPOST_[A-Z0-9_]+_(CLIENT_ID|CLIENT_SECRET|BASE_URL)",
        r"SIGNALPOST_(TEST|BENCH)_[A-Z_]+",
    )

    data_dir: Path = Path("data")
    """Folder of the embedded database, uploaded media, the master key and the `.env` file."""
    database_url: str | None = None
    """PostgreSQL >= 15 to use (`postgresql://…`). Unset: an embedded one under the data folder."""
    database_connections_max: int = 12
    """Connections of one process to the database, for requests and the engine together."""
    base_url: str | None = None
    """Address under which users reach the service, without a slash at the end. Unset: http://host:port of `serve`."""
    master_key: str | None = None
    """Key that seals tokens and secrets: base64 of 32 bytes, or `id:base64,id:base64` with the current one first.
    Unset: made on the first run into `master.key` of the data folder, mode 600."""
    queue_secret: str | None = None
    """Secret that `POST /queue/process` wants in `X-Queue-Secret`. Unset: the endpoint refuses everything."""
    metrics_token: str | None = None
    """Secret with which `GET /metrics` may be read from anywhere, as a bearer token. Unset: only from this machine."""
    brand: str = "Service"
    """Middle of the webhook header names `X-<Brand>-Event` and `X-<Brand>-Signature`."""
    billing_enabled: bool = False
    """Whether plans limit workspaces. Off: every workspace has plan self_hosted, without limits."""
    registration: Literal["invite", "open", "closed"] = "invite"
    """Who may register: `invite` = first-run link and team invites only, `open` = everybody, `closed` = nobody."""
    allow_private_webhooks: bool = False
    """Whether webhooks may use http and private addresses. For development only."""
    allowed_private_hosts: tuple[str, ...] = ()
    """Hosts, host:port or CIDRs, separated by commas, that user-given addresses may reach past the SSRF guard."""
    storage_url: str | None = None
    """Where media are kept (`file:///…`, `s3://bucket/prefix`, `gs://…`, `az://…`). Unset: in the data folder."""
    media_file_bytes_max: int = 5_000_000_000
    """Largest file that may be uploaded, whatever the plan says."""
    storage_free_bytes_min: int = 500_000_000
    """Uploads stop with 503 when the local disk has less room than this."""
    smtp_url: str | None = None
    """Mail server: `smtp://user:password@host:587` (STARTTLS when offered) or `smtps://…`. Unset: no mail is sent."""
    mail_from: str = "Signalpost <no-reply@localhost>"
    """Sender of mail."""
    requests_per_minute: int = 600_000
    """Requests a minute and credential where the plan sets no limit; guards the process, not a price."""
    writes_per_minute: int = 600_000
    """The same for requests that write."""
    trusted_proxies: int = 0
    """How many reverse proxies stand in front: the client address is that far from the right of X-Forwarded-For."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Least level of log lines."""
    log_format: Literal["auto", "json", "text"] = "auto"
    """`json` lines, `text` for people, or `auto`: text at a terminal."""
    networks: Mapping[str, str] = field(default_factory=dict)
    """Not set directly: collected from SIGNALPOST_<NETWORK>_CLIENT_ID, _CLIENT_SECRET and _BASE_URL."""

    def network(self, platform: str, name: Literal["client_id", "client_secret", "base_url"]) -> str | None:
        """Return SIGNALPOST_<PLATFORM>_<NAME>, or None when it is unset."""
        return self.networks.get(f"{platform.upper()}_{name.upper()}")


_FORMS: Final = {
    "base_url": (r"https?://[^\s/?#]+(/[^\s?#]*)?", "an address such as https://social.example.com"),
    "database_url": (r"postgres(ql)?://.*", "an address such as postgresql://user:password@host/name"),
    "smtp_url": (r"smtps?://.+", "an address such as smtp://user:password@host:587"),
    "brand": (r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*", "a part of a header's name: letters, digits and single hyphens"),
    "mail_from": (r"[^@]*[^@\s]@[^@\s]+", "a sender such as Signalpost <no-reply@example.com>"),
}
_LEAST: Final = {
    "database_connections_max": 2, "media_file_bytes_max": 1, "storage_free_bytes_min": 0, "requests_per_minute": 1,
    "writes_per_minute": 1, "trusted_proxies": 0,
}  # fmt: skip


def _faults(settings: Settings) -> Iterator[str]:
    """Say what is wrong with values that have the right type. Values are not quoted: some are secret."""
    for name, (form, wanted) in _FORMS.items():
        value = getattr(settings, name)
        if value is not None and not re.fullmatch(form, value):
            yield f"{PREFIX}{name.upper()}: {wanted}"
    for name, least in _LEAST.items():
        if getattr(settings, name) < least:
            yield f"{PREFIX}{name.upper()}: {least} or more"
    try:
        AllowList.parse(settings.allowed_private_hosts)
    except ValueError as error:
        yield f"{PREFIX}ALLOWED_PRIVATE_HOSTS: {error}"
    try:
        if settings.master_key:
            KeyRing.from_master(settings.master_key)
    except ValueError as error:
        yield f"{PREFIX}MASTER_KEY: {error}"


def load(environment: Mapping[str, str] | None = None, *, data_dir: Path | None = None) -> Settings:
    """Read the environment, then the `.env` file of the data folder for what the environment does not say.

    Raises:
        BadSettings: with every fault.
    """
    given = dict(os.environ if environment is None else environment)
    if data_dir is not None:
        given[PREFIX + "DATA_DIR"] = str(data_dir)
    given.pop(PREFIX + "NETWORKS", None)
    folder = Path(given.get(PREFIX + "DATA_DIR") or "data")
    given = settings_loader.read_env_file(folder / ".env") | {name: value for name, value in given.items() if value}
    settings = settings_loader.load(Settings, given, PREFIX)
    if faults := list(_faults(settings)):
        raise settings_loader.BadSettings(faults)
    pattern = re.compile(PREFIX + r"([A-Z0-9_]+_(?:CLIENT_ID|CLIENT_SECRET|BASE_URL))")
    networks = {found[1]: value for name, value in given.items() if (found := pattern.fullmatch(name))}
    object.__setattr__(settings, "networks", networks)
    object.__setattr__(settings, "data_dir", folder.expanduser().absolute())
    faults = []
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]{0,40}", settings.brand):
        faults.append(f"{PREFIX}BRAND: letters, digits and hyphens, as in a header's name, not {settings.brand!r}")
    if settings.base_url and not re.fullmatch(r"https?://[^/\s?#@]+(/[^\s?#]*)?", settings.base_url):
        faults.append(f"{PREFIX}BASE_URL: an address such as https://social.example.com, not {settings.base_url!r}")
    if faults:
        raise settings_loader.BadSettings(faults)
    if settings.base_url:
        object.__setattr__(settings, "base_url", settings.base_url.rstrip("/"))
    return settings
