"""Containers, as Instagram and Threads have them: prepared from addresses that the network fetches, published once.

Not certain at the real networks, and so chosen here: an image is ready at once and a video after half a minute;
publishing a container a second time is refused.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, ClassVar

from simulator.ledger import Entry
from simulator.messages import Request, Response
from simulator.networks.downloads import DownloadingNetwork, image_size
from simulator.networks.graph import LONG_LIVED_SECONDS, GraphNetwork, image_type
from simulator.world import World

VIDEO_SECONDS = 30
DAY = 86_400


@dataclass
class Container:
    id: str
    account_id: str
    kind: str
    made_at: datetime
    ready_at: datetime
    text: str = ""
    content: tuple[bytes, ...] = ()
    failure: str = ""
    published: Entry | None = None
    is_item: bool = False
    awaits_upload: bool = False
    details: dict[str, Any] = field(default_factory=dict)


class ContainerNetwork(DownloadingNetwork, GraphNetwork):
    posts_a_day: ClassVar[int]

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.containers: dict[str, Container] = {}

    def renewed(self, request: Request, grant_type: str) -> Response:
        """Exchange a token for one of sixty days, or renew such a one; the grant type ends in what is wanted."""
        query, oauth = request.query, self.oauth
        assert oauth is not None  # noqa: S101 - both networks have it
        grant = oauth.find(query.get("access_token", ""))
        if grant is None or query.get("grant_type") != grant_type:
            raise self.fail(190, "Invalid OAuth access token", 463, 401)
        if grant_type.endswith("_exchange_token") and query.get("client_secret") != grant.app.client_secret:
            raise self.fail(101, "Error validating client secret.")
        age = self.world.clock() - grant.details.get("issued_at", self.world.clock())
        if grant_type.endswith("_refresh_token") and age < timedelta(seconds=DAY):
            raise self.fail(10, "The access token is not yet 24 hours old", status=400)
        oauth.issue(grant)
        grant.details["issued_at"] = self.world.clock()
        grant.access_expires_at = self.world.clock() + timedelta(seconds=LONG_LIVED_SECONDS)
        answer = {"access_token": grant.access_token, "token_type": "bearer", "expires_in": LONG_LIVED_SECONDS}
        return Response(200, answer)

    def fetch(self, url: Any, fault: str = "fetch_fails") -> bytes:
        """Download a file, or refuse the call."""
        content = None if self.struck(fault) else self.download(url)
        if content is None:
            raise self.fail(9004, "The media could not be fetched from this URI", 2207052)
        return content

    def image(self, content: bytes, types: frozenset[str], bytes_max: int, ratios: tuple[float, float]) -> None:
        """Check an image."""
        if image_type(content) not in types:
            raise self.fail(36001, "The image format is not supported", 2207005)
        if len(content) > bytes_max:
            raise self.fail(36000, "The image is too large", 2207004)
        size = image_size(content)
        if size is not None and not ratios[0] <= size[0] / size[1] <= ratios[1]:
            raise self.fail(36003, "The submitted image has an aspect ratio that is not supported", 2207009)

    def video(self, content: bytes, bytes_max: int) -> None:
        """Check a video."""
        if image_type(content) != "video/mp4":
            raise self.fail(352, "The video file is not supported", 2207026)
        if len(content) > bytes_max:
            raise self.fail(36000, "The video is too large", 2207004)

    def add(self, account_id: str, kind: str, **values: Any) -> Container:
        """Keep a new container, which is ready when its files are processed."""
        now = self.world.clock()
        container = Container(self.new_id(), account_id, kind, now, now, **values)
        if any(image_type(content) == "video/mp4" for content in container.content) and not container.details.get(
            "children"
        ):
            container.ready_at += timedelta(seconds=VIDEO_SECONDS)
            if self.struck("processing_fails"):
                container.failure = "Error: Media upload has failed with error code 2207026"
        self.containers[container.id] = container
        return container

    def children(self, ids: Any, account_id: str, most: int) -> list[Container]:
        """Return the containers of a carousel's files, which have to be ready."""
        found = [self.containers.get(one) for one in str(ids or "").split(",")]
        items = [one for one in found if one is not None and one.is_item and one.account_id == account_id]
        if len(items) != len(found) or not 2 <= len(items) <= most:
            raise self.fail(100, f"A carousel needs 2 to {most} children", 2207028)
        if any(self.state(one)[0] != "FINISHED" for one in items):
            raise self.fail(9007, "The media is not ready for publishing, please wait for a moment", 2207027)
        return items

    def state(self, container: Container) -> tuple[str, str]:
        """Return the state of a container and what it says."""
        now = self.world.clock()
        if container.published is not None:
            return "PUBLISHED", "Published: Media has already been published"
        if now - container.made_at > timedelta(seconds=DAY):
            return "EXPIRED", "Expired: The media was not published within 24 hours"
        if container.failure and container.ready_at <= now:
            return "ERROR", container.failure
        if container.awaits_upload or container.ready_at > now:
            return "IN_PROGRESS", "In Progress: Media is still being processed"
        return "FINISHED", "Finished: Media has been uploaded and it is ready to be published"

    def release(self, request: Request, account_id: str, params: Mapping[str, Any]) -> Entry:
        """Publish a container, once."""
        self.only(params, "creation_id")
        container = self.containers.get(str(params.get("creation_id")))
        if container is None or container.account_id != account_id or container.is_item:
            raise self.fail(24, "The media you are trying to publish was not found", 2207006)
        state, message = self.state(container)
        if state == "PUBLISHED":
            raise self.fail(100, message, 2207006)
        if state == "EXPIRED":
            raise self.fail(-2, message, 2207020)
        if state != "FINISHED":
            raise self.fail(9007, "The media is not ready for publishing, please wait for a moment", 2207027)
        if not self.has_quota(account_id, container):
            raise self.fail(9, "The user has too many recent posts", 2207042)
        media = tuple(hashlib.sha256(content).hexdigest() for content in container.content)
        container.published = self.publish(
            request, container.kind, container.text, account_id=account_id, media=media, details=container.details,
            parent_id=container.details.get("reply_to"),
        )  # fmt: skip
        return container.published

    def used(self, account_id: str, *kinds: str) -> int:
        """Return how many posts an account has published in the last 24 hours, deleted ones included."""
        since = self.world.clock() - timedelta(seconds=DAY)
        entries = self.world.ledger.of(self.key, account_id, deleted=True)
        return sum(entry.kind in kinds and entry.at > since for entry in entries)

    def has_quota(self, account_id: str, container: Container) -> bool:
        return (
            self.used(account_id, "post", "reel", "story", "carousel") < self.posts_a_day or container.kind == "reply"
        )
