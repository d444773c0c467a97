-- Statements of the previous release find their statuses in the new index too.
drop index messages_undelivered;
alter index messages_undelivered_or_scheduled rename to messages_undelivered;
