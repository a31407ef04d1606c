"""LinkedIn: versioned posts of members and organizations, comments, roles, numbers; `linkedin_media.py` has the files.

Source: learn.microsoft.com, Community Management API, versions 202510 to 202609.
An app is self-serve unless its `details` say `partner`: then it may look at files and posts, comment, and renew tokens.
An app with `details["versions"]` knows only those. Not certain at the real network, and so chosen here: the same
commentary is a duplicate for ten minutes; the first unescaped bracket of a commentary cuts off what follows; a post
that is not there, or that nobody may share, is refused with 403 as one person saw it for a URN of the wrong type.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import unquote

from simulator import text as texts
from simulator.ledger import Entry
from simulator.messages import Fail, Request, Response
from simulator.network import Limit, Network, route
from simulator.networks import linkedin_audience
from simulator.networks.linkedin_media import LinkedInMedia
from simulator.oauth import Grant, OAuthError, OAuthRules
from simulator.world import Person

DAY = 86_400
DUPLICATE_SECONDS = 600
VERSIONS = frozenset({"202511", "202512", "202601", "202602", "202603", "202604", "202605", "202606", "202607",
                      "202608", "202609"})  # fmt: skip
POSTING = {"ADMINISTRATOR", "CONTENT_ADMINISTRATOR", "DIRECT_SPONSORED_CONTENT_POSTER"}
_CODES: Mapping[int, str] = {
    400: "INVALID_VALUE_FOR_FIELD", 401: "INVALID_ACCESS_TOKEN", 403: "ACCESS_DENIED", 404: "NOT_FOUND",
    422: "UNPROCESSABLE_ENTITY", 426: "NONEXISTENT_VERSION", 429: "TOO_MANY_REQUESTS", 500: "INTERNAL_SERVER_ERROR",
}  # fmt: skip
_PERSON, _ORGANIZATION = "urn:li:person:", "urn:li:organization:"
_URN = re.compile(r"urn:li:(person|organization|share|ugcPost|image|video|document):[\w-]+")
_TOKEN = re.compile(
    r"\\(?P<escaped>[|{}@\[\]()<>#\\*_~])"
    r"|\{hashtag\|\\#\|(?P<tag>(?:\\[_]|[^|{}\\])+)\}"
    r"|@\[(?P<name>(?:\\.|[^\[\]\\])+)\]\((?P<urn>urn:li:(?:person|organization):[\w-]+)\)"
    r"|(?P<hash>#(?=\w))"
    r"|(?P<stray>[|{}@\[\]()<>*_~\\])",
)


def rendered(commentary: str) -> str:
    """Return what readers see of little text. An unescaped bracket cuts the rest off, without an error."""
    shown, at = [], 0
    for match in _TOKEN.finditer(commentary):
        shown.append(commentary[at : match.start()])
        at = match.end()
        if match["stray"]:
            if match["stray"] in "(){}[]<>":
                return "".join(shown)
            shown.append(match["stray"])
        elif match["tag"]:
            shown.append("#" + match["tag"].replace("\\", ""))
        elif match["name"]:
            shown.append(re.sub(r"\\(.)", r"\1", match["name"]))
        else:
            shown.append(match["escaped"] or match["hash"])
    return "".join([*shown, commentary[at:]])


class LinkedIn(LinkedInMedia):
    key = "linkedin"
    ids_from = 7_300_000_000_000_000_000
    strict = False  # of queries: Rest.li ignores what it does not know; bodies are checked
    oauth_rules = OAuthRules(
        authorize="/oauth/v2/authorization",
        token="/oauth/v2/accessToken",  # noqa: S106 - a path
        revoke="/oauth/v2/revoke",
        scopes=frozenset(
            {"openid", "profile", "email", "w_member_social", "r_basicprofile", "w_organization_social",
             "r_organization_social", "rw_organization_admin", "r_member_postAnalytics", "w_member_social_feed",
             "w_organization_social_feed", "r_organization_social_feed"}
        ),
        code_seconds=1_800,
        access_seconds=5_184_000,
        refresh_seconds=31_536_000,
    )  # fmt: skip

    # --- the words of LinkedIn -------------------------------------------------------------------------------------

    def failure(self, status: int, message: str) -> Response:
        body: dict[str, Any] = {"status": status, "code": _CODES.get(status, "ERROR"), "message": message}
        if status in {401, 403}:
            body["serviceErrorCode"] = 65600 if status == 401 else 100
        if status == 429:
            body["message"] = (
                "Resource level throttle APPLICATION_AND_MEMBER DAY limit for calls to this resource is reached."
            )
        return Response(status, body, headers={"x-li-uuid": self.new_id(), "x-li-fabric": "prod-lva1"})

    def unauthorized(self) -> Response:
        return self.failure(401, "Invalid access token")

    def missing_scopes(self, missing: Iterable[str]) -> Response:
        return self.failure(403, f"Not enough permissions to access: needs {' '.join(missing)}")

    def token_answer(self, grant: Grant) -> dict[str, Any]:
        answer = super().token_answer(grant) | {"scope": ",".join(sorted(grant.scopes))}
        if not grant.app.details.get("partner"):
            answer.pop("refresh_token", None)
        elif grant.refresh_expires_at is not None:
            left = grant.refresh_expires_at - self.world.clock()
            answer["refresh_token_expires_in"] = int(left.total_seconds())
        return answer

    def token_error(self, error: OAuthError) -> Response:
        return Response(error.status, {"error": error.error, "error_description": error.description})

    def denied(self) -> dict[str, str]:
        return {"error": "user_cancelled_authorize", "error_description": "The user cancelled the authorization"}

    # --- versions --------------------------------------------------------------------------------------------------

    def authenticate(self, request: Request) -> Grant | None:
        """Check the headers of versioned calls before the token, as the gateway does."""
        if request.path.startswith("/rest/"):
            version = request.headers.get("linkedin-version", "")
            if not version:
                raise Fail(
                    Response(400, {"status": 400, "code": "VERSION_MISSING", "message": "A version must be present."})
                )
            grant = super().authenticate(request)
            known = VERSIONS if grant is None else grant.app.details.get("versions", VERSIONS)
            if version not in known:
                raise self.refuse(426, f"Requested version {version} is not active")
            if request.headers.get("x-restli-protocol-version") != "2.0.0":
                raise self.refuse(400, "Invalid protocol version: X-RestLi-Protocol-Version has to be 2.0.0")
        return super().authenticate(request)

    # --- people and organizations ----------------------------------------------------------------------------------

    @route("GET /v2/userinfo", scopes=("openid", "profile"))
    def userinfo(self, request: Request) -> Response:
        person: Person = request.person
        body = {"sub": person.id, "name": person.name, "given_name": person.name, "family_name": "Example"}
        picture = f"https://media.licdn.com/dms/image/{person.id}"
        return Response(200, body | {"picture": picture, "locale": {"country": "US", "language": "en"}})

    @route("GET /rest/organizationAcls", scopes=("rw_organization_admin",))
    def roles(self, request: Request) -> Response:
        if request.query.get("q") != "roleAssignee":
            raise self.refuse(400, "Unknown finder")
        elements = [
            {"organization": _ORGANIZATION + one.id, "role": role, "state": "APPROVED",
             "roleAssignee": _PERSON + request.person.id}
            for one in request.person.destinations
            for role in one.details.get("roles", ("ADMINISTRATOR",))
        ]  # fmt: skip
        return Response(200, {"elements": elements, "paging": {"start": 0, "count": len(elements)}})

    @route("GET /rest/organizations/{id}", scopes=("rw_organization_admin",))
    def organization(self, request: Request) -> Response:
        found = request.person.destination(request.args["id"])
        if found is None:
            raise self.refuse(404, "Organization not found")
        vanity = found.name.lower().replace(" ", "-")
        return Response(200, {"id": int(found.id), "localizedName": found.name, "vanityName": vanity})

    def may_post_as(self, request: Request, urn: Any) -> None:
        """Refuse an author or owner in whose name the member may not post."""
        person: Person = request.person
        if urn == _PERSON + person.id:
            if "w_member_social" in request.grant.scopes:
                return
        elif isinstance(urn, str) and urn.startswith(_ORGANIZATION) and "w_organization_social" in request.grant.scopes:
            found = person.destination(urn.removeprefix(_ORGANIZATION))
            if found is not None and POSTING & set(found.details.get("roles", ("ADMINISTRATOR",))):
                return
        raise self.refuse(403, "Not enough permissions to access: posts for this author")

    # --- posts -----------------------------------------------------------------------------------------------------

    @route("POST /rest/posts", limits=(Limit(150, DAY), Limit(100_000, DAY, "app")))
    def create(self, request: Request) -> Response:
        body = request.json
        self.checked(
            body, "author", "commentary", "visibility", "distribution", "lifecycleState", "content",
            "isReshareDisabledByAuthor", "contentLandingPage", "contentCallToActionLabel", "reshareContext",
        )  # fmt: skip
        author = body.get("author")
        self.may_post_as(request, author)
        commentary = self._commentary(body)
        targets = self._targets(request, body)
        content = body.get("content") or {}
        media = self.attached(content, author)
        reshared = self._reshared(body)
        if not commentary and not content and reshared is None:
            raise self.refuse(400, "ShareCommentary or content is required")
        if (twin := self._twin(author, commentary)) is not None:
            raise self.refuse(422, f"Content is a duplicate of {twin}")
        of_ugc = bool({"multiImage", "poll"} & set(content)) or any(":video:" in one.urn for one in media)
        kind = "ugcPost" if of_ugc else "share"
        entry = self.publish(
            request, "post", rendered(commentary), account_id=author, remote_id=f"urn:li:{kind}:{self.new_id()}",
            media=tuple(one.sha256 for one in media),
            details={
                "commentary": commentary,
                "visibility": body["visibility"],
                "content": content,
                "reshare_of": reshared,
                "target_entities": targets,
                "alt_texts": [one.get("altText") for one in content.get("multiImage", {}).get("images", ())]
                or [content.get("media", {}).get("altText")],
            },
        )  # fmt: skip
        return Response(201, headers={"x-restli-id": entry.remote_id, "x-linkedin-id": entry.remote_id})

    def checked(self, given: Mapping[str, Any], *allowed: str) -> None:
        """Refuse members that a body does not have."""
        if unknown := sorted(set(given) - set(allowed)):
            raise self.refuse(400, f"Unpermitted fields present in REQUEST_BODY: Data Processing Exception: {unknown}")

    def _commentary(self, body: Mapping[str, Any]) -> str:
        commentary = body.get("commentary", "")
        if not isinstance(commentary, str):
            raise self.refuse(400, "/commentary is not a string")
        if texts.utf16(rendered(commentary)) > 3_000:
            message = "commentary: exceeds the maximum length of 3000"
            raise Fail(Response(400, {"status": 400, "code": "FIELD_LENGTH_TOO_LONG", "message": message}))
        is_person = str(body.get("author")).startswith(_PERSON)
        if body.get("visibility") not in {"PUBLIC", "LOGGED_IN", *(("CONNECTIONS",) if is_person else ())}:
            raise self.refuse(400, "/visibility: invalid for this author")
        if body.get("lifecycleState") != "PUBLISHED":
            raise self.refuse(400, "/lifecycleState: has to be PUBLISHED")
        distribution = body.get("distribution")
        if not isinstance(distribution, dict) or distribution.get("feedDistribution") not in {"MAIN_FEED", "NONE"}:
            raise self.refuse(400, "/distribution/feedDistribution: is required")
        return commentary

    def _targets(self, request: Request, body: Mapping[str, Any]) -> list[Any]:
        """Return who the post is shown to; an empty list: everyone."""
        distribution = body["distribution"]
        self.checked(distribution, "feedDistribution", "targetEntities", "thirdPartyDistributionChannels")
        targets = distribution.get("targetEntities", [])
        author = request.person.destination(str(body["author"]).removeprefix(_ORGANIZATION))
        if (problem := linkedin_audience.problem(targets, author)) is not None:
            raise self.refuse(400, problem)
        return list(targets)

    def _reshared(self, body: Mapping[str, Any]) -> str | None:
        """Return the post that is reshared; an address names an activity, which LinkedIn does not take here."""
        if "reshareContext" not in body:
            return None
        context = body["reshareContext"]
        self.checked(context if isinstance(context, dict) else {"reshareContext": context}, "parent")
        parent = str(context.get("parent"))
        kind = parent.removeprefix("urn:li:").partition(":")[0]
        if kind not in {"groupPost", "share", "ugcPost"}:
            message = f"ERROR :: /reshareContext/parent :: parent value {parent} is of type {kind}. "
            raise self.refuse(422, f"{message}Allowed URN types are groupPost, share, ugcPost")
        if body.get("content"):
            raise self.refuse(422, "/content: not allowed in a reshare")
        if self.world.ledger.find("linkedin", parent) is None:
            raise self.refuse(403, "Accessing the resource is forbidden")
        return parent

    def _twin(self, author: str, commentary: str) -> str | None:
        since = self.world.clock() - timedelta(seconds=DUPLICATE_SECONDS)
        posts = [one for one in self.world.ledger.of("linkedin", author) if one.kind == "post" and one.at > since]
        return next((one.remote_id for one in posts if one.details["commentary"] == commentary), None)

    @route("GET /rest/posts")
    def find_posts(self, request: Request) -> Response:
        author = request.query.get("author", "")
        if request.headers.get("x-restli-method") != "FINDER" or request.query.get("q") != "author":
            raise self.refuse(400, "Unknown finder")
        if not author.startswith(_ORGANIZATION) or "r_organization_social" not in request.grant.scopes:
            raise self.refuse(403, "Not enough permissions to access: partnerApiPostsExternal.FINDER-author")
        self.may_post_as(request, author)
        posts = [one for one in self.listed(author) if one.kind == "post"][: int(request.query.get("count", "10"))]
        elements = [
            {"id": one.remote_id, "author": author, "commentary": one.details["commentary"],
             "createdAt": int(one.at.timestamp() * 1000), "lifecycleState": "PUBLISHED",
             "distribution": {"feedDistribution": "MAIN_FEED", "targetEntities": one.details["target_entities"]}}
            for one in posts
        ]  # fmt: skip
        return Response(200, {"elements": elements, "paging": {"start": 0, "count": len(elements)}})

    @route("DELETE /rest/posts/{urn}")
    def remove(self, request: Request) -> Response:
        if request.headers.get("x-restli-method") != "DELETE":
            raise self.refuse(400, "X-RestLi-Method has to be DELETE")
        entry = self.world.ledger.find("linkedin", unquote(request.args["urn"]))
        if entry is not None:
            self.may_post_as(request, entry.account_id)
            entry.deleted_at = self.world.clock()
        return Response(204)

    @route("POST /rest/socialActions/{urn}/comments")
    def comment(self, request: Request) -> Response:
        body, urn = request.json, unquote(request.args["urn"])
        self.checked(body, "actor", "object", "message", "content", "parentComment")
        if not request.grant.app.details.get("partner"):
            raise self.refuse(403, "Not enough permissions to access: partnerApiSocialActions.CREATE")
        self.may_post_as(request, body.get("actor"))
        needed = f"w_{'organization' if str(body.get('actor')).startswith(_ORGANIZATION) else 'member'}_social_feed"
        if needed not in request.grant.scopes:  # since 2026; before, those of posts were enough
            raise self.refuse(403, "Not enough permissions to access: partnerApiSocialActions.CREATE")
        message = body.get("message")
        text = message.get("text") if isinstance(message, dict) else None
        if self.world.ledger.find("linkedin", urn) is None or body.get("object") != urn:
            raise self.refuse(404, "The object of the comment does not exist")
        if not isinstance(text, str) or not 0 < texts.utf16(text) <= 1_250:
            raise self.refuse(400, "/message/text: has to have 1 to 1250 characters")
        entry = self.publish(
            request, "comment", text, account_id=body["actor"], parent_id=urn,
            remote_id=f"urn:li:comment:({urn},{self.new_id()})",
        )  # fmt: skip
        comment_id = entry.remote_id.rpartition(",")[2].removesuffix(")")
        return Response(201, {"id": comment_id, "commentUrn": entry.remote_id}, headers={"x-restli-id": comment_id})

    # --- numbers ---------------------------------------------------------------------------------------------------

    @route("GET /rest/organizationalEntityShareStatistics", scopes=("r_organization_social",))
    def organization_numbers(self, request: Request) -> Response:
        owner = request.query.get("organizationalEntity", "")
        self.may_post_as(request, owner)
        elements = []
        for name, member in (("shares", "share"), ("ugcPosts", "ugcPost")):
            for urn in _list(request.query.get(name, "")):
                entry = self.world.ledger.find("linkedin", urn)
                if entry is not None and entry.account_id == owner:
                    elements.append(
                        {member: urn, "organizationalEntity": owner, "totalShareStatistics": self._all(entry)}
                    )
        return Response(200, {"elements": elements, "paging": {"start": 0, "count": len(elements)}})

    def _all(self, entry: Entry) -> dict[str, int]:
        rates = {"impressionCount": 60, "uniqueImpressionsCount": 40, "likeCount": 5, "commentCount": 1,
                 "shareCount": 0.5, "clickCount": 3}  # fmt: skip
        return {name: self.count_of(entry, name, rate) for name, rate in rates.items()}

    @route("GET /rest/memberCreatorPostAnalytics", scopes=("r_member_postAnalytics",))
    def member_numbers(self, request: Request) -> Response:
        query = request.query
        rates = {"IMPRESSION": 60, "MEMBERS_REACHED": 40, "REACTION": 5, "COMMENT": 1, "RESHARE": 0.5, "POST_SAVE": 0.2,
                 "LINK_CLICKS": 3}  # fmt: skip
        entity = re.fullmatch(r"\((?:share|ugc):(.+)\)", query.get("entity", ""))
        if query.get("q") != "entity" or entity is None or query.get("queryType") not in rates:
            raise self.refuse(400, "Unknown finder, entity or queryType")
        entry = self.world.ledger.find("linkedin", unquote(entity[1]))
        if entry is None or entry.account_id != _PERSON + request.person.id:
            return Response(200, {"elements": []})
        kind = query["queryType"]
        count = self.count_of(entry, kind, rates[kind])
        return Response(200, {"elements": [{"count": count, "metricType": kind, "targetEntity": entry.remote_id}]})


def _list(value: str) -> list[str]:
    """Read a Rest.li list: `List(urn%3Ali%3Ashare%3A1,...)`."""
    match = re.fullmatch(r"List\((.*)\)", value)
    return [unquote(item) for item in match[1].split(",")] if match and match[1] else []


NETWORK: type[Network] = LinkedIn
