-- Texts of posts stand in a table of their own, for an index of trigrams; the blocks of hashes go.

-- Title and text of a post in lower case, as `q` of the list compares them. A job writes them behind the posts
-- (`posts.search`). `migrations.search_index` makes the index, since it needs extensions.
create table post_text (
    post_id uuid primary key references post on delete cascade,
    workspace_id uuid not null,
    shard integer not null, -- 20,000 texts of a workspace share a number: a search looks into one after the other
    folded text not null
);
create index post_text_workspace on post_text (workspace_id);

-- Up to which post the texts of a workspace were written, by (created_at, id), and how many there have been.
create table search_progress (
    workspace_id uuid primary key,
    through_at timestamptz not null,
    through_id uuid not null,
    texts bigint not null
);

-- Posts that may contain a text: those whose text of the last minutes is another one are in `search_pending`. Null at
-- the end: there may be more, since there are p_limit, or since 50 milliseconds are over. With the rights of the
-- owner: a policy would be evaluated before `like`, which then finds no index.
create function posts_containing(p_workspace uuid, p_text text, p_limit integer) returns setof uuid
language plpgsql stable security definer set search_path = public, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
    pattern constant text := '%' || regexp_replace(lower(p_text), '([\\%_])', '\\\1', 'g') || '%';
    deadline constant timestamptz := clock_timestamp() + interval '50 milliseconds';
    part bigint := (select (g.texts - 1) / 20000 from search_progress g where g.workspace_id = p_workspace);
    missing bigint := p_limit;
    found_now bigint;
begin
    if not may_see(p_workspace) then
        return;
    end if;
    while part >= 0 loop
        return query
            select t.post_id from post_text t
            where (t.workspace_id::text || '/' || t.shard::text) = (p_workspace::text || '/' || part::text)
                and t.folded like pattern
            limit missing;
        get diagnostics found_now = row_count;
        missing := missing - found_now;
        part := part - 1;
        if missing <= 0 or part >= 0 and clock_timestamp() > deadline then
            return next null::uuid;
            return;
        end if;
    end loop;
end $$;

drop table search_block;
