"""What became of each message: it bounds how many a mailbox receives, and staff see what was not sent."""

from signalpost.migrations import sql

revision = "0037"
down_revision = "0036"

SQL = """
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
    settled_at timestamptz
);
create index mail_message_mailbox on mail_message (mailbox, created_at);
create index mail_message_sender on mail_message (workspace_id, created_at) where workspace_id is not null;
create index mail_message_created on mail_message (created_at desc, id desc);

-- Note a message; false: its mailbox or its sender had enough within an hour; null: it was noted before. A mailbox is
-- everyone's, so the count looks beyond the workspace of the connection.
create function note_mail(
    p_id uuid, p_workspace uuid, p_recipient text, p_mailbox text, p_template text, p_of_mailbox integer,
    p_of_sender integer
) returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
begin
    if p_workspace is not null and not may_see(p_workspace) then
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
"""


def upgrade() -> None:
    sql.execute(SQL)
