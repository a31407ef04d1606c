"""JSON of posts and targets gets snake_case names and plain uuids, so that it does not depend on the API's version."""

from signalpost.migrations import sql

revision = "0011"
down_revision = "0010"

SQL = r"""
-- The uuid in an id such as med_01J...: 26 characters of 5 bits, of which the first two bits are empty.
create function pg_temp.decode_id(p_id text) returns text language plpgsql as $$
declare
    v_bits text := '';
    v_hex text := '';
begin
    for i in 1..26 loop
        v_bits := v_bits
            || (strpos('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substr(split_part(p_id, '_', 2), i, 1)) - 1)::bit(5)::text;
    end loop;
    for i in 0..31 loop
        v_hex := v_hex || to_hex(substr(v_bits, 3 + 4 * i, 4)::bit(4)::int);
    end loop;
    return v_hex::uuid::text;
end $$;

-- Names of members in snake_case, at every depth; the options of networks stay as they are.
create function pg_temp.snake(p_value jsonb) returns jsonb language plpgsql as $$
begin
    return case jsonb_typeof(p_value)
        when 'object' then (
            select coalesce(jsonb_object_agg(
                lower(regexp_replace(m.key, '([A-Z])', '_\1', 'g')),
                case when m.key = 'options' then m.value
                    when m.key in ('mediaId', 'thumbnailMediaId', 'accountId') and jsonb_typeof(m.value) = 'string'
                        then to_jsonb(pg_temp.decode_id(m.value #>> '{}'))
                    else pg_temp.snake(m.value) end), '{}')
            from jsonb_each(p_value) as m)
        when 'array' then (
            select coalesce(jsonb_agg(pg_temp.snake(e.value) order by e.position), '[]')
            from jsonb_array_elements(p_value) with ordinality as e(value, position))
        else p_value
    end;
end $$;

-- Changes in the audit log: {field, from, to}, where field is the name of a column; values of options stay as they are.
create function pg_temp.snake_changes(p_changes jsonb) returns jsonb language sql as $$
    select jsonb_agg(
        case when e.value ->> 'field' = 'options' then e.value
            else pg_temp.snake(e.value) || jsonb_build_object('field',
                lower(regexp_replace(e.value ->> 'field', '([A-Z])', '_\1', 'g'))) end
        order by e.position)
    from jsonb_array_elements(p_changes) with ordinality as e(value, position)
$$;

update post set media = pg_temp.snake(media), thread = pg_temp.snake(thread), approval = pg_temp.snake(approval),
    warnings = pg_temp.snake(warnings)
where media <> '[]' or thread <> '[]' or approval <> '{"state": "not_required"}' or warnings <> '[]';
update target set media = pg_temp.snake(media), error = pg_temp.snake(error)
where media is not null or error is not null;
update attempt set error = pg_temp.snake(error) where error is not null;
update audit set changes = pg_temp.snake_changes(changes), attempt = pg_temp.snake(attempt)
where changes is not null or attempt is not null;

drop function pg_temp.snake_changes(jsonb);
drop function pg_temp.snake(jsonb);
drop function pg_temp.decode_id(text);

comment on column post.media is '[{media_id, alt_text?, thumbnail_media_id?, thumbnail_time_ms?, user_tags?}]';
comment on column target.held_reason is 'approval | account | plan: due, but not to be taken';
"""


def upgrade() -> None:
    sql.execute(SQL)
