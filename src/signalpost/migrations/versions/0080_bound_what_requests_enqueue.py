"""Requests reach jobs, mails and Idempotency-Keys of their own workspace only; nobody reaches a partition itself."""

from signalpost.migrations import sql

revision = "0080"
down_revision = "0079"

SQL = """
-- Whose the key is, without a word of the statement; null: of who has no workspace, or sees all of them.
alter table idempotency add column workspace_id uuid;
alter table idempotency alter column workspace_id
    set default nullif(current_setting('signalpost.tenant', true), '')::uuid;

-- As before, except that no workspace is one that a request may not name.
create or replace function may_see(p_workspace uuid) returns boolean language sql stable parallel safe as $$
    select current_setting('role') <> 'signalpost_service'
        or coalesce(p_workspace = nullif(current_setting('signalpost.tenant', true), '')::uuid, false)
$$;

-- As before, except that requests reach only jobs of their workspace: an open job with this key is not that of another
-- one, nor of the installation. Of the installation's they may bring forward what runs periodically, as it is.
create or replace function enqueue_job(
    p_id uuid, p_queue uuid, p_kind text, p_workspace uuid, p_payload jsonb, p_unique_key text, p_at timestamptz
) returns uuid language plpgsql security definer set search_path = public, pg_temp as $$
declare
    written job;
begin
    if may_see(p_workspace) then
        insert into job (id, queue, kind, workspace_id, payload, unique_key, next_attempt_at)
        values (p_id, p_queue, p_kind, p_workspace, p_payload, p_unique_key, coalesce(p_at, now()))
        on conflict (unique_key) do update set revision = job.revision + 1, payload = excluded.payload,
            next_attempt_at = least(job.next_attempt_at, excluded.next_attempt_at)
            where job.workspace_id = p_workspace or current_setting('role') <> 'signalpost_service'
        returning * into written;
        if written.id is null then
            raise exception 'a job of another workspace has this key' using errcode = 'insufficient_privilege';
        end if;
    elsif p_workspace is null and p_payload = '{}' and p_unique_key = p_kind then
        update job set revision = revision + 1, next_attempt_at = least(next_attempt_at, coalesce(p_at, now()))
        where unique_key = p_kind and kind = p_kind and workspace_id is null and payload = '{}'
        returning * into written;
        if written.id is null then
            return null;  -- the first worker to start makes it, due at once
        end if;
    else
        raise exception 'another workspace' using errcode = 'insufficient_privilege';
    end if;
    perform wake_lanes('job', array[written.queue], written.workspace_id, array[null::text],
        array[written.next_attempt_at]);
    return written.id;
end $$;

-- As before, except that only who sees all workspaces notes a message of the installation. The first one is called by
-- the version before.
create or replace function note_mail(
    p_id uuid, p_workspace uuid, p_recipient text, p_mailbox text, p_template text, p_of_mailbox integer,
    p_of_sender integer
) returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
begin
    if not may_see(p_workspace) then
        raise exception 'another workspace' using errcode = 'insufficient_privilege';
    end if;
    perform pg_advisory_xact_lock(hashtextextended('mail:' || p_mailbox, 0));
    if exists (select from mail_message where id = p_id) then
        return null;
    end if;
    if p_of_mailbox <= (
            select count(*) from mail_message where mailbox = p_mailbox and created_at > now() - interval '1 hour')
        or p_of_sender <= (
            select count(*) from mail_message
            where workspace_id = p_workspace and created_at > now() - interval '1 hour')
    then
        return false;
    end if;
    insert into mail_message (id, workspace_id, recipient, mailbox, template)
    values (p_id, p_workspace, p_recipient, p_mailbox, p_template);
    return true;
end $$;

create or replace function note_message(
    p_id uuid, p_workspace uuid, p_owner uuid, p_recipient text, p_mailbox text, p_template text, p_kind text,
    p_places integer, p_stranger_places integer, p_of_workspace integer, p_of_owner integer, p_of_owner_day integer
) returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
declare
    v_kind text := p_kind;
    v_places integer := p_places;
begin
    if not may_see(p_workspace) then
        raise exception 'another workspace' using errcode = 'insufficient_privilege';
    end if;
    perform pg_advisory_xact_lock(hashtextextended('mail:' || p_mailbox, 0));
    if exists (select from mail_message where id = p_id) then
        return null;
    end if;
    if p_owner is not null and not exists (
        select from app_user u join member theirs on theirs.user_id = u.id and theirs.status = 'active'
        join member own on own.workspace_id = theirs.workspace_id and own.user_id = p_owner and own.status = 'active'
        where u.email_key = lower(p_recipient))
    then
        v_kind := 'stranger';
        v_places := p_stranger_places;
        perform pg_advisory_xact_lock(hashtextextended('mail-of:' || p_owner, 0));
        if p_of_owner <= (
                select count(*) from mail_message where owner_id = p_owner and kind = 'stranger'
                    and mailbox = p_mailbox and created_at > now() - interval '1 hour')
            or p_of_owner_day <= (
                select count(*) from mail_message where owner_id = p_owner and kind = 'stranger'
                    and created_at > now() - interval '1 day')
        then
            return false;
        end if;
    end if;
    -- Whoever has many addresses of one mailbox takes no place of the plain one.
    if v_places <= (
            select count(*) from mail_message where mailbox = p_mailbox and coalesce(kind, 'stranger') = v_kind
                and created_at > now() - interval '1 hour'
                and (lower(p_recipient) <> p_mailbox or lower(recipient) = p_mailbox))
        or p_of_workspace <= (
            select count(*) from mail_message
            where workspace_id = p_workspace and created_at > now() - interval '1 hour')
    then
        return false;
    end if;
    insert into mail_message (id, workspace_id, owner_id, recipient, mailbox, template, kind)
    values (p_id, p_workspace, p_owner, p_recipient, p_mailbox, p_template, v_kind);
    return true;
end $$;

-- As before, except that a partition shows its rows to nobody but the owner.
create or replace function rotate_request_log() returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
    today date := (now() at time zone 'UTC')::date;
    name text;
begin
    perform pg_advisory_xact_lock(hashtext('rotate_request_log'));
    for n in -1..2 loop
        name := 'request_log_' || to_char(today + n, 'YYYYMMDD');
        if to_regclass(name) is null then
            execute format('create table %I partition of request_log for values from (%L) to (%L)', name,
                (today + n)::text || ' 00:00+00', (today + n + 1)::text || ' 00:00+00');
            execute format('alter table %I enable row level security', name);
        end if;
    end loop;
    for name in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'request_log'::regclass and c.relname < 'request_log_' || to_char(today - 7, 'YYYYMMDD')
    loop
        execute format('drop table %I', name);
    end loop;
end $$;
"""


def upgrade() -> None:
    sql.execute(SQL)
