-- A pass over recent mail that looks for what the provider's list of changes did not tell: its place while it goes on, and
-- since when it looks.
alter table mailbox_syncs add column recheck_page text, add column recheck_since timestamptz(3),
  -- After a lost cursor: what was archived meanwhile counts too.
  add column recheck_has_archive boolean not null default false,
  -- When the last one began.
  add column rechecked_at timestamptz(3);
