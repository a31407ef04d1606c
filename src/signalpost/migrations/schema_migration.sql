-- Which revisions the database has, one row each. `migrations/runner.py` reads and writes it; the first row is of `schema`.
create table schema_migration (
    revision text primary key,
    name text not null,
    started_at timestamptz not null default clock_timestamp(),
    finished_at timestamptz                -- null: a step outside a transaction began and has not come to its end
);
