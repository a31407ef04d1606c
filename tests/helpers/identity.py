"""Users that are registered over the API, with tokens."""

import math
import secrets
from typing import Any
from uuid import UUID

import pytest
from tests.helpers.api import Api

from signalpost.context import AppContext
from signalpost.identity.caller_cache import CALLERS_MAX, CallerCache
from signalpost.kit.lru import LruDict
from signalpost.web.caller import Caller

PASSWORD = "correct horse battery"


async def register(api: Api, **fields: Any) -> dict[str, Any]:
    """Register a user; return the response with the e-mail address added."""
    data = {"email": f"ada-{secrets.token_hex(6)}@example.test", "password": PASSWORD} | fields
    answer = await api.post("/auth/register", json=data)
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body | {"email": data["email"]}


async def login(api: Api, email: str, password: str = PASSWORD) -> dict[str, Any]:
    """Sign in; return the response."""
    answer = await api.post("/auth/login", json={"email": email, "password": password})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def code(api: Api, path: str, token: str, **options: Any) -> str | int:
    """Return the problem code of a GET, or its status if it succeeded."""
    answer = await api.get(path, key=token, **options)
    return str(answer.json()["code"]) if answer.status_code >= 400 else answer.status_code


async def change_member(context: AppContext, user_id: UUID, change: str) -> None:
    """What `team` will do: change the membership and invalidate the cached callers."""
    async with context.database.transaction() as db:
        await db.execute(f"update member set {change} where user_id = $1", user_id)
        context.state(CallerCache).invalidate(user_id)


def keep_callers(context: AppContext, patch: pytest.MonkeyPatch) -> None:
    """Know whoever calls, or called before, from then on; usually it is for a second: a slow machine needs longer."""
    callers = context.state(CallerCache)
    kept: LruDict[bytes, tuple[float, Caller]] = LruDict(CALLERS_MAX)
    for key, (_, caller) in callers.entries.items():
        kept[key] = math.inf, caller
    patch.setattr(callers, "entries", kept)
    patch.setattr(callers, "seconds", math.inf)
