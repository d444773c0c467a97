-- Whether the provider takes mail of a mailbox, apart from whether it lets it be read (status).
alter table mailboxes
  add column send_status text not null default 'active' check (send_status in ('active', 'error')),
  add column send_status_reason text,
  -- Null: since it was connected.
  add column send_status_changed_at timestamptz(3),
  -- Since when every send was refused; null: the last was not.
  add column send_refused_since timestamptz(3),
  -- When a mailbox in error is read again; null: at once.
  add column retry_at timestamptz(3);
-- Since when every reading was refused; null: the last was not.
alter table mailbox_syncs add column refused_since timestamptz(3);
