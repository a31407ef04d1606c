"""What gathers for periodic jobs: SQL that makes a backlog of each, and what is left of it."""

from typing import Final, NamedTuple
from uuid import UUID

from signalpost.audit.actions.seal import ENTRIES_MAX
from signalpost.kit import batches, ids
from signalpost.media.actions import sweep
from signalpost.plans import notices as usage_notices
from signalpost.posts import work as posts
from signalpost.support.actions import close
from signalpost.webhooks.actions import purge
from signalpost.workspaces.actions import erase, erase_people


class Backlog(NamedTuple):
    """How `$1` rows come that a job has to work on, and how many are still to be done.

    `at_once`: how many rows of `table` one transaction may write. `share`: of how many rows of the test there is one,
    where each takes a transaction of its own or a call. `covers`: how many of them one row of `table` stands
    for, at most.
    """

    job: str
    fill: str
    table: str
    left: str
    at_once: int = batches.ROWS
    share: int = 1
    covers: int = 1


_PERSON: Final = UUID("01900000-0000-7000-8000-0000000000ff")
_OLD: Final = "now() - interval '100 days'"
_N: Final = "generate_series(1, $1::int) n"
TENANTS: Final = 500
"""In the temporary table `tenant`, with their numbers, profiles and accounts. Number 0 has half of each backlog, the
others share the rest: what a transaction does may grow neither with one of them nor with how many there are."""
_NUMBER: Final = f"case when n % 2 = 0 then 0 else n % {TENANTS} end"
_TENANTS: Final = f"{_N} join tenant p on p.number = {_NUMBER}"
_WORKSPACES: Final = (
    "with w as (insert into workspace (id, name, slug, plan)"
    f" select gen_random_uuid(), 'backlog', gen_random_uuid()::text, 'free' from {_N} returning id)"
)
_PROFILES: Final = (
    _WORKSPACES + ", p as (insert into profile (id, workspace_id, name, slug, timezone, over_limit)"
    " select gen_random_uuid(), id, 'backlog', 'backlog', 'UTC', {} from w returning id, workspace_id)"
)
_ACCOUNTS: Final = (
    "insert into account (id, workspace_id, profile_id, platform, kind, username, display_name, connected_via,"
    " updated_at, remote_id, status, noticed_status)"
    f" select gen_random_uuid(), workspace_id, id, 'mastodon', 'personal', 'backlog', '', 'api', {_OLD},"
)
_OF_TENANTS: Final = f"from {_TENANTS}"
_OF_NUMBERED: Final = f"from p join {_N} on p.number = {_NUMBER}"
_POSTS: Final = (
    "insert into post (id, workspace_id, profile_id, timezone, publish_mode, created_by, source, mode, notes, status,"
    " text, created_at, scheduled_at, scheduled_local, deleted_at, purge_at)"
    " select gen_random_uuid(), workspace_id, id, 'UTC', 'schedule', json_build_object('type', 'user', 'id', null,"
    " 'name', null), 'api', 'live',"
)
_WEBHOOK: Final = (
    "with h as (insert into webhook (id, workspace_id, url, events, secret, created_by, status, name, deleted_at)"
    " select gen_random_uuid(), workspace_id, 'https://backlog.test', '{}', '', '{}', 'disabled', 'backlog', "
)
_DELIVERIES: Final = (
    ", p as (select *, row_number() over () - 1 as number from h)"
    " insert into delivery (id, workspace_id, webhook_id, event_id, type, body, created_at, state)"
    f" select gen_random_uuid(), workspace_id, id, gen_random_uuid(), 'backlog', '', {_OLD},"
)
_DELIVERIES_LEFT: Final = "select count(*) from delivery where type = 'backlog'"

BACKLOGS: Final = {
    "seals": Backlog(
        "audit.seal",
        "insert into audit (id, workspace_id, action, actor) select pg_temp.id_of(n), workspace_id, 'old', '{}'"
        f" {_OF_TENANTS}",
        "audit_seal",
        "select count(*) from (select id from audit where action = 'old'"
        " except select unnest(entries) from audit_seal) unsealed",
        covers=ENTRIES_MAX,
    ),
    "history": Backlog(
        "plans.purge_audit",
        "with w as (insert into workspace (id, name, slug, plan)"
        f" select gen_random_uuid(), 'w', 'w' || n || $1::int, 'free' from generate_series(1, {TENANTS}) n"
        " returning id), p as (select id as workspace_id, row_number() over () - 1 as number from w),"
        f" r as (select workspace_id, pg_temp.id_of(n) as id, n {_OF_NUMBERED}),"
        " a as (insert into audit (id, workspace_id, action, actor, at)"
        f" select id, workspace_id, 'purge', '{{}}', {_OLD} from r)"
        " insert into audit_seal (workspace_id, seq, audit_id, previous, hash, sealed_at)"
        f" select workspace_id, n, id, '', '', {_OLD} from r",
        "audit",
        "select count(*) from audit where action = 'purge'",
    ),
    "idempotency": Backlog(
        "web.purge",
        "insert into idempotency (credential, key, fingerprint, created_at)"
        f" select 'backlog', n::text, '', {_OLD} from {_N}",
        "idempotency",
        "select count(*) from idempotency where credential = 'backlog'",
    ),
    "flows": Backlog(
        "account.purge_flows",
        "insert into oauth_flow (state_hash, workspace_id, profile_id, platform, code_verifier, started_by, expires_at)"
        f" select sha256(n::text::bytea), workspace_id, id, 'sandbox', '', '{{}}', {_OLD} {_OF_TENANTS}",
        "oauth_flow",
        "select count(*) from oauth_flow where expires_at < now() - interval '1 day'",
    ),
    "accounts that stopped": Backlog(
        "account.notices",
        f"{_PROFILES.format(False)} {_ACCOUNTS} 'x', 'needs_reauth', null from p",
        "account",
        "select count(*) from account where status = 'needs_reauth' and noticed_status is null",
        at_once=1,
        share=25,
    ),
    "accounts that work again": Backlog(
        "account.notices",
        f"{_ACCOUNTS} 'again' || n, 'active', 'restricted' {_OF_TENANTS}",
        "account",
        "select count(*) from account where status = 'active' and noticed_status is not null",
    ),
    "restricted accounts": Backlog(
        "account.recheck_due",
        f"{_ACCOUNTS} 'blocked' || n, 'restricted', 'restricted' {_OF_TENANTS}",
        "job",
        "select count(*) from account a where status = 'restricted' and not exists"
        " (select from job where unique_key = 'account.recheck:' || a.id)",
        at_once=1,
        share=40,
    ),
    "numbers": Backlog(
        "analytics.purge",
        "insert into metric (target_id, bucket, workspace_id, account_id, collected_at)"
        " select t.id, at, p.workspace_id, p.account_id, at from (select * from target order by id limit 1) t,"
        f" {_TENANTS} cross join lateral (select now() - interval '800 days' - n * interval '1 hour' as at) a",
        "metric",
        "select count(*) from metric where collected_at < now() - interval '730 days'",
    ),
    "followers": Backlog(
        "analytics.purge",
        "insert into metric_followers (account_id, day, workspace_id, collected_at)"
        f" select account_id, current_date - 731 - n, workspace_id, now() {_OF_TENANTS}",
        "metric_followers",
        "select count(*) from metric_followers where day < current_date - 730",
    ),
    "jobs": Backlog(
        "engine.purge",
        "insert into job (id, queue, kind, state, failed_at)"
        f" select pg_temp.id_of(n), pg_temp.id_of(n), 'old', 'failed', {_OLD} from {_N}",
        "job",
        "select count(*) from job where kind = 'old'",
    ),
    "tokens": Backlog(
        "identity.purge",
        "insert into one_time_token (hash, purpose, expires_at)"
        f" select sha256(n::text::bytea), 'oidc', {_OLD} from {_N}",
        "one_time_token",
        "select count(*) from one_time_token where expires_at < now() - interval '1 day'",
    ),
    "device logins": Backlog(
        "api_keys.purge_device_logins",
        "insert into device_login (id, device_hash, user_hash, device_name, address, expires_at, interval_seconds)"
        " select pg_temp.id_of(n), sha256(n::text::bytea), sha256(('u' || n)::bytea), 'old', '10.0.0.1', "
        f"{_OLD}, 5 from {_N}",
        "device_login",
        "select count(*) from device_login where device_name = 'old'",
    ),
    "mails": Backlog(
        "mail.purge",
        "insert into mail_message (id, recipient, mailbox, template, state, created_at)"
        f" select pg_temp.id_of(n), '', '', 'old', 'sent', {_OLD} from {_N}",
        "mail_message",
        "select count(*) from mail_message where template = 'old'",
    ),
    "approval links": Backlog(
        "approval_links.purge",
        "insert into approval_link (id, workspace_id, profile_id, token_hash, mode, post_ids, scopes, user_id,"
        " created_by, created_at, expires_at) select pg_temp.id_of(n), workspace_id, id, int4send(n), 'live', '{}',"
        f" '{{}}', gen_random_uuid(), '{{}}', {_OLD}, {_OLD} {_OF_TENANTS}",
        "approval_link",
        "select count(*) from approval_link where expires_at < now()",
    ),
    "clicks of long ago": Backlog(
        "link_pages.purge",
        "insert into link_page_count (workspace_id, profile_id, day, link, count)"
        f" select workspace_id, id, ({_OLD})::date - 400, n::text, 1 {_OF_TENANTS}",
        "link_page_count",
        "select count(*) from link_page_count",
    ),
    "snippets of deleted clients": Backlog(
        "snippets.purge",
        "with p as (insert into profile (id, workspace_id, name, slug, timezone, created_at, deleted_at)"
        f" select gen_random_uuid(), workspace_id, 'backlog', 'backlog', 'UTC', {_OLD}, now() {_OF_TENANTS}"
        " where n = 1 returning id, workspace_id) insert into snippet (id, workspace_id, profile_id, name, text,"
        " created_by, version, created_at, updated_at)"
        f" select pg_temp.id_of(n), workspace_id, id, n::text, '', '{{}}', 1, {_OLD}, {_OLD}"
        f" from p, {_N}",
        "snippet",
        "select count(*) from snippet where text = ''",
    ),
    "mails of reports": Backlog(
        "report_links.mail",
        "insert into report_link (id, workspace_id, profile_id, token_hash, mode, language, scopes, user_id,"
        " created_by, created_at, email, sealed_token, next_mail_at) select pg_temp.id_of(n), workspace_id, id,"
        f" int4send(n), 'live', 'en', '{{}}', gen_random_uuid(), json_build_object('type', 'user', 'id', null, 'name',"
        f" null), {_OLD}, 'maria@example.com', '', {_OLD} {_OF_TENANTS}",
        "report_link",
        "select count(*) from report_link where next_mail_at < now()",
        at_once=1,
        share=50,
    ),
    "apps that were never used": Backlog(
        "apps.purge",
        "insert into app (id, name, redirect_uris, auth_method, created_at, updated_at)"
        f" select pg_temp.id_of(n), 'backlog', '{{}}', 'none', {_OLD}, {_OLD} from {_N}",
        "app",
        "select count(*) from app where name = 'backlog'",
    ),
    "old comments": Backlog(
        "comments.purge",
        "insert into comment (id, workspace_id, profile_id, account_id, post_id, target_id, platform, mode, remote_id,"
        " thread_id, reference, author_id, author_name, is_own, text, state, tags, hidden, liked, posted_at,"
        " created_at, updated_at) select pg_temp.id_of(n), p.workspace_id, p.id, p.account_id, t.post_id, t.id,"
        " t.platform, o.mode, 'backlog' || n, pg_temp.id_of(n), '{}', '', '', false, '', 'open', '{}', false, false,"
        f" {_OLD}, {_OLD}, {_OLD} from (select * from target order by id limit 1) t"
        f" join post o on o.id = t.post_id, {_TENANTS}",
        "comment",
        "select count(*) from comment where remote_id like 'backlog%'",
    ),
    "items of feeds": Backlog(
        "feeds.purge",
        "with f as (insert into feed (id, workspace_id, profile_id, mode, url, template, include, exclude,"
        " publish_mode, daily_max, latest, state, document_at, scopes, user_id, created_by, created_at, updated_at)"
        " select pg_temp.id_of(0), workspace_id, id, 'live', 'backlog', '', '{}', '{}', 'draft', 1, 0, 'paused', now(),"
        f" '{{}}', gen_random_uuid(), '{{}}', now(), now() {_OF_TENANTS} where n = 1 returning id, workspace_id)"
        " insert into feed_item (id, workspace_id, feed_id, key_hash, content, seen_at, created_at, state)"
        f" select pg_temp.id_of(n), workspace_id, id, int4send(n), '{{}}', {_OLD}, {_OLD}, 'before' from f, {_N}",
        "feed_item",
        "select count(*) from feed_item where seen_at < now() - interval '90 days'",
    ),
    "files": Backlog(
        "media.sweep",
        "insert into media (id, workspace_id, kind, file_name, mime_type, size_bytes, sha256, storage_path, status,"
        " created_by, expires_at) select gen_random_uuid(), workspace_id, 'image', 'backlog', 'image/png', 1, '',"
        " 'backlog/' || gen_random_uuid(), 'ready', json_build_object('type', 'user', 'id', null, 'name', null),"
        f" {_OLD} from {_TENANTS}",
        "media",
        "select count(*) from media where file_name = 'backlog' and expires_at is not null",
        at_once=sweep.BATCH,
        share=10,
    ),
    "names of people who left": Backlog(
        "workspaces.erase_people",
        f"with u as (insert into app_user (id, email, deleted_at) values ('{_PERSON}', 'x@deleted.invalid', {_OLD}))"
        " insert into media (id, workspace_id, kind, file_name, mime_type, size_bytes, sha256, storage_path, status,"
        " created_by) select gen_random_uuid(), workspace_id, 'image', 'named', 'image/png', 1, '', 'named/' ||"
        f" gen_random_uuid(), 'ready', json_build_object('type', 'user', 'id', '{ids.encode('usr', _PERSON)}', 'name',"
        f" 'Ada') from {_TENANTS}",
        "media",
        "select count(*) from media where file_name = 'named' and created_by ->> 'name' = 'Ada'",
        at_once=erase_people.ROWS,
    ),
    "guesses": Backlog(
        "messenger.purge",
        f"insert into messenger_guess (sender_hash, updated_at) select sha256(n::text::bytea), {_OLD} from {_N}",
        "messenger_guess",
        "select count(*) from messenger_guess where updated_at < now() - interval '1 day'",
    ),
    "things that fit again": Backlog(
        "plans.fit",
        f"{_PROFILES.format(True)} select count(*) from p",
        "profile",
        "select count(*) from profile where name = 'backlog' and over_limit",
        at_once=1,
        share=40,
    ),
    "months that are used up": Backlog(
        "plans.notices",
        f"{_WORKSPACES}, u as (insert into app_user (id, email, name)"
        " select id, id || '@backlog.test', '' from w returning id, email),"
        " m as (insert into member (id, workspace_id, user_id, email, role, joined_at)"
        " select gen_random_uuid(), id, id, email, 'owner', now() from u)"
        " insert into usage (workspace_id, metric, period, stripe, used)"
        " select id, 'posts', date_trunc('month', now() at time zone 'UTC')::date, 0, 1000000 from w",
        "usage_notice",
        "select count(*) from usage u where used = 1000000 and not exists"
        " (select from usage_notice n where n.workspace_id = u.workspace_id)",
        at_once=usage_notices.BATCH,
        share=20,
    ),
    "notices of former months": Backlog(
        "plans.notices",
        "insert into usage_notice (workspace_id, metric, period, maximum, percent)"
        f" select workspace_id, 'posts', '2020-01-01', n, 80 from {_TENANTS}",
        "usage_notice",
        "select count(*) from usage_notice where period = '2020-01-01'",
    ),
    "changes of counts": Backlog(
        "posts.count",
        "insert into post_count_change select workspace_id, workspace_id, 'live', 'draft', '', null, 0"
        f" from {_TENANTS}",
        "post_count_change",
        "select count(*) from post_count_change",
    ),
    "trash": Backlog(
        "posts.purge",
        f"{_POSTS} 'trash', 'draft', '', {_OLD}, null, null, {_OLD}, now() {_OF_TENANTS}",
        "post",
        "select count(*) from post where purge_at <= now()",
        at_once=posts._BATCH,
        share=10,
    ),
    "series": Backlog(
        "posts.recurrence",
        f"with p as ({_POSTS} 'series', 'draft', '', {_OLD}, null, null, null, null {_OF_TENANTS}"
        f" returning id, workspace_id) insert into recurrence_series select id, workspace_id, {_OLD}, {_OLD} from p",
        "recurrence_series",
        "select count(*) from recurrence_series",
        at_once=1,
        share=50,
    ),
    "texts": Backlog(
        "posts.search",
        f"{_POSTS} 'text', 'draft', 'backlog ' || n, {_OLD}, null, null, null, null"
        f" from {_N} join tenant p on p.number = 0",
        "post_text",
        "select greatest(0, count(*) - 255) from post p where notes = 'text'"  # fewer than 256 are read faster
        " and not exists (select from post_text where post_id = p.id)",
        at_once=posts._TEXTS,
        share=2,
    ),
    "wall times": Backlog(
        "posts.zone_rules",
        f"{_POSTS} 'zone', 'scheduled', '', now(), '2030-01-01', '2030-01-01', null, null {_OF_TENANTS}",
        "post",
        "select count(*) from post where notes = 'zone' and tzdata_version is null",
        at_once=posts._ZONE_BATCH,
        share=4,
    ),
    "subscribers": Backlog(
        "status.sample",
        "insert into status_subscriber (id, email, active, created_at)"
        f" select gen_random_uuid(), n || '@backlog.test', false, {_OLD} from {_N}",
        "status_subscriber",
        "select count(*) from status_subscriber where not active",
    ),
    "tickets": Backlog(
        "support.close",
        "insert into ticket (id, workspace_id, author_id, type, status, priority, subject, words, resolved_at,"
        " last_message_at, created_at, updated_at) select gen_random_uuid(), p.workspace_id, m.user_id, 'bug',"
        f" 'resolved', 'normal', '', '', {_OLD}, {_OLD}, {_OLD}, {_OLD}"
        f" from (select * from member where user_id is not null order by id limit 1) m, {_TENANTS}",
        "ticket",
        "select count(*) from ticket where status = 'resolved'",
        at_once=close.BATCH,
        share=10,
    ),
    "invitations": Backlog(
        "team.expire",
        "insert into member (id, workspace_id, email, role, status, expires_at) select gen_random_uuid(), workspace_id,"
        f" n || '@backlog.test', 'viewer', 'invited', {_OLD} from {_TENANTS}",
        "member",
        "select count(*) from member where status = 'invited'",
    ),
    "deleted webhooks": Backlog(
        "webhooks.purge",
        f"{_WEBHOOK} {_OLD} from {_TENANTS} returning id) select count(*) from h",
        "webhook",
        "select count(*) from webhook where name = 'backlog' and deleted_at is not null",
        at_once=purge.ROWS,
    ),
    "deliveries of deleted webhooks": Backlog(
        "webhooks.purge",
        f"{_WEBHOOK} {_OLD} from tenant returning id, workspace_id) {_DELIVERIES} 'delivered' {_OF_NUMBERED}",
        "delivery",
        _DELIVERIES_LEFT,
        at_once=purge.ROWS,
    ),
    "old deliveries": Backlog(
        "webhooks.purge",
        f"{_WEBHOOK} null from (select id as workspace_id from workspace where plan = 'free' limit {TENANTS}) w"
        f" returning id, workspace_id) {_DELIVERIES} 'delivered' {_OF_NUMBERED}",
        "delivery",
        _DELIVERIES_LEFT,
        at_once=purge.ROWS,
    ),
    "missed deliveries": Backlog(
        "webhooks.purge",
        f"{_WEBHOOK} null from tenant returning id, workspace_id) {_DELIVERIES} 'skipped' {_OF_NUMBERED}",
        "delivery",
        _DELIVERIES_LEFT,
        at_once=purge.ROWS,
    ),
    "deleted workspaces": Backlog(
        "workspaces.erase",
        "with w as (insert into workspace (id, name, slug, plan, deleted_at)"
        f" select gen_random_uuid(), 'w', gen_random_uuid()::text, 'free', {_OLD} from generate_series(1, 20) n"
        " returning id), h as (insert into profile (id, workspace_id, name, slug, timezone)"
        " select gen_random_uuid(), id, 'backlog', 'backlog', 'UTC' from w returning id, workspace_id),"
        " p as (select *, row_number() over () - 1 as number from h)"
        f" {_POSTS} 'erased', 'draft', '', now(), null, null, null, null"
        f" from p join {_N} on p.number = case when n % 2 = 0 then 0 else n % 20 end",
        "post",
        "select count(*) from post where notes = 'erased'",
        at_once=erase.ROWS,
        share=4,
    ),
    "exports": Backlog(
        "workspaces.expire_exports",
        f"{_WORKSPACES} insert into workspace_export (workspace_id, user_id, status, requested_at, expires_at)"
        f" select w.id, u.id, 'ready', {_OLD}, {_OLD} from w, (select id from app_user order by id limit 1) u",
        "workspace_export",
        "select count(*) from workspace_export where status = 'ready'",
        at_once=1,
        share=100,
    ),
}

OTHERS: Final = {
    "analytics.plan": "tests/analytics/test_backlog.py",
    "comments.add_missed": "tests/comments/test_backlog.py",
    "comments.plan": "tests/comments/test_backlog.py",
    "billing.upkeep": "tests/billing/test_backlog.py",
    "messenger.poll_slack": "one answer of the messenger, of twenty messages",
    "messenger.poll_telegram": "one answer of the messenger, of twenty messages",
    "request_log.rotate": "drops whole partitions, one for each day: no statement depends on their rows",
}
"""Job -> the file where its backlog is, or why it has none."""
