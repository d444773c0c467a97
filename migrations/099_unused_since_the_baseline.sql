-- No ticket may be spam outside the archive, whenever it was written.
alter table tickets validate constraint tickets_spam_archived;

-- What no release since the baseline reads, writes or calls.
drop index contacts_unindexed;
alter table mailboxes drop column retry_at;
alter table mailbox_syncs drop column is_dirty;
drop function enqueue_jobs(text[], text[], text[], timestamptz[], smallint);
