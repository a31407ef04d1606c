"""First run: the one-time link that `serve` prints leads to a form that makes the first owner and shows a key, once."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from zoneinfo import available_timezones

from msgspec import Struct

from signalpost.console.site import PageRequest, Site
from signalpost.identity import actions as identity
from signalpost.identity import first_run
from signalpost.identity.errors import InvalidCredentials
from signalpost.kit import ids, problems
from signalpost.web.reply import Reply
from signalpost.web.request import query_values, read_body

FORM_BYTES_MAX = 10_000
_FIELDS = ("email", "password", "workspaceName", "timezone")


class Step(Struct):
    """Something to do next, and the line that does it."""

    title: str
    text: str


class FirstRunPages:
    """The form and what comes of it. The token stays in the address: no page repeats it."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.zones = sorted(zone for zone in available_timezones() if "/" in zone and not zone.startswith("Etc/"))

    async def show(self, request: PageRequest) -> Reply:
        """Show the form, while the link is good."""
        async with self.site.web.context.database.connection() as db:
            if not await first_run.is_valid(db, _token(request)):
                return self._dead()
        return self._form({"timezone": "UTC"}, {})

    async def redeem(self, request: PageRequest) -> Reply:
        """Make user, workspace, profile and key; the link dies with it."""
        _check_origin(request)
        given = await _form(request)
        token = _token(request)
        context = self.site.web.context
        try:
            owner = await first_run.redeem(
                context.database,
                token,
                email=given["email"],
                password=given["password"],
                workspace_name=given["workspaceName"],
                timezone=given["timezone"],
            )
        except InvalidCredentials:
            return self._dead()
        except problems.ValidationFailed as found:
            wrong = {issue.path.removeprefix("/"): issue.message for issue in reversed(found.errors)}
            return self._form(given, wrong, status=422)
        async with context.database.transaction() as db:
            _, key = await identity.create_key_for(
                db, context.keys, user_id=owner.user_id, workspace_id=owner.workspace_id, name="First key"
            )
        profile_id = ids.encode_or_none("prof", owner.profile_id) or ""
        return self.site.page(
            "ready",
            workspace_name=given["workspaceName"],
            workspace_id=ids.encode("wsp", owner.workspace_id),
            profile_id=profile_id,
            key=key,
            steps=steps(self.site.web.base_url, key, profile_id),
        )

    def _form(self, given: Mapping[str, str], wrong: Mapping[str, str], *, status: int = 200) -> Reply:
        return self.site.page("first_run", status=status, given=given, wrong=wrong, zones=self.zones)

    def _dead(self) -> Reply:
        text = (
            "A first-run link works once, for 30 minutes, and only while nobody is registered.\n\n"
            "If nobody is registered yet, restart the service: it prints a new link. Otherwise ask the owner for an"
            " invitation."
        )
        return self.site.notice("This link does not work any more", text, status=410)


def steps(base_url: str, key: str, profile_id: str) -> list[Step]:
    """Return what README says, with the values filled in."""
    api = f"{base_url}/api/v1"
    bearer = f"-H 'Authorization: Bearer {key}'"
    json = "-H 'Content-Type: application/json'"
    account = f'{{"profileId": "{profile_id}", "fields": {{"username": "demo"}}}}'
    post = f'{{"profileId": "{profile_id}", "platforms": ["sandbox"], "text": "Hello from Signalpost"}}'
    lines = {
        "Connect an account of the sandbox.": (
            f"curl {api}/platforms/sandbox/connect",
            bearer,
            json,
            f"-d '{account}'",
        ),
        "Publish a post. The answer has its id.": (f"curl {api}/posts", bearer, json, f"-d '{post}'"),
        "See how it ended.": (f"curl {api}/posts/POST_ID/status", bearer),
    }
    return [Step(title, " \\\n  ".join(parts)) for title, parts in lines.items()]


def _token(request: PageRequest) -> str:
    return query_values(request).get("token", "")[:200]


def _check_origin(request: PageRequest) -> None:
    """Refuse a form that another site sent.

    Raises:
        Forbidden: it did.
    """
    fetch_site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if fetch_site:
        same = fetch_site == "same-origin"
    else:
        same = origin is None or urlsplit(origin).netloc == request.headers.get("host")
    if not same:
        raise problems.Forbidden("This form was not sent from a page of this service. Open the link and send it there.")


async def _form(request: PageRequest) -> dict[str, str]:
    """Return the fields of the form, all of them, as text.

    Raises:
        MalformedRequest: it is none.
        PayloadTooLarge: nobody fills in so much.
    """
    if not request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        raise problems.UnsupportedMediaType("This page reads a form.")
    body = await read_body(request, FORM_BYTES_MAX)
    try:
        pairs: dict[str, Any] = dict(
            parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=20, errors="strict")
        )
    except (UnicodeDecodeError, ValueError) as error:
        raise problems.MalformedRequest("The form cannot be read.") from error
    return {
        name: str(pairs.get(name, "")).strip() if name != "password" else str(pairs.get(name, "")) for name in _FIELDS
    }
