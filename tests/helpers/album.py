"""What a staged network was sent of the files of posts."""

from collections.abc import Sequence
from typing import Any

from tests.helpers.publishing import StagedNetwork

from signalpost.networks.contract import MediaRule

RULE = MediaRule(per_post=2, bytes_max=9_000, mime_types=("image/jpeg",), pixels_max=40_000)
VIDEO_RULE = MediaRule(per_post=1, bytes_max=10**6, mime_types=("video/mp4",))


class Album:
    """What the staged network was sent: the files, and their content as it was read."""

    def __init__(self, stage: StagedNetwork) -> None:
        self._stage = stage
        self.files: list[tuple[Any, bytes]] = []
        stage.publish = self.publish

    async def publish(self, session: Any, outgoing: Any, journal: Any) -> Any:
        self.files = [(media, await media.bytes()) for media in outgoing.media]
        return await self._stage.accept(session, outgoing, journal)

    async def upload(self, content: bytes, name: str = "cat.png") -> str:
        files = {"file": (name, content)}
        answer = await self._stage.make.api.post("/media/upload", files=files, key=self._stage.owner.key)
        return str(answer.json()["id"])

    async def validate(self, **body: Any) -> dict[str, Any]:
        answer = await self._stage.make.api.post("/posts/validate", json=self._body(**body), key=self._stage.owner.key)
        checked: dict[str, Any] = answer.json()
        return checked

    async def create(self, **body: Any) -> Any:
        return await self._stage.make.api.post("/posts", json=self._body(**body), key=self._stage.owner.key)

    def _body(self, *, media: Sequence[str | dict[str, Any]], **fields: Any) -> dict[str, Any]:
        named = [{"mediaId": file, "altText": "A cat"} if isinstance(file, str) else file for file in media]
        return {"profileId": self._stage.owner.profile, "platforms": ["stage"], "text": "x", "media": named} | fields
