"""Mastodon: registration of apps, statuses under idempotency keys, media that is converted, and one server's limits.

Source: docs.joinmastodon.org for 4.6. `person.details` may have `suspended`; the fault `forgets_keys` makes the server
ignore the idempotency key of one status, as some compatible servers always do.
"""

import hashlib
import html
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from simulator import text as texts
from simulator.ledger import Entry
from simulator.messages import Fail, File, Request, Response
from simulator.network import Limit, Network, route
from simulator.oauth import Grant, OAuthRules
from simulator.world import Quota, World

ALL = Limit(300, 300)
FEW = Limit(30, 1_800)
KEY_SECONDS = 3_600
PROCESSING_SECONDS = 8
CHARACTERS_MAX, FILES_MAX, ALT_TEXT_MAX = 500, 4, 1_500
IMAGE_BYTES_MAX, VIDEO_BYTES_MAX = 16_777_216, 103_809_024
IMAGES = ("image/jpeg", "image/png", "image/gif", "image/heic", "image/heif", "image/webp", "image/avif")
VIDEOS = ("video/webm", "video/mp4", "video/quicktime", "video/ogg")
AUDIO = ("audio/mpeg", "audio/mp4", "audio/ogg", "audio/wav", "audio/flac", "audio/aac", "audio/webm")
READ, WRITE = ("read:statuses",), ("write:statuses",)


@dataclass
class Attachment:
    id: str
    owner_id: str
    mime_type: str
    content: bytes
    description: str | None
    ready_at: datetime
    failed: bool = False
    used: bool = False

    @property
    def family(self) -> str:
        return self.mime_type.partition("/")[0]


class Mastodon(Network):
    key = "mastodon"
    ids_from = 115_000_000_000_000_000
    strict = False  # Rails ignores what it does not know
    oauth_rules = OAuthRules(
        authorize="/oauth/authorize",
        token="/oauth/token",  # noqa: S106 - a path
        revoke="/oauth/revoke",
        scopes=frozenset({"read", "write", "profile", "read:accounts", *READ, *WRITE, "write:media"}),
        pkce="optional",
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.attachments: dict[str, Attachment] = {}
        self.keys: dict[tuple[str, str], tuple[datetime, Entry]] = {}

    # --- the words of Mastodon ---------------------------------------------------------------------------------------

    def failure(self, status: int, message: str) -> Response:
        return Response(status, {"error": "Too many requests" if status == 429 else message})

    def unauthorized(self) -> Response:
        return self.failure(401, "The access token is invalid")

    def missing_scopes(self, missing: Iterable[str]) -> Response:  # noqa: ARG002 - it does not say which
        return self.failure(403, "This action is outside the authorized scopes")

    def rate_headers(self, quota: Quota) -> dict[str, str]:
        return {
            "X-RateLimit-Limit": str(quota.limit),
            "X-RateLimit-Remaining": str(quota.remaining),
            "X-RateLimit-Reset": quota.reset.isoformat().replace("+00:00", "Z"),
        }

    def token_answer(self, grant: Grant) -> dict[str, Any]:
        return {**super().token_answer(grant), "token_type": "Bearer", "created_at": int(grant.created_at.timestamp())}

    def invalid(self, message: str) -> Fail:
        return self.refuse(422, f"Validation failed: {message}")

    # --- the server and its apps -------------------------------------------------------------------------------------

    @route("POST /api/v1/apps", auth=False)
    def register(self, request: Request) -> Response:
        form = request.fields
        scopes = frozenset(str(form.get("scopes", "read")).split())
        rules = self.oauth_rules
        if not form.get("client_name") or not form.get("redirect_uris"):
            raise self.invalid("Application name can't be blank, Redirect URI can't be blank")
        if rules is None or not scopes <= rules.scopes:
            raise self.invalid("Scopes doesn't match configured on the server.")
        app = self.world.add_app(self.key, *str(form["redirect_uris"]).split("\n"), scopes=scopes)
        answer = {"id": self.new_id(), "name": form["client_name"], "client_secret_expires_at": 0}
        return Response(200, answer | {"client_id": app.client_id, "client_secret": app.client_secret})

    @route("GET /.well-known/oauth-authorization-server", auth=False)
    def metadata(self, _request: Request) -> Response:
        return Response(200, {"issuer": f"{self.url}/", "code_challenge_methods_supported": ["S256"]})

    @route("GET /api/v2/instance", auth=False)
    def instance(self, _request: Request) -> Response:
        statuses = {"max_characters": CHARACTERS_MAX, "max_media_attachments": FILES_MAX}
        media = {
            "supported_mime_types": [*IMAGES, *VIDEOS, *AUDIO],
            "description_limit": ALT_TEXT_MAX,
            "image_size_limit": IMAGE_BYTES_MAX,
            "image_matrix_limit": 33_177_600,
            "video_size_limit": VIDEO_BYTES_MAX,
            "video_matrix_limit": 8_294_400,
        }
        polls = {"max_options": 4, "max_characters_per_option": 50, "min_expiration": 300, "max_expiration": 2_629_746}
        configuration = {
            "statuses": {**statuses, "characters_reserved_per_url": 23},
            "media_attachments": media,
            "polls": polls,
        }
        return Response(200, {"domain": "social.example", "version": "4.6.0", "configuration": configuration})

    @route("GET /api/v1/accounts/verify_credentials", scopes=("read:accounts",), limits=(ALL,))
    def verify(self, request: Request) -> Response:
        person = request.person
        answer = {
            "id": person.id,
            "username": person.username,
            "acct": person.username,
            "display_name": person.name,
            "url": f"{self.url}/@{person.username}",
            "avatar": f"{self.url}/avatars/{person.id}.png",
            "followers_count": person.details.get("followers", 3),
        }
        return Response(200, answer | ({"suspended": True} if person.details.get("suspended") else {}))

    @route("GET /api/v1/accounts/search", scopes=("read:accounts",), limits=(ALL,))
    def search(self, request: Request) -> Response:
        """By the beginning of a word of a name; who is of this server has no domain."""
        text = request.query.get("q", "").strip().removeprefix("@").casefold()
        limit = min(int(request.query.get("limit", "40")), 80)
        people = [person for person in self.world.people if person.network == self.key and text]
        matches = [
            person
            for person in people
            if any(word.startswith(text) for word in (person.username.casefold(), *person.name.casefold().split()))
        ]
        answer = [
            {"id": person.id, "username": person.username, "acct": person.username, "display_name": person.name}
            for person in matches
        ]
        return Response(200, answer[:limit])

    # --- media -------------------------------------------------------------------------------------------------------

    @route("POST /api/v2/media", scopes=("write:media",), limits=(FEW,))
    def upload(self, request: Request) -> Response:
        file, description = request.form.get("file"), request.form.get("description")
        if not isinstance(file, File):
            raise self.invalid("File can't be blank")
        if file.content_type not in (*IMAGES, *VIDEOS, *AUDIO):
            raise self.invalid("File content type is invalid, File is invalid")
        is_image = file.content_type in IMAGES
        if len(file.content) > (IMAGE_BYTES_MAX if is_image else VIDEO_BYTES_MAX):
            raise self.refuse(413, "Request entity too large")
        if len(description or "") > ALT_TEXT_MAX:
            raise self.invalid("Description is too long")
        slow = not is_image or file.content_type == "image/gif"
        ready_at = self.world.clock() + timedelta(seconds=PROCESSING_SECONDS if slow else 0)
        made = Attachment(self.new_id(), request.person.id, file.content_type, file.content, description, ready_at)
        made.failed = slow and self.struck("processing_fails")
        self.attachments[made.id] = made
        return Response(202 if slow else 200, self._attachment(made))

    def _attachment(self, made: Attachment) -> dict[str, Any]:
        ready = made.ready_at <= self.world.clock()
        url = f"{self.url}/media/{made.id}" if ready else None
        return {"id": made.id, "type": made.family, "url": url, "description": made.description}

    @route("GET /api/v1/media/{id}", scopes=("write:media",), limits=(ALL,))
    def media(self, request: Request) -> Response:
        made = self.attachments.get(request.args["id"])
        if made is None or made.owner_id != request.person.id or made.used:
            raise self.refuse(404, "Record not found")
        if made.ready_at > self.world.clock():
            return Response(206, self._attachment(made))
        if made.failed:
            raise self.refuse(422, "Error processing media")
        return Response(200, self._attachment(made))

    # --- statuses ----------------------------------------------------------------------------------------------------

    @route("POST /api/v1/statuses", scopes=WRITE, limits=(ALL, Limit(300, 10_800)))
    def create(self, request: Request) -> Response:
        key = (request.person.id, request.headers.get("idempotency-key", ""))
        known = self.keys.get(key)
        fresh = known is not None and self.world.clock() - known[0] < timedelta(seconds=KEY_SECONDS)
        if key[1] and known is not None and fresh and not self.struck("forgets_keys"):
            return Response(200, self._status(known[1]))
        body = request.fields
        text, warning = str(body.get("status") or ""), str(body.get("spoiler_text") or "")
        files = self._files(request, body.get("media_ids") or [])
        if not text.strip() and not files and not body.get("poll"):
            raise self.invalid("Text can't be blank")
        if texts.of_fediverse(text) + texts.graphemes(warning) > CHARACTERS_MAX:
            raise self.invalid(f"Text character limit of {CHARACTERS_MAX} exceeded")
        if body.get("visibility", "public") not in {"public", "unlisted", "private", "direct"}:
            raise self.invalid("Visibility is not included in the list")
        self._check_poll(body.get("poll"), has_files=bool(files))
        parent_id = body.get("in_reply_to_id")
        if parent_id is not None and self.world.ledger.find(self.key, str(parent_id)) is None:
            raise self.refuse(404, "Record not found")
        for made in files:
            made.used = True
        entry = self.publish(
            request,
            "post",
            text,
            parent_id=parent_id,
            media=tuple(hashlib.sha256(made.content).hexdigest() for made in files),
            details={
                "alt_texts": [made.description for made in files],
                "visibility": body.get("visibility", "public"),
                "spoiler_text": warning,
                "poll": body.get("poll"),
                "username": request.person.username,
            },
        )
        self.keys[key] = (self.world.clock(), entry)
        return Response(200, self._status(entry))

    def _files(self, request: Request, ids: list[Any]) -> list[Attachment]:
        if len(ids) > FILES_MAX:
            raise self.invalid("Cannot attach more than 4 files")
        files = [self.attachments.get(str(media_id)) for media_id in ids]
        usable = [made for made in files if made and made.owner_id == request.person.id and not made.used]
        if len(usable) < len(ids):
            raise self.invalid(f"Media {', '.join(map(str, ids))} not found or already attached to another post")
        if len(usable) > 1 and any(made.family != "image" for made in usable):
            raise self.invalid("Cannot attach a video to a post that already contains images")
        if any(made.ready_at > self.world.clock() or made.failed for made in usable):
            raise self.refuse(422, "Cannot attach files that have not finished processing. Try again in a moment!")
        return usable

    def _check_poll(self, poll: Any, *, has_files: bool) -> None:
        if poll is None:
            return
        options, seconds = poll.get("options", []), poll.get("expires_in", 0)
        if has_files:
            raise self.invalid("Cannot attach a poll to a post with media")
        if not 2 <= len(options) <= 4 or any(not 0 < texts.graphemes(option) <= 50 for option in options):
            raise self.invalid("Options are wrong")
        if not 300 <= int(seconds) <= 2_629_746:
            raise self.invalid("Expiration is wrong")

    def _status(self, entry: Entry) -> dict[str, Any]:
        replies = self.world.ledger.replies(self.key, entry.remote_id)
        address = f"{self.url}/@{entry.details['username']}/{entry.remote_id}"
        return {
            "id": entry.remote_id,
            "created_at": entry.at.isoformat().replace("+00:00", "Z"),
            "content": _as_html(entry.text),
            "spoiler_text": entry.details["spoiler_text"],
            "visibility": entry.details["visibility"],
            "in_reply_to_id": entry.parent_id,
            "media_attachments": [{"type": "image", "description": alt} for alt in entry.details["alt_texts"]],
            "url": address.replace("http://", "https://"),
            "uri": address.replace("http://", "https://"),
            "replies_count": len(replies),
            "favourites_count": self.count_of(entry, "likes", 3),
            "reblogs_count": self.count_of(entry, "shares", 1),
        }

    def _found(self, request: Request) -> Entry:
        entry = self.world.ledger.find(self.key, request.args["id"])
        if entry is None:
            raise self.refuse(404, "Record not found")
        return entry

    @route("GET /api/v1/statuses/{id}", scopes=READ, limits=(ALL,))
    def status(self, request: Request) -> Response:
        return Response(200, self._status(self._found(request)))

    @route("DELETE /api/v1/statuses/{id}", scopes=WRITE, limits=(FEW,))
    def remove(self, request: Request) -> Response:
        entry = self._found(request)
        if entry.account_id != request.person.id:
            raise self.refuse(404, "Record not found")
        entry.deleted_at = self.world.clock()
        return Response(200, self._status(entry))

    @route("GET /api/v1/accounts/{id}/statuses", scopes=READ, limits=(ALL,))
    def statuses(self, request: Request) -> Response:
        query: Mapping[str, str] = request.query
        limit = min(int(query.get("limit", "20")), 40)
        entries = [
            one for one in self.listed(request.args["id"]) if int(one.remote_id) < int(query.get("max_id", 1 << 63))
        ]
        return Response(200, [self._status(entry) for entry in entries[:limit]])


def _as_html(text: str) -> str:
    """Return a text as Mastodon shows it: paragraphs, line ends, links."""
    escaped = html.escape(text, quote=False)
    linked = re.sub(r"https?://[^\s<]+", lambda found: f'<a href="{found[0]}" rel="nofollow">{found[0]}</a>', escaped)
    paragraphs = [part.replace("\n", "<br />") for part in re.split(r"\n\n+", linked.strip())]
    return "".join(f"<p>{part}</p>" for part in paragraphs if part)


NETWORK: type[Network] = Mastodon
