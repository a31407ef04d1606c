"""Containers, as Instagram and Threads have them: a post is prepared under an id, and published by it once at most.

The id is what makes publishing safe: whether a call whose response was lost has published the container can be read,
and publishing it a second time is impossible.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from msgspec import Struct

from signalpost.kit import clock
from signalpost.kit.http import HttpFailure
from signalpost.networks.contract import ApiError, Outcome, OutcomeUnknown, Pending, TryLater
from signalpost.networks.meta.errors import NEW_CONTAINER, explain_container, explainer, read_error
from signalpost.networks.meta.graph import TOO_MANY, Graph, objects_of
from signalpost.networks.responses import string, texts
from signalpost.networks.threads import PublicPart, ThreadPart, is_restored

CONTAINER_SECONDS_MAX: Final = 82_800
"""Containers expire after 24 hours."""
SKEW_SECONDS: Final = 60
_MISSING: Final = 33
_MISSES_MAX: Final = 2
"""How often a container may not be there to be published before another one is made."""


class Container(Struct, frozen=True):
    """A container as the network sees it. `state`: IN_PROGRESS, FINISHED, PUBLISHED, ERROR or EXPIRED."""

    id: str
    state: str
    message: str = ""


class ContainerApi(Struct, frozen=True, kw_only=True):
    """The calls of a network that has containers, for one account."""

    name: str
    graph: Graph
    user_id: str
    create_edge: str  # media, threads
    publish_edge: str  # media_publish, threads_publish
    state_field: str  # status_code, status
    message_field: str  # status, error_message

    async def create(self, form: Mapping[str, Any]) -> str:
        """Create a container and return its id."""
        (container_id,) = texts(await self.graph.post(f"{self.user_id}/{self.create_edge}", form), "id")
        return container_id

    async def read(self, container_id: str) -> Container | None:
        """Return a container; None if it is gone."""
        try:
            body = await self.graph.get(container_id, fields=f"{self.state_field},{self.message_field}")
        except ApiError as error:
            meta = read_error(error.response)
            if meta is not None and meta.subcode == _MISSING:
                return None
            raise
        message = string(body.get(self.message_field)) or ""
        return Container(container_id, string(body.get(self.state_field)) or "IN_PROGRESS", message)

    async def publish(self, container_id: str) -> str:
        """Make a container public and return the id of the post."""
        form = {"creation_id": container_id}
        response = await self.graph.post(f"{self.user_id}/{self.publish_edge}", form, publishes=True)
        (remote_id,) = texts(response, "id")
        return remote_id

    async def permalink(self, remote_id: str) -> str | None:
        """Return the address of a post; None if the network does not say it now, since the post is public anyway."""
        try:
            return string((await self.graph.get(remote_id, fields="permalink")).get("permalink"))
        except (ApiError, HttpFailure):
            return None


Locate = Callable[[datetime], Awaitable[PublicPart | OutcomeUnknown | None]]
"""Finds the post among those that the account has published since that time."""
LISTED: Final = 25
"""How many posts of the account are looked through."""


async def ready(
    part: ThreadPart, api: ContainerApi, step: str, create: Callable[[], Awaitable[str]]
) -> Container | Outcome:
    """Return a container that can be published, or was; create it, if the journal has none under `step`.

    Pending while the network prepares it.
    """
    container = await _held(part, api, step)
    if container is None or container.state == "EXPIRED":
        container_id = await create()
        await part.journal.record(step, {"id": container_id, "at": clock.wire(part.session.now())})
        container = await api.read(container_id) or Container(container_id, "IN_PROGRESS")
    if container.state == "ERROR":
        outcome, again = explain_container(api.name, container.message)
        if again:
            await part.journal.record(step, {})
        return outcome
    if container.state == "IN_PROGRESS":
        return Pending(state={"step": step})
    return container


async def _held(part: ThreadPart, api: ContainerApi, step: str) -> Container | None:
    held = part.journal.steps.get(step)
    if not held or "id" not in held:
        return None
    if part.session.now() - datetime.fromisoformat(held["at"]) > timedelta(seconds=CONTAINER_SECONDS_MAX):
        return None
    return await api.read(held["id"])


async def publish_container(
    part: ThreadPart, api: ContainerApi, container: Container, locate: Locate
) -> PublicPart | Outcome:
    """Publish a container, and find out what became of it if the network answers with an error."""
    intended = part.intended if (part.intended or {}).get("container") == container.id else None
    intended = intended or {"container": container.id, "at": _since(part, container)}
    await part.intend(intended)
    if container.state == "PUBLISHED":
        return await _located(intended, locate)
    try:
        remote_id = await api.publish(container.id)
    except ApiError as error:
        return await _after_error(part, api, intended, error, locate)
    return {"id": remote_id, "url": await api.permalink(remote_id)}


def _since(part: ThreadPart, container: Container) -> str:
    """Return from when on the post can be public: of a container that is so already, from when it was created."""
    held = [step for step in part.journal.steps.values() if isinstance(step, Mapping)]
    created = next((step["at"] for step in held if step.get("id") == container.id and "at" in step), None)
    return created if created and container.state == "PUBLISHED" else clock.wire(part.session.now())


async def _after_error(
    part: ThreadPart, api: ContainerApi, intended: Mapping[str, Any], error: ApiError, locate: Locate
) -> PublicPart | Outcome:
    """Read whether the container is public after all.

    Raises:
        ApiError: it is not, and the error says what to do.
    """
    outcome = explainer(api.name)(error)
    try:
        container = await api.read(intended["container"])
    except (ApiError, HttpFailure):
        raise error from None
    if container is not None and container.state == "PUBLISHED":
        return await _located(intended, locate)
    meta = read_error(error.response)
    if meta is not None and meta.subcode in NEW_CONTAINER:
        await _miss(part, intended["container"])
    if isinstance(outcome, OutcomeUnknown) and container is not None:
        return TryLater(message=outcome.message, http_status=outcome.http_status, response=outcome.response)
    raise error


async def _miss(part: ThreadPart, container_id: str) -> None:
    """Note that a container could not be published; after some times it is forgotten, and another one is made."""
    for step, held in list(part.journal.steps.items()):
        if isinstance(held, Mapping) and held.get("id") == container_id:
            misses = held.get("misses", 0) + 1
            await part.journal.record(step, {**held, "misses": misses} if misses <= _MISSES_MAX else {})


async def find_published(
    api: ContainerApi, intended: Mapping[str, Any], locate: Locate
) -> PublicPart | OutcomeUnknown | None:
    """Find the post of a container whose publishing was intended; None if the container is not public."""
    if is_restored(intended):
        return await locate(datetime.fromisoformat(intended["at"]) - timedelta(seconds=SKEW_SECONDS))
    container = await api.read(intended["container"])
    if container is not None and container.state != "PUBLISHED":
        return None
    return await _located(intended, locate)


def find_listed(
    listed: Mapping[str, Any], since: datetime, is_same: Callable[[Mapping[str, Any]], bool]
) -> PublicPart | OutcomeUnknown | None:
    """Find the post in a list, newest first. None: it is not there, and the list reaches back to `since`."""
    items, at = objects_of(listed), since
    for item in items:
        at = datetime.fromisoformat(string(item.get("timestamp")) or "1970-01-01T00:00:00+00:00")
        if at >= since and (media_id := string(item.get("id"))) and is_same(item):
            return {"id": media_id, "url": string(item.get("permalink"))}
    if len(items) < LISTED or at < since:
        return None
    return OutcomeUnknown(message=TOO_MANY)


async def _located(intended: Mapping[str, Any], locate: Locate) -> PublicPart | OutcomeUnknown:
    since = datetime.fromisoformat(intended["at"]) - timedelta(seconds=SKEW_SECONDS)
    message = "The network has published the post, but does not show it yet."
    return await locate(since) or OutcomeUnknown(message=message, tells_after_seconds=30.0)
