-- When a person took the mail off the quarantine.
alter table raw_mails add column discarded_at timestamptz(3);
