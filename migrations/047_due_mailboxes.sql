-- When a mailbox is read next, and once more after that.
-- The previous release still writes is_dirty and mailboxes.retry_at.
alter table mailbox_syncs add column due_at timestamptz(3) not null default now(), add column again_at timestamptz(3);
