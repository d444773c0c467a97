-- The mails that the holder of the lease reads now. They remain when its process dies. `is_again`: they were being read
-- when a process died before.
alter table ingest_leases
  add column reading uuid[] not null default '{}',
  add column is_again boolean not null default false;
