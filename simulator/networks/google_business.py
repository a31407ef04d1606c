"""Google Business Profile: accounts, their locations, and the posts of a location with Google's review of them.

Source: developers.google.com/my-business, reference v4 (localPosts, ErrorCode, ValidationError) and v1 (accounts,
locations); discovery documents of 2026-10-26. The destinations of a person are their locations: `details["group"]`
puts one into a group of locations, whose account lists it, and `details["unverified"]` is one that Google has not
verified. A person with `details["no_business"]` manages nothing. An app with `details["quota"] = 0` was not approved,
one with `details["disabled"]` has not enabled the API of that host.

Not certain at the real network, and so chosen here: the numbers of errors beyond their hundreds; a review takes twenty
seconds; a telephone number is what begins with + and has seven digits; posts are listed newest first.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from simulator.ledger import Entry
from simulator.messages import Fail, Request, Response
from simulator.network import route
from simulator.networks.downloads import DownloadingNetwork, image_size
from simulator.oauth import OAuthRules
from simulator.world import Destination, Person, World

SCOPE = "https://www.googleapis.com/auth/business.manage"
MANAGE = (SCOPE,)
MANAGEMENT, INFORMATION, POSTS = (
    "mybusinessaccountmanagement.googleapis.com", "mybusinessbusinessinformation.googleapis.com",
    "mybusiness.googleapis.com",
)  # fmt: skip
PARENT = "/v4/accounts/{account}/locations/{location}/localPosts"
REVIEW_SECONDS = 20
SUMMARY_MAX, TITLE_MAX, SIDE_MIN, BYTES = 1_500, 58, 250, range(10_240, 5_000_001)
ACTIONS = {"BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP", "GET_OFFER", "CALL"}
TOPICS = {"STANDARD", "EVENT", "OFFER"}
STATUSES = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
            429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE"}  # fmt: skip
MISSING, INVALID, INVERTED, DEPENDENT, FETCH_FAILED, PHOTO_REFUSED = 2, 3, 8, 10, 1000, 1001
_PHONE = re.compile(r"\+[0-9][0-9 ()/-]{6,}")


@dataclass
class LocalPost:
    entry: Entry
    body: Mapping[str, Any]
    decided_at: datetime
    rejected: bool
    details: dict[str, Any] = field(default_factory=dict)


class GoogleBusiness(DownloadingNetwork):
    key = "google_business"
    ids_from = 4_000_000_000_000_000_000
    oauth_rules = OAuthRules(
        authorize="/o/oauth2/v2/auth",
        token="/token",  # noqa: S106 - a path
        revoke="/revoke",
        scopes=frozenset({SCOPE, "https://www.googleapis.com/auth/plus.business.manage"}),
        pkce="optional",
        access_seconds=3_599,
        refresh_seconds=15_552_000,
        authorize_extras=frozenset({"access_type", "prompt", "include_granted_scopes", "login_hint"}),
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.posts: list[LocalPost] = []

    # --- the words of Google -----------------------------------------------------------------------------------------

    def failure(self, status: int, message: str, *details: Mapping[str, Any]) -> Response:
        error: dict[str, Any] = {"code": status, "message": message, "status": STATUSES.get(status, "UNKNOWN")}
        return Response(status, {"error": error | ({"details": [*details]} if details else {})})

    def unauthorized(self) -> Response:
        message = "Request had invalid authentication credentials. Expected OAuth 2 access token."
        return self.failure(401, message, _info("ACCESS_TOKEN_EXPIRED"))

    def missing_scopes(self, missing: Iterable[str]) -> Response:
        message = f"Request had insufficient authentication scopes: {' '.join(missing)}"
        return self.failure(403, message, _info("ACCESS_TOKEN_SCOPE_INSUFFICIENT"))

    def invalid(self, code: int, where: str, message: str) -> Fail:
        """Return the refusal of a member, as Google refuses those of posts."""
        kind = "type.googleapis.com/google.mybusiness.v4.ValidationError"
        detail = {"@type": kind, "errorDetails": [{"code": code, "field": where, "message": message}]}
        return Fail(self.failure(400, "Request contains an invalid argument.", detail))

    def rate_limited(self) -> Response:
        return self._exceeded(300)

    def _exceeded(self, limit: int) -> Response:
        info = _info(
            "RATE_LIMIT_EXCEEDED", quota_limit="defaultPerMinutePerProject", quota_limit_value=str(limit),
            consumer="projects/1",
        )  # fmt: skip
        retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "31.5s"}
        message = "Quota exceeded for quota metric 'Requests' and limit 'Requests per minute'."
        return self.failure(429, message, info, *([retry] if limit else []))

    def admit(self, request: Request, service: str) -> None:
        """Refuse the calls of a project that may not make them."""
        app = request.grant.app.details
        if app.get("quota") == 0:
            raise Fail(self._exceeded(0))
        if app.get("disabled") == service:
            message = f"The API {service} has not been used in project 1 before or it is disabled."
            raise Fail(self.failure(403, message, _info("SERVICE_DISABLED", service=service, consumer="projects/1")))

    # --- accounts and locations --------------------------------------------------------------------------------------

    @route("GET /v1/accounts", scopes=MANAGE)
    def accounts(self, request: Request) -> Response:
        self.only(request.query, "pageSize", "pageToken", "filter", "parentAccount", "alt")
        self.admit(request, MANAGEMENT)
        person: Person = request.person
        own = {"name": f"accounts/{person.id}", "accountName": person.name, "type": "PERSONAL", "role": "PRIMARY_OWNER"}
        groups = dict.fromkeys(
            str(place.details["group"]) for place in person.destinations if place.details.get("group")
        )
        listed = [
            own,
            *({"name": f"accounts/{one}", "accountName": f"Group {one}", "type": "LOCATION_GROUP"} for one in groups),
        ]
        return self._page(request, "accounts", [] if person.details.get("no_business") else listed, 20, 20)

    @route("GET /v1/accounts/{account}/locations", scopes=MANAGE)
    def locations(self, request: Request) -> Response:
        self.only(request.query, "pageSize", "pageToken", "filter", "orderBy", "readMask", "alt")
        self.admit(request, INFORMATION)
        places = [
            place
            for place in request.person.destinations
            if request.args["account"] in self._accounts(request.person, place)
        ]
        return self._page(request, "locations", [self._location(request, place) for place in places], 10, 100)

    @route("GET /v1/locations/{location}", scopes=MANAGE)
    def location(self, request: Request) -> Response:
        self.only(request.query, "readMask", "alt")
        self.admit(request, INFORMATION)
        return Response(200, self._location(request, self._place(request)))

    def _page(self, request: Request, member: str, items: list[Any], usual: int, maximum: int) -> Response:
        size, first = int(request.query.get("pageSize", str(usual))), int(request.query.get("pageToken") or "0")
        if not 1 <= size <= maximum:
            raise self.refuse(400, f"page_size: {size} is not between 1 and {maximum}")
        page: dict[str, Any] = {member: items[first : first + size]} if items[first : first + size] else {}
        return Response(200, page | ({"nextPageToken": str(first + size)} if first + size < len(items) else {}))

    def _accounts(self, person: Person, place: Destination) -> set[str]:
        """Return the accounts that list a location: that of its group, the person's own, or both."""
        group, shared = place.details.get("group"), place.details.get("shared")
        return ({str(group)} if group else set()) | ({str(person.id)} if shared or not group else set())

    def _place(self, request: Request) -> Destination:
        place: Destination | None = request.person.destination(request.args["location"])
        account = request.args.get("account")
        if place is None or (account is not None and account not in self._accounts(request.person, place)):
            raise self.refuse(404, "Requested entity was not found.")
        return place

    def _location(self, request: Request, place: Destination) -> dict[str, Any]:
        metadata = {"placeId": f"ChIJ{place.id}", "mapsUri": f"https://maps.google.com/maps?cid={place.id}"}
        values = {
            "name": f"locations/{place.id}", "title": place.name, "languageCode": place.details.get("language", "en"),
            "storefrontAddress": {"regionCode": "GB", "locality": "Leeds", "addressLines": [f"{place.id} Mill Lane"]},
            "categories": {"primaryCategory": {"name": "categories/gcid:bakery", "displayName": "Bakery"}},
            "metadata": metadata | ({} if place.details.get("unverified") else {"hasVoiceOfMerchant": True}),
        }  # fmt: skip
        mask = [name for name in request.query.get("readMask", "").split(",") if name]
        if not mask or (unknown := set(mask) - {*values, "storeCode", "websiteUri", "phoneNumbers"}):
            raise self.refuse(400, f"Invalid field mask provided: {sorted(unknown) if mask else 'missing'}")
        return {name: value for name, value in values.items() if name in mask}

    # --- posts -------------------------------------------------------------------------------------------------------

    @route(f"POST {PARENT}", scopes=MANAGE)
    def create(self, request: Request) -> Response:
        self.only(request.query, "alt")
        self.admit(request, POSTS)
        place, body = self._place(request), request.json
        if place.details.get("unverified"):
            raise self.refuse(403, "The caller does not have permission")
        self.only(body, "languageCode", "summary", "callToAction", "event", "media", "topicType", "alertType", "offer")
        self._check(body)
        files = [self._photo(item) for item in body.get("media", [])]
        entry = self.publish(
            request, "post", body.get("summary", ""), account_id=place.id,
            media=tuple(hashlib.sha256(content).hexdigest() for content in files),
            details={name: value for name, value in body.items() if name != "summary"},
        )  # fmt: skip
        rejected = self.struck("processing_fails") or _PHONE.search(entry.text) is not None
        decided_at = self.world.clock() + timedelta(seconds=place.details.get("review_seconds", REVIEW_SECONDS))
        post = LocalPost(entry, body, decided_at, rejected, {"account": request.args["account"]})
        self.posts.append(post)
        return Response(200, self._post(post))

    def _check(self, body: Mapping[str, Any]) -> None:
        topic, summary = body.get("topicType"), body.get("summary", "")
        if topic not in TOPICS:
            raise self.invalid(MISSING, "topic_type", "Topic type is required for post creation.")
        if not isinstance(summary, str) or len(summary) > SUMMARY_MAX:
            raise self.invalid(INVALID, "summary", f"Summary has more than {SUMMARY_MAX} characters.")
        if not summary and not body.get("media") and not body.get("event"):
            raise self.invalid(MISSING, "summary", "A post needs a summary or media.")
        if len(body.get("media", [])) > 1:
            raise self.invalid(INVALID, "media", "Only one media item is supported.")
        if (topic != "STANDARD") != ("event" in body):
            raise self.invalid(DEPENDENT, "event", "An event is required for events and offers, and for nothing else.")
        if "offer" in body and topic != "OFFER":
            raise self.invalid(INVALID, "offer", "Offer is only supported for offers.")
        self.only(body.get("offer", {}), "couponCode", "redeemOnlineUrl", "termsConditions")
        if "callToAction" in body:
            self._button(body["callToAction"])
        if "event" in body:
            self._event(body["event"])

    def _button(self, button: Mapping[str, Any]) -> None:
        self.only(button, "actionType", "url")
        if button.get("actionType") not in ACTIONS:
            raise self.invalid(INVALID, "call_to_action.action_type", "Unknown action type.")
        if (button["actionType"] == "CALL") == ("url" in button):
            raise self.invalid(INVALID, "call_to_action.url", "A url is required, and not supported for CALL.")

    def _event(self, event: Mapping[str, Any]) -> None:
        self.only(event, "title", "schedule")
        if not 0 < len(event.get("title", "")) <= TITLE_MAX:
            raise self.invalid(INVALID, "event.title", f"The title has 1 to {TITLE_MAX} characters.")
        schedule = event.get("schedule", {})
        self.only(schedule, "startDate", "startTime", "endDate", "endTime")
        start, end = [self._instant(schedule, name) for name in ("start", "end")]
        if end < start or (end == start and "startTime" in schedule):
            raise self.invalid(INVERTED, "event.schedule", "The range is inverted.")

    def _instant(self, schedule: Mapping[str, Any], name: str) -> tuple[date, int, int]:
        day, time = schedule.get(f"{name}Date", {}), schedule.get(f"{name}Time", {})
        self.only(day, "year", "month", "day")
        self.only(time, "hours", "minutes", "seconds", "nanos")
        try:
            whole = date(day["year"], day["month"], day["day"])
        except (KeyError, ValueError, TypeError):
            raise self.invalid(INVALID, f"event.schedule.{name}_date", "This is no date.") from None
        last = name == "end" and not time
        return (whole, 24 if last else time.get("hours", 0), time.get("minutes", 0))

    def _photo(self, item: Mapping[str, Any]) -> bytes:
        self.only(item, "mediaFormat", "sourceUrl")
        if item.get("mediaFormat") != "PHOTO":
            raise self.invalid(INVALID, "media.media_format", "Video uploaded from post is not currently supported.")
        content = self.download(item.get("sourceUrl"))
        if content is None:
            raise self.invalid(FETCH_FAILED, "media.source_url", "Fetch photo from the specified URL failed.")
        size = image_size(content) if content[:3] in {b"\x89PN", b"\xff\xd8\xff"} else None
        if size is None or min(size) < SIDE_MIN or len(content) not in BYTES:
            raise self.invalid(PHOTO_REFUSED, "media", "The photo is too small, too large, or of another format.")
        return content

    def _post(self, post: LocalPost) -> dict[str, Any]:
        name = f"accounts/{post.details['account']}/locations/{post.entry.account_id}/localPosts/{post.entry.remote_id}"
        state = self._state(post)
        made = post.entry.at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        found = {"searchUrl": f"https://local.google.com/place?id={post.entry.remote_id}"} if state == "LIVE" else {}
        media = [
            {"mediaFormat": "PHOTO", "name": f"{name}/media/1", "googleUrl": "https://lh3.googleusercontent.com/p/1"}
        ]
        shown = {"name": name, "state": state, "createTime": made, "updateTime": made, **found}
        return _shown(post.body) | shown | ({"media": media} if post.body.get("media") else {})

    def _state(self, post: LocalPost) -> str:
        if self.world.clock() < post.decided_at:
            return "PROCESSING"
        if post.rejected and post.entry.deleted_at is None:
            post.entry.deleted_at = post.decided_at  # nobody sees it, and its owner still has it in the list
        return "REJECTED" if post.rejected else "LIVE"

    def _own(self, request: Request) -> LocalPost:
        place = self._place(request)
        for post in self.posts:
            is_there = post.rejected or post.entry.deleted_at is None
            if is_there and (post.entry.account_id, post.entry.remote_id) == (place.id, request.args["post"]):
                return post
        raise self.refuse(404, "Requested entity was not found.")

    @route(f"GET {PARENT}", scopes=MANAGE)
    def listing(self, request: Request) -> Response:
        self.only(request.query, "pageSize", "pageToken", "alt")
        self.admit(request, POSTS)
        place = self._place(request)
        public = {entry.remote_id for entry in self.listed(place.id)}
        posts = [self._post(post) for post in reversed(self.posts) if post.entry.remote_id in public or post.rejected]
        return self._page(request, "localPosts", posts, 20, 100)

    @route(f"GET {PARENT}/{{post}}", scopes=MANAGE)
    def read(self, request: Request) -> Response:
        self.only(request.query, "alt")
        self.admit(request, POSTS)
        return Response(200, self._post(self._own(request)))

    @route(f"DELETE {PARENT}/{{post}}", scopes=MANAGE)
    def remove(self, request: Request) -> Response:
        self.only(request.query, "alt")
        self.admit(request, POSTS)
        post = self._own(request)
        post.entry.deleted_at = self.world.clock()
        self.posts.remove(post)
        return Response(200, {})


def _info(reason: str, **metadata: str) -> dict[str, Any]:
    kind = "type.googleapis.com/google.rpc.ErrorInfo"
    return {"@type": kind, "reason": reason, "domain": "googleapis.com", "metadata": metadata}


def _shown(value: Any) -> Any:
    """Return a member as Google answers it: what is 0 or empty is left out."""
    if not isinstance(value, Mapping):
        return value
    shown = {name: _shown(member) for name, member in value.items()}
    return {name: member for name, member in shown.items() if member not in (0, "", None)}


NETWORK: type[DownloadingNetwork] = GoogleBusiness
