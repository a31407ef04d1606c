"""No maker of a credential is forgotten: each puts the name of the cell on what it makes, or says why it need not."""

import ast
from pathlib import Path

from tests.helpers.cells import HANDED

import signalpost

MAKERS = {
    "random_token", "new_api_key", "token_urlsafe", "token_hex", "token_bytes", "urandom", "choice", "randbelow",
    "urlsafe_b64encode", "derive",
}  # fmt: skip
"""Functions by which a credential begins: chance, a key of ours, or bytes as text for an address."""
OF_OTHERS = ("conformance", "migrations", "networks", "telemetry")
"""What they make goes to networks and collectors, or stays in the database."""
PASSED_ON = "makes what its callers put a name on, or what is no credential"
BESIDE = "comes back with a credential or a link, which has the name"
OUTGOING = "others receive and keep it; it does not come back"
INSIDE = "does not leave the installation"

MADE_BY: dict[str, str] = {
    "accounts.actions.oauth_flows.FlowSecrets.new": "state of an authorization",
    "api_keys.actions.device_logins.create_device_login": "device code",
    "api_keys.actions.keys.create_key_for": "API key",
    "approval_links.actions.manage.create_link": "approval link",
    "apps.tokens.new_access_token": "access token of an app",
    "apps.tokens.new_secret": "secret of an app",
    "apps.tokens.refresh_token": "refresh token of an app",
    "apps.tokens._b64": "code of an app",
    "calendar_links.actions.manage.create_link": "calendar link",
    "calendar_links.actions.manage.rotate_link": "calendar link",
    "identity.actions.first_run.issue_token": "first run",
    "identity.tokens.mint": "access token",
    "identity.tokens.refresh_token": "refresh token",
    "identity.tokens.cookie_token": "session cookie",
    "identity.tokens.invite_token": "team invitation",
    "identity.work.reset_token": "new password",
    "invites.actions.manage.create_invite": "platform invitation",
    "mail.choices.issue": "no more mails of a topic",
    "media.signed_urls._sign": "file",
    "oidc.flow.begin": "state of a sign-in",
    "oidc.flow._text": "code of a sign-in",
    "report_links.actions.manage.create_link": "report link",
    "status.tokens._token": "status: no more news",
    "workspaces.links.create": "export",
}
WITHOUT_NAME: dict[str, str] = {
    "accounts.actions.authorize.begin_flow": "seeds a key that is made again from it; the state stands beside it",
    "accounts.actions.oauth_flows.code_challenge_of": OUTGOING,
    "accounts.actions.start.start_flow": "the cookie of a page whose path has the state",
    "approval_links.actions.guest.send_code": "six digits that a guest types on the page of a link",
    "console.authorize.AuthorizePages._to_sign_in": "what an app asked for, from before its person signed in",
    "engine.position._File.create": INSIDE,
    "identity.tokens._b64": "makes all of the tokens above",
    "identity.totp.new_secret": OUTGOING,
    "identity.totp.new_recovery_code": "people type it beside their e-mail address, as they do a password",
    "kit.crypto.keyfile.master_key_file": INSIDE,
    "kit.crypto.keyring.KeyRing.seal": PASSED_ON,
    "kit.crypto.keyring._hkdf": INSIDE,
    "kit.crypto.passwords._dummy_hash": INSIDE,
    "kit.crypto.tokens.random_token": PASSED_ON,
    "kit.crypto.tokens.new_api_key": PASSED_ON,
    "kit.ids.new_id": "an id opens nothing",
    "kit.storage.Store.check": INSIDE,
    "link_pages.actions.manage._document": "the id of a link, below the path of its page",
    "mail.choices._mac": PASSED_ON,
    "main.app.check_master_key": INSIDE,
    "main.app.create": BESIDE,
    "main.operations._create_demo": "the address of a demo user, who cannot sign in",
    "mcp.confirmation.issue": BESIDE,
    "mcp.confirmation._signature": BESIDE,
    "media.actions.derive._make": "makes a form of a picture",
    "media.signed_urls._mac": PASSED_ON,
    "messenger.actions.link.create_code": "eight letters that people type to a bot, which belongs to one cell",
    "oidc.flow.challenge_of": OUTGOING,
    "push.actions.sending.Notification.topic": OUTGOING,
    "push.encryption.encode": OUTGOING,
    "push.encryption.encrypt": OUTGOING,
    "push.encryption._hkdf": OUTGOING,
    "status.tokens.id_of_email": "an id opens nothing",
    "web.paging._sign": BESIDE,
    "web.request_ids._ids": "for logs",
    "webhooks.signing.new_secret": OUTGOING,
    "workspaces.links._mac": PASSED_ON,
}
ELSEWHERE = {
    "API key", "access token", "approval link", "calendar link", "device code", "first run", "platform invitation",
    "report link",
}  # fmt: skip
"""Kinds that test_cells.py has a running cell make."""


BY_THE_SAME = {
    "cookie of a sign-in", "form of a file", "start of an authorization", "status: the confirmation",
    "team invitation by mail", "upload",
}  # fmt: skip
"""Kinds that another row's function makes."""


def _makers() -> set[str]:
    """Each function of the product in which a credential may begin."""
    root = Path(signalpost.__file__).parent
    found: set[str] = set()

    def look(node: ast.AST, name: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call):
                function = child.func
                called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
                if called in MAKERS:
                    found.add(name)
            is_scope = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            look(child, f"{name}.{child.name}" if is_scope else name)

    for path in root.rglob("*.py"):
        parts = path.relative_to(root).with_suffix("").parts
        if parts[0] not in OF_OTHERS:
            look(ast.parse(path.read_text(encoding="utf-8")), ".".join(parts))
    return found


def test_every_maker_of_a_credential_has_a_row() -> None:
    """One that is new puts the name of the cell on what it makes (`kit.cells`), or says why it need not."""
    assert _makers() == {*MADE_BY, *WITHOUT_NAME}
    assert not MADE_BY.keys() & WITHOUT_NAME.keys()
    assert {*MADE_BY.values()} == {*HANDED, *ELSEWHERE} - BY_THE_SAME
