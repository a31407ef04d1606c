"""Signalpost for Python. Names are imported when they are used, so that the import costs next to nothing."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from signalpost_client import errors, models, webhooks
    from signalpost_client._async_client import AsyncSignalpost
    from signalpost_client._client import Signalpost
    from signalpost_client._pages import AsyncPages, Pages
    from signalpost_client.errors import (
        ConfigurationError,
        InvalidDelivery,
        NotPublished,
        Problem,
        SignalpostError,
        UnexpectedResponse,
        Unreachable,
        UploadFailed,
        UploadInterrupted,
        WaitTimeout,
    )

__version__ = "1.0.0rc1"
__all__ = [
    "AsyncPages",
    "AsyncSignalpost",
    "ConfigurationError",
    "InvalidDelivery",
    "NotPublished",
    "Pages",
    "Problem",
    "Signalpost",
    "SignalpostError",
    "UnexpectedResponse",
    "Unreachable",
    "UploadFailed",
    "UploadInterrupted",
    "WaitTimeout",
    "errors",
    "models",
    "webhooks",
]
_MODULES = {
    "Signalpost": "_client",
    "AsyncSignalpost": "_async_client",
    "Pages": "_pages",
    "AsyncPages": "_pages",
}


def __getattr__(name: str) -> Any:
    if name in ("errors", "models", "webhooks"):
        return import_module(f"signalpost_client.{name}")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"signalpost_client.{_MODULES.get(name, 'errors')}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
