"""A connector: its facts and its functions."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from signalpost.networks.contract.facts import Facts
from signalpost.networks.contract.outcomes import Health, Identity, Outcome, PreflightIssue, Reconciled
from signalpost.networks.contract.outgoing import (
    ApiError,
    Http,
    Journal,
    NetworkSession,
    Outgoing,
)


@dataclass(frozen=True, kw_only=True)
class OAuth:
    """The authorization flow of a network that has one."""

    register: Callable[..., Awaitable[Mapping[str, str]]] | None = None
    """(http, base_url, trusted, redirect_uri, app_name) -> the app, kept per server."""
    authorize_url: Callable[..., str]
    """(base_url, app, redirect_uri, state, code_challenge) -> where to send the person."""
    exchange: Callable[..., Awaitable[Identity]]
    """(http, base_url, trusted, app, redirect_uri, code, code_verifier) -> Identity."""
    own_server: bool = False  # the caller names the server (`instanceUrl`)


@dataclass(frozen=True, kw_only=True)
class Connector:
    """A network. Absent function = absent capability."""

    facts: Facts
    publish: Callable[[NetworkSession, Outgoing, Journal], Awaitable[Outcome]]
    explain: Callable[[ApiError], Outcome]
    connect: Callable[[Http, str | None, bool, Mapping[str, str]], Awaitable[Identity]] | None = None
    """(http, operator's base_url or None, trusted, fields) -> Identity.

    Raises BadCredentials, InvalidField, ApiError, kit.http.HttpFailure.
    """
    oauth: OAuth | None = None
    reconcile: Callable[[NetworkSession, Outgoing, Journal], Awaitable[Reconciled]] | None = None
    poll: Callable[[NetworkSession, Outgoing, Journal, Mapping[str, Any]], Awaitable[Outcome]] | None = None
    check: Callable[[NetworkSession], Awaitable[Health]] | None = None
    refresh: Callable[[NetworkSession], Awaitable[None]] | None = None
    """Renew the tokens through `session.save_tokens`; raises ApiError when the grant is dead."""
    revoke: Callable[[NetworkSession], Awaitable[None]] | None = None
    delete: Callable[[NetworkSession, str, Sequence[str]], Awaitable[None]] | None = None
    """(session, remote_id, thread_ids): remove it from the network; a missing one counts as removed."""
    preflight: Callable[[Outgoing, Mapping[str, Any]], Sequence[PreflightIssue]] | None = None
    """(post, account facts): rules that the general facts cannot say."""
