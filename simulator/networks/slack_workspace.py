"""The workspace, channels, webhooks and bots of Slack, and its words for what is wrong; `slack.py` has its messages."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.messages import Fail, Request, Response
from simulator.network import Limit, Network, route
from simulator.oauth import Grant
from simulator.world import App, Person, World

TEAM, TEAM_NAME, DOMAIN = "T0BAKERY01", "Corner Bakery", "https://corner-bakery.slack.com/"
SCOPES = frozenset((
    "chat:write", "channels:read", "groups:read", "channels:history", "groups:history", "files:write",
    "files:read", "im:history",
))  # fmt: skip
TIER_3, TIER_4 = (Limit(50, 60),), (Limit(100, 60),)
FLAGS = (
    "mrkdwn", "reply_broadcast", "unfurl_links", "unfurl_media", "link_names", "include_all_metadata", "inclusive",
)  # fmt: skip
STATUSES = {429: "ratelimited", 500: "internal_error", 502: "internal_error", 503: "service_unavailable"}
WORDS = {400: "invalid_arguments", 401: "invalid_auth", 403: "access_denied", 404: "unknown_method"}


@dataclass
class Channel:
    id: str
    name: str
    is_private: bool = False
    is_archived: bool = False
    members: set[str] = field(default_factory=set)
    """Ids of the persons whose bots were added."""
    person: Person | None = None
    """Who writes to the bot there, if these are direct messages."""


@dataclass
class Webhook:
    service: str
    token: str
    channel_id: str
    removed: bool = False


@dataclass
class Bot:
    person: Person
    user_id: str
    scopes: frozenset[str]


class SlackWorkspace(Network):
    """Everything but messages and files."""

    key = "slack"

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.channels: dict[str, Channel] = {}
        self.webhooks: dict[str, Webhook] = {}
        self.bots: dict[str, Bot] = {}
        self._app = App("slack", "slack", "")

    # --- seeds -------------------------------------------------------------------------------------------------------

    def add_channel(self, name: str = "news", **values: Any) -> Channel:
        made = Channel(self.named_id("C"), name, **values)
        self.channels[made.id] = made
        return made

    def add_webhook(self, channel: Channel) -> Webhook:
        made = Webhook(self.named_id("B"), self.world.secret("hook")[-24:], channel.id)
        self.webhooks[made.service] = made
        return made

    def add_bot(
        self, channel: Channel | None, person: Person, token: str | None = None, scopes: Iterable[str] = SCOPES
    ) -> str:
        """Add a bot to a channel, and return its token."""
        token = token or f"xoxb-{self.world.secret('bot')[-40:]}"
        self.bots[token] = Bot(person, self.named_id("U"), frozenset(scopes))
        if channel is not None:
            channel.members.add(person.id)
        return token

    def address_of(self, webhook: Webhook) -> str:
        return f"{self.url}/services/{TEAM}/{webhook.service}/{webhook.token}"

    def open_channel(self, person: Person) -> tuple[str, str]:
        """Make a channel with a webhook and a bot; return how each is connected."""
        channel = self.add_channel()
        token = self.add_bot(channel, person)
        return f"webhook {self.address_of(self.add_webhook(channel))}", f"bot {token} in channel {channel.id}"

    def named_id(self, letter: str) -> str:
        """Return an id as Slack makes them for channels, users and files."""
        return f"{letter}0{self.world.next_number():09d}"

    # --- the words of Slack ------------------------------------------------------------------------------------------

    def new_id(self) -> str:
        """Return a timestamp, which is how Slack names messages."""
        return f"{int(self.world.clock().timestamp())}.{self.world.next_number():06d}"

    def failure(self, status: int, message: str) -> Response:  # noqa: ARG002 - Slack says one word
        if status in STATUSES:
            headers = {"Retry-After": "1"} if status == 429 else {}
            return Response(status, {"ok": False, "error": STATUSES[status]}, headers=headers)
        return Response(200, {"ok": False, "error": WORDS.get(status, "invalid_arguments")})

    def unauthorized(self) -> Response:
        return self.failure(401, "")

    def missing_scopes(self, missing: Iterable[str]) -> Response:
        return Response(200, {"ok": False, "error": "missing_scope", "needed": ",".join(missing), "provided": ""})

    def word(self, error: str) -> Fail:
        """Return what to raise to end a call with one of Slack's words."""
        return Fail(Response(200, {"ok": False, "error": error}))

    def authenticate(self, request: Request) -> Grant | None:
        bot = self.bots.get(self.bearer(request))
        return None if bot is None else Grant(self._app, bot.person, bot.scopes, self.world.clock())

    def grant_of(self, webhook: Webhook) -> Grant:
        """Return in whose name a webhook posts: its own."""
        person = Person(self.key, webhook.service, webhook.service, webhook.service)
        return Grant(self._app, person, frozenset(), self.world.clock())

    def end(self, grant: Grant) -> None:
        self.bots = {token: bot for token, bot in self.bots.items() if bot.person.id != grant.person.id}

    def bot(self, request: Request) -> Bot:
        return self.bots[self.bearer(request)]

    def arguments(self, request: Request, *allowed: str) -> dict[str, Any]:
        """Return the arguments of a call, from its query, a form or JSON; in a form, objects are JSON as text.

        Slack ignores what it does not know; here that is an error, so that a misspelled one is noticed.
        """
        given: Mapping[str, Any] = {**request.query, **request.fields}
        self.only(given, "token", *allowed)
        values = dict(given)
        for name in ("files", "metadata", "blocks"):
            if isinstance(values.get(name), str):
                values[name] = json.loads(values[name])
        return values | {name: str(values[name]).lower() in {"true", "1"} for name in FLAGS if name in values}

    # --- channels ----------------------------------------------------------------------------------------------------

    def channel(self, request: Request, channel_id: Any, *, scope: str = "") -> Channel:
        """Return a channel that the bot can see, and check the scope that its kind asks for."""
        found, bot = self.channels.get(str(channel_id)), self.bot(request)
        if found is None or (found.is_private and bot.person.id not in found.members):
            raise self.word("channel_not_found")
        kind = "im" if found.person else "groups" if found.is_private else "channels"
        needed = f"{kind}:{scope}"
        if scope and needed not in bot.scopes:
            raise Fail(self.missing_scopes([needed]))
        return found

    def place(self, request: Request, channel_id: Any) -> Channel:
        """Return a channel in which the bot may post."""
        found, bot = self.channel(request, channel_id), self.bot(request)
        if found.is_archived:
            raise self.word("is_archived")
        if bot.person.id not in found.members and "chat:write.public" not in bot.scopes:
            raise self.word("not_in_channel")
        if self.struck("restricted"):
            raise self.word("restricted_action_read_only_channel")
        return found

    @route("POST /api/auth.test", limits=TIER_4)
    def auth_test(self, request: Request) -> Response:
        bot = self.bot(request)
        body = {
            "ok": True, "url": DOMAIN, "team": TEAM_NAME, "user": bot.person.username, "team_id": TEAM,
            "user_id": bot.user_id, "bot_id": f"B{bot.user_id[1:]}", "is_enterprise_install": False,
        }  # fmt: skip
        return Response(200, body, headers={"X-OAuth-Scopes": ",".join(sorted(bot.scopes))})

    @route("GET /api/conversations.info", limits=TIER_3)
    @route("POST /api/conversations.info", limits=TIER_3)
    def info(self, request: Request) -> Response:
        given = self.arguments(request, "channel", "include_num_members", "include_locale")
        found = self.channel(request, given.get("channel"), scope="read")
        return Response(200, {"ok": True, "channel": {
            "id": found.id, "name": found.name, "is_channel": not found.is_private, "is_group": found.is_private,
            "is_private": found.is_private, "is_archived": found.is_archived, "num_members": len(found.members),
            "is_member": request.person.id in found.members,
        }})  # fmt: skip
