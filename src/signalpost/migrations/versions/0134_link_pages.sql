-- The public page of a profile with its links, the addresses that it had, and how often it is seen and each link clicked.
create table link_page (
    profile_id uuid primary key references profile,
    workspace_id uuid not null references workspace,
    title text not null,
    text text,
    language text not null,
    is_published boolean not null,
    is_indexed boolean not null,           -- false: search engines are asked to leave it out
    shows_accounts boolean not null,
    latest_posts smallint not null,        -- how many posts it shows; 0: none
    links jsonb not null,                  -- [{id, title, url, media_id, shown_from, shown_until}], in their order
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index link_page_workspace on link_page (workspace_id);

-- The address of a page, and those that it had before: they lead to it, and nobody else gets them. The key holds over
-- all workspaces, also where a request sees the rows of one.
create table link_page_slug (
    slug text primary key,
    workspace_id uuid not null references workspace,
    profile_id uuid not null references link_page on delete cascade,
    left_at timestamptz                    -- since when the page has another one; null: this is its address
);
create index link_page_slug_page on link_page_slug (profile_id, left_at);
create unique index link_page_slug_present on link_page_slug (profile_id) where left_at is null;

-- Clicks on a link in a day of UTC; link '': views of the page. No key to link_page: a batch that counts for many pages
-- does not fail because one of them is deleted at that moment.
create table link_page_count (
    workspace_id uuid not null references workspace,
    profile_id uuid not null,
    day date not null,
    link text not null,
    count bigint not null check (count between 0 and 1000000000000000),
    primary key (profile_id, day, link)
);
create index link_page_count_day on link_page_count (day);
