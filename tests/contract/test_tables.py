"""A table has one owner room. SQL keeps to the floors as imports do; each exception is listed here with its reason.

The import contracts cannot read SQL; without this list two rooms could come to depend on each other's tables unseen.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import asyncpg
import pytest

import signalpost
from signalpost.main import wiring
from signalpost.workspaces.actions.erase import ERASED, KEPT

PACKAGE = Path(signalpost.__file__).parent
OWNERS = {table: room.name for room in wiring.ROOMS for table in room.tables}
"""Table -> the room that writes it, and whose functions the others call."""

READS = {
    ("apps", "api_key"): "a grant is its key: what it may do and when it ends is read with it",
    ("apps", "app_user"): "grants show the names of the people who allowed them",
    ("apps", "member"): "owner and admins get a mail when a secret of their app was found in public",
    ("apps", "profile"): "names and ids of a member's profiles, to choose from",
    ("apps", "workspace"): "an app ends with its workspace, in the statement that reads it",
    ("analytics", "account"): "schedules are made and read by account, in one statement",
    ("analytics", "post"): "which profile and mode a published target belongs to is read with it",
    ("analytics", "profile"): "days are those of the profile's zone, compared with the one they were made in",
    ("analytics", "target"): "what is published, and as what, is read in one statement",
    ("analytics", "job"): "an account whose job waits is left out before the limit counts, in the same statement",
    ("admin", "account"): "figures of the whole installation, in bounded statements",
    ("admin", "app_user"): "figures of the whole installation, in bounded statements",
    ("admin", "attempt"): "figures of the whole installation, in bounded statements",
    ("admin", "delivery"): "figures of the whole installation, in bounded statements",
    ("admin", "instance"): "without a backup, the age of the installation counts",
    ("admin", "job"): "staff see the jobs of all workspaces",
    ("admin", "lane"): "figures of the whole installation, in bounded statements",
    ("admin", "schema_migration"): "staff see which revision the schema has",
    ("health", "schema_migration"): "health says whether the schema is that of the program",
    ("admin", "member"): "staff see who owns a workspace, and how many members it has",
    ("admin", "media"): "figures of the whole installation, in bounded statements",
    ("admin", "post"): "figures of the whole installation, in bounded statements",
    ("admin", "profile"): "figures of the whole installation, in bounded statements",
    ("admin", "rate_bucket"): "staff see which apps are paused",
    ("admin", "target"): "figures of the whole installation, in bounded statements",
    ("admin", "webhook"): "figures of the whole installation, in bounded statements",
    ("admin", "worker"): "figures of the whole installation, in bounded statements",
    ("admin", "workspace"): "figures of the whole installation, in bounded statements",
    ("kit", "worker"): "upward: a notification names the worker that serves the lane, in the statement that sends it",
    ("accounts", "api_key"): "an authorization goes on only while its key still may connect",
    (
        "accounts",
        "app_user",
    ): "the start page of an authorization names who asks; the owner is mailed about a new server",
    ("accounts", "member"): "an authorization goes on only while its member still may connect",
    ("approval_links", "profile"): "a link shows the name, colour and picture of its profile",
    ("approval_links", "workspace"): "a link shows the name of its workspace",
    (
        "comments",
        "account",
    ): "what is due is one read, with whether its account may be asked; an answer is not of an account that is gone",
    (
        "comments",
        "job",
    ): "an account that has a job of its own is not looked at with others, in the statement that reads it",
    ("comments", "post"): "comments are there as long as their post is, in the statement that reads them",
    ("comments", "profile"): "comments are there as long as their profile is, in the statement that reads them",
    ("comments", "target"): "what was published is found by the index of its account, and asked for by its remote id",
    ("comments", "workspace"): "the plan of a workspace says how long its comments are kept",
    ("link_pages", "account"): "a page has icons of its profile's accounts, and its posts are found by them",
    ("link_pages", "post"): "a page shows the last posts of its profile, with what they are about",
    ("link_pages", "profile"): "a page has the colour and picture of its profile, and is there as long as that is",
    ("link_pages", "target"): "what was published is found by the index of its account",
    ("link_pages", "workspace"): "the page of a deleted workspace is gone before its data is",
    ("snippets", "profile"): "snippets of deleted profiles are seen no more, in the statement that reads them",
    ("report_links", "profile"): "a report has the name, colour and picture of its profile, and its zone",
    ("report_links", "workspace"): "a report shows the name of its workspace",
    ("calendar_links", "profile"): "a calendar has the colour of its profile, or the names of several",
    ("feeds", "profile"): "a feed rests with its profile, in the statement that reads it",
    ("accounts", "profile"): "the start page of an authorization names the profile, in the statement that checks it",
    ("accounts", "post"): "upward: a test key changes no account that live posts wait for",
    ("accounts", "target"): "upward: posts of today, recent results and waiting posts of an account, counted in place",
    ("accounts", "workspace"): "the plan and the redirect URLs of the workspace",
    ("audit", "workspace"): "upward: every workspace has a chain, and its plan says how long entries are kept",
    ("invites", "app_user"): "the page of an invitation names who invites",
    ("invites", "profile"): "an invitation names its profile, and ends with it",
    ("invites", "workspace"): "the page of an invitation names the workspace",
    ("billing", "workspace"): "each night the plans of workspaces are compared with what is paid, in one statement",
    ("billing", "app_user"): "whose card pays is shown by name, in the statement that reads it",
    ("main", "billing_feedback"): "`signalpost feedback list` shows the whole installation",
    ("main", "account"): "`signalpost accounts list` shows the whole installation",
    ("main", "api_key"): "`signalpost keys list` shows the whole installation",
    ("main", "app_user"): "`signalpost users list` shows the whole installation",
    ("mail", "app_user"): "a mail is in the language of its reader, about what they chose, outside their quiet hours",
    ("mail", "push_device"): "whether a message goes to devices too is read with what its reader chose",
    ("mail", "job"): "a message that waits is read from its job",
    ("main", "lane"): "`signalpost doctor` counts overdue lanes",
    ("main", "mail_message"): "`signalpost mail list` shows the whole installation",
    ("main", "member"): "the command line finds the owner of a workspace by its name",
    ("main", "post"): "`signalpost posts list` shows the whole installation",
    ("main", "profile"): "`signalpost demo` finds the workspace that it made before",
    ("api_keys", "api_key"): "made and revoked here; `identity` reads keys at every request",
    ("api_keys", "app_user"): "keys are listed with the names of their people, who get a mail when one leaks",
    ("api_keys", "member"): "owner and creator of a leaked key get a mail",
    ("api_keys", "post"): "upward: the mail about a leaked key says how many posts it has scheduled",
    ("api_keys", "workspace"): "the mail about a leaked key names its workspace",
    ("main", "status_subscriber"): "`signalpost status subscribers` lists and ends them without the service",
    ("main", "target"): "`signalpost posts show` shows a post of any workspace",
    ("main", "webhook"): "`signalpost webhooks list` shows the whole installation",
    ("main", "worker"): "a backup is not restored into a database that processes work with",
    ("main", "workspace"): "the command line finds a workspace by its name",
    ("messenger", "account"): "a draft is for all accounts of a profile, of which only the ids are needed",
    ("messenger", "post"): "which of the posts that ended came from a number, in one statement with its link",
    ("messenger", "api_key"): "a number works as long as the key that linked it, in the statement that reads it",
    ("messenger", "profile"): "names and ids of a member's profiles, in place",
    ("plans", "account"): "upward: usage is counted in one statement",
    ("plans", "api_key"): "usage is counted in one statement",
    ("plans", "feed"): "upward: usage is counted in one statement",
    ("plans", "media"): "upward: usage is counted in one statement",
    ("plans", "member"): "usage is counted in one statement",
    ("plans", "platform_invite"): "upward: usage is counted in one statement",
    ("plans", "post"): "upward: usage is counted in one statement",
    ("plans", "profile"): "upward: usage is counted in one statement",
    ("plans", "target"): "upward: quotas of accounts count what was published today",
    ("plans", "webhook"): "usage is counted in one statement",
    ("plans", "app_user"): "the owner of a workspace is mailed about its usage",
    ("plans", "workspace"): "which plan a workspace has decides what is more than it covers",
    ("push", "app_user"): "a test is written in the language of its person, whose row counts their devices one by one",
    ("push", "session"): "a device gets something as long as its session is open, in the statement that reads it",
    ("posts", "account"): "a post is built from one read of its profile with the accounts; targets show the username",
    ("posts", "audit"): "the log of one post, with its attempts",
    ("posts", "lane"): "locks lanes before rows, in the order in which workers lock them",
    ("posts", "media"): "the statement that writes a post locks its files, so that nobody deletes them meanwhile",
    ("posts", "profile"): "a post is built from one read of its profile with the accounts",
    ("posts", "workspace"): "the job that keeps what searches use looks at one workspace after the other",
    ("profiles", "account"): "upward: the number of accounts, and whether any is live, come with the profile",
    ("profiles", "api_key"): "a test key changes no profile that a live key is limited to",
    ("profiles", "media"): "upward: a test key changes no profile that has live files",
    ("profiles", "post"): "upward: a test key changes no profile that has live posts",
    ("profiles", "webhook"): "upward: a test key changes no profile that a live webhook is limited to",
    ("publishing", "account"): "the context of an attempt is one read",
    ("publishing", "lane"): "the queue shows until when a target is leased",
    ("publishing", "post"): "the context of an attempt is one read",
    ("publishing", "profile"): "the context of an attempt is one read",
    ("publishing", "target"): "what is due, and the context of an attempt, are one read each",
    ("request_log", "api_key"): "calls are listed with the names of their keys",
    ("request_log", "app_user"): "calls are listed with the names of their members",
    ("status", "attempt"): "how well networks answer is counted in one statement",
    ("status", "delivery"): "how well receivers answer is counted in one statement",
    ("status", "target"): "an attempt does not say of which network it is",
    ("scheduling", "account"): "a test key does not see queues of profiles with live accounts",
    ("scheduling", "post"): "upward: who has a slot follows from the post",
    ("scheduling", "profile"): "a queue without a zone has that of its profile",
    ("scheduling", "target"): "upward: a slot is free only if none of the accounts publishes anything then",
    ("stream", "audit"): "what changed is what history says",
    ("stream", "post"): "upward: who may read a post follows from its profile and mode",
    ("support", "app_user"): "tickets and messages show the names of their people",
    ("webhooks", "app_user"): "the owner of a workspace is mailed when a webhook is disabled",
    ("webhooks", "member"): "the owner of a workspace is mailed when a webhook is disabled",
    (
        "workspaces",
        "session",
    ): "sessions of people whose accounts are deleted go in pages, with the names of the people",
    ("workspaces", "app_user"): "an export names the people of a workspace, and is mailed to who asked for it",
    ("workspaces", "media"): "an export reads the files that rows name, in the snapshot of the rows",
    ("workspaces", "workspace"): "an export names its workspace, and an import keeps ids if it is not here",
    ("feeds", "lane"): "lanes of deleted feeds are forgotten, in the statement that finds them",
    ("workspaces", "lane"): "a workspace is erased when no worker has a lane of it any more",
    ("webhooks", "workspace"): "how long deliveries are kept follows from the plan",
}
"""(room, table of another room) -> why the room reads it itself."""

WRITES = {
    ("api_keys", "api_key"): "made and revoked here; `identity` reads keys at every request",
    ("main", "status_subscriber"): "`signalpost status subscribers --end` works while the service is down",
    ("identity", "approval_link"): "what credentials have made ends with them, by one table: `identity.offspring`",
    ("identity", "billing_handover"): "what credentials have made ends with them, by one table: `identity.offspring`",
    ("identity", "comment_rule"): "what credentials have made ends with them, by one table: `identity.offspring`",
    ("identity", "push_device"): "a device ends with its session, in its transaction",
    ("identity", "user_identity"): "what lets a person in goes with their account, in its transaction",
    ("identity", "feed"): "what credentials have made ends with them, by one table: `identity.offspring`",
    ("identity", "oauth_flow"): "what credentials have made ends with them, by one table: `identity.offspring`",
    ("identity", "platform_invite"): "what credentials have made ends with them, by one table: `identity.offspring`",
    ("identity", "webhook"): "what credentials have made ends with them, by one table: `identity.offspring`",
    ("identity", "workspace_export"): "what credentials have made ends with them, by one table: `identity.offspring`",
    ("posts", "audit"): "the entries of a post are written by the one statement that writes it",
    ("publishing", "post"): "the status of a post follows its targets, in the transaction that ends an attempt",
    ("publishing", "target"): "the steps and the end of an attempt; status moves come from `posts.states`",
    (
        "workspaces",
        "session",
    ): "sessions of people whose accounts are deleted go in pages, with the names of the people",
    ("workspaces", "feature_flag"): "the names of people whose accounts are deleted go, wherever they are",
    ("workspaces", "workspace"): "its owner changes name, zone and rules; `identity` makes and reads it",
    ("workspaces", "account"): "erasure deletes the rows of all tables, those that refer to others of their own first",
    ("feeds", "lane"): "the lanes of deleted feeds are forgotten with what left their feeds",
    ("webhooks", "lane"): "the lanes of deleted webhooks go with them, in one statement",
}
"""(room, table of another room) -> why the room writes it itself."""

ACROSS = {
    "accounts/actions/callback.py": "the state tells the workspace, until the person who began is known",
    "accounts/actions/choices.py": "the selection token tells the workspace, until the person who began is known",
    "accounts/actions/form.py": "the state tells the workspace, until the person who began is known",
    "accounts/actions/network_apps.py": "an app that we registered at a server serves the accounts of all workspaces",
    "accounts/actions/start.py": "the state tells the workspace, until the person who began is known",
    "billing/actions/refresh.py": "what was paid decides on the plan, not the rights of whoever asks",
    "engine/lease.py": "items of lanes without a workspace are work of the installation",
    "identity/actions/notifications.py": "the token of a mail tells the user, who has workspaces",
    "identity/actions/first_run.py": "creates the first workspace",
    "identity/actions/passwords.py": "a new password ends the sessions of a user in all workspaces",
    "identity/authenticate.py": "a credential tells the workspace",
    "approval_links/actions/guest.py": "the token of a link tells the workspace",
    "comments/actions/push.py": "an account at a network may be connected in several workspaces: a call names it alone",
    "calendar_links/actions/read.py": "the token of a link tells the workspace",
    "link_pages/actions/visit.py": "the address of a page tells the workspace",
    "report_links/actions/read.py": "the token of a link tells the workspace",
    "invites/actions/guest.py": "the token of an invitation tells the workspace",
    "console/authorize.py": "an app is of no workspace, or of another one; a user chooses among theirs",
    "console/oauth.py": "an app is of no workspace, or of another one than those that it acts for",
    "console/oidc.py": "who signs in may be a member, or invited, anywhere",
    "console/first_run.py": "there is no workspace yet",
    "console/pages.py": "whether there is a user yet",
    "console/register.py": "creates a workspace",
    "console/reset_password.py": "a user has workspaces, and a job is of none",
    "console/status_pages.py": "subscribers are of the installation",
    "console/sign_in.py": "the user tells the workspace",
    "console/team_invites.py": "the token of an invitation tells the workspace",
    "oidc/actions/finish.py": "who signs in may be a member, or invited, anywhere",
    "main/gauges.py": "the age of the newest backup, and what is overdue, are of the installation",
    "main/app.py": "what a process does by itself, and the command line, are about the installation",
    "web/serve.py": "operations that say so, see below",
}
"""File -> why code there sees the rows of every workspace; all others see those of one, or none."""

OPERATIONS_ACROSS = {
    "get_push_devices": "a device belongs to a user and their session",
    "create_push_device": "a device belongs to a user and their session",
    "delete_push_device": "a device belongs to a user and their session",
    "test_push_device": "a device belongs to a user and their session",
    "update_me": "a user has workspaces, not the other way round",
    "update_notifications": "a user has workspaces, not the other way round",
    "change_password": "a user has workspaces, not the other way round",
    "list_sessions": "a session belongs to the workspace where it began",
    "end_session": "a session belongs to the workspace where it began",
    "end_other_sessions": "a session belongs to the workspace where it began",
    "enrol_totp": "a user has workspaces, not the other way round",
    "confirm_totp": "a user has workspaces, not the other way round",
    "disable_totp": "a user has workspaces, not the other way round",
    "get_oidc_link": "a user has workspaces, not the other way round",
    "unlink_oidc": "a user has workspaces, not the other way round",
    "delete_me": "a user has workspaces, not the other way round",
    "subscribe_to_status": "subscribers are of the installation, and so are their mails",
    "confirm_status_subscription": "subscribers are of the installation",
    "unsubscribe_from_status": "subscribers are of the installation",
    "backfill_uptime": "the status is of the installation",
    "upsert_component": "the status is of the installation",
    "set_component_status": "the status is of the installation",
    "create_incident": "the status is of the installation",
    "add_incident_update": "the status is of the installation",
    "accept_team_invite": "the token tells the workspace; the user may have others",
    "check_api": "looks at the lanes of all workspaces",
    "check_datastore": "tries to write, as the engine does",
    "create_workspace": "the new one is another than that of the request",
    "decline_team_invite": "the token tells the workspace",
    "forgot_password": "a user has workspaces, not the other way round",
    "create_device_login": "nobody has signed in yet",
    "take_device_login": "nobody has signed in; the code tells the row",
    "find_device_login": "the code tells the row, which belongs to nobody yet",
    "approve_device_login": "the code tells the row, which belongs to nobody yet",
    "refuse_device_login": "the code tells the row, which belongs to nobody yet",
    "get_me": "a session belongs to the workspace where it began",
    "get_media_content": "the signature stands for the credential, and names the file",
    "list_workspaces": "those of a user",
    "list_suggestions": "suggestions are public",
    "sync_metrics": "targets of all workspaces",
    "sync_due_metrics": "targets of all workspaces",
    "get_stats": "figures of the installation",
    "get_admin_queue": "the queue of the installation",
    "list_all_workspaces": "the workspaces of the installation",
    "list_all_users": "users have workspaces, not the other way round",
    "list_jobs": "the jobs of the installation",
    "run_job": "a job of any workspace",
    "list_backups": "backups are of the installation",
    "get_system": "processes and backups of the installation",
    "list_status_subscribers": "subscribers are of no workspace",
    "delete_status_subscriber": "subscribers are of no workspace",
    "list_pauses": "what is kept back in all workspaces",
    "end_pause": "what is kept back in any workspace",
    "list_payment_differences": "what is charged of all workspaces",
    "repair_payment_difference": "what is charged of any workspace",
    "leave_payment_difference": "what is charged of any workspace",
    "send_test_mail": "the operator asks; the text names a workspace of theirs",
    "get_ticket": "suggestions are public, and staff read every ticket",
    "vote_for_suggestion": "suggestions are public",
    "remove_vote": "suggestions are public",
    "list_tickets": "only for staff: those of all workspaces",
    "delete_ticket": "only for staff: those of all workspaces",
    "add_ticket_message": "only for staff: tickets of all workspaces",
    "update_ticket_status": "only for staff: tickets of all workspaces",
    "login": "the workspace is looked for",
    "export_workspace": "any of those of a user, not only that of the request",
    "get_workspace_export": "any of those of a user, not only that of the request",
    "get_workspace_export_content": "the signature stands for the credential, and names the workspace",
    "report_leaked_keys": "the keys tell their workspaces",
    "delete_workspace": "any of those of a user, not only that of the request",
    "logout": "a session belongs to the workspace where it began",
    "process_queue": "does the work of the engine",
    "redeem_sign_in_code": "the code tells the user, who may be a member anywhere",
    "refresh": "the token tells the session, which tells the workspace",
    "receive_messages": "the sender of a message tells the workspace",
    "put_media_upload": "the signature stands for the credential, and names the file",
    "transfer_ownership": "how many workspaces with the free plan the successor owns",
    "list_plans": "the credential, if there is one, tells the workspace",
    "receive_billing_webhook": "the customer tells the workspace",
    "register": "creates a workspace",
    "update_feature_flag": "flags belong to the installation, and so does the history of their changes",
    "update_workspace": "any of those of a user, not only that of the request",
}
"""Operation -> why it sees the rows of every workspace."""

_OF_WORKSPACES = """
select c.table_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
where c.table_schema = 'public' and c.column_name = 'workspace_id' and t.table_type = 'BASE TABLE'
    and not (select relispartition from pg_class where oid = format('public.%I', c.table_name)::regclass)
"""
_ACROSS = re.compile(r"^\s*(?:with across_workspaces\(\)|across\.set\(True\))", re.MULTILINE)
_TABLE = "|".join(sorted(OWNERS, key=len, reverse=True))
_WRITE = re.compile(rf"(?:insert into|(?<!for )(?<!key )update|delete from)\s+({_TABLE})\b")
_READ = re.compile(rf"(?<!delete )(?:from|join)\s+({_TABLE})\b")
_SQL = re.compile(r"\b(select|insert into|update|delete from|join|where|returning)\b")


def _strings(tree: ast.AST) -> Iterator[str]:
    """Every string of a module except docstrings; `{…}` of f-strings become a space."""
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values}
            yield " ".join(str(part.value) if isinstance(part, ast.Constant) else " " for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.value


@cache
def _statements() -> list[tuple[Path, str]]:
    """Every string that is SQL, with its file; to parse all of them takes seconds."""
    return [
        (file, text)
        for path in sorted(PACKAGE.rglob("*.py"))
        if (file := path.relative_to(PACKAGE)).parts[0] != "migrations"
        and _SQL.search(source := path.read_text(encoding="utf-8"))
        for text in _strings(ast.parse(source))
        if _SQL.search(text)
    ]


def _crossings(pattern: re.Pattern[str]) -> dict[tuple[str, str], set[str]]:
    """(room, table of another room) -> the files whose SQL matches the pattern."""
    crossings: dict[tuple[str, str], set[str]] = {}
    for file, text in _statements():
        for table in pattern.findall(text):
            if OWNERS[table] != file.parts[0]:
                crossings.setdefault((file.parts[0], table), set()).add(str(file))
    return crossings


def test_who_looks_across_workspaces_is_listed() -> None:
    """Row-level security holds for all others."""
    files = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if _ACROSS.search(path.read_text(encoding="utf-8"))
    }
    operations = {endpoint.name for endpoint in wiring.endpoints() if endpoint.across_workspaces}
    assert files == ACROSS.keys()
    assert operations == OPERATIONS_ACROSS.keys()


def test_every_table_has_an_owner() -> None:
    created: set[str] = set()
    dropped: set[str] = set()
    for path in (PACKAGE / "migrations").rglob("*.sql"):
        text = path.read_text(encoding="utf-8")
        created |= set(re.findall(r"create (?:unlogged )?table (?:if not exists )?(\w+)", text))
        dropped |= set(re.findall(r"^drop table (\w+)", text, re.MULTILINE))
    assert created - dropped == OWNERS.keys()


@pytest.mark.xdist_group("statements")
def test_rooms_write_only_their_own_tables() -> None:
    """A table that several rooms write has no rules: the owner offers a function."""
    crossings = _crossings(_WRITE)
    assert crossings.keys() - WRITES.keys() == set(), crossings
    assert WRITES.keys() - crossings.keys() == set(), "no longer needed in the list"


@pytest.mark.xdist_group("statements")
def test_reads_of_other_tables_are_listed() -> None:
    """A join that saves a round trip is fine when it is known: a change of that table has to look here."""
    crossings = _crossings(_READ)
    assert crossings.keys() - READS.keys() == set(), crossings
    assert READS.keys() - crossings.keys() == set(), "no longer needed in the list"


def test_nothing_reads_upward_unless_it_is_listed_as_such() -> None:
    """Sideways and upward reads are the ones that could close a circle, so their reasons say that they know."""
    floors = ["kit", "networks", "engine", "audit", "identity", "plans", "profiles", "accounts", "posts", "publishing"]
    upward = {
        (room, table)
        for room, table in READS
        if room in floors and OWNERS[table] in floors and floors.index(OWNERS[table]) > floors.index(room)
    }
    assert {crossing for crossing in upward if "upward" not in READS[crossing]} == set()


async def test_every_table_of_workspaces_is_erased_with_them_or_kept_for_a_reason(dsn: str) -> None:
    """A table that is added has to be listed: in the order in which rows can go, or with the reason why they stay."""
    connection = await asyncpg.connect(dsn)
    try:
        rows = await connection.fetch(_OF_WORKSPACES)
    finally:
        await connection.close()

    assert {row[0] for row in rows} == {*ERASED} | KEPT.keys()
    assert not {*ERASED} & KEPT.keys()
