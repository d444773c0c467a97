-- When `kontor backup` last finished, for the metrics: an operator wants to hear of backups that stopped.
create table backups (
  id bigint generated always as identity primary key,
  taken_at timestamptz not null,
  finished_at timestamptz not null default now()
);
create index backups_taken on backups (taken_at desc);
