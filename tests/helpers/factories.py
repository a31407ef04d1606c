"""Rows for tests, made by the product's own actions and routes."""

import secrets
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from tests.helpers.api import Api

from signalpost.api_keys.actions import keys as api_keys
from signalpost.context import AppContext
from signalpost.identity.actions import sign_up, staff
from signalpost.kit import ids
from signalpost.web.caller import SCOPES

MODES: tuple[Literal["live", "test"], ...] = ("live", "test")


@dataclass
class Login:
    """Somebody who may call: a live key, a test key, and where they are at home."""

    key: str
    test_key: str
    user_id: UUID
    workspace_id: UUID
    email: str
    profile: str  # id of the default profile, as on the wire


class Make:
    """Factories. Everything hangs on a workspace of its own."""

    def __init__(self, context: AppContext, api: Api) -> None:
        self.context = context
        self.api = api

    async def owner(self, *, plan: str | None = None) -> Login:
        """A new workspace with its owner and two keys with every scope."""
        email = f"owner-{secrets.token_hex(5)}@example.test"
        async with self.context.database.transaction() as db:
            owner = await sign_up.create_owner(
                self.context,
                db,
                email=email,
                password=secrets.token_urlsafe(12),
                workspace_name="Acme " + email[6:16],
                plan=plan,
            )
        return await self.login(owner.user_id, owner.workspace_id, email)

    async def staff(self) -> Login:
        """Someone who administers this installation, with a workspace of their own; the live key may do so too."""
        owner = await self.owner()
        async with self.context.database.transaction() as db:
            await staff.make_staff(self.context, db, owner.email)
        return await self.login(owner.user_id, owner.workspace_id, owner.email, scopes=SCOPES)

    async def workspace(self, owner: Login) -> Login:
        """Another workspace of the same owner."""
        async with self.context.database.transaction() as db:
            workspace_id, _ = await sign_up.create_workspace(
                self.context, db, user_id=owner.user_id, name="More " + secrets.token_hex(4), plan="self_hosted"
            )
        return await self.login(owner.user_id, workspace_id, owner.email)

    async def login(self, user_id: UUID, workspace_id: UUID, email: str, **options: Any) -> Login:
        """Keys for an existing member."""
        found = {}
        async with self.context.database.transaction() as db:
            for mode in MODES:
                _, found[mode] = await api_keys.create_key_for(
                    db, self.context.keys, user_id=user_id, workspace_id=workspace_id, name=mode,
                    terms=api_keys.KeyTerms(mode=mode, **options),
                )  # fmt: skip
            profile_id = await db.fetchval(
                "select id from profile where workspace_id = $1 and is_default and deleted_at is null", workspace_id
            )
        profile = ids.encode("prof", profile_id) if profile_id else ""
        return Login(found["live"], found["test"], user_id, workspace_id, email, profile)

    async def member(self, owner: Login, *, role: str, profile_ids: list[str] | None = None) -> Login:
        """Another member of the owner's workspace, with keys of that role."""
        user_id, email = ids.new_id(), f"{role}-{secrets.token_hex(5)}@example.test"
        limited = None if profile_ids is None else [ids.decode("prof", text) for text in profile_ids]
        async with self.context.database.transaction() as db:
            await db.execute("insert into app_user (id, email, name) values ($1, $2, $3)", user_id, email, role.title())
            await db.execute(
                "insert into member (id, workspace_id, user_id, email, role, profile_ids, joined_at)"
                " values ($1, $2, $3, $4, $5, $6, now())",
                ids.new_id(), owner.workspace_id, user_id, email, role, limited,
            )  # fmt: skip
        return await self.login(user_id, owner.workspace_id, email)

    async def profile(self, owner: Login, **fields: Any) -> dict[str, Any]:
        """A profile, as the API answers it."""
        return await self._created("/profiles", owner.key, {"name": "Profile " + secrets.token_hex(4)} | fields)

    async def account(
        self, owner: Login, *, platform: str = "sandbox", profile: str | None = None, username: str | None = None
    ) -> dict[str, Any]:
        """A connected account, by default of the sandbox, as the API returns it."""
        name = username or f"{platform}-{secrets.token_hex(4)}"
        body = {"profileId": profile or owner.profile, "fields": {"username": name}}
        return await self._created(f"/platforms/{platform}/connect", owner.key, body)

    async def post(self, owner: Login, *, key: str | None = None, **fields: Any) -> dict[str, Any]:
        """A post, as the API answers it; for the sandbox accounts of the default profile unless said otherwise."""
        body: dict[str, Any] = {"profileId": owner.profile, "text": "Hello " + secrets.token_hex(8)} | fields
        if "platforms" not in body and "targets" not in body:
            body["platforms"] = ["sandbox"]
        return await self._created("/posts", key or owner.key, body)

    async def draft(self, owner: Login, *, key: str | None = None, **fields: Any) -> dict[str, Any]:
        """A draft without targets, as the API answers it."""
        body: dict[str, Any] = {"profileId": owner.profile, "text": "Later", "draft": True} | fields
        return await self._created("/posts", key or owner.key, body)

    async def _created(self, path: str, key: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = await self.api.post(path, json=body, key=key)
        assert answer.status_code == 201, answer.text
        found: dict[str, Any] = answer.json()
        return found
