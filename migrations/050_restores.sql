-- A database that was restored from a backup is on hold until its operator lets it go live: it neither sends nor reads
-- mail, because the service that it is a copy of may still run.
create table restores (
  id bigint generated always as identity primary key,
  taken_at timestamptz not null,
  restored_at timestamptz not null default now(),
  live_at timestamptz
);
