-- Whether an agent sends again an answer that may have left. If the mailbox cannot tell, the agent has decided.
alter table mailbox_sends add column is_retry boolean not null default false;
