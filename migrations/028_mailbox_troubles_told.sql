-- When owners and admins were last told that a mailbox is not read, or does not send; null: not since it last did.
alter table mailboxes
  add column status_told_at timestamptz(3),
  add column send_status_told_at timestamptz(3);
alter table notifications drop constraint notifications_type_check;
alter table notifications add constraint notifications_type_check
  check (type in ('mention', 'assignment', 'reply', 'mailbox')) not valid;
alter table notifications validate constraint notifications_type_check;
