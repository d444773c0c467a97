-- The installation, its jobs and its copies.

-- Names this installation of Kontor, so that a backup never takes the backups of another one for its own. A copy that
-- was restored from a backup has the name of its original, and goes on with its backups.
create table installation (
  id uuid not null default gen_random_uuid()
);
insert into installation default values;

-- When `kontor backup` last finished, for the metrics: an operator wants to hear of backups that stopped.
create table backups (
  id bigint generated always as identity primary key,
  taken_at timestamptz not null,
  finished_at timestamptz not null default now()
);
create index backups_taken on backups (taken_at desc);

-- A database that was restored from a backup is on hold until its operator lets it go live: it neither sends nor reads
-- mail, because the service that it is a copy of may still run.
create table restores (
  id bigint generated always as identity primary key,
  taken_at timestamptz not null,
  restored_at timestamptz not null default now(),
  live_at timestamptz
);

-- Which records came from exports and importers, so that a second import takes only what has changed.
create table imported_records (
  workspace_id uuid not null references workspaces (id),
  kind text not null,
  -- As the import names the record.
  id uuid not null,
  -- The record in this workspace, which is another one for a person whose address was known already.
  here_id uuid not null,
  -- SHA-256 of the record as it was imported.
  content_hash bytea not null,
  -- A ticket's version after its import: a higher one shows that people have worked on it since.
  version integer,
  primary key (workspace_id, kind, id)
);

-- Worker processes that are alive; the jobs of one that fell silent are given back to the queue.
create table worker_heartbeats (
  worker_id text primary key,
  seen_at timestamptz(3) not null
);

-- Always empty. On a cluster, a transaction that would delete a row here commits in two phases (queue/enqueue.ts).
create table commit_marks (
  id smallint primary key
);

-- On a cluster, flushes the coordinator's WAL. PostgreSQL commits a transaction that wrote nothing on the coordinator
-- without a flush, and gives its number again if it crashes before (database/moment.ts). The function exists from
-- PostgreSQL 17 on, so its name is only looked up on a cluster.
create function flush_wal_of_cluster() returns boolean language plpgsql as $$
begin
  if to_regclass('pg_catalog.pg_dist_transaction') is not null then
    execute 'select pg_logical_emit_message(false, ''kontor'', '''', true)';
  end if;
  return true;
end $$;

-- Adds jobs for sure. The queue's own add_jobs adds nothing, and says nothing of it, where a worker takes the job that
-- has the key between two of its statements: it looks for jobs under way first, to leave them their work without their
-- key, and then adds those that are left, or changes the ones that wait, by which time one that it has not seen is
-- under way. So what it did not add is added again.
-- Jobs carry their workspace as a flag, by which a worker passes over those of a workspace that has its share of the
-- workers already, and a priority: the lower it is, the sooner among jobs of the same workers.
create function enqueue_jobs(
  names text[], payloads text[], keys text[], run_ats timestamptz[], priorities smallint[], attempts_max smallint
) returns void language plpgsql as $$
declare
  missing int[] := array(select generate_subscripts(names, 1));
  added text[];
begin
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

-- As no release since the baseline calls it.
create function enqueue_jobs(
  names text[], payloads text[], keys text[], run_ats timestamptz[], attempts_max smallint
) returns void language sql as $$
  select enqueue_jobs(names, payloads, keys, run_ats, array_fill(0::smallint, array[cardinality(names)]), attempts_max)
$$;
