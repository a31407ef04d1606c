"""What was already done for a target, step by step."""

from collections.abc import Mapping
from typing import Any, Protocol


class Journal(Protocol):
    """What was already done for this target, kept in the database step by step: a resume goes on where it stopped."""

    @property
    def steps(self) -> Mapping[str, Any]:
        """By step name the last value given to `record`, `intend` or `done`.

        It stays over all attempts at the target. So an open intent stands here too; a connector tells it apart by the
        remote `id`, which only `done` gives.
        """

    async def record(self, step: str, value: Any) -> None:
        """Keep the result of a step that made nothing public: an uploaded blob, a container id. Values are JSON."""

    async def intend(self, step: str, value: Any) -> None:
        """Commit the intent to make something public, before the one call that does so.

        `value` holds what `reconcile` needs to find it again (a record key, the text, the time).

        Raises:
            LeaseLost: another worker owns this target now; the connector lets it pass through.
        """

    async def done(self, step: str, value: Any) -> None:
        """Keep that the intended step is public now; `value` is a mapping with its remote `id`. Closes the intent."""
