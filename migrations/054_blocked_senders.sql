-- Addresses and domains whose mail becomes spam.
create table blocked_senders (
  workspace_id uuid not null references workspaces (id),
  id uuid not null,
  -- As a person wrote it.
  sender text not null,
  -- Folded, the domain as in DNS. An address has an @, a domain has none.
  sender_key text not null,
  created_by uuid not null references users (id),
  created_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, sender_key)
);
