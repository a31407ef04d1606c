-- A database that Alembic brought to this revision goes on here. The view is for processes of the version before, which
-- read the revision there and refuse a newer one; it goes one version later.
drop table alembic_version;
create view alembic_version as
    select max(revision)::varchar(32) as version_num from schema_migration where finished_at is not null;
do $$ begin
    grant select on alembic_version to signalpost_engine;
exception when undefined_object then null;  -- tenants are not kept apart here
end $$;
