"""A connector: the facts of a network and its functions."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from signalpost.networks.contract.comments import Comments, OutgoingReply
from signalpost.networks.contract.errors import ApiError
from signalpost.networks.contract.facts import Facts
from signalpost.networks.contract.journal import Journal
from signalpost.networks.contract.oauth import OAuth
from signalpost.networks.contract.outcomes import (
    Choice,
    Destination,
    Health,
    Identity,
    Metrics,
    Outcome,
    PreflightIssue,
    Reconciled,
)
from signalpost.networks.contract.outgoing import Outgoing
from signalpost.networks.contract.people import Person
from signalpost.networks.contract.push import CommentPush
from signalpost.networks.contract.server import NetworkSession, Server


@dataclass(frozen=True, kw_only=True)
class Connector:
    """A network. A capability exists when its function does.

    No function sleeps, retries, cuts text, logs or reads settings. Every function but `explain` and `preflight` calls
    the network, with no transaction open, and may raise ApiError and kit.http.HttpFailure.
    """

    facts: Facts
    contract: str = ""
    """The version of the contract that it was written for, such as "1.0". Packages have to name it."""

    publish: Callable[[NetworkSession, Outgoing, Journal], Awaitable[Outcome]]
    """Make the post public, or go on where an earlier attempt stopped; may be called in any state of the journal."""
    explain: Callable[[ApiError], Outcome]
    """Turn an error response into an outcome; never raises, whatever the body is."""
    reconcile: Callable[[NetworkSession, Outgoing, Journal], Awaitable[Reconciled]] | None = None
    """Find out whether what the journal intended is public. Creates nothing."""
    poll: Callable[[NetworkSession, Outgoing, Journal, Mapping[str, Any]], Awaitable[Outcome]] | None = None
    """Continue a post that was `Pending`; the last argument is its `state`."""
    delete: Callable[[NetworkSession, str, Sequence[str]], Awaitable[None]] | None = None
    """Remove a post by its remote_id, and the rest of its thread by their ids; what is missing counts as removed."""
    preflight: Callable[[Outgoing, Mapping[str, Any]], Sequence[PreflightIssue]] | None = None
    """Check the rules that the facts cannot express; the mapping is the account's `Identity.facts`."""
    metrics: Callable[[NetworkSession, Sequence[str]], Awaitable[Mapping[str, Metrics | None]]] | None = None
    """Read the numbers of the account's posts by their remote ids, at most `Facts.metrics_per_call` of them.

    None: the network no longer has the post. An id that is left out: it did not say this time, so ask later. An
    ApiError is about the call as a whole and means what `explain` makes of it.
    """

    comments: (
        Callable[[NetworkSession, Sequence[str], datetime | None], Awaitable[Mapping[str, Comments | None]]] | None
    ) = None
    """Read what people wrote under the account's posts, by the posts' remote ids, at most `Facts.comments_per_call`.

    None: the network no longer has the post. A post that is left out: ask later. The last argument is when they were
    read last, where a network lists only what is newer; None: never.
    """
    reply: Callable[[NetworkSession, OutgoingReply, Journal], Awaitable[Outcome]] | None = None
    """Answer a comment, or go on where an earlier attempt stopped; may be called in any state of the journal.

    Published has the remote id of the answer. As with `publish`, an intent is looked for before anything is sent again.
    """
    hide_comment: Callable[[NetworkSession, str, Mapping[str, Any], bool], Awaitable[None]] | None = None
    """Hide a comment under the account's post, or show it again: its remote id, its `reference`, whether to hide it."""
    like_comment: Callable[[NetworkSession, str, Mapping[str, Any], bool], Awaitable[None]] | None = None
    """Like a comment as the account, or take that back; repeating it does no harm."""
    delete_comment: Callable[[NetworkSession, str, Mapping[str, Any]], Awaitable[None]] | None = None
    """Remove what someone else wrote under the account's post; what is missing counts as removed.

    What the account itself wrote is removed by `delete` if `Facts.replies_are_posts`, else by this as well.
    """

    push: CommentPush | None = None
    """None: comments are found by looking alone."""

    connect: Callable[[Server, Mapping[str, str]], Awaitable[Identity]] | None = None
    """Sign in with the values of `Facts.credential_fields`. The server is the operator's (`trusted`) or the network's.

    Raises:
        BadCredentials: they open no account.
        InvalidField: one of them cannot be used.
        IdentityUnknown: whose account it is cannot be looked up right now.
    """
    oauth: OAuth | None = None
    destinations: Callable[[NetworkSession], Awaitable[Sequence[Destination]]] | None = None
    """List what a grant can post to: pages, boards, organizations, channels; at most 500. None: the account itself.

    The session is that of the identity that `OAuth.exchange` returned. If the person can post as themselves, they are
    among the destinations, with the `remote_id` of the grant. Nothing to post to: an empty list.
    """
    choices: Callable[[NetworkSession, Sequence[str], str | None], Awaitable[Mapping[str, Sequence[Choice]]]] | None = (
        None
    )
    """List what the account can choose now for the `live` options that are named; at most 500 of each.

    They are all that depend on no other; or a single one, and the last argument is the value of what it depends on.
    """
    people: Callable[[NetworkSession, str], Awaitable[Sequence[Person]]] | None = None
    """Find people whom the account's posts can mention, by the first letters of a name or handle; one call.

    At most `contract.people.PEOPLE_MAX`, the likeliest first. None: the network has no such search, or takes no
    mentions.
    """
    check: Callable[[NetworkSession], Awaitable[Health]] | None = None
    """Ask the network whether the account can still post. An ApiError means what `explain` makes of it."""
    refresh: Callable[[NetworkSession], Awaitable[None]] | None = None
    """Renew the tokens and store them by `session.save_tokens`; raises ApiError when the grant is dead.

    For destinations it is called with the session of their grant: they share its tokens.
    """
    revoke: Callable[[NetworkSession], Awaitable[None]] | None = None
    """Revoke the credentials at the network; raises ApiError when they still work afterwards."""
