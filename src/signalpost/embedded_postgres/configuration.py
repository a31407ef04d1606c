"""How the embedded server is configured: its settings, and who may connect to it."""

from collections.abc import Mapping
from pathlib import Path

from signalpost.embedded_postgres.account import ServerAccount

_CONF_HEADER = "# Rewritten at every start. Put your own settings into local.conf."
LOCAL_CONF_HEADER = "# Your own settings; they override postgresql.conf."

# Sized for a small machine: service and database together idle below 250 MB. Nothing here trades durability.
SETTINGS: Mapping[str, str] = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "32MB",
    "work_mem": "4MB",
    "maintenance_work_mem": "32MB",
    "effective_cache_size": "256MB",
    "huge_pages": "off",
    "jit": "off",
    "io_method": "sync",  # no I/O worker processes
    "max_worker_processes": "2",
    "max_parallel_workers_per_gather": "0",
    "max_logical_replication_workers": "0",
    "autovacuum_worker_slots": "2",
    "autovacuum_max_workers": "2",
    "autovacuum_naptime": "10s",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "512MB",
    "wal_compression": "pglz",  # of whole pages, as the first change after a checkpoint writes them: a fifth is left
    "checkpoint_timeout": "15min",
    "fsync": "on",
    "synchronous_commit": "on",
    "random_page_cost": "1.1",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    "log_line_prefix": "%m [%p] ",
}

# The role that owns the database may create others (tests do), but is not a superuser: no statement of the service can
# read files or run programs of the server's account. The other two are those of `kit.scopes`.
FIRST_STATEMENTS = """\
create role signalpost login createdb
create database signalpost owner signalpost
create role signalpost_service nologin
create role signalpost_engine nologin
grant signalpost_service, signalpost_engine to signalpost
"""


def write(cluster: Path, account: ServerAccount, settings: Mapping[str, str], socket_dir: Path) -> None:
    """Write `postgresql.conf`, and let only this user and root connect, over the socket."""
    values = {**SETTINGS, **settings, "unix_socket_directories": str(socket_dir)}
    lines = [f"{name} = '{_quoted(value)}'" for name, value in values.items()]
    account.write(cluster / "postgresql.conf", [_CONF_HEADER, *lines, "include_if_exists = 'local.conf'"])
    account.write(cluster / "pg_hba.conf", ["local all all peer map=service"])
    # Other programs may run as `nobody` too, so it may connect only if the service itself runs as `nobody`.
    excluded = {"nobody"} if account.uid is not None else set()
    users = sorted({"root", account.name} - excluded)
    account.write(
        cluster / "pg_ident.conf", [f'service "{user}" {role}' for user in users for role in ("signalpost", "postgres")]
    )


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace("'", "''")
