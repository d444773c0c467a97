-- The address from which a member chose to send. Null: the one to which the customer wrote, else the mailbox's own.
alter table messages add column from_address text;
alter table drafts add column from_address text;
-- The other addresses from which a mailbox sends that cannot list them itself. Its server has accepted each.
alter table mailboxes add column send_as text[] not null default '{}';
