"""The only reader of the environment. A field is `SIGNALPOST_<NAME>`; its docstring is its entry in the reference."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import ClassVar, Final, Literal
from urllib.parse import urlsplit

from signalpost.kit import cells, settings_loader
from signalpost.kit.addresses import AllowList
from signalpost.kit.crypto import KeyRing

PREFIX = "SIGNALPOST_"
NETWORK_SETTINGS: Final = (
    "CLIENT_ID", "CLIENT_SECRET", "SCOPES", "BASE_URL", "DIRECTORY_URL", "VERIFY_TOKEN", "WEBHOOK_SECRET",
)  # fmt: skip
OF_PUSHING: Final = frozenset({"VERIFY_TOKEN", "WEBHOOK_SECRET"})
"""Those that only networks have that push comments."""
BRAND_KEY = "sp"
"""Prefix of API keys (`sp_live_…`): one constant, so that a fork changes it in one place."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of an instance."""

    OPEN_NAMES: ClassVar[tuple[str, ...]] = (
        rf"SIGNALPOST_[A-Z0-9_]+_({'|'.join(NETWORK_SETTINGS)})",
        r"SIGNALPOST_(TEST|BENCH)_[A-Z_]+",
        r"SIGNALPOST_API_(KEY|URL)",  # of commands that call an instance: not settings of one
    )

    OPTIONS: ClassVar[Mapping[str, str]] = {
        "SIGNALPOST_HOST": "; use `serve --host`",
        "SIGNALPOST_PORT": "; use `serve --port`",
    }

    data_dir: Path = Path("data")
    """Folder of the embedded database, uploaded media, the master key and the `.env` file."""
    database_url: str | None = None
    """PostgreSQL database to use (`postgresql://…`), version 15 or newer. Unset: an embedded one in the data folder."""
    database_pooler_url: str | None = None
    """Address of a PgBouncer in transaction mode before the same database, version 1.21 or newer with
    `max_prepared_statements`: `serve` answers requests through it. Unset: SIGNALPOST_DATABASE_URL is used for all."""
    database_connections_max: int = 12
    """Connections of one process to the database for requests. The engine has up to seven of its own; a process that
    only works has four in all."""
    base_url: str | None = None
    """Address at which users reach the service. Unset: the http://host:port of `serve`."""
    master_key: str | None = None
    """Key that encrypts tokens and secrets: base64 of 32 bytes, or `id:base64,id:base64` with the current one first.
    Unset: generated at the first start into `master.key` in the data folder, mode 600."""
    cell: str = "0"
    """Name of this installation among several behind one router: one to eight of `a-z` and `0-9`. It stands in every
    credential and link that is made from then on; what was made before stays valid."""
    queue_secret: str | None = None
    """Secret that `POST /queue/process` requires in `X-Queue-Secret`. Unset: the endpoint refuses every call."""
    metrics_token: str | None = None
    """Bearer token with which `GET /metrics` can be read from anywhere. Unset: only from the same machine."""
    brand: str = "Service"
    """The middle part of the webhook headers `X-<Brand>-Event` and `X-<Brand>-Signature`."""
    billing_enabled: bool = False
    """Whether the limits of plans apply. Off: every workspace has the plan self_hosted, which has no limits."""
    stripe_secret_key: str | None = None
    """Secret or restricted key of the Stripe account that takes payments. Unset: plans are set by the operator only."""
    stripe_webhook_secret: str | None = None
    """Signing secret (`whsec_…`) of the webhook endpoint in Stripe that calls `POST /billing/webhook`. Unset: the
    endpoint refuses every call."""
    stripe_base_url: str = "https://api.stripe.com"
    """Address of Stripe's API. It may be private, such as that of a simulator."""
    billing_trial_days: int = 0
    """Length of the free trial with which the first subscription of a workspace begins, in days; 0 for none."""
    free_workspaces_per_owner: int = 3
    """Where plans are sold: how many workspaces with the plan `free` one user may own. Paid ones are not counted."""
    billing_tax: bool = False
    """Whether Stripe Tax computes taxes at checkout. It has to be set up in Stripe first."""
    registration: Literal["invite", "open", "closed"] = "invite"
    """Who may register. `invite`: only with the first-run link or a team invite; `open`: everyone; `closed`: no one."""
    oidc_issuer: str | None = None
    """OpenID provider that people may sign in with beside passwords, such as `https://login.example.com`. Unset: none.
    It may be private."""
    oidc_client_id: str | None = None
    """Name under which this service is registered there. Needed with SIGNALPOST_OIDC_ISSUER."""
    oidc_client_secret: str | None = None
    """Secret from that registration. Unset: the provider knows a public client, which proves itself by PKCE only."""
    oidc_label: str = "single sign-on"
    """What the button to sign in there says after "Sign in with"."""
    oidc_allowed_domains: tuple[str, ...] = ()
    """Domains of e-mail addresses, separated by commas, whose people may sign in there. None named: all."""
    oidc_new_users: Literal["invited", "allowed"] = "invited"
    """Who may become a user by signing in there. `invited`: who has an open team invitation; `allowed`: everyone of
    SIGNALPOST_OIDC_ALLOWED_DOMAINS, with a workspace of their own."""
    oidc_second_factor: bool = False
    """Whether the provider asks for a second factor itself. Then who signs in there enters no other code here."""
    allow_private_webhooks: bool = False
    """Whether webhooks may use http and private addresses. For development only."""
    allowed_private_hosts: tuple[str, ...] = ()
    """Private hosts, `host:port` pairs or CIDR ranges, separated by commas, that addresses from users may point to."""
    storage_url: str | None = None
    """Where media are stored (`file:///…`, `s3://bucket/prefix`, `gs://…`, `az://…`). Unset: in the data folder."""
    media_file_bytes_max: int = 5_000_000_000
    """Size limit for an uploaded file, on every plan."""
    storage_free_bytes_min: int = 500_000_000
    """Uploads are refused with 503 while the local disk has less free space than this."""
    smtp_url: str | None = None
    """Mail server: `smtp://user:password@host:587` (STARTTLS when offered) or `smtps://…`. Unset: no mail is sent."""
    mail_from: str = "Signalpost <no-reply@localhost>"
    """Sender of all mail."""
    caption_model_url: str | None = None
    """Language model that writes captions: the address of an OpenAI-compatible API, such as `https://api.openai.com/v1`
    or `http://127.0.0.1:11434/v1`. It may be private. Unset: captions are made by rules."""
    caption_model: str | None = None
    """Name of the model there. Needed with SIGNALPOST_CAPTION_MODEL_URL."""
    caption_model_key: str | None = None
    """API key for the model, if its server requires one."""
    secret_scanning_keys: str | None = None
    """File with the public keys of GitHub's secret scanning, as https://api.github.com/meta/public_keys/secret_scanning
    returns them. Unset: `POST /api-keys/leaked` refuses every report."""
    whatsapp_phone_number_id: str | None = None
    """Id of the WhatsApp number that people write to, from the app at Meta. All settings of WhatsApp up to
    SIGNALPOST_WHATSAPP_VERIFY_TOKEN are needed together. Unset: there is no messenger at WhatsApp."""
    whatsapp_phone_number: str | None = None
    """That number as people write it, such as `+49 30 1234567`."""
    whatsapp_access_token: str | None = None
    """Token of a system user of the WhatsApp Business account, with which files are read and replies are sent."""
    whatsapp_app_secret: str | None = None
    """Secret of the app at Meta, with which it signs what it sends. Unset: every message is refused."""
    whatsapp_verify_token: str | None = None
    """A word of your choice that Meta sends once, when the webhook is set up. Unset: every set-up is refused."""
    whatsapp_template: str | None = None
    """Name of an approved template with one parameter, for results of posts more than 24 hours after the last message.
    Unset: such results are not sent."""
    whatsapp_template_language: str = "en"
    """Language code of that template."""
    whatsapp_base_url: str = "https://graph.facebook.com"
    """Address of the WhatsApp Business Cloud API."""
    telegram_bot_token: str | None = None
    """Token of the Telegram bot that people write to, as @BotFather gives it. Its messages are asked for, so no public
    address is needed. Unset: there is no messenger at Telegram."""
    slack_bot_token: str | None = None
    """Token of the bot of the Slack app that people write to; it begins with `xoxb-`. Both settings of Slack are needed
    together. Unset: there is no messenger at Slack."""
    slack_app_token: str | None = None
    """App-level token of that app with the scope connections:write; it begins with `xapp-`. What people write comes
    over a connection that is opened with it (Socket Mode), so no public address is needed."""
    networks_extra: tuple[str, ...] = ()
    """Networks from installed packages that this instance offers, by their names, separated by commas. A package runs
    with the rights of the service. `signalpost doctor` says which of them work."""
    extensions_off: tuple[str, ...] = ()
    """Extensions that this instance does without, separated by commas: apps, calendar_links, comments, feeds,
    link_pages, mcp, oidc, report_links, request_log, sandbox_clock, snippets, stream. Their operations do not exist
    (404), their jobs do not run, and what they stored stays."""
    comments_days: int = 90
    """For how many days comments that others wrote under posts are kept after they were collected, where no plan says
    it (without billing), at least 31: they are personal data of people who have no account here."""
    request_log_days: int = 7
    """For how many days API calls are listed by `GET /logs/requests`, at most 7. 0: no call is recorded."""
    delivery_log_days: int = 30
    """For how many days webhook deliveries that have ended are kept, where no plan says it (without billing). 0: for
    ever, so the database grows with every event."""
    backup_age_warning_days: int = 7
    """`doctor` and the console warn when the newest backup is older than so many days. 0: never, such as where the
    database is saved by other means."""
    requests_per_minute: int = 600_000
    """Requests per minute and credential if the plan sets no limit; it protects the process."""
    writes_per_minute: int = 600_000
    """Write requests per minute and credential if the plan sets no limit."""
    connections_max: int = 8_192
    """Connections of clients at the same time. When nearly all are in use, those idle for longest are closed."""
    connections_per_address_max: int = 256
    """How many of them one client address may have (of IPv6, one /64). Not with SIGNALPOST_TRUSTED_PROXIES: then all
    connections come from the proxy, which has to limit its clients."""
    trusted_proxies: int = 0
    """Number of reverse proxies in front: the client address is that many places from the right of X-Forwarded-For."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Lines below this level are not logged."""
    log_format: Literal["auto", "json", "text"] = "auto"
    """`json` lines, `text` for people, or `auto`: text at a terminal, else JSON."""
    networks: Mapping[str, str] = field(default_factory=dict)
    """Not set directly: collected from SIGNALPOST_<NETWORK>_CLIENT_ID and the like, see `NETWORK_SETTINGS`."""

    def network(
        self,
        platform: str,
        name: Literal[
            "client_id", "client_secret", "scopes", "base_url", "directory_url", "verify_token", "webhook_secret"
        ],
    ) -> str | None:
        """Return SIGNALPOST_<PLATFORM>_<NAME>, or None when it is unset."""
        return self.networks.get(f"{platform.upper()}_{name.upper()}")


RESERVED_SLUGS: Final = frozenset(
    match[1]
    for field in fields(Settings)
    if (match := re.fullmatch(rf"(\w+)_({'|'.join(NETWORK_SETTINGS).lower()})", field.name))
)
"""No network can be called so: its settings would be other ones, such as SIGNALPOST_OIDC_CLIENT_ID."""
WHATSAPP_SETTINGS: Final = (
    "whatsapp_phone_number_id", "whatsapp_phone_number", "whatsapp_access_token", "whatsapp_app_secret",
    "whatsapp_verify_token",
)  # fmt: skip
SLACK_SETTINGS: Final = ("slack_bot_token", "slack_app_token")
"""A messenger needs all of these."""
_NETWORK_SETTING: Final = re.compile(PREFIX + f"([A-Z0-9_]+_(?:{'|'.join(NETWORK_SETTINGS)}))")
_PATTERNS: Final = {
    "base_url": (r"https?://[^/\s?#@]+(/[^\s?#]*)?", "must be an address such as https://social.example.com"),
    "database_url": (r"postgres(ql)?://\S*", "must be an address such as postgresql://user:password@host/name"),
    "database_pooler_url": (r"postgres(ql)?://\S*", "must be an address such as postgresql://user:password@host/name"),
    "cell": (cells.NAME, "must be one to eight of a-z and 0-9"),
    "caption_model_url": (r"https?://[^/\s?#@]+(/[^\s?#]*)?", "must be an address such as https://api.openai.com/v1"),
    "caption_model_key": (r"[!-~]+", "must be visible ASCII without spaces"),
    "stripe_secret_key": (r"[!-~]+", "must be visible ASCII without spaces"),
    "stripe_webhook_secret": (r"[!-~]+", "must be visible ASCII without spaces"),
    "stripe_base_url": (r"https?://[^/\s?#@]+(/[^\s?#]*)?", "must be an address such as https://api.stripe.com"),
    "whatsapp_phone_number": (r"\+?[0-9][0-9 ()./-]{5,30}", "must be a phone number such as +49 30 1234567"),
    "whatsapp_phone_number_id": (r"[0-9]{5,30}", "must be the number's id at Meta, which has digits only"),
    "whatsapp_access_token": (r"[!-~]+", "must be visible ASCII without spaces"),
    "whatsapp_app_secret": (r"[!-~]+", "must be visible ASCII without spaces"),
    "whatsapp_verify_token": (r"[!-~]{8,}", "must be at least 8 characters of visible ASCII without spaces"),
    "whatsapp_template": (r"[a-z0-9_]{1,512}", "must be the name of a template: lower-case letters, digits and _"),
    "whatsapp_template_language": (r"[A-Za-z]{2,3}(_[A-Za-z]{2,4})?", "must be a language code such as en or en_US"),
    "whatsapp_base_url": (r"https?://[^/\s?#@]+(/[^\s?#]*)?", "must be an address such as https://graph.facebook.com"),
    "telegram_bot_token": (r"[0-9]{3,20}:[A-Za-z0-9_-]{30,100}", "must be a token of @BotFather such as 123456:ABC…"),
    "slack_bot_token": (r"xoxb-[A-Za-z0-9-]{10,300}", "must be the token of a bot, which begins with xoxb-"),
    "slack_app_token": (r"xapp-[0-9]+-A[A-Z0-9]+-[A-Za-z0-9-]{10,300}", "must be an app-level token (xapp-1-A…)"),
    "smtp_url": (r"smtps?://.+", "must be an address such as smtp://user:password@host:587"),
    "brand": (
        r"(?=.{1,41}$)[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*",
        "must fit into a header name: a letter, then at most 40 letters, digits and single hyphens",
    ),
    "oidc_issuer": (r"https?://[^/\s?#@]+(/[^\s?#]*)?", "must be an address such as https://login.example.com"),
    "oidc_client_id": (r"[ -~]{1,500}", "must be visible ASCII, at most 500 characters"),
    "oidc_client_secret": (r"[ -~]{1,500}", "must be visible ASCII, at most 500 characters"),
    "oidc_label": (r"[^\n]{1,50}", "must be one line of at most 50 characters"),
    "mail_from": (r"[^@]*[^@\s]@[^@\s]+", "must be a sender such as Signalpost <no-reply@example.com>"),
}
_MINIMUMS: Final = {
    "database_connections_max": 2, "media_file_bytes_max": 1, "storage_free_bytes_min": 0, "requests_per_minute": 1,
    "writes_per_minute": 1, "trusted_proxies": 0, "connections_max": 64, "connections_per_address_max": 1,
    "billing_trial_days": 0, "request_log_days": 0, "free_workspaces_per_owner": 1,
    "delivery_log_days": 0, "backup_age_warning_days": 0, "comments_days": 31,
}  # fmt: skip
_MAXIMUMS: Final = {
    "billing_trial_days": 730,  # what Stripe allows
    "free_workspaces_per_owner": 10_000,
    "request_log_days": 7,  # partitions are dropped then
    "delivery_log_days": 36_500,
    "backup_age_warning_days": 3_650,
    "comments_days": 3_650,
}
_PERCENT_ENCODE: Final = (
    "must be postgresql://user:password@host:port/name; percent-encode special characters of the password:"
    " # is %23, @ is %40, / is %2F, : is %3A, ? is %3F, % is %25, [ is %5B, ] is %5D"
)
_HOST_AND_PORT: Final = re.compile(r"(\[[^\[\]]*\]|[^\[\]:@]*)(:\d{1,5})?", re.ASCII)


def _is_unambiguous(url: str) -> bool:
    """Whether an address can be taken apart in one way only, so that no part of a password is read as a host."""
    try:
        parts = urlsplit(url)
    except ValueError:  # brackets
        return False
    _, _, hosts = parts.netloc.rpartition("@")
    at_signs = url.count("@") <= 1 and ("@" not in url or "@" in parts.netloc)
    encoded = not parts.fragment and not re.search(r"%(?![0-9A-Fa-f]{2})", url)
    return at_signs and encoded and all(_HOST_AND_PORT.fullmatch(host) for host in hosts.split(","))


def _out_of_range(settings: Settings) -> Iterator[str]:
    for name, minimum in _MINIMUMS.items():
        if getattr(settings, name) < minimum:
            yield f"{PREFIX}{name.upper()}: must be at least {minimum}"
    for name, maximum in _MAXIMUMS.items():
        if getattr(settings, name) > maximum:
            yield f"{PREFIX}{name.upper()}: must be at most {maximum}"


def _errors(settings: Settings) -> Iterator[str]:
    """Check values that have the right type. No message quotes a value, since some values are secret."""
    for name, (pattern, message) in _PATTERNS.items():
        value = getattr(settings, name)
        if value is not None and not re.fullmatch(pattern, value):
            yield f"{PREFIX}{name.upper()}: {message}"
    yield from _out_of_range(settings)
    yield from _database_errors(settings)
    if (settings.caption_model_url is None) != (settings.caption_model is None):
        yield f"{PREFIX}CAPTION_MODEL_URL and {PREFIX}CAPTION_MODEL: set both, or none"
    for slug in settings.networks_extra:
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", slug):
            yield f"{PREFIX}NETWORKS_EXTRA: must be names of networks: lower-case letters, digits and _, such as ntfy"
    yield from _oidc_errors(settings)
    yield from _messenger_errors(settings)
    try:
        AllowList.parse(settings.allowed_private_hosts)
    except ValueError as error:
        yield f"{PREFIX}ALLOWED_PRIVATE_HOSTS: {error}"
    try:
        if settings.master_key:
            KeyRing.from_master(settings.master_key)
    except ValueError as error:
        yield f"{PREFIX}MASTER_KEY: {error}"


def _database_errors(settings: Settings) -> Iterator[str]:
    for name in ("database_url", "database_pooler_url"):
        if (url := getattr(settings, name)) is not None and not _is_unambiguous(url):
            yield f"{PREFIX}{name.upper()}: {_PERCENT_ENCODE}"
    if settings.database_pooler_url is not None and settings.database_url is None:
        yield f"{PREFIX}DATABASE_POOLER_URL: set {PREFIX}DATABASE_URL too, for what needs the server itself"


_DOMAIN: Final = re.compile(r"(?=.{1,253}$)([a-z0-9_-]{1,63}\.)+[a-z0-9-]{2,63}")


def _oidc_errors(settings: Settings) -> Iterator[str]:
    """Check that sign-in with an OpenID provider is set up whole, and lets nobody in by mistake."""
    if (settings.oidc_issuer is None) != (settings.oidc_client_id is None):
        yield f"{PREFIX}OIDC_ISSUER and {PREFIX}OIDC_CLIENT_ID: set both, or none"
    if settings.oidc_issuer and settings.oidc_issuer.startswith("http://") and not _is_loopback(settings.oidc_issuer):
        yield f"{PREFIX}OIDC_ISSUER: must start with https://, except on this machine"
    if any(not _DOMAIN.fullmatch(domain.lower()) for domain in settings.oidc_allowed_domains):
        yield f"{PREFIX}OIDC_ALLOWED_DOMAINS: must be domains such as example.com, separated by commas"
    if settings.oidc_new_users == "allowed" and not settings.oidc_allowed_domains:
        yield f"{PREFIX}OIDC_NEW_USERS: `allowed` needs {PREFIX}OIDC_ALLOWED_DOMAINS"


def _is_loopback(url: str) -> bool:
    return urlsplit(url).hostname in ("127.0.0.1", "::1", "localhost")


def _messenger_errors(settings: Settings) -> Iterator[str]:
    for needed in (WHATSAPP_SETTINGS, SLACK_SETTINGS):
        missing = [name for name in needed if getattr(settings, name) is None]
        if 0 < len(missing) < len(needed):
            yield f"{PREFIX}{missing[0].upper()}: is missing; a messenger needs all of its settings, or none"


def _verify_token_errors(networks: Mapping[str, str]) -> Iterator[str]:
    pattern, message = _PATTERNS["whatsapp_verify_token"]
    for name, value in networks.items():
        if name.endswith("_VERIFY_TOKEN") and not re.fullmatch(pattern, value):
            yield f"{PREFIX}{name}: {message}"


def data_folder(environment: Mapping[str, str] | None = None, *, data_dir: Path | None = None) -> Path:
    """Return the data folder: the option, else the setting, else `data` in the current folder."""
    named = (os.environ if environment is None else environment).get(PREFIX + "DATA_DIR")
    return (data_dir or Path(named or Settings.data_dir)).expanduser().absolute()


def load(environment: Mapping[str, str] | None = None, *, data_dir: Path | None = None) -> Settings:
    """Read the environment, and from the `.env` file of the data folder what the environment leaves out.

    Raises:
        BadSettings: with every error.
    """
    variables = {name: value for name, value in (os.environ if environment is None else environment).items() if value}
    variables.pop(PREFIX + "NETWORKS", None)
    folder = data_folder(variables, data_dir=data_dir)
    variables = settings_loader.read_env_file(folder / ".env") | variables
    settings = settings_loader.load(Settings, variables, PREFIX)
    networks = {
        match[1]: value
        for name, value in variables.items()
        if (match := _NETWORK_SETTING.fullmatch(name)) and not hasattr(Settings, match[1].lower())
    }
    if errors := [*_errors(settings), *_verify_token_errors(networks)]:
        raise settings_loader.BadSettings(errors)
    return replace(
        settings,
        data_dir=folder,
        base_url=settings.base_url and settings.base_url.rstrip("/"),
        caption_model_url=settings.caption_model_url and settings.caption_model_url.rstrip("/"),
        stripe_base_url=settings.stripe_base_url.rstrip("/"),
        networks=networks,
        whatsapp_base_url=settings.whatsapp_base_url.rstrip("/"),
    )
