"""A signed-in person of the tests: registered over the API, with tokens."""

import secrets
from typing import Any
from uuid import UUID

from tests.helpers.api import Api

from signalpost.context import AppContext
from signalpost.identity.caller_cache import CallerCache

PASSWORD = "correct horse battery"


async def register(api: Api, **fields: Any) -> dict[str, Any]:
    """Return the 201 of a registration, with the e-mail address beside it."""
    body = {"email": f"ada-{secrets.token_hex(6)}@example.test", "password": PASSWORD} | fields
    answer = await api.post("/auth/register", json=body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found | {"email": body["email"]}


async def login(api: Api, email: str, password: str = PASSWORD) -> dict[str, Any]:
    """Return the 200 of a login."""
    answer = await api.post("/auth/login", json={"email": email, "password": password})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def code(api: Api, path: str, token: str, **options: Any) -> str | int:
    """Return the problem code of a GET, or its status when it is none."""
    answer = await api.get(path, key=token, **options)
    return str(answer.json()["code"]) if answer.status_code >= 400 else answer.status_code


async def change_member(context: AppContext, user_id: UUID, change: str) -> None:
    """What `team` will do: change the membership and invalidate the cached callers."""
    async with context.database.transaction() as db:
        await db.execute(f"update member set {change} where user_id = $1", user_id)
        context.state(CallerCache).invalidate(user_id)
