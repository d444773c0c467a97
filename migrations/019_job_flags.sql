-- Jobs carry their workspace as a flag, by which a worker passes over those of a workspace that has its share of the workers already, and
-- a priority: the lower it is, the sooner among jobs of the same workers.
create function enqueue_jobs(names text[], payloads text[], keys text[], run_ats timestamptz[], priorities smallint[], attempts_max smallint)
returns void
language plpgsql as $$
declare
  missing int[] := array(select generate_subscripts(names, 1));
  added text[];
begin
  -- Again for what it did not add, as 015 says.
  for pass in 1..10 loop
    exit when missing = '{}';
    added := array(
      select coalesce(key, '') from graphile_worker.add_jobs(array(
        select row(names[at], payloads[at]::json, null, run_ats[at], attempts_max, keys[at], priorities[at],
          array_remove(array[payloads[at]::json->>'workspaceId'], null))::graphile_worker.job_spec
        from unnest(missing) at)));
    -- Of a job without a key there is no other.
    missing := array(select at from unnest(missing) at where keys[at] <> all (added));
  end loop;
  if missing <> '{}' then
    raise exception using errcode = '40001',
      message = 'jobs could not be added: ' || array_to_string(array(select names[at] from unnest(missing) at), ', ');
  end if;
end
$$;

-- As the previous release calls it.
create or replace function enqueue_jobs(names text[], payloads text[], keys text[], run_ats timestamptz[], attempts_max smallint) returns void
language sql as $$
  select enqueue_jobs(names, payloads, keys, run_ats, array_fill(0::smallint, array[cardinality(names)]), attempts_max)
$$;
