-- Which of a closed list of reasons status_reason and send_status_reason give, so that clients can translate them.
-- Null for reasons from before.
alter table mailboxes
  add column status_reason_key text,
  add column send_status_reason_key text;
