"""Resources: a post, an account, and what is known about a problem."""

import re
from typing import Any, Final

import msgspec

from signalpost.kit import problems
from signalpost.mcp.api import OperationResponse, refused
from signalpost.mcp.protocol import INVALID_PARAMS, Refusal
from signalpost.mcp.tools import Call
from signalpost.web.fields import AccountId
from signalpost.web.router import API_PREFIX

_JSON: Final = "application/json"
_URI: Final = re.compile(r"signalpost://(posts|accounts|problems)/([A-Za-z0-9_]{1,100})")
TEMPLATES: Final = (
    {
        "uriTemplate": "signalpost://posts/{postId}",
        "name": "post",
        "title": "A post",
        "description": "A post with its targets: contents, times, and what became of it on each network.",
        "mimeType": _JSON,
    },
    {
        "uriTemplate": "signalpost://accounts/{accountId}",
        "name": "account",
        "title": "An account",
        "description": "A connected account of a social network, and whether it works.",
        "mimeType": _JSON,
    },
    {
        "uriTemplate": "signalpost://problems/{code}",
        "name": "problem",
        "title": "A problem",
        "description": "What the code of a refusal means, and what to do about it.",
        "mimeType": _JSON,
    },
)


async def listing(call: Call, cursor: object) -> dict[str, Any]:
    """Return the accounts, a page at a time; posts and problems are found by their templates.

    Raises:
        Refusal: the cursor is not one of ours.
    """
    answer = await call.operation("list_all_accounts", {"limit": 100, "cursor": cursor})
    if answer.status == 403:
        return {"resources": []}
    if answer.is_problem:
        raise Refusal(INVALID_PARAMS, answer.document["detail"], data=answer.document)
    resources = [
        {
            "uri": f"signalpost://accounts/{account['id']}",
            "name": account["id"],
            "title": f"{account['username']} ({account['platform']})",
            "mimeType": _JSON,
        }
        for account in answer.document["data"]
    ]
    following = answer.document.get("nextCursor")
    return {"resources": resources} | ({"nextCursor": following} if following else {})


async def read(call: Call, uri: object, *, not_found: int) -> dict[str, Any]:
    """Return what a resource contains.

    Raises:
        Refusal: there is none, or the key may not read it.
    """
    named = _URI.fullmatch(uri) if isinstance(uri, str) else None
    if named is None:
        text = "No resource has this address. `resources/templates/list` lists their forms."
        raise Refusal(not_found, text, data={"uri": str(uri)[:200]})
    try:
        answer = await _read(call, *named.groups())
    except problems.Problem as problem:
        answer = refused(problem, str(uri), call.context.base_url)
    if answer.is_problem:
        code = not_found if answer.status == 404 else INVALID_PARAMS
        raise Refusal(code, answer.document["detail"], data={"uri": uri, "problem": answer.document})
    text = msgspec.json.encode(answer.document).decode()
    return {"contents": [{"uri": uri, "mimeType": _JSON, "text": text}]}


async def _read(call: Call, kind: str, name: str) -> OperationResponse:
    if kind == "posts":
        return await call.operation("get_post", {"id": name})
    if kind == "problems":
        return await call.send("GET", f"{API_PREFIX}/problems/{name}")
    return await _account(call, name)


async def _account(call: Call, account_id: str) -> OperationResponse:
    cursor = None
    while True:
        answer = await call.operation("list_all_accounts", {"cursor": cursor})
        if answer.is_problem:
            return answer
        account = next((row for row in answer.document["data"] if row["id"] == account_id), None)
        if account is not None:
            return OperationResponse(answer.status, account)
        cursor = answer.document["nextCursor"]
        if cursor is None:
            raise problems.NotFound(AccountId.not_found_detail(account_id))
