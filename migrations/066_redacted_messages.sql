-- When a person took the text, files and original of a message away for good, and who.
alter table messages add column redacted_at timestamptz(3), add column redacted_by uuid;
