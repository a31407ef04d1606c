"""What was already done for a target, stored step by step."""

from collections.abc import Mapping
from typing import Any, Protocol


class Journal(Protocol):
    """The steps of a target, stored in the database, so that a later attempt continues where the last one stopped."""

    @property
    def steps(self) -> Mapping[str, Any]:
        """The last value of each step, by its name, over all attempts at the target.

        Open intents are among them; only the value of `done` has the remote `id`.
        """

    async def record(self, step: str, value: Any) -> None:
        """Store the result of a step that made nothing public: an uploaded file, a container id. Values are JSON."""

    async def intend(self, step: str, value: Any) -> None:
        """Commit the intent to make something public, just before the one call that does it.

        `value` is JSON and holds what `reconcile` needs to find it: a record key, the text, the time.

        Raises:
            LeaseLost: another worker owns this target now; connectors do not catch it.
        """

    async def done(self, step: str, value: Any) -> None:
        """Store that the intended step is public, and close its intent; `value` is a mapping with its remote `id`."""
