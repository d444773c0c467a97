-- What an answer does with its ticket, as {"assign", "status"}. Null in a workspace: nothing. In a mailbox: as the
-- workspace says.
alter table workspaces add column when_answered jsonb;
alter table mailboxes add column when_answered jsonb;
