-- Mailboxes whose server numbered their mails anew, and the daily comparison.
alter table mailbox_syncs
  -- More unknown mails came back at once than people write: what arrived before this is history.
  add column recheck_history_until timestamptz(3),
  -- When the mail of the last days was last compared with what was taken.
  add column compared_at timestamptz(3),
  -- Mails that the list of changes left out, and a comparison found.
  add column missed_mails integer not null default 0,
  -- What a person should know of a mailbox that works.
  add column remark text,
  add column remarked_at timestamptz(3);
