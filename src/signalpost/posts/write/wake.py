"""Waking the lanes of targets, for changes that `write` does not wake itself."""

from collections.abc import Iterable
from uuid import UUID

from signalpost.engine.wake import wake
from signalpost.kit.db import Db
from signalpost.posts.rows import TargetRow


async def wake_targets(db: Db, workspace_id: UUID, targets: Iterable[TargetRow]) -> None:
    """Have a worker look at those of the targets that are on the queue, when their time comes.

    Also at those that wait for an approval: if nobody decides in time, a worker ends them.
    """
    ready = [target for target in targets if target.next_attempt_at is not None]
    if ready:
        await wake(
            db,
            "target",
            [target.account_id for target in ready],
            workspace_id=workspace_id,
            platforms=[target.platform for target in ready],
            due=[target.next_attempt_at for target in ready],
        )
