"""What credentials have made, and what becomes of it when they end: one table, read by whatever ends them.

A test holds the table against the database: a column that names a key, a session or a person, or that holds a secret,
needs a row here; and it drives each row through each cause. The statements are made of names of tables, which are our
own: a hook for each room would answer one question.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, get_args
from uuid import UUID

from signalpost.kit import ids
from signalpost.kit.db import Db

Cause = Literal[
    "key_revoked", "key_leaked", "key_expired", "rights_lost", "person_left", "password_changed", "session_stolen"
]
"""What happens to a credential or a person. A session is stolen if its refresh token came twice."""


class Ends(NamedTuple):
    """The rows end at once, by this statement.

    `{keys}` stands for the ids of keys and `{actors}` for their public ones; $1 is else the session or the person, $2
    the workspace that they leave.
    """

    statement: str


class Own(NamedTuple):
    """The rows end at once, by rules of their own."""

    where: str


class Asks(NamedTuple):
    """Whoever uses a row asks at that moment what its credential still may; so it ends without a statement."""

    where: str


class Stays(NamedTuple):
    """The rows go on."""

    why: str


Effect = Ends | Own | Asks | Stays


class Kind(NamedTuple):
    """Rows that act later than the credential that made them. `columns` name it, its person, or hold a secret."""

    table: str
    columns: frozenset[str]
    on: Mapping[Cause, Effect]


_NO_KEY: Final = Stays("no key makes one")
_IN_A_TEAM: Final = Stays("it belongs to the workspace, whose members see it and end it")
_SHORT: Final = Stays("it lasts an hour, and does no more than was asked for")
_BY_PERSON: Final = Stays("what was made in a session is noted for its person")


def _messenger(table: str, secret: str) -> Kind:
    delete = f"delete from {table} where"  # noqa: S608 - the name of a table
    of_keys = Ends(f"{delete} key_id = any({{keys}})")
    return Kind(
        table,
        frozenset({"user_id", "key_id", "session_id", "scopes", *secret.split()}),
        {
            "key_revoked": of_keys,
            "key_leaked": of_keys,
            "key_expired": Asks("messenger.queries.works"),
            "rights_lost": Asks("identity.authenticate.caller_by_grant"),
            "person_left": Ends(f"{delete} user_id = $1 and workspace_id = $2"),
            "password_changed": Ends(f"{delete} user_id = $1"),
            "session_stolen": Ends(f"{delete} session_id = $1"),
        },
    )


def _link(table: str, maker: Asks) -> Kind:
    """Return what becomes of links that only show something: whoever reads by one asks what its maker may see."""
    delete = f"delete from {table} where"  # noqa: S608 - the name of a table
    of_keys = Ends(f"{delete} key_id = any({{keys}})")
    return Kind(
        table,
        frozenset({"created_by", "user_id", "key_id", "scopes", "token_hash"}),
        {
            "key_revoked": of_keys,
            "key_leaked": of_keys,
            "key_expired": maker,
            "rights_lost": maker,
            "person_left": Ends(f"{delete} user_id = $1 and workspace_id = $2"),
            "password_changed": Stays("links are listed, and each is ended by itself, as keys are"),
            "session_stolen": _BY_PERSON,
        },
    )


_OPEN_INVITE: Final = "and status in ('pending', 'opened', 'partially_connected')"
_REVOKE_INVITE: Final = "update platform_invite set status = 'revoked', revoked_at = now() where"
_REVOKE_LINK: Final = "update approval_link set revoked_at = now() where revoked_at is null and"
_MAKER: Final = Asks("approval_links.actions.guest._maker")
_STARTER: Final = Asks("accounts.actions.start.require_starter")
_HOLD_FEED: Final = (
    "update feed set state = 'held', held_reason = 'rights', next_attempt_at = null, version = version + 1,"
    " updated_at = now() where state = 'active' and"
)
_HOLD_RULE: Final = "update comment_rule set enabled = false, held = true, updated_at = now() where enabled and"
_RULED: Final = Asks("comments.actions.rule.answering")
_ANSWERABLE: Final = Asks("feeds.actions.publish._caller")
_TAKE_BACK: Final = "update member set status = 'removed' where status = 'invited' and"
_INVITER: Final = Asks("identity.members._INVITER_MAY")
_UPLOADER: Final = Asks("media.actions.receive._require_maker")
_OWNER: Final = Asks("workspaces.actions.export.export_content")
_END_EXPORT: Final = "update workspace_export set expires_at = now() where status = 'ready' and"
_WHOSE_SESSION: Final = "(select s.user_id from session s where s.id = $1)"
_FIRST: Final = Asks("web.serve: the credential is checked before a stored response is looked for")

OFFSPRING: Final = (
    _messenger("messenger_code", "code_hash"),
    _messenger("messenger_link", ""),
    Kind(
        "api_key",
        frozenset({"created_by", "issued_by", "key_id", "scopes", "secret_hmac"}),
        {
            "key_revoked": Own("api_keys.actions.keys._REVOKE"),
            "key_leaked": Own("api_keys.actions.keys._REVOKE"),
            "key_expired": Own("api_keys.actions.keys._inherit: no key outlives the one that made it"),
            "rights_lost": Asks("identity.authenticate: scopes within the role"),
            "person_left": Own("identity.members.remove"),
            "password_changed": Stays("keys run integrations; they are listed, and each is revoked by itself"),
            "session_stolen": _BY_PERSON,
        },
    ),
    Kind(
        "app_grant",
        frozenset({"id"}),
        {
            "key_revoked": _NO_KEY,
            "key_leaked": _NO_KEY,
            "key_expired": _NO_KEY,
            "rights_lost": Asks("identity.authenticate: scopes within the role, as of any key"),
            "person_left": Own("identity.members.remove: it acts by a key of the person"),
            "password_changed": Stays("apps are listed, and each is revoked by itself, as keys are"),
            "session_stolen": _BY_PERSON,
        },
    ),
    Kind(
        "oauth_flow",
        frozenset({"started_by", "state_hash", "browser_hash"}),
        {
            "key_revoked": _STARTER,
            "key_leaked": _STARTER,
            "key_expired": _STARTER,
            "rights_lost": _STARTER,
            "person_left": _STARTER,
            "password_changed": Ends("delete from oauth_flow where (started_by ->> 'user_id')::uuid = $1"),
            "session_stolen": _BY_PERSON,
        },
    ),
    Kind(
        "platform_invite",
        frozenset({"created_by", "user_id", "key_id", "token_hash"}),
        {
            "key_revoked": Ends(f"{_REVOKE_INVITE} key_id = any({{keys}}) {_OPEN_INVITE}"),
            "key_leaked": Ends(f"{_REVOKE_INVITE} key_id = any({{keys}}) {_OPEN_INVITE}"),
            "key_expired": _STARTER,
            "rights_lost": _STARTER,
            "person_left": Ends(f"{_REVOKE_INVITE} user_id = $1 and workspace_id = $2 {_OPEN_INVITE}"),
            "password_changed": _IN_A_TEAM,
            "session_stolen": _BY_PERSON,
        },
    ),
    Kind(
        "approval_link",
        frozenset({"created_by", "user_id", "key_id", "scopes", "token_hash", "code_hash"}),
        {
            "key_revoked": Ends(f"{_REVOKE_LINK} key_id = any({{keys}})"),
            "key_leaked": Ends(f"{_REVOKE_LINK} key_id = any({{keys}})"),
            "key_expired": _MAKER,
            "rights_lost": _MAKER,
            "person_left": Ends(f"{_REVOKE_LINK} user_id = $1 and workspace_id = $2"),
            "password_changed": _IN_A_TEAM,
            "session_stolen": _BY_PERSON,
        },
    ),
    _link("calendar_link", Asks("calendar_links.actions.read._maker")),
    _link("report_link", Asks("report_links.actions.read.maker_of")),
    Kind(
        "feed",
        frozenset({"created_by", "user_id", "key_id", "scopes"}),
        {
            # Held and not deleted: it goes on when someone who may answers for it.
            "key_revoked": Ends(f"{_HOLD_FEED} key_id = any({{keys}})"),
            "key_leaked": Ends(f"{_HOLD_FEED} key_id = any({{keys}})"),
            "key_expired": _ANSWERABLE,
            "rights_lost": _ANSWERABLE,
            "person_left": Ends(f"{_HOLD_FEED} user_id = $1 and workspace_id = $2"),
            "password_changed": _IN_A_TEAM,
            "session_stolen": _BY_PERSON,
        },
    ),
    Kind(
        "comment_rule",
        frozenset({"assignee_id", "created_by", "user_id", "key_id", "scopes"}),
        {
            # Switched off and not deleted, as feeds are.
            "key_revoked": Ends(f"{_HOLD_RULE} key_id = any({{keys}})"),
            "key_leaked": Ends(f"{_HOLD_RULE} key_id = any({{keys}})"),
            "key_expired": _RULED,
            "rights_lost": _RULED,
            "person_left": Ends(f"{_HOLD_RULE} user_id = $1 and workspace_id = $2"),
            "password_changed": _IN_A_TEAM,
            "session_stolen": _BY_PERSON,
        },
    ),
    Kind(
        "member",
        frozenset({"user_id", "invited_by", "key_id"}),
        {
            "key_revoked": Ends(f"{_TAKE_BACK} key_id = any({{keys}})"),
            "key_leaked": Ends(f"{_TAKE_BACK} key_id = any({{keys}})"),
            "key_expired": _INVITER,
            "rights_lost": _INVITER,
            "person_left": Ends(f"{_TAKE_BACK} invited_by = $1 and workspace_id = $2"),
            "password_changed": Ends(f"{_TAKE_BACK} invited_by = $1"),
            "session_stolen": _BY_PERSON,
        },
    ),
    Kind(
        "webhook",
        frozenset({"created_by", "secret", "former_secret", "former_secret_until", "next_secret"}),
        {
            "key_revoked": _IN_A_TEAM,
            # Paused and not deleted: what it misses is kept, and sent when someone who looked at it enables it again.
            "key_leaked": Ends(
                "update webhook set status = 'paused', stopped_at = now(), updated_at = now()"
                " where created_by ->> 'id' = any({actors}) and status = 'active' and deleted_at is null"
            ),
            "key_expired": _IN_A_TEAM,
            "rights_lost": _IN_A_TEAM,
            "person_left": _IN_A_TEAM,
            "password_changed": _IN_A_TEAM,
            "session_stolen": _IN_A_TEAM,
        },
    ),
    Kind(
        "post",
        frozenset({"created_by", "created_by_user_id"}),
        {
            "key_revoked": _IN_A_TEAM,
            "key_leaked": Stays("that a key was public is no sign that it was used; the mail says how many posts wait"),
            "key_expired": _IN_A_TEAM,
            "rights_lost": _IN_A_TEAM,
            "person_left": _IN_A_TEAM,
            "password_changed": _IN_A_TEAM,
            "session_stolen": _IN_A_TEAM,
        },
    ),
    Kind(
        "media",
        frozenset({"created_by", "created_by_user_id"}),
        {
            "key_revoked": _UPLOADER,
            "key_leaked": _UPLOADER,
            "key_expired": _UPLOADER,
            "rights_lost": _UPLOADER,
            "person_left": _UPLOADER,
            "password_changed": _SHORT,
            "session_stolen": _SHORT,
        },
    ),
    Kind(
        "workspace_export",
        frozenset({"user_id"}),
        {
            "key_revoked": _NO_KEY,
            "key_leaked": _NO_KEY,
            "key_expired": _NO_KEY,
            "rights_lost": _OWNER,
            "person_left": _OWNER,
            "password_changed": Ends(f"{_END_EXPORT} user_id = $1"),
            # It is made again in some minutes, and has everything.
            "session_stolen": Ends(f"{_END_EXPORT} user_id = {_WHOSE_SESSION}"),
        },
    ),
    Kind(
        "billing_handover",
        frozenset({"user_id", "offered_by"}),
        {
            "key_revoked": _NO_KEY,
            "key_leaked": _NO_KEY,
            "key_expired": _NO_KEY,
            "rights_lost": Asks("billing.actions.handover._may_take_over"),
            "person_left": Asks("billing.actions.handover._may_take_over"),
            "password_changed": Ends("delete from billing_handover where offered_by = $1 and moves_ownership"),
            "session_stolen": _BY_PERSON,
        },
    ),
    Kind(
        "session",
        frozenset({"user_id"}),
        {
            "key_revoked": _NO_KEY,
            "key_leaked": _NO_KEY,
            "key_expired": _NO_KEY,
            "rights_lost": Asks("identity.authenticate: the role of each request"),
            "person_left": Asks("identity.authenticate: the membership of each request"),
            "password_changed": Own("identity.actions.sign_in.end_sessions"),
            "session_stolen": Own("identity.actions.sign_in.refresh"),
        },
    ),
    Kind(
        "one_time_token",
        frozenset({"user_id", "hash"}),
        {
            "key_revoked": _NO_KEY,
            "key_leaked": _NO_KEY,
            "key_expired": _NO_KEY,
            "rights_lost": Stays("a password is of a person, not of a workspace"),
            "person_left": Stays("a password is of a person, not of a workspace"),
            "password_changed": Ends(
                "update one_time_token set used_at = now() where user_id = $1 and purpose = 'password_reset'"
                " and used_at is null"
            ),
            "session_stolen": Stays("it lies in the mailbox of the person"),
        },
    ),
    Kind(
        "idempotency",
        frozenset({"credential"}),
        dict.fromkeys(get_args(Cause), _FIRST),
    ),
)

ELSEWHERE: Final[dict[str, tuple[str, str]]] = {
    "account": ("scopes secrets secrets_version", "a grant of the network to the workspace, which members see and end"),
    "app": ("created_by secret_hmac", "its secret says which app it is, and gives no rights in its workspace"),
    "app_user": ("totp_secret", "the person"),
    "audit": ("actor", "history"),
    "audit_seal": ("hash", "the chain of history"),
    "billing_feedback": ("user_id", "what a person answered"),
    "comment": ("assignee_id author_id", "who takes care of it, and a person at a network"),
    "comment_reply": ("author user_id", "what a person said: it is sent at once, or when someone else approves it"),
    "device_login": ("key_id", "opened by nobody; what it is granted is a key of its own"),
    "feature_flag": ("updated_by", "history of the installation"),
    "mail_message": ("owner_id", "counts what was sent"),
    "post_message": ("author user_id", "what a person said"),
    "profile_link": ("created_by", "a setting of the workspace, which members see and change"),
    "profile_link_history": ("actor", "history"),
    "push_device": ("user_id session_id", "it ends with its session, by `sign_in.end_session`"),
    "request_log": ("user_id key_id", "history, for a week"),
    "snippet": ("created_by", "a text of the workspace, which members see and change; it acts for nobody"),
    "status_subscriber": ("secret", "of a receiver, who has no credential here and ends it by a token"),
    "status_update": ("author", "history of the installation"),
    "stream_place": ("owner_id", "counts streams, each of which ends with its credential"),
    "ticket": ("author_id assignee_id", "a conversation with support"),
    "ticket_message": ("author_id", "a conversation with support"),
    "ticket_vote": ("user_id", "an opinion"),
    "user_identity": ("user_id", "another way of the person to sign in, which the provider vouches for"),
}
"""Table -> columns of that kind, and why nothing of it acts for a credential."""


async def end_of_keys(
    db: Db, key_ids: Sequence[UUID], *, cause: Literal["key_revoked", "key_leaked"] = "key_revoked"
) -> None:
    """End what these keys of one workspace have made."""
    if key_ids:
        await _end(db, cause, [*key_ids])


async def end_of_session(db: Db, session_id: UUID) -> None:
    """End what was made in a session that someone else had too."""
    await _end(db, "session_stolen", session_id)


async def end_of_member(db: Db, user_id: UUID, workspace_id: UUID) -> None:
    """End what a person has made in a workspace that they leave."""
    await _end(db, "person_left", user_id, workspace_id)


async def end_of_person(db: Db, user_id: UUID) -> None:
    """End what a person has made everywhere, because their password was changed."""
    await _end(db, "password_changed", user_id)


async def _end(db: Db, cause: Cause, whose: Any, *more: Any) -> None:
    for kind in OFFSPRING:
        effect = kind.on[cause]
        if not isinstance(effect, Ends):
            continue
        statement = effect.statement.format(keys="$1::uuid[]", actors="$1::text[]")
        by_actor = "{actors}" in effect.statement
        await db.execute(statement, [ids.encode("key", key_id) for key_id in whose] if by_actor else whose, *more)
