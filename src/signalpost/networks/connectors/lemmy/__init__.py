"""Lemmy: text, links and pictures in a community, at any instance with Lemmy 0.19, by a session of the account.

A community is read before each post, so that its refusal comes with a reason and before files are sent. Lemmy knows no
idempotency keys; after a lost answer the account's own posts are looked through, and those that moderators removed
(decision 0419).
"""

from signalpost.networks.connectors.lemmy.account import check, choices, connect, revoke
from signalpost.networks.connectors.lemmy.calls import explain
from signalpost.networks.connectors.lemmy.facts import FACTS, preflight
from signalpost.networks.connectors.lemmy.numbers import metrics
from signalpost.networks.connectors.lemmy.publish import delete, publish, reconcile
from signalpost.networks.contract import Connector

__all__ = ["CONNECTOR", "FACTS"]

CONNECTOR = Connector(
    facts=FACTS,
    connect=connect,
    publish=publish,
    explain=explain,
    reconcile=reconcile,
    choices=choices,
    check=check,
    revoke=revoke,
    delete=delete,
    metrics=metrics,
    preflight=preflight,
)
