-- The search in texts: which posts cannot contain what is searched for (decision 0142).

-- Some posts of a workspace that follow one another by (created_at, id), and which sequences of up to three characters
-- their texts contain: the bits of their hashes (see posts/grams.py). The blocks of a workspace are contiguous; each
-- contains the posts after its lower bound up to its upper one, as they were when it was written.
create table search_block (
    workspace_id uuid not null,
    after_at timestamptz not null,
    after_id uuid not null,
    through_at timestamptz not null,
    through_id uuid not null,
    grams bit varying not null,
    primary key (workspace_id, through_at, through_id)
);
-- Not in the definition of the column, where PostgreSQL 15 does not take it.
alter table search_block alter column grams set storage external;

-- Posts whose text is another one than their block knows, once for each change: searches read them all.
create table search_pending (
    id bigint generated always as identity primary key,
    workspace_id uuid not null,
    post_id uuid not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index search_pending_workspace on search_pending (workspace_id, id);

-- The posts of a workspace that are noted, up to a number of notes. By the index, also while statistics are older than
-- an import.
create function pending_searches(p_workspace uuid, p_limit integer) returns setof uuid
language sql stable set enable_seqscan = off as $$
    select post_id from search_pending where workspace_id = p_workspace order by id limit p_limit
$$;

create function note_search_pending() returns trigger language plpgsql as $$
begin
    insert into search_pending (workspace_id, post_id) values (new.workspace_id, new.id);
    return null;
end $$;

-- A post that is created now is newer than all blocks: they end where all transactions are over. One that claims
-- another time may belong into a block that exists.
create trigger post_created_at_another_time after insert on post for each row
    when (new.created_at not between clock_timestamp() - interval '10 seconds'
        and clock_timestamp() + interval '10 seconds')
    execute function note_search_pending();
create trigger post_text_changed after update of title, text, deleted_at on post for each row
    when (new.deleted_at is null and (old.deleted_at is not null
        or (old.title, old.text) is distinct from (new.title, new.text)))
    execute function note_search_pending();
