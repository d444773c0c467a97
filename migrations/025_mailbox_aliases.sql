-- Further addresses of a mailbox, as its provider tells them: mail to and from them is its own too.
alter table mailboxes add column aliases text[] not null default '{}';
