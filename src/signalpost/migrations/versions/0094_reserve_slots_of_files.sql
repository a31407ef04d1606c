-- A CSV file reserves its slots before its rows are written: until it is done, nobody else gets one of the range.
create table slot_block (
    id bigint generated always as identity primary key, -- in the order of reservation: an earlier one goes first
    queue_id uuid not null references slot_queue on delete cascade,
    workspace_id uuid not null references workspace,
    first_at timestamptz not null,
    last_at timestamptz not null,
    until timestamptz not null             -- by then it means nothing, should the request have been killed
);
create index slot_block_queue on slot_block (queue_id);
