-- Adds jobs for sure. The queue's own add_jobs adds nothing, and says nothing of it, where a worker takes the job that has the key
-- between two of its statements: it looks for jobs under way first, to leave them their work without their key, and then adds those that are
-- left, or changes the ones that wait, by which time one that it has not seen is under way. So what it did not add is added again.
create function enqueue_jobs(names text[], payloads text[], keys text[], run_ats timestamptz[], attempts_max smallint) returns void
language plpgsql as $$
declare
  missing int[] := array(select generate_subscripts(names, 1));
  added text[];
begin
  for pass in 1..10 loop
    exit when missing = '{}';
    added := array(
      select coalesce(key, '') from graphile_worker.add_jobs(array(
        select row(names[at], payloads[at]::json, null, run_ats[at], attempts_max, keys[at], null, null)::graphile_worker.job_spec
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
