-- A shared mailbox has no sign-in of its own: the account whose rights open it. Null: the mailbox's own account does.
alter table mailboxes add column delegate_address text;
