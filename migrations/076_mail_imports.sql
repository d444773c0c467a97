-- Imports of mail files that people upload. A process works on each until it ends and its files are deleted.
create table mail_imports (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  created_by uuid not null,
  created_at timestamptz(3) not null,
  -- What the person chose: the status of new tickets, and addresses of the team.
  status text not null check (status in ('open', 'closed', 'archived')),
  own_addresses text[] not null,
  -- `receiving` ends with the upload, whose crash leaves a row to clear away.
  state text not null check (state in ('receiving', 'running', 'stopping', 'done', 'stopped', 'failed')),
  failure text,
  finished_at timestamptz(3),
  has_files boolean not null default true,
  size_bytes bigint not null,
  -- How far the work is: whole files, then mails or other things found in the next one.
  files_done integer not null default 0,
  found_in_file integer not null default 0,
  processed_bytes bigint not null default 0,
  worked_ms bigint not null default 0,
  read integer not null default 0,
  taken integer not null default 0,
  known integer not null default 0,
  quarantined integer not null default 0,
  passed_over integer not null default 0,
  tickets integer not null default 0,
  problems jsonb not null default '[]',
  -- Attempts in a row that failed.
  failures integer not null default 0,
  lease_holder uuid,
  lease_until timestamptz(3),
  worked_at timestamptz(3),
  primary key (workspace_id, id)
);
create index mail_imports_with_files on mail_imports (workspace_id, id) where has_files;

create table mail_import_files (
  workspace_id uuid not null,
  import_id uuid not null,
  position integer not null,
  file_name text not null,
  size_bytes bigint not null,
  primary key (workspace_id, import_id, position),
  foreign key (workspace_id, import_id) references mail_imports (workspace_id, id) on delete cascade
);
