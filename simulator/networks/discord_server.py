"""The servers, channels, webhooks and bots of Discord, and what a bot may do where; `discord.py` has its messages."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from simulator.messages import Fail, Request, Response
from simulator.network import Limit, Network, Route, route
from simulator.oauth import Grant
from simulator.world import App, Person, Quota, World

EPOCH = datetime(2015, 1, 1, tzinfo=UTC)
TEXT, ANNOUNCEMENT, THREAD, FORUM, MEDIA = 0, 5, 11, 15, 16
ADMINISTRATOR, MANAGE_MESSAGES = 1 << 3, 1 << 13
VIEW, SEND, ATTACH, HISTORY, SEND_IN_THREADS = 1 << 10, 1 << 11, 1 << 15, 1 << 16, 1 << 38
EVERYTHING = VIEW | SEND | ATTACH | HISTORY | SEND_IN_THREADS | 1 << 14
MANY = (Limit(50, 1),)
API = "/api/v10"
IN_WEBHOOK = f"{API}/webhooks/{{webhook}}/{{token}}"
IN_CHANNEL = f"{API}/channels/{{channel}}"


@dataclass
class Guild:
    id: str
    name: str
    premium_tier: int = 0
    roles: dict[str, int] = field(default_factory=dict)
    """Permissions of each role; that of everyone has the id of the guild."""
    members: dict[str, list[str]] = field(default_factory=dict)
    """The roles of each bot that was added."""


@dataclass
class Channel:
    id: str
    guild_id: str
    name: str
    type: int = TEXT
    parent_id: str | None = None
    owner_id: str | None = None
    tags: tuple[str, ...] = ()
    overwrites: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Webhook:
    id: str
    token: str
    channel_id: str
    name: str
    deleted: bool = False


class DiscordServer(Network):
    """Everything but messages."""

    key = "discord"

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.guilds: dict[str, Guild] = {}
        self.channels: dict[str, Channel] = {}
        self.webhooks: dict[str, Webhook] = {}
        self.bots: dict[str, Person] = {}
        self._app = App("discord", "discord", "")

    # --- seeds -------------------------------------------------------------------------------------------------------

    def add_guild(self, name: str = "Corner Bakery", *, premium_tier: int = 0) -> Guild:
        """Found a server, where everyone may write."""
        made = Guild(self.new_id(), name, premium_tier)
        made.roles[made.id] = EVERYTHING
        self.guilds[made.id] = made
        return made

    def add_channel(self, guild: Guild, name: str = "news", **values: Any) -> Channel:
        made = Channel(self.new_id(), guild.id, name, **values)
        self.channels[made.id] = made
        return made

    def add_webhook(self, channel: Channel, name: str = "Baker") -> Webhook:
        made = Webhook(self.new_id(), self.world.secret("webhook")[-68:], channel.id, name)
        self.webhooks[made.id] = made
        return made

    def add_bot(self, guild: Guild, person: Person, token: str | None = None) -> str:
        """Add a bot to a server, and return its token."""
        token = token or self.world.secret("bot")
        self.bots[token] = person
        guild.members[person.id] = []
        return token

    def open_channel(self, bot: Person) -> tuple[str, str]:
        """Make a channel with a webhook and a bot; return how each is connected."""
        channel = self.add_channel(self.add_guild())
        webhook, token = self.add_webhook(channel), self.add_bot(self.guilds[channel.guild_id], bot)
        address = f"{self.url}/api/webhooks/{webhook.id}/{webhook.token}"
        return f"webhook {address}", f"bot {token} in channel {channel.id}"

    # --- the words of Discord ----------------------------------------------------------------------------------------

    def new_id(self) -> str:
        milliseconds = int((self.world.clock() - EPOCH).total_seconds() * 1000)
        return str(milliseconds << 22 | self.world.next_number() & 0x3FFFFF)

    def failure(self, status: int, message: str) -> Response:
        if status == 429:
            body = {"message": "You are being rate limited.", "retry_after": 1.0, "global": False}
            return Response(429, body, headers={"Retry-After": "1", "Via": "1.1 simulator"})
        codes = {400: 50035, 401: 40001, 403: 50013, 404: 0, 413: 40005}
        return Response(status, {"message": message, "code": codes.get(status, 0)})

    def unauthorized(self) -> Response:
        return self.failure(401, "401: Unauthorized")

    def coded(self, status: int, code: int, message: str, **rest: Any) -> Fail:
        """Return what to raise to end a call with one of Discord's codes."""
        return Fail(Response(status, {"message": message, "code": code, **rest}))

    def rate_headers(self, quota: Quota) -> dict[str, str]:
        left = max((quota.reset - self.world.clock()).total_seconds(), 0.001)
        headers = {
            "X-RateLimit-Limit": str(quota.limit), "X-RateLimit-Remaining": str(quota.remaining),
            "X-RateLimit-Reset": f"{quota.reset.timestamp():.3f}", "X-RateLimit-Reset-After": f"{left:.3f}",
            "X-RateLimit-Bucket": "simulated",
        }  # fmt: skip
        return headers if quota.allowed else {**headers, "Retry-After": str(int(left) + 1), "X-RateLimit-Scope": "user"}

    def handle(self, request: Request, made: Route | None) -> Response:
        response = super().handle(request, made)
        if response.json is not None:
            response.headers["Content-Type"] = "application/json"  # with nothing behind it: clients compare the whole
        if response.status == 429 and "X-RateLimit-Reset-After" in response.headers:
            response.json["retry_after"] = float(response.headers["X-RateLimit-Reset-After"])
        return response

    def authenticate(self, request: Request) -> Grant | None:
        webhook_id = request.args.get("webhook")
        if webhook_id is not None:
            webhook = self._webhook(webhook_id, request.args["token"])
            return self._grant(Person(self.key, webhook.id, webhook.name, webhook.name))
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        bot = self.bots.get(token) if scheme == "Bot" else None
        return None if bot is None else self._grant(bot)

    def _grant(self, person: Person) -> Grant:
        return Grant(self._app, person, frozenset(), self.world.clock())

    def end(self, grant: Grant) -> None:
        if grant.person.id in self.webhooks:
            self.webhooks[grant.person.id].deleted = True
        self.bots = {token: bot for token, bot in self.bots.items() if bot.id != grant.person.id}

    def _webhook(self, webhook_id: str, token: str) -> Webhook:
        webhook = self.webhooks.get(webhook_id)
        if webhook is None or webhook.deleted:
            raise self.coded(404, 10015, "Unknown Webhook")
        if webhook.token != token:
            raise self.coded(401, 50027, "Invalid Webhook Token")
        return webhook

    # --- what may be done where --------------------------------------------------------------------------------------

    def permissions(self, person: Person, channel: Channel) -> int:
        """Return what a bot may do in a channel, by the documented order; in threads as in their channel."""
        place = self.channels[channel.parent_id] if channel.parent_id is not None else channel
        guild = self.guilds[place.guild_id]
        if person.id not in guild.members:
            raise self.coded(403, 50001, "Missing Access")
        held = guild.members[person.id]
        allowed = guild.roles[guild.id]
        for role in held:
            allowed |= guild.roles[role]
        if allowed & ADMINISTRATOR:
            return -1
        for owners in ([guild.id], held, [person.id]):
            found = [one for one in place.overwrites if one["id"] in owners]
            for one in found:
                allowed &= ~int(one["deny"])
            for one in found:
                allowed |= int(one["allow"])
        return allowed

    def _place(self, request: Request, needed: int = 0) -> Channel:
        """Return the channel of a request of a bot that may see it, and do there what is needed."""
        channel = self.channels.get(request.args["channel"])
        if channel is None:
            raise self.coded(404, 10003, "Unknown Channel")
        allowed = self.permissions(request.person, channel)
        if not allowed & VIEW:
            raise self.coded(403, 50001, "Missing Access")
        if needed & ~allowed:
            raise self.coded(403, 50013, "Missing Permissions")
        return channel

    # --- accounts ----------------------------------------------------------------------------------------------------

    @route(f"GET {IN_WEBHOOK}", limits=MANY)
    def webhook(self, request: Request) -> Response:
        found = self.webhooks[request.args["webhook"]]
        guild_id = self.channels[found.channel_id].guild_id
        return Response(200, {
            "id": found.id, "type": 1, "name": found.name, "avatar": None, "channel_id": found.channel_id,
            "guild_id": guild_id, "application_id": None, "token": found.token,
            "url": f"https://discord.com/api/webhooks/{found.id}/{found.token}",
        })  # fmt: skip

    @route(f"GET {API}/users/@me", limits=MANY)
    def me(self, request: Request) -> Response:
        return Response(200, self._user(request.person))

    @route(f"GET {API}/oauth2/applications/@me", limits=MANY)
    def application(self, request: Request) -> Response:
        bot = request.person
        return Response(200, {
            "id": bot.id, "name": bot.name, "description": "", "icon": None, "bot_public": True, "verify_key": "",
            "bot_require_code_grant": False, "summary": "", "team": None, "flags": 0,
            "owner": self._user(bot, bot=False),
        })  # fmt: skip

    def _user(self, person: Person, *, bot: bool = True) -> dict[str, Any]:
        return {
            "id": person.id, "username": person.username, "discriminator": "0", "global_name": None, "avatar": None,
            "bot": bot, "flags": 0, "public_flags": 0,
        }  # fmt: skip

    @route(f"GET {IN_CHANNEL}", limits=MANY)
    def channel(self, request: Request) -> Response:
        return Response(200, self._channel(self._place(request)))

    def _channel(self, channel: Channel) -> dict[str, Any]:
        values = {
            "id": channel.id, "type": channel.type, "guild_id": channel.guild_id, "name": channel.name, "position": 0,
            "parent_id": channel.parent_id, "permission_overwrites": channel.overwrites, "nsfw": False,
            "owner_id": channel.owner_id,
        }  # fmt: skip
        if channel.type in (FORUM, MEDIA):
            no_emoji = {"emoji_id": None, "emoji_name": None, "moderated": False}
            values["available_tags"] = [{"id": tag, "name": tag, **no_emoji} for tag in channel.tags]
        if channel.type == THREAD:
            until = self.world.clock().isoformat()
            values["thread_metadata"] = {"archived": False, "auto_archive_duration": 1440, "archive_timestamp": until,
                                         "locked": False}  # fmt: skip
            values |= {"message_count": 0, "member_count": 1, "rate_limit_per_user": 0}
        return values

    @route(f"GET {API}/guilds/{{guild}}", limits=MANY)
    def guild(self, request: Request) -> Response:
        guild = self._guild(request)
        roles = [{"id": role, "name": role, "permissions": str(held)} for role, held in guild.roles.items()]
        values = {"id": guild.id, "name": guild.name, "owner_id": "1", "premium_tier": guild.premium_tier}
        return Response(200, {**values, "roles": roles, "features": [], "emojis": [], "stickers": []})

    def _guild(self, request: Request) -> Guild:
        guild = self.guilds.get(request.args["guild"])
        if guild is None or request.person.id not in guild.members:
            raise self.coded(404, 10004, "Unknown Guild")
        return guild

    @route(f"GET {API}/guilds/{{guild}}/members/{{user}}", limits=MANY)
    def member(self, request: Request) -> Response:
        guild, user = self._guild(request), request.args["user"]
        if user not in guild.members:
            raise self.coded(404, 10007, "Unknown Member")
        return Response(200, {"user": self._user(request.person), "roles": guild.members[user], "flags": 0})

    @route(f"GET {API}/guilds/{{guild}}/threads/active", limits=MANY)
    def threads(self, request: Request) -> Response:
        guild = self._guild(request)
        found = [one for one in self.channels.values() if one.type == THREAD and one.guild_id == guild.id]
        return Response(200, {"threads": [self._channel(one) for one in reversed(found)], "members": []})
