"""Parts of a thread that are public are told in the columns of their target, whatever became of the rest."""

from signalpost.migrations import sql

revision = "0017"
down_revision = "0016"

SQL = """
-- A part of a post as the journal has it, if it is public: its step has the remote id.
create function public_part(p_steps jsonb, p_index integer) returns jsonb language sql immutable parallel safe as $$
    select case when p_steps -> ('part:' || p_index) ? 'id' then p_steps -> ('part:' || p_index) end
$$;

-- The remote ids of the public parts after the first one, in their order.
create function public_thread_ids(p_steps jsonb) returns text[] language sql immutable parallel safe as $$
    select case when not p_steps ? 'part:1' then '{}' else array(
        select s.value ->> 'id' from jsonb_each(p_steps) as s(key, value)
        where s.key like 'part:%' and s.key <> 'part:0' and s.value ? 'id'
        order by substr(s.key, 6)::integer) end
$$;

-- The steps that stay when the content changes: those of public parts.
create function public_steps(p_steps jsonb) returns jsonb language sql immutable parallel safe as $$
    select coalesce(jsonb_object_agg(s.key, s.value), '{}') from jsonb_each(p_steps) as s(key, value)
    where s.key like 'part:%' and jsonb_typeof(s.value) = 'object' and s.value ? 'id'
$$;

update target set remote_id = public_part(steps, 0) ->> 'id', url = public_part(steps, 0) ->> 'url',
    thread_ids = public_thread_ids(steps)
where remote_id is null and public_part(steps, 0) is not null;
"""


def upgrade() -> None:
    sql.execute(SQL)
