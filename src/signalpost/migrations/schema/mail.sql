-- Mails, and how many a mailbox gets.

-- What became of each mail: it bounds how many a mailbox receives, and staff see what was not sent.
create table mail_message (
    id uuid primary key,
    workspace_id uuid,                     -- who caused it; null: the installation, or someone without a workspace
    recipient text not null,
    mailbox text not null,                 -- where the address delivers to, as far as it tells: what is bounded
    template text not null,
    state text not null default 'waiting' check (state in ('waiting', 'sent', 'kept', 'rejected', 'failed')),
    attempts integer not null default 0,
    error text,
    message bytea,                         -- sealed; of what was not sent
    created_at timestamptz not null default now(),
    settled_at timestamptz,
    kind text,                             -- null: written by an earlier version
    owner_id uuid                          -- who is counted for it
);
create index mail_message_mailbox on mail_message (mailbox, created_at);
create index mail_message_sender on mail_message (workspace_id, created_at) where workspace_id is not null;
create index mail_message_created on mail_message (created_at desc, id desc);
create index mail_message_owner on mail_message (owner_id, created_at) where owner_id is not null;

-- Note a message; false: someone had enough; null: it was noted before. Counts look beyond the workspace of the
-- connection, since a mailbox is everyone's. A message of someone who shares no workspace with the recipient is of the
-- kind `stranger`, and counted for its owner too. Only who sees all workspaces notes a message of the installation.
create function note_message(
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

-- Nothing calls this one since note_message. It stays as long as databases come from the revisions of Alembic.
create function note_mail(
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
