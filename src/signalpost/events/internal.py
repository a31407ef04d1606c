"""Events that only rooms of this service hear; webhooks never receive them."""

from uuid import UUID

from msgspec import Struct

from signalpost.events.event import Actor, Event


class PostSettled(Event, frozen=True, kw_only=True):
    """The last target of a post ended; `status` is published, partial or failed, `source` where the post came from."""

    post_id: UUID
    profile_id: UUID
    status: str
    source: str


class Removal(Struct, frozen=True, kw_only=True):
    """A published target to remove from its network, with everything needed once the post itself is deleted."""

    target_id: UUID
    account_id: UUID
    platform: str
    remote_id: str
    thread_ids: tuple[str, ...]


class RemovalRequested(Event, frozen=True, kw_only=True):
    """A user asked to remove a post from the networks. `publishing` does so after this transaction."""

    post_id: UUID
    actor: Actor
    removals: list[Removal]


class AccountReady(Event, frozen=True, kw_only=True):
    """An account can publish again: connected, resumed or healthy. `posts` wakes the targets that wait for it."""

    account_id: UUID
    platform: str


class PlanChanged(Event, frozen=True, kw_only=True):
    """Another plan is in force for the workspace, or what it has may fit its plan now. Each room looks at its own."""

    plan: str
