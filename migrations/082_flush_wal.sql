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
