"""Whether people are still here. Rows of users stay for what refers to them, also when an account is deleted."""

from typing import Final
from uuid import UUID

from signalpost.kit import problems
from signalpost.kit.db import Db

_IS_HERE: Final = "select true from app_user where id = $1 and deleted_at is null for key share"


async def require_person(db: Db, user_id: UUID) -> None:
    """Ensure that a user has not deleted their account, and does not until the transaction ends.

    Raises:
        Unauthenticated: they have.
    """
    if not await db.fetchval(_IS_HERE, user_id):
        raise problems.Unauthenticated("This user has deleted their account.")
