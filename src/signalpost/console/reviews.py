"""The page for approval by link: posts as each network will show them, and a decision on each. It needs no scripts."""

from typing import Any, Final
from urllib.parse import quote, unquote

import msgspec

from signalpost import networks
from signalpost.approval_links import views
from signalpost.approval_links.actions import guest
from signalpost.approval_links.errors import ApprovalCodeRequired, ApprovalLinkExpired, ApprovalLinkRevoked
from signalpost.approval_links.schemas import ReviewDecide, ReviewQuery
from signalpost.console import branding
from signalpost.console.forms import read_form
from signalpost.console.site import Site, check_origin
from signalpost.console.texts import Texts, language_of
from signalpost.kit import problems
from signalpost.web import validation
from signalpost.web.fields import PostId
from signalpost.web.request import Request, cookie_value, query_values
from signalpost.web.response import Response

PATH: Final = views.PATH
POSTS_SHOWN: Final = 10
_TOKEN_LENGTH_MAX: Final = 200
_CODE_COOKIE, _NAME_COOKIE = "approval_code", "approval_name"
_CODE_SECONDS, _NAME_SECONDS = 12 * 3600, 90 * 24 * 3600
_FIELDS: Final = ("post", "version", "decision", "name", "note", "code", "action")
_decoder = validation.decoder_of(ReviewDecide)
_ASK_ANOTHER: Final = "Ask whoever sent it for another one."
_ENDED: Final[dict[type[problems.Problem], tuple[str, str]]] = {
    problems.NotFound: ("This link does not exist", "Check that it was copied completely."),
    ApprovalLinkExpired: ("This link has expired", _ASK_ANOTHER),
    ApprovalLinkRevoked: ("This link was withdrawn", _ASK_ANOTHER),
    problems.RateLimited: ("Too many requests", "Wait a minute, then open the link again."),
}
_NOT_NOW: Final = "It could not be done. If it still waits for you, ask for changes: the team sees what is wrong."
_REFUSED: Final = (
    problems.VersionConflict, problems.InvalidState, problems.ValidationFailed, problems.TooManyItems,
)  # fmt: skip
_STATES: Final = {
    "pending": ("Waits for your decision", ""),
    "approved": ("Approved", "ok"),
    "changes_requested": ("Changes requested", ""),
    "rejected": ("Rejected", "no"),
    "not_required": ("Nothing to decide", ""),
}


class ReviewPages:
    """The page, its decisions, and the code that some links need. The token stays in the address."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.context = site.web.context

    async def show(self, request: Request) -> Response:
        """Show the posts of a link. Opening it changes nothing: scanners of mail open it too."""
        return await self._guarded(request, {}, "")

    async def send(self, request: Request) -> Response:
        """Decide on a post, or ask for the code or enter it."""
        check_origin(request)
        form = await read_form(request, _FIELDS)
        t = Texts(language_of(request))
        try:
            if form["action"] == "code":
                return await self._send_code(request, t)
            if form["action"] == "enter":
                return self._to_the_page(request, f"{_CODE_COOKIE}={quote(form['code'][:20])}", _CODE_SECONDS)
            return await self._decide(request, form)
        except ApprovalCodeRequired:
            return await self._guarded(request, form, "")
        except tuple(_ENDED) as problem:
            return self._ended(t, problem)

    async def _send_code(self, request: Request, t: Texts) -> Response:
        try:
            sent = await guest.send_code(self.context, _token(request), t.language)
        except problems.RateLimited as problem:
            text = t("Too many codes were mailed. Try again in an hour.")
            return self._code_form(t, text, status=problem.status)
        return self._code_form(t, t("A code was mailed to {email}.", email=sent.email), is_sent=True)

    async def _decide(self, request: Request, form: dict[str, str]) -> Response:
        post_id, version = PostId.parse(form["post"]), form["version"]
        if post_id is None or not version.isascii() or not version.isdigit():
            raise problems.MalformedRequest("This is not a form of this page. Open the link again.")
        members = {"decision": form["decision"], "version": int(version[:9]), "name": form["name"]}
        body = msgspec.json.encode(members | {"note": form["note"] or None})
        try:
            data = validation.decode_body(_decoder, body)
            await guest.decide(self.context, _token(request), post_id, self._code(request), data)
        except _REFUSED as problem:
            return await self._guarded(request, form, _sentence(problem, form), status=problem.status)
        except problems.NotFound as problem:  # the link, or the post is in the trash now
            return await self._guarded(request, form, "", status=problem.status)
        cookie = f"{_NAME_COOKIE}={quote(form['name'])}"
        return self._to_the_page(request, cookie, _NAME_SECONDS, anchor=form["post"])

    async def _guarded(self, request: Request, form: dict[str, str], message: str, *, status: int = 200) -> Response:
        t = Texts(language_of(request))
        try:
            return await self._page(request, t, form, message, status=status)
        except ApprovalCodeRequired:
            is_wrong = cookie_value(request, _CODE_COOKIE) is not None
            text = "This is not the code, or too many were wrong. Have another one mailed." if is_wrong else ""
            return self._code_form(t, t(text) if text else "", status=403)
        except tuple(_ENDED) as problem:
            return self._ended(t, problem)

    async def _page(self, request: Request, t: Texts, form: dict[str, str], message: str, *, status: int) -> Response:
        after = PostId.parse(query_values(request).get("after", ""))
        query = ReviewQuery(after=None if after is None else PostId(int=after.int), limit=POSTS_SHOWN)
        review = await guest.read_review(self.context, _token(request), self._code(request), query)
        rule = branding.rule_of(review.branding.color)
        name = form.get("name") or unquote(cookie_value(request, _NAME_COOKIE) or "")[:100]
        posts = [msgspec.json.decode(msgspec.json.encode(post)) for post in review.posts]
        return self.site.page(
            "review",
            status=status,
            headers=branding.headers_of(rule, review.branding.logo_url, videos=True),
            t=t,
            language=t.language,
            review=review,
            posts=posts,
            style=rule,
            states=_STATES,
            settings=_settings,
            form=dict.fromkeys(_FIELDS, "") | form,
            message=t(message) if message else "",
            name=name,
        )

    def _code(self, request: Request) -> str | None:
        code = cookie_value(request, _CODE_COOKIE)
        return None if code is None else unquote(code)[:20]

    def _code_form(self, t: Texts, message: str, *, status: int = 200, is_sent: bool = False) -> Response:
        return self.site.page("review_code", status=status, t=t, language=t.language, message=message, is_sent=is_sent)

    def _ended(self, t: Texts, problem: problems.Problem) -> Response:
        title, text = _ENDED[type(problem)]
        return self.site.page(
            "review_over", status=problem.status, t=t, language=t.language, title=t(title), text=t(text)
        )

    def _to_the_page(self, request: Request, cookie: str, seconds: int, *, anchor: str = "") -> Response:
        """Lead to the page again, so that reloading it sends nothing twice. The cookie is for this link alone."""
        path = self.site.common["root"] + PATH.format(token=quote(_token(request)))
        secure = "; Secure" if self.site.web.base_url.startswith("https:") else ""
        cookie = f"{cookie}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"
        query = request.scope["query_string"].decode("ascii", "replace")
        location = path + (f"?{query}" if query else "") + (f"#{anchor}" if anchor else "")
        return Response(303, b"", [(b"location", location.encode()), (b"set-cookie", cookie.encode())])


def _token(request: Request) -> str:
    return request.path_params["token"][:_TOKEN_LENGTH_MAX]


def _sentence(problem: problems.Problem, form: dict[str, str]) -> str:
    """Return what a person reads instead of a problem."""
    if isinstance(problem, problems.VersionConflict):
        return "This post was changed since you opened the page. This is how it is now: please read it again."
    if isinstance(problem, problems.InvalidState):
        return _NOT_NOW
    if not form["name"]:
        return "Enter your name: the team sees who decided."
    if form["decision"] == "comment" and not form["note"]:
        return "Write what you want to say."
    if any(issue.path in ("/name", "/note") for issue in problem.errors):
        return "Too much text: a note has at most 2,000 characters, a name 100."
    return _NOT_NOW


def _settings(t: Texts, preview: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the settings of a preview as a person reads them: label and value."""
    connector = networks.get(preview["platform"])
    described = connector.facts.options if connector else {}
    rows = []
    for key, value in preview["options"].items():
        label = described[key].label if key in described else None
        words = "".join(f" {character.lower()}" if character.isupper() else character for character in key)
        if isinstance(value, bool):
            text = t("yes") if value else t("no")
        elif isinstance(value, str | int | float):
            text = str(value)
        else:
            text = msgspec.json.encode(value).decode()
        rows.append((label or words[:1].upper() + words[1:], text))
    return rows
